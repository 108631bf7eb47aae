"""Checks of what is said of objects (class, view, flags, actions, parts) and of the time taken."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from catalog.annotated import GROUP_OF
from catalog.box import intersection_px
from catalog.sentences import Sentence, name_term, say
from catalog.states import View, WordKind

from .findings import CheckedImage, Complaint, Frame


def find_unknown_classes(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """The preset never had the object's class."""
    retired = frame.words[WordKind.CLASS].retired.values()
    for item in image.objects:
        if frame.preset.find_class(item.class_name) is None and item.class_name not in retired:
            message = say("The preset has no class {class_name}.", class_name=item.class_name)
            yield Complaint(message, item)


def find_missing_views(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object of a class that has views has none."""
    if len(frame.preset.views) == 1:  # Unspecified
        return
    for item in image.objects:
        spec = frame.preset.find_class(item.class_name)
        if item.group_of:  # whose members look to different sides
            continue
        if spec is not None and spec.has_views and item.view == View.UNSPECIFIED:
            yield Complaint(say("No view set. Is it really unspecified?"), item)


def find_unknown_views(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has a view that the preset never had, or that its class does not have."""
    for item in image.objects:
        if not frame.list_unretired(WordKind.VIEW, [item.view]):
            continue
        spec = frame.preset.find_class(item.class_name)
        if frame.preset.find(WordKind.VIEW, item.view) is None:
            view = frame.display_word(WordKind.VIEW, item.view)
            yield Complaint(say("The preset has no view {view}.", view=view), item)
        elif spec is not None and not spec.has_views and item.view != View.UNSPECIFIED:
            message = say(
                "The class {class_name} has no views, but {view} is set.",
                class_name=name_term(spec.display),
                view=frame.display_word(WordKind.VIEW, item.view),
            )
            yield Complaint(message, item)


def find_unknown_flags(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has a flag that the preset does not have."""
    known: set[str] = {flag.name for flag in frame.preset.flags}
    if frame.settings.annotate.groups:
        known.add(GROUP_OF)
    for item in image.objects:
        follows = {"difficult"} if item.group_of else set()  # from the other flag
        for name in ("truncated", "occluded", "difficult", GROUP_OF):
            if getattr(item, name) and name not in known | follows:
                message = _say_unknown(name)
                yield Complaint(message, item, detail=name)


def _say_unknown(flag: str) -> Sentence:
    if flag == GROUP_OF:
        return say("Marked as a group, but this party does not use that flag.")
    return say("Marked {flag}, but this party does not use that flag.", flag=name_term(flag))


def find_unknown_actions(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has an action that the preset never had, or that its class does not have."""
    for item in image.objects:
        actions = frame.list_unretired(WordKind.ACTION, item.actions)
        for action in actions:
            if frame.preset.find(WordKind.ACTION, action) is None:
                name = frame.display_word(WordKind.ACTION, action)
                message = say("The preset has no action {action}.", action=name)
                yield Complaint(message, item, detail=action)
        spec = frame.preset.find_class(item.class_name)
        if actions and spec is not None and not spec.has_actions:
            name = name_term(spec.display)
            message = say(
                "The class {class_name} has no actions, but some are set.", class_name=name
            )
            yield Complaint(message, item)


def find_exclusive_actions(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """The action "other" is set together with another one."""
    alone = {action.key: action.display for action in frame.preset.actions if action.is_exclusive}
    for item in image.objects:
        for action in item.actions:
            if action in alone and len(set(item.actions)) > 1:
                message = say(
                    'The action "{action}" cannot be combined with others.',
                    action=name_term(alone[action]),
                )
                yield Complaint(message, item, detail=action)


def find_no_objects(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """The image has no object and was not discarded."""
    if not image.objects and not frame.settings.export.negatives:  # VOC's kits cannot read it
        yield Complaint(say("No object is marked. Discard the image instead."))


def find_short_time(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """The image was annotated too quickly."""
    limits = frame.settings.qa
    if image.active_secs is None:
        return
    least = max(limits.min_active_secs, limits.min_active_secs_per_object * len(image.objects))
    if image.active_secs < least:
        yield Complaint(
            say("Finished in {secs:.1f} s; please look again.", secs=image.active_secs),
            badness=1 - image.active_secs / least,
        )


def find_unknown_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has a part that the preset never had, or that its class does not have."""
    known = {part.key for part in frame.preset.parts}
    for item in image.objects:
        parts = frame.list_unretired(WordKind.PART, [part.word for part in item.parts])
        for word in sorted({*parts} - known):
            name = frame.display_word(WordKind.PART, word)
            message = say("The preset has no part {part}.", part=name)
            yield Complaint(message, item, detail=word)
        spec = frame.preset.find_class(item.class_name)
        if parts and spec is not None and not spec.has_parts:
            name = name_term(spec.display)
            message = say("The class {class_name} has no parts, but some are set.", class_name=name)
            yield Complaint(message, item)


def find_too_many_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """An object has more parts of one name than the preset allows."""
    most = {part.key: part.max_count for part in frame.preset.parts}
    for item in image.objects:
        for word, count in sorted(Counter(part.word for part in item.parts).items()):
            if word in most and count > most[word]:
                yield Complaint(
                    say(
                        "It has {count} parts named {part}; at most {most} are allowed.",
                        count=count,
                        part=frame.display_word(WordKind.PART, word),
                        most=most[word],
                    ),
                    item,
                    detail=word,
                )


def find_far_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """A part shares no pixel with the box of its object, or reaches far out of it."""
    for item in image.objects:
        most_px = frame.settings.qa.far_part_share * max(item.box.width_px, item.box.height_px)
        for part in item.parts:
            box = part.box
            whole = item.box
            before = (whole.xmin - box.xmin, whole.ymin - box.ymin)
            reach_px = max(*before, box.xmax - whole.xmax, box.ymax - whole.ymax)
            is_outside = not intersection_px(box, whole)
            if is_outside or reach_px > most_px:
                name = frame.display_word(WordKind.PART, part.word)
                if is_outside:
                    message = say("The {part} is outside the object's box.", part=name)
                else:
                    message = say("The {part} reaches far out of the object's box.", part=name)
                yield Complaint(message, item, f"{part.word} {box.xyxy}")


def find_large_parts(image: CheckedImage, frame: Frame) -> Iterator[Complaint]:
    """A part is larger than its object."""
    for item in image.objects:
        for part in item.parts:
            if part.box.area_px > item.box.area_px:
                detail = f"{part.word} {part.box.xyxy}"
                name = frame.display_word(WordKind.PART, part.word)
                message = say("The {part} is larger than the object.", part=name)
                yield Complaint(message, item, detail)
