"""Where the files of rules are: our own, which come with the program, and the user's."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from pubweave.core.reading.rules import RuleBook, RuleError, RuleFile, load_rules

_LOG: Final = logging.getLogger(__name__)
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
    """Our own rules, overridden key by key by the user's files (F-YJ-02, F-YW-01). What these mean in vain is warned of.

    :raises RuleError: the first thing that is wrong, with file, section, position and key
    :raises RuleError: a file cannot be read
    """
    files = list(own_rule_files())
    if journals is not None:
        files.append(RuleFile("journals", str(journals), _text(journals)))
    if webpages is not None:
        files.append(RuleFile("webpages", str(webpages), _text(webpages)))
    book = load_rules(files)
    for notice in book.notices:
        _LOG.warning("%s", notice)
    return book


class WatchedRules:
    """The rules of two files of the user's, made anew when a file has changed."""

    def __init__(self, journals: Path | None = None, webpages: Path | None = None) -> None:
        """Nothing is read yet."""
        self._journals = journals
        self._webpages = webpages
        self._seen: tuple[tuple[int, int], ...] = ()

    def load(self) -> RuleBook:
        """The rules as the files have them now.

        :raises RuleError: as `load_rule_book`
        """
        self._seen = self._stamps()
        return load_rule_book(self._journals, self._webpages)

    def reload(self) -> RuleBook | None:
        """New rules if a file is another one than when it was last read; None if not. Cheap where nothing changed.

        :raises RuleError: as `load_rule_book`; said once for each change, what was loaded before may stay in force
        """
        return self.load() if self._stamps() != self._seen else None

    def _stamps(self) -> tuple[tuple[int, int], ...]:
        """Time of change and size of each file; zeros for one that is not there."""
        return tuple(_stamp(path) for path in (self._journals, self._webpages) if path is not None)


def _stamp(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise RuleError(str(path), "all", f"the file cannot be read: {problem}") from problem
