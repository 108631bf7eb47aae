"""The verdict on an upload: `vockit check-results` with the lists that participants have.

It is made in a process of its own, since what was sent is a stranger's.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from vockit.evaluate.checking import check_results, format_entry
from vockit.evaluate.curves import Rules
from vockit.evaluate.entry import Selection
from vockit.evaluate.errors import EvaluateError, SubmissionError
from vockit.evaluate.members import Caps
from vockit.evaluate.truth import open_truth

from .values import Problem, Verdict

MOST_PROBLEMS = 1_000
_TAR_MARK = b"ustar"
_TAR_MARK_AT = 257


@dataclass(frozen=True)
class Upload:
    """A file that was sent, what its team calls it, and how its archive may be."""

    path: Path
    file_name: str
    caps: Caps


@dataclass(frozen=True)
class Task:
    """What uploads are held against: a tree, its set, the rules, and the competitions."""

    tree: Path
    image_set: str
    rules: str
    competitions: Sequence[str]


def judge(task: Task, upload: Upload) -> Verdict:
    """The verdict by the lists in the tree of `task`; no path of this machine is in it."""
    name = upload.file_name
    ending = find_ending(upload.path)
    if ending is None:
        return Verdict(reason=_describe_no_archive(upload))
    truth = open_truth(task.tree, task.image_set, Rules(task.rules))
    with call_archive(upload.path, ending) as archive:
        words = {str(archive): name, f"{truth.root.parent}/": ""}
        words |= {f"; choose with --{option}": "" for option in ("set", "competition")}
        try:
            entry = check_results(
                truth, archive, Selection(competitions=task.competitions), caps=upload.caps
            )
        except SubmissionError as error:
            return _refuse(error, archive, words)
        except EvaluateError as error:
            return Verdict(reason=_replace(str(error), words))
        return Verdict(
            competitions={name: of_task for of_task, name in entry.competitions},
            lines=tuple(_replace(line, words) for line in format_entry(entry)),
            notes=tuple(entry.notes),
        )


def _describe_no_archive(upload: Upload) -> str:
    """Why a file is refused that is neither tar nor zip."""
    if not upload.path.stat().st_size:
        return f"{upload.file_name} is empty; nothing arrived of it."
    return (
        f"{upload.file_name} is no tar, tar.gz or zip; pack the folder of results as one of these, "
        "such as with: tar czf results.tar.gz -C results baseline"
    )


def _refuse(error: SubmissionError, archive: Path, words: Mapping[str, str]) -> Verdict:
    """All problems by file and line, behind the sentence that counts them."""
    sentence = f"{str(error).splitlines()[0]} {error.hint}".strip()
    shown = error.problems[:MOST_PROBLEMS]
    left_out = len(error.problems) - len(shown)
    return Verdict(
        reason=_replace(sentence, words),
        problems=tuple(
            Problem(
                file=problem.path.relative_to(archive).as_posix(),
                line=problem.line,
                message=_replace(problem.message, words),
            )
            for problem in shown
        ),
        notes=(f"{left_out:,} more problems are not listed.",) if left_out else (),
    )


def find_ending(path: Path) -> str | None:
    """The ending of an archive of these bytes, whatever it is called; None for anything else."""
    with path.open("rb") as file:
        start = file.read(_TAR_MARK_AT + len(_TAR_MARK))
    if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return ".zip"
    if start.startswith(b"\x1f\x8b"):
        return ".tar.gz"
    return ".tar" if start[_TAR_MARK_AT:] == _TAR_MARK else None


@contextmanager
def call_archive(path: Path, ending: str) -> Iterator[Path]:
    """The same file under a name by which readers know what it is."""
    with tempfile.TemporaryDirectory() as folder:
        archive = Path(folder) / f"entry{ending}"
        archive.symlink_to(path.absolute())
        yield archive


def _replace(text: str, words: Mapping[str, str]) -> str:
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text


def store(verdict: Verdict) -> dict[str, Any]:
    """The verdict as JSON values, as `load` reads them."""
    return asdict(verdict)


def load(values: Mapping[str, Any]) -> Verdict:
    """The verdict of these JSON values."""
    return Verdict(
        reason=values["reason"],
        problems=tuple(Problem(**problem) for problem in values["problems"]),
        competitions=values["competitions"],
        lines=tuple(values["lines"]),
        notes=tuple(values["notes"]),
    )
