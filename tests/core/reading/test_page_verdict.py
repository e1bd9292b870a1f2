"""A page that is not the article never becomes the article."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from core.reading.benches import bench
from pubweave.core.reading.pages import Page, confirmed, judge_page, read_page, running, speech
from pubweave.core.reading.pages import verdict as verdict_module
from pubweave.core.reading.rules import RuleFile, load_rules
from shared_data import needs_shared_data

DOI = "10.9999/WDG.1"
META = '<meta name="citation_title" content="Folding of widgets"><meta name="citation_doi" content="10.9999/wdg.1">'
PARAGRAPH = (
    "Widgets are folded everywhere, and little is known about how it is done; we therefore folded one hundred of them. "
    "Each was folded twice by hand, once to the left and once to the right, and then it was measured with a ruler. "
)
SECTIONS = "".join(
    f"<section><h2>{name}</h2><p>{PARAGRAPH * 2}</p><p>{PARAGRAPH}</p><p>{PARAGRAPH}</p></section>"
    for name in ("Introduction", "Methods", "Results", "Discussion")
)
ABSTRACT = f'<section class="abstract"><h2>Abstract</h2><p>{PARAGRAPH}</p></section>'
REFERENCES = "".join(
    f"<p>Lee A. B., Ek C. D. (20{number:02}) On the folding of widgets by hand and foot. J. Widg. {number}: 1-{number + 9}. "
    "doi 10.1/x. In the library of the folding society.</p>"
    for number in range(10, 40)
)


def page(body: str, head: str = META, title: str = "Folding of widgets | Journal") -> str:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


CHALLENGE = '<h1>journal.example</h1><script src="/cdn-cgi/challenge-platform/h/b/orchestrate"></script>'
LOGIN = '<h1>Sign in</h1><form><input name="user"><input type="password" name="p"></form>'
CASES = {
    "full text": (
        page(f"<article><h1>Folding of widgets</h1>{ABSTRACT}{SECTIONS}</article>"),
        200,
        "article",
    ),
    "abstract and references": (
        page(f"<article><h1>F</h1>{ABSTRACT}<div>{REFERENCES}</div></article>"),
        200,
        "abstract-only",
    ),
    "a preview behind a wall": (
        page(
            f"<article><h1>F</h1>{ABSTRACT}<h2>Section snippets</h2><section><p>{PARAGRAPH * 9}</p></section></article>"
        ),
        200,
        "abstract-only",
    ),
    "only the title": (
        page("<article><h1>Folding of widgets</h1><p>Journal of Widgets</p></article>"),
        200,
        "landing",
    ),
    "another article": (
        page(f"<h1>On nuts</h1>{ABSTRACT}{SECTIONS}", '<meta name="citation_doi" content="10.9999/nuts.2">'),
        200,
        "landing",
    ),
    "a long page about something else": (
        page(f"<h1>Our society</h1>{SECTIONS}", "", "Society"),
        200,
        "landing",
    ),
    "a challenge": (page("<noscript>Enable JavaScript</noscript>", "", "Just a moment..."), 200, "bot-wall"),
    "a challenge with a status": (page(CHALLENGE, "", "journal.example"), 403, "bot-wall"),
    "access denied": (
        page("<h1>Access Denied</h1><p>Reference #18.1</p>", "", "Access Denied"),
        403,
        "bot-wall",
    ),
    "a login form": (page(LOGIN, "", "Journal login"), 200, "login"),
    "a status that asks for a login": (page("<p>no</p>", "", "Journal"), 401, "login"),
    "a consent page": (
        page("<h1>Before you continue</h1><button>Accept all</button>", "", "Consent"),
        200,
        "consent-wall",
    ),
    "not found without the status": (page("<h1>Sorry</h1><p>x</p>", "", "Page not found"), 200, "soft-404"),
    "a DOI that does not exist": (
        page("<h1>This article does not exist</h1>", "", "Journal"),
        200,
        "soft-404",
    ),
    "not found": (page("<h1>Not found</h1>", "", "404"), 404, "error"),
    "an error in words": (page("<h1>Service temporarily unavailable</h1>", "", "Journal"), 200, "error"),
    "an error in numbers": (page("<h1>x</h1>", "", "x"), 502, "error"),
    "nothing": ("", 200, "error"),
}


REPORT = "".join(
    f"<section><h2>{name}</h2><p>{PARAGRAPH * times}</p></section>"
    for name, times in (("Introduction", 6), ("Case report", 14), ("Discussion", 12), ("Conclusion", 4))
)
"""A case report of 8 kB: four sections of one paragraph each."""
SHORT_REPORT = "".join(
    f"<section><h2>{name}</h2><p>{PARAGRAPH * times}</p></section>"
    for name, times in (("Introduction", 3), ("Case report", 4), ("Discussion", 3), ("Conclusion", 2))
)
ESSAY = f"<p>{PARAGRAPH * 3}</p>" * 12
LETTER = "".join(f'<p class="text">{PARAGRAPH * 2}</p>' for _ in range(4))
BARE = "<h1>Folding of widgets</h1>"
CITED_BY = "".join(
    f"<li>Satish Kumar Vemuri, Susheel Kumar Nethi, Rajkiran Banala. On the folding of widgets number {number}. Journal of "
    f"Widgets 20{number}, 9 (2), 1-9. DOI: 10.1/w.{number}.</li>"
    for number in range(10, 50)
)
FIGURES = "".join(f'<div class="figure-caption">{PARAGRAPH * 4}</div>' for _ in range(9))
THANKS = "".join(
    f"<p>{begin} {PARAGRAPH * 3}</p>" for begin in ("We thank", "The authors declare", "Copyright") * 3
)
HARMLESS = (
    "Error correction of widgets in folded memories",
    "DDoS attack detection by widgets",
    "Antibodies not found in controls",
    "Forbidden transitions in widgets",
    "Synthesis of compound 404",
    "Informed consent of widget folders",
    "Log in to the genome: a register of widgets",
    "Please wait: queueing in folded systems",
)
"""Titles of articles; none of them says what its page is."""
CASES |= {
    "a case report of four sections": (page(f"<article>{BARE}{REPORT}</article>"), 200, "article"),
    "an offer in a side box": (
        page(f"<article>{BARE}{REPORT}</article><aside><p>Get full access to this article</p></aside>"),
        200,
        "article",
    ),
    "an offer beside an essay": (
        page(f"<article>{BARE}{ESSAY}</article><aside><p>Get full access to this article</p></aside>"),
        200,
        "article",
    ),
    "a short case report": (page(f"<article>{BARE}{SHORT_REPORT}</article>"), 200, "article"),
    "an article called as walls are": (
        page(
            f"<h1>Access denied</h1>{ABSTRACT}",
            META.replace("Folding of widgets", "Access denied"),
            "Access denied",
        ),
        200,
        "abstract-only",
    ),
    "an abstract and an offer": (
        page(f"<article>{BARE}{ABSTRACT}<p>Get full access to this article</p></article>"),
        200,
        "abstract-only",
    ),
    "an abstract and who cites it": (
        page(f"<article>{BARE}{ABSTRACT}<h2>Cited by</h2><ul>{CITED_BY}</ul></article>"),
        200,
        "abstract-only",
    ),
    "an abstract and captions": (page(f"<article>{BARE}{ABSTRACT}{FIGURES}</article>"), 200, "abstract-only"),
    "an abstract and thanks": (
        page(f"<article>{BARE}{ABSTRACT}<h2>Notes</h2>{THANKS}</article>"),
        200,
        "abstract-only",
    ),
    "not found, in more words": (
        page(f"<h1>Page not found</h1><p>{PARAGRAPH}</p>", "", "Journal"),
        200,
        "soft-404",
    ),
    "an article's page behind a challenge": (page(CHALLENGE, META, "Just a moment..."), 200, "bot-wall"),
    "another page that cites the article": (
        page(
            f"<h1>On nuts</h1>{ABSTRACT}{SECTIONS}",
            '<meta name="citation_doi" content="10.9999/nuts.2"><meta name="citation_title" content="On nuts">',
            "On nuts",
        ),
        200,
        "landing",
    ),
    **{
        f"{title!r} of an article": (
            page(f"<h1>{title}</h1>{ABSTRACT}", META.replace("Folding of widgets", title), title),
            200,
            "abstract-only",
        )
        for title in HARMLESS
    },
    **{
        f"{title!r} of an old page without tags": (
            page(f"<h1>{title}</h1>{ABSTRACT}<p>doi:10.9999/wdg.1</p>", "", f"{title} | Journal"),
            200,
            "abstract-only",
        )
        for title in HARMLESS
    },
    **{
        f"{title!r} of a server": (page(f"<h1>{title}</h1><p>x</p>", "", title), 200, kind)
        for title, kind in {
            "Access Denied": "bot-wall",
            "Making sure you're not a bot!": "bot-wall",
            "You are being redirected...": "bot-wall",
            "Attention Required! | Cloudflare": "bot-wall",
            "Sign in · Widgets": "login",
            "The requested page was not found": "soft-404",
            "Error: DOI Not Found": "soft-404",
            "502 Bad Gateway": "error",
            "Sorry, something went wrong": "error",
        }.items()
    },
}


CHINESE = "我们把一百个零件各折了两次，先向左后向右，然后用尺子测量，结果表明左右两侧没有显著差异，但折痕的深度随纸张厚度而变化。"
CHINESE_REFERENCES = "".join(
    f"<p>[{number}] 张三, 李四, 王五. 零件折叠方法的研究进展及其在机械工程与材料科学中的应用与展望[J]. 折纸学报, 20{number}, 12(3): {number}-99.</p>"
    for number in range(10, 40)
)
SECTIONS_ELSEWHERE = {
    "de": ("Einleitung", "Material und Methoden", "Ergebnisse", "Diskussion"),
    "fr": ("Contexte", "Méthodes", "Résultats", "Discussion"),
    "es": ("Introducción", "Materiales y métodos", "Resultados y discusión", "Conclusiones"),
    "pt": ("1. Introdução", "2. Métodos", "3. Resultados", "4. Considerações finais"),
    "ru": ("Введение", "Материалы и методы", "Результаты", "Обсуждение"),
    "tr": ("Giriş", "Gereç ve Yöntem", "Bulgular", "Tartışma"),
    "ar": ("المقدمة", "المواد والطرق", "النتائج", "المناقشة"),
    "zh": ("一、引言", "2 材料与方法", "3 结果与讨论", "4 结论"),
    "ja": ("1. はじめに", "2. 方法", "3. 結果", "4. 考察"),
}
CITING = "".join(f"<p>{PARAGRAPH}As was shown before [{number}, {number + 3}].</p>" for number in range(6))
NOTICE = "<p>Owing to a mistake of the publisher the first folding was given as the second; this has been corrected, and nothing else was changed in the article.</p>"
NOTICES = (
    "Erratum",
    "Corrigendum to “Folding of widgets” [J. Widg. 3 (2020) 1–9]",
    "Correction: Folding of widgets",
    "Publisher’s correction to: Folding of widgets",
    "Retraction notice to “Folding of widgets”",
    "Expression of concern: Folding of widgets",
)
NO_NOTICES = (
    "Correction of refraction in widgets",
    "Retraction of the lid of widgets",
    "Error correction of widgets",
)
"""Titles of articles that begin as notices do."""
CASES |= {
    f"a short article in {language}": (
        page(
            f"<article>{BARE}"
            + "".join(f"<h2>{name}</h2><p>{PARAGRAPH * 2}</p>" for name in names)
            + "</article>"
        ),
        200,
        "article",
    )
    for language, names in SECTIONS_ELSEWHERE.items()
}
CASES |= {
    "a Chinese article in short paragraphs": (
        page(f"<article>{BARE}{''.join(f'<p>{number}{CHINESE}</p>' for number in range(30))}</article>"),
        200,
        "article",
    ),
    "a Chinese abstract above its references": (
        page(f"<article>{BARE}<h2>摘要</h2><p>{CHINESE * 3}</p>{CHINESE_REFERENCES}</article>"),
        200,
        "abstract-only",
    ),
    "a letter that cites": (page(f"<article>{BARE}{CITING}</article>"), 200, "article"),
    "a letter that cites, behind an offer": (
        page(f"<article>{BARE}{CITING}<p>You do not currently have access to this article.</p></article>"),
        200,
        "landing",
    ),
    "snippets under the names of sections": (
        page(f"<article>{BARE}{ABSTRACT}<h2>Section snippets</h2>{REPORT}</article>"),
        200,
        "abstract-only",
    ),
    "paragraphs of a class that is called as abstracts are": (
        page(f"<article>{BARE}{SECTIONS}{ESSAY}</article>".replace("<p>", '<p class="abstract-paragraph">')),
        200,
        "article",
    ),
    "an issue with all its abstracts": (
        page(f"<h1>Volume 3, Issue 2</h1>{ESSAY}<p>doi:10.9999/wdg.1</p>", "", "Journal of Widgets"),
        200,
        "landing",
    ),
    "a program that broke": (
        page(
            "<b>Fatal error</b>: Uncaught Exception: no database in index.php:12 #0 {main} on line 12", "", ""
        ),
        200,
        "error",
    ),
    "a domain that is sold": (
        page("<h1>journal.example</h1><p>This domain is for sale!</p>", "", "journal.example"),
        200,
        "error",
    ),
    "a challenge of a script only": (
        page(
            '<script src="https://ct.captcha-delivery.com/c.js"></script><p>Enable JS</p>',
            "",
            "journal.example",
        ),
        200,
        "bot-wall",
    ),
    **{
        f"the notice {title!r}": (
            page(f"<h1>{title}</h1>{NOTICE}", META.replace("Folding of widgets", title), title),
            200,
            "article",
        )
        for title in NOTICES
    },
    **{
        f"{title!r}, no notice": (
            page(f"<h1>{title}</h1>{ABSTRACT}", META.replace("Folding of widgets", title), title),
            200,
            "abstract-only",
        )
        for title in NO_NOTICES
    },
    **{
        f"{title!r} of a server elsewhere": (page(f"<h1>{title}</h1><p>x</p>", "", title), 200, kind)
        for title, kind in {
            "Seite nicht gefunden – Verlag": "soft-404",
            "Página não encontrada": "soft-404",
            "No se ha encontrado la página": "soft-404",
            "Страница не найдена": "soft-404",
            "404 页面不存在": "soft-404",
            "ページが見つかりませんでした": "soft-404",
            "Zugriff verweigert": "bot-wall",
            "请完成安全验证": "bot-wall",
            "Einen Moment, bitte…": "bot-wall",
            "Вход в систему": "login",
            "系统繁忙": "error",
            "Your IP address has been blocked": "bot-wall",
            "Unusual activity detected": "bot-wall",
            "Sign in with OpenAthens": "login",
            "Before you continue to Google Search": "consent-wall",
        }.items()
    },
}


OTHERS = "".join(f"<h3>On nuts {number}</h3><p>{PARAGRAPH * 2}{number}</p>" for number in range(15))
HEADINGS_OF_OTHERS = (
    "Similar papers",
    "Recommended articles",
    "You may also be interested in",
    "Related research",
    "Comments (15)",
    "15 thoughts on “Folding of widgets”",
    "Open Peer Review",
    "Reviewer #2 (Public review):",
    "Author response",
)
OWN_HEADINGS = (
    "Related work",
    "Comment",
    "People who fold widgets",
    "Peer review of widgets",
    "Further results",
)
PANELS = "".join(
    f'<h2><button aria-expanded="false">{name}</button></h2><div{{}}><p>{PARAGRAPH * 4}</p><p>{PARAGRAPH * 3}</p></div>'
    for name in ("Introduction", "Methods", "Results", "Discussion")
)
TERMS = "".join(f"<h2>{number}. Of the use</h2><p>{PARAGRAPH * 3}{number}</p>" for number in range(9))
CASES |= {
    **{
        f"an abstract above {heading!r}": (
            page(
                f"<article>{BARE}<h2>Abstract</h2><p>{PARAGRAPH * 2}</p><h2>{heading}</h2>{OTHERS}</article>"
            ),
            200,
            "abstract-only",
        )
        for heading in HEADINGS_OF_OTHERS
    },
    **{
        f"a section called {heading!r}": (
            page(f"<article>{BARE}<h2>{heading}</h2>{OTHERS}</article>"),
            200,
            "article",
        )
        for heading in OWN_HEADINGS
    },
    **{
        f"a text hidden by {hiding!r}": (
            page(f"<article>{BARE}{PANELS.replace('{}', hiding)}</article>"),
            200,
            "article",
        )
        for hiding in (" hidden", ' aria-hidden="true"', ' style="display: none"', ' style="display:none;"')
    },
    "a text for readers without scripts": (
        page(f"<div id='root'></div><noscript>{BARE}{SECTIONS}</noscript>"),
        200,
        "article",
    ),
    "terms that are hidden": (
        page(f"<article>{BARE}{ABSTRACT}</article><div class='dialog' hidden>{TERMS}</div>"),
        200,
        "abstract-only",
    ),
}


def judged(case: str) -> str:
    """What a case is judged to be, in search of its DOI."""
    html, status, _ = CASES[case]
    return judge_page(html, "https://journal.example/", status=status, expected_doi=DOI).kind


@pytest.mark.parametrize("case", CASES)
def test_each_kind_of_page_is_told(case: str) -> None:
    """The verdict, and a sentence that says why."""
    html, status, expected = CASES[case]
    verdict = judge_page(html, "https://journal.example/", status=status, expected_doi=DOI)

    assert (verdict.kind, bool(verdict.evidence)) == (expected, True)
    assert verdict.is_wall == (expected in ("login", "consent-wall", "bot-wall"))


RULES = load_rules(
    [
        RuleFile(
            "site",
            "journal.yaml",
            "name: journal\nchecked: 2026-11-22\nverified: false\nexample: https://journal.example/\n"
            "urls:\n  - journal\\.example/\narticle:\n  fulltext: .text\n",
        )
    ]
)


def letter(html: str) -> str:
    """The verdict after the rules of the site were heard."""
    parsed = Page(html, "https://journal.example/")
    verdict = judge_page(parsed, parsed.url, expected_doi=DOI)
    return confirmed(verdict, read_page(parsed, parsed.url, RULES, "doi", ["fulltext"])).kind


LETTERS = {
    page(f"<article>{BARE}{LETTER}</article>"): "article",
    page(f"<article>{BARE}{LETTER}</article>".replace(' class="text"', "")): "landing",
    page(f"<article>{BARE}{LETTER}<p>Section snippets</p></article>"): "landing",
    page(f"<article>{BARE}{LETTER}<p>Purchase this article</p></article>"): "landing",
}


@pytest.mark.parametrize("number", range(len(LETTERS)))
def test_a_letter_that_a_rule_selects_is_an_article(number: int) -> None:
    """Four paragraphs without sections; what says that they are no preview is the rule."""
    html, expected = list(LETTERS.items())[number]

    assert letter(html) == expected


def test_the_resolver_knows_the_page() -> None:
    """A page to which doi.org led is the article's, though it shows neither DOI nor tags, unless it names another DOI."""
    bare = page(f"{BARE}{SECTIONS}", "")
    other = page(f"{BARE}{SECTIONS}", '<meta name="citation_doi" content="10.9999/nuts.2">')
    empty = page("<div id='root'></div>", "", "Journal")

    def judged(html: str, *, is_led: bool) -> tuple[str, bool, bool]:
        verdict = judge_page(html, "https://journal.example/1", expected_doi=DOI, is_led=is_led)
        return verdict.kind, verdict.is_other, verdict.is_unproven

    assert judged(bare, is_led=True) == ("article", False, False)
    assert judged(bare, is_led=False) == ("landing", False, True)
    assert judged(other, is_led=True) == ("landing", True, False)
    assert judged(empty, is_led=True) == ("landing", True, False)


