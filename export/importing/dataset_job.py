"""The job of `vocparty import dataset`: labels of other tools become annotations to be checked."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice

from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.licences import get_licences
from catalog.party import Party
from catalog.states import ImageState, Source
from catalog.tables import Image
from export.tree_files import THREADS
from vockit.foreign.datasets.opening import open_dataset
from vockit.foreign.datasets.values import ForeignDataset, ForeignImage
from vockit.format.text import escape_unstorable
from vockit.format.threads import ThreadPool

from .dataset_image import DatasetImage, DatasetOrder, DatasetReport, ImportDatasetError
from .dataset_reading import Admission, compare_picture, prepare
from .dataset_rows import find_there, refuse_twins, store_dataset_images
from .dataset_words import list_searched, settle_words
from .import_run import Import
from .job import Watch, import_some
from .reading import IMAGES_AT_ONCE
from .rows import begin_import, find_importer

_MOST_ID = 200
_MOST_NAME_CHARS = 90
"""The person who stands for the import is called after the whole of it."""


def import_dataset(
    party: Party,
    order: DatasetOrder,
    *,
    at: datetime | None = None,
    watch: Watch = lambda *_: nullcontext(lambda _count: None),
) -> DatasetReport:
    """The report; DatasetError and ImportDatasetError before anything is stored."""
    if order.year or order.only_known or order.no_owners:
        raise ImportDatasetError(
            f"--year, --only-known and --no-owners are for whole VOC trees, and {order.path} has "
            "no lists of train, val or test in ImageSets; leave them out, or say --format voc-tree."
        )
    with closing(open_dataset(order.path, order.form)) as dataset:
        classes = settle_words(party, dataset.words, order.words)
        admission = _make_admission(party, order, classes)
        searched = list_searched(party, dataset.searched, order.words)
        run = _begin_run(party, order, dataset, at or datetime.now(UTC))
        run = replace(run, searched=searched)
        report = DatasetReport(
            form=dataset.form,
            name=run.name,
            is_dry=order.is_dry,
            found=dataset.count_images(),
            is_accepted=party.settings.qa.imported == "accept",
            words=classes,
            unused_words=tuple(word for word in order.words if word not in classes),
            lacking=tuple(name for name in party.preset.class_names if name not in searched),
        )
        report.note(dataset.notes)
        if order.is_dry:
            with party.catalogue.reading() as session:
                find_importer(session, run)
        else:
            with party.catalogue.writing() as session:
                run = begin_import(session, run, secrets.token_hex(32))
        label = "Checking" if order.is_dry else "Importing"
        with watch(label, report.found, "images") as advance:
            for images in _import_all(run, admission, dataset):
                for image in images:
                    report.add(image)
                advance(len(images))
    return report


def _make_admission(
    party: Party, order: DatasetOrder, classes: Mapping[str, str | None]
) -> Admission:
    settings = party.settings.collect
    licences = get_licences(settings.licences)
    return Admission(
        classes=classes,
        licences=licences,
        default=order.find_licence(licences),
        is_required=order.require_licence or settings.require_licence,
        is_dry=order.is_dry,
        keeps_negatives=party.settings.export.negatives,
    )


def _begin_run(party: Party, order: DatasetOrder, dataset: ForeignDataset, at: datetime) -> Import:
    with party.catalogue.reading() as session:
        down = select(Image.sha256, Image.original_sha256, Image.id)
        rows = session.execute(down.where(Image.state == ImageState.TAKEN_DOWN)).tuples().all()
    taken_down = {sha256: image_id for *digests, image_id in rows for sha256 in digests if sha256}
    path = order.path.resolve()
    name = escape_unstorable(order.name or (path.name if path.is_dir() else path.stem))
    if len(name) > _MOST_NAME_CHARS:
        raise ImportDatasetError(
            f"The name {name[:40]}... has {len(name)} characters; give the import one of at most "
            f"{_MOST_NAME_CHARS} with --name."
        )
    return Import(
        party=party,
        root=dataset.root,
        name=name,
        year=at.year,
        at=at,
        only_known=False,
        blocked={},
        taken_down=taken_down,
        source=Source.DATASET,
    )


def _import_all(
    run: Import, admission: Admission, dataset: ForeignDataset
) -> Iterator[list[DatasetImage]]:
    """The images, some at a time, once they have their rows or a reason."""
    images = (_begin_image(run, foreign) for foreign in dataset.iterate_images())
    seen: dict[str, str] = {}
    with ThreadPool(THREADS) as pool:
        while some := list(islice(images, IMAGES_AT_ONCE)):
            with run.party.catalogue.reading() as session:
                find_there(session, run, some)
            list(pool.map(compare_picture, [image for image in some if image.was_there]))
            fresh = [image for image in some if not (image.was_there or image.reason)]
            _import_fresh(pool, run, admission, fresh, dataset.form, seen)
            yield some


def _import_fresh(
    pool: ThreadPool,
    run: Import,
    admission: Admission,
    images: list[DatasetImage],
    form: str,
    seen: dict[str, str],
) -> None:
    """Give new images their rows or a reason; a dry run asks the same and stores nothing."""
    if admission.is_dry:
        list(pool.map(partial(prepare, admission, run), images))
        _refuse_seen(images, seen)
        with run.party.catalogue.reading() as session:
            refuse_twins(session, [image for image in images if not image.reason])
        return

    def store(session: Session, run: Import, images: Sequence[DatasetImage]) -> None:
        _refuse_seen(images, seen)
        whole = [image for image in images if not image.reason]
        store_dataset_images(session, run, whole, form)

    import_some(pool, run, images, prepare=partial(prepare, admission), store=store)


def _refuse_seen(images: Iterable[DatasetImage], seen: dict[str, str]) -> None:
    """Of several images with one picture only the first comes in."""
    for image in images:
        if image.reason:
            continue
        first = seen.setdefault(image.file.sha256, image.foreign.place)
        if first != image.foreign.place:
            image.reason = f"its picture is the same file as that of {first}"


def _begin_image(run: Import, foreign: ForeignImage) -> DatasetImage:
    """An image of which its labels alone are known; its id is the dataset's name and its path."""
    image_id = escape_unstorable(f"{run.name}/{foreign.name}")
    if len(image_id) > _MOST_ID:
        image_id = f"{run.name[:100]}/{digest_of(image_id.encode())}"
    return DatasetImage(image_id=image_id, foreign=foreign)
