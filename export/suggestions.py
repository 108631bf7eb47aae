"""What a release says of suggestions: how objects were drawn, accepted, confirmed or corrected."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from catalog.annotated import AnnotatedObject
from catalog.states import Suggested
from catalog.suggested import Detector
from vockit.format.image_sets import Split
from vockit.format.plural import format_count

from .plan import PlannedImage, ReleasePlan

DRAWN = "drawn"
IMPORTED = "imported"
CONFIRMED = "confirmed"
"""Accepted as it was by its author, after two people called its crop right."""
WAYS = (DRAWN, "accepted", CONFIRMED, "corrected", IMPORTED)


def find_way(plan: ReleasePlan, image: PlannedImage, item: AnnotatedObject, drawn_in: int) -> str:
    """How an object was made: one of WAYS; `drawn_in` is the revision that gave it its box."""
    suggested = image.row.suggested.get(item.key)
    if suggested is not None:
        return CONFIRMED if suggested.is_confirmed else suggested.made.value
    judgement = plan.facts.get("judgements", {}).get(image.public_id) or {}
    is_brought = image.form is not None or judgement.get("brought") == drawn_in
    return IMPORTED if is_brought else DRAWN


def find_detector(image: PlannedImage, item: AnnotatedObject) -> Detector | None:
    """Whose suggestion an object was made of; None where it was none."""
    suggested = image.row.suggested.get(item.key)
    return suggested.detector if suggested is not None else None


def count_ways(plan: ReleasePlan) -> dict[Split, Counter[str]]:
    """How many of the shown objects of each set were made in which way."""
    counts: dict[Split, Counter[str]] = {split: Counter() for split in plan.splits}
    for image in plan.annotated:
        for item in image.row.objects:
            drawn_in = image.row.find_drawn_in(item)
            counts[image.split][find_way(plan, image, item, drawn_in)] += 1
    return counts


def list_detectors(plan: ReleasePlan, images: Iterable[PlannedImage]) -> list[Detector]:
    """The sets of suggestions that objects or outlines of these images were made of."""
    detectors = set[Detector]()
    for image in images:
        detectors.update(item.detector for item in image.row.suggested.values())
        drawing = plan.find_drawing(image)
        outlined = drawing.outlined.values() if drawing else ()
        detectors.update(outline.detector for outline in outlined)
    return sorted(detectors, key=lambda detector: detector.id)


def count_outlines(plan: ReleasePlan) -> dict[Detector, Counter[Suggested]]:
    """How many outlines of the shown objects are of each model: as they were, and corrected."""
    counts = defaultdict[Detector, Counter[Suggested]](Counter)
    for image in plan.annotated:
        drawing = plan.find_drawing(image)
        outlined = drawing.outlined if drawing is not None else {}
        for item in image.row.objects:
            if outline := outlined.get(item.key):
                counts[outline.detector][outline.made] += 1
    return dict(sorted(counts.items()))


def list_test_detectors(plan: ReleasePlan) -> list[Detector]:
    """Those of the test sets, also where their annotation is held back: it favours their model."""
    return list_detectors(plan, (image for image in plan.images if image.split.is_test))


def format_suggestions(plan: ReleasePlan) -> dict[str, Any]:
    """What release.json says of the whole; nothing where there were no suggestions."""
    if not plan.has_suggestions:
        return {}
    of_tests = list_test_detectors(plan)
    detectors = sorted({*list_detectors(plan, plan.annotated), *of_tests})
    objects = {
        split: {way: counts[way] for way in WAYS if counts[way]}
        for split, counts in count_ways(plan).items()
    }
    about = {
        "sets": [detector._asdict() for detector in detectors],
        "objects": objects,
        "sets_of_tests": [detector.id for detector in of_tests],
    }
    if outlines := count_outlines(plan):
        about["outlines"] = {
            str(detector.id): dict(sorted(counts.items())) for detector, counts in outlines.items()
        }
    return {"suggestions": about}


def describe_suggestions(plan: ReleasePlan) -> Iterator[str]:
    """How many objects of each set were made in which way, and whose suggestions they were."""
    if not plan.has_suggestions:
        return
    for split, counts in count_ways(plan).items():
        if total := sum(counts.values()):
            ways = ", ".join(f"{counts[way]:,} {way}" for way in WAYS if counts[way])
            yield f"{split}: of {format_count(total, 'object')} {ways}."
    for detector in list_detectors(plan, plan.annotated):
        yield f"Suggestions of {_describe(detector)}."
    for detector, of_model in count_outlines(plan).items():
        yield (
            f"{format_count(of_model.total(), 'outline')} of a model, "
            f"{of_model[Suggested.ACCEPTED]:,} accepted and {of_model[Suggested.CORRECTED]:,} "
            f"corrected by a person: {detector.name} (set {detector.id})."
        )


def describe_test_detectors(plan: ReleasePlan) -> str:
    """A warning that names the detectors of the test sets; empty where there was none."""
    detectors = list_test_detectors(plan)
    if not detectors:
        return ""
    names = "; ".join(map(_describe, detectors))
    return (
        f"Objects of the test sets were made of suggestions of {names}. Results of such a model, "
        "or of one like it, may look better than they are."
    )


def _describe(detector: Detector) -> str:
    licence = f", {detector.licence}" if detector.licence else ""
    return f"{detector.name} (set {detector.id}, digest {detector.sha256[:12]}{licence})"
