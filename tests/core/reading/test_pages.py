"""Article pages and web pages are read in the order and with the types of the specification."""

from __future__ import annotations

import pytest

from pubweave.contract.values import CorrespAuthor
from pubweave.core.reading.pages import PageFindings, decode_page, read_page, read_webpage
from pubweave.core.reading.pages.authors import email_in, paired
from pubweave.core.reading.pages.document import bounded
from pubweave.core.reading.rules import RuleBook, RuleFile, load_rules

URL = "https://www.journal.example/article/10.9999/jw.1/abstract"
RULES = load_rules(
    [
        RuleFile(
            "journals",
            "j.yaml",
            """\
journal\\.example/: old
journal\\.example/article/: journal
---
old: {title: h3}
journal:
  pmid: .pmid
  doi: .doi
  title: h1
  subtitle: .sub
  keywords: .kw li
  keywords_split: p.kws
  abstract: .abstract p
  fulltext: .body p
  fulltext_src: /abstract$
  fulltext_dst: /full
  fulltext_a: a.full
  pdf_src: article/(.*)/abstract
  pdf_dst: pdf/$1.pdf
  pdf_a: a[href$=.pdf]
  corresp_author_names: .corresp b
  corresp_author_emails: .corresp a
---
""",
        )
    ]
)
PAGE = """<!doctype html><html><head><title>Widgets | Journal</title>
<meta name="citation_title" content="Widgets (citation)"><meta name="citation_pdf_url" content="/files/1.pdf">
<meta name="citation_author_email" content="c@example.org"></head><body>
<p class="doi">DOI: 10.9999/jw.1</p><p class="pmid">PMID: none</p>
<h1>Widgets <i>fold</i></h1><h2 class="sub">a study</h2>
<div class="abstract"><p>First  part.</p><p>Second part.</p></div>
<ul class="kw"><li>alpha, beta</li><li>gamma</li><li>gamma</li></ul><p class="kws">Keywords : delta; epsilon|zeta</p>
<div class="body"><p>Body one.</p><p> </p><p>Body two.</p></div>
<a class="full" href="../full-text">Full</a> <a href="1.pdf">PDF</a> <a href="javascript:x.pdf">no</a>
<p class="corresp"><b>Ann Lee</b> <a href="mailto:ann%40example.org?subject=hi">mail</a></p>
</body></html>"""


def parts(findings: PageFindings) -> list[tuple[str, object, str, str]]:
    return [(part.part, part.content, part.type, part.source) for part in findings.parts]


def test_rules_come_first_then_meta_tags() -> None:
    """Parts in the order of the specification, each with its type and where it came from."""
    findings = read_page(PAGE, URL, RULES, "doi")
    title = "Widgets fold : a study"
    abstract = "First part.\n\nSecond part."

    assert findings.site == "journal"
    assert parts(findings) == [
        ("title", title, "doi", "title"),
        ("keywords", ("alpha, beta", "gamma"), "doi", "keywords"),
        ("keywords", ("delta", "epsilon", "zeta"), "doi", "keywords_split"),
        ("theAbstract", abstract, "doi", "abstract"),
        ("fulltext", f"{title}\n\n{abstract}\n\nBody one.\n\nBody two.", "doi", "fulltext"),
        ("title", "Widgets (citation)", "citation", "citation_title"),
    ]
    assert [(found.kind, found.value, found.type) for found in findings.identifiers] == [
        ("doi", "10.9999/JW.1", "doi")
    ]
    assert findings.body_size == len("Body one.\n\nBody two.")


def test_what_meta_tags_give_counts_only_if_it_is_better() -> None:
    """Meta values carry the condition of F-META-05, e-mails that of F-CA-07; values of rules carry none."""
    findings = read_page(PAGE, URL, RULES, "doi")

    assert [part.marks for part in findings.parts] == [()] * 5 + [("if-better-type",)]
    assert [authors.marks for authors in findings.authors] == [(), ("if-empty",)]


