"""Properties of the walk on definitions and URLs drawn at random."""

import random
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.articles.disk import UnitBuilder, UnitOnDisk
from pubweave.articles.iterator.compiled import CompiledWalk, compiled_iterator
from pubweave.articles.iterator.definition import Aspect, Definition, Pattern
from pubweave.articles.iterator.order import UnitInMemory, is_below, walk_key
from pubweave.articles.iterator.walk import iterator_for
from pubweave.articles.sources import StoredUrl, row_of

BENCH = Path(__file__).resolve().parents[3] / "bench"
_ROLES = ("H", "P", "A", "R")
_KINDS = ("full", "pdf", "abs")
_regexes = st.sampled_from(
    (
        r"/full/(\d)$",
        r"/full/(\d)",
        r"/pdf/(\d)\.pdf$",
        r"/(full|abs)/(\d)",
        r"/(?<kind>full|pdf)/(?<n>\d)",
        r"^http://h\.org/abs/(\d)(x)?$",
        r"abs",
        r"(?i)FULL/(\d)",
        r"(\d)(?=/|$)",
        r"^http://h\.org/full/(\d)|abs/(\d)",
        r"(\d)x|/(\d)$",
    )
)
_replacements = st.sampled_from(
    (
        "/full/$1",
        "/pdf/$1.pdf",
        "/abs/$1",
        "/abs/$2",
        "$0",
        "http://h.org/full/$1",
        "/${n}",
        "/a{b}\"'\\\\",
        "full/1",
        "/x/$1$2",
    )
)
_patterns = st.builds(Pattern, _regexes, st.sampled_from((0, 2)))
_aspects = st.builds(
    Aspect,
    st.lists(_replacements, min_size=1, max_size=2).map(tuple),
    st.lists(st.sampled_from(_ROLES), min_size=1, max_size=2).map(tuple),
    st.lists(_patterns, max_size=2).map(tuple),
)
_roots = st.sampled_from(
    ("http://h.org", "http://h.org/", "http://h.org/full", "http://h.org/abs/", "http://g.org")
)
_some_roles = st.lists(st.sampled_from(_ROLES), max_size=3).map(tuple)
_definitions = st.builds(
    Definition,
    roots=st.lists(_roots, max_size=5).map(tuple),
    include=st.none() | st.just(Pattern("http://h.org/(full|abs)/[0-5]")),
    exclude=st.none() | st.just(Pattern("http://h.org/full/1")),
    pattern=st.none() | _patterns,
    media_types=st.sampled_from(((), ("text/html",), ("text/html", "application/pdf"))),
    aspects=st.none() | st.lists(_aspects, min_size=1, max_size=4).map(tuple),
    full_text_order=_some_roles,
    role_from_others=st.lists(st.tuples(st.sampled_from((*_ROLES, "M")), _some_roles), max_size=3).map(tuple),
    counting_only=st.booleans(),
    unique=st.booleans(),
)
_paths = st.sampled_from(
    [
        f"{kind}/{n}{tail}"
        for kind in _KINDS
        for n in (1, 2, 7)
        for tail in ("", ".pdf", "/full/2", "?v=2", "x")
    ]
    + ["", "full", "Full/1", "full/", "x/12", "1", "full/1\u00e9", "a b/full/1"]
)
_urls = st.lists(
    st.tuples(
        st.builds(
            lambda host, path: f"{host}/{path}", st.sampled_from(("http://h.org", "http://g.org")), _paths
        ),
        st.sampled_from(("text/html", "application/pdf; x=y", "", "TEXT/HTML;a")),
    ),
    max_size=14,
)


@settings(derandomize=True, deadline=None, max_examples=400)
@given(_definitions, _urls)
def test_generated_code_and_the_readable_walk_agree(definition: Definition, urls: list[Any]) -> None:
    """For any definition and any URLs the same articles in the same order, and the same URLs skipped."""
    unit = UnitInMemory(urls)
    skipped: list[list[str]] = [[], []]
    readable = list(iterator_for(unit, definition, on_error=lambda url, _: skipped[0].append(url)))
    generated = list(compiled_iterator(unit, definition, lambda url, _: skipped[1].append(url)))

    assert readable == generated
    assert sorted(skipped[0]) == sorted(skipped[1])


