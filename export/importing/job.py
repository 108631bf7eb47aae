"""The job of `vocparty import voc`: a tree's images, some at a time, then its release.

1. Every annotation file is read; words that the preset lacks end the import before it began.
2. Images are stored some at a time: their files first, durably, then all their rows in one
   transaction. What is wrong with one image costs only that image. After a kill, the same command
   goes on.
3. The release with identifiers and sets is recorded in one transaction.
"""

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
from export.verify.masks import count_classes

from .drafts import Terms, list_words, read_draft, refuse_unknown
from .import_batch import IMAGES_AT_ONCE, check_stored, store_files
from .known import load_storable
from .rows import begin_import, store_images
from .source_tree import get_tree, list_images, read_tree_splits
from .tree_image import (
    Import,
    ImportReport,
    ImportTreeError,
    Skip,
    Stored,
    TreeImage,
)
from .tree_release import TakenImage, plan_tree_release, record_release

THREADS = 8
"""Threads that read, decode and store; each waits for the disk, which takes many files at once."""

Advance = Callable[[int], None]
Watch = Callable[[str, int, str], AbstractContextManager[Advance]]
_unwatched: Watch = lambda *_: nullcontext(lambda _count: None)  # noqa: E731


def import_tree(
    party: Party,
    folder: Path,
    *,
    name: str | None = None,
    year: int | None = None,
    only_known: bool = False,
    require_licence: bool = False,
    at: datetime | None = None,
    watch: Watch = _unwatched,
) -> ImportReport:
    """The report on the recorded tree; a second call imports nothing twice.

    Name and year of the release are those of the folder unless given.
    Raises TreeNotFoundError and ImportTreeError before anything is stored; ExportError and
    ImageStoreError where it cannot go on.
    """
    if require_licence or party.settings.collect.require_licence:
        raise ImportTreeError(
            "A VOC tree records no licence of its photographs, and one is required: import it "
            "without --require-licence and with collect.require_licence = false, where you may "
            "use them."
        )
    found = get_tree(folder)
    splits, year = read_tree_splits(found.root), year or found.year
    if year is None:
        raise ImportTreeError(
            f"{found.root} is not called VOC and a year; say with --year which year's it is."
        )
    name = name or f"VOC{year}"
    with party.catalogue.reading() as session:
        storable = load_storable(session, name, splits.own)
    words, most_classes = list_words(party.preset), count_classes(found.root)
    terms = Terms(party, found.root, year, words, only_known, storable, most_classes)
    images, skipped = list_images(found.root, splits)
    told = "the release is recorded without its annotation; import the tree with another --name"
    hidden = {it.image_id for it in images if not it.is_blind} & storable.hidden
    bars = dict.fromkeys(hidden, told) | dict.fromkeys(storable.withdrawn, "it was taken down")
    skipped += [Skip(it.image_id, bars[it.image_id]) for it in images if it.image_id in bars]
    # no release may hold the masks of an image that is not in it
    sources = [
        it if it.image_id in storable.releasable else replace(it, masks={})
        for it in images
        if it.image_id not in bars
    ]
    with watch("Reading", len(sources), "annotations") as advance:
        drafts = list[TreeImage]()
        for source in sources:
            drafts.append(read_draft(terms, source))
            advance(1)
    if not only_known:
        refuse_unknown(drafts, party.preset)
    read = [it for it in drafts if not it.reason]
    with party.catalogue.writing() as session:
        run = begin_import(session, name, secrets.token_hex(32), at or datetime.now(UTC))
    with watch("Importing", len(read), "images") as advance:
        taken = _import_images(party, run, terms, read, advance)
    skipped += [Skip(it.image_id, it.reason) for it in drafts if it.reason]
    if not taken:
        first = "".join(f"; {it.image_id}: {it.reason}" for it in skipped[:1])
        raise ExportError(f"No image of {found.root} could be imported{first}.")
    plan, changed = plan_tree_release(party, run, found.root, splits, year, taken)
    with party.catalogue.writing() as session:
        names = record_release(session, plan, taken, run)
    corrections = [*(it for image in drafts for it in image.corrections), *changed]
    imported = sum(stored.is_new for _, stored in taken)
    return ImportReport(
        name=name,
        year=year,
        imported=imported,
        were_there=len(taken) - imported,
        objects=sum(len(image.objects) for image, _ in taken),
        splits=dict(Counter(it.split for it in plan.images if it.public_id in names)),
        unreleased=tuple(sorted({image.image_id for image, _ in taken} - names)),
        skipped=tuple(sorted(skipped, key=lambda skip: skip.image_id)),
        corrections=tuple(replace(it, file=str(found.root / it.file)) for it in corrections),
        masks=sum(bool(image.form.masks) for image, _ in taken),
        blind=sum(image.form.is_blind for image, _ in taken),
    )


def _import_images(
    party: Party, run: Import, terms: Terms, images: Sequence[TreeImage], advance: Advance
) -> list[TakenImage]:
    """The images that have their rows; the others have the reason why not.

    A fault of the store is raised once all files that it took have their rows.
    """
    taken: list[TakenImage] = []
    with ThreadPoolExecutor(THREADS) as pool:
        for start in range(0, len(images), IMAGES_AT_ONCE):
            some = images[start : start + IMAGES_AT_ONCE]
            jobs = [pool.submit(store_files, terms, image) for image in some]
            wait(jobs, return_when=FIRST_EXCEPTION)
            # of what has not begun nothing is stored
            begun = [it for it in zip(some, jobs, strict=True) if not it[1].cancel()]
            whole = [image for image, job in begun if not (job.exception() or image.reason)]
            for image, stored in zip(whole, _store(party, run, whole), strict=True):
                if isinstance(stored, str):
                    image.reason = stored
                else:
                    taken.append((image, stored))
                image.outlines = ()  # they are large
            for _, job in begun:
                job.result()
            advance(len(some))
    return taken


def _store(party: Party, run: Import, items: Sequence[TreeImage]) -> list[Stored | str]:
    """What stands for each image, all in one transaction; or why it cannot be taken."""
    try:
        with party.catalogue.writing() as session:
            hold_classes(session, party.classes_number)
            outcomes = store_images(session, run, items, store=party.store)
            check_stored(session, party.store, items)
            return outcomes
    except IntegrityError:  # another process imported one of them at this moment
        if len(items) == 1:
            raise
        return [outcome for item in items for outcome in _store(party, run, [item])]