def test_links_are_absolute_typed_and_only_fetchable_ones() -> None:
    """Addresses made by replacement, found on the page and in meta tags, in this order."""
    links = read_page(PAGE, URL, RULES, "link_oadoi").links

    assert [(found.link.url, found.link.type, found.source) for found in links] == [
        ("https://www.journal.example/article/10.9999/jw.1/full", "link_oadoi", "fulltext_src"),
        ("https://www.journal.example/article/10.9999/full-text", "link_oadoi", "fulltext_a"),
        ("https://www.journal.example/pdf/10.9999/jw.1.pdf", "pdf_oadoi", "pdf_src"),
        ("https://www.journal.example/article/10.9999/jw.1/1.pdf", "pdf_oadoi", "pdf_a"),
        ("https://www.journal.example/files/1.pdf", "pdf_citation", "citation_pdf_url"),
    ]
    assert {found.link.from_ for found in links} == {URL}


def test_a_base_element_is_what_links_are_relative_to() -> None:
    """`<base href>` counts, itself relative to the final address."""
    page = PAGE.replace("<head>", '<head><base href="/other/">')
    found = {link.source: link.link.url for link in read_page(page, URL, RULES, "doi").links}

    assert found["pdf_a"] == "https://www.journal.example/other/1.pdf"


def test_a_replacement_that_changes_nothing_adds_no_link() -> None:
    """F-YJ-22: the result must be a different address."""
    links = read_page(PAGE, URL.removesuffix("/abstract"), RULES, "doi").links

    assert [found.source for found in links] == ["fulltext_a", "pdf_a", "citation_pdf_url"]


def test_only_wanted_parts_are_read_but_identifiers_and_links_always() -> None:
    """What is final or was not asked for is not extracted."""
    findings = read_page(PAGE, URL, RULES, "doi", ["keywords"])

    assert {part.part for part in findings.parts} == {"keywords"}
    assert len(findings.identifiers) == 1
    assert len(findings.links) == 5


def test_full_text_needs_text_of_its_own_selector() -> None:
    """Title and abstract alone are no full text (F-YJ-24)."""
    findings = read_page(PAGE.replace('class="body"', ""), URL, RULES, "doi")

    assert "fulltext" not in {part.part for part in findings.parts}
    assert findings.body_size == 0


def test_without_meta_only_the_rules_speak() -> None:
    """Test operations leave the meta tags out (F-META-10)."""
    findings = read_page(PAGE, URL, RULES, "doi", meta=False)

    assert {part.type for part in findings.parts} == {"doi"}
    assert [authors.source for authors in findings.authors] == ["corresp_author_names, corresp_author_emails"]


def test_without_rules_title_and_cleaned_text_are_of_type_webpage() -> None:
    """F-DOI-05; meta tags are read all the same."""
    page = PAGE.replace("Widgets | Journal", "Widgets &lt;b&gt; | Journal")
    findings = read_page(page, URL, RuleBook(), "doi", cleaner="classic")
    by_source = {part.source: part for part in findings.parts}

    assert findings.site == ""
    assert by_source["<title>"].content == "Widgets"
    assert by_source["<title>"].type == "webpage"
    assert by_source["cleaned page"].type == "webpage"
    assert "Body one." in str(by_source["cleaned page"].content)
    assert by_source["citation_title"].type == "citation"


def test_the_page_says_which_pattern_won_and_what_each_key_gave() -> None:
    """The evidence for `explain`: patterns that matched, and elements and size of each key."""
    findings = read_page(PAGE, URL, RULES, "doi")
    keys = {read.key: (read.elements, read.size) for read in findings.keys}

    assert [(tried.target, tried.verdict) for tried in findings.tried] == [
        ("old", "lost"),
        ("journal", "won"),
    ]
    assert keys["title"] == (1, len("Widgets fold"))
    assert keys["abstract"] == (2, len("First part.Second part."))
    assert keys["pdf_a"] == (2, 1)
    assert findings.rules_version == RULES.version


