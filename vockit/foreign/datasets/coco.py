"""COCO's instances files as a dataset.

The annotations of an image may stand anywhere in its file. A temporary database on the disk puts
them together, so that memory does not grow with the file.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vockit.format.text import escape_unstorable

from .json_stream import Element, JsonFault, iterate_elements
from .picture_files import PictureFiles
from .run_lengths import RunLengthError, read_rings
from .scratch import open_scratch
from .shapes import read_corners, read_flag, sort_attributes
from .values import NO_PICTURE, Corner, ForeignDataset, ForeignImage, ForeignObject, Note, NoteKind

KEYS = frozenset({"images", "annotations", "categories", "licenses"})
_KNOWN = frozenset(
    {
        "id",
        "image_id",
        "category_id",
        "bbox",
        "area",
        "segmentation",
        "iscrowd",
        "ignore",
        "attributes",
    }
)
_NO_LICENCE = ("", "unknown", "none")
_SCHEMA = """
CREATE TABLE image (file INTEGER, id TEXT, name TEXT, width, height, licence TEXT);
CREATE TABLE annotation (file INTEGER, image_id TEXT, text TEXT);
"""


@dataclass
class _File:
    """One instances file while it is scanned; `names` are of its categories, by their ids."""

    path: str
    names: dict[str, str] = field(default_factory=dict)
    ambiguous: set[str] = field(default_factory=set)
    licences: dict[str, str] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    is_labelled: bool = False  # some image of it has an annotation
    is_federated: bool = False  # as in LVIS, each image was searched for classes of its own


class CocoDataset(ForeignDataset):
    """The images of all instances files of a folder."""

    form = "COCO"

    def __init__(self, root: Path, paths: Sequence[Path]) -> None:
        super().__init__()
        self.root = root
        self._pictures = PictureFiles(root)
        self._database = open_scratch(_SCHEMA)
        self._files: list[_File] = []
        # what lists the same pictures again comes after: captions, keypoints, masks of `convert`
        for path in sorted(paths, key=lambda path: (not path.name.startswith("instances"), path)):
            self._scan(path)
        self._database.execute("CREATE INDEX of_image ON annotation (file, image_id)")
        self._database.execute("CREATE INDEX of_id ON image (file, id)")
        self._drop_repeated_files()
        self._count_words()
        self.listed = self._list_searched()
        self._note_orphans()

    def count_images(self) -> int:
        """The rows of images, of which some may have no picture."""
        return int(self._database.execute("SELECT count(*) FROM image").fetchone()[0])

    def close(self) -> None:
        """Delete the database."""
        self._database.close()

    def iterate_images(self) -> Iterator[ForeignImage]:
        """The images, file by file in the order of its rows."""
        seen: dict[str, str] = {}
        rows = self._database.execute(
            "SELECT rowid, *, (SELECT count(*) FROM image twin WHERE twin.file = image.file"
            " AND twin.id = image.id) FROM image ORDER BY rowid"
        )
        for _rowid, number, image_id, name, width, height, licence, twins in rows:
            file = self._files[number]
            place = f"{file.path}, image {image_id}"
            picture = self._find_picture(file, name)
            reason = None
            if twins > 1:
                reason = f"{twins} images of the file have its id"
            elif picture is None:
                reason = NO_PICTURE
            elif picture in seen:
                reason = f"its picture came already, as {seen[picture]}"
            if reason is not None or picture is None:
                yield ForeignImage(name=name, place=place, reason=reason)
                continue
            seen[picture] = place
            size_wh = _read_size(width, height)
            objects, notes = self._read_objects(number, image_id, size_wh)
            yield self._make_whole(
                picture,
                place,
                size_wh,
                objects,
                notes,
                licence=file.licences.get(licence) or None,
                is_labelled=file.is_labelled,
            )

    def _scan(self, path: Path) -> None:
        """Take the rows of one file into the database, or leave the whole file out."""
        file = _File(path.relative_to(self.root).as_posix())
        self._files.append(file)
        notes: list[Note] = []
        self._database.execute("BEGIN")
        try:
            for element in iterate_elements(path, KEYS):
                self._take(file, element, notes)
        except JsonFault as fault:
            self._database.execute("ROLLBACK")
            self.notes.append(Note(NoteKind.FILE, "no whole JSON", file.path, str(fault)))
            return
        self._database.execute("COMMIT")
        self.notes += notes

    def _drop_repeated_files(self) -> None:
        """Leave out the files of which each picture is in a file before."""
        first: dict[str, int] = {}
        repeated = Counter[int]()
        counts = Counter[int]()
        rows = self._database.execute("SELECT file, name FROM image ORDER BY rowid")
        for number, name in rows:
            picture = self._find_picture(self._files[number], name)
            counts[number] += 1
            repeated[number] += picture is not None and first.setdefault(picture, number) < number
        for number, count in counts.items():
            if repeated[number] == count:
                self._drop_file(number)

    def _drop_file(self, number: int) -> None:
        for table in ("image", "annotation"):
            self._database.execute(f"DELETE FROM {table} WHERE file = ?", (number,))  # noqa: S608
        file = self._files[number]
        file.counts.clear()
        message = "each of its pictures is in a file before it; name it as PATH to read it alone"
        self.notes.append(Note(NoteKind.FILE, "the same pictures", file.path, message))

    def _count_words(self) -> None:
        for file in self._files:
            for category, count in file.counts.items():
                if category in file.names and category not in file.ambiguous:
                    self.words[file.names[category]] += count

    def _list_searched(self) -> frozenset[str]:
        """The categories that each file has; none where images have categories of their own."""
        numbers = self._database.execute("SELECT DISTINCT file FROM image").fetchall()
        files = [self._files[number] for (number,) in numbers]
        lists = [
            {
                name
                for category, name in file.names.items()
                if category not in file.ambiguous and not file.is_federated
            }
            for file in files
        ]
        return frozenset(set.intersection(*lists)) if lists else frozenset()

    def _take(self, file: _File, element: Element, notes: list[Note]) -> None:
        row = element.value
        if not isinstance(row, dict):
            message = f"expected an object in {element.key}, got {element.text[:40]}"
            notes.append(Note(NoteKind.OBJECT, "no object of JSON", file.path, message))
        elif element.key == "annotations":
            file.is_labelled = True
            self._take_annotation(file, row, element.text, notes)
        elif element.key == "images":
            self._take_image(file, row, notes)
        elif element.key == "categories":
            notes += _take_category(file, row)
        else:
            licence = row.get("url") or row.get("name")
            is_said = isinstance(licence, str) and licence.casefold() not in _NO_LICENCE
            file.licences[_name_id(row.get("id"))] = str(licence) if is_said else ""

    def _take_annotation(
        self, file: _File, row: Mapping[str, Any], text: str, notes: list[Note]
    ) -> None:
        image_id = _name_id(row.get("image_id"))
        if not image_id:
            message = f"annotation {row.get('id')!r} names no image"
            notes.append(Note(NoteKind.OBJECT, "without an image", file.path, message))
            return
        file.counts[_name_id(row.get("category_id"))] += 1
        values = (len(self._files) - 1, image_id, text)
        self._database.execute("INSERT INTO annotation VALUES (?, ?, ?)", values)

    def _take_image(self, file: _File, row: Mapping[str, Any], notes: list[Note]) -> None:
        image_id = _name_id(row.get("id"))
        name = row.get("file_name")
        if not image_id or not isinstance(name, str) or not name:
            message = f"image {row.get('id')!r} has no id or no file_name"
            notes.append(Note(NoteKind.IMAGE, "without a file name", file.path, message))
            return
        file.is_federated = file.is_federated or "neg_category_ids" in row
        size = [_read_side(row.get(side)) for side in _SIDES]
        names = image_id, escape_unstorable(name)
        values = (len(self._files) - 1, *names, *size, _name_id(row.get("license")))
        self._database.execute("INSERT INTO image VALUES (?, ?, ?, ?, ?, ?)", values)

    def _note_orphans(self) -> None:
        """Note the annotations of images that their file does not have."""
        rows = self._database.execute(
            "SELECT file, count(*), min(image_id) FROM annotation WHERE NOT EXISTS (SELECT 1 FROM"
            " image WHERE image.file = annotation.file AND image.id = annotation.image_id)"
            " GROUP BY file"
        )
        for number, count, image_id in rows:
            message = f"it does not list the image of some annotations, such as {image_id}"
            path = self._files[number].path
            self.notes.append(Note(NoteKind.OBJECT, "without an image", path, message, count))

    def _find_picture(self, file: _File, name: str) -> str | None:
        """The picture's path from the root; the common layouts of COCO come first."""
        folder, _, stem = file.path.removesuffix(".json").rpartition("/")
        set_name = stem.rpartition("_")[2]
        parent = folder.rpartition("/")[0]
        tops = [parent, folder] if folder else [""]
        below = ("", "images", set_name, f"images/{set_name}")
        folders = ("/".join(filter(None, (top, part))) for top in tops for part in below)
        return self._pictures.find(name, folders)

    def _read_objects(
        self, number: int, image_id: str, size_wh: tuple[int, int] | None
    ) -> tuple[tuple[ForeignObject, ...], tuple[Note, ...]]:
        """The objects of an image, and what of them is left out or not kept."""
        file = self._files[number]
        rows = self._database.execute(
            "SELECT text FROM annotation WHERE file = ? AND image_id = ? ORDER BY rowid",
            (number, image_id),
        )
        objects: list[ForeignObject] = []
        notes: list[Note] = []
        keys = Counter[str]()
        for (text,) in rows.fetchall():
            row = json.loads(text)
            item = _read_object(file, row, size_wh, notes)
            if item is None:
                continue
            keys[item.key] += 1
            if keys[item.key] > 1:
                message = "another object of the image has its id"
                notes.append(Note(NoteKind.CHANGED, "id", item.place, message))
                item = _rename(item, keys[item.key])
            objects.append(item)
        return tuple(objects), tuple(notes)


