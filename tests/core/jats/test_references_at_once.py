"""Text and data of a reference are read in one walk; reading the data alone gives the same."""

from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from pubweave.core.reading.jats.document import Content
from pubweave.core.reading.jats.references import read_references
from pubweave.core.reading.jats.walking.contents import State
from pubweave.core.reading.jats.walking.walker import Walker

LEAVES = (
    *("surname", "given-names", "year", "volume", "source", "article-title", "italic", "sup", "xref", "etal"),
    *("comment", "collab", "fpage", "b", "object-id", "publisher-name"),
)
HOLDERS = (
    "name",
    "string-name",
    "person-group",
    "comment",
    "italic",
    "article-title",
    "collab",
    "bold",
    "x",
    "uri",
)
TEXT = st.sampled_from(["", "", "Lee", " two  words ", "10.1234/ab", "7", ". "])


def element(tag: str, children: list[str], text: str, tail: str, attributes: str = "") -> str:
    return f"<{tag}{attributes}>{text}{''.join(children)}</{tag}>{tail}"


LEAF = st.builds(lambda tag, text, tail: element(tag, [], text, tail), st.sampled_from(LEAVES), TEXT, TEXT)
IDENTIFIER = st.builds(
    lambda kind, text, tail: element("pub-id", [], text, tail, f' pub-id-type="{kind}"'),
    st.sampled_from(["doi", "pmid", "pmcid", "other"]),
    TEXT,
    TEXT,
)
PIECES = st.recursive(
    st.one_of(LEAF, IDENTIFIER),
    lambda inner: st.builds(element, st.sampled_from(HOLDERS), st.lists(inner, max_size=4), TEXT, TEXT),
    max_leaves=10,
)
CITATION = st.builds(
    element,
    st.sampled_from(["mixed-citation", "element-citation", "citation"]),
    st.lists(PIECES, max_size=5),
    TEXT,
    TEXT,
)
REFERENCE = st.builds(
    lambda label, citations: f'<ref id="r1">{label}{"".join(citations)}</ref>',
    st.sampled_from(["", "<label>1.</label>", "<label><sup>2</sup></label>"]),
    st.lists(CITATION, min_size=1, max_size=3),
)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(REFERENCE)
def test_one_walk_gives_what_two_give(xml: str) -> None:
    """The same text as without the data, and the same data as without the text."""
    reference = etree.fromstring(xml)
    both, text_alone = Walker("", extras=True), Walker("", extras=False)
    for walker in (both, text_alone):
        walker._ref(reference, State("", 0, "back", None))

    contents = [content for section in both.sections for content in section.contents]
    without = [content for section in text_alone.sections for content in section.contents]

    assert [content.text for content in contents] == [content.text for content in without]
    for content in contents:
        assert isinstance(content, Content)
        assert both.references == read_references(reference, content)
