"""The job of `vocparty import dataset` on a VOC tree: annotations, images, then the release."""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, wait
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TypeVar

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from catalog.licences import get_licences
from catalog.party import Party
from catalog.words import hold_classes
from export.errors import ExportError
from export.plan import ReleasePlan
from export.tree_files import THREADS
from vockit.foreign.listed_images import (
    ListedImage,
    TreeSplits,
    list_images,
    read_tree_splits,
)
from vockit.foreign.tree_files import get_tree
from vockit.format.threads import ThreadPool
from vockit.report.progress import Advance

from . import reading, tree_image
from .dataset_image import DatasetOrder
from .dataset_words import refuse_unknown_targets
from .import_run import Import
from .known_images import bar_images, find_known, refuse_copies
from .rows import begin_import, find_importer, store_images
from .tree_release import plan_tree_release, record_release

AnyImage = TypeVar("AnyImage", bound=tree_image.TreeImage)
Watch = Callable[[str, int, str], AbstractContextManager[Advance]]


def import_tree(
    party: Party,
    order: DatasetOrder,
    *,
    at: datetime | None = None,
    watch: Watch = lambda *_: nullcontext(lambda _count: None),
) -> tree_image.ImportReport:
    """The report; TreeNotFoundError, ImportTreeError before anything is stored, ExportError."""
    source = _find_source(order, at or datetime.now(UTC))
    images = [tree_image.TreeImage.begin(image) for image in source.list_images()]
    run = _begin_run(party, order, source, images)
    _read_annotations(run, images, watch)
    if not order.only_known:
        reading.refuse_unknown(images, party)
    read = _list_whole(source, images)
    if not order.is_dry:
        with party.catalogue.writing() as session:
            run = begin_import(session, run, secrets.token_hex(32))
    with watch("Checking" if order.is_dry else "Importing", len(read), "images") as advance:
        (_check_images if order.is_dry else _import_images)(run, read, advance)
    taken = _list_whole(source, images)
    plan, changed = plan_tree_release(run, source.splits, taken)
    open_catalogue = party.catalogue.reading if order.is_dry else party.catalogue.writing
    with open_catalogue() as session:
        names = record_release(session, plan, taken, run)
    return _make_report(run, images, plan, names, changed)


@dataclass(frozen=True)
class _Source:
    """The tree that is imported, and the release that it becomes."""

    root: Path
    splits: TreeSplits
    name: str
    year: int
    at: datetime

    def list_images(self) -> list[ListedImage]:
        """Every image that the tree's folders or lists name."""
        return list_images(self.root, self.splits)


def _find_source(order: DatasetOrder, at: datetime) -> _Source:
    """The tree below the folder; TreeNotFoundError, ImportTreeError where its year is unknown."""
    tree = get_tree(order.path)
    year = order.year or tree.year
    splits = read_tree_splits(tree.root)
    if year is None:
        raise tree_image.ImportTreeError(
            f"{tree.root} is not called VOC and a year; say with --year which year's it is."
        )
    return _Source(root=tree.root, splits=splits, name=order.name or f"VOC{year}", year=year, at=at)


def _list_whole(
    source: _Source, images: Sequence[tree_image.TreeImage]
) -> list[tree_image.TreeImage]:
    """The images that nothing is wrong with so far; raises ExportError where there are none."""
    whole = [image for image in images if not image.reason]
    if not whole:
        reasons = [f"; {image.image_id}: {image.reason}" for image in images[:1]]
        raise ExportError(f"No image of {source.root} could be imported{''.join(reasons)}.")
    return whole


def _begin_run(
    party: Party,
    order: DatasetOrder,
    source: _Source,
    images: Sequence[tree_image.TreeImage],
) -> Import:
    """The import with what bars some of the images; ImportTreeError where the order cannot be."""
    licences = get_licences(party.settings.collect.licences)
    licence = order.find_licence(licences)
    if licence is None and (order.require_licence or party.settings.collect.require_licence):
        raise tree_image.ImportTreeError(
            "A VOC tree records no licence of its photographs, and one is required: name it with "
            "--licence; or import the tree without --require-licence and with "
            "collect.require_licence = false, where you may use them."
        )
    refuse_unknown_targets(party, order.words)
    with party.catalogue.reading() as session:
        blocked, taken_down = bar_images(session, source.name, images, source.splits.main)
    run = Import(
        party=party,
        root=source.root,
        name=source.name,
        year=source.year,
        at=source.at,
        only_known=order.only_known,
        blocked=blocked,
        taken_down=taken_down,
        licence=licence,
        is_dry=order.is_dry,
        has_owners=not order.no_owners,
        renamed=_name_classes(party, order.words),
    )
    if order.is_dry:
        with party.catalogue.reading() as session:
            find_importer(session, run)
    return run


