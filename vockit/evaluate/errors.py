"""What stops an evaluation, in sentences: all problems of a submission at once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from vockit.errors import SettingsError, UserError, WriteError

MOST_SHOWN = 20


@dataclass(frozen=True)
class Problem:
    """One thing that the kit cannot score: the file, the line (0 where it has none), the reason."""

    path: Path
    line: int
    message: str

    def __str__(self) -> str:
        where = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{where}: {self.message}"


class EvaluateError(UserError):
    """The tree or the results cannot be evaluated; the message is for the user."""


class ChoiceError(EvaluateError, SettingsError):
    """What was chosen is not there, or does not go together."""


class SubmissionError(EvaluateError):
    """The results hold problems; the message shows the first twenty, their number and the hint."""

    def __init__(self, problems: Sequence[Problem], hint: str = "") -> None:
        self.problems = tuple(problems)
        self.hint = hint
        shown = [str(problem) for problem in self.problems[:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            shown.append(f"... and {len(self.problems) - MOST_SHOWN:,} more")
        if hint:
            shown.append(hint)
        count = "1 problem" if len(self.problems) == 1 else f"{len(self.problems):,} problems"
        super().__init__("\n".join([f"The results hold {count}; nothing was scored.", *shown]))


@contextmanager
def explain_write_errors() -> Iterator[None]:
    """Raises WriteError, which names the file, where the block cannot write one."""
    try:
        yield
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise WriteError(
            f"{place}{error.strerror or error}. Nothing after that was written; run it again."
        ) from error
