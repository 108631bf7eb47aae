"""The images in another's folder, described in parallel; a broken one costs only itself."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from dedup.errors import BrokenImageError
from dedup.executors import (
    BATCH_FILES,
    PROCESSES_FROM_IMAGES,
    Watch,
    default_workers,
    open_processes,
    open_threads,
    run_ahead,
    unwatched,
    use_one_thread,
)
from dedup.signature.picture import read_picture
from dedup.signature.signature import make_signature
from vockit.format.shortage import refuse_shortage

from .theirs import OverlapError, TheirImage, Theirs, Unreadable, describe_image

SUFFIXES = frozenset((".jpg", ".jpeg", ".jpe", ".png", ".webp", ".gif", ".tif", ".tiff", ".bmp"))
BEGINNINGS = (b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n", b"GIF8", b"II*\0", b"MM\0*", b"BM")


def read_folder(
    folder: Path, *, workers: int | None = None, watch: Watch = unwatched
) -> Iterator[TheirImage | Unreadable]:
    """Every image in the folder and below it, in order of their paths.

    Raises OverlapError for a folder that holds no image or cannot be listed.
    """
    names = list_images(folder)
    if not names:
        raise OverlapError(
            f"{folder} holds no image; expected files such as {', '.join(sorted(SUFFIXES)[:4])} "
            "in it or in the folders below."
        )
    return _read_all(folder, names, workers or default_workers(), watch)


def _read_all(
    folder: Path, names: Sequence[str], workers: int, watch: Watch
) -> Iterator[TheirImage | Unreadable]:
    is_much = workers > 1 and len(names) >= PROCESSES_FROM_IMAGES
    open_executor = open_processes if is_much else open_threads
    batches = [names[at : at + BATCH_FILES] for at in range(0, len(names), BATCH_FILES)]
    with open_executor(workers) as executor, watch("Hashing", len(names), "images") as advance:
        work = partial(_read_files, folder)
        for batch, files in run_ahead(executor, work, batches, ahead=2 * workers):
            advance(len(batch))
            yield from files


def gather(origin: str, files: Iterator[TheirImage | Unreadable]) -> Theirs:
    """The same, images and the others apart."""
    listed = list(files)
    return Theirs(
        origin,
        [file for file in listed if isinstance(file, TheirImage)],
        [file for file in listed if isinstance(file, Unreadable)],
    )


def list_images(folder: Path) -> list[str]:
    """The paths below the folder of what is called or begins like an image, in their order.

    Hidden files and folders are left out. Raises OverlapError where the folder cannot be listed.
    """
    names: list[str] = []

    def refuse(error: OSError) -> None:
        raise error

    try:
        for path, folders, files in os.walk(folder, onerror=refuse):
            folders[:] = [name for name in folders if not name.startswith(".")]
            places = [Path(path) / name for name in files if not name.startswith(".")]
            names += [str(place.relative_to(folder)) for place in places if _is_image(place)]
    except OSError as error:
        raise OverlapError(f"{folder} cannot be read: {error.strerror}.") from error
    return sorted(names)


def _is_image(path: Path) -> bool:
    if not path.is_file() or path.suffix.lower() in SUFFIXES:
        return path.is_file()
    try:
        with path.open("rb") as file:
            head = file.read(12)
    except OSError as error:
        refuse_shortage(error)
        return False
    return head.startswith(BEGINNINGS) or (head[:4] == b"RIFF" and head[8:] == b"WEBP")


def _read_files(folder: Path, names: Sequence[str]) -> list[TheirImage | Unreadable]:
    use_one_thread()
    files: list[TheirImage | Unreadable] = []
    for name in names:
        path = folder / name
        try:
            size = path.stat().st_size
            if size > 200_000_000:
                raise BrokenImageError(f"the file has {size:,} bytes, more than any photograph")
            data = path.read_bytes()
            files.append(describe_image(name, data, make_signature(read_picture(data))))
        except OSError as error:
            refuse_shortage(error)
            files.append(Unreadable(name, f"the file cannot be read: {error.strerror}"))
        except BrokenImageError as error:
            files.append(Unreadable(name, str(error)))
    return files
