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
from export.form import FileForm, make_form
from export.verify.trees import Tree, list_names
from export.voc import tree

from .begin import begin_import
from .drafts import Draft, TreeDrafts, read_drafts, settle_words
from .errors import ImportTreeError, NothingImportedError
from .findings import Mend, Skip
from .lists import TreeLists, read_lists
from .releases import ReleasedImage, make_settings, record_release
from .rows import store_images
from .source_tree import count_masks, get_tree, read_splits
from .storing import Arrived, put_pictures
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


@dataclass(frozen=True)
class ImportReport:
    """What an import came to.

    `unreleased` were imported and are in no set, or came after the release was recorded; `masks`
    counts images whose segmentation masks stayed behind.
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
    found = get_tree(order.folder)
    year = _get_year(found, order)
    splits = read_splits(found.root)
    with watch("Reading", _count_annotations(found), "annotations") as advance:
        drafts = read_drafts(found, splits, year, advance)
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
    if not job.stored:
        raise NothingImportedError(_describe_nothing(found, drafts.skipped))
    return job.finish(found, year, splits)


class _Job:
    """One import in work: what is stored so far, by identifier."""

    def __init__(self, party: Party, run: Import, drafts: TreeDrafts) -> None:
        self._party, self._run, self._drafts = party, run, drafts
        self._items: dict[str, Draft] = {}
        self._encoded: dict[str, str] = {}
        self.stored: dict[str, Stored] = {}

    def take(self, drafts: Sequence[Draft], pool: Executor) -> None:
        """Store the images in one transaction, or name them among the skipped."""
        max_pixels = self._party.settings.collect.max_pixels
        outcomes = put_pictures(self._party.store, drafts, max_pixels, pool)
        made: list[tuple[Draft, TreeImage]] = []
        for draft, outcome in zip(drafts, outcomes, strict=True):
            if isinstance(outcome, str):
                self._drafts.skipped.append(Skip(draft.image_id, outcome))
            elif isinstance(outcome, Arrived):
                self._drafts.mends += outcome.mends
                if outcome.encoded_sha256 is not None:
                    self._encoded[outcome.image.file.sha256] = outcome.encoded_sha256
                made.append((draft, outcome.image))
        self._take_made(made)  # what has its file has its rows too, where the store takes no more
        for outcome in outcomes:
            if isinstance(outcome, ImageStoreError):
                raise outcome

    def _take_made(self, made: Sequence[tuple[Draft, TreeImage]]) -> None:
        outcomes = self._store([item for _, item in made])
        for (draft, _), outcome in zip(made, outcomes, strict=True):
            if isinstance(outcome, str):
                self._drafts.skipped.append(Skip(draft.image_id, outcome))
            else:
                self.stored[draft.image_id] = outcome
                self._items[draft.image_id] = draft

    def finish(self, found: Tree, year: int, splits: Mapping[str, Split]) -> ImportReport:
        """Record the release and tell what the import came to."""
        lists = read_lists(found.root, year)
        images = [
            ReleasedImage(
                stored.image_id,
                stored.annotation_id,
                splits[image_id],
                image_id,
                self._make_form(image_id, lists),
            )
            for image_id, stored in sorted(self.stored.items())
            if image_id in splits
        ]
        records = [self._items[image.public_id].record for image in images]
        settings = make_settings(self._party, year, records, self._encoded, lists)
        name, at = self._run.name, self._run.at
        with self._party.catalogue.writing() as session:
            released = record_release(session, name, year, settings, images, at)
        new = [stored for stored in self.stored.values() if stored.is_new]
        return ImportReport(
            name=name,
            year=year,
            imported=len(new),
            were_there=len(self.stored) - len(new),
            objects=sum(len(draft.record.objects) for draft in self._items.values()),
            splits=dict(Counter(it.split for it in images if it.public_id in released)),
            unreleased=tuple(sorted(set(self.stored) - released)),
            skipped=tuple(sorted(self._drafts.skipped, key=lambda skip: skip.image_id)),
            mends=tuple(self._drafts.mends),
            masks=count_masks(found.root),
        )

    def _make_form(self, image_id: str, lists: TreeLists) -> FileForm:
        draft = self._items[image_id]
        return make_form(draft.record, draft.style, lists.sets_of.get(image_id, {}))

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
