"""Label Studio's JSON: a list of tasks with their annotations."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from .json_stream import JsonFault, iterate_rows
from .shapes import (
    TwiceReadDataset,
    draw_ellipse,
    list_corners,
    read_corners,
    sort_attributes,
    turn,
)
from .values import NO_PICTURE, Corner, ForeignImage, ForeignObject, Note, NoteKind

Edges = tuple[float, float, float, float]
Rings = tuple[tuple[Corner, ...], ...]
_UPLOAD = re.compile(r"[0-9a-f]{8}-")
_ANSWERS = {"choices": "choices", "textarea": "text", "number": "number", "rating": "rating"}
"""Questions on a region, and where their answers stand."""
_LABELS = {"rectanglelabels": "box", "polygonlabels": "polygon", "ellipselabels": "ellipse"}


class LabelStudioDataset(TwiceReadDataset):
    """The pictures of the tasks."""

    form = "Label Studio"

    def iterate_images(self) -> Iterator[ForeignImage]:
        """A picture for each task; of a damaged file those before the damage."""
        for path in self._paths:
            file = path.relative_to(self.root).as_posix()
            try:
                for number, row in enumerate(iterate_rows(path), start=1):
                    yield self._make_image(file, number, row)
            except JsonFault as fault:
                if self._is_noting:
                    message = f"{fault}; tasks after it are missing"
                    self.notes.append(Note(NoteKind.FILE, "no whole JSON", file, message))

    def _make_image(self, file: str, number: int, row: object) -> ForeignImage:
        task = row if isinstance(row, dict) else {}
        place = f"{file}, task {task.get('id', number)}"
        data = task.get("data")
        given = _find_picture_name(data if isinstance(data, dict) else {})
        name = self._find_picture(given) if given else None
        if name is None:
            return ForeignImage(name=given or place, place=place, reason=NO_PICTURE)
        notes: list[Note] = []
        results = _choose_results(place, task, notes)
        answers = _gather_answers(results)
        shapes = (result for result in results if not _is_answer(result, answers))
        objects = [_read_result(place, result, answers, notes) for result in shapes]
        size_wh = next((size for size in map(_read_size, results) if size), None)
        is_labelled = bool(_list_annotations(task))
        return self._make_whole(name, place, size_wh, objects, notes, is_labelled=is_labelled)

    def _find_picture(self, given: str) -> str | None:
        """The picture of an address; uploads have eight digits before their names."""
        try:
            parts = urlsplit(given)
        except ValueError:  # such as a bracket that is not closed
            return None
        local = parse_qs(parts.query).get("d", [""])[0]
        path = local or unquote(parts.path)
        name = path.rpartition("/")[2]
        for wanted in (path.lstrip("/"), name, _UPLOAD.sub("", name, count=1)):
            if wanted and (place := self._pictures.find(wanted, ("", "images"))):
                return place
        return None


def _find_picture_name(data: Mapping[str, Any]) -> str:
    """The address of the task's picture: `image`, else the first text of the task."""
    values = [data.get("image"), *data.values()]
    return next((value for value in values if isinstance(value, str) and value), "")


def _choose_results(place: str, task: Mapping[str, Any], notes: list[Note]) -> list[dict[str, Any]]:
    """The results of the annotation that counts: the ground truth, else the first."""
    annotations = _list_annotations(task)
    annotations.sort(key=lambda row: not row.get("ground_truth"))
    if len(annotations) > 1:
        message = f"{len(annotations) - 1} annotations of other people are left out"
        note = Note(NoteKind.NOT_KEPT, "second annotation", place, message, len(annotations) - 1)
        notes.append(note)
    results = annotations[0].get("result") if annotations else []
    return [row for row in (results if isinstance(results, list) else []) if isinstance(row, dict)]


