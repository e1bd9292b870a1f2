"""Java's regular expressions mean here what they mean in Java 17, whose own answers are stored beside."""

import base64
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.java_regex.java_answers import STORED, ask_java, java
from core.java_regex.java_cases import asked
from pubweave.core.reading.java_regex import (
    JavaMatch,
    JavaPattern,
    JavaRegexError,
    JavaRegexTimeout,
    JavaReplacementError,
    compile_java,
    quote,
    quote_replacement,
)


def _written(text: str | None) -> str:
    return "~" if text is None else "=" + base64.b64encode(text.encode()).decode()


def _found(match: JavaMatch) -> str:
    groups = "".join("," + _written(group) for group in match.groups())

    return f"[{match.start()},{match.end()}{groups}]"


def _replaced(pattern: JavaPattern, text: str, replacement: str, every: bool) -> str:
    try:
        return _written(
            pattern.replace_all(text, replacement) if every else pattern.replace_first(text, replacement)
        )
    except JavaReplacementError:
        return "!"


def our_answer(pattern: str, flags: int, text: str, replacement: str) -> str:
    """What this module makes of one question, in the words of Answers.java."""
    try:
        compiled = compile_java(pattern, flags)
    except JavaRegexError:
        return "error"
    begins = compiled.looking_at(text)
    pieces = "".join(_written(piece) + ";" for piece in compiled.split(text))

    return " ".join(
        (
            "ok",
            str(compiled.groups),
            "".join(_found(match) for match in compiled.find_all(text)),
            str(begins.end() if begins is not None else -1),
            str(compiled.looks_at_or_hits_end(text)).lower(),
            str(compiled.matches(text) is not None).lower(),
            _replaced(compiled, text, replacement, every=False),
            _replaced(compiled, text, replacement, every=True),
            "split" + pieces,
        )
    )


def differences(answers: list[str]) -> list[tuple[tuple[str, int, str, str], str, str]]:
    return [
        (question, theirs, ours)
        for question, theirs in zip(asked(), answers, strict=True)
        if theirs != (ours := our_answer(*question))
    ]


KNOWN_DIFFERENCES = {"refused here": 2, "hit end": 8, "left-over group": 17}


def _kind(theirs: str, ours: str) -> str:
    """Which of the differences that the module admits this is, or "wrong"."""
    if ours == "error":
        return "refused here"
    their_fields, our_fields = theirs.split(" "), ours.split(" ")
    differing = {index for index in range(9) if their_fields[index] != our_fields[index]}
    if differing == {4}:
        return "hit end"
    spans = [[part.split(",")[:2] for part in fields[2].split("[")] for fields in (their_fields, our_fields)]

    return "left-over group" if spans[0] == spans[1] and differing <= {2, 6, 7} else "wrong"


def test_answers_are_java_s_own() -> None:
    """On about 4,000 questions we find, replace and split as Java does, but for the admitted few."""
    found = differences(json.loads(STORED.read_text()))

    kinds: dict[str, int] = dict.fromkeys(KNOWN_DIFFERENCES, 0)
    for question, theirs, ours in found:
        kind = _kind(theirs, ours)
        assert kind != "wrong", (question, theirs, ours)
        kinds[kind] += 1

    assert kinds == KNOWN_DIFFERENCES


@pytest.mark.skipif(java() is None, reason="no Java here; its stored answers are used")
def test_stored_answers_are_what_java_says_today() -> None:
    """The stored answers are those of the Java program on this machine."""
    stored = json.loads(STORED.read_text())

    assert stored == ask_java()


@pytest.mark.parametrize(
    ("pattern", "reason", "position"),
    [
        ("(a", "unclosed group", 2),
        ("a)", "unmatched closing ')'", 1),
        ("[a", "unclosed character class", 2),
        ("a{2,1}", "illegal repetition range", 1),
        (r"\p{Nope}", "unknown character property name {Nope}", 8),
        (r"(?<=(?:ab)+)c", "look-behind group does not have an obvious maximum length", 12),
        (r"(a\1)", "a reference to group 1 inside that group is not supported", 4),
        ("*a", "dangling meta character '*'", 0),
        ("(?i)a**", "dangling meta character '*'", 6),
    ],
)
def test_a_bad_pattern_is_refused_with_its_place(pattern: str, reason: str, position: int) -> None:
    """What Java refuses is refused, with the reason and where."""
    with pytest.raises(JavaRegexError) as refused:
        compile_java(pattern)

    assert (reason, position) == (refused.value.reason, refused.value.position)


def test_canonical_equivalence_is_refused() -> None:
    """CANON_EQ is said to be unsupported instead of being ignored."""
    with pytest.raises(JavaRegexError, match="CANON_EQ"):
        compile_java("a", 128)


def test_a_time_bound_stops_a_runaway_pattern() -> None:
    """A pattern that would search for years ends with JavaRegexTimeout."""
    pattern = compile_java("(a|aa)+$", timeout_s=0.05)

    with pytest.raises(JavaRegexTimeout):
        pattern.find("a" * 64 + "b")


def test_a_replacement_is_read_only_where_something_matched() -> None:
    """As in Java, a bad replacement string hurts nobody as long as nothing matches."""
    assert compile_java("x").replace_first("abc", "$9") == "abc"

    with pytest.raises(JavaReplacementError, match="no group 9"):
        compile_java("b").replace_first("abc", "$9")


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.text(max_size=12), st.text(max_size=4), st.integers(0, 1))
def test_quoted_text_matches_itself_and_nothing_shorter(text: str, more: str, flags: int) -> None:
    """`quote` and `quote_replacement` take every character literally."""
    pattern = compile_java(quote(text), flags)

    assert pattern.matches(text) is not None
    assert (pattern.matches(text + more) is not None) == (more == "")
    assert compile_java("x").replace_first("x", quote_replacement(text)) == text


@settings(derandomize=True, deadline=None, max_examples=200)
@given(st.sampled_from(asked()), st.text("abcABC1_ /.-", max_size=20))
def test_what_is_required_stands_in_every_match(question: tuple[str, int, str, str], text: str) -> None:
    """`required` never rules out a text in which the pattern is found."""
    try:
        pattern = compile_java(question[0], question[1])
    except JavaRegexError:
        return
    for sample in (text, question[2]):
        match = pattern.find(sample)
        if match is not None:
            found = match.group() or ""
            assert pattern.required in (found.lower() if pattern.required_folded else found)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.sampled_from(asked()), st.text("abcABC1_ /.-", min_size=1, max_size=20))
def test_plain_lines_change_nothing_on_text_without_line_ends(
    question: tuple[str, int, str, str], text: str
) -> None:
    """The cheaper reading finds the same in ASCII text on one line. (In an empty text Java's multi-line `^` looks
    beyond the end, which the cheaper one does not; addresses are never empty.)"""
    try:
        exact = compile_java(question[0], question[1])
        plain = compile_java(question[0], question[1], plain_lines=True)
    except JavaRegexError:
        return

    assert [match.span() for match in exact.find_all(text)] == [
        match.span() for match in plain.find_all(text)
    ]
    assert exact.looks_at_or_hits_end(text) == plain.looks_at_or_hits_end(text)
