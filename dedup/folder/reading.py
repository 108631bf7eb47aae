"""Hashing the pictures of a folder in parallel; what was hashed before is not decoded again."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PIL import Image

from catalog.image_store import digest_of
from dedup.errors import BrokenImageError
from dedup.executors import BATCH_FILES, Watch, Workforce, run_batches, unwatched, use_one_thread
from dedup.overlap.files import list_images
from dedup.overlap.theirs import OverlapError, Unreadable
from dedup.signature.picture import FORMATS, check_decoder, read_picture
from dedup.signature.signature import make_signature, pack_signature
from vockit.format.shortage import refuse_shortage

from .kept_hashes import FileHashes, FileStamp, FolderImage, KeptHashes

LARGEST_BYTES = 200_000_000
"""No photograph has more."""


@dataclass(frozen=True)
class FolderFiles:
    """The pictures of a folder: the paths of each digest, links last, and what cannot be read."""

    folder: Path
    paths: dict[str, list[str]]
    unreadable: list[Unreadable]

    @property
    def digests(self) -> list[str]:
        """One for each different file, in the order of the first paths."""
        return sorted(self.paths, key=lambda sha256: self.paths[sha256][0])

    @property
    def count(self) -> int:
        """How many files were read."""
        return sum(map(len, self.paths.values()))


def read_files(
    folder: Path,
    kept: KeptHashes,
    force: Workforce,
    *,
    names: Sequence[str] | None = None,
    watch: Watch = unwatched,
) -> FolderFiles:
    """The pictures in the folder and below it, or those `names`, each of which is hashed then.

    Files that did not change since they were hashed are not read. A killed call goes on where it
    was. Raises OverlapError for a folder without a picture, and DecoderError where this machine
    decodes nothing.
    """
    names = list_images(folder) if names is None else names
    if not names:
        raise OverlapError(f"{folder} holds no picture, nor do the folders below it.")
    known = kept.list_files()
    gone = known.keys() - set(names)
    if gone:
        kept.forget(gone)
    due = [
        name for name in names if name not in known or not has_stamp(folder / name, known[name][0])
    ]
    paths: dict[str, list[str]] = {}
    for name in sorted(set(names) - set(due)):
        paths.setdefault(known[name][1], []).append(name)
    hashed, unreadable = _hash_all(folder, due, kept, force, watch)
    for name, sha256 in hashed:
        paths.setdefault(sha256, []).append(name)
    if unreadable and not paths:
        check_decoder()
    return FolderFiles(
        folder, {sha256: _sort(folder, names) for sha256, names in paths.items()}, unreadable
    )


def _sort(folder: Path, names: Sequence[str]) -> list[str]:
    """In order, links behind the files, since a link shows nothing once its file is moved."""
    return sorted(names, key=lambda name: ((folder / name).is_symlink(), name))


def _hash_all(
    folder: Path, due: Sequence[str], kept: KeptHashes, force: Workforce, watch: Watch
) -> tuple[list[tuple[str, str]], list[Unreadable]]:
    hashed: list[tuple[str, str]] = []
    unreadable: list[Unreadable] = []
    if not due:
        return hashed, unreadable
    done = run_batches(
        partial(force.open, are_processes=force.needs_processes(len(due))),
        partial(force.open, 1, are_processes=True),
        partial(_hash_batch, folder),
        [due[at : at + BATCH_FILES] for at in range(0, len(due), BATCH_FILES)],
        _call_unreadable,
        ahead=2 * force.workers,
    )
    with watch("Hashing", len(due), "images") as advance:
        for outcomes in done:
            whole = [outcome for outcome in outcomes if isinstance(outcome, FileHashes)]
            kept.save(whole)
            hashed += [(outcome.path, outcome.sha256) for outcome in whole]
            unreadable += [outcome for outcome in outcomes if isinstance(outcome, Unreadable)]
            advance(len(outcomes))
    return hashed, unreadable


def has_stamp(path: Path, stamp: FileStamp) -> bool:
    """Whether the file is there and looks as it did when it was read."""
    try:
        return read_stamp(path) == stamp
    except OSError:
        return False


def read_stamp(path: Path) -> FileStamp:
    """How the file looks now; OSError."""
    status = path.stat()
    # Programs can set the time of the bytes back, but not that of the entry.
    return FileStamp(status.st_size, max(status.st_mtime_ns, status.st_ctime_ns))


def _hash_batch(folder: Path, names: Sequence[str]) -> list[FileHashes | Unreadable]:
    use_one_thread()
    return [_hash(folder, name) for name in names]


def _hash(folder: Path, name: str) -> FileHashes | Unreadable:
    path = folder / name
    try:
        stamp = read_stamp(path)
        if stamp.bytes > LARGEST_BYTES:
            return Unreadable(name, f"it has {stamp.bytes:,} bytes, more than any photograph")
        data = path.read_bytes()
        packed = pack_signature(make_signature(read_picture(data)))
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            width, height = image.size
    except OSError as error:
        refuse_shortage(error)
        return Unreadable(name, f"it cannot be read: {error.strerror or error}")
    except BrokenImageError as error:
        return Unreadable(name, str(error))
    decides = FolderImage(
        width,
        height,
        packed.image["quality"],
        packed.signature["real_px"],
        packed.signature["jpeg_quality"],
    )
    return FileHashes(name, stamp, digest_of(data), decides, packed.signature)


def _call_unreadable(name: str) -> Unreadable:
    return Unreadable(name, "decoding it ended the process")
