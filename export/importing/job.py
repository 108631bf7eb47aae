"""The job of `vocparty import voc`: a tree's images, some at a time, then its release.

1. Every annotation file is read; words that the preset lacks end the import before it began.
2. Images are stored some at a time: their files first, durably, then all their rows in one
   transaction. What is wrong with one image costs only that image. Killed here: the same command
   goes on.
3. The release with identifiers and sets is recorded in one transaction.

Reading and storing files is done by processes beside this one where that pays (see crew.py).
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sqlalchemy.exc import IntegrityError

from catalog.errors import ImageStoreError
from catalog.party import Party
from catalog.states import Split
from export.cycles import no_cycles
from export.forked import beside
from export.verify.trees import Tree

from .begin import begin_import
from .brought import Brought
from .bulk_session import writing_much
from .comparing import compare_lists, complete_lists, find_left_behind, with_lists
from .crew import FEWEST_IMAGES, Crew, count_processors, open_crew
from .errors import ImportTreeError, NothingImportedError
from .findings import Mend, Skip
from .picture import has_same_pixels
from .releases import ReleasedImage, make_settings, make_tree_recipe, record_release
from .rows import store_images
from .share import Share, Terms
from .source_tree import TreeSplits, add_blind, get_tree, list_files, list_masks, read_tree_splits
from .storable import Storable, load_storable
from .storing import check_stored
from .taken import TakenImage, TreeRelease
from .tree_image import Import, Stored, TreeImage
from .words import make_known_words, refuse_unknown

IMAGES_AT_ONCE = 1_000
"""So many wait for the disk together and share a transaction."""
FEWEST_AT_ONCE = 250
"""At the end, when the others wait for the last ones."""

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
    counts images that came with segmentation masks, `blind` those whose annotation the tree holds
    back.
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
    blind: int


@contextmanager
def unwatched(_label: str, _total: int, _unit: str) -> Iterator[Advance]:
    """Shows nothing of how far the work has come."""
    yield lambda _count: None


@no_cycles()
def import_tree(
    party: Party, order: TreeOrder, *, at: datetime | None = None, watch: Watch = unwatched
) -> ImportReport:
    """What came of the tree, all of it recorded; the same call again imports nothing twice.

    Raises TreeNotFoundError, ImportTreeError, UnknownWordsError and ReleaseTakenError before
    anything is stored; NothingImportedError, ImageStoreError, ImportStoppedError where it cannot
    go on.
    """
    _check_licences(party, order)
    found = get_tree(order.folder)
    year = _get_year(found, order)
    splits = read_tree_splits(found.root)
    name = order.name or f"VOC{year}"
    with party.catalogue.reading() as session:
        storable = load_storable(session, name, splits.own)
    terms = _make_terms(party, order, found, year, splits, storable)
    image_ids = [it for it in terms.files.image_ids if it not in storable.withdrawn]
    shares = [Share(terms, some_ids) for some_ids in iterate_portions(image_ids)]
    is_local = party.store.folder is not None
    with open_crew(shares, len(image_ids), is_local=is_local) as crew:
        down = (it for it in terms.files.image_ids if it in storable.withdrawn)
        told = _Told([*terms.files.skipped, *(Skip(it, "it was taken down") for it in down)])
        with watch("Reading", len(image_ids), "annotations") as advance:
            _read(crew, told, advance)
        refuse_unknown(told.unknown, terms.known)
        with party.catalogue.writing() as session:
            run = begin_import(session, name, secrets.token_hex(32), at or datetime.now(UTC))
        with watch("Importing", told.images, "images") as advance:
            brought = crew.bring()  # and while it does, what is ready of the release is made
            release = TreeRelease(found, splits, year, run.at)
            job = _Job(party, run, told, frozenset(image_ids) - storable.known, release)
            for some in brought:
                job.take(some)
                advance(len(some.images) + len(some.skipped))
                if some.fault is not None:  # what others have stored gets its rows too
                    crew.stop()
    if job.fault is not None:
        raise job.fault
    if not job.images:
        raise NothingImportedError(_describe_nothing(found, told.skipped))
    return job.finish(found, year)


@dataclass
class _Told:
    """What was read so far, and what an import has to tell of it."""

    skipped: list[Skip]
    mends: list[Mend] = field(default_factory=list)
    unknown: Counter[str] = field(default_factory=Counter)
    images: int = 0


def _make_terms(
    party: Party, order: TreeOrder, found: Tree, year: int, splits: TreeSplits, storable: Storable
) -> Terms:
    return Terms(
        found=found,
        files=add_blind(list_files(found.root, splits.own), splits),
        masks=list_masks(found),
        year=year,
        known=make_known_words(party.preset),
        only_known=order.only_known,
        storable=storable,
        store=party.store,
        max_pixels=party.settings.collect.max_pixels,
    )


def _read(crew: Crew, told: _Told, advance: Advance) -> None:
    for reading in crew.read():
        told.unknown += reading.unknown
        told.skipped += reading.skipped
        told.mends += reading.mends
        told.images += reading.images
        advance(reading.images)


def _check_licences(party: Party, order: TreeOrder) -> None:
    if order.require_licence or party.settings.collect.require_licence:
        raise ImportTreeError(
            "A VOC tree records no licence of its photographs, and one is required: import it "
            "without --require-licence and with collect.require_licence = false, where you may "
            "use them."
        )


@dataclass
class _Counts:
    """Of the images taken so far, by what an import's report tells."""

    imported: int = 0
    objects: int = 0
    masks: int = 0
    blind: int = 0


