"""All files that accompany a release, made once of what the catalogue knew then, and kept."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC
from statistics import median
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog import tables
from catalog.image_store import ImageStore
from catalog.party import Party
from catalog.states import ImageState, Verdict
from catalog.stats import count_checks
from catalog.stored_files import LASTING_FILES
from export.corrections import Difference, compare_releases
from export.parquet import format_hugging_face, format_images, format_objects
from export.plan import ReleasePlan
from export.recipe import Facts
from export.recorded import get_plan
from export.rows import iterate_rows
from export.tree_files import WrittenPicture
from vockit.report.intervals import estimate_share_by_image

from . import datasheet, texts
from .pictures import summarize_pictures

_OPEN = "open/"
"""In front of the kept paths of a blind release as it will be when it is opened."""


@dataclass(frozen=True)
class _Before:
    """The release before a new one, if any, and how they differ."""

    name: str | None
    difference: Difference | None


def settle_files(
    party: Party, plan: ReleasePlan, pictures: Mapping[str, WrittenPicture]
) -> ReleasePlan:
    """The new plan with the facts of now and its files in the store; raises ImageStoreError."""
    with party.catalogue.reading() as session:
        facts = load_facts(session, party, [image.row.annotation_id for image in plan.annotated])
        facts["pictures"] = summarize_pictures(pictures)
        if plan.masked:
            width_px = party.settings.export.void_width_px
            facts["drawn"] = load_drawn_facts(session, plan, width_px)
        guidelines = _load_guidelines(session, party)
        before = _find_before(session, plan)
    plan = replace(plan, notes=replace(plan.notes, facts=facts))
    files = _make_new(plan, before, facts)
    files["GUIDELINES.md"] = guidelines.encode()
    if plan.is_blind:
        opened = _make_new(replace(plan, is_blind=False), before, facts)
        files |= {_OPEN + path: data for path, data in opened.items()}
    kept = {path: party.store.put(data) for path, data in sorted(files.items())}
    return replace(plan, notes=replace(plan.notes, kept=kept))


def _load_guidelines(session: Session, party: Party) -> str:
    """The guidelines as an organiser wrote them last, else those of the preset."""
    saved = tables.LiveSetting
    versions = select(saved.value).where(saved.name == "guidelines")
    newest = session.scalar(versions.order_by(saved.number.desc()).limit(1))
    return party.preset.guidelines if newest is None else str(newest["markdown"])


def _find_before(session: Session, plan: ReleasePlan) -> _Before:
    """The release that the plan corrects or extends, else the last one."""
    latest = select(tables.Release.name).order_by(tables.Release.id.desc()).limit(1)
    name = plan.notes.corrects or plan.notes.extends or session.scalar(latest)
    if not name:
        return _Before(None, None)
    return _Before(name, compare_releases(get_plan(session, name), plan))


def _make_new(plan: ReleasePlan, before: _Before, facts: Facts) -> dict[str, bytes]:
    """Every file of a new release but the guidelines; a blind one does not say what changed."""
    shown = None if plan.is_blind else before.difference
    changes = texts.format_changes(plan, before.name, shown)
    return _make(plan, facts) | {"CHANGELOG.md": changes.encode()}


def iterate_files(plan: ReleasePlan, store: ImageStore) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of every file that accompanies the release; raises ImageMissingError."""
    if plan.notes.facts is None:
        return
    kept = plan.notes.kept
    wanted = {path: digest for path, digest in kept.items() if not path.startswith(_OPEN)}
    if plan.notes.blind_salt is not None and not plan.is_blind:
        wanted |= {path.removeprefix(_OPEN): kept[path] for path in kept.keys() - wanted.keys()}
    if plan.withdrawn:  # what names photographs is made again, or goes with an older version
        wanted = {path: digest for path, digest in wanted.items() if path in LASTING_FILES}
    files = {path: store.get(digest) for path, digest in wanted.items()}
    yield from sorted((files | (_make(plan, plan.notes.facts) if plan.withdrawn else {})).items())


def _make(plan: ReleasePlan, facts: Facts) -> dict[str, bytes]:
    """Every file that is made of the release alone, without what was withdrawn."""
    counts = tuple(datasheet.iterate_tables(plan))
    data = {
        "data/images.parquet": format_images(plan),
        "data/objects.parquet": format_objects(plan),
    }
    made = {
        "README.md": datasheet.format_card(plan, counts[0]),
        "DATASHEET.md": datasheet.format_datasheet(plan, facts, counts[0]),
        "CITATION.cff": texts.render("CITATION.cff", plan),
        "CREDITS.csv": texts.format_credits_csv(plan),
        "CREDITS.html": texts.render("CREDITS.html", plan, credits=texts.iterate_credits(plan)),
        "croissant.json": texts.format_croissant(plan, data),
    }
    metadata = {
        f"metadata-{name}.parquet": table for name, table in format_hugging_face(plan).items()
    }
    encoded = {path: text.encode() for path, text in made.items()}
    return data | metadata | datasheet.format_files(counts) | encoded


_QUERY = ("source", "class_name", "keyword", "searches", "matches", "draws", "kept")


