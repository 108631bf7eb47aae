"""release.json and splits.json: where each image came from, and how the sets are balanced."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Any

from catalog.annotated import GROUP_OF, AnnotatedObject
from catalog.image_store import digest_of
from vockit.format.class_counts import Count, Table, count_by_set, format_columns
from vockit.format.image_sets import BALANCED, Split
from vockit.format.plural import format_count, is_or_are
from vockit.verify.seals import join_digests, seal

from .fields import count_fields
from .plan import PlannedImage, ReleasePlan, is_taster
from .rows import DrawingRow, PhotoRow, ReviewRow
from .suggestions import find_detector, find_way, format_suggestions


def format_manifest(plan: ReleasePlan) -> str:
    """The manifest's text: one JSON document, with a line for each image."""
    notes: dict[str, Any] = {"extends": plan.notes.extends, "forced": plan.notes.forced}
    if plan.notes.corrections:
        shown = {image.public_id for image in plan.annotated}
        corrections = [
            correction for correction in plan.notes.corrections if correction["image_id"] in shown
        ]
        notes |= {"corrects": plan.notes.corrects, "corrections": corrections}
    hidden = {image.public_id for image in plan.images if plan.hides(image)}
    for name, left_out in (("unbound", plan.notes.unbound), ("torn", plan.notes.torn)):
        if left_out:
            notes[name] = [image for image in left_out if hidden.isdisjoint(image["kept"])]
    if plan.notes.images_without_file:
        notes["images_without_file"] = plan.notes.images_without_file
    if plan.notes.blind_salt is not None:
        seals = {
            image.public_id: _seal(plan, image) for image in plan.images if image.split.is_test
        }
        sealed = digest_of(join_digests(seals))
        notes["blind"] = {"is_open": not plan.is_blind, "seal": sealed}
        notes["blind"] |= {} if plan.is_blind else {"salt": plan.notes.blind_salt}
    head = {
        "format": 1,
        "release": plan.name,
        "year": plan.year,
        "settings": plan.recipe.to_json(),
        "about": plan.notes.about,
        "part": plan.notes.part,
        "sampling": plan.facts.get("target") if _is_searched(plan) else None,
        **_format_tables(plan),
        **({"digest": plan.notes.digest} if plan.notes.digest else {}),
        "withdrawn": plan.withdrawn,
        **_format_fields(plan),
        **format_suggestions(plan),
        **notes,
    }
    return _format_document(head, {"images": (_image(plan, image) for image in plan.images)})


def _is_searched(plan: ReleasePlan) -> bool:
    """Whether a search found any photograph of the release."""
    return any(photo.query_class for image in plan.images for photo in image.row.photos)


def _format_tables(plan: ReleasePlan) -> dict[str, Any]:
    """The tables of photographs that the party collected from; nothing where there was none."""
    listed = (plan.notes.facts or {}).get("tables")
    return {"tables": listed} if listed else {}


def _format_fields(plan: ReleasePlan) -> dict[str, Any]:
    """Of how many objects people decided each field; nothing of what came with a tree alone."""
    if plan.notes.facts is None:
        return {}
    fields = {
        count.name: {
            "decided": count.decided,
            "imported": count.imported,
            "objects": count.objects,
        }
        for count in count_fields(plan)
    }
    return {"fields": fields}


def _format_document(head: Mapping[str, Any], lists: Mapping[str, Iterable[Any]]) -> str:
    """One JSON document with a line for each element of the lists."""
    encoder = json.JSONEncoder(
        ensure_ascii=False, default=lambda value: value.isoformat().replace("+00:00", "Z")
    )
    dump = encoder.encode
    parts = [dump(head).removesuffix("}")]
    parts += [
        f'"{name}": [\n' + ",\n".join(map(dump, rows)) + "\n]" for name, rows in lists.items()
    ]
    return ", ".join(parts) + "}\n"


def _seal(plan: ReleasePlan, image: PlannedImage) -> str:
    masks = image.form.masks if image.form else {}
    annotation = plan.annotation(image).encode()
    return seal(plan.notes.blind_salt or "", image.public_id, annotation, masks)


