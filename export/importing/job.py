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
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy.exc import IntegrityError

from catalog.class_changes import hold_classes
from catalog.errors import ImageStoreError
from catalog.party import Party
from export.verify.masks import count_classes
from export.verify.trees import Tree

from .drafts import Terms, TreeDrafts, make_words, read_drafts, refuse_unknown
from .import_batch import check_stored, has_same_pixels, store_batches
from .known import load_storable
from .rows import begin_import, store_images
from .source_tree import TreeSplits, add_blind, get_tree, has_masks, list_files, read_tree_splits
from .tree_image import (
    Import,
    ImportReport,
    ImportTreeError,
    NothingImportedError,
    Skip,
    Stored,
    TreeImage,
)
from .tree_release import TakenImage, plan_tree_release, record_release

THREADS = 8
"""Threads that read, decode and store; each waits for the disk, which takes many files at once."""

Advance = Callable[[int], None]
Watch = Callable[[str, int, str], AbstractContextManager[Advance]]


@dataclass(frozen=True)
class TreeOrder:
    """What to import: the folder, the release's name and year where not those of the folder."""

    folder: Path
    name: str | None = None
    year: int | None = None
    only_known: bool = False
    require_licence: bool = False


@contextmanager
def unwatched(_label: str, _total: int, _unit: str) -> Iterator[Advance]:
    """Shows no progress."""
    yield lambda _count: None


def import_tree(
    party: Party, order: TreeOrder, *, at: datetime | None = None, watch: Watch = unwatched
) -> ImportReport:
    """The report on the tree, all of which is recorded; a second call imports nothing twice.

    Raises TreeNotFoundError, ImportTreeError, UnknownWordsError and ReleaseTakenError before
    anything is stored; NothingImportedError and ImageStoreError where it cannot go on.
    """
    _check_licences(party, order)
    found = get_tree(order.folder)
    splits = read_tree_splits(found.root)
    year = _get_year(found, order)
    name = order.name or f"VOC{year}"
    terms = _make_terms(party, order, found, year, name, splits)
    with watch("Reading", len(terms.files.image_ids), "annotations") as advance:
        drafts = read_drafts(terms, advance)
    refuse_unknown(drafts.unknown, party.preset)
    with party.catalogue.writing() as session:
        run = begin_import(session, name, secrets.token_hex(32), at or datetime.now(UTC))
    job = _Job(party, run, drafts)
    with (
        watch("Importing", len(drafts.drafts), "images") as advance,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        for outcomes in store_batches(terms, drafts.drafts, pool):
            job.take(outcomes)
            advance(len(outcomes))
    if not job.taken:
        first = "".join(f"; {it.image_id}: {it.reason}" for it in drafts.skipped[:1])
        raise NothingImportedError(f"No image of {found.root} could be imported{first}.")
    return job.finish(found, splits, year)


def _make_terms(
    party: Party, order: TreeOrder, found: Tree, year: int, name: str, splits: TreeSplits
) -> Terms:
    with party.catalogue.reading() as session:
        storable = load_storable(session, name, splits.own)
    return Terms(
        found=found,
        files=add_blind(list_files(found.root, splits.own), splits),
        mask_classes=count_classes(found.root) if has_masks(found.root) else 0,
        year=year,
        words=make_words(party.preset),
        former_classes=party.former_classes,
        only_known=order.only_known,
        storable=storable,
        store=party.store,
        max_pixels=party.settings.collect.max_pixels,
    )


@dataclass
class _Job:
    """One import in work; `taken` are the images that have their rows."""

    party: Party
    run: Import
    drafts: TreeDrafts
    taken: list[TakenImage] = field(default_factory=list)
    encoded: dict[str, str] = field(default_factory=dict)

    def take(self, outcomes: Sequence[TreeImage | Skip | ImageStoreError]) -> None:
        """Record the images in one transaction, or name them among the skipped.

        Raises the fault of the store, if it has one, once the files that it took have their rows.
        """
        self.drafts.skipped += [it for it in outcomes if isinstance(it, Skip)]
        images = [it for it in outcomes if isinstance(it, TreeImage)]
        for image, outcome in zip(images, self._store(images), strict=True):
            if isinstance(outcome, str):
                self.drafts.skipped.append(Skip(image.image_id, outcome))
                continue
            self.taken.append((image, outcome))
            self.drafts.corrections += image.corrections
            own, released = outcome.sha256, image.encoded_sha256
            if own is not None or released is not None:
                self.encoded[own or image.file.sha256] = released or image.file.sha256
        for fault in outcomes:
            if isinstance(fault, ImageStoreError):
                raise fault

    def finish(self, found: Tree, splits: TreeSplits, year: int) -> ImportReport:
        """Record the release; the report on the import."""
        plan, corrections = plan_tree_release(self.party, self.run, found, splits, year, self.taken)
        with self.party.catalogue.writing() as session:
            names = record_release(session, plan, self.encoded, self.run.at)
        images = [image for image, _ in self.taken]
        imported = sum(stored.is_new for _, stored in self.taken)
        return ImportReport(
            name=self.run.name,
            year=year,
            imported=imported,
            were_there=len(images) - imported,
            objects=sum(len(image.objects) for image in images),
            splits=dict(Counter(it.split for it in plan.images if it.public_id in names)),
            unreleased=tuple(sorted({image.image_id for image in images} - names)),
            skipped=tuple(sorted(self.drafts.skipped, key=lambda skip: skip.image_id)),
            corrections=(*self.drafts.corrections, *corrections),
            masks=sum(bool(image.form.masks) for image in images),
            blind=sum(image.form.is_blind for image in images),
        )

    def _store(self, items: Sequence[TreeImage]) -> list[Stored | str]:
        is_same = partial(has_same_pixels, self.party.store)
        try:
            with self.party.catalogue.writing() as session:
                hold_classes(session, self.party.classes_number)
                outcomes = store_images(session, self.run, items, is_same=is_same)
                check_stored(session, self.party.store, items)
                return outcomes
        except IntegrityError:  # another process imported one of them at this moment
            if len(items) == 1:
                raise
            return [outcome for item in items for outcome in self._store([item])]


def _check_licences(party: Party, order: TreeOrder) -> None:
    if order.require_licence or party.settings.collect.require_licence:
        raise ImportTreeError(
            "A VOC tree records no licence of its photographs, and one is required: import it "
            "without --require-licence and with collect.require_licence = false, where you may "
            "use them."
        )


def _get_year(found: Tree, order: TreeOrder) -> int:
    year = order.year or found.year
    if year is None:
        raise ImportTreeError(
            f"{found.root} is not called VOC and a year; say with --year which year's it is."
        )
    return year
