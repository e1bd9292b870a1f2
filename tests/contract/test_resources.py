"""What the folders of the resources declare: gathered, up to date, and asked by somebody."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import pubweave.contract
from pubweave import registry
from pubweave.contract.declaration import (
    Batching,
    Budget,
    ChainRow,
    Declaration,
    SourceAddress,
    Type,
    in_order,
    problems,
    types_of,
)
from pubweave.contract.generate_resources import DeclarationProblem, declared, main
from pubweave.contract.resources import DECLARATIONS, Addresses
from pubweave.contract.vocabulary import RESOURCE_NAMES, TYPE_NAMES

CHECKOUT = Path(pubweave.contract.__path__[0]).parents[2]

ROW = ChainRow(
    99,
    "made_up",  # type: ignore[arg-type]
    asks=("doi",),
    skipped_when_final=frozenset({"title"}),
    gives=frozenset({"title"}),
)
MADE_UP = Declaration(
    name="made_up",  # type: ignore[arg-type]
    label="Made up",
    story="Asks nobody for nothing.",
    on=False,
    rows=(ROW,),
    types=(Type("made_up", 229, "Made up"),),  # type: ignore[arg-type]
    addresses=(SourceAddress("made_up", "https://api.made-up.example/v1", "Nothing."),),
    budgets=(
        Budget("made_up", at=("api.made-up.example",), requests=1, source="this test", as_of="2026-11"),
    ),
    batching=Batching(max_needs=50, linger_ms=250),
)


def test_the_command_checks_and_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """With --check it is silent and content where everything is up to date."""
    assert main(["--check"]) == 0
    assert capsys.readouterr() == ("", "")


def test_nothing_is_wrong_with_the_declarations() -> None:
    """And words, addresses and order follow from them."""
    assert problems(DECLARATIONS) == []
    assert in_order(reversed(DECLARATIONS)) == DECLARATIONS
    assert tuple(one.name for one in DECLARATIONS) == RESOURCE_NAMES
    assert tuple(one.name for one in types_of(DECLARATIONS)) == TYPE_NAMES
    assert {a.name: a.url for one in DECLARATIONS for a in one.addresses} == Addresses()._asdict()


def test_the_folders_are_those_that_are_declared() -> None:
    """Each has a service of its name, whose batches and story are the declared ones."""
    registry.check()
    for one in DECLARATIONS:
        service = registry.page_service(one.entry) if one.entry else registry.service(one.name)

        assert (service.name, service.story) == (one.name, one.story)


@pytest.mark.parametrize("name", RESOURCE_NAMES)
def test_a_resource_can_be_the_first_that_is_imported(name: str) -> None:
    """As in a process that reads, or serves nothing else: no module of it waits for one that waits for it."""
    found = run(CHECKOUT, "-c", f"import pubweave.resources.{name}")

    assert found.returncode == 0, found.stderr


def changed(**fields: object) -> Declaration:
    return MADE_UP._replace(**fields)


@pytest.mark.parametrize(
    ("declaration", "complaint"),
    [
        (changed(rows=()), "made_up: nobody asks it: it declares no row of the chain."),
        (changed(rows=(ROW._replace(asks=()),)), "nobody asks its row 99: there is no identifier"),
        (changed(rows=(ROW._replace(skipped_when_final=frozenset()),)), "nobody asks its row 99: nothing that may be"),
        (changed(rows=(ROW._replace(gives=frozenset()),)), "its row 99 gives nothing"),
        (changed(rows=(ROW._replace(gate="never"),)), "nobody gives the gate never of the row 99"),
        (changed(rows=(ROW._replace(resource="doi"),)), "its row 99 is one of doi"),
        (changed(rows=(ROW._replace(rank=100),)), "the rank 100 is not between 1 and 99"),
        (changed(rows=(ROW._replace(rank=90),)), "The rank of a row 90 is declared twice."),
        (changed(asked="by-links"), "it is asked by-links and declares rows of the chain"),
        (changed(entry="doc"), "`entry` says what a resource reads"),
        (changed(name="Made-up"), "a name is lower case"),
        (changed(name="doi"), "The name doi is declared twice."),
        (changed(label="PubMed"), "The label PubMed is declared twice."),
        (changed(story="Asks"), "it wants a label, and a story of one sentence"),
        (changed(types=(Type("oadoi", 229, "Mine"),)), "The type oadoi is declared twice."),
        (changed(types=(Type("made_up", 220, "Mine"),)), "The rank of a type 220 is declared twice."),
        (changed(types=(Type("made_up", 229, "Mine", final=True),)), "A final type stands below one that is not final."),
        (changed(types=(Type("made_up", 229, "Mine", pdf="pdf_made_up"),)), "which nobody declares"),
        (changed(addresses=(SourceAddress("made_up", "https://x.example/", ""),)), "no address without a slash"),
        (changed(addresses=(SourceAddress("doi", "https://x.example", ""),)), "The address doi is declared twice."),
        (changed(budgets=(Budget("made_up", (), "", ""),)), "does not say where it holds"),
        (changed(budgets=(Budget("ncbi", ("x.example",), "me", "2026"),)), "The budget ncbi is declared twice."),
        (changed(budgets=(MADE_UP.budgets[0]._replace(with_key=3),)), "has `with_key` without `key`"),
        (changed(batching=Batching(5, per_request=6)), "a request carries 6 of 5 needs gathered"),
    ],
)  # fmt: skip
def test_a_declaration_that_cannot_be_used_is_refused(declaration: Declaration, complaint: str) -> None:
    """One sentence each; first of all where nobody would ever ask."""
    assert problems((*DECLARATIONS, MADE_UP)) == []
    assert any(complaint in sentence for sentence in problems((*DECLARATIONS, declaration)))


# A new resource in a checkout of its own.

DECLARED = """
from pubweave.contract.declaration import Batching, Budget, ChainRow, Declaration, SourceAddress, Type

