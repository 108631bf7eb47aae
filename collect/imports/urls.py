"""The job of `vocparty import urls`: the photographs at a table's addresses.

They come through the collector's own downloader: the same limits of time and bytes, no redirect to
another host, no private address unless it is configured with its port.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from catalog.party import Party
from catalog.states import Source
from collect.errors import HostBusyError, PhotoError
from collect.fetching import Downloads
from collect.hosts import Endpoint, HostRests, ImageHosts, parse_endpoint
from collect.pauses import Backoff, Clock, Pauses, open_pauses

from .job import ImportJob, ImportOrder, Prepared, PutOff, check_class
from .record import Arrival, ImportCount, Refusal
from .table import DetailError, ImportSourceError, Table, TableRow, read_table

_MOST_ID_CHARS = 200
_MOST_URL_CHARS = 2_000


@dataclass(frozen=True)
class UrlsOrder(ImportOrder):
    """What to import: the table, and hosts allowed besides flickr.image_hosts."""

    table: Path
    hosts: tuple[str, ...] = ()


def load_urls(party: Party, order: UrlsOrder) -> Table:
    """The table, all of whose hosts may be asked; raises TableError, ImportSourceError."""
    table = read_table(order.table, "url")
    hosts = _make_hosts(party, order)
    foreign: dict[str, int] = {}
    for row in table.rows:
        check_class(party, row.get("class"))
        endpoint = parse_endpoint(row.get("url") or "")
        if endpoint is not None and not hosts.allows(endpoint):
            host = _name_host(endpoint)
            foreign[host] = foreign.get(host, 0) + 1
    if foreign:
        named = ", ".join(f"{host} ({count})" for host, count in sorted(foreign.items())[:10])
        raise ImportSourceError(
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
    """Import every address; `count` grows while it runs. The same call goes on where it stopped.

    `stop` shall end waits of the clock. Raises ImageStoreError where it cannot go on.
    """
    name = order.table.resolve().stem
    job = ImportJob(party, Source.URLS, name, order, count, clock.now, advance, stop)
    pauses = open_pauses(party.catalogue, clock, backoff)
    downloads = Downloads(_make_hosts(party, order), job.settings, job.workers)
    importer = _UrlImporter(job, downloads, pauses, clock)
    try:
        job.run([Wanted(row) for row in table.rows], importer.prepare, importer.wait)
    finally:
        downloads.close()


@dataclass(frozen=True)
class Wanted:
    """A line whose address is to be asked for, from a moment on; attempts count from 1."""

    row: TableRow
    attempt: int = 1
    due_at: datetime | None = None

    @property
    def url(self) -> str:
        """Its address as it is written."""
        return self.row.get("url") or ""


class _UrlImporter:
    """What becomes of each row of the table."""

    def __init__(self, job: ImportJob, downloads: Downloads, pauses: Pauses, clock: Clock) -> None:
        self._job, self._downloads, self._pauses, self._clock = job, downloads, pauses, clock
        self._rests = HostRests(pauses)
        self._put_off_lines: list[Wanted] = []

    def wait(self) -> list[Wanted]:
        """The lines that were put off, in their order, once the first of them may be asked for."""
        waiting, self._put_off_lines = self._put_off_lines, []
        if waiting:
            self._clock.sleep(min(map(self._find_rest_secs, waiting)))
        return sorted(waiting, key=lambda one: one.row.line)

    def prepare(self, wanted: Wanted) -> Prepared:
        """What the address gave: an arrival with its picture stored, or why there is none yet."""
        row, url = wanted.row, wanted.url
        if self._find_rest_secs(wanted) > 0:
            return self._put_off(wanted)
        where = f"line {row.line}"
        if len(url) > _MOST_URL_CHARS or parse_endpoint(url) is None:
            return Refusal(where, f"{url[:100]!r} is not a web address")
        try:
            details = self._job.read_details(row)
        except DetailError as error:
            return Refusal(where, str(error))
        source_id = _make_id(row, url)
        if self._job.is_known(source_id):
            return None
        values = {**details, "source_id": source_id, "image_url": url}
        class_name, came = row.get("class"), self._fetch(wanted)
        if isinstance(came, bytes):
            return self._job.arrive(came, values, class_name)
        return Arrival(values, class_name, came) if isinstance(came, PhotoError) else came

    def _fetch(self, wanted: Wanted) -> bytes | PhotoError | PutOff | Refusal:
        """The bytes, the fault of the last attempt, or that the host or another attempt is due."""
        url = wanted.url
        refusal = self._rests.find_refusal(url)
        if refusal is not None:
            says = str(refusal).rstrip(".")
            return Refusal(f"line {wanted.row.line}", f"its host was busy: {says}")
        try:
            data = self._downloads.fetch(url)
        except PhotoError as fault:
            self._rests.judge(url, fault)
            if isinstance(fault, HostBusyError):
                return self._put_off(wanted)
            if fault.permanent or wanted.attempt >= self._job.settings.attempts:
                return fault
            secs = self._pauses.delay_secs(wanted.attempt)
            due_at = self._clock.now() + timedelta(seconds=secs)
            return self._put_off(Wanted(wanted.row, wanted.attempt + 1, due_at))
        self._rests.judge(url, None)
        return data

    def _put_off(self, wanted: Wanted) -> PutOff:
        self._put_off_lines.append(wanted)
        return PutOff()

    def _find_rest_secs(self, wanted: Wanted) -> float:
        """Until its own rest and its host's end; lines of a host that was given up are due."""
        if self._rests.find_refusal(wanted.url) is not None:
            return 0.0
        now = self._clock.now()
        own_secs = ((wanted.due_at or now) - now).total_seconds()
        return max(0.0, own_secs, self._rests.left_secs(wanted.url))


def _make_hosts(party: Party, order: UrlsOrder) -> ImageHosts:
    return ImageHosts((*party.settings.flickr.image_hosts, *order.hosts))


def _name_host(endpoint: Endpoint) -> str:
    """As it would be allowed: plain HTTP and other ports only with the port."""
    is_usual = endpoint.scheme == "https" and endpoint.port == 443
    return endpoint.host if is_usual else f"{endpoint.host}:{endpoint.port}"


def _make_id(row: TableRow, url: str) -> str:
    """The table's own id, else the address, or its digest where it is long."""
    source_id = row.get("id") or url
    if len(source_id) <= _MOST_ID_CHARS:
        return source_id
    return hashlib.sha256(source_id.encode()).hexdigest()
