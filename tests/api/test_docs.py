"""What docs/library.md and the docstrings of the library show is what happens."""

import doctest
import importlib
import re
from pathlib import Path

import pytest

from pubweave import api
from pubweave.api.reference import page
from pubweave.cli.log_layout import LogLayout, read_layout
from simnet.fixture import Running

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "library.md"


@pytest.mark.network
def test_the_guide_is_true(net: Running) -> None:
    """Each example gives what stands below it. What is fetched comes from the simulated internet: publications and a page
    of it stand in for those that the guide names."""
    complete = [one for one in net.universe if all(one.ids) and one.kind == "plain"]
    doi, pmid = complete[0].ids.doi, complete[1].ids.pmid
    before, heading, rest = GUIDE.read_text(encoding="utf-8").partition("## Fetching")
    for name, stand_in in (
        ("10.1093/nar/gkz369", doi),
        ("10.1093/NAR/GKZ369", doi.upper()),
        ("31092905", pmid),
        ("https://bio.tools/bowtie2", f"https://doi.org/{doi}"),
    ):
        rest = rest.replace(name, stand_in)
    guide = doctest.DocTestParser().get_doctest(before + heading + rest, {}, GUIDE.name, str(GUIDE), 0)
    told: list[str] = []
    ran = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(guide, out=told.append)

    assert (ran.failed, ran.attempted > 20) == (0, True), "".join(told)


@pytest.mark.parametrize("name", ["beginning", "checking", "showing"])
def test_the_docstrings_are_true(name: str) -> None:
    """And there are examples in them."""
    ran = doctest.testmod(importlib.import_module(f"pubweave.api.{name}"))

    assert (ran.failed, ran.attempted > 0) == (0, True)


def test_the_guide_names_what_there_is() -> None:
    """Every `api.name` in it is public."""
    named = set(re.findall(r"\bapi\.([A-Za-z_]+)", GUIDE.read_text(encoding="utf-8")))

    assert named - set(api.__all__) - {"problems"} == set()


def test_the_reference_is_up_to_date() -> None:
    """F-LIB-14: made from the docstrings: `python -m pubweave.api.reference > docs/library-reference.md`."""
    assert GUIDE.with_name("library-reference.md").read_text(encoding="utf-8") == page()


def test_the_log_layout_of_the_guide_is_the_default(tmp_path: Path) -> None:
    """What is left out stays as it is there."""
    (shown,) = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "layout.toml").write_text(shown)

    assert read_layout(tmp_path / "layout.toml") == LogLayout()
