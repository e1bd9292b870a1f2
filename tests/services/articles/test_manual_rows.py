"""The rows of the manual (L-01 … L-53) that are about data and declarations, one test or more each."""

from collections.abc import Iterator

import msgspec
import pytest

from pubweave.articles.iterator import files
from pubweave.articles.iterator.builder import (
    BuilderMisuseError,
    Spec,
    SubTreeArticleIteratorBuilder,
)
from pubweave.articles.iterator.definition import CASE_BLIND, Definition, Pattern, problems
from pubweave.articles.iterator.files import ArticleFiles
from pubweave.articles.iterator.order import BadUrlError, UnitInMemory
from pubweave.articles.iterator.templates import Parameters, ParamType
from pubweave.articles.iterator.walk import SubTreeArticleIterator, iterator_for
from services.articles.made import ABSTRACT, BASE, FULL, PDF, at, major, minor

HTML_45 = "http://www.example.com/vol12/iss3/art45"
PDF_45 = "http://www.example.com/pdf/article_12_3_45.pdf"


def _manual_builder(*urls: str) -> SubTreeArticleIteratorBuilder:
    builder = SubTreeArticleIteratorBuilder(UnitInMemory(urls))
    builder.set_spec(builder.new_spec())
    builder.add_aspect(r"/vol(\d+)/iss(\d+)/art(\d+)$", "/vol$1/iss$2/art$3", files.ROLE_FULL_TEXT_HTML)
    builder.add_aspect(
        r"/pdf/article_(\d+)_(\d+)_(\d+)\.pdf$", "/pdf/article_$1_$2_$3.pdf", files.ROLE_FULL_TEXT_PDF
    )

    return builder


def test_l51_html_and_pdf_are_one_article_with_html_as_full_text() -> None:
    """The manual's worked example gives exactly one article with two roles."""
    found = list(_manual_builder(PDF_45, HTML_45).get_sub_tree_article_iterator())

    assert found == [ArticleFiles(HTML_45, {"FullTextHtml": HTML_45, "FullTextPdfFile": PDF_45})]


def test_l51_pdf_alone_is_an_article() -> None:
    """Without HTML the PDF is the full text."""
    found = list(_manual_builder(PDF_45).get_sub_tree_article_iterator())

    assert found == [ArticleFiles(PDF_45, {"FullTextPdfFile": PDF_45})]


def test_l11_the_fourteen_roles_have_their_values() -> None:
    """The constants are LOCKSS's own strings, and ARTICLE_METADATA is offered too (A-30)."""
    expected = (
        "FullTextHtml FullTextPdfFile FullTextEpub FullTextXml Abstract References Figures Tables "
        "SupplementaryMaterials Citation CitationBibtex CitationEndnote CitationRis ArticleMetadata"
    )

    assert expected == " ".join(files.PREDEFINED_ROLES)
    assert files.ROLE_ARTICLE_METADATA == files.ARTICLE_METADATA


def test_l12_html_is_preferred_then_pdf_epub_xml() -> None:
    """The order of preference."""
    assert files.FULL_TEXT_PREFERENCE == ("FullTextHtml", "FullTextPdfFile", "FullTextEpub", "FullTextXml")


def test_l10_l13_article_files_hold_urls_and_any_objects() -> None:
    """Set, get, as text, as URL, read-only, empty."""
    article = ArticleFiles()

    assert article.is_empty()
    article.set_full_text_url("http://h.org/1")
    article.set_role("Abstract", "http://h.org/a")
    article.set_role("ArticleHandle", 7)
    assert not article.is_empty()
    assert article.role_url("Abstract") == "http://h.org/a"
    assert article.role_url("ArticleHandle") is None
    assert article.role_string("ArticleHandle") == "7"
    assert article.role("Nope") is None
    assert article.role_string("Nope") is None
    assert dict(article.role_map) == {"Abstract": "http://h.org/a", "ArticleHandle": 7}
    with pytest.raises(TypeError):
        article.role_map["x"] = "y"  # type: ignore[index]
    article.set_role("Abstract", None)
    assert article.role("Abstract") is None


def test_l14_article_files_as_json() -> None:
    """The two keys of the specification."""
    article = ArticleFiles("http://h.org/1", {"Abstract": "http://h.org/a"})

    assert msgspec.json.encode(article) == (
        b'{"fullTextUrl":"http://h.org/1","roles":{"Abstract":"http://h.org/a"}}'
    )


