"""The job of `vocparty import urls`: the photographs at a table's addresses.

They come through the collector's own downloader: the same limits of time and bytes, no redirect to
another host, no private address unless it is configured with its port.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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
    foreign: Counter[str] = Counter()
    for row in table.rows:
        check_class(party, row.get("class"))
        endpoint = parse_endpoint(row.get("url") or "")
        if endpoint is not None and not hosts.allows(endpoint):
            foreign[_name_host(endpoint)] += 1
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
        job.run(table.rows, importer.prepare, importer.wait)
    finally:
        downloads.close()
        count.given_up += importer.tell_given_up()


class _UrlImporter:
    """What becomes of each row of the table."""

    def __init__(self, job: ImportJob, downloads: Downloads, pauses: Pauses, clock: Clock) -> None:
        self._job, self._downloads, self._pauses, self._clock = job, downloads, pauses, clock
        self._rests = HostRests(pauses)
        self._faults: Counter[int] = Counter()

    def wait(self, rows: Sequence[TableRow]) -> None:
        """Sleep until the host of one of the rows may be asked again."""
        urls = {row.get("url") or "" for row in rows}
        given_up = any(map(self._rests.find_refusal, urls))
        secs = 0.0 if given_up else min(map(self._rests.left_secs, urls))
        self._clock.sleep(max(secs, self._pauses.delay_secs(1)))

    def tell_given_up(self) -> list[str]:
        """Why each host was given up whose other addresses are left for another run."""
        return [str(fault) for _host, fault in sorted(self._rests.given_up.items())]

    def prepare(self, row: TableRow) -> Prepared:
        """What the address gave: an arrival with its picture stored, or why there is none yet."""
        url, where = row.get("url") or "", f"line {row.line}"
        refusal = self._rests.find_refusal(url)
        if refusal is None and self._rests.left_secs(url) > 0:
            return PutOff()
        if len(url) > _MOST_URL_CHARS or parse_endpoint(url) is None:
            return Refusal(where, f"{url[:100]!r} is not a web address")
        try:
            details, origin = self._job.read_details(row), self._job.find_origin(row)
        except DetailError as error:
            return Refusal(where, str(error))
        source_id = _make_id(row, url)
        if self._job.is_known(source_id, origin[0]):
            return None
        if refusal is not None:
            return Refusal(where, f"its host was busy: {str(refusal).rstrip('.')}")
        values = {**details, "source_id": source_id, "image_url": url}
        came = self._fetch(row, url)
        if isinstance(came, bytes):
            found = self._job.arrive(came, values, row.get("class"), where)
            return replace(found, origin=origin)
        if isinstance(came, PhotoError):
            return Arrival(values, row.get("class"), came, where=where, origin=origin)
        return came

    def _fetch(self, row: TableRow, url: str) -> bytes | PhotoError | PutOff:
        """The bytes, the fault of the last attempt, or that another attempt is due."""
        try:
            data = self._downloads.fetch(url)
        except PhotoError as fault:
            self._rests.judge(url, fault)
            self._faults[row.line] += not isinstance(fault, HostBusyError)
            is_last = fault.permanent or self._faults[row.line] >= self._job.settings.attempts
            return fault if is_last else PutOff()
        self._rests.judge(url, None)
        return data


def _make_hosts(party: Party, order: UrlsOrder) -> ImageHosts:
    return ImageHosts((*party.settings.image_hosts, *order.hosts))


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
