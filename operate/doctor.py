"""What `vocparty doctor` looks at, and what it may put right without asking.

Only what can be taken back is repaired: what is changed is copied before, and files are set aside
and never deleted. What only a person can know has an option of its own, or is only told.
"""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import sqlite3
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from catalog.errors import CatalogueError
from catalog.image_store import open_image_store
from catalog.licences import get_licences
from catalog.migrate import require_current
from catalog.party import (
    MOVED_FILE,
    SESSION_KEY,
    Party,
    PartyData,
    catalogue_url,
    complete_party,
    read_preset,
)
from catalog.preset import load_preset
from catalog.read_only import may_write
from catalog.session import describe_loss, open_catalogue
from catalog.settings import FILE_NAME, Settings, read_settings
from catalog.validation import read_text
from collect.forecast import check_targets
from collect.job import check_source
from collect.source_table.keeping import compare_samples
from collect.source_table.source import fit_dates
from collect.strata import find_span
from qa.check_list import enabled_checks
from vockit.errors import SettingsError, UserError
from vockit.format.plural import format_count
from work.detectors.outline_files import find_pair

from .checks import Check, make_check
from .integrity import find_suspects, keep_copy, list_faults, rebuild_indexes
from .party_rules import (
    CLOCK_SECS,
    compare_counts,
    compare_images,
    compare_indexes,
    compare_people,
    compare_times,
    compare_words,
)
from .questions_check import compare_settled
from .row_faults import compare_numbers, compare_photos, compare_verdicts
from .stored_files_checks import SET_ASIDE, check_owner, check_store
from .stored_values import compare_values

LEAST_FREE_BYTES = 1_000_000_000
_SHOWN = 3
_MOST_SUSPECTS = 20
_KEY_CHARACTERS = 32
_SETTLE = (
    "Nothing was changed: which row is wrong only a person can know. The board lists such images "
    "under Stuck images, where Put right settles each from its revisions and checks."
)
_COMPARE = (
    "Rows were lost, or changed by another program. Nothing was changed; compare with a backup, "
    "and bring it back with `vocparty restore` if it has them."
)
_SETTLED = (
    "Another program changed answers or what they settle. The answers hold: compute these images "
    "anew with `vocparty questions plan --again`."
)
_INDEXES = (
    "Another program dropped them: pages are slow, and what they forbid can happen. Bring the "
    "catalogue back with `vocparty restore`."
)
_SAMPLES = (
    "Bring a sample back from a backup, or add its table again with `vocparty source add`; until "
    "then nothing is collected from tables."
)
_UNREADABLE = (
    f"{_COMPARE} The other checks of the rows and files need these values, and were not made."
)


@dataclass(frozen=True)
class Orders:
    """What doctor may do besides looking."""

    repair: bool = False
    trust_rows: bool = False
    claim_store: bool = False


def examine(folder: Path, *, port: int, orders: Orders) -> Iterator[Check]:
    """Every check of the party in the folder, as far as it can be looked at."""
    if (folder / MOVED_FILE).is_file():
        yield Check("moved", "warning", read_text(folder / MOVED_FILE).strip())
    try:
        settings = read_settings(folder / FILE_NAME)
        load_preset(settings.preset, folder)
        url = catalogue_url(settings, folder)
    except UserError as error:
        yield Check("settings", "error", str(error))
        return
    yield Check("settings", "ok", f"{FILE_NAME} and the preset can be read.")
    yield from _check_secrets(folder, orders.repair)
    yield from _check_privacy(url)
    yield _check_disks(_list_places(folder, settings, url))
    yield _check_port(port)
    if url.startswith("sqlite:///"):
        file = Path(url.removeprefix("sqlite:///"))
        yield from _check_access(file)
        check = _check_sqlite(file, folder / SET_ASIDE, trusts_rows=orders.trust_rows)
        yield check
        if check.state == "error":
            return
    catalogue = open_catalogue(url)
    try:
        store = open_image_store(settings.images, folder)
        data = PartyData(folder=folder, settings=settings, catalogue=catalogue, store=store)
        yield from _check_party(data, orders)
    except (UserError, SQLAlchemyError) as error:
        yield Check("catalogue", "error", describe_loss(error) or str(error))
    finally:
        catalogue.close()


