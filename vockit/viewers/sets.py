"""The images of a set with all that is annotated: boxes, masks, parts, actions (viewanno.m)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from vockit.evaluate.errors import ChoiceError
from vockit.format import tree
from vockit.format.records import VocBox, VocObject
from vockit.kit import Release, ReleaseImage

from .page import Mark, Slide

FLAGS = ("truncated", "occluded", "difficult")
_MASKS = {"class": tree.SEGMENTATION_CLASS, "object": tree.SEGMENTATION_OBJECT}


def make_slides(release: Release, image_set: str, folder: str, class_name: str) -> list[Slide]:
    """A slide for each image of the set in that folder of lists, or of those with the class.

    Raises EvaluateError where the set cannot be read, or the class is not one of the release.
    """
    classes = release.classes(image_set)
    if class_name and class_name not in classes:
        raise ChoiceError(f"Unknown class {class_name!r}; there are {', '.join(classes)}.")
    colours = {name: find_colour(number) for number, name in enumerate(classes)}
    images = release.images(image_set, folder)
    return [
        _make_slide(image, colours)
        for image in images
        if not class_name or class_name in _list_classes(image)
    ]


def _list_classes(image: ReleaseImage) -> set[str]:
    """The classes of its objects; none where the annotation is held back."""
    if not image.truth.is_annotated(image.image_id):
        return set()
    return {item.name for item in image.objects}


def _make_slide(image: ReleaseImage, colours: dict[str, str]) -> Slide:
    """The picture with its objects; without them where the annotation is held back."""
    marks: list[Mark] = []
    head = "The annotation of this image is held back."
    if image.truth.is_annotated(image.image_id):
        for number, item in enumerate(image.objects, 1):
            marks += _mark_object(number, item, colours.get(item.name, "#ffffff"))
        head = f"{len(image.objects)} object{'' if len(image.objects) == 1 else 's'}"
    masks = {
        kind: path
        for kind, place in _MASKS.items()
        if (path := image.truth.root / tree.mask_path(place, image.image_id)).is_file()
    }
    return Slide(image.image_id, image.path, image.size_wh, marks, head, masks=masks)


def _mark_object(number: int, item: VocObject, colour: str) -> Iterator[Mark]:
    flags = [flag for flag in FLAGS if getattr(item, flag)]
    pose = [item.pose] if item.pose and item.pose != "Unspecified" else []
    actions = [action.name for action in item.actions or () if action.is_performed]
    details = ", ".join([*pose, *flags, *actions])
    label = " ".join([item.name, *actions])
    text = f"{number}. {item.name}{': ' if details else ''}{details}"
    yield Mark(list_sides(item.box), ("object",), label, text, colour)
    for part in item.parts:
        yield Mark(list_sides(part.box), ("part",), part.name, part.name, colour)
    if item.point is not None:
        place = [float(item.point.x), float(item.point.y)] * 2
        yield Mark(place, ("object",), "", "", colour)


def list_sides(box: VocBox) -> Sequence[float]:
    """Left, top, right and bottom."""
    return [float(side) for side in (box.xmin, box.ymin, box.xmax, box.ymax)]


def find_colour(number: int) -> str:
    """The colour of a class; by the golden angle, near numbers differ most."""
    return f"hsl({number * 137.508 % 360:.0f} 95% 65%)"
