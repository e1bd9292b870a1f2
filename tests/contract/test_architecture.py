"""ARCHITECTURE.md is true: its folders are there, its last column is what the imports are held to, its answers lead somewhere."""

import ast
import re
from pathlib import Path

import pubweave.contract
from contract.imports import LAYERS
from contract.rooms import rows, shown

CHECKOUT = Path(pubweave.contract.__path__[0]).parents[2]
PAGE = (CHECKOUT / "ARCHITECTURE.md").read_text(encoding="utf-8")
ROOTS = (CHECKOUT / "shared" / "pubweave", CHECKOUT / "services" / "pubweave")


def place(name: str) -> Path | None:
    """The folder or file of a dotted name, in either root."""
    for root in ROOTS:
        for path in (root.joinpath(*name.split(".")), root.joinpath(*name.split(".")).with_suffix(".py")):
            if path.exists():
                return path
    return None


def test_every_row_is_there_and_sees_what_it_says() -> None:
    for names, column in rows(PAGE):
        for name in names:
            assert place(name) is not None, f"{name} is not there"
            assert column == shown(name), f"{name} may see: {shown(name)}"


def test_every_folder_has_a_row() -> None:
    """Those directly below `pubweave`, and whatever the imports are held to by itself."""
    there = {
        path.stem
        for root in ROOTS
        for path in root.iterdir()
        if path.suffix == ".py" or (path.is_dir() and any(path.glob("*.py")))
    }
    told = {name for names, _ in rows(PAGE) for name in names}

    assert there - told == set()
    assert set(LAYERS) - told == set()


def names_of(path: Path) -> set[str]:
    """Functions, classes, methods, constants and fields of a module."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.keyword(arg=str(name)):
                found.add(name)
    return found


def test_every_answer_leads_to_a_file_and_what_is_named_in_it() -> None:
    """Of "Where do I find …": each path exists, and each name that follows one in brackets stands in it."""
    answers = PAGE.partition("## Where do I find")[2].partition("\n## ")[0]
    questions = [one.partition("\n\n")[0] for one in answers.split("\n- ")[1:]]

    assert len(questions) > 10
    for question in questions:
        cited = re.findall(r"`([\w./-]+/[\w./<>-]+|[\w-]+\.py)`(?: \(((?:`\w+`(?:, )?)+)\))?", question)
        assert cited, question
        for path, names in cited:
            found = list(CHECKOUT.glob(path.replace("<resource>", "*").replace("<command>", "*")))
            assert found, f"{path} is not there"
            for name in re.findall(r"\w+", names):
                assert any(name in names_of(one) for one in found), f"{path} has no {name}"
