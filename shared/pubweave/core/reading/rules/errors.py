"""What is said when a rules file cannot be used."""

from __future__ import annotations


class RuleError(ValueError):
    """A rules file is wrong; nothing of it is used and the program does not start (F-YJ-04).

    `file` and `section` say where, `line` and `column` (from 1; 0 = the file as a whole) the position, `key` the
    entry (regex, site, `site / key`), `reason` the sentence.
    """

    def __init__(
        self, file: str, section: str, reason: str, *, line: int = 0, column: int = 0, key: str = ""
    ) -> None:
        self.file = file
        self.section = section
        self.reason = reason
        self.line = line
        self.column = column
        self.key = key
        place = f", line {line} column {column}" if line else ""
        entry = f", key {key!r}" if key else ""
        super().__init__(f"{file}: section {section}{place}{entry}: {reason}")
