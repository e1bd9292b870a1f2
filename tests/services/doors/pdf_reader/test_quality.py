"""Floors under the quality of the text, on recorded articles whose XML is known. They may only rise.

`python bench/pdf.py --documents` prints the figures; raise a floor when they stay above it.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

from shared_data import needs_shared_data

WORD_F1 = 0.986
ORDER = 0.999
HYPHENS_PER_1000 = 0.4


@pytest.fixture(scope="module")
def bench() -> ModuleType:
    """bench/pdf.py, which is no module of a package."""
    path = Path(__file__).parents[4] / "bench" / "pdf.py"
    spec = importlib.util.spec_from_file_location("bench_pdf", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@needs_shared_data
def test_text_does_not_get_worse(bench: ModuleType) -> None:
    """Words, their order and their hyphens, over all documents together."""
    scores = [bench.score(gold, bench.ours(gold.pdf)) for gold in bench.golds()]
    wrong = sum(len(one.broken) + len(one.joined) for one in scores)

    assert len(scores) == 12
    assert sum(one.f1 for one in scores) / len(scores) >= WORD_F1
    assert sum(one.order for one in scores) / len(scores) >= ORDER
    assert 1000 * wrong / sum(one.tokens for one in scores) <= HYPHENS_PER_1000


def test_the_measure_notices_what_it_is_for(bench: ModuleType) -> None:
    """Lost and foreign words, disorder, broken and joined words each move their figure."""
    told = "the ticks of both farms were well-known to bite at night and also by day in spring"
    gold = bench.Gold("x", told, told, told)
    whole = bench.score(gold, told)
    words = told.split()

    assert (whole.f1, whole.order, whole.broken, whole.joined) == (1.0, 1.0, [], [])
    assert bench.score(gold, " ".join(words[:10])).recall < 1
    assert bench.score(gold, told + " Page 7").precision < 1
    assert bench.score(gold, " ".join(words[8:] + words[:8])).order < 1
    assert bench.score(gold, told.replace("spring", "sp- ring")).broken == ["sp- ring"]
    assert bench.score(gold, told.replace("well-known", "wellknown")).joined == ["wellknown"]