def test_l22_roots_by_template_and_l26_values_quoted() -> None:
    """A template fills roots plainly and patterns quoted."""
    spec = Spec().set_root_template('"%s%s/", base_url, journal_id').set_pattern_template('"%s", journal_id')
    filled = spec.definition(Parameters({"base_url": "http://h.org/", "journal_id": "a.b"}))

    assert filled.roots == ("http://h.org/a.b/",)
    assert filled.pattern == Pattern(r"a\.b", 0)


def test_l21_all_roots_dropped_means_the_whole_unit() -> None:
    """As the Java program does when no root is left (18)."""
    spec = Spec().set_root_template('"%s", missing')
    filled = spec.definition(Parameters({}, {"missing": ParamType.STRING}))

    assert filled.roots == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda spec: spec.set_root("r"), lambda spec: spec.set_root_template("t")),
        (lambda spec: spec.set_root_template("t"), lambda spec: spec.set_roots(["r"])),
        (lambda spec: spec.set_pattern("p"), lambda spec: spec.set_pattern_template("t")),
        (lambda spec: spec.set_pattern_template("t"), lambda spec: spec.set_pattern("p")),
        (
            lambda spec: spec.set_include_sub_tree_pattern("p"),
            lambda spec: spec.set_include_sub_tree_pattern_template("t"),
        ),
        (
            lambda spec: spec.set_exclude_sub_tree_pattern_template("t"),
            lambda spec: spec.set_exclude_sub_tree_pattern("p"),
        ),
    ],
)
def test_l27_a_value_and_its_template_exclude_each_other(first: object, second: object) -> None:
    """Whichever comes first."""
    spec = Spec()
    first(spec)  # type: ignore[operator]

    with pytest.raises(BuilderMisuseError):
        second(spec)  # type: ignore[operator]


class _OnlyEven(SubTreeArticleIterator):
    def is_article_url(self, url: str, content_type: str) -> bool:
        return url[-1] in "02468"


class _Twice(SubTreeArticleIterator):
    def visit_article(self, url: str) -> Iterator[ArticleFiles]:
        if not url.endswith("0"):
            yield ArticleFiles(url)
            yield ArticleFiles(url + "#again")


class _Broken(SubTreeArticleIterator):
    def create_article_files(self, url: str) -> ArticleFiles | None:
        if url.endswith("1"):
            raise KeyError(url)
        return ArticleFiles(None, {"Own": url})


def test_l28_the_acceptance_test_can_be_overridden() -> None:
    """One method decides which URLs are articles."""
    found = list(_OnlyEven(UnitInMemory(at("1", "2")), Definition()))

    assert found == [ArticleFiles(BASE + "2")]


def test_l29_a_url_can_give_none_one_or_many_articles() -> None:
    """By default one with full text and no roles; `visit_article` may do otherwise."""
    assert list(SubTreeArticleIterator(UnitInMemory(at("1")), Definition())) == [ArticleFiles(BASE + "1")]
    assert [each.full_text_url for each in _Twice(UnitInMemory(at("0", "1")), Definition())] == at(
        "1", "1#again"
    )


def test_l30_an_error_costs_one_url() -> None:
    """It is told, and the walk goes on."""
    errors: list[str] = []
    iterator = _Broken(
        UnitInMemory(at("1", "2")), Definition(), on_error=lambda url, error: errors.append(url)
    )

    assert [each.roles for each in iterator] == [{"Own": BASE + "2"}]
    assert errors == at("1")


def test_l41_l47_set_spec_in_its_variants() -> None:
    """A whole spec, or target, root templates, pattern template and flags."""
    builder = SubTreeArticleIteratorBuilder(UnitInMemory(at("Full/1"), {"base_url": BASE}))
    builder.set_spec("Article", ['"%s", base_url'], '"^%sfull/", base_url', CASE_BLIND)
    builder.add_aspect(Pattern(r"/full/(\d+)$", CASE_BLIND), "/full/$1", "H")
    builder.add_aspect(None, "/abs/$1", "A")
    definition = builder.definition()

    assert definition.roots == (BASE,)
    assert definition.pattern == Pattern(r"^http\:\/\/h\.org\/full/", CASE_BLIND)
    assert definition.counting_only
    assert [aspect.major for aspect in definition.aspects or ()] == [True, False]
    assert list(builder.get_sub_tree_article_iterator()) == [
        ArticleFiles(BASE + "Full/1", {"H": BASE + "Full/1"})
    ]


