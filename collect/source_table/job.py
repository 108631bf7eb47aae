"""Adding a table as a source, and taking it away again.

A pass is repeated from the start when it was stopped: what it writes lies in a folder of its own
until the sample is whole, and the sample counts from the commit of its row.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from catalog.party import Party, PartyData
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Annotation, BlockedOwner, Image, Photo, TablePass
from collect.imports.table import find_licence
from collect.query_yield import recount_yields
from collect.results import Licence, get_licences
from collect.strata import choose_classes
from collect.takedown.job import TakedownPlan, take_down
from collect.transport import ImageHosts, parse_endpoint
from vockit.errors import SettingsError
from vockit.format.whole_file import make_folder, sync_path
from vockit.report.comparison import Compared

from .errors import TableError
from .readers import TableFile, list_files, recognise_all
from .rows import PICTURES_URL
from .sample_file import (
    FOLDER,
    NAME,
    About,
    Sample,
    copy_without_owners,
    digest_of_file,
    find_path,
    is_sample,
    write_sample,
)
from .sampling import Counts, Pass, Rules
from .words import split_words

_PART = ".pass-"
_YFCC_NAME = "yfcc100m"


@dataclass(frozen=True)
class TableOrder:
    """Which table is added, and how it is read; None where the table itself tells."""

    source: Path
    format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    name: str | None = None
    seed: int | None = None
    licence: str | None = None


@dataclass(frozen=True)
class AddedTable:
    """A table that is a source now, and its sample.

    `foreign_hosts` have pictures, and may not be asked. No row answers the `unanswered` queries.
    It `replaces` another table where one of its name, with other bytes, was a source before.
    """

    about: About
    sample: Path
    photos: int
    unanswered: tuple[str, ...]
    replaces: bool
    foreign_hosts: tuple[str, ...]


def add_table(
    party: Party,
    order: TableOrder,
    *,
    now: Callable[[], datetime],
    advance: Callable[[int], None] = lambda _rows: None,
) -> AddedTable:
    """The table, once it was read whole and its sample is in the party; or TableError.

    One of the same name is replaced. A sample that another party made is taken as it is, but for
    the photographs of owners who are excluded here.
    """
    if order.name is not None and not NAME.fullmatch(order.name):
        raise SettingsError(
            f"--name {order.name!r} is wrong: expected up to 40 of a-z, 0-9 and hyphens."
        )
    files = list_files(order.source)
    with _alone(party.folder) as folder, _telling_of_the_disk(folder):
        with TemporaryDirectory(prefix=_PART, dir=folder) as part:
            draft = Path(part, "sample.db")
            if len(files) == 1 and is_sample(files[0]):
                about = _copy_sample(party, files[0], draft)
                seen = {files[0].name: _look_at(files[0])}
            else:
                about, seen = _make_sample(party, order, files, draft, advance)
            sha256 = digest_of_file(draft)
            path = find_path(party.folder, about.name, sha256)
            draft.replace(path)
        sync_path(folder)
        row = {
            "name": about.name,
            "sha256": about.sha256,
            "sample_sha256": sha256,
            "about": asdict(about),
            "folder": str(files[0].resolve().parent),
            "files": seen,
        }
        with party.catalogue.writing() as session:
            at = now()
            digests = {known.name: known.sha256 for known in load_passes(session)}
            _end(session, about.name, at)
            session.add(TablePass(**row, passed_at=at))
        _sweep(party)
    with closing(Sample(path)) as sample:
        return AddedTable(
            about=about,
            sample=path,
            photos=sample.photos,
            unanswered=tuple(sample.find_unanswered()),
            replaces=digests.get(about.name, about.sha256) != about.sha256,
            foreign_hosts=find_foreign_hosts(party, sample),
        )


def load_passes(session: Session, *, also_ended: bool = False) -> Sequence[TablePass]:
    """The tables that are sources, by name; also those that were, from the first on."""
    wanted = select(TablePass).order_by(TablePass.id)
    if not also_ended:
        wanted = select(TablePass).where(TablePass.ended_at.is_(None)).order_by(TablePass.name)
    return session.scalars(wanted).all()


def list_samples(party: PartyData) -> list[Path]:
    """Where the samples of the party's tables are, by name."""
    with party.catalogue.reading() as session:
        rows = load_passes(session)
        return [find_path(party.folder, row.name, row.sample_sha256) for row in rows]


