"""Violations: where a tree breaks a rule of the format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from export.voc.remarks import Remark


@dataclass(frozen=True, order=True)
class Violation:
    """One violation: the file, the line in it (from 1), the rule's short name, a sentence."""

    file: str
    line: int
    rule: str
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.rule}: {self.message}"


class Violations:
    """Violations as they are found."""

    def __init__(self) -> None:
        self._found: list[Violation] = []

    def add(self, file: Path | str, line: int, rule: str, message: str) -> None:
        """Keep one more violation."""
        self._found.append(Violation(str(file), line, rule, message))

    def add_remarks(self, file: Path | str, remarks: Iterable[Remark]) -> None:
        """Keep what a reader remarked on a file."""
        for remark in remarks:
            self.add(file, remark.line, remark.rule, remark.message)

    def add_all(self, others: Violations) -> None:
        """Keep what others found."""
        self._found += others._found

    def sorted(self) -> list[Violation]:
        """All violations, each once, by file and line."""
        return sorted(set(self._found))
