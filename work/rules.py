"""What a saved revision must keep to; pure, the judge of every rule that the page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from catalog.box import Box
from catalog.class_changes import name_today
from catalog.preset import ClassSpec, Preset
from catalog.refusals import expect_one_of, refuse
from catalog.sentences import name_term, say
from catalog.states import Verdict, View
from work.bodies import FixedBody, ObjectBody, PartBody, ReviewBody, RevisionBody, Xyxy

B = TypeVar("B", RevisionBody, FixedBody)


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


def check_revision(body: RevisionBody, frame: Frame) -> None:
    """Raise InvalidError for the first field of a save that breaks a rule."""
    reasons = [item.key for item in frame.preset.discard_reasons] + list(frame.more_reasons)
    if body.discard_reason is not None:
        if body.discard_reason not in reasons:
            refuse("discard_reason", expect_one_of(reasons, body.discard_reason))
        if not body.finish:
            refuse("finish", say("expected true, as the image is discarded"))
    check_words(body.unsure_classes, frame.preset.class_names, "unsure_classes")
    _check_objects(body.objects, frame, "objects")


def rename_objects(body: B, former_classes: Mapping[str, str]) -> B:
    """The body with today's names of classes; the page may have been opened before a change."""
    names = ((item, former_classes.get(item.class_name)) for item in body.objects)
    objects = tuple(
        item.model_copy(update={"class_name": now}) if now else item for item, now in names
    )
    changes: dict[str, object] = {"objects": objects}
    if isinstance(body, RevisionBody) and former_classes:
        changes["unsure_classes"] = name_today(body.unsure_classes, former_classes)
    return body.model_copy(update=changes)


def check_review(body: ReviewBody, keys: frozenset[str], frame: Frame) -> None:
    """Raise InvalidError for the first field of a review of these objects that breaks a rule."""
    is_corrected = body.verdict is Verdict.FIXED
    if body.verdict is Verdict.ACCEPT and body.complete is False:
        refuse("complete", say("expected true or null, as the image is accepted"))
    if frame.must_judge_all and body.verdict is not Verdict.RETURNED:
        if body.complete is None:
            refuse("complete", say("expected an answer whether anything is missing"))
        if unseen := keys - {item.key for item in body.objects if item.judged}:
            refuse(
                "objects",
                say("expected a verdict on each object, {count} have none", count=len(unseen)),
            )
    comments = [body.comment, *(item.comment for item in body.objects)]
    if body.verdict is Verdict.RETURNED and not any(text.strip() for text in comments):
        refuse("comment", say("expected a comment that says why it goes back"))
    _check_verdicts(body, keys)
    if is_corrected and body.fixed is None:
        refuse("fixed", say("expected the fixed objects"))
    if not is_corrected and body.fixed is not None:
        refuse("fixed", say("expected null, as the verdict is {verdict}", verdict=body.verdict))
    if body.fixed is not None:
        _check_objects(body.fixed.objects, frame, "fixed.objects")


def check_words(words: Sequence[str], known: Iterable[str], field: str) -> None:
    """Each word is a known one, and stands there once."""
    for index, word in enumerate(words):
        if word not in known:
            refuse(f"{field}.{index}", expect_one_of(known, word))
        if word in words[:index]:
            refuse(f"{field}.{index}", say("expected {word} once", word=word))


def _check_verdicts(body: ReviewBody, keys: frozenset[str]) -> None:
    """Raise InvalidError for the first verdict on an object that breaks a rule."""
    seen: set[str] = set()
    for index, item in enumerate(body.objects):
        if item.key not in keys:
            refuse(f"objects.{index}.key", say("the revision has no object {key}", key=item.key))
        if item.key in seen:
            refuse(f"objects.{index}.key", say("expected one verdict an object"))
        if body.verdict is Verdict.ACCEPT and item.verdict == "reject":
            refuse(f"objects.{index}.verdict", say("expected accept, as the whole is accepted"))
        seen.add(item.key)