def compare_samples(party: PartyData) -> Compared:
    """Which samples of tables are there as they were written."""
    different = list[str]()
    with party.catalogue.reading() as session:
        digests = {row.name: row.sample_sha256 for row in load_passes(session)}
    for name, sha256 in digests.items():
        path = find_path(party.folder, name, sha256)
        if not path.is_file() or digest_of_file(path) != sha256:
            different.append(name)
    return Compared(
        what="sample of a table",
        equal=len(digests) - len(different),
        different=tuple(different),
        is_right="as it was written",
        is_wrong="missing or changed",
    )


def find_changed(row: TablePass) -> bool:
    """Whether a file of the table is there and is another one than that which was read."""
    for name, (size, changed) in row.files.items():
        path = Path(row.folder, name)
        try:
            if path.exists() and _look_at(path) != [size, changed]:
                return True
        except OSError:  # it may be on a disk that is away
            continue
    return False


def find_foreign_hosts(party: PartyData, sample: Sample) -> tuple[str, ...]:
    """The hosts with pictures of a sample that image_hosts does not have."""
    public = PICTURES_URL
    configured = party.settings.table.pictures_url
    hosts = ImageHosts(party.settings.image_hosts)
    foreign = set[str]()
    for url in sample.find_hosts_urls():
        endpoint = parse_endpoint(configured if url.startswith(public) else url)
        if endpoint is not None and not hosts.allows(endpoint):
            foreign.add(endpoint.named)
    return tuple(sorted(foreign))


def remove_table(
    party: PartyData, name: str, *, now: Callable[[], datetime], dry_run: bool = False
) -> TakedownPlan:
    """What was withdrawn of a table that is no source any more: all that nobody has annotated.

    Raises TableError where there is no such table.
    """
    with _alone(party.folder):
        with party.catalogue.writing() as session:
            if name not in (row.name for row in load_passes(session)):
                names = ", ".join(row.name for row in load_passes(session)) or "none"
                raise TableError(f"There is no table {name!r}; the tables are: {names}.")
            photo_ids = _find_unannotated(session, name)
            at = now()
            reason = f"source: the table {name} was removed"
            plan = take_down(session, photo_ids, reason=reason, at=at)
            if dry_run:
                session.rollback()
                return plan
            _end(session, name, at)
        _sweep(party)
    recount_yields(party)
    return plan


def forget_owners(party: PartyData, owner_ids: Sequence[str]) -> int:
    """How many photographs of the owners were taken out of the samples of the party.

    A sample's copy takes its place with the commit of its row. Raises TableError.
    """
    with party.catalogue.reading() as session:
        names = {row.id: (row.name, row.sample_sha256) for row in load_passes(session)}
    if not names or not owner_ids:
        return 0
    count = 0
    with _alone(party.folder) as folder, _telling_of_the_disk(folder):
        for pass_id, (name, sha256) in names.items():
            with TemporaryDirectory(prefix=_PART, dir=folder) as part:
                copy = Path(part, "sample.db")
                path = find_path(party.folder, name, sha256)
                removed = copy_without_owners(path, copy, owner_ids) if path.is_file() else 0
                if not removed:
                    continue
                count += removed
                digest = digest_of_file(copy)
                copy.replace(find_path(party.folder, name, digest))
            sync_path(folder)
            changed = update(TablePass).where(TablePass.id == pass_id)
            with party.catalogue.writing() as session:
                session.execute(changed.values(sample_sha256=digest))
        _sweep(party)
    return count


