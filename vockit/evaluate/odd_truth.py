"""Notes on a truth that is scored as the development kit reads it, and looks wrong."""

from __future__ import annotations

from collections.abc import Iterator

from vockit.format.plural import format_count
from vockit.format.records import VocImage

from .scores import Submission
from .truth import Truth


def note_odd_truth(truth: Truth) -> Iterator[str]:
    """A sentence on numbers that are read otherwise than meant, and one on boxes in no picture."""
    if truth.lost_numbers:
        image_id, reason = min(truth.lost_numbers.items())
        count = format_count(len(truth.lost_numbers), "annotation")
        yield (
            f"{count} read as the development kit does, which drops commas in numbers and takes "
            f"the first of several boxes; the first: {image_id}, {reason}."
        )
    odd = [
        (image_id, number)
        for image_id, image in sorted(truth.read_so_far.items())
        for number in _list_odd(image)
    ]
    if odd:
        image_id, number = odd[0]
        boxes = format_count(len(odd), "box", "boxes")
        yield (
            f"{boxes} of the annotations with swapped ends or outside of the picture, scored as "
            f"they are; the first: object {number} of {image_id}. `vocparty verify` lists each."
        )


def _list_odd(image: VocImage) -> Iterator[int]:
    """The numbers of the objects whose box is in no order, or reaches out of the stated size."""
    width, height = (image.size.width, image.size.height) if image.size else (0, 0)
    for number, item in enumerate(image.objects, start=1):
        box = item.box
        is_inside = 1 <= box.xmin <= box.xmax and 1 <= box.ymin <= box.ymax
        if width and height:
            is_inside = is_inside and box.xmax <= width and box.ymax <= height
        if not is_inside:
            yield number


def note_contradictions(submission: Submission) -> Iterator[str]:
    """A sentence on labels of class lists that are not those of the annotations that were read."""
    truth = submission.truth
    scored = submission.tasks.get("classification", {}).values()
    names = dict.fromkeys(name for classes in scored for name in classes)
    told = [sentence for name in names for sentence in _list_contradictions(truth, name)]
    if told:
        labels = format_count(len(told), "label")
        yield (
            f"{labels} of class lists {'is' if len(told) == 1 else 'are'} not what the annotations "
            f"say; classification goes by the lists, detection by the annotations. The first: "
            f"{told[0]}. `vocparty verify` lists each."
        )


def _list_contradictions(truth: Truth, name: str) -> Iterator[str]:
    """Each label of the class that its image's annotation contradicts."""
    places, labels = truth.class_items(name)
    if labels is None:
        return
    for image_id, image in truth.read_so_far.items():
        if image_id not in places:
            continue
        shown = [not item.difficult for item in image.objects if item.name == name]
        label, of_objects = int(labels[places[image_id]]), int(any(shown)) if shown else -1
        if label != of_objects:
            yield f"{label} for {name} in {image_id}, whose annotation gives {of_objects}"