_SIDES = ("width", "height")
_MOST_SIDE_PX = 1_000_000


def _rename(item: ForeignObject, number: int) -> ForeignObject:
    return replace(item, key=f"{item.key}-{number}")


def _name_id(value: object) -> str:
    """The id as text, so that 7 and "7" are the same; empty where it is none."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    is_id = isinstance(value, int | str) and value is not True
    return escape_unstorable(str(value)[:100]) if is_id else ""


def _read_side(value: object) -> int:
    """Pixels of a side; 0 where the row does not tell them."""
    is_side = isinstance(value, int | float) and 0 < value <= _MOST_SIDE_PX
    return int(value) if is_side and value == int(value) else 0  # type: ignore[call-overload]


def _read_size(width: Any, height: Any) -> tuple[int, int] | None:
    return (width, height) if width > 0 and height > 0 else None


def _take_category(file: _File, row: Mapping[str, Any]) -> Iterator[Note]:
    """Keep the name of a category; note what is wrong with it."""
    category = _name_id(row.get("id"))
    name = row.get("name")
    if not category or not isinstance(name, str) or not name.strip():
        message = f"category {row.get('id')!r} has no id or no name; its objects are left out"
        yield Note(NoteKind.OBJECT, "category without a name", file.path, message)
        return
    name = name.strip()
    if category in file.names and file.names[category] != name:
        file.ambiguous.add(category)
        message = f"category {category} is {file.names[category]!r} and {name!r}; its objects are "
        yield Note(NoteKind.OBJECT, "two categories of one id", file.path, f"{message}left out")
    elif name in file.names.values() and category not in file.names:
        message = f"several categories are called {name!r} and are taken as one"
        yield Note(NoteKind.CHANGED, "one name twice", file.path, message)
    file.names[category] = name


def _read_object(
    file: _File,
    row: Mapping[str, Any],
    size_wh: tuple[int, int] | None,
    notes: list[Note],
) -> ForeignObject | None:
    """The object of an annotation; None, with a note, where it is none that can be taken."""
    place = f"{file.path}, annotation {row.get('id')}"
    category = _name_id(row.get("category_id"))
    if category not in file.names or category in file.ambiguous:
        message = f"it has the category {row.get('category_id')!r}, which has no one name"
        notes.append(Note(NoteKind.OBJECT, "category", place, message))
        return None
    edges = _read_bbox(row.get("bbox"))
    try:
        rings, joins = _read_segmentation(row.get("segmentation"), size_wh)
    except (RunLengthError, ValueError) as error:
        rings = ()
        joins = True
        message = f"its segmentation is no outline: {error}"
        notes.append(Note(NoteKind.NOT_KEPT, "outline", place, message))
    if edges is None and not rings:
        message = f"expected bbox [x, y, width, height], got {str(row.get('bbox'))[:60]}"
        notes.append(Note(NoteKind.OBJECT, "no box", place, message))
        return None
    given = row.get("attributes")
    others = {name: value for name, value in row.items() if name not in _KNOWN}
    attributes = sort_attributes({**(given if isinstance(given, dict) else {}), **others})
    is_crowd = bool(read_flag(row.get("iscrowd")))
    is_ignored = is_crowd or bool(read_flag(row.get("ignore")))
    return ForeignObject(
        key=f"coco-{_name_id(row.get('id')) or '?'}"[:50],
        place=place,
        class_name=file.names[category],
        edges=edges,
        rings=rings,
        joins_rings=joins,
        said=f"bbox {row.get('bbox')}" if edges else "",
        view=attributes.view,
        stated=attributes.stated,
        attributes=attributes.others,
        truncated=attributes.flags["truncated"],
        occluded=attributes.flags["occluded"],
        difficult=attributes.flags["difficult"] or is_ignored,
        group_of=is_crowd,
    )


def _read_bbox(bbox: object) -> tuple[float, float, float, float] | None:
    """Left, top, right and bottom of [x, y, width, height]; None where it is no such list."""
    if not (isinstance(bbox, list) and len(bbox) == 4):
        return None
    try:
        x, y, width, height = (float(value) for value in bbox)
    except (TypeError, ValueError, OverflowError):
        return None
    return x, y, x + width, y + height


def _read_segmentation(
    segmentation: object, size_wh: tuple[int, int] | None
) -> tuple[tuple[tuple[Corner, ...], ...], bool]:
    """The rings of an object, and whether they are parts that are joined."""
    if isinstance(segmentation, dict):
        mask_wh, rings = read_rings(segmentation)
        if size_wh not in (None, mask_wh):
            raise ValueError(f"its mask has {mask_wh[0]} x {mask_wh[1]} pixels, its image not")
        return tuple(tuple(ring) for ring in rings), False
    if not segmentation:
        return (), True
    if not isinstance(segmentation, list):
        raise ValueError(f"expected lists of x and y, got {str(segmentation)[:40]}")
    flat = [segmentation] if isinstance(segmentation[0], int | float) else segmentation
    return tuple(_read_ring(values) for values in flat), True


def _read_ring(values: object) -> tuple[Corner, ...]:
    if not isinstance(values, list) or len(values) % 2:
        count = len(values) if isinstance(values, list) else 0
        raise ValueError(f"expected x and y of three corners or more, got {count} numbers")
    return read_corners(list(zip(values[::2], values[1::2], strict=True)), 3)
