"""What the files of a detector say, some detections at a time, so that memory stays flat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from vockit.evaluate.coco_results import NO_IDS, CocoIds
from vockit.evaluate.results import read_rows
from vockit.foreign.datasets.json_stream import JsonFault, iterate_rows
from vockit.foreign.datasets.run_lengths import (
    RunLengthError,
    find_run_edges,
    pack_run_lengths,
    read_run_lengths,
)
from vockit.foreign.datasets.yolo import read_class_list
from vockit.foreign.tree_files import read_bytes
from vockit.format.read import read_annotation
from vockit.format.records import VocBox
from vockit.format.text import NotTextError, decode_text

from .files import VOC_RESULTS, Source
from .values import (
    AT_ONCE,
    Advance,
    Detection,
    Detections,
    Floats,
    Mask,
    Part,
    Polygons,
    SuggestionError,
    gather,
)

_NOT_READ = "a line or an entry that cannot be read"
_UNKNOWN_ID = "an id that the file of --coco-ids does not have"
_BAD_MASK = "a mask that cannot be read"
_NAN = float("nan")
_NUMBERS = {int, float}
_MOST_COORDINATE = 1e6
_MOST_TEXT_BYTES = 20_000_000
_Entry = tuple[str, str, Any, Any, Mask | Polygons | None]


@dataclass
class Corners:
    """How many boxes begin at pixel 0, and how many at pixel 1, at the left or the top.

    VOC counts from 1; files of programs that count from 0 look the same but for these.
    """

    first_pixel: int | None = None
    at_zero: int = 0
    at_one: int = 0

    @property
    def is_doubtful(self) -> bool:
        """Whether the boxes that touch the border look as if they were counted from 0."""
        return self.at_zero > 0 and self.at_zero >= self.at_one

    def find_edges(self, boxes: Floats) -> Floats:
        """The edges of boxes (n x 4) of which both corners are inside."""
        if not len(boxes):
            return boxes.reshape(-1, 4)
        begins = boxes[:, :2].min(axis=1)
        self.at_zero += int((begins == 0).sum())
        self.at_one += int((begins == 1).sum())
        return self._shift(boxes)

    def shift_parts(self, parts: Sequence[Sequence[Part]]) -> list[list[Part]]:
        """Parts with the edges of their boxes; they say nothing of where pixels begin."""
        return [
            [(word, _to_four(self._shift(np.array(corners)))) for word, corners in some]
            for some in parts
        ]

    def _shift(self, boxes: Floats) -> Floats:
        first = 1 if self.first_pixel is None else self.first_pixel
        edges: Floats = boxes - np.array([first, first, first - 1, first - 1])
        return edges


@dataclass
class Reader:
    """Reads a source; `ids` are those of COCO's results, `corners` are counted on the way."""

    source: Source
    ids: CocoIds = NO_IDS
    corners: Corners = field(default_factory=Corners)

    def iterate(self, advance: Advance = lambda _bytes: None) -> Iterator[Detections]:
        """All detections, in the order of the files; SuggestionError for a file that is broken.

        `advance` is told how many more bytes were read.
        """
        if self.source.form == "coco":
            yield from self._iterate_coco(self.source.files[0], advance)
        elif self.source.form == "voc-results":
            for path in self.source.files:
                yield from self._iterate_voc_results(path)
                advance(path.stat().st_size)
        elif self.source.form == "yolo":
            yield from self._iterate_yolo(advance)
        else:
            yield from self._iterate_voc(advance)

    def _iterate_coco(self, path: Path, advance: Advance) -> Iterator[Detections]:
        entries = list[Any]()
        try:
            for entry in iterate_rows(path, advance):
                entries.append(entry)
                if len(entries) == AT_ONCE:
                    yield self._read_entries(entries)
                    entries.clear()
        except JsonFault as fault:
            raise SuggestionError(f"{path} is no results file of COCO: {fault}.") from fault
        if entries:
            yield self._read_entries(entries)

    def _read_entries(self, entries: Sequence[Any]) -> Detections:
        """Some entries of COCO's results."""
        faults = Counter[str]()
        rows: list[_Entry] = []
        for entry in entries:
            row = self._read_entry(entry)
            if isinstance(row, str):
                faults[row] += 1
            else:
                rows.append(row)
        images, classes, boxes, scores, masks = zip(*rows, strict=True) if rows else [()] * 5
        edges = _to_floats(boxes, 4)
        with np.errstate(over="ignore"):  # what is no number then is left out later
            edges[:, 2:] += edges[:, :2]
        return Detections(
            images=images,
            classes=classes,
            edges=edges,
            confidences=_to_floats([(score,) for score in scores], 1)[:, 0],
            masks=masks if any(masks) else None,
            faults=faults,
        )

    def _read_entry(self, entry: Any) -> _Entry | str:
        """An entry as its image, class, bbox, score and mask; else what is wrong with it."""
        try:
            image = entry["image_id"]
            category = entry["category_id"]
            score = entry["score"]
            box = entry.get("bbox")
            segmentation = entry.get("segmentation")
        except (TypeError, KeyError, AttributeError):
            return _NOT_READ
        if type(image) is not str:
            image = self._find(self.ids.images, image, "image")
        if type(category) is not str:
            category = self._find(self.ids.categories, category, "category")
        if image is None or category is None:
            return _UNKNOWN_ID
        if not segmentation:
            return image, category, box, score, None
        try:
            mask, edges = _read_mask(segmentation)
        except RunLengthError:
            return _BAD_MASK
        left, top, right, bottom = edges
        return image, category, box or (left, top, right - left, bottom - top), score, mask

    def _find(self, names: Mapping[int, str], number: Any, what: str) -> str | None:
        """The name of an id; None where the list has none. SuggestionError without a list."""
        if not names:
            raise SuggestionError(
                f"The results name each {what} by a number, such as {str(number)[:30]}; name the "
                "instances file whose ids these are with --coco-ids (`vocparty suggest images` "
                "writes one)."
            )
        return names.get(number) if type(number) in (int, float) else None

    def _iterate_voc_results(self, path: Path) -> Iterator[Detections]:
        match = VOC_RESULTS.fullmatch(path.name)
        assert match is not None
        rows = read_rows(path, 5)
        if rows.problems and not rows.ids:
            raise SuggestionError(f"{path} cannot be read: {rows.problems[0].message}.")
        faults: Mapping[str, int] = {_NOT_READ: len(rows.problems)} if rows.problems else {}
        for begin in range(0, max(len(rows.ids), 1), AT_ONCE):
            part = slice(begin, begin + AT_ONCE)
            images = rows.ids[part]
            yield Detections(
                images=images,
                classes=[match["class"]] * len(images),
                edges=self.corners.find_edges(rows.numbers[part, 1:]),
                confidences=rows.numbers[part, 0],
                faults=faults,
            )
            faults = {}

    def _iterate_yolo(self, advance: Advance) -> Iterator[Detections]:
        assert self.source.class_list is not None
        names = read_class_list(self.source.class_list)
        faults = Counter[str]()

        def read() -> Iterator[Detection]:
            for path in self.source.files:
                for line in _read_text(path).splitlines():
                    row = _read_yolo_line(line, names)
                    if isinstance(row, str):
                        faults[row] += bool(line.strip())
                    else:
                        yield path.stem, *row, None
                advance(path.stat().st_size)

        yield from _with_faults(gather(read()), faults, is_share=True)

    def _iterate_voc(self, advance: Advance) -> Iterator[Detections]:
        faults = Counter[str]()
        parts = list[list[Part]]()  # of the detections that were read and not given on yet

        def read() -> Iterator[Detection]:
            for path in self.source.files:
                data = read_bytes(path)
                if isinstance(data, str):
                    raise SuggestionError(f"{path} cannot be read: {data}.")
                reading = read_annotation(data)
                if reading.partial is None:
                    faults[_NOT_READ] += 1
                else:
                    faults[_NOT_READ] += len(reading.unread)
                    for item in reading.partial.objects:
                        parts.append([(part.name, _find_corners(part.box)) for part in item.parts])
                        yield path.stem, item.name, _find_corners(item.box), 1.0, None
                advance(len(data))

        for batch in gather(read()):
            edges = self.corners.find_edges(batch.edges)
            columns = batch.images, batch.classes, edges, batch.confidences
            yield Detections(*columns, parts=self.corners.shift_parts(parts))
            parts.clear()
        yield _no_detections(faults)