def _list_annotations(task: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What people finished of the task, which may be that it shows nothing."""
    given = task.get("annotations")
    return [
        row
        for row in (given if isinstance(given, list) else [])
        if isinstance(row, dict) and not row.get("was_cancelled")
    ]


def _gather_answers(results: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """What was answered of each outlined region, by its id: values by the name of the question."""
    regions = {str(row.get("id")) for row in results if row.get("type") in _LABELS}
    answers: dict[str, dict[str, Any]] = {region: {} for region in regions}
    for row in results:
        value = row.get("value")
        kind = row.get("type")
        given = value.get(_ANSWERS.get(str(kind), "")) if isinstance(value, dict) else None
        region = str(row.get("id"))
        if given is not None and region in answers:
            is_single = isinstance(given, list) and len(given) == 1
            answers[region][str(row.get("from_name"))] = given[0] if is_single else given
    return answers


def _is_answer(result: Mapping[str, Any], answers: Mapping[str, Any]) -> bool:
    return result.get("type") in _ANSWERS and str(result.get("id")) in answers


def _read_size(result: Mapping[str, Any]) -> tuple[int, int] | None:
    width = result.get("original_width")
    height = result.get("original_height")
    is_size = isinstance(width, int) and isinstance(height, int) and min(width, height) > 0
    return (width, height) if is_size else None  # type: ignore[return-value]


def _read_result(
    task: str,
    result: Mapping[str, Any],
    answers: Mapping[str, Mapping[str, Any]],
    notes: list[Note],
) -> ForeignObject | None:
    """The object of a result; None, with a note, where it has no box."""
    place = f"{task}, result {result.get('id')}"
    kind = str(result.get("type"))
    value = result.get("value")
    size_wh = _read_size(result)
    given = value.get(kind) if isinstance(value, dict) else None
    labels = given if isinstance(given, list) else []
    label = labels[0] if labels else None
    if kind not in _LABELS:
        message = f"{kind} is no box and no outline"
        notes.append(Note(NoteKind.OBJECT, kind, place, message))
        return None
    if not isinstance(value, dict) or not isinstance(label, str) or not label.strip():
        notes.append(Note(NoteKind.OBJECT, "label", place, "it has no label"))
        return None
    if size_wh is None:
        message = "it does not say the size of its picture, in which its numbers are percent"
        notes.append(Note(NoteKind.OBJECT, "size", place, message))
        return None
    try:
        edges, rings = _read_value(kind, value, size_wh)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        message = f"it has no {error}" if isinstance(error, KeyError) else str(error)
        notes.append(Note(NoteKind.OBJECT, "shape", place, f"its {_LABELS[kind]}: {message}"))
        return None
    meta = result.get("meta")
    about = {**(meta if isinstance(meta, dict) else {}), **answers.get(str(result.get("id")), {})}
    if len(labels) > 1:
        about["labels"] = labels
        message = f"of its {len(labels)} labels {label.strip()[:60]!r} is the class; all are its "
        notes.append(Note(NoteKind.CHANGED, "second label", place, f"{message}attribute labels"))
    attributes = sort_attributes(about)
    return ForeignObject(
        key=f"studio-{result.get('id')}"[:50],
        place=place,
        class_name=label.strip(),
        edges=edges,
        rings=rings,
        said=_LABELS[kind],
        view=attributes.view,
        stated=attributes.stated,
        attributes=attributes.others,
        **attributes.flags,
    )


def _read_value(
    kind: str, value: Mapping[str, Any], size_wh: tuple[int, int]
) -> tuple[Edges | None, Rings]:
    """The box or the outline in pixels; KeyError, TypeError and ValueError."""
    across = size_wh[0] / 100
    down = size_wh[1] / 100
    if kind == "polygonlabels":
        corners = read_corners(value["points"], 3)
        return None, (tuple((x * across, y * down) for x, y in corners),)
    left = float(value["x"]) * across
    top = float(value["y"]) * down
    degrees = float(value.get("rotation") or 0)
    if kind == "ellipselabels":
        ring = draw_ellipse((left, top), value["radiusX"] * across, value["radiusY"] * down)
        return None, (turn(ring, (left, top), degrees),)
    edges = (left, top, left + value["width"] * across, top + value["height"] * down)
    if not degrees:
        return edges, ()
    return None, (turn(list_corners(edges), (left, top), degrees),)  # around its first corner
