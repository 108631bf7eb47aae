"""Results that come as one archive, as participants send them: tar, tar.gz or zip.

Members are taken by their expected names alone and written under these, so that no name in the
archive becomes a path, and links, devices and whatever else it holds are passed over.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory

from vockit.errors import WriteError
from vockit.foreign.identity import RELEASE_FILE
from vockit.foreign.tree_files import is_apple_double
from vockit.format import tree
from vockit.format.shortage import refuse_shortage

from .detectors import MODEL_FILE
from .errors import EvaluateError, SubmissionError
from .members import Caps, Kind, Member, iterate_members
from .misnamed import refuse_misnamed, suggest_name

ENDINGS = (".tar", ".tar.gz", ".tgz", ".zip")
CAPS = Caps()
"""What an archive may take where nothing else is said."""
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_WORD = r"[^/\\\x00-\x1f\x7f]+"
_EXPECTED = (
    re.compile(rf"(?:.*/)?(Main/comp\d+_(?:cls|det)_{_WORD}\.txt)"),
    re.compile(rf"(?:.*/)?(Action/comp\d+_action_{_WORD}\.txt)"),
    re.compile(rf"(?:.*/)?(Layout/comp\d+_layout_{_WORD}\.xml)"),
    re.compile(rf"(?:.*/)?(Segmentation/comp\d+_{_WORD}_cls/{_WORD}(?:/{_WORD})?\.png)"),
    re.compile(rf"(?:.*/)?({re.escape(RELEASE_FILE)}|{re.escape(MODEL_FILE)})"),
)
_FOLDERS = re.compile(
    rf"(?:.*/)?(Main|Action|Layout|Segmentation|Segmentation/comp\d+_{_WORD}_cls)"
)
_SAID_TO_EXPECT = (
    "Main/comp1_cls_SET_CLASS.txt, Main/comp3_det_SET_CLASS.txt, Segmentation/comp5_SET_cls/ID.png,"
    " Layout/comp7_layout_SET.xml, Action/comp9_action_SET_ACTION.txt"
)
_MOST_NAME_BYTES = 200
_MOST_NOTE_BYTES = 100_000
_MOST_SHOWN = 5
_MACOS = "__MACOSX"
"""The folder in which the Finder packs what macOS alone knows of each file."""


def is_packed(results: Path) -> bool:
    """Whether the results are a file whose name is that of an archive."""
    return results.is_file() and results.name.lower().endswith(ENDINGS)


def name_folder(results: Path) -> Path:
    """The folder next to a file of results that has the file's name without its ending."""
    name = results.name
    endings = (ending for ending in ENDINGS if name.lower().endswith(ending))
    return results.with_name(name[: -len(next(endings, results.suffix))])


@contextmanager
def open_results(results: Path, caps: Caps | None = None) -> Iterator[Path]:
    """The results, those of an archive in a folder that is gone after the block.

    Messages of an EvaluateError name the archive in place of that folder. Raises EvaluateError
    where the archive is not whole, passes the caps (CAPS by default), or holds nothing under an
    expected name; WriteError where the disk has no room for it.
    """
    if not is_packed(results):
        yield results
        return
    with TemporaryDirectory() as temporary:
        try:
            folder = _take_expected(results, Path(temporary), caps or CAPS)
        except EvaluateError:
            raise
        except Exception as error:  # tarfile and zipfile raise many kinds over damaged archives
            refuse_shortage(error)
            if isinstance(error, OSError) and error.errno in _FULL:
                raise WriteError(
                    f"{results} was not unpacked: {temporary} has no room for it; make room, or "
                    "set TMPDIR to a folder on another disk."
                ) from error
            text = str(getattr(error, "strerror", None) or error)  # no path that is soon gone
            reason = text.partition("\n")[0].rstrip(":. ") or type(error).__name__
            raise EvaluateError(
                f"{results} is no whole archive ({reason}); pack or send it again."
            ) from error
        try:
            yield folder
        except EvaluateError as error:
            error.args = (str(error).replace(str(folder), str(results)),)
            if isinstance(error, SubmissionError):
                error.problems = tuple(
                    replace(problem, path=results / problem.path.relative_to(folder))
                    for problem in error.problems
                )
            raise


