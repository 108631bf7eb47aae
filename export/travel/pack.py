"""All files that travel with a release: settled when it is made, the same ever after."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.image_store import ImageStore
from catalog.party import Party
from catalog.tables import LiveSetting, Release
from export.forked import FEWEST_IMAGES, beside
from export.load import load_release
from export.plan import ReleasePlan
from export.planning import load_plan
from export.releases.difference import Difference, compare_releases

from . import credits as credit_lists
from . import statistics
from .card import format_card
from .changes import format_changes
from .citation import format_citation
from .croissant import IMAGES_PATH, OBJECTS_PATH, format_croissant
from .datasheet import format_datasheet
from .facts import Facts
from .histogram import draw_histogram
from .load_facts import load_facts
from .parquet import format_images, format_objects

GUIDELINES, CHANGES = "GUIDELINES.md", "CHANGELOG.md"
CROISSANT, DATASHEET, CARD, CITATION = "croissant.json", "DATASHEET.md", "README.md", "CITATION.cff"
HISTOGRAM = "statistics/histogram.svg"
_OPEN = "open/"
"""In front of the kept paths of a blind release as it will be when it is opened."""
_GUIDELINES_SETTING = "guidelines"


@contextmanager
def settling_travel(party: Party, plan: ReleasePlan) -> Iterator[Callable[[], ReleasePlan]]:
    """A function that gives the plan with the facts of when the block began; a recorded one as is.

    What it keeps is in the image store then; a large release's is made beside the block. The
    function raises ImageStoreError where the store cannot be reached or does not take a file.
    """
    if plan.is_recorded:
        yield lambda: plan
        return
    with party.catalogue.reading() as session:
        facts = load_facts(session, party)
        guidelines = _load_guidelines(session, party)
        before, difference = _compare_with_earlier(session, plan)
    told = replace(plan, notes=replace(plan.notes, facts=facts))

    def keep() -> dict[str, str]:
        files = _make_all(told, facts, before, difference) | {GUIDELINES: guidelines.encode()}
        return {path: party.store.put(data) for path, data in sorted(files.items())}

    pays = len(plan.images) >= FEWEST_IMAGES and party.store.folder is not None
    with beside(keep, pays=pays) as take_kept:
        yield lambda: replace(told, notes=replace(told.notes, kept=take_kept()))


def iterate_travel_files(plan: ReleasePlan, store: ImageStore) -> Iterator[tuple[str, bytes]]:
    """The path and bytes of every file that travels with the release; none of older releases.

    Raises ImageMissingError where a kept file is gone from the image store.
    """
    if plan.notes.facts is None:
        return
    is_opened = plan.notes.blind_salt is not None and not plan.is_blind
    files = {
        path: store.get(digest) for path, digest in _kept_of(plan.notes.kept, is_opened).items()
    }
    if plan.withdrawn or CARD not in files:  # the earliest releases kept fewer files
        files |= _make(plan, plan.notes.facts)
    yield from sorted(files.items())


def _make_all(
    plan: ReleasePlan, facts: Facts, before: str | None, difference: Difference | None
) -> dict[str, bytes]:
    """What a new release keeps but the guidelines; a blind one also as it will be when opened."""
    told = None if plan.is_blind else difference
    files = {CHANGES: format_changes(plan, before, told).encode(), **_make(plan, facts)}
    if not plan.is_blind:
        return files
    opened = replace(plan, is_blind=False)
    changes = {CHANGES: format_changes(opened, before, difference).encode()}
    all_opened = changes | _make(opened, facts)
    return files | {_OPEN + path: data for path, data in all_opened.items()}


def _make(plan: ReleasePlan, facts: Facts) -> dict[str, bytes]:
    """Every file that is made of the release alone, without what was withdrawn."""
    tables = statistics.make_tables(plan)
    drawn = {
        IMAGES_PATH: format_images(plan),
        OBJECTS_PATH: format_objects(plan),
        HISTOGRAM: draw_histogram(tables[0]),
    }
    texts = {
        CARD: format_card(plan, tables[0]),
        DATASHEET: format_datasheet(plan, facts, tables[0]),
        CITATION: format_citation(plan),
        "CREDITS.csv": credit_lists.format_csv(plan),
        "CREDITS.html": credit_lists.format_page(plan),
        CROISSANT: format_croissant(plan, drawn[IMAGES_PATH], drawn[OBJECTS_PATH]),
        **_format_statistics(tables),
    }
    return drawn | {path: text.encode() for path, text in texts.items()}


def _format_statistics(tables: Sequence[statistics.Table]) -> dict[str, str]:
    return {
        "statistics/tables.txt": statistics.format_text(tables),
        "statistics/tables.csv": statistics.format_csv(tables),
        "statistics/tables.tex": statistics.format_latex(tables),
    }


def _kept_of(kept: dict[str, str], is_opened: bool) -> dict[str, str]:
    shown = {path: digest for path, digest in kept.items() if not path.startswith(_OPEN)}
    if not is_opened:
        return shown
    opened = {path.removeprefix(_OPEN): it for path, it in kept.items() if path.startswith(_OPEN)}
    return shown | opened


def _load_guidelines(session: Session, party: Party) -> str:
    newest = session.scalar(
        select(LiveSetting.value)
        .where(LiveSetting.name == _GUIDELINES_SETTING)
        .order_by(LiveSetting.number.desc())
        .limit(1)
    )
    return party.preset.guidelines if newest is None else str(newest["markdown"])


def _compare_with_earlier(
    session: Session, plan: ReleasePlan
) -> tuple[str | None, Difference | None]:
    """The release that this one extends, else the newest, and what differs."""
    newest = select(Release.name).order_by(Release.id.desc()).limit(1)
    name = plan.notes.extends or session.scalar(newest)
    earlier = load_plan(session, name) if name else None
    frozen = load_release(session, name) if name else None
    if earlier is None or frozen is None:
        return None, None
    ids = {image.public_id: image.image_id for image in frozen.images}
    withdrawn = {public_id: ids[public_id] for public_id in earlier.withdrawn}
    return name, compare_releases(earlier, plan, withdrawn)
