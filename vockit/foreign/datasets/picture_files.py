"""The picture files of a dataset's folder, found by the names that its labels use."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from vockit.foreign.corrections import UncorrectableError
from vockit.foreign.listed_images import PICTURE_SUFFIXES
from vockit.foreign.tree_files import is_apple_double, read_bytes
from vockit.format.pictures import PictureError, read_seen_size

_SEVERAL = ""
_SUFFIXES = tuple({suffix.lower() for suffix in (*PICTURE_SUFFIXES, ".heic", ".heif", ".mpo")})


class PictureFiles:
    """The pictures below a folder; no name leads out of it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._paths: dict[str, str] = {}  # as the disk spells it, by the path with composed letters
        self._path_of_name: dict[str, str] = {}
        for folder, folders, names in os.walk(root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                if name.lower().endswith(_SUFFIXES) and not is_apple_double(name):
                    self._add(Path(folder, name).relative_to(root).as_posix(), name)

    def __len__(self) -> int:
        return len(self._paths)

    def _add(self, path: str, name: str) -> None:
        self._paths[_compose(path)] = path
        composed = _compose(name)
        is_first = composed not in self._path_of_name
        self._path_of_name[composed] = path if is_first else _SEVERAL

    def find(self, name: str, folders: Iterable[str]) -> str | None:
        """The path from the root of the picture that a label file means by this name.

        It is looked for from each of these folders, then by its last part alone where only one
        file is called so. None where there is no such file, or several.
        """
        wanted = _compose(name.replace("\\", "/").removeprefix("./"))
        only = self._path_of_name.get(PurePosixPath(wanted).name)
        if only is None:  # most names of tables that list more pictures than are here
            return None
        for folder in folders:
            path = os.path.normpath(f"{folder}/{wanted}" if folder else wanted)
            if path in self._paths:
                return self._paths[path]
        return only or None

    def find_stem(self, stem: str, folders: Iterable[str]) -> str | None:
        """The picture of that name without its ending, in one of these folders."""
        for folder in folders:
            for suffix in PICTURE_SUFFIXES:
                path = _compose(f"{folder}/{stem}{suffix}" if folder else f"{stem}{suffix}")
                if path in self._paths:
                    return self._paths[path]
        return None

    def list_below(self, folder: str) -> list[str]:
        """The paths below a folder, ascending."""
        start = "" if folder in ("", ".") else f"{_compose(folder)}/"
        return sorted(path for key, path in self._paths.items() if key.startswith(start))


def _compose(text: str) -> str:
    """The name with its accents as one letter each, as macOS does not write them."""
    return unicodedata.normalize("NFC", text)


def read_seen_size_of(path: Path) -> tuple[int, int]:
    """Width and height as the picture is seen, which labels are shares of; UncorrectableError.

    Ultralytics turns by EXIF, too (exif_size in data/utils.py).
    """
    data = read_bytes(path)
    if isinstance(data, str):
        raise UncorrectableError(f"its picture: {data}")
    try:
        return read_seen_size(data)
    except PictureError as error:
        raise UncorrectableError(f"its picture is {error}") from error