def _image(plan: ReleasePlan, image: PlannedImage) -> dict[str, Any]:
    """The line of an image; a hidden one has a seal, and no digest by which it could be found."""
    row = image.row
    named = {"id": image.public_id, "set": image.split}
    if plan.hides(image):
        return {**named, "seal": _seal(plan, image)}
    shared: dict[str, Any] = {
        **named,
        "sha256": image.jpeg_sha256,
        "stored_sha256": row.sha256,
        "original_sha256": row.original_sha256,
        "photos": [_photo(photo) for photo in row.photos],
    }
    if kinds := ((plan.notes.facts or {}).get("pictures") or {}).get("metadata", {}):
        shared |= {"metadata": kinds[image.public_id]} if image.public_id in kinds else {}
    if (asked := plan.asked(image)) is not None:
        shared["asked"] = asked
    if old_name := plan.notes.renamed.get(image.public_id):
        shared["old_name"] = old_name
    if image.is_blind:  # its revision stands for one that was held back, and its objects too
        return {**shared, "is_blind": True}
    drawing = plan.find_drawing(image)
    drawn = {"segmentation": _drawing(drawing, row.objects)} if drawing else {}
    return {
        **shared,
        "revision": row.annotation_id,
        "objects": [
            _object(plan, image, place, item) for place, item in enumerate(row.objects, start=1)
        ],
        "revisions": [
            {
                "id": revision.id,
                "parent_id": revision.parent_id,
                "person": revision.person._asdict(),
                "saved_at": revision.saved_at,
            }
            for revision in row.revisions
        ],
        "reviews": [_review(review) for review in row.reviews],
    } | drawn


def _object(
    plan: ReleasePlan, image: PlannedImage, number: int, item: AnnotatedObject
) -> dict[str, Any]:
    """An object; how it was made, if the release has any that was made of a suggestion.

    Of a box around a group it says so.
    """
    drawn_in = image.row.find_drawn_in(item)
    line = {"number": number, "class": item.class_name, "drawn_in": drawn_in}
    if item.group_of:
        line |= {GROUP_OF: True}
    if plan.has_suggestions:
        detector = find_detector(image, item)
        line |= {"made": find_way(plan, image, item, drawn_in)}
        line |= {"suggestion_set": detector.id} if detector else {}
    return line


def _drawing(drawing: DrawingRow, objects: Sequence[AnnotatedObject]) -> dict[str, Any]:
    numbers = {item.key: number for number, item in enumerate(objects, start=1)}
    efforts = [(numbers[key], *effort) for key, effort in drawing.efforts.items() if key in numbers]
    keys = ("id", "verdict", "person", "reviewed_at")
    reviews = [{key: _review(review)[key] for key in keys} for review in drawing.reviews]
    outlines = [
        {"number": numbers[key], "suggestion_set": detector.id}
        for key, detector in drawing.outlined_by.items()
        if key in numbers
    ]
    return {
        "id": drawing.id,
        "revision": drawing.annotation_id,
        "person": drawing.person._asdict(),
        "saved_at": drawing.saved_at,
        "reviews": reviews,
        "objects": [
            {"number": number, "active_secs": round(secs, 1), "inputs": round(inputs, 1)}
            for number, secs, inputs in sorted(efforts)
        ],
    } | ({"outlines": sorted(outlines, key=itemgetter("number"))} if outlines else {})


def _photo(photo: PhotoRow) -> dict[str, Any]:
    plain = ("source", "source_id", "owner_id", "owner_name", "title")
    return {
        **{name: getattr(photo, name) for name in plain},
        "licence": {"id": photo.licence_id, "name": photo.licence_name, "url": photo.licence_url},
        "page_url": photo.page_url,
        "uploaded_at": photo.uploaded_at,
        "taken_at": photo.taken_at,
        "sampling": photo.sampling,
        "query": {"class": photo.query_class, "keyword": photo.query_keyword},
        "window": {"start_at": photo.window_start_at, "end_at": photo.window_end_at},
        "found": {"at": photo.found_at, "page": photo.result_page},
    }


def _review(review: ReviewRow) -> dict[str, Any]:
    return {
        "id": review.id,
        "revision": review.annotation_id,
        "verdict": review.verdict,
        "fixed_in": review.fixed_annotation_id,
        "person": review.person._asdict(),
        "reviewed_at": review.reviewed_at,
    }


