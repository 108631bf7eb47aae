"""The job of `vocparty import voc`: a tree's images, one by one, then its release.

1. Every annotation file is read; words that the preset lacks end the import before it began.
2. Images are stored some at a time: their files first, durably, then all their rows in one
   transaction. What is wrong with one image costs only that image. Killed here: the same command
   goes on.
3. The release with identifiers and sets is recorded in one transaction.
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy.exc import IntegrityError

from catalog.errors import ImageStoreError
from catalog.party import Party
from catalog.states import Split
from export.verify.trees import Tree, list_names
from export.voc import tree

from .begin import begin_import
from .comparing import compare_lists, complete_lists, find_left_behind, with_lists
from .drafts import Draft, TreeDrafts, read_drafts, settle_words
from .errors import ImportTreeError, NothingImportedError
from .findings import Mend, Skip
from .lists import read_lists
from .releases import ReleasedImage, make_settings, make_tree_recipe, record_release
from .rows import store_images
from .source_tree import TreeSplits, get_tree, list_masks, read_tree_splits
from .storing import Arrived, put_pictures
from .taken import TakenImage, make_released, plan_imported
from .tree_image import Import, Stored, TreeImage
from .words import make_known_words

IMAGES_AT_ONCE = 500
"""So many wait for the disk together and share a transaction."""

THREADS = 4

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


@dataclass(frozen=True)
class ImportReport:
    """What an import came to.

    `unreleased` were imported and are in no set, or came after the release was recorded; `masks`
    counts images that came with segmentation masks.
    """

    name: str
    year: int
    imported: int
    were_there: int
    objects: int
    splits: Mapping[Split, int]
    unreleased: tuple[str, ...]
    skipped: tuple[Skip, ...]
    mends: tuple[Mend, ...]
    masks: int


@contextmanager
def unwatched(_label: str, _total: int, _unit: str) -> Iterator[Advance]:
    """Shows nothing of how far the work has come."""
    yield lambda _count: None


def import_tree(
    party: Party, order: TreeOrder, *, at: datetime | None = None, watch: Watch = unwatched
) -> ImportReport:
    """What came of the tree, all of it recorded; the same call again imports nothing twice.

    Raises TreeNotFoundError, ImportTreeError, UnknownWordsError and ReleaseTakenError before
    anything is stored; NothingImportedError, ImageStoreError where it cannot go on.
    """
    _check_licences(party, order)
    found = get_tree(order.folder)
    year = _get_year(found, order)
    splits = read_tree_splits(found.root)
    with watch("Reading", _count_annotations(found), "annotations") as advance:
        drafts = read_drafts(found, splits.own, year, advance)
    drafts = settle_words(drafts, make_known_words(party.preset), only_known=order.only_known)
    at = at or datetime.now(UTC)
    with party.catalogue.writing() as session:
        run = begin_import(session, order.name or f"VOC{year}", secrets.token_hex(32), at)
    job = _Job(party, run, drafts)
    with (
        watch("Importing", len(drafts.drafts), "images") as advance,
        ThreadPoolExecutor(THREADS) as pool,
    ):
        for some_drafts in _portions(drafts.drafts):
            job.take(some_drafts, pool)
            advance(len(some_drafts))
    if not job.taken:
        raise NothingImportedError(_describe_nothing(found, drafts.skipped))
    return job.finish(found, year, splits)


def _check_licences(party: Party, order: TreeOrder) -> None:
    if order.require_licence or party.settings.collect.require_licence:
        raise ImportTreeError(
            "A VOC tree records no licence of its photographs, and one is required: import it "
            "without --require-licence and with collect.require_licence = false, where you may "
            "use them."
        )


class _Job:
    """One import in work: what is stored so far."""

    def __init__(self, party: Party, run: Import, drafts: TreeDrafts) -> None:
        self._party, self._run, self._drafts = party, run, drafts
        self._encoded: dict[str, str] = {}
        self.taken: list[TakenImage] = []

    def take(self, drafts: Sequence[Draft], pool: Executor) -> None:
        """Store the images in one transaction, or name them among the skipped."""
        max_pixels = self._party.settings.collect.max_pixels
        outcomes = put_pictures(self._party.store, drafts, max_pixels, pool)
        made: list[tuple[Draft, Arrived]] = []
        for draft, outcome in zip(drafts, outcomes, strict=True):
            if isinstance(outcome, str):
                self._drafts.skipped.append(Skip(draft.image_id, outcome))
            elif isinstance(outcome, Arrived):
                made.append((draft, outcome))
        self._take_made(made)  # what has its file has its rows too, where the store takes no more
        for outcome in outcomes:
            if isinstance(outcome, ImageStoreError):
                raise outcome

    def _take_made(self, made: Sequence[tuple[Draft, Arrived]]) -> None:
        outcomes = self._store([arrived.image for _, arrived in made])
        for (draft, arrived), outcome in zip(made, outcomes, strict=True):
            if isinstance(outcome, str):
                self._drafts.skipped.append(Skip(draft.image_id, outcome))
                continue
            self._drafts.mends += arrived.mends
            if arrived.encoded_sha256 is not None:
                self._encoded[arrived.image.file.sha256] = arrived.encoded_sha256
            self.taken.append(TakenImage(draft, arrived.image, outcome, arrived.masks))

    def finish(self, found: Tree, year: int, splits: TreeSplits) -> ImportReport:
        """Record the release and tell what the import came to."""
        lists, masks = read_lists(found.root, year), list_masks(found)
        released, mends = make_released(
            self.taken, splits, lists, has_masks=masks.names is not None
        )
        records = [one.draft.record for one, _ in released]
        recipe = make_tree_recipe(self._party, year, records, lists.has_label_map)
        plan = plan_imported(self._run.name, year, recipe, released, self._run.at)
        plan = with_lists(plan, complete_lists(found.root, lists.paths, plan))
        kept = {
            folder: frozenset(image.public_id for one, image in released if folder in one.masks)
            for folder in masks.names or ()
        }
        if released:
            mends += compare_lists(found.root, lists.paths, plan)
            mends += find_left_behind(found.root, kept)
        images = [image for _, image in released]
        with self._party.catalogue.writing() as session:
            settings = make_settings(plan.recipe, self._encoded)
            names = record_release(session, self._run.name, year, settings, images, self._run.at)
        return self._report(year, images, names, mends)

    def _report(
        self, year: int, images: Sequence[ReleasedImage], names: set[str], mends: Sequence[Mend]
    ) -> ImportReport:
        new = [one for one in self.taken if one.stored.is_new]
        return ImportReport(
            name=self._run.name,
            year=year,
            imported=len(new),
            were_there=len(self.taken) - len(new),
            objects=sum(len(one.objects) for one in self.taken),
            splits=dict(Counter(it.split for it in images if it.public_id in names)),
            unreleased=tuple(sorted({one.image.image_id for one in self.taken} - names)),
            skipped=tuple(sorted(self._drafts.skipped, key=lambda skip: skip.image_id)),
            mends=(*self._drafts.mends, *mends),
            masks=sum(bool(one.masks) for one in self.taken),
        )

    def _store(self, items: Sequence[TreeImage]) -> list[Stored | str]:
        try:
            return self._store_at_once(items)
        except IntegrityError:  # another process imported one of them at this moment
            return [outcome for item in items for outcome in self._store_at_once([item])]

    def _store_at_once(self, items: Sequence[TreeImage]) -> list[Stored | str]:
        with self._party.catalogue.writing() as session:
            return store_images(session, self._run, items)


def _portions(drafts: Sequence[Draft]) -> Iterator[Sequence[Draft]]:
    return (
        drafts[start : start + IMAGES_AT_ONCE] for start in range(0, len(drafts), IMAGES_AT_ONCE)
    )


def _get_year(found: Tree, order: TreeOrder) -> int:
    year = order.year or found.year
    if year is None:
        raise ImportTreeError(
            f"{found.root} is not called VOC and a year; say with --year which year's it is."
        )
    return year


def _count_annotations(found: Tree) -> int:
    return len(list_names(found.root / tree.ANNOTATIONS, ".xml"))


def _describe_nothing(found: Tree, skipped: list[Skip]) -> str:
    first = f"; {skipped[0].image_id}: {skipped[0].reason}" if skipped else ""
    return f"No image of {found.root} could be imported{first}."