def _check_party(party: PartyData, orders: Orders) -> Iterator[Check]:
    catalogue = party.catalogue
    require_current(catalogue)
    if catalogue.engine.dialect.name == "postgresql":
        yield Check("catalogue", "ok", "PostgreSQL answers, and its tables are of this version.")
    with catalogue.reading() as session:
        if catalogue.engine.dialect.name == "sqlite":
            yield (check := make_check("values", compare_values(session), _UNREADABLE))
            if check.state == "error":
                return
        of_files = read_preset(party)
        try:
            yield from _check_use(complete_party(of_files, session))
        except SettingsError as error:  # as each command ends that uses classes
            yield Check("party", "error", f"Commands that use classes refuse this party: {error}")
        yield make_check("indexes", compare_indexes(session), _INDEXES)
        yield _check_clock(session)
        yield make_check("classes", compare_words(session), _COMPARE)
        yield make_check("work", compare_images(session), _SETTLE)
        yield make_check("counts", compare_counts(session), _COMPARE)
        yield make_check("people", compare_people(session), _COMPARE)
        if (settled := compare_settled(session)).total:
            yield make_check("questions", settled, _SETTLED)
        yield make_check("numbers", compare_numbers(session), _COMPARE)
        yield make_check("photos", compare_photos(session), _COMPARE)
        reasons = of_files.preset.reason_displays.keys()
        yield make_check("verdicts", compare_verdicts(session, reasons), _COMPARE)
        yield from _check_outlines(session, party)
    if (samples := compare_samples(party)).total:
        yield make_check("tables", samples, _SAMPLES)
    owned, check = check_owner(catalogue, party.store, party.folder, does_claim=orders.claim_store)
    yield check
    if owned is not None:
        yield from check_store(catalogue, party.folder, owned, does_repair=orders.repair)


def _check_outlines(session: Session, party: PartyData) -> Iterator[Check]:
    """Whether this machine has the files of the model that outlines what people click on."""
    pair = find_pair(session, party)
    if pair is None:
        return
    if pair.read_limits() is not None:
        yield Check("outlines", "ok", f"The files of {pair.name} are here.")
        return
    text = (
        f"The files of {pair.name}, which outlines what people click on, are not in {pair.folder}; "
        "a backup does not hold them. Until `vocparty suggest outlines` is run here, people draw "
        "by hand."
    )
    yield Check("outlines", "warning", text)


def _check_secrets(folder: Path, does_repair: bool) -> Iterator[Check]:
    key_file = folder / SESSION_KEY
    if key_file.exists() and len(key_file.read_bytes().strip()) < _KEY_CHARACTERS:
        text = f"{SESSION_KEY} holds no key; delete it, and everyone signs in again."
        yield Check("session key", "error", text)
        return
    secrets = [path for path in (key_file, folder / FILE_NAME) if path.exists()]
    readable = [path for path in secrets if stat.S_IMODE(path.stat().st_mode) & 0o077]
    names = " and ".join(path.name for path in readable)
    if not readable:
        yield Check("secrets", "ok", "Only their owner can read the files that hold secrets.")
    elif does_repair:
        for path in readable:
            path.chmod(0o600)
        yield Check("secrets", "repaired", f"Others can no longer read {names}.")
    else:
        yield Check("secrets", "warning", f"Other users of this machine can read {names}.")


def _check_privacy(url: str) -> Iterator[Check]:
    """Whether others can read SQLite's file; one that another account shares stays as it is."""
    file = Path(url.removeprefix("sqlite:///")) if url.startswith("sqlite:///") else None
    if file is not None and file.exists() and stat.S_IMODE(file.stat().st_mode) & 0o077:
        text = (
            f"Other users of this machine can read {file.name}, with names and work. If none of "
            f"them shares the party, run `chmod 600 {file}`."
        )
        yield Check("privacy", "warning", text)


def _check_access(file: Path) -> Iterator[Check]:
    """Who owns a catalogue that this account may not write."""
    if file.is_file() and not may_write(file):
        owner = _name_account(file.stat().st_uid)
        account = _name_account(os.geteuid())
        text = f"{file} cannot be written here: its disk is mounted read-only, or its folder is."
        if owner != account:
            text = (
                f"{account} cannot write {file}, which belongs to {owner}. Run vocparty as {owner}."
            )
        text += " Commands that only read work all the same, and nothing is lost."
        yield Check("access", "error", text)


def _name_account(number: int) -> str:
    """The name of an account of this machine, or its number where it has none."""
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return f"account {number}"


def _list_places(folder: Path, settings: Settings, url: str) -> list[Path]:
    """The folders of this machine that hold something of the party, as far as they are there."""
    places = [folder]
    if url.startswith("sqlite:///"):
        places.append(Path(url.removeprefix("sqlite:///")).parent)
    if "://" not in settings.images:
        places.append(folder / settings.images)
    return [place for place in places if place.exists()]


