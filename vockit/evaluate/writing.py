"""Results files of every task, written from arrays in the kit's layout and at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike

from vockit.foreign.identity import RELEASE_FILE
from vockit.format.masks import format_mask

from .curves import Floats, Rules
from .entry import Person, find_other_release
from .errors import EvaluateError, explain_write_errors
from .layout import PART_CLASSES, LayoutResult, Part
from .metrics import Labels
from .results import COMPETITIONS
from .truth import Truth

_SINGLE = "%.9g"
"""Holds single precision without a loss, so that no two confidences become equal."""
_DOUBLE = "%r"
"""The shortest text that is read as the same number in double precision."""


class ResultsWriter:
    """Writes results for one image set of a release, a file for each call.

    Raises EvaluateError for a folder with results for another release. Each method raises it where
    the arrays do not fit together or name what the release does not have, and WriteError.
    """

    def __init__(self, truth: Truth, folder: Path) -> None:
        self.truth = truth
        self.folder = folder
        if made_for := find_other_release(truth, folder):
            raise EvaluateError(f"{folder} holds results for {made_for}; name a new folder.")
        name = truth.root.resolve().name
        text = f"{name} {truth.identity.digest}\n"
        self._write(Path(RELEASE_FILE), text.encode())

    def classification(
        self, competition: str, name: str, image_ids: Sequence[str], confidences: ArrayLike
    ) -> Path:
        """Write the confidence that each image shows the class; the path of the file."""
        self._refuse_other("classification", competition, name, self.truth.classes)
        self._refuse_unlisted(image_ids, self.truth.images)
        numbers = _make_table(confidences, len(image_ids), 1)
        path = Path(f"Main/{competition}_cls_{self.truth.image_set}_{name}.txt")
        return self._write(path, _format_rows(image_ids, numbers))

    def detection(
        self,
        competition: str,
        name: str,
        image_ids: Sequence[str],
        confidences: ArrayLike,
        boxes: ArrayLike,
    ) -> Path:
        """Write boxes of the class, n x 4: left, top, right, bottom, from 1, both ends inside."""
        self._refuse_other("detection", competition, name, self.truth.classes)
        self._refuse_unlisted(image_ids, self.truth.images)
        count = len(image_ids)
        numbers = np.hstack([_make_table(confidences, count, 1), _make_table(boxes, count, 4)])
        path = Path(f"Main/{competition}_det_{self.truth.image_set}_{name}.txt")
        return self._write(path, _format_rows(image_ids, numbers))

    def segmentation(
        self, competition: str, image_id: str, classes: Labels, objects: Labels | None = None
    ) -> Path:
        """Write the class of each pixel in label order, 0 for background; and object numbers."""
        self._refuse_other("segmentation", competition)
        self._refuse_unlisted([image_id], self.truth.segmented)
        start = f"Segmentation/{competition}_{self.truth.image_set}"
        for labels in (classes, objects) if objects is not None else (classes,):
            if labels.shape != self.truth.size_hw(image_id) or labels.dtype != np.uint8:
                height, width = self.truth.size_hw(image_id)
                raise EvaluateError(
                    f"{image_id}: expected labels of uint8, {height} x {width}, got "
                    f"{labels.dtype}, {' x '.join(map(str, labels.shape))}"
                )
        if (most := int(classes.max(initial=0))) > len(self.truth.classes):
            raise EvaluateError(
                f"{image_id}: expected labels from 0 to {len(self.truth.classes)}, got {most}"
            )
        if objects is not None:
            self._write(Path(f"{start}_inst/{image_id}.png"), format_mask(objects))
        data = format_mask(self.truth.number_labels(classes))
        return self._write(Path(f"{start}_cls/{image_id}.png"), data)

    def layout(self, competition: str, layouts: Iterable[LayoutResult]) -> Path:
        """Write the parts of persons; in 2007 each layout has a box, since then an object."""
        is_2007 = self.truth.rules is Rules.VOC2007
        self._refuse_other("layout_2007" if is_2007 else "layout", competition)
        listed = list(layouts)
        if is_2007:
            self._refuse_unlisted([layout.key[0] for layout in listed], self.truth.layout_images)
        else:
            self._refuse_unlisted([layout.key for layout in listed], self.truth.layout_persons)
        for layout in listed:
            _refuse_unreadable(layout, is_2007)
        if not any(layout.parts for layout in listed):
            raise EvaluateError("expected at least one layout with a part, without which kits stop")
        ending = "_person" if is_2007 else ""
        path = Path(f"Layout/{competition}_layout_{self.truth.image_set}{ending}.xml")
        text = "".join(_format_layout(layout, is_2007) for layout in listed)
        return self._write(path, f"<results>\n{text}</results>\n".encode())

    def action(
        self, competition: str, name: str, persons: Sequence[Person], confidences: ArrayLike
    ) -> Path:
        """Write the confidence that each person, an image and an object, performs the action."""
        self._refuse_other("action", competition, name, self.truth.actions)
        self._refuse_unlisted(persons, self.truth.action_items(name)[0])
        objects = np.array([number for _, number in persons], np.float64)
        numbers = np.column_stack([objects, _make_table(confidences, len(persons), 1)])
        path = Path(f"Action/{competition}_action_{self.truth.image_set}_{name}.txt")
        return self._write(path, _format_rows([image_id for image_id, _ in persons], numbers))

    def _write(self, path: Path, data: bytes) -> Path:
        """Write a file that appears whole."""
        target = self.folder / path
        part = target.with_name(f".{target.name}.part")
        with explain_write_errors():
            target.parent.mkdir(parents=True, exist_ok=True)
            part.write_bytes(data)
            part.replace(target)
        return target

    def _refuse_other(
        self, task: str, competition: str, name: str = "", names: Sequence[str] = ()
    ) -> None:
        if competition not in COMPETITIONS[task]:
            there = ", ".join(COMPETITIONS[task])
            raise EvaluateError(f"{competition} is no competition for this task; it has {there}.")
        if name not in (names or [name]):
            raise EvaluateError(f"{name} is not of this release, which has {', '.join(names)}.")

    def _refuse_unlisted(self, items: Iterable[object], listed: Iterable[object]) -> None:
        known = frozenset(listed)
        unlisted = next((item for item in items if item not in known), None)
        if unlisted is not None:
            raise EvaluateError(
                f"{unlisted} is not listed in the set {self.truth.image_set} of this release."
            )


def _refuse_unreadable(layout: LayoutResult, is_2007: bool) -> None:
    """Raise EvaluateError over a layout that the evaluation would refuse."""
    if is_2007 and layout.box is None:
        raise EvaluateError(f"{layout.key[0]}: expected a layout with the box of its person")
    unknown = next((name for name, _ in layout.parts if name not in PART_CLASSES), None)
    if unknown is not None:
        raise EvaluateError(
            f"{layout.key[0]}: expected parts of {', '.join(PART_CLASSES)}, got {unknown!r}"
        )


def _make_table(values: ArrayLike, rows: int, columns: int) -> Floats:
    """The numbers as rows x columns; raises EvaluateError where they are others."""
    table = np.asarray(values, np.float64)
    if table.size == rows * columns and (columns == 1 or not rows):
        table = table.reshape(rows, columns)
    has_nan = bool(np.isnan(table).any())
    if table.shape != (rows, columns) or has_nan:
        raise EvaluateError(
            f"expected {rows:,} x {columns} numbers, got "
            f"{' x '.join(map(str, table.shape))}{', some of them NaN' if has_nan else ''}"
        )
    return table


def _format_rows(ids: Sequence[str], numbers: Floats) -> bytes:
    """All rows by one format, which takes less time than a call for each row."""
    count, columns = numbers.shape
    row = " ".join(["%s", *map(_choose_format, numbers.T)]) + "\n"
    fields: list[object] = [None] * (count * (columns + 1))
    fields[:: columns + 1] = ids
    for column in range(columns):
        fields[column + 1 :: columns + 1] = numbers[:, column].tolist()
    text: str = row * count % tuple(fields)
    return text.encode()


def _choose_format(column: Floats) -> str:
    """The shorter format where it loses nothing of what the caller had."""
    with np.errstate(over="ignore"):
        is_single = np.array_equal(column, column.astype(np.float32))
    return _SINGLE if is_single else _DOUBLE


def _format_number(number: float) -> str:
    return repr(float(number)).removesuffix(".0")


def _format_layout(layout: LayoutResult, is_2007: bool) -> str:
    image, number = layout.key
    lines = [f"<image>{escape(image)}</image>"]
    if not is_2007:
        lines.append(f"<object>{number}</object>")
    lines.append(f"<confidence>{_format_number(layout.confidence)}</confidence>")
    if is_2007 and layout.box is not None:
        lines += _format_box(layout.box)
    for part in layout.parts:
        lines += _format_part(part)
    inside = "".join(f"\t\t{line}\n" for line in lines)
    return f"\t<layout>\n{inside}\t</layout>\n"


def _format_part(part: Part) -> list[str]:
    name, box = part
    inside = [f"<class>{escape(name)}</class>", *_format_box(box)]
    return ["<part>", *(f"\t{line}" for line in inside), "</part>"]


def _format_box(box: Sequence[float]) -> list[str]:
    sides = zip(("xmin", "ymin", "xmax", "ymax"), box, strict=True)
    inside = (f"\t<{tag}>{_format_number(side)}</{tag}>" for tag, side in sides)
    return ["<bndbox>", *inside, "</bndbox>"]