def load_facts(session: Session, party: Party, annotation_ids: Sequence[int]) -> Facts:
    """What the datasheet of a release of these revisions, made now, would say."""
    collect, query = party.settings.collect, tables.Query
    queries = select(query).order_by(query.class_name, query.keyword, query.id)
    last = collect.last_date or session.scalar(select(func.max(tables.Photo.found_at)))
    columns = tables.Finding.check_name, tables.Finding.severity, tables.Finding.verdict
    verdict_counts = defaultdict[tuple[str, str], dict[str, int]](dict)
    for name, severity, verdict, count in session.execute(
        select(*columns, func.count()).group_by(*columns)
    ):
        verdict_counts[name, severity]["open" if verdict is None else verdict.value] = count
    return {
        "party": party.settings.name,
        "target": {
            "dates": collect.dates,
            "first_date": f"{collect.first_date}",
            "last_date": f"{last or collect.first_date:%Y-%m-%d}",
        },
        "preset_title": party.preset.title,
        "queries": [
            {column: getattr(row, column) for column in _QUERY} for row in session.scalars(queries)
        ],
        "photos": _count(session, tables.Photo.state),
        "images": _count(session, tables.Image.state),
        "discarded": _count(
            session,
            tables.Annotation.discard_reason,
            tables.Image.annotation_id == tables.Annotation.id,
            tables.Image.state == ImageState.DISCARDED,
            tables.Annotation.discard_reason.is_not(None),
        ),
        "duplicates": _count(
            session, tables.Duplicate.relation, tables.Duplicate.undone_at.is_(None)
        ),
        "verdicts": _count(session, tables.Review.verdict, tables.Review.set_aside_at.is_(None)),
        "annotators": _load_people(session, tables.Annotation),
        "checkers": _load_people(session, tables.Review),
        "checks": [
            {"name": name, "severity": severity, "verdicts": dict(sorted(verdicts.items()))}
            for (name, severity), verdicts in sorted(verdict_counts.items())
        ],
        "agreement": _load_agreement(session, len(annotation_ids)),
        "looks": asdict(count_checks(session, annotation_ids)),
    }


def _load_agreement(session: Session, images: int) -> dict[str, Any] | None:
    """The last measured agreement, with the labels that all images of the release may lack."""
    if (measured := session.get(tables.Measurement, "agreement")) is None:
        return None
    facts = {
        "measured at": f"{measured.measured_at.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
    } | measured.value
    missing = dict(facts.pop("labels missing in an image", {}))
    assumption = missing.pop("assumption", "")
    for when, figures in missing.items():
        value, low, high = (
            f"{images * end:,.0f}" if end is not None else "any number" for end in figures
        )
        facts[f"labels that these {images:,} images are expected to lack, {when}"] = (
            f"{value} ({low} to {high}, with 95 %), {assumption}"
        )
    return facts


def _load_people(session: Session, table: type[tables.Annotation] | type[tables.Review]) -> Facts:
    """The people with rows in the table that no undo set aside, and their hours."""
    counts = table.set_aside_at.is_(None)
    sums = select(func.count(), func.coalesce(func.sum(table.active_secs), 0.0))
    rows, secs = session.execute(sums.where(counts)).one()
    who = select(table.person_id).where(counts)
    people = _count(session, tables.Person.is_simulated, tables.Person.id.in_(who))
    facts = {"people": sum(people.values()), "simulated": people.get("True", 0), "rows": rows}
    return facts | {"active_hours": round(float(secs) / 3600, 2)}


def _count(session: Session, column: Any, *wanted: Any) -> dict[str, int]:
    """How many of the wanted rows have each value of the column."""
    statement = select(column, func.count()).where(*wanted).group_by(column)
    counted = {str(getattr(key, "value", key)): count for key, count in session.execute(statement)}
    return dict(sorted(counted.items()))


ALL = "all classes"


def load_drawn_facts(session: Session, plan: ReleasePlan, void_width_px: int) -> Facts:
    """The figures of the drawings whose masks the release shows; medians are of their objects."""
    ids = {(image.form and image.form.segmentation_id) or 0 for image in plan.masked}
    efforts = [
        effort
        for key in ids & plan.drawings.keys()
        for effort in plan.drawings[key].efforts.values()
    ]
    facts: Facts = {"void_width_px": void_width_px, "objects": len(efforts)}
    if efforts:
        facts["median_secs"] = round(median(secs for secs, _ in efforts), 1)
        facts["median_inputs"] = round(median(inputs for _, inputs in efforts), 1)
    review = tables.SegmentationReview
    judged = select(review.inputs).where(review.verdict == Verdict.ACCEPT)
    inputs = [row.inputs for row in iterate_rows(session, judged, review.segmentation_id, ids)]
    facts["median_check_inputs"] = median(inputs) if inputs else None
    return facts | {"agreement": _load_mask_agreement(session, plan)}


def _load_mask_agreement(session: Session, plan: ReleasePlan) -> dict[str, list[float | None]]:
    """By class the mean IoU, its interval of 95 % by image, and the objects."""
    rows = {image.row.id: image.row for image in plan.masked}
    columns = select(tables.SegmentChoice.image_id, tables.SegmentChoice.agreement)
    overlaps_of = defaultdict[str, dict[int, list[float]]](lambda: defaultdict(list))
    for image_id, overlaps in iterate_rows(session, columns, tables.SegmentChoice.image_id, rows):
        for item in rows[image_id].objects:
            if (overlap := (overlaps or {}).get(item.key)) is not None:
                overlaps_of[item.class_name][image_id].append(overlap)
                overlaps_of[ALL][image_id].append(overlap)
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
