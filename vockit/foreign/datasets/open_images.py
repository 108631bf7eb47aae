"""Open Images' tables of boxes: a line for each box, in shares of the picture.

The boxes of a picture may stand anywhere in its file. A temporary database on the disk puts them
together, so that memory does not grow with the file.
"""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TextIO

from vockit.foreign.corrections import UncorrectableError
from vockit.foreign.listed_images import PICTURE_SUFFIXES
from vockit.foreign.tree_files import is_apple_double
from vockit.format.shortage import refuse_shortage
from vockit.format.text import escape_unstorable

from .picture_files import PictureFiles, read_seen_size_of
from .scratch import open_scratch
from .shapes import read_flag
from .values import NO_PICTURE, ForeignDataset, ForeignImage, ForeignObject, Note, NoteKind

BOX_COLUMNS = ("ImageID", "LabelName", "XMin", "XMax", "YMin", "YMax")
_SIDES = BOX_COLUMNS[2:]
_FLAGS = ("IsOccluded", "IsTruncated", "IsGroupOf")
_ATTRIBUTES = ("IsGroupOf", "IsDepiction", "IsInside")
_MOST_LINE = 100_000
_CLASS_TABLES = ("class-descriptions", "class-descriptions-boxable")
"""Without a head; other people's labels are no MIDs, by which their lines could be told."""
_SCHEMA = """
CREATE TABLE box (file INTEGER, line INTEGER, image_id TEXT, label TEXT, text TEXT);
CREATE TABLE licence (image_id TEXT PRIMARY KEY, text TEXT);
"""