def test_the_address_of_a_preprint_names_it() -> None:
    """arXiv's HTML has no DOI, no tags and no canonical link."""
    html = page(f"{BARE}{SECTIONS}", "")
    doi, other = "10.48550/ARXIV.2605.06653V1", "10.48550/ARXIV.2605.00001"

    assert judge_page(html, "https://arxiv.org/html/2605.06653v1", expected_doi=doi).kind == "article"
    assert judge_page(html, "https://arxiv.org/html/2605.06653v1", expected_doi=other).is_unproven


def test_an_address_says_nothing_of_an_empty_page() -> None:
    """Publishers' addresses name the DOI, whatever stands there: a shell or a wall is not the article for that."""
    address = f"https://press.example/doi/{DOI.lower()}"
    shell = judge_page(page("<div id='root'></div>", "", "Press"), address, expected_doi=DOI, is_led=True)
    text = judge_page(page(f"<h1>F</h1>{ABSTRACT}", "", "Press"), address, expected_doi=DOI)

    assert (shell.kind, shell.is_other) == ("landing", True)
    assert (text.kind, text.is_other) == ("abstract-only", False)


MUTANTS: dict[str, tuple[str, object]] = {
    "any word of a server makes a wall": ("speech._is_servers", lambda piece: True),
    "nobody is believed to be a server": ("speech._is_servers", lambda piece: False),
    "references are text": ("running._is_reference", lambda text: False),
    "lists of citing articles are text": ("running._is_listed", lambda block: False),
    "captions are text": (
        "running.is_prose",
        lambda block: block.size >= 120 and not running._is_reference(block.text),
    ),
    "thanks are text": ("running._CLOSING", re.compile("(?!)")),
    "offers are believed on every page": ("verdict._SHORT", 20_000),
    "no offer is believed": ("verdict._OFFER", re.compile("(?!)")),
    "no preview is seen": ("verdict._PREVIEW", re.compile("(?!)")),
    "sections are not seen": ("verdict.SECTION", re.compile("(?!)")),
    "every page is its own": ("verdict._proof", lambda *_: ("its", "")),
    "no page is its own": ("verdict._proof", lambda *_: ("other", "another")),
    "a character is a letter in all scripts": ("running.worth", len),
    "nothing is cited": ("running._CITES", re.compile("(?!)")),
    "everything is cited": ("running._CITES", re.compile("")),
    "Chinese references are text": ("running._CODED", re.compile("(?!)")),
    "what others wrote is the article's": ("running._HEADING_OF_OTHERS", re.compile("(?!)")),
    "what is hidden is not there": ("verdict._unfolded", lambda page: None),
    "no notice is known": ("verdict._NOTICE", re.compile("(?!)")),
    "all are notices": ("verdict._NOTICE", re.compile("")),
    "snippets are sections": ("verdict._SNIPPETS", re.compile("(?!)")),
    "issues are articles": ("verdict._ISSUE", re.compile("(?!)")),
    "nothing breaks": ("verdict._BROKEN", re.compile("(?!)")),
    "servers speak English": ("speech._IN_OTHER_LANGUAGES", ()),
    "little text is much": ("verdict._LITTLE", 10),
    "tags say nothing": ("verdict._dois", lambda page, tags: []),
    "no abstract is named": ("verdict._names_abstract", lambda page: False),
    "walls need no words": ("verdict.speech_of", lambda texts, titles=(): None),
    "titles of articles are speech": ("verdict._TITLE_TAGS", ()),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_the_cases_find_every_mutant_of_the_verdict(mutant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With one decision of the verdict broken, some case is judged wrongly: the cases would tell."""
    name, broken = MUTANTS[mutant]
    module, _, attribute = name.partition(".")
    monkeypatch.setattr(
        {"speech": speech, "running": running, "verdict": verdict_module}[module], attribute, broken
    )

    assert any(judged(case) != expected for case, (_, _, expected) in CASES.items()) or any(
        letter(html) != expected for html, expected in LETTERS.items()
    )


def test_an_article_that_mentions_walls_is_an_article() -> None:
    """Words like "log in" and "not found" on a page full of text mean nothing."""
    html = page(f"<h2>Log in</h2><article><h1>Not found: widgets</h1>{ABSTRACT}{SECTIONS}</article>")

    assert judge_page(html, "https://journal.example/", expected_doi=DOI).kind == "article"


def test_the_title_will_do_where_the_doi_is_not_shown() -> None:
    """Old pages do not show their DOI."""
    html = page(f"<h1>Folding of <i>widgets</i></h1>{ABSTRACT}{SECTIONS}", "")
    verdict = judge_page(html, "https://x.example/", expected_doi=DOI, expected_title="Folding of Widgets")

    assert verdict.kind == "article"
    assert (
        judge_page(html, "https://x.example/", expected_doi=DOI, expected_title="Nuts and bolts").kind
        == "landing"
    )


@needs_shared_data
def test_recorded_pages_are_judged_as_labelled(capsys: pytest.CaptureFixture[str]) -> None:
    """Precision on "article" at least 99 %, recall at least 97 %; the confusion matrix is printed."""
    judging = bench("pages_verdict")
    table = Counter((page.label, verdict.kind) for page, verdict in judging.judged())
    precision, recall = judging.precision_and_recall(table)
    with capsys.disabled():
        print(f"\n{judging.matrix(table)}\narticle: precision {precision:.3f}, recall {recall:.3f}")

    assert table.total() > 300
    assert precision >= 0.99
    assert recall >= 0.97


@needs_shared_data
def test_no_recorded_wall_has_a_text() -> None:
    """Walls, logins and errors, reached by a DOI's resolver and by a link, give no text and no title of theirs."""
    reading = bench("pages_fulltext")
    walls = [page for page in reading.labelled() if page.label in bench("pages_verdict").WALLS]
    book = reading.rules()
    given = {page.name: parts for page in walls if (parts := reading.read(page, page.body(), book)[1])}

    assert len(walls) >= 50
    assert given == {}


def test_another_title_speaks_against_a_page_only_if_it_is_quite_another() -> None:
    """Without the DOI on the page: a subtitle more, another spelling, another script are no other article."""
    tags = '<meta name="citation_title" content="{}">'
    titles = {
        "Folding of widgets by hand: a survey": False,
        "Folding of widgets by machine": False,
        "Zur Faltung": False,
        "部品の折り方": False,
        "On the cutting of dykes in winter": True,
    }
    for title, is_other in titles.items():
        html = page(f"<article><h1>{title}</h1>{ABSTRACT}{SECTIONS}</article>", tags.format(title), title)
        verdict = judge_page(
            html,
            "https://x.example/",
            expected_doi=DOI,
            expected_title="Folding of widgets by hand and foot",
        )

        assert (title, verdict.is_other) == (title, is_other)