def _copy_sample(party: Party, file: Path, draft: Path) -> About:
    """What the sample of another party is of, once it is copied to the new file."""
    with closing(Sample(file)) as sample:
        about = sample.about
    if not copy_without_owners(file, draft, _load_blocked(party)):
        shutil.copyfile(file, draft)
    return about


def _load_blocked(party: PartyData) -> list[str]:
    with party.catalogue.reading() as session:
        return sorted(session.scalars(select(BlockedOwner.owner_id)))


def _make_sample(
    party: Party,
    order: TableOrder,
    paths: Sequence[Path],
    draft: Path,
    advance: Callable[[int], None],
) -> tuple[About, dict[str, list[int]]]:
    """What was read and sampled into the new file, and what the files were like."""
    files = recognise_all(order.source, list(paths), order.columns, order.format)
    if len({file.is_yfcc for file in files}) > 1:
        raise TableError(f"{order.source} holds files of different kinds; name one of them.")
    rules = _make_rules(party, order, files)
    seen = {path.name: _look_at(path) for path in paths}
    # Digests are made while rows are read, so that a disk reads each file once.
    with ThreadPoolExecutor(1) as hashing, closing(Pass(draft.with_name("lots"), rules)) as reading:
        digests = {path.name: hashing.submit(digest_of_file, path) for path in paths}
        for file in files:
            reading.read(file, advance)
        digests_read = {name: digest.result() for name, digest in digests.items()}
        if seen != {path.name: _look_at(path) for path in paths}:
            raise TableError(f"{order.source} changed while it was read; add it again.")
        photos = reading.finish()
        about = _describe(order, files, rules, reading.counts, digests_read)
        kept = write_sample(draft, about, reading.counts.matched, photos)
    if not kept:
        raise TableError(_describe_nothing(order.source, reading.counts))
    with closing(Sample(draft)) as sample:
        return sample.about, seen


def _make_rules(party: Party, order: TableOrder, files: Sequence[TableFile]) -> Rules:
    settings = party.settings.collect
    fields = frozenset.intersection(*(f.fields for f in files))
    date_field = {"upload": "uploaded", "taken": "taken"}.get(settings.dates)
    default = _parse_default(order.licence)
    chosen = (order.seed, settings.seed, 0)
    return Rules(
        queries=list_queries(party),
        licences=get_licences(settings.licences) if default or "licence" in fields else None,
        dates=settings.dates if date_field in fields else "none",
        seed=next(seed for seed in chosen if seed is not None),
        photos_per_month=party.settings.table.photos_per_month,
        photos_per_owner=settings.photos_per_owner,
        photos_per_owner_and_day=settings.photos_per_owner_and_day,
        blocked_owners=frozenset(_load_blocked(party)),
        default_licence=default,
        hosts=ImageHosts(party.settings.image_hosts),
    )


def list_queries(party: Party) -> tuple[str, ...]:
    """The queries of all classes, each once; raises SettingsError for one without a word."""
    by_class = choose_classes(party.preset, ())
    for name, queries in by_class.items():
        for query in queries:
            if not split_words(query):
                raise SettingsError(
                    f"The query {query!r} of the class {name} has no words to look for; change or "
                    "remove it in the preset."
                )
    return tuple(sorted(set().union(*by_class.values())))


def _parse_default(text: str | None) -> Licence | None:
    if text is None:
        return None
    licence = find_licence(text)
    if licence is None:
        raise SettingsError(f"--licence {text!r} is no licence; `vocparty collect --help` has all.")
    return licence