def test_escaped_headings_in_abstracts_become_sentences() -> None:
    """`<h4>` that stands in the text as letters (F-SEL-07)."""
    page = PAGE.replace("First  part.", "&lt;h4&gt;Aim&lt;/h4&gt;To fold. &lt;h4&gt;Result&lt;/h4&gt;Folded.")
    found = {part.source: part.content for part in read_page(page, URL, RULES, "doi").parts}

    assert found["abstract"] == "Aim. To fold. Result. Folded.\n\nSecond part."


@pytest.mark.parametrize(
    ("names", "emails", "expected"),
    [
        (["A", "B"], ["a@x.y", "b@x.y"], [("A", "a@x.y"), ("B", "b@x.y")]),
        (["A", "B"], ["a@x.y"], [("", "a@x.y")]),
        (["A"], ["a@x.y", "a@x.y"], [("A", "a@x.y")]),
        (["A", "B"], ["a@x.y", "b@x.y", "a@x.y", "b@x.y"], [("A", "a@x.y"), ("B", "b@x.y")]),
        (["A", "B"], ["a@x.y", "a@x.y", "b@x.y", "b@x.y"], [("A", "a@x.y"), ("B", "b@x.y")]),
        (["A", "B", "A", "B"], ["a@x.y", "b@x.y"], [("A", "a@x.y"), ("B", "b@x.y")]),
        ([], ["a@x.y", "a@x.y"], [("", "a@x.y")]),
        (["A"], [], []),
        ([], [], []),
    ],
)
def test_names_and_emails_are_paired_in_order(
    names: list[str], emails: list[str], expected: list[tuple[str, str]]
) -> None:
    """Repeated series are reduced; where the counts differ the e-mails stand alone."""
    assert paired(names, emails) == tuple(CorrespAuthor(name=name, email=email) for name, email in expected)


def test_rules_without_emails_leave_the_names() -> None:
    """Where the rules name no e-mails, there is nothing for the names to differ from."""
    assert paired(["A"], [], emails_expected=False) == (CorrespAuthor(name="A"),)


@pytest.mark.parametrize(
    ("href", "email"),
    [
        ("mailto:a.b@example.org", "a.b@example.org"),
        ("MAILTO:a@example.org?subject=Your%20paper", "a@example.org"),
        ("mailto:%20a%40example.org", "a@example.org"),
        ("https://example.org/contact", ""),
        ("", ""),
    ],
)
def test_an_email_is_what_follows_mailto(href: str, email: str) -> None:
    """Without query and percent signs; other addresses are none."""
    assert email_in(href) == email


@pytest.mark.parametrize(
    ("body", "content_type", "text", "charset", "how"),
    [
        (b"\xef\xbb\xbfna\xc3\xafve", "text/html; charset=iso-8859-1", "naïve", "utf-8", "bom"),
        (b"\xff\xfe" + "naïve".encode("utf-16-le"), "", "naïve", "utf-16-le", "bom"),
        (b"na\xefve", "text/html; charset=ISO-8859-1", "naïve", "cp1252", "header"),
        (b'<meta charset="windows-1251">\xcf', "text/html; charset=koi8-r", None, "koi8-r", "header"),
        (b'<meta charset="windows-1251">\xcf', "text/html", None, "cp1251", "meta"),
        (
            b'<META HTTP-EQUIV=content-type CONTENT="text/html; charset=shift_jis">\x83e',
            "",
            None,
            "cp932",
            "meta",
        ),
        (b'<?xml version="1.0" encoding="iso-8859-2"?><p>\xb1', "", None, "iso8859-2", "meta"),
        (b'<meta charset="utf-16">abc', "", None, "utf-8", "meta"),
        (b"na\xc3\xafve", "", "naïve", "utf-8", "utf-8"),
        (b'<meta charset="iso-8859-1">\x93quoted\x94', "text/html; charset=utf-8", None, "cp1252", "meta"),
        (b"\x93quoted\xff", "text/html; charset=utf-8", "\ufffdquoted\ufffd", "utf-8", "header"),
        (b"plain", "text/html; charset=nosuchthing", "plain", "utf-8", "utf-8"),
        (b"plain", "text/html; charset=rot13", "plain", "utf-8", "utf-8"),
    ],
)
def test_the_character_set_is_found_in_order(
    body: bytes, content_type: str, text: str | None, charset: str, how: str
) -> None:
    """Byte order mark, header, the page's own word, then guessing; nothing ever fails."""
    decoded = decode_page(body, content_type)

    assert (decoded.charset, decoded.how) == (charset, how)
    assert text is None or decoded.text == text


