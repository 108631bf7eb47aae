"""Images of a made release, counted by hand: train 2 images, val 2, test 1."""

from dataclasses import replace

from catalog.annotated import AnnotatedObject
from qa.tables import CountedImage
from vockit.format.image_sets import Split

from .making import part, thing

CAT = thing("cat", (1, 1, 250, 375))


HARD_CAT = thing("cat", (10, 10, 20, 20), difficult=True)


STANDER = thing("person", (100, 50, 199, 249), actions=("other",))


HEAD = part("head", (120, 50, 160, 90))


WALKER = replace(STANDER, actions=("walking", "phoning"), parts=(HEAD,))


def counted(split: str | None, *objects: AnnotatedObject) -> CountedImage:
    return CountedImage(500, 375, objects, Split(split) if split else None)


# Counted by hand: train 2 images, val 2, test 1.
RELEASED = [
    counted("train", CAT, CAT, WALKER),
    counted("train", HARD_CAT),
    counted("val", CAT, HARD_CAT),
    counted("val", STANDER, WALKER),
    counted("test", WALKER),
]