def _check_disks(places: Sequence[Path]) -> Check:
    """Whether there is room on each disk that one of the places is on."""
    by_disk = {place.stat().st_dev: place for place in reversed(places)}
    free = {place: shutil.disk_usage(place).free for place in reversed(by_disk.values())}
    parts = [f"{count / 1e9:,.1f} GB are free at {place}" for place, count in free.items()]
    text = f"{'; '.join(parts)}."
    if min(free.values()) < LEAST_FREE_BYTES:
        return Check("disk", "error", f"{text} Make room: saves fail once a disk is full.")
    return Check("disk", "ok", text)


def _check_port(port: int) -> Check:
    try:
        socket.create_server(("127.0.0.1", port)).close()
    except OSError as error:
        reason = str(error.strerror).partition(" (")[0]
        text = f"Port {port} cannot be used: {reason}. Perhaps the party is running."
        return Check("port", "warning", text)
    return Check("port", "ok", f"Port {port} is free.")


def _check_sqlite(path: Path, aside: Path, *, trusts_rows: bool) -> Check:
    if not path.is_file() or not path.stat().st_size:
        text = f"{path.name} is missing or empty; bring it back with `vocparty restore`."
        return Check("catalogue", "error", text)
    try:
        faults = list_faults(path)
    except CatalogueError as error:
        return Check("catalogue", "error", str(error))
    if not faults:
        return Check("catalogue", "ok", "SQLite finds no fault in the catalogue.")
    text = f"Damaged: {faults[0]} ({format_count(len(faults), 'fault')})."
    if not all("index" in fault for fault in faults):
        text += "".join(f" Suspect: {suspect}." for suspect in find_suspects(path, faults)[:_SHOWN])
        return Check("catalogue", "error", f"{text} Bring it back with `vocparty restore`.")
    return _settle_suspects(path, aside, faults, text, trusts_rows=trusts_rows)


def _settle_suspects(
    path: Path, aside: Path, faults: list[str], damage: str, *, trusts_rows: bool
) -> Check:
    """Name the rows that differ from their indexes; only a person says that the rows are right."""
    suspects = find_suspects(path, faults)
    named = "; ".join(map(str, suspects[:_MOST_SUSPECTS])) or damage
    if len(suspects) > _MOST_SUSPECTS:
        named += f"; and {len(suspects) - _MOST_SUSPECTS:,} more"
    try:
        copy = keep_copy(path, aside, faults, is_fresh=trusts_rows)
    except OSError as error:
        text = f"Suspect: {named}. No copy of it could be kept ({error.strerror})."
        return Check("catalogue", "error", text)
    copy_note = f"A copy of the file as it was is {aside.name}/{copy.name}."
    if trusts_rows:
        with suppress(sqlite3.DatabaseError):
            rebuild_indexes(path)
        if not list_faults(path):
            text = f"The indexes were built anew from the rows, as you said: {named}. {copy_note}"
            return Check("catalogue", "repaired", text)
    text = (
        f"Suspect: {named}. One of the two was damaged, and no program can know which. {copy_note} "
        "Compare with the image and a backup. If a row is wrong, bring the catalogue back with "
        "`vocparty restore`; if all rows are right, run `vocparty doctor --trust-rows`."
    )
    return Check("catalogue", "error", text)


def _check_clock(session: Session) -> Check:
    """The clock against PostgreSQL's, and against all times that rows hold of the past."""
    now = datetime.now(UTC)
    if session.get_bind().dialect.name == "postgresql":
        apart = abs((session.scalar(select(func.now())) - now).total_seconds())  # type: ignore[operator]
        if apart > CLOCK_SECS:
            text = f"This clock and PostgreSQL's are {apart:,.0f} s apart; use NTP on both."
            return Check("clock", "error", text)
    times, ahead_secs = compare_times(session, now)
    advice = (
        f"The furthest is {ahead_secs:,.0f} s in the future: the clock was wrong then, or was set "
        "back since; use NTP."
    )
    return make_check("clock", times, advice)


def _check_use(party: Party) -> Iterator[Check]:
    """What other commands will refuse of the settings, before they do."""
    settings = party.settings
    refused = list[str]()
    try:
        enabled_checks(settings)
    except SettingsError as error:
        yield Check("checking", "error", str(error))
    asks: tuple[Callable[[], object], ...] = (
        lambda: check_source(settings),
        lambda: fit_dates(party),  # of a table, that there is one
        lambda: find_span(settings.collect, datetime.now(UTC)),
        lambda: get_licences(settings.collect.licences),
        lambda: check_targets(party),
    )
    for ask in asks:
        try:
            ask()
        except SettingsError as error:
            refused.append(str(error))
    if refused:
        yield Check("collecting", "warning", f"`vocparty collect` will refuse: {refused[0]}")
    else:
        yield Check(
            "collecting",
            "ok",
            f"The settings of collecting from {settings.collect.source} are complete.",
        )