def _read_mask(segmentation: Any) -> tuple[Mask | Polygons, tuple[float, float, float, float]]:
    """The mask or polygons of an entry, and their edges; RunLengthError."""
    if type(segmentation) is list:
        polygons = _read_polygons(segmentation)
        return polygons, polygons.edges
    if type(segmentation) is not dict:
        raise RunLengthError("expected run lengths or polygons")
    size_hw, lengths = read_run_lengths(segmentation)
    edges = find_run_edges(size_hw, lengths)
    return Mask(*size_hw, pack_run_lengths(lengths)), edges


def _read_polygons(rings: Sequence[Any]) -> Polygons:
    """COCO's polygons; RunLengthError for what is none."""
    for ring in rings:
        is_flat = type(ring) is list and len(ring) >= 6 and len(ring) % 2 == 0
        if not is_flat or not all(type(value) in (int, float) for value in ring):
            raise RunLengthError("expected polygons of at least three corners")
        if not all(abs(value) < _MOST_COORDINATE for value in ring):
            raise RunLengthError("expected corners near the photograph")
    return Polygons(rings)


def _to_floats(rows: Sequence[Any], columns: int) -> Floats:
    """The rows as numbers; a row that is none becomes NaN, which is left out later."""
    try:
        numbers = np.array(rows, np.float64)
        is_each_number = {type(value) for row in rows for value in row} <= _NUMBERS
        if is_each_number and numbers.shape == (len(rows), columns):
            return numbers
    except (TypeError, ValueError, OverflowError):
        pass
    return np.array([_to_row(row, columns) for row in rows], np.float64).reshape(-1, columns)


