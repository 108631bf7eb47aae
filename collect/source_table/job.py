"""The job of `vocparty source add`: a table is read once, and its sample becomes a source.

A pass is repeated from the start when it was stopped: what it writes lies in a folder of its own
until the sample is whole, and the sample counts from the commit of its row.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from catalog.licences import Licence, find_licence, get_licences
from catalog.party import Party, PartyData
from catalog.tables import TablePass
from collect.strata import choose_classes
from collect.transport import ImageHosts, parse_endpoint
from vockit.errors import SettingsError
from vockit.format.plural import format_count
from vockit.format.threads import ThreadPool
from vockit.format.whole_file import sync_path

from .errors import TableError
from .keeping import (
    PART,
    alone,
    end_pass,
    load_blocked,
    load_passes,
    look_at,
    sweep,
    telling_of_the_disk,
)
from .recognise import TableFile, list_files, recognise_all
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

_YFCC_NAME = "yfcc100m"
_MAKE_ROOM = "Nothing was added; make room, and run the same command again."
_OPTIONS = {
    "format": "--format",
    "columns": "--column",
    "name": "--name",
    "seed": "--seed",
    "licence": "--licence",
}
"""The options of what an order may choose."""


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
    _refuse_kept(party, order.source)
    with alone(party.folder) as folder, telling_of_the_disk(folder, _MAKE_ROOM):
        with TemporaryDirectory(prefix=PART, dir=folder) as part:
            draft = Path(part, "sample.db")
            if len(files) == 1 and is_sample(files[0]):
                about = _copy_sample(order, files[0], draft)
                seen = {files[0].name: look_at(files[0])}
            else:
                about, seen = _make_sample(party, order, files, draft, advance)
            draft = _drop_blocked(party, draft)
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
            end_pass(session, about.name, at)
            session.add(TablePass(**row, passed_at=at))
        sweep(party)
    with closing(Sample(path)) as sample:
        return AddedTable(
            about=about,
            sample=path,
            photos=sample.photos,
            unanswered=tuple(sample.find_unanswered()),
            replaces=digests.get(about.name, about.sha256) != about.sha256,
            foreign_hosts=find_foreign_hosts(party, sample),
        )


def find_foreign_hosts(party: PartyData, sample: Sample) -> tuple[str, ...]:
    """The hosts with pictures of a sample that image_hosts does not have.

    Of an address without encryption also the host alone, to which most redirect by now.
    """
    public = PICTURES_URL
    configured = party.settings.table.pictures_url
    hosts = ImageHosts(party.settings.image_hosts)
    foreign = set[str]()
    for url in sample.find_hosts_urls():
        endpoint = parse_endpoint(configured if url.startswith(public) else url)
        if endpoint is not None and not hosts.allows(endpoint):
            is_plain = (endpoint.scheme, endpoint.port) == ("http", 80)
            foreign |= {endpoint.named, endpoint.host} if is_plain else {endpoint.named}
    return tuple(sorted(foreign))


def _refuse_kept(party: PartyData, source: Path) -> None:
    """Raise TableError for a table among the party's own samples, which are deleted in time."""
    folder = party.folder / FOLDER
    if source.resolve().is_relative_to(folder.resolve()):
        raise TableError(
            f"{source} is in {folder}, where the party keeps its samples; copy it elsewhere, and "
            "name the copy."
        )


def _copy_sample(order: TableOrder, file: Path, draft: Path) -> About:
    """What the sample of another party is of, once it is copied to the new file."""
    _refuse_unused(order, _OPTIONS, "the sample of a table, which is taken as it is")
    with closing(Sample(file)) as sample:
        about = sample.about
    shutil.copyfile(file, draft)
    return about


def _drop_blocked(party: Party, draft: Path) -> Path:
    """The sample without the owners who are excluded by now, as during a long pass."""
    copy = draft.with_name("without-owners.db")
    return copy if copy_without_owners(draft, copy, load_blocked(party)) else draft


def _refuse_unused(order: TableOrder, unused: Collection[str], what: str) -> None:
    """Raise SettingsError where the order chooses what is not used for a source of that kind."""
    given = [_OPTIONS[name] for name in unused if getattr(order, name) not in (None, {})]
    if given:
        raise SettingsError(f"{order.source} is {what}; leave out {', '.join(given)}.")


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
    if files[0].is_yfcc:
        unused = ("format", "columns") if order.format == "csv" else ("columns",)
        _refuse_unused(order, unused, "a table of YFCC100M, whose columns are known")
    elif order.format == _YFCC_NAME:
        _refuse_unused(order, ("format",), "no table of YFCC100M")
    rules = _make_rules(party, order, files)
    seen = {path.name: look_at(path) for path in paths}
    # Digests are made while rows are read, so that a disk reads each file once.
    with ThreadPool(1) as hashing, closing(Pass(draft.with_name("lots"), rules)) as reading:
        digests = {path.name: hashing.submit(digest_of_file, path) for path in paths}
        for file in files:
            reading.read(file, advance)
        digests_read = {name: digest.result() for name, digest in digests.items()}
        if seen != {path.name: look_at(path) for path in paths}:
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
    fields = frozenset.intersection(*(file.fields for file in files))
    has_licences = any("licence" in file.fields for file in files)
    date_field = {"upload": "uploaded", "taken": "taken"}.get(settings.dates)
    default = _parse_default(order.licence)
    chosen = (order.seed, settings.seed, 0)
    return Rules(
        queries=list_queries(party),
        licences=get_licences(settings.licences) if default or has_licences else None,
        dates=settings.dates if date_field in fields else "none",
        seed=next(seed for seed in chosen if seed is not None),
        photos_per_month=party.settings.table.photos_per_month,
        photos_per_owner=settings.photos_per_owner,
        photos_per_owner_and_day=settings.photos_per_owner_and_day,
        blocked_owners=frozenset(load_blocked(party)),
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
        f"{source} has no photograph to collect: of "
        f"{format_count(counts.rows, 'row')}, {counts.answers:,} answer a query of the preset and "
        "may be collected"
        f"{f' (left out: {left_out})' if left_out else ''}. Nothing was added."
    )
