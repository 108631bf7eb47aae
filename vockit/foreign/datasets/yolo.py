"""YOLO's label files as Ultralytics reads them: data.yaml, and a text file for each picture."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vockit.extras import require_module
from vockit.foreign.corrections import UncorrectableError
from vockit.foreign.tree_files import is_apple_double, read_bytes
from vockit.foreign.tree_images import UNLISTED

from .picture_files import PictureFiles, read_seen_size_of
from .values import DatasetError, ForeignDataset, ForeignImage, ForeignObject, Note, NoteKind

CLASS_LISTS = ("classes.txt", "obj.names")
"""What labelImg and darknet write in place of data.yaml."""
SETS = ("train", "val", "valid", "test", "test2", UNLISTED)
"""Ultralytics' keys, and that of the pictures which `vocparty convert` gives apart."""
_MOST_BYTES = 20_000_000
_BOX_PAIRS = 2  # the centre, and width and height


class YoloDataset(ForeignDataset):
    """The pictures of a YOLO dataset, each with the lines of its label file."""

    form = "YOLO"

    def __init__(self, root: Path, paths: Sequence[Path]) -> None:
        super().__init__()
        if not paths:
            raise DatasetError(f"{root} holds no data.yaml, and no classes.txt, with the classes.")
        path, *others = sorted(paths, key=lambda path: (len(path.parts), path))
        for other in others:
            message = f"the classes are read from {path.name}"
            self.notes.append(Note(NoteKind.FILE, "several lists of classes", str(other), message))
        is_list = path.name in CLASS_LISTS
        data: Mapping[str, Any] = {} if is_list else _read_yaml(path)
        self._names = _read_lines(path) if is_list else _read_names(path, data)
        self.listed = frozenset(filter(None, self._names))
        self._list_name = path.name
        self._has_keypoints = bool(data.get("kpt_shape"))
        self.root = _find_root(root, path, data)
        self._pictures = PictureFiles(self.root)
        self._labels = frozenset(_list_texts(self.root))
        self._images = self._list_images(path, data)
        self._count_words()

    def count_images(self) -> int:
        """The pictures of the sets."""
        return len(self._images)

    def iterate_images(self) -> Iterator[ForeignImage]:
        """The pictures, set by set, in the order of their paths."""
        for name in self._images:
            label = self._find_label(name)
            picture = self.root / name
            if label is None:
                yield ForeignImage(name=name, place=name, picture=picture, is_labelled=False)
                continue
            try:
                size_wh = read_seen_size_of(picture)
                text = _read_text(self.root / label)
            except UncorrectableError as error:
                yield ForeignImage(name=name, place=label, reason=str(error))
                continue
            notes: list[Note] = []
            objects = [
                self._read_line(label, number, line, size_wh, notes)
                for number, line in enumerate(text.splitlines(), start=1)
            ]
            yield self._make_whole(name, label, size_wh, objects, notes)

    def _list_images(self, path: Path, data: Mapping[str, Any]) -> list[str]:
        """The paths of all pictures of the sets, each once; notes the sets that are not there."""
        entries = {name: data[name] for name in SETS if data.get(name)}
        if not entries:
            return self._pictures.list_below("")
        images: dict[str, None] = {}
        for name, entry in entries.items():
            for given in entry if isinstance(entry, list) else [entry]:
                entry_path = _read_word(given)
                paths = self._list_set(path, entry_path) if entry_path else []
                images |= dict.fromkeys(paths)
                if not paths:
                    message = f"{name}: {entry_path} holds no picture"
                    note = Note(NoteKind.FILE, "set without pictures", path.name, message)
                    self.notes.append(note)
        return list(images)

    def _list_set(self, path: Path, entry: str) -> list[str]:
        """The pictures of a folder, or of a list of them, that data.yaml names."""
        for place in (self.root / entry, path.parent / entry, path.parent / entry.lstrip("./")):
            try:
                relative = place.resolve().relative_to(self.root.resolve()).as_posix()
            except ValueError:  # out of the dataset
                continue
            if place.is_file():
                folders = ("", Path(relative).parent.as_posix())
                listed = (self._pictures.find(line, folders) for line in _read_lines(place))
                return [name for name in listed if name]
            if paths := self._pictures.list_below(relative):
                return paths
        return []

    def _count_words(self) -> None:
        """Count the objects of each class, and note the labels that have no picture."""
        numbers = Counter[str]()
        used = set[str]()
        for name in self._images:
            label = self._find_label(name)
            if label is None:
                continue
            used.add(label)
            try:
                lines = _read_text(self.root / label).splitlines()
            except UncorrectableError:
                continue
            numbers.update(line.split(maxsplit=1)[0] for line in lines if line.strip())
        for number, count in numbers.items():
            if (class_name := self._find_name(number)) is not None:
                self.words[class_name] += count
        unused = sorted(
            path for path in self._labels - used if "/labels/" in f"/{path}" and _is_label(path)
        )
        if unused:
            message = f"no picture belongs to it, nor to {len(unused) - 1} more label files"
            note = Note(NoteKind.FILE, "labels without a picture", unused[0], message, len(unused))
            self.notes.append(note)

    def _find_label(self, picture: str) -> str | None:
        """The label file of a picture, in the folder that Ultralytics looks in, else beside it."""
        stem = picture.rpartition(".")[0]
        before, sign, after = f"/{stem}".rpartition("/images/")
        if sign and (path := f"{before}/labels/{after}.txt".lstrip("/")) in self._labels:
            return path
        return f"{stem}.txt" if f"{stem}.txt" in self._labels else None

    def _find_name(self, number: str) -> str | None:
        """The class of that number; None where the list has no such class."""
        try:
            value = float(number)
        except ValueError:
            return None
        is_whole = math.isfinite(value) and value.is_integer() and 0 <= value < len(self._names)
        return (self._names[int(value)] or None) if is_whole else None

    def _read_line(
        self, label: str, line: int, text: str, size_wh: tuple[int, int], notes: list[Note]
    ) -> ForeignObject | None:
        """The object of a line; None where it is empty or, with a note, where it is none."""
        if not text.strip():
            return None
        place = f"{label}, line {line}"
        number, *rest = text.split()
        class_name = self._find_name(number)
        if class_name is None:
            message = f"it has the class {number[:30]}, {self._list_name} has {len(self._names)}"
            notes.append(Note(NoteKind.OBJECT, "class", place, f"{message} classes from 0"))
            return None
        attributes: dict[str, str] = {}
        if self._has_keypoints and len(rest) > 2 * _BOX_PAIRS:
            attributes["keypoints"] = " ".join(rest[2 * _BOX_PAIRS :])
            rest = rest[: 2 * _BOX_PAIRS]
        shares = _read_shares(rest)
        if shares is None:
            message = (
                f"expected 4 numbers of a box, or x and y of 3 corners or more, got {text!r:.60}"
            )
            notes.append(Note(NoteKind.OBJECT, "line", place, message))
            return None
        xs = tuple(share * size_wh[0] for share in shares[::2])
        ys = tuple(share * size_wh[1] for share in shares[1::2])
        is_outline = len(xs) > _BOX_PAIRS
        return ForeignObject(
            key=f"yolo-{line}",
            place=place,
            class_name=class_name,
            edges=None if is_outline else _find_edges(xs, ys),
            rings=(tuple(zip(xs, ys, strict=True)),) if is_outline else (),
            said="outline" if is_outline else f"box {' '.join(rest)[:60]}",
            attributes=attributes,
        )