def _to_row(row: Any, columns: int) -> list[float]:
    """The row as numbers; NaN where it has other values: JSON's `true` and `"1"` are no numbers."""
    try:
        numbers = [float(value) if type(value) in _NUMBERS else _NAN for value in row]
    except (TypeError, ValueError, OverflowError):
        numbers = []
    return numbers if len(numbers) == columns else [_NAN] * columns


def _find_corners(box: VocBox) -> tuple[float, float, float, float]:
    return _to_four((box.xmin, box.ymin, box.xmax, box.ymax))


def _to_four(values: Iterable[float]) -> tuple[float, float, float, float]:
    """The corners as floats; a number that none holds becomes NaN."""
    try:
        first, second, third, fourth = map(float, values)
    except OverflowError:
        return _NAN, _NAN, _NAN, _NAN
    return first, second, third, fourth


def _read_yolo_line(
    line: str, names: Sequence[str]
) -> tuple[str, tuple[float, float, float, float], float] | str:
    """The class, edges in shares, and confidence of a line; else what is wrong with it.

    A line without a confidence, as labels have it, is as sure as can be.
    """
    words = line.split()
    try:
        number, *numbers = map(float, words)
        name = names[int(number)] if number >= 0 and number.is_integer() else ""
    except (ValueError, OverflowError):
        return _NOT_READ
    except IndexError:
        name = ""
    if not name:
        return "a number of a class that the list does not have"
    if len(numbers) not in (4, 5):
        return "a line that is no box"
    x, y, across, down, confidence = (*numbers, 1.0)[:5]
    return name, (x - across / 2, y - down / 2, x + across / 2, y + down / 2), confidence


def _read_text(path: Path) -> str:
    """The text of a file; SuggestionError."""
    data = read_bytes(path, _MOST_TEXT_BYTES)
    if isinstance(data, str):
        raise SuggestionError(f"{path} cannot be read: {data}.")
    try:
        return decode_text(data)
    except NotTextError as error:
        raise SuggestionError(f"{path} is no text file: {error}.") from error


def _with_faults(
    batches: Iterable[Detections], faults: Mapping[str, int], *, is_share: bool
) -> Iterator[Detections]:
    """The batches, and at the end what could not be read of all files."""
    for batch in batches:
        columns = batch.images, batch.classes, batch.edges, batch.confidences
        yield Detections(*columns, is_share=is_share)
    yield _no_detections(faults)


def _no_detections(faults: Mapping[str, int]) -> Detections:
    counts = {reason: count for reason, count in faults.items() if count}
    return Detections((), (), np.empty((0, 4)), np.empty(0), faults=counts)