@dataclass
class _Taken:
    """What was taken of an archive so far: into which folder, and from which one inside."""

    results: Path
    place: Path
    folder: Path | None = None
    prefix: str | None = None
    paths: set[str] = field(default_factory=set)
    beside: list[tuple[str, str, bytes]] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    misnamed: list[str] = field(default_factory=list)


def _take_expected(results: Path, place: Path, caps: Caps) -> Path:
    """Write each member with an expected name below `place`; the folder that holds them."""
    taken = _Taken(results, place)
    for member in iterate_members(results, caps):
        name = _normalise(results, member.name)
        if _MACOS not in name.split("/"):
            _take(taken, name, member)
    refuse_misnamed(results, taken.misnamed)
    if taken.folder is None:
        raise EvaluateError(_describe_unexpected(taken))
    for prefix, name, data in taken.beside:
        if prefix == taken.prefix:
            (taken.folder / name).write_bytes(data)
    return taken.folder


def _normalise(results: Path, name: str) -> str:
    """The name without `.`; raises EvaluateError where it leads out of the archive."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    if name.startswith("/") or ".." in parts:
        raise EvaluateError(
            f"{results} names a file outside of itself, {name[:60]!r}; pack the folder of the "
            "results again."
        )
    return "/".join(parts)


def _take(taken: _Taken, name: str, member: Member) -> None:
    """Write the member if it has an expected name, else keep the name for a message."""
    if member.kind is Kind.FOLDER:
        if match := _FOLDERS.fullmatch(name):
            (_find_folder(taken, name, match[1]) / match[1]).mkdir(parents=True, exist_ok=True)
        return
    expected = next(filter(None, (pattern.fullmatch(name) for pattern in _EXPECTED)), None)
    if expected is None or len(name.encode(errors="replace")) > _MOST_NAME_BYTES:
        taken.others += [name] if len(taken.others) < _MOST_SHOWN else []
        if suggest_name(name) and not is_apple_double(name):
            taken.misnamed.append(name)
        return
    if member.kind is Kind.OTHER:
        raise EvaluateError(
            f"{taken.results}: {name} is a link or no regular file; pack the file itself."
        )
    path = expected[1]
    if "/" not in path:
        data = b"".join(member.read_pieces()) if member.size <= _MOST_NOTE_BYTES else b""
        taken.beside.append((_cut_prefix(name, path), path, data))
        return
    folder = _find_folder(taken, name, path)
    if path in taken.paths:
        raise EvaluateError(f"{taken.results} holds {path} twice; pack one of them.")
    taken.paths.add(path)
    target = folder / path
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("xb") as file:
        for piece in member.read_pieces():
            file.write(piece)


def _cut_prefix(name: str, path: str) -> str:
    return name[: len(name) - len(path)].rstrip("/")


def _find_folder(taken: _Taken, name: str, path: str) -> Path:
    """The folder for results; raises EvaluateError where the archive has several inside."""
    prefix = _cut_prefix(name, path)
    if taken.prefix is None:
        last = PurePosixPath(prefix).name
        taken.prefix = prefix
        taken.folder = taken.place / (last if tree.TREE_NAME.fullmatch(last) else "results")
        taken.folder.mkdir()
    if prefix != taken.prefix or taken.folder is None:
        raise EvaluateError(
            f"{taken.results} holds results in several folders ({taken.prefix or '.'} and "
            f"{prefix or '.'}); pack one of them."
        )
    return taken.folder


def _describe_unexpected(taken: _Taken) -> str:
    """What was expected of an archive that holds nothing under an expected name."""
    there = ", ".join(repr(name[:60]) for name in taken.others) or "no file"
    if inner := next((name for name in taken.others if name.lower().endswith(ENDINGS)), None):
        return f"{taken.results} holds another archive, {inner[:60]!r}; send that one itself."
    return (
        f"{taken.results} holds no results under an expected name, small and capital letters "
        f"counting; expected files such as {_SAID_TO_EXPECT}; got {there}."
    )