def _check_objects(objects: Sequence[ObjectBody], frame: Frame, prefix: str) -> None:
    if len(objects) > frame.max_objects:
        refuse(
            prefix,
            say(
                "expected at most {most} objects, got {count}",
                most=frame.max_objects,
                count=len(objects),
            ),
        )
    keys: set[str] = set()
    for index, item in enumerate(objects):
        field = f"{prefix}.{index}"
        if item.key in keys:
            refuse(f"{field}.key", say("expected a unique key, got {key} again", key=item.key))
        keys.add(item.key)
        _check_object(item, frame, field)


def _check_object(item: ObjectBody, frame: Frame, field: str) -> None:
    spec = frame.preset.find_class(item.class_name)
    if spec is None:
        refuse(f"{field}.class", expect_one_of(frame.preset.class_names, item.class_name))
    _check_box(item.box, frame, f"{field}.box", frame.min_box_px)
    if item.view not in frame.preset.views:
        refuse(f"{field}.view", expect_one_of(frame.preset.views, item.view))
    if not spec.has_views and item.view != View.UNSPECIFIED:
        refuse(
            f"{field}.view",
            say(
                "expected Unspecified, as a {class_name} has no view",
                class_name=name_term(spec.display),
            ),
        )
    flags = {flag.name for flag in frame.preset.flags if flag.set_by == "annotator"}
    for name in ("truncated", "occluded"):
        if getattr(item, name) and name not in flags:
            refuse(f"{field}.{name}", say("expected false, as the party has no such flag"))
    _check_actions(item.actions, spec, frame.preset, f"{field}.actions")
    if item.point is not None:
        if not spec.has_actions:
            refuse(
                f"{field}.point",
                say(
                    "expected null, as a {class_name} has no actions",
                    class_name=name_term(spec.display),
                ),
            )
        x, y = item.point
        if not (1 <= x <= frame.width_px and 1 <= y <= frame.height_px):
            refuse(
                f"{field}.point",
                say("expected a point inside the image, got {point}", point=str(list(item.point))),
            )
    _check_parts(item.parts, spec, frame, f"{field}.parts")


def _check_box(xyxy: Xyxy, frame: Frame, field: str, min_side_px: int) -> None:
    try:
        box = Box(*xyxy)
    except ValueError:
        edges = str(list(xyxy))
        refuse(field, say("expected 1 <= xmin <= xmax and 1 <= ymin <= ymax, got {box}", box=edges))
    if not box.is_inside(frame.width_px, frame.height_px):
        size = f"{frame.width_px} x {frame.height_px} pixels"
        refuse(
            field,
            say(
                "expected a box inside the image of {size}, got {box}",
                size=size,
                box=str(list(xyxy)),
            ),
        )
    if min(box.width_px, box.height_px) < min_side_px:
        size = f"{box.width_px} x {box.height_px}"
        refuse(
            field,
            say(
                "expected sides of at least {least} pixels, got {size}",
                least=min_side_px,
                size=size,
            ),
        )


def _check_actions(actions: Sequence[str], spec: ClassSpec, preset: Preset, field: str) -> None:
    if actions and not spec.has_actions:
        refuse(
            field,
            say(
                "expected none, as a {class_name} has no actions",
                class_name=name_term(spec.display),
            ),
        )
    check_words(actions, [action.name for action in preset.actions], field)
    for action in preset.actions:
        if action.is_exclusive and action.name in actions and len(actions) > 1:
            refuse(field, say("expected {action} alone or not at all", action=action.name))


def _check_parts(parts: Sequence[PartBody], spec: ClassSpec, frame: Frame, field: str) -> None:
    if parts and not spec.has_parts:
        refuse(
            field,
            say(
                "expected none, as a {class_name} has no parts", class_name=name_term(spec.display)
            ),
        )
    most = {part.name: part.max_count for part in frame.preset.parts}
    seen = Counter[str]()
    for index, part in enumerate(parts):
        seen[part.name] += 1
        if part.name not in most:
            refuse(f"{field}.{index}.name", expect_one_of(most, part.name))
        if seen[part.name] > most[part.name]:
            refuse(f"{field}.{index}.name", say("expected at most {most}", most=most[part.name]))
        _check_box(part.box, frame, f"{field}.{index}.box", min_side_px=1)