class _Job:
    """One import in work: what is stored so far.

    `images` are those that have their rows; `fault` is why the store took no more.
    """

    def __init__(
        self,
        party: Party,
        run: Import,
        told: _Told,
        new_ids: frozenset[str],
        release: TreeRelease,
    ) -> None:
        self._party, self._run, self._told, self._new_ids = party, run, told, new_ids
        self._release, self._counts = release, _Counts()
        self._encoded: dict[str, str] = {}
        self.images: list[str] = []
        self.fault: ImageStoreError | None = None

    def take(self, brought: Brought) -> None:
        """Record the images in one transaction, or name them among the skipped."""
        self.fault = self.fault or brought.fault
        self._told.skipped += brought.skipped
        outcomes = self._store(brought.images)
        taken: list[TakenImage] = []
        for image, outcome in zip(brought.images, outcomes, strict=True):
            if isinstance(outcome, str):
                self._told.skipped.append(Skip(image.image_id, outcome))
                continue
            taken.append(TakenImage(image, outcome))
            self._told.mends += brought.mends.get(image.image_id, ())
            own, released = outcome.sha256, brought.encoded.get(image.image_id)
            if own is not None or released is not None:
                self._encoded[own or image.file.sha256] = released or image.file.sha256
        self._count(taken)
        self._release.add(taken)

    def _count(self, taken: Sequence[TakenImage]) -> None:
        self.images += [image.image_id for image, _ in taken]
        self._counts.imported += sum([stored.is_new for _, stored in taken])
        self._counts.objects += sum([len(image.objects) for image, _ in taken])
        self._counts.masks += sum([bool(image.masks) for image, _ in taken])
        self._counts.blind += sum([image.form.is_blind for image, _ in taken])

    def finish(self, found: Tree, year: int) -> ImportReport:
        """Record the release and tell what the import came to."""
        lists, images = self._release.lists, self._release.images
        recipe = make_tree_recipe(
            self._party, year, [image.form for image in images], lists.has_label_map
        )
        plan = self._release.plan(self._run.name, recipe)
        plan = with_lists(plan, complete_lists(found.root, lists.paths, plan))

        def compare() -> list[Mend]:
            if not images:
                return []
            differences = compare_lists(found.root, lists.paths, plan)
            return [*differences, *find_left_behind(found.root, self._release.masks)]

        with beside(compare, pays=len(images) >= FEWEST_IMAGES) as take_differences:
            with writing_much(self._party.catalogue) as session:
                made = make_settings(plan.recipe, self._encoded)
                names = record_release(session, self._run.name, year, made, images, self._run.at)
            mends = [*self._release.mends, *take_differences()]
        return self._report(year, images, names, mends)

    def _report(
        self, year: int, images: Sequence[ReleasedImage], names: set[str], mends: Sequence[Mend]
    ) -> ImportReport:
        counts = self._counts
        return ImportReport(
            name=self._run.name,
            year=year,
            imported=counts.imported,
            were_there=len(self.images) - counts.imported,
            objects=counts.objects,
            splits=dict(Counter(it.split for it in images if it.public_id in names)),
            unreleased=tuple(sorted(set(self.images) - names)),
            skipped=tuple(sorted(self._told.skipped, key=lambda skip: skip.image_id)),
            mends=(*self._told.mends, *mends),
            masks=counts.masks,
            blind=counts.blind,
        )

    def _store(self, items: Sequence[TreeImage]) -> list[Stored | str]:
        try:
            return self._store_at_once(items, self._new_ids)
        except IntegrityError:  # another process imported one of them at this moment
            return [outcome for item in items for outcome in self._store_at_once([item], ())]

    def _store_at_once(
        self, items: Sequence[TreeImage], new_ids: Collection[str]
    ) -> list[Stored | str]:
        with writing_much(self._party.catalogue) as session:
            is_same = partial(has_same_pixels, self._party.store)
            outcomes = store_images(session, self._run, items, is_same=is_same, new_ids=new_ids)
            check_stored(session, self._party.store, items)
            return outcomes


def iterate_portions(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """As many for one processor as for another; ever fewer, so that all have done at once."""
    start, processors = 0, count_processors()
    while start < len(names):
        rest = len(names) - start
        size = min(IMAGES_AT_ONCE, max(FEWEST_AT_ONCE, rest // (4 * processors)))
        end = start + size * processors
        yield from (
            names[place : place + size] for place in range(start, min(end, len(names)), size)
        )
        start = end


def _get_year(found: Tree, order: TreeOrder) -> int:
    year = order.year or found.year
    if year is None:
        raise ImportTreeError(
            f"{found.root} is not called VOC and a year; say with --year which year's it is."
        )
    return year


def _describe_nothing(found: Tree, skipped: list[Skip]) -> str:
    first = f"; {skipped[0].image_id}: {skipped[0].reason}" if skipped else ""
    return f"No image of {found.root} could be imported{first}."