def test_the_bench_s_plain_loop_agrees() -> None:
    """The reference of the bench, which imports nothing of the project, finds the same articles."""
    spec = spec_from_file_location("articles_reference", BENCH / "articles_reference.py")
    assert spec is not None
    assert spec.loader is not None
    plain = module_from_spec(spec)
    spec.loader.exec_module(plain)
    urls = list(plain.urls(3000))
    definition = Definition(
        roots=(plain.ROOT,),
        pattern=Pattern(plain.PATTERN),
        aspects=tuple(
            Aspect(tuple(replacements), tuple(roles), tuple(map(Pattern, patterns)))
            for patterns, replacements, roles in plain.ASPECTS
        ),
        full_text_order=plain.FULL_TEXT_ORDER,
        role_from_others=tuple((role, tuple(others)) for role, others in plain.ROLE_FROM_OTHERS.items()),
    )
    found = list(compiled_iterator(UnitInMemory.of_urls(urls), definition))

    assert plain.reference(urls) == [(article.full_text_url, article.roles) for article in found]
    assert len(found) > 400


@settings(derandomize=True, deadline=None, max_examples=150)
@given(_definitions, _urls, st.randoms(use_true_random=False))
def test_order_and_repetition_of_the_list_change_nothing(
    definition: Definition, urls: list[Any], shuffler: random.Random
) -> None:
    """The walk makes its own order."""
    again = urls + urls[::2]
    shuffler.shuffle(again)

    assert list(compiled_iterator(UnitInMemory(urls), definition)) == list(
        compiled_iterator(UnitInMemory(again), definition)
    )


@settings(derandomize=True, deadline=None, max_examples=60)
@given(_definitions, _urls, st.integers(1, 5))
def test_a_unit_on_disk_is_the_unit_in_memory(
    tmp_path_factory: Any, definition: Definition, urls: list[Any], run_rows: int
) -> None:
    """However small the sorted runs are: the same order, media types, existence and articles."""
    folder: Path = tmp_path_factory.mktemp("unit")
    builder = UnitBuilder(folder, "x", run_rows=run_rows)
    for url, media_type in urls:
        builder.add([row_of(StoredUrl(url, media_type))])
    builder.finish()
    memory = UnitInMemory(urls)
    walk = CompiledWalk(definition)
    with UnitOnDisk(folder) as disk:
        assert list(memory.below(None)) == list(disk.below(None))
        assert disk.count == len(memory.urls)
        for root in definition.roots:
            assert list(memory.below(root)) == list(disk.below(root))
        assert all(disk.has(url) for url, _ in urls)
        assert not disk.has("http://h.org/never")
        articles = []
        for number, root in enumerate(definition.roots or (None,)):
            for block in disk.blocks_below(root):
                items: Any = (
                    disk.items_of(block, root) if walk.needs_media_types else disk.urls_of(block, root)
                )
                articles += list(walk.walk(walk.not_repeated(items, number), disk.has))

    assert articles == list(compiled_iterator(memory, definition))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.text("abc/.-?", max_size=8), st.text("abc/.-?", max_size=8))
def test_the_key_sorts_as_components_do(one: str, other: str) -> None:
    """String order of keys is the order of path components, a node before its children."""
    assert (walk_key(one) < walk_key(other)) == (one.split("/") < other.split("/"))


@settings(derandomize=True, deadline=None, max_examples=200)
@given(_urls, _roots)
def test_below_a_root_is_what_is_below_it(urls: list[Any], root: str) -> None:
    """Looking up the range of a root says the same as asking each URL."""
    unit = UnitInMemory(urls)

    assert set(unit.urls_below(root)) == {url for url in unit.urls if is_below(root, url)}