def read_class_list(path: Path) -> list[str]:
    """The classes in the order of their numbers: of a data.yaml, or a text file; DatasetError."""
    if path.suffix.lower() in (".yaml", ".yml"):
        return _read_names(path, _read_yaml(path))
    return _read_lines(path)


def _read_shares(words: Sequence[str]) -> list[float] | None:
    """The numbers of a box or an outline; None where they are neither."""
    try:
        shares = [float(word) for word in words]
    except ValueError:
        return None
    pairs, is_odd = divmod(len(shares), 2)
    return None if is_odd or pairs < _BOX_PAIRS else shares


def _find_edges(xs: Sequence[float], ys: Sequence[float]) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a box with its centre first, then its width and height."""
    x, across = xs
    y, down = ys
    return x - across / 2, y - down / 2, x + across / 2, y + down / 2


def _read_yaml(path: Path) -> Mapping[str, Any]:
    """What data.yaml says; DatasetError."""
    require_module("yaml", extra="formats", purpose=f"Reading {path.name}")
    import yaml

    try:
        data = yaml.safe_load(_read_text(path))
    except (UncorrectableError, yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split())
        raise DatasetError(f"{path} cannot be read: {reason}.") from error
    if not isinstance(data, dict):
        raise DatasetError(f"{path} cannot be read: expected keys such as names and train.")
    return data


def _read_word(value: object) -> str:
    """A name or a path; empty for a list or a map, of which aliases make endless texts."""
    return "" if isinstance(value, list | dict | set | tuple) else str(value).strip()


def _read_names(path: Path, data: Mapping[str, Any]) -> list[str]:
    """The classes in the order of their numbers; DatasetError."""
    names = data.get("names")
    if isinstance(names, list):
        return [_read_word(name) for name in names]
    try:
        by_number = {int(number): _read_word(name) for number, name in names.items()}  # type: ignore[union-attr]
    except (AttributeError, TypeError, ValueError) as error:
        raise DatasetError(f"{path}: expected names with a class for each number.") from error
    return [
        by_number.get(number, "") for number in range(min(max(by_number, default=-1), 9_999) + 1)
    ]


def _find_root(root: Path, path: Path, data: Mapping[str, Any]) -> Path:
    """The folder of the dataset: `path` of data.yaml, where it is there, else the file's own.

    A `path` that is the whole disk is none of a dataset.
    """
    named = path.parent / (_read_word(data.get("path") or ".") or ".")
    if named.resolve() == Path(named.resolve().anchor):
        return path.parent
    if named.is_dir() and path.parent.resolve().is_relative_to(named.resolve()):
        return named.resolve()
    if named.is_dir() and data.get("path"):
        return named
    return path.parent if path.name not in CLASS_LISTS else root


def _list_texts(root: Path) -> Iterator[str]:
    """The paths of all text files below the folder."""
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith(".")]
        start = Path(folder).relative_to(root).as_posix()
        for name in names:
            if name.endswith(".txt") and not is_apple_double(name):
                yield name if start == "." else f"{start}/{name}"


def _is_label(path: str) -> bool:
    return path.rpartition("/")[2] not in CLASS_LISTS


def _read_text(path: Path) -> str:
    """The text of a file; UncorrectableError."""
    data = read_bytes(path, _MOST_BYTES)
    if isinstance(data, str):
        raise UncorrectableError(f"{path.name}: {data}")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UncorrectableError(f"{path.name} is no text in UTF-8") from error


def _read_lines(path: Path) -> list[str]:
    """The lines of a list; DatasetError."""
    try:
        return [line.strip() for line in _read_text(path).splitlines() if line.strip()]
    except UncorrectableError as error:
        raise DatasetError(f"{path} cannot be read: {error}.") from error