def _name_classes(party: Party, words: Mapping[str, str]) -> dict[str, str]:
    """The name of the party's class of each word that is mapped; empty where it is to nothing."""
    specs = {theirs: party.find_class(ours) for theirs, ours in words.items()}
    return {theirs: spec.name if spec else "" for theirs, spec in specs.items()}


def _read_annotations(run: Import, images: Sequence[tree_image.TreeImage], watch: Watch) -> None:
    """Give each image the draft of its rows, or a reason why it cannot be imported."""
    readable = [image for image in images if not image.reason]
    with watch("Reading", len(readable), "annotations") as advance:
        for image in readable:
            reading.read_draft(run, image)
            advance(1)


def _make_report(
    run: Import,
    images: Sequence[tree_image.TreeImage],
    plan: ReleasePlan,
    names: Collection[str],
    changed: Sequence[tree_image.Correction],
) -> tree_image.ImportReport:
    """What became of the images; `names` are the public ids of the recorded release."""
    taken = [image for image in images if not image.reason]
    imported = sum(image.is_new for image in taken)
    met = frozenset[str]().union(*(image.class_words for image in images))
    corrections = [*(change for image in images for change in image.corrections), *changed]
    return tree_image.ImportReport(
        name=run.name,
        year=run.year,
        imported=imported,
        were_there=len(taken) - imported,
        objects=sum(len(image.objects) for image in taken),
        splits=dict(Counter(image.split for image in plan.images if image.public_id in names)),
        unreleased=tuple(image.image_id for image in taken if image.image_id not in names),
        skipped=tuple(
            tree_image.Skip(image.image_id, image.reason) for image in images if image.reason
        ),
        corrections=tuple(
            replace(change, file=str(run.root / change.file)) for change in corrections
        ),
        masks=sum(bool(image.form.masks) for image in taken),
        blind=sum(image.is_blind for image in taken),
        is_dry=run.is_dry,
        unlicensed=sum(image.is_new for image in taken) if run.licence is None else 0,
        unused_words=tuple(word for word in run.renamed if word not in met),
        metadata={image.image_id: image.metadata for image in taken if image.metadata},
    )


def _import_images(run: Import, images: Sequence[tree_image.TreeImage], advance: Advance) -> None:
    """Give each image its rows or a reason; an error of the store is raised after that."""
    first_of: dict[str, str] = {}

    def store(session: Session, run: Import, images: Sequence[tree_image.TreeImage]) -> None:
        store_images(session, run, images, store=run.party.store, first_of=first_of)

    with ThreadPool(THREADS) as pool:
        for start in range(0, len(images), reading.IMAGES_AT_ONCE):
            some = images[start : start + reading.IMAGES_AT_ONCE]
            import_some(pool, run, some, prepare=reading.store_files, store=store)
            advance(len(some))


def _check_images(run: Import, images: Sequence[tree_image.TreeImage], advance: Advance) -> None:
    """Give a reason to each image that an import would leave out; nothing is stored."""
    first_of: dict[str, str] = {}
    with ThreadPool(THREADS) as pool, run.party.catalogue.reading() as session:
        for start in range(0, len(images), reading.IMAGES_AT_ONCE):
            some = images[start : start + reading.IMAGES_AT_ONCE]
            list(pool.map(partial(reading.store_files, run), some))
            whole = [image for image in some if not image.reason]
            find_known(session, whole, run.party.store)
            refuse_copies(whole, first_of)
            for image in whole:
                image.outlines = ()  # they are large
            advance(len(some))


Prepare = Callable[[Import, AnyImage], None]
Store = Callable[[Session, Import, Sequence[AnyImage]], None]


def import_some(
    pool: ThreadPool,
    run: Import,
    images: Sequence[AnyImage],
    *,
    prepare: Prepare[AnyImage],
    store: Store[AnyImage],
) -> None:
    """Prepare images in threads, and store the rows of those that are whole in one transaction.

    An error of `prepare` is raised once what was prepared before it has its rows.
    """
    jobs = [pool.submit(prepare, run, image) for image in images]
    wait(jobs, return_when=FIRST_EXCEPTION)
    # of what has not begun nothing is stored
    begun = [pair for pair in zip(images, jobs, strict=True) if not pair[1].cancel()]
    whole = [image for image, job in begun if not (job.exception() or image.reason)]
    _store(run, whole, store)
    for image, job in begun:
        job.result()
        image.outlines = ()  # they are large


def _store(run: Import, images: Sequence[AnyImage], store: Store[AnyImage]) -> None:
    """Give the images their rows, all in one transaction, or a reason why they have none."""
    party = run.party
    try:
        with party.catalogue.writing() as session:
            hold_classes(session, party.classes_number)
            store(session, run, images)
            reading.check_stored(session, party.store, images)
    except IntegrityError:  # another process imported one of them at this moment
        if len(images) == 1:
            raise
        for image in images:
            _store(run, [image], store)
