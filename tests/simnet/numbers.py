"""Identifiers by arithmetic: each carries the scrambled number of its publication, so it can be traced back."""

import re

from simnet.publishers import Publisher

_BITS = 22
MASK = (1 << _BITS) - 1
_FACTOR = 2_654_435_761
_OFFSET = 1_234_567
_INVERSE = pow(_FACTOR, -1, 1 << _BITS)
PMID_BASE = 8_000_000
PMCID_BASE = 3_000_000
EIGHT_DIGITS = re.compile(r"(?<!\d)\d{8}(?!\d)")
MAX_SIZE = 1 << _BITS

WRONG, TWIN, OTHER = 1, 2, 3
"""Variants of the identifiers of one publication beside the true one (0)."""


def scramble(index: int) -> int:
    return (index * _FACTOR + _OFFSET) & MASK


def unscramble(number: int) -> int:
    return ((number - _OFFSET) * _INVERSE) & MASK


def pmid_of(index: int, variant: int = 0) -> str:
    return str(PMID_BASE + (scramble(index) << 2) + variant)


def pmcid_of(index: int, variant: int = 0) -> str:
    return f"PMC{PMCID_BASE + (scramble(index) << 2) + variant}"


def number_of(index: int, variant: int = 0) -> str:
    """The eight digits in the DOIs and addresses of a publication."""
    return f"{(scramble(index) << 2) + variant:08d}"


def doi_of(publisher: Publisher, index: int, year: int, variant: int = 0) -> str:
    return publisher.doi.format(n=number_of(index, variant), year=year)
