"""The job of `vocparty import voc`: annotations are read, images stored, then the release."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.exc import IntegrityError

from catalog.class_changes import hold_classes
from catalog.party import Party
from export.errors import ExportError
from export.tree_files import THREADS
from vockit.foreign.listed_images import list_images, read_tree_splits
from vockit.foreign.tree_files import get_tree
from vockit.report.progress import Advance

from . import reading, tree_image
from .rows import bar_images, begin_import, store_images
from .tree_release import plan_tree_release, record_release

Watch = Callable[[str, int, str], AbstractContextManager[Advance]]


def import_tree(
    party: Party,
    folder: Path,
    *,
    name: str | None = None,
    year: int | None = None,
    only_known: bool = False,
    require_licence: bool = False,
    at: datetime | None = None,
    watch: Watch = lambda *_: nullcontext(lambda _count: None),
) -> tree_image.ImportReport:
    """The report; TreeNotFoundError, ImportTreeError before anything is stored, ExportError."""
    if require_licence or party.settings.collect.require_licence:
        raise tree_image.ImportTreeError(
            "A VOC tree records no licence of its photographs, and one is required: import it "
            "without --require-licence and with collect.require_licence = false, where you may "
            "use them."
        )
    found = get_tree(folder)
    splits, year = read_tree_splits(found.root), year or found.year
    if year is None:
        raise tree_image.ImportTreeError(
            f"{found.root} is not called VOC and a year; say with --year which year's it is."
        )
    name, at = name or f"VOC{year}", at or datetime.now(UTC)
    images = [tree_image.TreeImage.begin(it) for it in list_images(found.root, splits)]
    with party.catalogue.reading() as session:
        barred = bar_images(session, name, images, splits.own)
    run = reading.Import(party, found.root, name, year, at, only_known, *barred)
    sources = [it for it in images if not it.reason]
    with watch("Reading", len(sources), "annotations") as advance:
        for image in sources:
            reading.read_draft(run, image)
            advance(1)
    if not only_known:
        reading.refuse_unknown(images, party.preset)
    read = [it for it in sources if not it.reason]
    with party.catalogue.writing() as session:
        run = begin_import(session, run, secrets.token_hex(32))
    with watch("Importing", len(read), "images") as advance:
        _import_images(run, read, advance)
    taken = [it for it in read if not it.reason]
    skipped = [tree_image.Skip(it.image_id, it.reason) for it in images if it.reason]
    if not taken:
        first = "".join(f"; {it.image_id}: {it.reason}" for it in skipped[:1])
        raise ExportError(f"No image of {found.root} could be imported{first}.")
    plan, changed = plan_tree_release(run, splits, taken)
    with party.catalogue.writing() as session:
        names = record_release(session, plan, taken, run)
    corrections = [*(it for image in images for it in image.corrections), *changed]
    imported = sum(it.is_new for it in taken)
    return tree_image.ImportReport(
        name=name,
        year=year,
        imported=imported,
        were_there=len(taken) - imported,
        objects=sum(len(image.objects) for image in taken),
        splits=dict(Counter(it.split for it in plan.images if it.public_id in names)),
        unreleased=tuple(it.image_id for it in taken if it.image_id not in names),
        skipped=tuple(skipped),
        corrections=tuple(replace(it, file=str(found.root / it.file)) for it in corrections),
        masks=sum(bool(image.form.masks) for image in taken),
        blind=sum(image.is_blind for image in taken),
        metadata={it.image_id: it.metadata for it in taken if it.metadata},
    )


def _import_images(
    run: reading.Import, images: Sequence[tree_image.TreeImage], advance: Advance
) -> None:
    """Give each image its rows or a reason; an error of the store is raised after that."""
    with ThreadPoolExecutor(THREADS) as pool:
        for start in range(0, len(images), reading.IMAGES_AT_ONCE):
            some = images[start : start + reading.IMAGES_AT_ONCE]
            jobs = [pool.submit(reading.store_files, run, image) for image in some]
            wait(jobs, return_when=FIRST_EXCEPTION)
            # of what has not begun nothing is stored
            begun = [it for it in zip(some, jobs, strict=True) if not it[1].cancel()]
            _store(run, [image for image, job in begun if not (job.exception() or image.reason)])
            for image, job in begun:
                job.result()
                image.outlines = ()  # they are large
            advance(len(some))


def _store(run: reading.Import, images: Sequence[tree_image.TreeImage]) -> None:
    """Give the images their rows, all in one transaction, or a reason why they have none."""
    party = run.party
    try:
        with party.catalogue.writing() as session:
            hold_classes(session, party.classes_number)
            store_images(session, run, images, store=party.store)
            reading.check_stored(session, party.store, images)
    except IntegrityError:  # another process imported one of them at this moment
        if len(images) == 1:
            raise
        for image in images:
            _store(run, [image])
