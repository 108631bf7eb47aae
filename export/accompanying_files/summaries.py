"""Figures of a release, counted over the images that it shows from what is recorded of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any

from export.plan import ReleasePlan, is_taster
from vockit.report.intervals import estimate_share_by_image

ALL = "all classes"


@dataclass(frozen=True)
class Looks:
    """What people looked at: of the shown objects, and of the shown images.

    `judged`, `drawn` and `passed` objects were judged one by one, drawn, or passed with their
    image, by the last checker of the image; `complete` of the `asked` images lack no object, says
    that checker. Of the annotations that came with a tree or labels a second person passed
    `as_imported` here; `trees` counts the others that came with a tree, by its name.
    """

    judged: int
    drawn: int
    passed: int
    complete: int
    asked: int
    as_imported: int
    trees: dict[str, int]


@dataclass(frozen=True)
class Labels:
    """What became of the annotations that came with labels of other tools, of the shown images.

    Of `images`, `changed` ones were changed here, `accepted` ones a person here accepted as they
    came, and `unseen` ones count as checked as they came. A person here annotated `doubled` ones of
    all these once more without seeing them.
    """

    images: int
    changed: int
    accepted: int
    unseen: int
    doubled: int


def count_labels(plan: ReleasePlan) -> Labels:
    """What became of labels of other tools, each shown image once."""
    became = Counter[str]()
    doubled = 0
    judgements = plan.facts.get("judgements", {})
    for image in plan.annotated:
        judgement = judgements.get(image.public_id, {})
        if not judgement.get("tool"):
            continue
        doubled += bool(judgement.get("is_doubled"))
        if image.row.annotation_id != judgement["brought"]:
            became["changed"] += 1
        else:
            became["accepted" if image.row.has_second_look else "unseen"] += 1
    return Labels(
        images=became.total(),
        changed=became["changed"],
        accepted=became["accepted"],
        unseen=became["unseen"],
        doubled=doubled,
    )


def count_looks(plan: ReleasePlan) -> Looks:
    """What people looked at, each shown object and image once."""
    judged = drawn = passed = complete = asked = as_imported = 0
    trees = Counter[str]()
    judgements = plan.facts.get("judgements", {})
    for image in plan.annotated:
        judgement = judgements.get(image.public_id, {})
        if tree := judgement.get("tree"):
            as_imported += image.row.has_second_look
            trees[tree] += not (image.row.has_second_look or judgement.get("tool"))
        if not judgement.get("is_checked"):
            continue
        judged += len(judgement["judged"])
        drawn += len(judgement.get("drawn", ()))
        passed += len(image.row.objects)
        asked += judgement["is_complete"] is not None
        complete += bool(judgement["is_complete"])
    return Looks(
        judged=judged,
        drawn=drawn,
        passed=passed - judged - drawn,
        complete=complete,
        asked=asked,
        as_imported=as_imported,
        trees={tree: count for tree, count in sorted(trees.items()) if count},
    )


@dataclass(frozen=True)
class AskedCount:
    """How many of the shown images show a class, do not, and were not asked about it."""

    name: str
    shown: int
    not_shown: int
    not_asked: int


def count_asked(plan: ReleasePlan) -> list[AskedCount]:
    """The counts of each class, in label order; without images that are in no class list."""
    images = [image for image in plan.annotated if not is_taster(image)]
    asked_of = [plan.asked(image) for image in images]
    shown_of = [{item.name for item in plan.records[image.public_id].objects} for image in images]
    counts = list[AskedCount]()
    for name in plan.recipe.classes:
        answers = [
            name in shown
            for asked, shown in zip(asked_of, shown_of, strict=True)
            if asked is None or name in asked
        ]
        count = AskedCount(
            name=name,
            shown=sum(answers),
            not_shown=len(answers) - sum(answers),
            not_asked=len(images) - len(answers),
        )
        counts.append(count)
    return counts


def describe_agreement(plan: ReleasePlan) -> dict[str, Any]:
    """The last measured agreement, with the labels that the shown images may lack."""
    figures_of = dict(plan.facts.get("agreement") or {})
    missing = dict(figures_of.pop("labels missing in an image", {}))
    assumption = missing.pop("assumption", "")
    images = len(plan.annotated)
    for when, figures in missing.items():
        value, low, high = (
            f"{images * end:,.0f}" if end is not None else "any number" for end in figures
        )
        figures_of[f"labels that these {images:,} images are expected to lack, {when}"] = (
            f"{value} ({low} to {high}, with 95 %), {assumption}"
        )
    return figures_of


def summarize_drawings(plan: ReleasePlan) -> dict[str, Any] | None:
    """The figures of the drawings whose masks the release shows; medians are of their objects."""
    if not plan.masked:
        return None
    recorded = plan.facts["drawn"]
    ids = {(image.form and image.form.segmentation_id) or 0 for image in plan.masked}
    efforts = [
        effort
        for key in sorted(ids & plan.drawings.keys())
        for effort in plan.drawings[key].efforts.values()
    ]
    summary = {name: recorded[name] for name in ("void_width_px", "difficult_masks")}
    summary["objects"] = len(efforts)
    if efforts:
        summary["median_secs"] = round(median(secs for secs, _ in efforts), 1)
        summary["median_inputs"] = round(median(inputs for _, inputs in efforts), 1)
    inputs = [
        count
        for image in plan.masked
        for count in recorded["check_inputs"].get(image.public_id, ())
    ]
    summary["median_check_inputs"] = median(inputs) if inputs else None
    return summary | {"agreement": _average_overlaps(plan)}


def _average_overlaps(plan: ReleasePlan) -> dict[str, list[float | None]]:
    """By class the mean IoU, its interval of 95 % by image, and the objects."""
    recorded = plan.facts["drawn"]["overlaps"]
    overlaps_of = defaultdict[str, dict[str, list[float]]](lambda: defaultdict(list))
    for image in plan.masked:
        for class_name, overlap in recorded.get(image.public_id, ()):
            overlaps_of[class_name][image.public_id].append(overlap)
            overlaps_of[ALL][image.public_id].append(overlap)
    agreement: dict[str, list[float | None]] = {}
    for name in (name for name in (*plan.recipe.classes, ALL) if name in overlaps_of):
        overlaps = list(overlaps_of[name].values())
        mean = estimate_share_by_image(
            [sum(values) for values in overlaps], [len(values) for values in overlaps]
        )
        agreement[name] = [round(mean.value, 3), None, None, mean.count]
        if len(overlaps) > 1:
            agreement[name][1:3] = [round(mean.low, 3), round(mean.high, 3)]
    return agreement


def count_second_annotations(plan: ReleasePlan) -> dict[str, int] | None:
    """What the method people has; None where none is to be shown.

    That are images and the people who annotated them, masks and their drawers, and discards.
    """
    facts = plan.facts.get("people")
    if plan.is_blind or not facts:
        return None
    ids = {image.public_id for image in plan.images}
    people_of = {key: answer["person"] for key, answer in facts["images"].items() if key in ids}
    drawers_of = {key: person for key, person in facts["masks"].items() if key in ids}
    if not people_of and not drawers_of:
        return None
    return {
        "images": len(people_of),
        "people": len({*people_of.values()}),
        "masks": len(drawers_of),
        "drawers": len({*drawers_of.values()}),
        "discarded": facts["discarded"],
    }
