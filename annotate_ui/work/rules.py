"""What a saved revision must keep to; pure, the judge of every rule that the page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from annotate_ui.api.schemas import (
    ObjectBody,
    PartBody,
    ReviewBody,
    RevisionBody,
    Xyxy,
    expect_one_of,
)
from annotate_ui.errors import InvalidError
from catalog.box import Box
from catalog.preset import ClassSpec, Preset
from catalog.states import View


@dataclass(frozen=True)
class Frame:
    """What objects are judged against: the image's size, the party's words and limits."""

    width_px: int
    height_px: int
    preset: Preset
    min_box_px: int
    max_objects: int
    more_reasons: tuple[str, ...] = ()
    must_judge_all: bool = False


Complaint = tuple[str, str]
"""The field that is wrong and what was expected of it."""


def check_revision(body: RevisionBody, frame: Frame) -> None:
    """Raise InvalidError for the first field of a save that breaks a rule."""
    _raise_first(_judge_revision(body, frame))


def rename_objects(
    objects: Sequence[ObjectBody], former_classes: Mapping[str, str]
) -> tuple[ObjectBody, ...]:
    """The objects with today's names of their classes; a page may have been opened before."""
    names = ((item, former_classes.get(item.class_name)) for item in objects)
    return tuple(it.model_copy(update={"class_name": now}) if now else it for it, now in names)


def check_review(body: ReviewBody, keys: frozenset[str], frame: Frame) -> None:
    """Raise InvalidError for the first field of a review of these objects that breaks a rule."""
    _raise_first(_judge_review(body, keys, frame))


def _raise_first(complaints: Iterator[Complaint]) -> None:
    for field, message in complaints:
        raise InvalidError(f"{field} is wrong: {message}.", field=field)


def _judge_revision(body: RevisionBody, frame: Frame) -> Iterator[Complaint]:
    reasons = [item.key for item in frame.preset.discard_reasons] + list(frame.more_reasons)
    if body.discard_reason is not None:
        if body.discard_reason not in reasons:
            yield "discard_reason", expect_one_of(reasons, body.discard_reason)
        if not body.finish:
            yield "finish", "expected true, as the image is discarded"
    for index, name in enumerate(body.unsure_classes):
        if name not in frame.preset.class_names:
            yield f"unsure_classes.{index}", expect_one_of(frame.preset.class_names, name)
        if name in body.unsure_classes[:index]:
            yield f"unsure_classes.{index}", f"expected {name[:100]} once"
    yield from _judge_objects(body.objects, frame, "objects")


def _judge_objects(objects: Sequence[ObjectBody], frame: Frame, prefix: str) -> Iterator[Complaint]:
    if len(objects) > frame.max_objects:
        yield prefix, f"expected at most {frame.max_objects} objects, got {len(objects)}"
    keys: set[str] = set()
    for index, item in enumerate(objects):
        field = f"{prefix}.{index}"
        if item.key in keys:
            yield f"{field}.key", f"expected a unique key, got {item.key} again"
        keys.add(item.key)
        yield from _judge_object(item, frame, field)


def _judge_object(item: ObjectBody, frame: Frame, field: str) -> Iterator[Complaint]:
    spec = frame.preset.find_class(item.class_name)
    if spec is None:
        yield f"{field}.class", expect_one_of(frame.preset.class_names, item.class_name)
        return
    yield from _judge_box(item.box, frame, f"{field}.box", frame.min_box_px)
    if item.view not in frame.preset.views:
        yield f"{field}.view", expect_one_of(frame.preset.views, item.view)
    if not spec.has_views and item.view is not View.UNSPECIFIED:
        yield f"{field}.view", f"expected Unspecified, as a {spec.display} has no view"
    flags = {flag.name for flag in frame.preset.flags if flag.set_by == "annotator"}
    for name in ("truncated", "occluded"):
        if getattr(item, name) and name not in flags:
            yield f"{field}.{name}", "expected false, as the party has no such flag"
    yield from _judge_actions(item.actions, spec, frame.preset, f"{field}.actions")
    yield from _judge_point(item.point, spec, frame, f"{field}.point")
    yield from _judge_parts(item.parts, spec, frame, f"{field}.parts")


