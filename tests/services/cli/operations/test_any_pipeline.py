"""Whatever steps a command has and in whatever order its options stand, it gives what a plain walk through the
specification gives (F-CLI-11, F-CLI-12; T-084)."""

import contextlib
import io
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pubweave.cli.main import run
from services.cli.operations.conftest import Library
from services.cli.operations.selecting import plain

FILTERS: list[tuple[str, list[str]]] = [
    ("oa", []),
    ("not-oa", []),
    ("not-empty", []),
    ("usable", []),
    ("retry-counter-more", ["0"]),
    ("citations-count", ["1", "5", "9"]),
    ("journal-title", ["Nature"]),
    ("visited-size-less", ["3"]),
    ("grep", ["(?i)genome"]),
]


def triplet(entry: plain.Plain) -> tuple[str, ...]:
    return tuple(entry[kind]["content"] for kind in ("pmid", "pmcid", "doi"))


def order(ids: tuple[str, ...]) -> tuple[Any, ...]:
    """2.4 in few words; all registrants here are numbers."""
    pmid, pmcid, doi = ids
    if pmid:
        return (0, int(pmid), "")
    if pmcid:
        return (1, int(pmcid[3:]), "")
    return (2, int(doi[3:].split("/")[0]), doi)


@contextlib.contextmanager
def heard() -> Iterator[io.BytesIO]:
    """Standard output as bytes."""
    before, buffer = sys.stdout, io.BytesIO()
    wrapper = sys.stdout = io.TextIOWrapper(buffer, encoding="utf-8", write_through=True)
    try:
        yield buffer
    finally:
        sys.stdout = before
        wrapper.detach()


def walked(
    listed: list[tuple[str, ...]], known: dict[tuple[str, ...], plain.Plain], steps: dict[str, Any]
) -> list[str]:
    """The specification, step by step, all in memory."""
    ids = list(dict.fromkeys(listed))
    for name in ("pmid", "pmcid"):
        if steps.get(f"has-{name}"):
            ids = [one for one in ids if one[("pmid", "pmcid").index(name)]]
    if steps.get("sort-ids"):
        ids.sort(key=order, reverse=steps["sort-ids"] == "desc")
    if "head-ids" in steps:
        ids = ids[: steps["head-ids"]]
    if "tail-ids" in steps:
        ids = ids[max(0, len(ids) - steps["tail-ids"]) :]
    found = [known[one] for one in ids if one in known]
    filters = [(name, values) for name, values in FILTERS if name in steps["filters"]]

    def passes(entry: plain.Plain) -> bool:
        return all(plain.passes(name, entry, values, []) for name, values in filters)

    limit = steps.get("limit") or None
    if steps.get("pre-filter"):
        found = [one for one in found if passes(one)][:limit]
    else:
        found = [one for one in found[:limit] if passes(one)]
    match steps.get("sort"):
        case "asc" | "desc" as way:
            found.sort(key=lambda one: order(triplet(one)), reverse=way == "desc")
        case "time-asc":
            found.sort(key=lambda one: one["fetchTime"])
        case "time-desc":
            found.sort(key=lambda one: -one["fetchTime"])
    if "head" in steps:
        found = found[: steps["head"]]
    if "tail" in steps:
        found = found[max(0, len(found) - steps["tail"]) :]
    return ["\t".join(triplet(one)) for one in found]


STEPS = st.fixed_dictionaries(
    {"filters": st.lists(st.sampled_from([name for name, _ in FILTERS]), max_size=3, unique=True)},
    optional={
        "has-pmid": st.just(True),
        "has-pmcid": st.just(True),
        "sort-ids": st.sampled_from(["asc", "desc"]),
        "head-ids": st.integers(0, 70),
        "tail-ids": st.integers(0, 70),
        "limit": st.integers(0, 30),
        "pre-filter": st.just(True),
        "sort": st.sampled_from(["asc", "desc", "time-asc", "time-desc"]),
        "head": st.integers(0, 40),
        "tail": st.integers(0, 40),
    },
)


@pytest.fixture
def listed(library: Library) -> list[tuple[str, ...]]:
    """The publications of the database in some order, some twice, and some that it does not have."""
    chance = random.Random(5)
    lines = [triplet(one) for one in library.publications]
    chance.shuffle(lines)
    lines[10:10] = [("777777", "", ""), ("", "PMC777777", ""), ("", "", "10.9999/NONE")]
    lines += lines[:7]
    Path("ids.tsv").write_text("".join("\t".join(line) + "\n" for line in lines))
    return lines


def words_of(steps: dict[str, Any], seed: int) -> list[str]:
    """The steps as options, in any order."""
    groups = [
        ["--pub-file", "ids.tsv"],
        ["--db", "library.db"],
        ["--out"],
        ["--plain"],
        ["--out-part", "pmid", "pmcid", "doi"],
    ]
    for name, value in steps.items():
        if name == "filters":
            groups += [[f"--{one}", *values] for one, values in FILTERS if one in value]
        else:
            groups.append([f"--{name}"] if value is True else [f"--{name}", str(value)])
    random.Random(seed).shuffle(groups)
    return [word for group in groups for word in group]


def test_any_pipeline(library: Library, listed: list[tuple[str, ...]]) -> None:
    known = {triplet(one): one for one in library.publications}

    @settings(derandomize=True, deadline=None, max_examples=80)
    @given(steps=STEPS, seed=st.integers(0, 999), command=st.sampled_from(["legacy", "pipe"]))
    def holds(steps: dict[str, Any], seed: int, command: str) -> None:
        with heard() as out, contextlib.redirect_stderr(io.StringIO()):
            status = run([command, *words_of(steps, seed)])

        assert status == 0
        assert out.getvalue().decode().splitlines() == walked(listed, known, steps)

    holds()
