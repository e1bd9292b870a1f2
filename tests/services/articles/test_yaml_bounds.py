"""What rule files, plugins and budgets may hold: what is nested by the ten thousand is refused and ends no process."""

import pytest
import yaml

from pubweave.articles.plugins import read_plugin
from pubweave.articles.problems import BadInput
from pubweave.core.reading.rules.errors import RuleError
from pubweave.core.reading.rules.loading import RuleFile, load_rules
from pubweave.core.reading.yaml_bounds import MAX_DEPTH, check_bounds

BOMB = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12))


@pytest.mark.parametrize("text", ["[" * 20_000, "{a: " * 20_000, "- " * 20_000, "? " * 20_000, BOMB])
def test_what_is_made_to_end_the_process_is_refused(text: str) -> None:
    """A rules file or plugin that is too deep, or grows when what it points to is written out, is refused in a sentence."""
    with pytest.raises(RuleError, match="not YAML: it has more than"):
        load_rules([RuleFile("journals", "x.yaml", text)])
    with pytest.raises(BadInput, match=r"x\.yaml:\d+:\d+: is not YAML \(it has more than"):
        read_plugin(text, "x.yaml")


def test_what_people_write_is_taken() -> None:
    """Anchors, several documents and the usual depth are in bounds."""
    check_bounds("a: &a [1, 2]\nb: *a\n---\nc: {d: [e, {f: g}]}\n")
    check_bounds("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    with pytest.raises(yaml.YAMLError, match="levels"):
        check_bounds("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))