def _judge_box(xyxy: Xyxy, frame: Frame, field: str, min_side_px: int) -> Iterator[Complaint]:
    try:
        box = Box(*xyxy)
    except ValueError as error:
        yield field, str(error)
        return
    if not box.is_inside(frame.width_px, frame.height_px):
        size = f"{frame.width_px} x {frame.height_px} pixels"
        yield field, f"expected a box inside the image of {size}, got {list(xyxy)}"
    if min(box.width_px, box.height_px) < min_side_px:
        size = f"{box.width_px} x {box.height_px}"
        yield field, f"expected sides of at least {min_side_px} pixels, got {size}"


def _judge_actions(
    actions: Sequence[str], spec: ClassSpec, preset: Preset, field: str
) -> Iterator[Complaint]:
    if actions and not spec.has_actions:
        yield field, f"expected none, as a {spec.display} has no actions"
    known = [action.name for action in preset.actions]
    for index, name in enumerate(actions):
        if name not in known:
            yield f"{field}.{index}", expect_one_of(known, name)
        if name in actions[:index]:
            yield f"{field}.{index}", f"expected {name} once"
    alone = [action.name for action in preset.actions if action.is_exclusive]
    for name in sorted(set(alone).intersection(actions)):
        if len(actions) > 1:
            yield field, f"expected {name} alone or not at all"


def _judge_point(
    point: tuple[int, int] | None, spec: ClassSpec, frame: Frame, field: str
) -> Iterator[Complaint]:
    if point is None:
        return
    if not spec.has_actions:
        yield field, f"expected null, as a {spec.display} has no actions"
    x, y = point
    if not (1 <= x <= frame.width_px and 1 <= y <= frame.height_px):
        yield field, f"expected a point inside the image, got {list(point)}"


def _judge_parts(
    parts: Sequence[PartBody], spec: ClassSpec, frame: Frame, field: str
) -> Iterator[Complaint]:
    if parts and not spec.has_parts:
        yield field, f"expected none, as a {spec.display} has no parts"
    most = {part.name: part.max_count for part in frame.preset.parts}
    seen = Counter[str]()
    for index, part in enumerate(parts):
        seen[part.name] += 1
        if part.name not in most:
            yield f"{field}.{index}.name", expect_one_of(list(most), part.name)
        elif seen[part.name] > most[part.name]:
            yield f"{field}.{index}.name", f"expected at most {most[part.name]}"
        yield from _judge_box(part.box, frame, f"{field}.{index}.box", min_side_px=1)


def _judge_review(body: ReviewBody, keys: frozenset[str], frame: Frame) -> Iterator[Complaint]:
    is_accepted, is_corrected, is_returned = (
        body.verdict == verdict for verdict in ("accept", "mended", "returned")
    )
    if is_accepted and body.complete is False:
        yield "complete", "expected true or null, as the image is accepted"
    if frame.must_judge_all and not is_returned:
        if body.complete is None:
            yield "complete", "expected an answer whether anything is missing"
        if unseen := keys - {item.key for item in body.objects if item.judged}:
            yield "objects", f"expected a verdict on each object, {len(unseen)} have none"
    comments = [body.comment, *(item.comment for item in body.objects)]
    if is_returned and not any(text.strip() for text in comments):
        yield "comment", "expected a comment that says why it goes back"
    yield from _judge_object_verdicts(body, keys, is_accepted)
    if is_corrected and body.mended is None:
        yield "mended", "expected the corrected objects"
    if not is_corrected and body.mended is not None:
        yield "mended", f"expected null, as the verdict is {body.verdict}"
    if body.mended is not None:
        yield from _judge_objects(body.mended.objects, frame, "mended.objects")


def _judge_object_verdicts(
    body: ReviewBody, keys: frozenset[str], is_accepted: bool
) -> Iterator[Complaint]:
    seen: set[str] = set()
    for index, item in enumerate(body.objects):
        if item.key not in keys:
            yield f"objects.{index}.key", f"the revision has no object {item.key}"
        if item.key in seen:
            yield f"objects.{index}.key", "expected one verdict an object"
        if is_accepted and item.verdict == "reject":
            yield f"objects.{index}.verdict", "expected accept, as the whole is accepted"
        seen.add(item.key)
