"""All files that accompany a release, made once of what the catalogue knew then, and kept."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog import tables
from catalog.image_store import ImageStore
from catalog.party import Party
from catalog.stored_files import outlasts
from export.attributes import ATTRIBUTES, format_attributes
from export.difference import Difference, compare_releases
from export.labels import LABELS, format_labels
from export.parquet import format_hugging_face, format_images, format_objects
from export.plan import ReleasePlan
from export.recorded import get_plan
from export.releases import load_uncompared
from export.tree_files import WrittenPicture

from . import datasheet, texts
from .facts import load_drawn_facts, load_facts, load_judgements
from .people import format_people, settle_people
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
        facts = load_facts(session, party)
        judgements = load_judgements(session, plan)
        facts["judgements"] = {key: asdict(judged) for key, judged in judgements.items()}
        facts["not_compared"] = load_uncompared(session, plan.images)
        facts["pictures"] = summarize_pictures(pictures)
        facts["drawn"] = load_drawn_facts(session, plan, party.settings.export)
        people, people_masks = settle_people(session, party, plan)
        facts |= {"people": people} if people else {}
        guidelines = _load_guidelines(session, party)
        before = _find_before(session, plan)
    plan = replace(plan, notes=replace(plan.notes, facts=facts))
    files = _make_new(plan, before)
    files["GUIDELINES.md"] = guidelines.encode()
    if plan.is_blind:
        opened = _make_new(replace(plan, is_blind=False), before) | people_masks
        files |= {_OPEN + path: data for path, data in opened.items()}
    else:
        files |= people_masks
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


def _make_new(plan: ReleasePlan, before: _Before) -> dict[str, bytes]:
    """Every file of a new release but the guidelines; a blind one does not say what changed."""
    shown = None if plan.is_blind else before.difference
    changes = texts.format_changes(plan, before.name, shown)
    return _make(plan) | {"CHANGELOG.md": changes.encode()}


def iterate_files(plan: ReleasePlan, store: ImageStore) -> Iterator[tuple[str, bytes]]:
    """Path and bytes of every file that accompanies the release; raises ImageMissingError."""
    if plan.notes.facts is None:
        return
    kept = plan.notes.kept
    wanted = {path: digest for path, digest in kept.items() if not path.startswith(_OPEN)}
    if plan.notes.blind_salt is not None and not plan.is_blind:
        wanted |= {path.removeprefix(_OPEN): kept[path] for path in kept.keys() - wanted.keys()}
    if plan.withdrawn:  # what names photographs is made again, or goes with an older version
        wanted = {path: digest for path, digest in wanted.items() if outlasts(path, plan.withdrawn)}
    files = {path: store.get(digest) for path, digest in wanted.items()}
    if plan.withdrawn:
        files["CHANGELOG.md"] += texts.format_withdrawn(plan).encode()
        files |= _make(plan)
    yield from sorted(files.items())


def _make(plan: ReleasePlan) -> dict[str, bytes]:
    """Every file that is made of the release alone, without what was withdrawn."""
    counts = tuple(datasheet.iterate_tables(plan))
    data = {
        "data/images.parquet": format_images(plan),
        "data/objects.parquet": format_objects(plan),
    }
    made = {
        "README.md": datasheet.format_card(plan, counts[0]),
        "DATASHEET.md": datasheet.format_datasheet(plan, counts[0]),
        "CITATION.cff": texts.render("CITATION.cff", plan),
        "CREDITS.csv": texts.format_credits_csv(plan),
        "CREDITS.html": texts.render("CREDITS.html", plan, credits=texts.iterate_credits(plan)),
        "croissant.json": texts.format_croissant(plan, data),
    }
    metadata = {
        f"metadata-{name}.parquet": table for name, table in format_hugging_face(plan).items()
    }
    encoded = {path: text.encode() for path, text in made.items()}
    if attributes := format_attributes(plan):
        encoded[ATTRIBUTES] = attributes
    if labels := format_labels(plan):
        encoded[LABELS] = labels
    return data | metadata | datasheet.format_files(plan, counts) | encoded | format_people(plan)
