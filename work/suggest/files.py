"""Files of detectors: which form they have, their digest, and what they say.

Forms: COCO's results, VOC's detection files, YOLO's text with confidences, annotations of VOC.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from vockit.command_line import name_some
from vockit.foreign.tree_files import is_apple_double

from .values import SuggestionError

VOC_RESULTS = re.compile(r"comp[34]_det_[^_]+_(?P<class>.+)\.txt")
CLASS_LISTS = ("data.yaml", "data.yml", "classes.txt", "obj.names", "names.txt")
_EXPECTED = (
    "expected COCO's results (a JSON list), VOC's comp3_det_SET_CLASS.txt, a folder of YOLO's text "
    "files, or one of VOC's XML files"
)


@dataclass(frozen=True)
class Source:
    """The files of a set; `form` is coco, voc-results, yolo or voc, `classes` YOLO's list."""

    form: str
    root: Path
    files: tuple[Path, ...]
    class_list: Path | None = None

    def list_names(self) -> list[str]:
        """The photographs that have a file of their own, also an empty one."""
        return [path.stem for path in self.files] if self.form in {"yolo", "voc"} else []

    def count_bytes(self) -> int:
        """The size of all files."""
        return sum(path.stat().st_size for path in self.files)


def open_source(path: Path, class_list: Path | None = None) -> Source:
    """The files below a path, in the form that they show; SuggestionError where it is none."""
    if not path.exists():
        raise SuggestionError(f"{path} is not there; name a detector's file or folder.")
    if path.suffix.lower() == ".onnx":
        raise SuggestionError(f"{path} is a model; `vocparty suggest run {path}` runs it.")
    files = sorted(_list_files(path)) if path.is_dir() else [path]
    results = [file for file in files if VOC_RESULTS.fullmatch(file.name)]
    by_suffix = {
        suffix: [file for file in files if file.suffix.lower() == suffix]
        for suffix in (".json", ".xml", ".txt")
    }
    root = path if path.is_dir() else path.parent
    if results:
        return Source("voc-results", root, tuple(results))
    if by_suffix[".xml"]:
        return Source("voc", root, tuple(by_suffix[".xml"]))
    if len(by_suffix[".json"]) == 1:
        return Source("coco", root, tuple(by_suffix[".json"]))
    if by_suffix[".json"]:
        names = name_some([file.name for file in by_suffix[".json"]])
        raise SuggestionError(f"{path} holds several JSON files ({names}); name one of them.")
    class_list = class_list or next((file for file in files if file.name in CLASS_LISTS), None)
    texts = [file for file in by_suffix[".txt"] if file.name not in CLASS_LISTS]
    if not texts:
        raise SuggestionError(f"{path} holds no detections in a form that is known; {_EXPECTED}.")
    if class_list is None:
        raise SuggestionError(
            f"{path} has numbers for classes; name the list of them, a text file with a class on "
            "each line or a data.yaml, with --classes."
        )
    return Source("yolo", root, tuple(texts), class_list)


def _list_files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(folder, name) for name in names if not is_apple_double(name))


def digest_source(source: Source) -> str:
    """The digest of a file, or of all files of a folder with their names; SuggestionError."""
    paths = list(source.files)
    if source.class_list is not None:
        paths.append(source.class_list)
    digests = [(_name(source.root, path), _digest(path)) for path in paths]
    if len(digests) == 1:
        return digests[0][1]
    listing = "".join(f"{digest} {name}\n" for name, digest in digests)
    return hashlib.sha256(listing.encode("utf-8", "surrogateescape")).hexdigest()


def _name(root: Path, path: Path) -> str:
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def _digest(path: Path) -> str:
    if not path.is_file():  # a pipe must not be waited for
        raise SuggestionError(f"{path} cannot be read: it is no file.")
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise SuggestionError(f"{path} cannot be read: {error.strerror or error}.") from error