def test_l42_an_aspect_can_be_declared_in_pieces() -> None:
    """Patterns, replacements and roles may be added to the current aspect."""
    builder = SubTreeArticleIteratorBuilder(UnitInMemory(at("full/1", "html/2", "abs/2")))
    builder.set_spec(Spec())
    builder.new_aspect()
    builder.add_patterns([r"/full/(\d+)$"])
    builder.add_patterns(r"/html/(\d+)$")
    builder.add_matcher_replacements(["/full/$1", "/html/$1"])
    builder.add_roles("H")
    builder.add_roles("M")
    builder.add_aspect(None, ["/abs/$1"], "A")
    builder.set_full_text_from_roles("A", "H")
    builder.set_role_from_other_roles("M", "A", "H")
    found = list(builder.get_sub_tree_article_iterator())

    assert [article.full_text_url for article in found] == at("full/1", "abs/2")
    assert found[1].roles == {"H": BASE + "html/2", "M": BASE + "abs/2", "A": BASE + "abs/2"}


@pytest.mark.parametrize(
    "misuse",
    [
        lambda builder: builder.add_aspect("/(x)", "/$1", "R"),
        lambda builder: builder.set_full_text_from_roles("R"),
        lambda builder: builder.set_role_from_other_roles("R", "S"),
        lambda builder: builder.get_sub_tree_article_iterator(),
        lambda builder: builder.definition(),
    ],
)
def test_l49_nothing_before_unit_and_spec(misuse: object) -> None:
    """Each is an error before both are set."""
    builder = SubTreeArticleIteratorBuilder()
    builder.set_spec(Spec())

    with pytest.raises(BuilderMisuseError, match="before the archival unit and the spec"):
        misuse(builder)  # type: ignore[operator]


@pytest.mark.parametrize(
    "misuse",
    [
        lambda builder: builder.set_spec(Spec()),
        lambda builder: builder.set_archival_unit(UnitInMemory(())),
        lambda builder: builder.add_roles("R"),
        lambda builder: builder.add_aspect([], "/$1", "R"),
        lambda builder: builder.add_aspect("/(x)", [], "R"),
        lambda builder: builder.add_aspect("/(x)", "/$1"),
        lambda builder: builder.set_full_text_from_roles(),
        lambda builder: builder.set_role_from_other_roles("R"),
    ],
)
def test_l49_empty_lists_and_setting_twice_are_errors(misuse: object) -> None:
    """As the manual says."""
    builder = SubTreeArticleIteratorBuilder(UnitInMemory(()))
    builder.set_spec(Spec())

    with pytest.raises(BuilderMisuseError):
        misuse(builder)  # type: ignore[operator]


def test_l46_an_article_comes_out_once_however_many_of_its_urls_are_walked() -> None:
    """HTML and PDF of an article give one."""
    found = list(
        iterator_for(
            UnitInMemory(at("full/1", "pdf/1.pdf", "abs/1")), Definition(aspects=(FULL, PDF, ABSTRACT))
        )
    )

    assert len(found) == 1


def test_l03_a_unit_can_also_be_walked_by_hand() -> None:
    """What a factory gets tells what is below a root, and what exists."""
    unit = UnitInMemory([(BASE + "a/1", "text/html"), (BASE + "b", "")], {"base_url": BASE})

    assert list(unit.below(BASE + "a")) == [(BASE + "a/1", "text/html")]
    assert unit.has(BASE + "b")
    assert not unit.has(BASE + "c")
    assert unit.params == {"base_url": BASE}


def test_a_url_with_control_characters_has_no_place() -> None:
    """It is refused, not sorted somewhere."""
    with pytest.raises(BadUrlError):
        UnitInMemory(["http://h.org/a\nb"])
    with pytest.raises(BadUrlError):
        UnitInMemory([""])


@pytest.mark.parametrize(
    ("definition", "place", "reason"),
    [
        (Definition(pattern=Pattern("(")), "pattern", "unclosed group"),
        (Definition(include=Pattern("[")), "include", "unclosed character class"),
        (Definition(aspects=()), "aspects", "at least one aspect"),
        (Definition(aspects=(ABSTRACT,)), "aspects", "no aspect has patterns"),
        (Definition(aspects=(ABSTRACT, FULL)), "aspects[0]", "a minor aspect before"),
        (Definition(aspects=(FULL, minor("/abs/$2", "A"))), "aspects[1].replacements[0]", "no group 2"),
        (Definition(aspects=(major("(x", "/$1", "A"),)), "aspects[0].patterns[0]", "unclosed group"),
        (Definition(aspects=(major("(x)", [], "A"),)), "aspects[0].replacements", "at least one replacement"),
        (Definition(aspects=(major("(x)", "$1"),)), "aspects[0].roles", "at least one role"),
    ],
)
def test_problems_are_told_with_their_place(definition: Definition, place: str, reason: str) -> None:
    """What a plugin's author gets to read."""
    found = problems(definition)

    assert [place] == [error.place for error in found if reason in error.reason]
