"""Generated annotation records, and what the development kit should make of each."""

from __future__ import annotations

from hypothesis import strategies as st

from vockit.format.read import POSES
from vockit.format.records import (
    Number,
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocOwner,
    VocPart,
    VocPoint,
    VocSize,
    VocSource,
)
from vockit.format.text import fit_text

from .kit_reader import KitObject, KitRecord

WIDTH = 500
HEIGHT = 375
ACTIONS = ("jumping", "other", "phoning", "walking")

texts = st.text(max_size=30).map(fit_text).filter(bool)
words = st.text("ABXYZabxyz059_.-éü", min_size=1, max_size=20)
flags = st.none() | st.booleans()


def numbers(largest: int) -> st.SearchStrategy[Number]:
    """Mostly whole pixels, sometimes a fraction, as in two files of VOC2012."""
    whole = st.integers(1, largest)
    return whole | st.floats(1, largest).map(lambda x: int(x) if x == int(x) else x)


X = numbers(WIDTH)
Y = numbers(HEIGHT)
corners = st.tuples(X, Y, X, Y)
boxes = corners.map(
    lambda sides: VocBox(*map(min, sides[:2], sides[2:]), *map(max, sides[:2], sides[2:]))
)
actions = st.lists(st.booleans(), min_size=len(ACTIONS), max_size=len(ACTIONS)).map(
    lambda flags: tuple(VocAction(name, flag) for name, flag in zip(ACTIONS, flags, strict=True))
)
points = st.builds(VocPoint, X, Y)
parts = st.builds(VocPart, words, boxes)


def objects(has_actions: bool, has_point: bool) -> st.SearchStrategy[VocObject]:
    return st.builds(
        VocObject,
        name=words,
        box=boxes,
        pose=st.none() | st.sampled_from(POSES),
        truncated=flags,
        occluded=flags,
        difficult=flags,
        parts=st.lists(parts, max_size=5).map(tuple),
        actions=actions if has_actions else st.none(),
        point=points if has_point else st.none(),
    )


@st.composite
def images(draw: st.DrawFn) -> VocImage:
    """Records that an annotation file can hold."""
    kind = objects(draw(st.booleans()), draw(st.booleans()))
    return VocImage(
        filename=draw(words),
        folder=draw(words),
        objects=tuple(draw(st.lists(kind, min_size=1, max_size=4))),
        source=draw(st.builds(VocSource, texts, texts, texts, st.none() | texts)),
        owner=draw(st.none() | st.builds(VocOwner, st.none() | texts, texts)),
        size=VocSize(WIDTH, HEIGHT, 3),
        segmented=draw(st.booleans()),
    )


def kit_view(image: VocImage) -> KitRecord:
    """What the kit of 2012 should read from the file of the record, in any style."""
    assert image.source is not None
    assert image.size is not None
    return KitRecord(
        folder=_bytes(image.folder),
        filename=_bytes(image.filename),
        database=_bytes(image.source.database),
        annotation=_bytes(image.source.annotation),
        image=_bytes(image.source.image),
        imgsize=(image.size.width, image.size.height, image.size.depth or 0),
        segmented=bool(image.segmented),
        objects=tuple(_kit_object(item) for item in image.objects),
    )


def _bytes(text: str | None) -> str:
    assert text is not None
    return text.encode().decode("latin-1")


def _kit_object(item: VocObject) -> KitObject:
    return KitObject(
        name=_bytes(item.name),
        view="" if item.pose in (None, "Unspecified") else str(item.pose),
        truncated=bool(item.truncated),
        occluded=bool(item.occluded),
        difficult=bool(item.difficult),
        bbox=_bbox(item.box),
        parts=tuple(
            KitObject(_bytes(part.name), "", False, False, False, _bbox(part.box))
            for part in item.parts
        ),
        actions=None
        if item.actions is None
        else tuple((action.name, action.is_performed) for action in item.actions),
        point=None if item.point is None else (item.point.x, item.point.y),
    )


def _bbox(box: VocBox) -> tuple[float, float, float, float]:
    return box.xmin, box.ymin, box.xmax, box.ymax
