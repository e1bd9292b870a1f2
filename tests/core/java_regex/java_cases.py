"""What is asked of Java: (pattern, flags, texts, replacement), one line a feature, and seeded random ones."""

import random

CI, X, M, LIT, S, U_CASE, U_CLASS, UNIX = 2, 4, 8, 16, 32, 64, 256, 1

URLS = ("http://h.org/full/12", "http://h.org/FULL/12/pdf", "abc", "")
LINES = ("a\nb\r\nc", "a\n", "\na\r", "", "a\u2028b\x85", "a\r\n", "\n")
WORDS = ("Ab1_ z-é", "aeiou xyz", "ÀB ß σΣς", "x", "")

Row = tuple[str, int, tuple[str, ...], str]

TABLE: list[Row] = [
    # replacement strings
    (r"/full/(\d+)", 0, URLS, "/abs/$1"),
    (r"/full/(\d+)", CI, URLS, "/abs/$12"),
    (r"(\d)(\d)", 0, URLS, "$2$1$10"),
    (r"/(?<what>full|pdf)/(?<num>\d+)", CI, URLS, r"/${num}\$\\${what}"),
    (r"(\d+)", 0, URLS, "${nope}"),
    (r"(\d+)", 0, URLS, "$2"),
    (r"(\d+)", 0, URLS, "$"),
    (r"(\d+)", 0, URLS, "$x"),
    (r"(\d+)", 0, URLS, "x\\"),
    (r"(\d+)", 0, URLS, "${"),
    (r"(\d+)", 0, URLS, "${}"),
    (r"(\d+)", 0, URLS, "${1}"),
    (r"(\d+)", 0, URLS, "${a b}"),
    (r"(x)?(\d+)", 0, URLS, "<$1|$2|$0>"),
    (r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)", 0, ("abcdefghijk",), "$11-$12-$1"),
    (r"(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)(k)\11", 0, ("abcdefghijkk", "abcdefghijka1"), "x"),
    (r"(a)\11", 0, ("aa1", "a1"), "x"),
    # empty matches
    (r"x*", 0, ("xab", "abxx", "", "x"), "-"),
    (r"|a", 0, ("a", "ba"), "-"),
    (r"a|", 0, ("a", "ba"), "-"),
    (r"", 0, ("ab", ""), "-"),
    (r"(?=b)", 0, ("abb",), "-"),
    (r"\b", 0, ("ab cd", "é a"), "|"),
    (r"\B", 0, ("ab cd",), "|"),
    (r"\b", 0, ("a²b ⅷ ½x é１", "٣_-ß"), "|"),
    (r"(?i)\bÉ|\bx", 0, ("é X É²x",), "|"),
    (r"^|$", M, LINES, "#"),
    # anchors and line ends
    (r"^", 0, LINES, "#"),
    (r"^", M, LINES, "#"),
    (r"$", 0, LINES, "#"),
    (r"$", M, LINES, "#"),
    (r"$", M | UNIX, LINES, "#"),
    (r"$", UNIX, LINES, "#"),
    (r"^", M | UNIX, LINES, "#"),
    (r"\Z", 0, LINES, "#"),
    (r"\Z", M, LINES, "#"),
    (r"\z", 0, LINES, "#"),
    (r"\A", M, LINES, "#"),
    (r"a$", 0, LINES, "#"),
    (r".", 0, LINES, "#"),
    (r".", S, LINES, "#"),
    (r".", UNIX, LINES, "#"),
    (r".+", 0, LINES, "#"),
    (r"(?s).+", 0, LINES, "#"),
    (r"(?m)^.", 0, LINES, "#"),
    (r"(?d).$", 0, LINES, "#"),
    (r"\R", 0, LINES, "#"),
    (r"a\Rb?", 0, LINES, "#"),
    (r"\R\n", 0, ("\r\n", "\r\n\n", "\n\n"), "#"),
    (r"\h+|\v", 0, ("a \t\xa0b\n\x0bc", "\u3000x"), "#"),
    (r"\H\V", 0, ("a \tb\nc",), "#"),
    (r"\G\d", 0, ("12a3", "a1"), "#"),
    # classes
    (r"[a-z&&[^aeiou]]", 0, WORDS, "#"),
    (r"[a-z&&[^aeiou]]+", CI, WORDS, "#"),
    (r"[a-d[m-p]]", 0, ("abmnz",), "#"),
    (r"[a-z&&[def]]", 0, ("abcdef",), "#"),
    (r"[a-z&&[^bc]&&[^m-p]]", 0, ("abcmnz",), "#"),
    (r"[^a-c[x-z]]", 0, ("abcxyz m",), "#"),
    (r"[^a-z&&[^m]]", 0, ("abmz A",), "#"),
    (r"[a-z&&def]", 0, ("abcdef",), "#"),
    (r"[abc&&b-d[a]]", 0, ("abcd",), "#"),
    (r"[abc&&[bc]a]", 0, ("abcd",), "#"),
    (r"[a-z&&^b]", 0, ("ab^",), "#"),
    (r"[&&abc]", 0, ("ab&",), "#"),
    (r"[abc&&]", 0, ("ab&",), "#"),
    (r"[a&b]", 0, ("ab&",), "#"),
    (r"[a&&&b]", 0, ("ab&",), "#"),
    (r"[]a]", 0, ("a]b",), "#"),
    (r"[^]a]", 0, ("a]b",), "#"),
    (r"[a-]", 0, ("a-b",), "#"),
    (r"[-a]", 0, ("a-b",), "#"),
    (r"[a-\d]", 0, ("a-1",), "#"),
    (r"[\d-z]", 0, ("a-1z",), "#"),
    (r"[a-[bc]]", 0, ("a-bc",), "#"),
    (r"[a^b]", 0, ("a^b",), "#"),
    (r"[\^\]\[\\-]", 0, ("a^b]c[d\\e-",), "#"),
    (r"[+--]", 0, ("+,-.",), "#"),
    (r"[z-a]", 0, ("a",), "#"),
    (r"[a", 0, ("a",), "#"),
    (r"[]", 0, ("a",), "#"),
    (r"[[a]", 0, ("a",), "#"),
    (r"[\w&&[^\d_]]+", 0, WORDS, "#"),
    (r"[^\W\d]+", 0, WORDS, "#"),
    (r"[\x41-\x43\u0064\n]", 0, ("ABCd\nx",), "#"),
    (r"[\Qa-c]\E]+", 0, ("a-c]b",), "#"),
    (r"[a-z]", CI, ("aZé", "\u212a"), "#"),
    (r"[^a]", CI, ("aAb",), "#"),
    (r"[é]", CI, ("éÉ",), "#"),
    (r"[é]", CI | U_CASE, ("éÉ",), "#"),
    (r"[\p{Lu}b]", CI, ("aBbÉ",), "#"),
    (r"[K-Z]", CI, ("kK\u212a",), "#"),
    (r"[K-Z]", CI | U_CASE, ("kK\u212a",), "#"),
    # properties
    *[
        (rf"\p{{{name}}}+", 0, (*WORDS, "\t.,!~\x7f09aF"), "#")
        for name in [
            "Alpha",
            "Lower",
            "Upper",
            "Digit",
            "Alnum",
            "Punct",
            "Graph",
            "Print",
            "Blank",
            "Cntrl",
            "XDigit",
            "Space",
            "ASCII",
            "L",
            "Lu",
            "Ll",
            "Lt",
            "M",
            "N",
            "Nd",
            "P",
            "Ps",
            "S",
            "Z",
            "Zs",
            "C",
            "Cc",
            "IsLatin",
            "IsGreek",
            "IsL",
            "IsLu",
            "IsAlphabetic",
            "IsLowercase",
            "IsUppercase",
            "IsDigit",
            "IsPunctuation",
            "IsWhite_Space",
            "IsLetter",
            "IsIdeographic",
            "InGreek",
            "InBasicLatin",
            "InBASIC_LATIN",
            "InLatin-1Supplement",
            "javaLowerCase",
            "javaUpperCase",
            "javaWhitespace",
            "javaLetter",
            "javaDigit",
            "javaLetterOrDigit",
            "javaAlphabetic",
            "javaMirrored",
            "javaJavaIdentifierStart",
            "javaJavaIdentifierPart",
            "javaISOControl",
            "javaSpaceChar",
            "javaDefined",
            "script=Latin",
            "sc=Greek",
            "IsLATIN",
            "Islatin",
            "block=BasicLatin",
            "gc=Lu",
            "general_category=Ll",
            "LC",
            "LD",
            "L1",
            "all",
            "Foo",
            "IsFoo",
            "InFoo",
            "javaFoo",
            "alpha",
            "isLatin",
            "sc=Foo",
            "gc=Foo",
        ]
    ],
    (r"\pL+\PL", 0, WORDS, "#"),
    (r"\P{Alpha}", 0, WORDS, "#"),
    (r"\p{Lower}", CI, WORDS, "#"),
    (r"\p{Lu}", CI, WORDS, "#"),
    (r"\p{javaLowerCase}", CI, WORDS, "#"),
    (r"\p{IsUppercase}", CI, WORDS, "#"),
    (r"\p{Upper}+", U_CLASS, WORDS, "#"),
    (r"\w+|\d|\s", U_CLASS, (*WORDS, "٣ \xa0"), "#"),
    (r"\b\w", U_CLASS, WORDS, "#"),
    (r"(?U)\w+", 0, WORDS, "#"),
    (r"\w+|\d|\s", 0, (*WORDS, "٣ \xa0"), "#"),
    (r"\p{}", 0, ("a",), "#"),
    (r"\p{L", 0, ("a",), "#"),
    (r"\p", 0, ("a",), "#"),
    # case
    (r"straße", CI, ("STRASSE", "STRAßE"), "#"),
    (r"É", CI, ("é", "É"), "#"),
    (r"É", CI | U_CASE, ("é", "É"), "#"),
    (r"σ", CI | U_CASE, ("σΣς",), "#"),
    (r"k", CI, ("kK\u212a",), "#"),
    (r"k", CI | U_CASE, ("kK\u212a",), "#"),
    (r"ı", CI | U_CASE, ("iIıİ",), "#"),
    (r"(?i)ab(?-i)c", 0, ("ABc", "abC"), "#"),
    (r"a(?i)b|c", 0, ("aB", "C", "AB"), "#"),
    (r"(a(?i)b)c", 0, ("aBc", "aBC"), "#"),
    (r"(?i:ab)c", 0, ("ABc", "ABC"), "#"),
    (r"(?iu)é", 0, ("É",), "#"),
    (r"(?i-s:a.)b", S, ("A\nb", "Axb"), "#"),
    (r"(a)\1", CI, ("aA", "aa"), "#"),
    (r"(?i)(a)(?-i)\1", 0, ("aA", "AA"), "#"),
    (r"(a)(?i)\1", 0, ("aA", "aa"), "#"),
    # groups, references, looking around
    (r"(?<year>\d{4})-\k<year>", 0, ("2010-2010", "2010-2011"), "${year}"),
    (r"(?<a>x)(?<a>y)", 0, ("xy",), "#"),
    (r"\k<a>(?<a>x)", 0, ("xx",), "#"),
    (r"(?<1a>x)", 0, ("x",), "#"),
    (r"(?<a_b>x)", 0, ("x",), "#"),
    (r"\1(a)", 0, ("aa", "a"), "#"),
    (r"\2", 0, ("2", ""), "#"),
    (r"(?:\1b|(a))+", 0, ("aab", "a", "aaba"), "[$1]"),
    (r"(a\1)", 0, ("aa",), "#"),
    (r"(a|b)*", 0, ("abba", ""), "[$1]"),
    (r"(a*)*", 0, ("aa", "b"), "[$1]"),
    (r"(a*)+", 0, ("aa", "b"), "[$1]"),
    (r"(a|b*)*", 0, ("abb", "c"), "[$1]"),
    (r"(?:(a)|b)*", 0, ("ab", "ba"), "[$1]"),
    (r"(a?)*?b", 0, ("aab",), "[$1]"),
    (r"((a)|(b))+", 0, ("ab", "ba"), "$2$3"),
    (r"(?<=ab?)c", 0, ("ac", "abc", "bc"), "#"),
    (r"(?<!-(supplement|assets))\.(html|pdf)", 0, ("a-supplement.pdf", "a.pdf", "x-assets.html"), "$2"),
    (r"(?<=a+)c", 0, ("aac",), "#"),
    (r"(?<=a{1,3})c", 0, ("aac", "c"), "#"),
    (r"(?<=^|,)x", 0, ("x,x,ax",), "#"),
    (r"(?<=\b)a", 0, ("a ba",), "#"),
    (r"(?=(a+))a*b\1", 0, ("aaab", "aabaa"), "[$1]"),
    (r"(?>a+)ab", 0, ("aaab",), "#"),
    (r"(?>a|ab)c", 0, ("abc", "ac"), "#"),
    (r"a++b", 0, ("aab",), "#"),
    (r"a++a", 0, ("aa",), "#"),
    (r"a?+a", 0, ("a", "aa"), "#"),
    (r"a{1,2}+a", 0, ("aa", "aaa"), "#"),
    (r".*+x", 0, ("ax",), "#"),
    (r"(?:ab)++c", 0, ("ababc",), "#"),
    (r"a{2}", 0, ("aaa",), "#"),
    (r"a{2,}?", 0, ("aaa",), "#"),
    (r"a{1,2}?", 0, ("aaa",), "#"),
    (r"a{,2}", 0, ("aa",), "#"),
    (r"a{2,1}", 0, ("aa",), "#"),
    (r"a{", 0, ("a{",), "#"),
    (r"a{x}", 0, ("a{x}",), "#"),
    (r"{", 0, ("{",), "#"),
    (r"}", 0, ("}",), "#"),
    (r"]", 0, ("]",), "#"),
    (r"a**", 0, ("a",), "#"),
    (r"a+*", 0, ("a",), "#"),
    (r"*a", 0, ("a",), "#"),
    (r"a|*", 0, ("a",), "#"),
    (r"(?:*)", 0, ("a",), "#"),
    (r"^*a", 0, ("a", "ba"), "#"),
    (r"$?a", 0, ("a",), "#"),
    (r"(?=a)*b", 0, ("b",), "#"),
    (r"\b+a", 0, ("a",), "#"),
    (r"()*a", 0, ("a",), "[$1]"),
    (r"()", 0, ("a",), "[$1]"),
    (r"(|a)+", 0, ("aa",), "[$1]"),
    (r"a||b", 0, ("b",), "#"),
    (r"(a", 0, ("a",), "#"),
    (r"a)", 0, ("a)",), "#"),
    (r"(?a)", 0, ("a",), "#"),
    (r"(?", 0, ("a",), "#"),
    (r"(?<", 0, ("a",), "#"),
    (r"(?P<a>x)", 0, ("x",), "#"),
    (r"(?#c)x", 0, ("x",), "#"),
    (r"(?i", 0, ("x",), "#"),
    (r"(?x) a b # c", 0, ("ab",), "#"),
    ("a b\\ c#d\ne[ f#]", X, ("ab cef", "ab ce#", "ab ce "), "#"),
    (r"(?x: a b )c d", 0, ("abc d",), "#"),
    ("a {2}", X, ("aa",), "#"),
    ("a +b", X, ("aab",), "#"),
    ("( ?:a)", X, ("a",), "#"),
    # quoting and escapes
    (r"\Qa.b\E+", 0, ("a.bbb", "axb"), "#"),
    (r"\Qa.b", 0, ("a.b", "axb"), "#"),
    (r"a\E", 0, ("a",), "#"),
    (r"\Q\E", 0, ("a",), "#"),
    (r"\Q[a]\\E", 0, ("[a]\\",), "#"),
    (r"\QaB\E", CI, ("Ab",), "#"),
    (r"(a)\1\Q2\E", 0, ("aa2",), "#"),
    (r"a.b[", LIT, ("a.b[", "axb["), "$"),
    (r"a.B", LIT | CI, ("A.b",), "#"),
    (r"(?i)a", LIT, ("(?i)a", "(?I)A"), "#"),
    (r"(?i)aB|(?-i)c", 0, ("AbC", "abc"), "#"),
    (r"\x41\u0042\x{43}\0104\t\e\a\cA", 0, ("ABCD\t\x1b\x07\x01",), "#"),
    (r"\x{1F600}", 0, ("a😀b",), "#"),
    (r"\uD83D\uDE00", 0, ("a😀b",), "#"),
    (r".", 0, ("a😀b",), "#"),
    (r"[😀-😂]", 0, ("a😁b",), "#"),
    (r"[^a]", 0, ("a😀b",), "#"),
    (r"\N{LATIN SMALL LETTER A}", 0, ("ab",), "#"),
    (r"\N{NO SUCH}", 0, ("ab",), "#"),
    (r"\x4", 0, ("a",), "#"),
    (r"\u00", 0, ("a",), "#"),
    (r"\08", 0, ("a",), "#"),
    (r"\0377\0400", 0, ("\xff 0",), "#"),
    (r"\y", 0, ("y",), "#"),
    (r"\_", 0, ("_",), "#"),
    (r"\-\/\:\<\é", 0, ("-/:<é",), "#"),
    ("\\", 0, ("\\",), "#"),
    (r"\X", 0, ("ab",), "#"),
    (r"a\ b", 0, ("a b",), "#"),
    (
        r"http\:\/\/h\.org\/j\.a( |\+|%20)b/(?:1|2)/",
        0,
        ("http://h.org/j.a%20b/2/", "http://h.org/j.a+b/3/"),
        "#",
    ),
    (r"^([^/]+)/([0-9]+)/([0-9]+)(-?)([0-9]*)/p([c0-9]+)[.]xhtml$", CI, ("a/1/2-3/p4.XHTML",), "$1/$6"),
]