DECLARATION = Declaration(
    name="made_up",
    label="Made up",
    story="Asks nobody for nothing.",
    on=False,
    rows=(
        ChainRow(
            99,
            "made_up",
            asks=("doi",),
            skipped_when_final=frozenset({"title"}),
            gives=frozenset({"title"}),
        ),
    ),
    types=(Type("made_up", 229, "Made-up title"),),
    addresses=(SourceAddress("made_up", "https://api.made-up.example/v1", "Nothing.", probe="/"),),
    budgets=(Budget("made_up", at=("api.made-up.example",), requests=1, source="a test", as_of="2026-11"),),
    batching=Batching(max_needs=50, linger_ms=250),
)
"""
SERVICE = """
from pubweave.core.toolkit.service import Service
from pubweave.resources.made_up.declaration import DECLARATION

SERVICE = Service.of(DECLARATION, lambda work, reply, context: [])
"""


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A checkout of what the program is made of."""
    for name in ("shared", "services", "rules"):
        shutil.copytree(
            CHECKOUT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "fixtures")
        )
    (tmp_path / "docs").mkdir()
    return tmp_path


def add(checkout: Path, declaration: str = DECLARED) -> Path:
    folder = checkout / "services/pubweave/resources/made_up"
    folder.mkdir()
    (folder / "declaration.py").write_text(declaration)
    (folder / "__init__.py").write_text(SERVICE)
    return folder


def run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=checkout,
        env={
            "PYTHONPATH": f"{checkout / 'shared'}:{checkout / 'services'}",
            "PYTHONDONTWRITEBYTECODE": "1",
            "HOME": str(checkout),
        },
        capture_output=True,
        text=True,
        check=False,
    )


GENERATE = ("-m", "pubweave.contract.generate_resources")

LOOK = """
from pubweave import registry
from pubweave.contract.catalogue import SERVICES, topic_of
from pubweave.contract.kinds import KINDS
from pubweave.contract.json_schema import schema_of
from pubweave.core.merging.chain import CHAIN
from pubweave.core.types import FINAL, is_better
from pubweave.output.labels import RESOURCE_LABELS, TYPE_LABELS
from pubweave.settings import BY_NAME

registry.check()
print(registry.service("made_up").batching.max_needs)
print([row.rank for row in CHAIN if row.resource == "made_up"])
print("made_up" in registry.RESOURCES, "made_up" in registry.ON)
print(RESOURCE_LABELS["made_up"], TYPE_LABELS["made_up"])
print(BY_NAME["address_made_up"].default)
print(topic_of("needs-part.made_up").topic, "|", SERVICES["made_up"])
print("made_up" in str(schema_of(KINDS["needs-part"].struct, title="", address="")))
print(is_better("oadoi", "made_up"), is_better("made_up", "pdf_doi"), "made_up" in FINAL)
"""


def test_a_folder_with_a_declaration_is_all_that_a_resource_takes(copied: Path) -> None:
    """Words, types, labels, chain, settings, topics and schemas have it after `make generate`, and no line elsewhere."""
    add(copied)
    assert run(copied, *GENERATE, "--check").returncode == 1
    made = run(copied, *GENERATE)
    assert made.returncode == 0, made.stderr
    looked = run(copied, "-c", LOOK)

    assert looked.returncode == 0, looked.stderr
    assert looked.stdout.splitlines() == [
        "50",
        "[99]",
        "True False",
        "Made up Made-up title",
        "https://api.made-up.example/v1",
        "needs-part.<resource> | asks nobody for nothing",
        "True",
        "True True False",
    ]


@pytest.mark.parametrize(
    ("declaration", "complaint"),
    [
        (DECLARED.replace("rows=(", "rows=() and ("), "made_up: nobody asks it: it declares no row of the chain."),
        (DECLARED.replace('asks=("doi",)', "asks=()"), "made_up: nobody asks its row 99"),
        (DECLARED.replace('name="made_up"', 'name="other"'), "declares no DECLARATION of that name"),
        ("", "declares no DECLARATION"),
    ],
)  # fmt: skip
def test_a_resource_that_nobody_asks_is_not_generated(copied: Path, declaration: str, complaint: str) -> None:
    """`make generate` ends with the reason and writes nothing."""
    add(copied, declaration)
    before = (copied / "shared/pubweave/contract/resources.py").read_text()
    made = run(copied, *GENERATE)

    assert made.returncode == 1
    assert complaint in made.stderr
    assert (copied / "shared/pubweave/contract/resources.py").read_text() == before


def test_a_folder_without_a_declaration_is_a_mistake(copied: Path) -> None:
    """It would be deployed, and never asked."""
    (add(copied) / "declaration.py").unlink()
    with pytest.raises(DeclarationProblem, match="made_up: nobody asks it: its folder has no declaration"):
        declared(copied)


def test_a_program_does_not_start_with_a_resource_that_nobody_asks(copied: Path) -> None:
    """A folder that was not gathered, and one that says something else than was gathered."""
    folder = add(copied)
    asked = run(copied, "-m", "pubweave.cli.main", "fetch", "31092905", "--replay", ".")

    assert asked.returncode != 0
    assert "The resource made_up has a folder, and nobody asks it: run `make generate`." in asked.stderr

    assert run(copied, *GENERATE).returncode == 0
    (folder / "declaration.py").write_text(DECLARED.replace("99", "98"))
    asked = run(copied, "-c", "from pubweave import registry; registry.service('made_up')")

    assert "made_up declares something else than what was gathered: run `make generate`" in asked.stderr