class OpenImagesDataset(ForeignDataset):
    """The pictures of all tables of boxes of a folder."""

    form = "Open Images"

    def __init__(self, root: Path, paths: Sequence[Path]) -> None:
        super().__init__()
        self.root = root
        # an image was searched for the classes alone that a table of its labels names
        self.listed = frozenset()
        self._pictures = PictureFiles(root)
        self._files: list[str] = []
        self._names: dict[str, str] = {}
        self._database = open_scratch(_SCHEMA)
        for path in paths:
            self._scan(path)
        self._database.execute("CREATE INDEX of_image ON box (image_id, file, line)")
        self._read_other_tables()
        rows = self._database.execute(
            "SELECT label, count(*) FROM box WHERE label <> '' GROUP BY label"
        )
        for label, count in rows:
            self.words[self._names.get(label, label)] += count

    def count_images(self) -> int:
        """The pictures that have a box."""
        rows = self._database.execute("SELECT count(DISTINCT image_id) FROM box")
        return int(rows.fetchone()[0])

    def close(self) -> None:
        """Delete the database."""
        self._database.close()

    def iterate_images(self) -> Iterator[ForeignImage]:
        """The pictures by their ids, each with its boxes in the order of the tables."""
        rows = self._database.execute(
            "SELECT image_id, file, line, text FROM box ORDER BY image_id, file, line"
        )
        image_id = ""
        boxes: list[tuple[str, Mapping[str, str]]] = []
        for next_id, number, line, text in rows:
            if boxes and next_id != image_id:
                yield self._make_image(image_id, boxes)
                boxes = []
            image_id = next_id
            boxes.append((f"{self._files[number]}, line {line}", json.loads(text)))
        if boxes:
            yield self._make_image(image_id, boxes)

    def _scan(self, path: Path) -> None:
        """Take the lines of a table of boxes; of a damaged table those before the damage."""
        name = path.relative_to(self.root).as_posix()
        number = len(self._files)
        self._files.append(name)
        self._database.execute("BEGIN")
        try:
            for line, row in _iterate_boxes(path):
                image_id = escape_unstorable(row.get("ImageID", ""))
                is_whole = None not in _read_sides(row)
                label = escape_unstorable(row.get("LabelName", "")) if is_whole else ""
                if not image_id:
                    message = "it names no image"
                    note = Note(
                        NoteKind.OBJECT, "without an image", f"{name}, line {line}", message
                    )
                    self.notes.append(note)
                    continue
                values = (number, line, image_id, label, json.dumps(row))
                self._database.execute("INSERT INTO box VALUES (?, ?, ?, ?, ?)", values)
        except _TableError as error:
            message = f"{error}; boxes after it are missing"
            self.notes.append(Note(NoteKind.FILE, "no whole CSV", name, message))
        self._database.execute("COMMIT")

    def _read_other_tables(self) -> None:
        """Take names of classes and licences from the tables beside; note those of no boxes."""
        for path in _list_tables(self.root):
            name = path.relative_to(self.root).as_posix()
            try:
                kind = _find_kind(path)
                if kind == "classes":
                    self._names |= dict(_iterate_names(path))
                elif kind == "images":
                    self._take_licences(path)
                elif kind:
                    message = f"{kind} are not read; only boxes are"
                    self.notes.append(Note(NoteKind.FILE, "another table", name, message))
            except (_TableError, csv.Error) as error:
                self.notes.append(Note(NoteKind.FILE, "no whole CSV", name, str(error)))
        if not self._names:
            message = "no class-descriptions CSV is there, so classes are called as in the boxes"
            self.notes.append(Note(NoteKind.FILE, "names of classes", str(self.root), message))

    def _take_licences(self, path: Path) -> None:
        """Keep the licences of the pictures that have a box."""
        self._database.execute("BEGIN")
        try:
            for row in _iterate_rows(path):
                image_id = escape_unstorable(row.get("ImageID", ""))
                if licence := row.get("License"):
                    self._database.execute(
                        "INSERT OR REPLACE INTO licence SELECT ?, ?"
                        " WHERE EXISTS (SELECT 1 FROM box WHERE image_id = ?)",
                        (image_id, licence, image_id),
                    )
        finally:
            self._database.execute("COMMIT")

    def _find_licence(self, image_id: str) -> str | None:
        row = self._database.execute("SELECT text FROM licence WHERE image_id = ?", (image_id,))
        (text,) = row.fetchone() or ("",)
        return text or None

    def _make_image(
        self, image_id: str, boxes: Sequence[tuple[str, Mapping[str, str]]]
    ) -> ForeignImage:
        place = boxes[0][0]
        name = self._find_picture(image_id, place)
        if name is None:
            return ForeignImage(name=image_id, place=place, reason=NO_PICTURE)
        try:
            size_wh = read_seen_size_of(self.root / name)
        except UncorrectableError as error:
            return ForeignImage(name=name, place=place, reason=str(error))
        notes: list[Note] = []
        objects = [self._make_object(where, row, size_wh, notes) for where, row in boxes]
        licence = self._find_licence(image_id)
        return self._make_whole(name, place, size_wh, objects, notes, licence=licence)

    def _find_picture(self, image_id: str, place: str) -> str | None:
        """The picture that is called as the image, in the folder of the table's set first."""
        subset = place.rpartition("/")[2].partition("-")[0]
        folders = (f"images/{subset}", subset, f"{subset}/data", "images", "data", "")
        for suffix in ("", *PICTURE_SUFFIXES):
            if (name := self._pictures.find(f"{image_id}{suffix}", folders)) is not None:
                return name
        return None

    def _make_object(
        self, place: str, row: Mapping[str, str], size_wh: tuple[int, int], notes: list[Note]
    ) -> ForeignObject | None:
        """The object of a line; None, with a note, where it has no label or no numbers."""
        label = row.get("LabelName", "")
        sides = _read_sides(row)
        if not label or None in sides:
            said = "no label" if not label else f"no number among {', '.join(_SIDES)}"
            notes.append(Note(NoteKind.OBJECT, "line", place, f"it has {said}"))
            return None
        left, right, top, bottom = (side or 0.0 for side in sides)
        flags = _read_flags(place, row, notes)
        return ForeignObject(
            key=f"openimages-{place.rpartition(' ')[2]}",
            place=place,
            class_name=self._names.get(label, label),
            edges=(left * size_wh[0], top * size_wh[1], right * size_wh[0], bottom * size_wh[1]),
            said=f"box {', '.join(row[side] for side in _SIDES)}"[:80],
            stated=frozenset(flag for flag, column in _STATED.items() if flags[column] is not None),
            attributes=_list_attributes(row),
            occluded=bool(flags["IsOccluded"]),
            truncated=bool(flags["IsTruncated"]),
            difficult=bool(flags["IsGroupOf"]),
            group_of=bool(flags["IsGroupOf"]),
        )


_STATED = {"occluded": "IsOccluded", "truncated": "IsTruncated"}
"""Flags whose columns say yes, no, or with -1 that nobody looked."""


