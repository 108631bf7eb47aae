"""Annotation files of VOC wherever they lie: in a tree, next to the pictures, in two folders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from vockit.foreign.corrections import find_fault, find_lost_numbers, find_refusal
from vockit.foreign.tree_files import MASK_FOLDERS, MOST_ANNOTATION_BYTES, read_bytes
from vockit.format.read import Reading, read_annotation
from vockit.format.records import VocImage, VocObject, VocSize

from .forms import VOC_TREE
from .shapes import FLAGS, TwiceReadDataset
from .values import NO_PICTURE, ForeignImage, ForeignObject, Note, NoteKind

_YEAR = 2012
_KEEPS = f"--format {VOC_TREE} keeps them"
_FOLDERS = ("JPEGImages", "images", "Images")


class VocDataset(TwiceReadDataset):
    """A picture for each XML file."""

    form = "VOC"

    def __init__(self, root: Path, paths: Sequence[Path]) -> None:
        super().__init__(root, paths)
        if any((root / folder).is_dir() for folder in ("ImageSets", *MASK_FOLDERS)):
            message = f"sets, masks and identifiers are left out; {_KEEPS}"
            self.notes.append(Note(NoteKind.FILE, "VOC tree", str(root), message))

    def iterate_images(self) -> Iterator[ForeignImage]:
        """A picture for each file, in the order of their paths."""
        for path in self._paths:
            place = path.relative_to(self.root).as_posix()
            data = read_bytes(path, MOST_ANNOTATION_BYTES)
            if isinstance(data, str):
                yield ForeignImage(name=place, place=place, reason=data)
                continue
            reading = read_annotation(data, year=_YEAR)
            record = reading.partial
            refusal = find_lost_numbers(reading.root) if reading.root else find_refusal(reading)
            if refusal is not None or record is None:
                reason = f"its annotation cannot be read: {refusal}"
                yield ForeignImage(name=place, place=place, reason=reason)
                continue
            name = self._find_picture(place, record)
            if name is None:
                yield ForeignImage(name=place, place=place, reason=NO_PICTURE)
                continue
            notes = [
                Note(NoteKind.CHANGED, "flag", f"{place}, line {remark.line}", remark.message)
                for remark in reading.remarks
                if remark.rule == "flag"
            ]
            notes += _note_unread(place, reading)
            unread = frozenset(reading.unread)
            numbered = enumerate(reading.places.objects, start=1)
            lines = [line for number, line in numbered if number not in unread]
            objects = [
                _make_object(f"{place}, line {line}", number, item, notes)
                for number, (line, item) in enumerate(
                    zip(lines, record.objects, strict=True), start=1
                )
            ]
            yield self._make_whole(name, place, _read_size(record.size), objects, notes)

    def _find_picture(self, place: str, record: VocImage) -> str | None:
        """The picture that is called as the file, else as the file says."""
        folder, _, file = place.rpartition("/")
        top = folder.rpartition("/")[0]
        folders = [folder, *(f"{top}/{name}".strip("/") for name in _FOLDERS)]
        return self._pictures.find_stem(file.removesuffix(".xml"), folders) or (
            self._pictures.find(record.filename, folders) if record.filename else None
        )


def _note_unread(place: str, reading: Reading) -> list[Note]:
    """Why some objects of the file cannot be read."""
    lines = [reading.places.find_line("object", number) for number in reading.unread]
    return [
        Note(NoteKind.OBJECT, "no box", f"{place}, line {line}", find_fault(reading, line).message)
        for line in lines
    ]


def _read_size(size: VocSize | None) -> tuple[int, int] | None:
    if size is None or not (size.width and size.height):
        return None
    return int(size.width), int(size.height)


def _make_object(place: str, number: int, item: VocObject, notes: list[Note]) -> ForeignObject:
    """The object; parts, actions and points are not kept."""
    dropped = [
        name
        for name, value in (("parts", item.parts), ("actions", item.actions), ("point", item.point))
        if value
    ]
    if dropped:
        message = f"{' and '.join(dropped)}; {_KEEPS}"
        notes.append(Note(NoteKind.NOT_KEPT, "parts, actions, points", place, message))
    box = item.box
    left, right = _find_ends(box.xmin, box.xmax)
    top, bottom = _find_ends(box.ymin, box.ymax)
    return ForeignObject(
        key=f"voc-{number}",
        place=place,
        class_name=item.name,
        edges=(left, top, right, bottom),
        said=f"box {box.xmin}, {box.ymin}, {box.xmax}, {box.ymax}",
        truncated=bool(item.truncated),
        occluded=bool(item.occluded),
        difficult=bool(item.difficult),
        view=item.pose or "",
        stated=frozenset(flag for flag in FLAGS if getattr(item, flag) is not None),
    )


def _find_ends(low: float, high: float) -> tuple[float, float]:
    """The outer edges of both pixels, also where the file has the larger one first."""
    return (low - 1, high) if low <= high else (low, high - 1)