SPLITS = "splits.json"
UNITS = "images", "objects"
MOST_CLASSES = 40
MOST_GROUPS = 3
"""Shown on a terminal."""
FEWEST_IMAGES = 10
"""Of a class with fewer no set can have the wanted share."""


@dataclass(frozen=True)
class SplitReport:
    """The counts of all images and each class by set; deviations are in points of a share.

    They are of classes with FEWEST_IMAGES or more in the sets that have a share; `few` are the
    others. They are None where there
    is no such class, and where images were imported without their annotation.
    """

    splits: tuple[Split, ...]
    rows: tuple[tuple[str | None, tuple[Count, ...]], ...]
    mean_deviation: float | None = None
    max_deviation: float | None = None
    held_back: Mapping[Split, int] = field(default_factory=dict)
    few: tuple[str, ...] = ()
    unknown: frozenset[Split] = frozenset()
    """Sets of which no image shows its annotation."""


def report_splits(plan: ReleasePlan) -> SplitReport:
    """What the sets hold of all images and each shown class, and how far off that is.

    Without images for one task alone, which no list of Main names.
    """
    counted = [image for image in plan.images if not is_taster(image)]
    classes, totals = _count_objects(plan, counted)
    images = Counter(image.split for image in counted)
    whole = tuple(
        Count(images[split], count.objects)
        for split, count in zip(plan.splits, totals, strict=True)
    )
    rows = ((None, whole), *(row for row in classes if any(count.images for count in row[1])))
    held_back = Counter(image.split for image in counted if image.is_blind)
    if held_back:
        unknown = frozenset(split for split, count in held_back.items() if count == images[split])
        held_back_of = dict(sorted(held_back.items()))
        return SplitReport(plan.splits, rows, held_back=held_back_of, unknown=unknown)
    balanced = {name: counts[: len(BALANCED)] for name, counts in rows[1:] if name}
    images_of = {name: sum(count.images for count in balanced[name]) for name in balanced}
    few = tuple(name for name, number in images_of.items() if number < FEWEST_IMAGES)
    points = _measure_deviations(
        (counts for name, counts in balanced.items() if name not in few), plan.recipe.shares
    )
    if not points:
        return SplitReport(plan.splits, rows, few=few)
    mean = round(sum(points) / len(points), 3)
    return SplitReport(plan.splits, rows, mean, round(max(points), 3), few=few)


def _count_objects(
    plan: ReleasePlan, images: Iterable[PlannedImage]
) -> tuple[tuple[tuple[str, tuple[Count, ...]], ...], tuple[Count, ...]]:
    """The counts of each class by set in images whose annotation is known, and those of all."""
    held = (
        (image.split, [(item.class_name,) for item in image.row.objects])
        for image in images
        if not image.is_blind
    )
    return count_by_set(held, plan.recipe.classes, plan.splits)


def _measure_deviations(
    classes: Iterable[Sequence[Count]], shares: Mapping[Split, float]
) -> list[float]:
    """By how many points each set is off its share, in images and objects of each class."""
    return [
        100 * abs(getattr(count, unit) / total - shares[split])
        for counts in classes
        for unit in UNITS
        if (total := sum(getattr(count, unit) for count in counts))
        for split, count in zip(BALANCED, counts, strict=True)
    ]


def format_splits(plan: ReleasePlan) -> str:
    """The report's text: one JSON document with a line for each class and each group."""
    report = report_splits(plan)
    head: dict[str, Any] = {
        "wanted": plan.recipe.shares,
        "mean_deviation_points": report.mean_deviation,
        "max_deviation_points": report.max_deviation,
    }
    if report.few:
        head["classes_of_fewer_than_ten_images"] = report.few
    if report.held_back:
        head["held_back"] = report.held_back
    classes = [
        {"class": name} | {unit: _count_unit(report, name, counts, unit) for unit in UNITS}
        for name, counts in report.rows
    ]
    split_of = {image.public_id: image.split for image in plan.images}
    groups = [
        {"set": split_of[group.images[0]], "bound_by": group.relations, "images": group.images}
        for group in plan.notes.groups
    ]
    parted = [
        {
            "sets": {public_id: split_of[public_id] for public_id in group.images},
            "bound_by": group.relations,
        }
        for group in plan.notes.parted
    ]
    lists: dict[str, Iterable[Any]] = {"classes": classes, "groups": groups}
    if parted:
        lists["parted"] = parted
    return _format_document(head, lists)


