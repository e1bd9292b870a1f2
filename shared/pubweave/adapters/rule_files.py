"""Where the files of rules are: our own, which come with the program, and the user's."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pubweave.core.reading.rules import RuleBook, RuleError, RuleFile, load_rules

_PACKAGED: Final = Path(__file__).parents[1] / "rules"
_CLONED: Final = Path(__file__).parents[3] / "rules"


def own_rules_folder() -> Path:
    """The folder with `sites` and `webpages`: in the installed package, or at the top of the clone."""
    return _PACKAGED if _PACKAGED.is_dir() else _CLONED


def own_rule_files() -> Iterator[RuleFile]:
    """Our own rules, one file per site or platform."""
    for folder in ("sites", "webpages"):
        for path in sorted((own_rules_folder() / folder).glob("*.yaml")):
            yield RuleFile("site", f"rules/{folder}/{path.name}", path.read_text("utf-8"))


def load_rule_book(journals: Path | None = None, webpages: Path | None = None) -> RuleBook:
    """Our own rules, overridden key by key by the user's files (F-YJ-02, F-YW-01).

    :raises RuleError: the first thing that is wrong, with file, section, position and key
    :raises RuleError: a file cannot be read
    """
    files = list(own_rule_files())
    if journals is not None:
        files.append(RuleFile("journals", str(journals), _text(journals)))
    if webpages is not None:
        files.append(RuleFile("webpages", str(webpages), _text(webpages)))
    return load_rules(files)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise RuleError(str(path), "all", f"the file cannot be read: {problem}") from problem