def _read_flags(place: str, row: Mapping[str, str], notes: list[Note]) -> Mapping[str, bool | None]:
    """The flags of a line by their columns, None where it says neither yes nor no, with a note."""
    flags = {column: read_flag(row.get(column)) for column in _FLAGS}
    unsaid = [column for column, answer in flags.items() if answer is None and row.get(column)]
    if unsaid:
        values = " or ".join(sorted({row[column][:20] for column in unsaid}))
        message = f"{', '.join(unsaid)} is {values}, not known, and became 0"
        notes.append(Note(NoteKind.CHANGED, "flag not said", place, message))
    return flags


class _TableError(ValueError):
    """A table cannot be read, or not further."""


def _list_tables(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            is_table = name.lower().endswith(".csv") and not is_apple_double(name)
            if is_table and Path(folder, name).is_file():  # a pipe must not be waited for
                yield Path(folder, name)


def _find_kind(path: Path) -> str:
    """What a table is of: classes, images, or what is not read; empty for boxes and others."""
    line = next(_iterate_lines(path), "")
    columns = _split(line)
    if is_class_line(line) or path.stem in _CLASS_TABLES:
        return "classes"
    if "MaskPath" in columns:
        return "masks"
    if "LabelName1" in columns:
        return "relationships"
    if "ImageID" not in columns or set(BOX_COLUMNS) <= set(columns):
        return ""
    return "labels of whole images" if "LabelName" in columns else "images"


def is_class_line(line: str) -> bool:
    """Whether the first line of a table says that it has the names of classes."""
    columns = [column.strip() for column in line.split(",", 1)]
    is_name = columns[0].startswith(("/m/", "/g/", "/t/")) and len(columns) > 1
    return is_name or columns == ["LabelName", "DisplayName"]


def _iterate_names(path: Path) -> Iterator[tuple[str, str]]:
    """The name of each class, by its label."""
    for row in csv.reader(_iterate_lines(path)):
        if len(row) > 1 and row != ["LabelName", "DisplayName"]:
            yield row[0].strip(), row[1].strip()


def _iterate_boxes(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table of boxes with their lines, from 2; _TableError.

    Each is one line, so that a quote too many costs none but its own.
    """
    lines = _iterate_lines(path)
    columns = _split(next(lines, ""))
    for number, line in enumerate(lines, start=2):
        if values := _split(line):
            yield number, dict(zip(columns, values, strict=False))


def _split(line: str) -> list[str]:
    """The fields of a line."""
    return [text.strip() for text in next(csv.reader([line], skipinitialspace=True), [])]


def _iterate_rows(path: Path) -> Iterator[dict[str, str]]:
    """The rows of another table, whose texts may have several lines; _TableError."""
    reader = csv.DictReader(_iterate_lines(path), restval="")
    try:
        for row in reader:
            yield {name: text for name, text in row.items() if name}
    except csv.Error as error:
        raise _TableError(f"line {reader.line_num}: {error}") from error


def _iterate_lines(path: Path) -> Iterator[str]:
    """The lines of a text file, none of which is endless; _TableError."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield from _iterate_short_lines(file)
    except UnicodeDecodeError as error:
        raise _TableError("it is no text in UTF-8") from error
    except OSError as error:
        refuse_shortage(error)
        raise _TableError(f"it cannot be read: {error.strerror}") from error


def _iterate_short_lines(file: TextIO) -> Iterator[str]:
    while line := file.readline(_MOST_LINE):
        if len(line) == _MOST_LINE:
            raise _TableError(f"a line has more than {_MOST_LINE:,} characters")
        yield line


def _read_sides(row: Mapping[str, str]) -> list[float | None]:
    """The edges of a box in shares of the picture; None for what is no number."""
    return [_read_number(row.get(side)) for side in _SIDES]


def _read_number(text: str | None) -> float | None:
    try:
        number = float(text or "")
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _list_attributes(row: Mapping[str, str]) -> dict[str, str]:
    """What VOC has no field for: flags that are on, who drew the box, a score below 1."""
    attributes = {name: "1" for name in _ATTRIBUTES if read_flag(row.get(name))}
    if row.get("Source"):
        attributes["Source"] = row["Source"]
    score = _read_number(row.get("Confidence"))
    if score is not None and score != 1:
        attributes["Confidence"] = row["Confidence"]
    return attributes
