"""Nothing that we say tells anybody to delete a topic: what stands on a topic of facts cannot be had again."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
_VERB = r"(?:delet|remov|drop|purg|truncat|wip|recreat|re-creat)(?:e|es|ed|ing|ping|ped)?"
_TOPIC = re.compile(r"\btopics?\b", re.IGNORECASE)
_TAKES_AWAY = re.compile(
    rf"\b{_VERB}\b[^.,;]{{0,25}}\btopics?\b|\btopics?\b[^.,;]{{0,25}}\b{_VERB}\b|--delete\b", re.IGNORECASE
)
_TAKES_IT_AWAY = re.compile(rf"\b{_VERB} (?:it|them|this|these)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(no|not|never|nothing|nobody|neither|without|refuses?)\b", re.IGNORECASE)

HARMLESS = ("`webpage-removed` on the topic",)
"""Words of sentences that are about something else on a topic."""


def advice_in(text: str) -> list[str]:
    """Sentences that could be read as telling somebody to take a topic away."""
    found = []
    about_topics = bool(_TOPIC.search(text)) or "partitions" in text
    for sentence in re.split(r"(?<=[.;!?])\s+|\n\s*\n", text):
        words = " ".join(sentence.split())
        never = words.casefold().lstrip("*- ").startswith(("never", "no topic"))
        for clause in re.split(r"[,:]\s", words):
            takes_away = _TAKES_AWAY.search(clause) or (about_topics and _TAKES_IT_AWAY.search(clause))
            if takes_away and not never and not _NOT.search(clause):
                found.append(words)
    return found


def told_in_code(path: Path) -> Iterator[str]:
    """Every text of a module, docstrings and help included; what an f-string puts in is left out."""
    inside: set[int] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.JoinedStr):
            inside |= {id(one) for one in node.values}
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            yield node.value


def told() -> Iterator[tuple[str, str]]:
    for folder in ("shared", "services"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for text in told_in_code(path):
                yield str(path.relative_to(ROOT)), text
    for pattern in (
        "*.md",
        "docs/**/*.md",
        "shared/pubweave/contract/topics/*.yaml",
        "k8s/**/*.yaml",
        "*.yml",
    ):
        for path in sorted(ROOT.glob(pattern)):
            for paragraph in path.read_text().split("\n\n"):
                yield str(path.relative_to(ROOT)), paragraph


def test_no_advice_takes_a_topic_away() -> None:
    """Messages, help, docstrings, documents, manifests."""
    seen = 0
    bad = []
    for where, text in told():
        seen += bool(_TAKES_AWAY.search(text))
        bad += [
            f"{where}: {one}"
            for one in advice_in(text)
            if not any(word in one.casefold() for word in HARMLESS)
        ]

    assert bad == []
    assert seen >= 3, "it found nothing to judge"


@pytest.mark.parametrize(
    "text",
    [
        "…: has … partitions, not …; a key's events would go on in another partition, so this is not changed: stop the "
        "services, let them drain it, delete it and apply again",
        "Delete the topic and apply again.",
        "`kafka-topics.sh --delete --topic part-candidates`",
        "Recreate the topics with more partitions.",
    ],
)
def test_such_advice_is_noticed(text: str) -> None:
    """The first is what we once said."""
    assert advice_in(text)


def test_a_warning_is_no_advice() -> None:
    assert advice_in("No topic is deleted. Never done: deleting a topic.") == []