def _count_unit(
    report: SplitReport, name: str | None, counts: Sequence[Count], unit: str
) -> dict[Split, int | None]:
    """The images or objects by set; None where annotations are held back, which is not 0."""
    of_set: dict[Split, int | None] = {
        split: getattr(count, unit) for split, count in zip(report.splits, counts, strict=True)
    }
    is_known = name is None and unit == "images"
    return of_set | ({} if is_known else dict.fromkeys(report.unknown))


def _describe_asked(plan: ReleasePlan) -> Iterator[str]:
    """How many images were not asked about every class, if any, and how many are in test sets."""
    tasters = [image for image in plan.asked_in_part if is_taster(image)]
    if tasters:
        yield (
            f"{len(tasters)} of {format_count(len(plan.annotated), 'image')} "
            f"{is_or_are(len(tasters))} in the lists of Layout or Action alone; the table does not "
            f"count {'it' if len(tasters) == 1 else 'them'}."
        )
    asked = [image for image in plan.asked_in_part if not is_taster(image)]
    if asked:
        sizes = Counter(image.split for image in asked)
        tests = [split for split in plan.splits if split.is_test and not plan.is_blind]
        in_tests = "".join(f", {sizes[split]} of them in {split}" for split in tests)
        yield (
            f"{len(asked)} of {format_count(len(plan.annotated), 'image')} "
            f"{'was' if len(asked) == 1 else 'were'} not asked about every class{in_tests}."
        )


def iterate_lines(plan: ReleasePlan) -> Iterator[str]:
    """What each set holds of each class, by how much that is off, and the largest groups."""
    report = report_splits(plan)
    shown = [
        (name or "all", [_count_unit(report, name, counts, unit) for unit in UNITS])
        for name, counts in report.rows[: MOST_CLASSES + 1]
    ]
    heads = ("name", *(f"{split}_{word}" for split in report.splits for word in ("img", "obj")))
    rows = [
        [name, *(unit[split] for split in report.splits for unit in units)] for name, units in shown
    ]
    yield from format_columns(Table("", "", "", heads, rows))
    if len(report.rows) > MOST_CLASSES + 1:
        yield f"and {len(report.rows) - MOST_CLASSES - 1} classes more, all in splits.json"
    if report.mean_deviation is not None and report.max_deviation is not None:
        yield (
            f"Class balance across splits: off by {report.mean_deviation:.2f} percentage points "
            f"on average, {report.max_deviation:.2f} at worst."
        )
    if report.few:
        few = format_count(len(report.few), "class", "classes")
        yield f"Class balance is not told of {few} with fewer than ten images."
    for split, count in report.held_back.items():
        yield (
            f"The annotation of {format_count(count, 'image')} of {split} is held back: no class "
            f"counts them, and how far the classes of the sets are off is not known."
        )
    yield from _describe_asked(plan)
    if plan.masked:
        yield f"{len(plan.masked)} of {len(plan.annotated)} images have segmentation masks."
    if not (groups := plan.notes.groups):
        return
    bound = sum(len(group.images) for group in groups)
    number = format_count(len(groups), "group")
    yield f"{bound} images are in {number} that must stay in one split; the largest:"
    for group in groups[:MOST_GROUPS]:
        names = ", ".join(group.images[:3]) + (", ..." if len(group.images) > 3 else "")
        yield f"  {len(group.images)} images by {' and '.join(group.relations)}: {names}"
    # owners of whom a set would have to be larger than wanted
    shared = [image for image in plan.images if image.split in BALANCED]
    owners = Counter(
        photo.owner_name or photo.owner_id
        for image in shared
        for photo in image.row.photos[:1]
        if photo.owner_id
    )
    for owner, count in owners.most_common(MOST_GROUPS):
        share = count / len(shared)
        if share > min(filter(None, plan.recipe.shares.values())):
            yield (
                f"{owner} took {count} of {len(shared)} images ({share:.0%}). They must stay "
                "in one set, which makes sets hard to balance; collect more photographs of others."
            )