class _Grammar:
    """Random patterns of bounded depth over a small alphabet, most of them valid."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.groups = 0

    def pattern(self) -> str:
        self.groups = 0

        return self.branches(3)

    def branches(self, depth: int) -> str:
        count = self.random.choice((1, 1, 1, 2, 2, 3))
        return "|".join(self.run(depth) for _ in range(count))

    def run(self, depth: int) -> str:
        return "".join(self.item(depth) for _ in range(self.random.choice((0, 1, 1, 2, 2, 3))))

    def item(self, depth: int) -> str:
        return self.atom(depth) + self.random.choice(
            (
                "",
                "",
                "",
                "",
                "*",
                "+",
                "?",
                "*?",
                "+?",
                "??",
                "*+",
                "++",
                "?+",
                "{2}",
                "{1,2}",
                "{0,2}?",
                "{1,}+",
            )
        )

    def atom(self, depth: int) -> str:
        choice = self.random.random()
        if depth > 0 and choice < 0.3:
            opening = self.random.choice(("(", "(", "(", "(?:", "(?:", "(?=", "(?!", "(?>", "(?i:", "(?-i:"))
            inner = self.branches(depth - 1)
            # Counted when closed, and never one inside the other: so references name closed groups only.
            if opening == "(" and depth == 1:
                self.groups += 1
            return ("(?:" if opening == "(" and depth > 1 else opening) + inner + ")"
        if choice < 0.35 and self.groups:
            return f"\\{self.random.randint(1, self.groups)}"
        if choice < 0.5:
            return self.char_class(2)
        if choice < 0.6:
            return self.random.choice(
                (r"\d", r"\w", r"\s", r"\D", r"\W", r"\b", "^", "$", r"\B", r"\z", r"\Z", ".")
            )

        return self.random.choice("aaabbcAB1_ ")

    def char_class(self, depth: int) -> str:
        inner = "".join(self.class_item(depth) for _ in range(self.random.choice((1, 1, 2, 3))))
        return "[" + self.random.choice(("", "", "^")) + inner + "]"

    def class_item(self, depth: int) -> str:
        choice = self.random.random()
        if depth > 0 and choice < 0.15:
            return self.char_class(depth - 1)
        if depth > 0 and choice < 0.35:
            right = self.char_class(depth - 1) if self.random.random() < 0.7 else self.class_item(0)
            return self.class_item(0) + "&&" + right
        return self.random.choice(
            ("a", "b", "c", "A", "a-c", "A-C", "0-9", r"\d", r"\w", r"\s", "_", "-", "1", " ")
        )


def random_rows(count: int, seed: int = 20261121) -> list[Row]:
    grammar = _Grammar(seed)
    texts = random.Random(seed + 1)
    rows: list[Row] = []
    while len(rows) < count:
        sample = tuple("".join(texts.choices("aabbcAB1_ \n", k=texts.randint(0, 8))) for _ in range(2))
        replacement = texts.choice(("#", "[$0]", "<$1>", "$2$1"))
        rows.append((grammar.pattern(), texts.choice((0, 0, 0, CI, M, S, CI | M)), sample, replacement))

    return rows


def asked() -> list[tuple[str, int, str, str]]:
    """All questions: (pattern, flags, text, replacement)."""
    return [
        (pattern, flags, text, replacement)
        for pattern, flags, texts, replacement in TABLE + random_rows(1500)
        for text in texts
    ]
