"""What is chosen to be segmented, how far it is, and what it took."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from statistics import fmean, median
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, selectinload

from catalog.sentences import Sentence
from catalog.states import SegmentState
from catalog.tables import Object, Segmentation, SegmentChoice
from vockit.format.plural import format_count

from .choices import describe_wait

Json = dict[str, Any]


def load_listing(session: Session) -> Json:
    """Every chosen image, its drawing, and the seconds and inputs of its objects; the totals."""
    whole = selectinload(SegmentChoice.segmentation).selectinload(Segmentation.segments)
    chosen = select(SegmentChoice).order_by(SegmentChoice.image_id).options(whole)
    spent = _load_effort(session)
    classes_of = _load_classes(session)
    images: list[Json] = []
    agreement: dict[str, list[float]] = defaultdict(list)
    for choice in session.scalars(chosen):
        classes = classes_of.get(choice.image_id, {})
        for key, overlap in (choice.agreement or {}).items():
            agreement[classes.get(key, "")].append(overlap)
        wait = describe_wait(session, choice.image)
        images.append(_describe(choice, wait, classes, *spent.get(choice.image_id, (0.0, 0))))
    drawn = [item for image in images for item in image["objects"] if item["inputs"]]
    states = Counter(image["state"] for image in images)
    return {
        "images": images,
        "states": {state.value: states[state] for state in SegmentState},
        "objects": sum(len(image["objects"]) for image in images),
        "median_secs": median(item["drawn_secs"] for item in drawn) if drawn else None,
        "median_inputs": median(item["inputs"] for item in drawn) if drawn else None,
        "agreement": {name: fmean(overlaps) for name, overlaps in sorted(agreement.items())},
    }


def _load_effort(session: Session) -> dict[int, tuple[float, int]]:
    """The seconds and inputs that people spent on the drawings of each image."""
    sums = func.sum(Segmentation.active_secs), func.sum(Segmentation.inputs)
    current = select(Segmentation.image_id, *sums).where(Segmentation.is_stale.is_(False))
    rows = session.execute(current.group_by(Segmentation.image_id)).tuples()
    return {image_id: (secs, inputs) for image_id, secs, inputs in rows}


def _load_classes(session: Session) -> dict[int, dict[str, str]]:
    """The class of each object of the drawn images, by image and key."""
    named = select(SegmentChoice.image_id, Object.object_key, Object.class_name)
    named = named.join(Segmentation, Segmentation.id == SegmentChoice.segmentation_id)
    named = named.join(Object, Object.annotation_id == Segmentation.annotation_id)
    classes_of: dict[int, dict[str, str]] = defaultdict(dict)
    for image_id, key, name in session.execute(named).tuples():
        classes_of[image_id][key] = name
    return classes_of


def format_listing(listing: Json) -> Iterable[str]:
    """The listing as lines: what waits where, then each image."""
    if not listing["images"]:
        yield "No image is chosen; `vocparty segment choose --images N` chooses some."
        return
    states = ", ".join(f"{count} {state}" for state, count in listing["states"].items())
    yield f"{format_count(len(listing['images']), 'image')}: {states}."
    if listing["median_secs"] is not None:
        secs = listing["median_secs"]
        inputs = listing["median_inputs"]
        yield f"An object takes {secs:.0f} s and {inputs:.0f} inputs (medians)."
    for name, overlap in listing["agreement"].items():
        yield f"Two people agree on {name} with an IoU of {overlap:.2f}."
    for image in listing["images"]:
        author = f", drawn by {image['person']}" if image["person"] else ""
        twice = ", chosen to be drawn twice" if image["blind"] else ""
        waits = f"; waits: {image['waits']}" if image["waits"] else ""
        yield f"image {image['image_id']}: {image['state']}{author}{twice}{waits}"


def _describe(
    choice: SegmentChoice,
    wait: Sentence | None,
    classes: dict[str, str],
    active_secs: float,
    inputs: int,
) -> Json:
    drawing = choice.segmentation
    return {
        "image_id": choice.image_id,
        "state": choice.state,
        "waits": wait,
        "blind": choice.blind,
        "person": drawing.person.name if drawing else None,
        "active_secs": round(active_secs, 1),
        "inputs": inputs,
        "objects": [
            {
                "object_key": segment.object_key,
                "class": classes.get(segment.object_key, ""),
                "drawn_secs": segment.drawn_secs,
                "inputs": segment.inputs,
            }
            for segment in (drawing.segments if drawing else ())
            if segment.object_key is not None
        ],
    }
