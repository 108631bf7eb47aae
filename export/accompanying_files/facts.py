"""Facts of the party and of each image, recorded with a release for its accompanying texts.

Facts on images are stored for each image, and counted when a text is written. So a blind release,
the opened one and a copy without withdrawn images each count their own images.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from typing import Any

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from catalog import tables
from catalog.annotated import describe_looks
from catalog.at_rest import count_at_rest, rests_in
from catalog.imports import load_imports
from catalog.party import Party
from catalog.settings import UNDATED_MONTHS, ExportSettings
from catalog.states import BlindKind, ImageState, Verdict
from export.loading import iterate_rows
from export.notes import Facts
from export.plan import PlannedImage, ReleasePlan

_PASS = ("format", "files", "seed", "photos_per_month", "dates", "rows", "answers")
_QUERY = ("source", "class_name", "keyword", "searches", "matches", "draws")


def load_facts(session: Session, party: Party) -> Facts:
    """The facts on the party for the datasheet of a release that is made now."""
    collect = party.settings.collect
    last = collect.last_date or session.scalar(select(func.max(tables.Photo.found_at)))
    imports = load_imports(session)
    return {
        "party": party.settings.name,
        "target": {
            "dates": collect.dates,
            "first_date": f"{collect.first_date}",
            "last_date": f"{last or collect.first_date:%Y-%m-%d}",
        },
        "preset_title": party.preset.title,
        "queries": _load_queries(session),
        "tables": _load_tables(session),
        "photos": _count(session, tables.Photo.state),
        "images": count_at_rest(session),
        "discarded": _count(
            session,
            tables.Annotation.discard_reason,
            tables.Image.annotation_id == tables.Annotation.id,
            rests_in([ImageState.DISCARDED]),
            tables.Annotation.discard_reason.is_not(None),
        ),
        "duplicates": _count(
            session, tables.Duplicate.relation, tables.Duplicate.undone_at.is_(None)
        ),
        "verdicts": _count(
            session,
            tables.Review.verdict,
            tables.Review.set_aside_at.is_(None),
            tables.Review.person_id.not_in(imports),
        ),
        "annotators": _load_people(session, tables.Annotation, imports),
        "checkers": _load_people(session, tables.Review, imports),
        "checks": _load_checks(session),
        "agreement": _load_agreement(session),
    }


def _load_queries(session: Session) -> list[dict[str, Any]]:
    """The queries with how many photographs of each are images that were not removed since."""
    query = tables.Query
    photo = tables.Photo
    image = tables.Image
    removed = (ImageState.DUPLICATE, ImageState.BROKEN, ImageState.TAKEN_DOWN)
    kept = select(photo.query_id, func.count(photo.image_id.distinct()))
    kept = kept.join(image, image.id == photo.image_id).where(image.state.not_in(removed))
    kept_of = dict(session.execute(kept.group_by(photo.query_id)).tuples().all())
    ordered = select(query).where(query.class_name != "")  # an imported tree has none
    ordered = ordered.order_by(query.class_name, query.keyword, query.id)
    return [
        {column: getattr(row, column) for column in _QUERY} | {"kept": kept_of.get(row.id, 0)}
        for row in session.scalars(ordered)
    ]


def _load_tables(session: Session) -> list[dict[str, Any]]:
    """The tables that photographs may have been collected from, also those removed since."""
    rows = session.scalars(select(tables.TablePass).order_by(tables.TablePass.id))
    return [
        {
            "name": row.name,
            "sha256": row.sha256,
            "sample_sha256": row.sample_sha256,
            "passed_at": f"{row.passed_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        }
        | {name: row.about[name] for name in _PASS}
        | {"photos_of_all_months": row.about["photos_per_month"] * UNDATED_MONTHS}
        for row in rows
    ]


def _load_checks(session: Session) -> list[dict[str, Any]]:
    """What became of the findings of each check."""
    columns = tables.Finding.check_name, tables.Finding.severity, tables.Finding.verdict
    rows = session.execute(select(*columns, func.count()).group_by(*columns))
    counts = defaultdict[tuple[str, str], dict[str, int]](dict)
    for name, severity, verdict, count in rows:
        counts[name, severity]["open" if verdict is None else verdict.value] = count
    return [
        {"name": name, "severity": severity, "verdicts": dict(sorted(verdicts.items()))}
        for (name, severity), verdicts in sorted(counts.items())
    ]


def _load_agreement(session: Session) -> dict[str, Any] | None:
    """The last measured agreement."""
    if (measured := session.get(tables.Measurement, "agreement")) is None:
        return None
    at = f"{measured.measured_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    return {"measured at": at} | measured.value


def _load_people(
    session: Session,
    table: type[tables.Annotation] | type[tables.Review],
    imports: Mapping[int, str],
) -> Facts:
    """The people with rows in the table that no undo set aside, and their hours; no imports."""
    counts = table.set_aside_at.is_(None), table.person_id.not_in(imports)
    sums = select(func.count(), func.coalesce(func.sum(table.active_secs), 0.0))
    rows, secs = session.execute(sums.where(*counts)).one()
    who = select(table.person_id).where(*counts)
    people = _count(session, tables.Person.is_simulated, tables.Person.id.in_(who))
    facts = {"people": sum(people.values()), "simulated": people.get("True", 0), "rows": rows}
    return facts | {"active_hours": float(secs) / 3600}


def _count(session: Session, column: Any, *wanted: Any) -> dict[str, int]:
    """How many of the wanted rows have each value of the column."""
    statement = select(column, func.count()).where(*wanted).group_by(column)
    counted = {str(getattr(key, "value", key)): count for key, count in session.execute(statement)}
    return dict(sorted(counted.items()))


@dataclass(frozen=True)
class Judgement:
    """What people, not an import, said of a released revision; numbers are those of its objects.

    The last checker judged the objects of `judged` one by one, and drew those of `drawn`, which no
    second person judged; `is_complete` is whether a checker said that no object is missing, None
    where no one was asked. An organiser judged whether
    those of `difficult` are. `tree` is the imported one that the revision itself came with, and
    `brought` the id of the revision that came with a tree, of this one and those it grew from;
    `tool` wrote the labels that it came with, where it is not of a VOC tree. `is_doubled` says that
    a person here annotated the image once more without seeing it.
    """

    judged: tuple[int, ...] = ()
    drawn: tuple[int, ...] = ()
    is_checked: bool = False
    is_complete: bool | None = None
    difficult: tuple[int, ...] = ()
    tree: str | None = None
    brought: int | None = None
    tool: str | None = None
    is_doubled: bool = False


def load_judgements(session: Session, plan: ReleasePlan) -> dict[str, Judgement]:
    """The judgements of all images with an annotation, by public id."""
    images = [image for image in plan.images if not image.is_blind]
    imports = load_imports(session)
    last = _load_last_reviews(session, images, imports)
    judged_difficult = _load_difficulty(session, images)
    authors = select(tables.Annotation.id, tables.Annotation.person_id)
    ids = [revision.id for image in images for revision in image.row.revisions]
    author_of = {
        row.id: row.person_id for row in iterate_rows(session, authors, tables.Annotation.id, ids)
    }
    tool_of = _load_tools(session, ids)
    doubled = _list_doubled(session, images)
    drawn = _load_drawn(session, images, last)
    judgements = dict[str, Judgement]()
    for image in images:
        review = last.get(image.row.annotation_id)
        chain = (revision.id for revision in image.row.revisions)
        brought = next((key for key in chain if author_of[key] in imports), None)
        judgements[image.public_id] = Judgement(
            judged=() if review is None else _list_judged(image, review),
            drawn=drawn.get(image.row.annotation_id, ()),
            is_checked=review is not None,
            is_complete=None if review is None else review.is_complete,
            difficult=judged_difficult.get(image.row.id, ()),
            tree=imports.get(author_of[image.row.annotation_id]),
            brought=brought,
            tool=tool_of.get(brought or 0),
            is_doubled=image.row.id in doubled,
        )
    return judgements


def _load_tools(session: Session, revision_ids: list[int]) -> dict[int, str]:
    """The tool that wrote the labels that a revision came with."""
    column = tables.Origin.annotation_id
    rows = iterate_rows(session, select(column, tables.Origin.form), column, revision_ids)
    return {row.annotation_id: row.form for row in rows}


def _list_doubled(session: Session, images: list[PlannedImage]) -> set[int]:
    """The images that a second person annotated blind, to the end."""
    task = tables.BlindTask
    finished = select(task.image_id).where(
        task.kind == BlindKind.DOUBLE, task.finished_at.is_not(None)
    )
    image_ids = [image.row.id for image in images]
    return {row.image_id for row in iterate_rows(session, finished, task.image_id, image_ids)}


def _load_last_reviews(
    session: Session, images: list[PlannedImage], imports: Mapping[int, str]
) -> dict[int, tables.Review]:
    """The last review of people that let each of these revisions pass, by revision."""
    review = tables.Review
    ids = {image.row.annotation_id for image in images}
    given = select(review).where(
        review.set_aside_at.is_(None),
        review.person_id.not_in(imports),
        or_(review.verdict == Verdict.ACCEPT, review.verdict == Verdict.FIXED),
    )
    last = dict[int, tables.Review]()
    for row in session.scalars(given.order_by(review.reviewed_at, review.id)):
        is_accepted = row.verdict == Verdict.ACCEPT
        passed = row.annotation_id if is_accepted else row.fixed_annotation_id
        if passed in ids:
            last[passed] = row
    return last


def _list_judged(image: PlannedImage, review: tables.Review) -> tuple[int, ...]:
    """The objects that the checker judged one by one."""
    judged = {verdict["object_key"] for verdict in review.object_verdicts if verdict.get("judged")}
    return tuple(
        number for number, item in enumerate(image.row.objects, start=1) if item.key in judged
    )


def _load_drawn(
    session: Session, images: list[PlannedImage], last: Mapping[int, tables.Review]
) -> dict[int, tuple[int, ...]]:
    """By revision the objects that the checker drew: the revision that was judged lacks them."""
    fixed = {key: look.annotation_id for key, look in last.items() if look.verdict == Verdict.FIXED}
    item = tables.Object
    keys = select(item.annotation_id, item.object_key)
    before = defaultdict[int, set[str]](set)
    for row in iterate_rows(session, keys, item.annotation_id, set(fixed.values())):
        before[row.annotation_id].add(row.object_key)
    rows = (image.row for image in images if image.row.annotation_id in fixed)
    return {
        row.annotation_id: tuple(
            number
            for number, item in enumerate(row.objects, start=1)
            if item.key not in before[fixed[row.annotation_id]]
        )
        for row in rows
    }


def _load_difficulty(session: Session, images: list[PlannedImage]) -> dict[int, tuple[int, ...]]:
    """By image the objects that an organiser judged, as they look, to be difficult or not."""
    row = tables.Difficulty
    columns = select(row.image_id, row.object_key, row.looks_sha256).order_by(row.id)
    image_ids = [image.row.id for image in images]
    looks_of = {
        (image_id, key): looks
        for image_id, key, looks in iterate_rows(session, columns, row.image_id, image_ids)
    }
    return {
        image.row.id: tuple(
            number
            for number, item in enumerate(image.row.objects, start=1)
            if looks_of.get((image.row.id, item.key)) == describe_looks(item.class_id, item.box)
        )
        for image in images
    }


def load_drawn_facts(session: Session, plan: ReleasePlan, settings: ExportSettings) -> Facts:
    """The inputs of the checks of each image's masks, and the overlaps of its two drawings."""
    drawing_of = {
        image.form.segmentation_id: image.public_id
        for image in plan.images
        if image.form is not None and image.form.segmentation_id is not None
    }
    review = tables.SegmentationReview
    judged = select(review.segmentation_id, review.inputs).where(
        review.verdict == Verdict.ACCEPT, review.set_aside_at.is_(None)
    )
    check_inputs = defaultdict[str, list[int]](list)
    for drawing_id, inputs in iterate_rows(session, judged, review.segmentation_id, drawing_of):
        check_inputs[drawing_of[drawing_id]].append(inputs)
    image_of = {image.row.id: image for image in plan.images if image.form and image.form.masks}
    columns = select(tables.SegmentChoice.image_id, tables.SegmentChoice.agreement)
    overlaps = dict[str, list[tuple[str, float]]]()
    for image_id, values in iterate_rows(session, columns, tables.SegmentChoice.image_id, image_of):
        image = image_of[image_id]
        overlaps[image.public_id] = [
            (item.class_name, values[item.key])
            for item in image.row.objects
            if (values or {}).get(item.key) is not None
        ]
    return {
        "void_width_px": settings.void_width_px,
        "difficult_masks": settings.difficult_masks,
        "check_inputs": dict(sorted(check_inputs.items())),
        "overlaps": {key: pairs for key, pairs in sorted(overlaps.items()) if pairs},
    }