def test_an_undeclared_old_encoding_is_guessed() -> None:
    """Without any declaration the bytes themselves tell."""
    russian = "Съешь же ещё этих мягких французских булок, да выпей чаю. " * 20
    decoded = decode_page(russian.encode("cp1251"))

    assert decoded.how == "guessed"
    assert decoded.text == russian


WEB = load_rules(
    [
        RuleFile(
            "webpages",
            "w.yaml",
            """\
code\\.example/: {title: h1, content: .readme, license: .license, language: .lang}
code\\.example/issues: {title: '', content: ''}
code\\.example/wiki: {content: .wiki}
""",
        )
    ]
)
REPOSITORY = """<html><head><title>tool: a tool</title></head><body><h1>tool</h1><noscript>x</noscript>
<div class="readme"><h2>Use</h2><p>Run it.</p></div><div class="readme">Cite<br>it.</div>
<div class="wiki">Wiki text</div><a class="license">MIT</a><a class="license">GPL</a>
<span class="lang">C</span><span class="lang">Python</span></body></html>"""


def test_a_web_page_is_read_by_its_rules() -> None:
    """Title and content keep lines and paragraphs, the licence is the first, languages are joined."""
    found = read_webpage(REPOSITORY, "https://code.example/tool", WEB)

    assert (found.title, found.license, found.language) == ("tool", "MIT", "C, Python")
    assert found.content == "Use\n\nRun it.\n\nCite\nit."
    assert found.by_rules
    assert found.has_noscript
    assert (
        read_webpage(REPOSITORY, "https://code.example/tool", WEB, first_language_only=True).language == "C"
    )


def test_an_empty_selector_empties_and_a_missing_one_does_not() -> None:
    """F-WEB-11 and F-WEB-12."""
    emptied = read_webpage(REPOSITORY, "https://code.example/issues", WEB)
    missing = read_webpage(REPOSITORY, "https://code.example/wiki", WEB)

    assert (emptied.title, emptied.content, emptied.license) == ("", "", "")
    assert (missing.title, missing.content) == ("tool: a tool", "Wiki text")


def test_a_web_page_without_rules_is_cleaned() -> None:
    """The title is that of the page; the description stands in front."""
    page = REPOSITORY.replace("</title>", '</title><meta name="description" content="What it does">')
    found = read_webpage(page, "https://elsewhere.example/", WEB, cleaner="classic")

    assert found.title == "tool: a tool"
    assert found.content.startswith("What it does\n\ntool")
    assert not found.by_rules
    assert found.tried == ()


FEED = b"""<?xml version="1.0" encoding="utf-8"?><?xml-stylesheet href="look.xsl"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Folding news</title><link>https://fold.example/</link><description>What is folded, and by whom.</description>
<item><title>A new fold</title><link>https://fold.example/1</link><pubDate>Mon, 1 Jan 2024</pubDate>
<description>Widgets &amp;amp; folds.</description><content:encoded><![CDATA[<p>Widgets &amp; folds.</p><p>More of <b>them</b>.</p>]]></content:encoded></item>
<item><title>An old fold</title><description>Nobody folds it.</description></item></channel></rss>"""
ATOM = b"""<feed xmlns="http://www.w3.org/2005/Atom"><title type="text">Folding news</title><updated>2024-01-01</updated>
<entry><title>A new fold</title><id>urn:1</id><summary type="html">&lt;p&gt;Widgets fold.&lt;/p&gt;</summary></entry></feed>"""


