"""Remarks: what in a file is not as the norm says, and where."""

from __future__ import annotations

from dataclasses import dataclass

NO_BOM = "expected no BOM (byte order mark), which the development kit cannot read"


@dataclass(frozen=True, order=True)
class Remark:
    """One deviation: the line (from 1), the rule's short name and a sentence on it."""

    line: int
    rule: str
    message: str


class Remarks:
    """Remarks as they are found; the same remark is kept once."""

    def __init__(self) -> None:
        self._found: dict[Remark, None] = {}

    def add(self, line: int, rule: str, message: str) -> None:
        """Keep one more remark."""
        self._found.setdefault(Remark(line, rule, message))

    def sorted(self) -> tuple[Remark, ...]:
        """All remarks, by line."""
        return tuple(sorted(self._found))
