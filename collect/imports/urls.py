"""The job of `vocparty import urls`: photographs at addresses, by the collector's downloader."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from catalog.party import Party
from catalog.states import Source
from collect.doubts import Doubts, is_asked_twice
from collect.errors import HostRefusesError, PhotoError, SameFaultError
from collect.fetching import Downloader
from collect.pauses import Backoff, Clock, Pauses
from collect.transport import ImageHosts, parse_endpoint
from vockit.errors import SettingsError

from .count import ImportCount
from .job import Candidate, ImportJob, ImportOrder
from .rows import check_class
from .table import MOST_URL_CHARS, DetailError, Table, TableRow, read_table

_MOST_ID_CHARS = 200
EVERY_HOST = ""
"""Stands for all hosts together where one is given up."""


@dataclass(frozen=True)
class UrlsOrder(ImportOrder):
    """What to import: the table, and hosts allowed besides flickr.image_hosts."""

    table: Path
    hosts: tuple[str, ...] = ()


def load_urls(party: Party, order: UrlsOrder) -> Table:
    """The table, all of whose hosts may be asked; raises SettingsError."""
    table = read_table(order.table, "url")
    hosts = ImageHosts((*party.settings.image_hosts, *order.hosts))
    foreign: Counter[str] = Counter()
    for row in table.rows:
        check_class(party, row.get("class"))
        endpoint = parse_endpoint(row.get("url") or "")
        if endpoint is not None and not hosts.allows(endpoint):
            is_usual = endpoint.scheme == "https" and endpoint.port == 443
            foreign[endpoint.host if is_usual else f"{endpoint.host}:{endpoint.port}"] += 1
    if foreign:
        named = ", ".join(f"{host} ({count})" for host, count in sorted(foreign.items())[:10])
        raise SettingsError(
            f"{order.table} leads to hosts that are not allowed: {named}; allow each with "
            "--host HOST (HTTPS on its usual port) or --host HOST:PORT."
        )
    return table


def import_urls(
    party: Party,
    order: UrlsOrder,
    table: Table,
    count: ImportCount,
    *,
    clock: Clock,
    stop: Callable[[], None] = lambda: None,
    advance: Callable[[int], None] = lambda _count: None,
    backoff: Backoff | None = None,
) -> None:
    """Import every address; `count` grows while it runs. The same call goes on where it stopped."""
    settings = party.settings.collect
    given_up = dict[str, str]()

    def give_up(error: SameFaultError) -> None:
        given_up[error.host or EVERY_HOST] = str(error)

    doubts = Doubts(is_one_owner=_has_one_owner(table))
    keyword = order.table.resolve().stem
    job = ImportJob(party, Source.URLS, keyword, order, clock.now, doubts, give_up)
    hosts = ImageHosts((*party.settings.image_hosts, *order.hosts))
    downloader = Downloader(hosts, settings, job.workers)
    pauses = Pauses(clock, backoff, catalogue=party.catalogue)
    fetch = partial(_fetch, downloader, pauses, clock, given_up, settings.attempts)
    candidates = [
        Candidate(
            f"line {row.line}",
            row,
            find_id=partial(_make_id, row),
            read=partial(fetch, row.get("url") or ""),
            number=number,
            is_asked_again=partial(_wait_for_second, pauses, clock, settings.attempts),
        )
        for number, row in enumerate(table.rows)
    ]
    try:
        job.run(candidates, count, advance, stop)
    finally:
        downloader.close()
        count.given_up += [given_up[host] for host in sorted(given_up)]


def _fetch(
    downloader: Downloader,
    pauses: Pauses,
    clock: Clock,
    given_up: dict[str, str],
    attempts: int,
    url: str,
) -> bytes:
    """The bytes at the address, asked for until they come; its host's rests are waited out."""
    endpoint = parse_endpoint(url)
    faults = 0
    assert endpoint is not None, "the photograph has an id by now"
    host = endpoint.host[:200]  # as many characters as the catalogue has for it
    names = EVERY_HOST, endpoint.named, host
    while not any(name in given_up for name in names):
        pauses.wait(host)
        try:
            data = downloader.fetch(url)
            pauses.succeed(host)
            return data
        except PhotoError as fault:
            try:
                pauses.judge(host, fault)
            except HostRefusesError as error:
                given_up[host] = str(error)
            faults += fault.is_counted
            if faults >= _count_attempts(fault, attempts):
                raise
            if fault.permanent:
                clock.sleep(pauses.delay_secs(1))
    if host not in given_up:
        raise DetailError("too many photographs before it ended for one reason; it waits")
    raise DetailError(f"its host was busy: {given_up[host].rstrip('.')}")


def _wait_for_second(pauses: Pauses, clock: Clock, attempts: int, fault: PhotoError) -> bool:
    """Whether a picture whose bytes end so is asked for once more; returns a moment later then."""
    if attempts == 1 or not is_asked_twice(fault):
        return False
    clock.sleep(pauses.delay_secs(1))
    return True


def _count_attempts(fault: PhotoError, attempts: int) -> int:
    """How often a picture is asked for that ends so."""
    if fault.permanent:
        return min(2, attempts) if is_asked_twice(fault) else 1
    return attempts


def _has_one_owner(table: Table) -> bool:
    """Whether all photographs that name an owner name the same one."""
    owners = {row.get("owner") or row.get("owner_name") for row in table.rows}
    return len(owners - {None}) <= 1


def _make_id(row: TableRow) -> str:
    """The table's own id, else the address, or its digest where it is long."""
    url = row.get("url") or ""
    if len(url) > MOST_URL_CHARS or parse_endpoint(url) is None:
        raise DetailError(f"{url[:100]!r} is not a web address")
    source_id = row.get("id") or url
    if len(source_id) <= _MOST_ID_CHARS:
        return source_id
    return hashlib.sha256(source_id.encode()).hexdigest()
