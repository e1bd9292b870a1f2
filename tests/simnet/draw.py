"""Seeded randomness: every value of the universe is a function of the seed and of what it belongs to."""

import hashlib
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def draw(seed: int, *about: object) -> random.Random:
    """A generator that depends on the seed and on `about` alone (same on every machine and run)."""
    return random.Random(digest(seed, *about))


def digest(seed: int, *about: object) -> int:
    """A 64-bit number that depends on the seed and on `about` alone."""
    name = "\x1f".join([str(seed), *map(str, about)]).encode()
    return int.from_bytes(hashlib.blake2b(name, digest_size=8).digest(), "big")


def share(seed: int, *about: object) -> float:
    """A number in [0, 1) that depends on the seed and on `about` alone."""
    return digest(seed, *about) / 2**64


def pick(options: Sequence[T], rng: random.Random) -> T:
    """One of the options (faster than `random.choice`)."""
    return options[int(rng.random() * len(options))]