def _describe(
    order: TableOrder,
    files: Sequence[TableFile],
    rules: Rules,
    counts: Counts,
    digests: Mapping[str, str],
) -> About:
    listed = "".join(f"{digest}  {name}\n" for name, digest in sorted(digests.items()))
    is_yfcc = files[0].is_yfcc
    sha256 = hashlib.sha256(listed.encode()).hexdigest()
    return About(
        name=order.name or (_YFCC_NAME if is_yfcc else make_name(order.source)),
        format=_YFCC_NAME if is_yfcc else files[0].kind,
        sha256=next(iter(digests.values())) if len(digests) == 1 else sha256,
        files=dict(sorted(digests.items())),
        columns=dict(files[0].columns),
        seed=rules.seed,
        photos_per_month=rules.photos_per_month,
        photos_per_owner=rules.photos_per_owner,
        photos_per_owner_and_day=rules.photos_per_owner_and_day,
        dates=rules.dates,
        licences=sorted(rules.licences or ()),
        queries=list(rules.queries),
        rows=counts.rows,
        answers=counts.answers,
        left_out=dict(sorted(counts.list_left_out())),
        has_licences=rules.licences is not None,
        has_owners=all(file.fields & {"owner", "owner_name"} for file in files),
    )


def make_name(source: Path) -> str:
    """The name of a table that was given none: that of its file, in letters that ids may have."""
    stem = source.resolve().name.partition(".")[0].lower()
    return re.sub(r"[^a-z0-9]+", "-", stem).strip("-")[:40].strip("-") or "table"


def _describe_nothing(source: Path, counts: Counts) -> str:
    left_out = ", ".join(f"{reason} {count:,}" for reason, count in counts.list_left_out())
    return (
        f"{source} has no photograph to collect: of {counts.rows:,} rows, "
        f"{counts.answers:,} answer a query of the preset and may be collected"
        f"{f' (left out: {left_out})' if left_out else ''}. Nothing was added."
    )


def _look_at(path: Path) -> list[int]:
    """Size in bytes and time of the last change in nanoseconds."""
    stat = path.stat()
    return [stat.st_size, stat.st_mtime_ns]


def _end(session: Session, name: str, at: datetime) -> None:
    """Let the table of that name be a source no more."""
    is_current = TablePass.name == name, TablePass.ended_at.is_(None)
    session.execute(update(TablePass).where(*is_current).values(ended_at=at))


def _find_unannotated(session: Session, name: str) -> list[int]:
    """The photos of a table whose images have no revision, and which nobody has open."""
    has_revision = select(Annotation.id).where(Annotation.image_id == Photo.image_id).exists()
    is_open = Image.state == ImageState.ANNOTATING
    wanted = (
        select(Photo.id)
        .outerjoin(Image, Image.id == Photo.image_id)
        .where(
            Photo.source == Source.TABLE,
            Photo.source_id.startswith(f"{name}:", autoescape=True),
            Photo.state.in_((PhotoState.FOUND, PhotoState.FETCHED)),
            ~has_revision,
            Image.id.is_(None) | ~is_open,
        )
    )
    return list(session.scalars(wanted.order_by(Photo.id)))


def _sweep(party: PartyData) -> None:
    """Delete samples that are no source's any more."""
    folder = party.folder / FOLDER
    with party.catalogue.reading() as session:
        used = {
            find_path(party.folder, row.name, row.sample_sha256) for row in load_passes(session)
        }
    for path in folder.glob("*.db"):
        if path not in used:
            path.unlink(missing_ok=True)


@contextmanager
def _alone(party_folder: Path) -> Iterator[Path]:
    """The folder of samples, in which no other process works; raises TableError."""
    folder = party_folder / FOLDER
    try:
        make_folder(folder)
        with (folder / ".lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise TableError(
                    "Another command reads a table of this party; wait until it has ended."
                ) from error
            for left in folder.glob(f"{_PART}*"):  # of a pass that was killed
                shutil.rmtree(left, ignore_errors=True)
            yield folder
    except PermissionError as error:
        raise TableError(f"{folder} cannot be written: {error.strerror}.") from error


@contextmanager
def _telling_of_the_disk(folder: Path) -> Iterator[None]:
    """Tell as TableError what ends a pass that cannot write."""
    try:
        yield
    except (sqlite3.OperationalError, OSError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise TableError(
            f"The sample cannot be written in {folder}: {reason}. Nothing was added; make room, "
            "and run the same command again."
        ) from error
