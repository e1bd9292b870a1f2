"""Where the XML of an article comes from, seen from here: a function that answers with an outcome and bytes."""

import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import msgspec

PMCID: Final = re.compile(r"(?:PMC)?([1-9][0-9]{0,14})", re.I)


class FetchedXml(msgspec.Struct, frozen=True):
    """What became of asking for one article: an outcome of the closed vocabulary (`found`, `absent`, `blocked`,
    `timeout`, …) and, if it is `found`, the bytes. `message` may say more about the others."""

    outcome: str
    data: bytes = b""
    message: str = ""


GetXml = Callable[[str], Awaitable[FetchedXml]]
"""Asked with a PMCID (with prefix). Budgets, retries and deadlines are kept by whoever answers; it does not raise."""


def pmcid_of(text: str) -> str | None:
    """`3507161`, `PMC3507161` and `pmc3507161` as PMCID with prefix; None for anything else."""
    found = PMCID.fullmatch(text.strip())
    return f"PMC{found[1]}" if found else None


async def nowhere(pmcid: str) -> FetchedXml:
    """The source of a server that was given none."""
    return FetchedXml("absent", message=f"{pmcid}: this server has no source of articles; give it --xml-dir")


def folder(root: Path) -> GetXml:
    """Articles kept in a folder as `PMC123.xml` or `.nxml`, in it or in subfolders (B-05).

    The names are listed once; an identifier never becomes part of a path.
    """
    places = {
        path.stem.upper(): path
        for path in sorted(root.rglob("*"), reverse=True)
        if path.suffix in (".xml", ".nxml") and PMCID.fullmatch(path.stem)
    }
    places |= {f"PMC{name}": path for name, path in places.items() if name.isdecimal()}

    async def get(pmcid: str) -> FetchedXml:
        path = places.get(pmcid.upper())
        if path is None:
            return FetchedXml("absent", message=f"{pmcid} is not in the folder")
        try:
            return FetchedXml("found", path.read_bytes())
        except OSError as problem:
            return FetchedXml("malformed", message=f"{pmcid}: {problem.strerror}")

    return get