@pytest.mark.parametrize("type_", ["application/rss+xml", "text/xml; charset=utf-8", "text/html", ""])
def test_a_feed_gives_its_items(type_: str) -> None:
    """XML is read as XML: no addresses, days or markup, and a summary that the text holds does not stand twice."""
    found = read_webpage(FEED, "https://fold.example/feed", WEB, content_type=type_)

    assert found.title == "Folding news"
    assert found.content == (
        "What is folded, and by whom.\n\nA new fold\nWidgets & folds.\n\nMore of them.\n\nAn old fold\nNobody folds it."
    )
    assert not found.is_page


def test_an_atom_feed_and_other_xml_give_their_text() -> None:
    """Whatever the elements are called; what is inside a sentence stays in it."""
    atom = read_webpage(ATOM, "https://fold.example/atom", WEB, content_type="application/atom+xml")
    data = b"<?xml version='1.0'?><tools><tool name='x'><label>Folder</label><info>Folds <i>any</i> widget.</info></tool></tools>"
    other = read_webpage(data, "https://fold.example/tools", WEB, content_type="application/xml")

    assert (atom.title, atom.content) == ("Folding news", "A new fold\nWidgets fold.")
    assert (other.title, other.content) == ("", "Folder\nFolds any widget.")


def test_pages_that_are_written_in_xml_stay_pages_and_broken_xml_is_read_as_one() -> None:
    """XHTML is a page whatever its type; what no parser takes for XML still has words."""
    xhtml = b"<?xml version='1.0'?><html xmlns='http://www.w3.org/1999/xhtml'><head><title>T</title></head><body><p>Words</p></body></html>"
    broken = b"<?xml version='1.0'?><a><b>Words of <c>it</a>"

    for type_ in ("application/xhtml+xml", "application/xml", "text/html"):
        found = read_webpage(xhtml, "https://fold.example/x", WEB, content_type=type_)
        assert (found.title, found.content, found.is_page) == ("T", "Words", True)
    assert "Words of" in read_webpage(broken, "https://fold.example/x", WEB, content_type="text/xml").content


def test_plain_text_keeps_its_lines() -> None:
    """A page of type text/plain is its own content."""
    found = read_webpage(b"one\r\n  two\n", "https://code.example/README", WEB, content_type="text/plain")

    assert found.content == "one\n  two"


@pytest.mark.parametrize(
    "body",
    [
        "<div>" * 60_000 + "x",
        "<p " + " ".join(f"a{number}=1" for number in range(60_000)) + ">text</p>",
        "<b>" * 70_000 + "x",
    ],
    ids=["nested", "attributes", "formatting"],
)
def test_a_page_made_to_choke_a_parser_is_cut(body: str) -> None:
    """Tags with thousands of attributes and elements nested by the ten thousand lose what is too much."""
    assert len(bounded(body)) < len(body) / 2


def test_a_large_page_of_usual_shape_is_left_alone() -> None:
    """Size alone is no reason, nor is a picture inside the page."""
    picture = f'<img src="data:image/png;base64,{"A" * 100_000}">'
    page = f"<div><p>One<br>two</p>{picture}</div>" * 5 + "<ul><li>item<li>item</ul>" * 20_000

    assert bounded(page) == page


def test_xhtml_is_read_as_what_it_says_it_is() -> None:
    """In XHTML `<script/>` and `<a id="x"/>` are closed; read as HTML they would swallow the page."""
    page = (
        '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>T</title><script src="a.js"/></head>'
        '<body><h1><a id="t"/>Title</h1><p>Text<br/>more</p></body></html>'
    )
    rules = load_rules([RuleFile("journals", "j.yaml", "^.: x\n---\nx: {title: h1, fulltext: p}\n---\n")])
    found = {part.part: part.content for part in read_page(page, URL, rules, "doi").parts}

    assert (found["title"], found["fulltext"]) == ("Title", "Title\n\nText more")
