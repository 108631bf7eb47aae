"""The job of `vocparty import urls`: the photographs at a table's addresses.

They come through the collector's own downloader: the same limits of time and bytes, no redirect to
another host, no private address unless it is configured with its port.
"""

from __future__ import annotations

import hashlib
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from catalog.party import Party
from catalog.states import Source
from collect.addresses import Endpoint, ImageHosts, parse_endpoint
from collect.backoff import Backoff
from collect.clock import Clock, StoppedError
from collect.download import Downloader
from collect.errors import HostBusyError, PhotoBrokenError, PhotoError
from collect.host_limits import HostLimits
from collect.text import clean_text

from .details import DetailError, LicenceRules, make_details
from .errors import ImportSourceError
from .exif_dates import find_taken_at
from .job import (
    ImportJob,
    Known,
    Prepared,
    Refused,
    check_class,
    make_licence_rules,
)
from .record import Arrival
from .summary import ImportCount
from .table import Table, TableRow, read_table

LONGEST_REST_SECS = 120.0
_MOST_ID_CHARS = 200
_MOST_URL_CHARS = 2_000


@dataclass(frozen=True)
class UrlsOrder:
    """What to import: the table, hosts allowed besides the settings', the photographs' class."""

    table: Path
    hosts: tuple[str, ...] = ()
    class_name: str | None = None
    workers: int | None = None
    licence: str | None = None
    require_licence: bool = False


def load_urls(party: Party, order: UrlsOrder) -> Table:
    """The table, all of whose hosts may be asked; raises TableError, ImportSourceError."""
    table = read_table(order.table, "url")
    hosts = _make_hosts(party, order)
    foreign: dict[str, int] = {}
    for row in table.rows:
        check_class(party, row.get("class"))
        endpoint = parse_endpoint(row.get("url") or "")
        if endpoint is not None and not _is_allowed(hosts, endpoint):
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
    default = check_class(party, order.class_name)
    licences = make_licence_rules(party, order.licence, order.require_licence)
    keyword = clean_text(order.table.resolve().stem, 200)
    job = ImportJob(party, Source.URLS, keyword, count, clock.now, advance, stop)
    workers = order.workers or party.settings.collect.workers
    limits = HostLimits(workers, party.settings.collect.downloads_per_host)
    fetcher = _Fetcher(party, _make_hosts(party, order), limits, clock, backoff or Backoff())
    importer = _UrlImporter(job, fetcher, default, licences)
    try:
        job.run(table.rows, importer.prepare, workers)
    finally:
        fetcher.close()


class _UrlImporter:
    """What becomes of each row of the table."""

    def __init__(
        self, job: ImportJob, fetcher: _Fetcher, class_name: str, licences: LicenceRules
    ) -> None:
        self._job, self._fetcher = job, fetcher
        self._class_name, self._licences = class_name, licences

    def prepare(self, row: TableRow) -> Prepared:
        """What the address gave: an arrival with its picture stored, or why there is none."""
        where, url = f"line {row.line}", row.get("url") or ""
        if len(url) > _MOST_URL_CHARS or parse_endpoint(url) is None:
            return Refused(where, f"{url[:100]!r} is not a web address")
        try:
            details = make_details(row, self._licences)
            self._job.check_owner(details["owner_id"])
        except DetailError as error:
            return Refused(where, str(error))
        source_id = _make_id(row, url)
        if self._job.is_known(source_id):
            return Known()
        values = {**details, "source_id": source_id, "image_url": url}
        class_name = row.get("class") or self._class_name
        try:
            data = self._fetcher.fetch(url)
        except HostBusyError as fault:
            return Refused(where, f"its host was busy ({fault}); the same command tries it again")
        except StoppedError:
            return Refused(where, "stopped; the same command goes on")
        except PhotoError as fault:
            return Arrival(values, fault), class_name
        taken = details["taken_at_text"] or find_taken_at(data)
        return self._job.arrive(data, {**values, "taken_at_text": taken}), class_name


class _Fetcher:
    """The threads' way to the hosts: each has its own connections, all share the limits."""

    def __init__(
        self, party: Party, hosts: ImageHosts, limits: HostLimits, clock: Clock, backoff: Backoff
    ) -> None:
        self._settings, self._hosts, self._limits = party.settings.collect, hosts, limits
        self._clock, self._backoff = clock, backoff
        self._jitter = random.Random()  # noqa: S311  chance, not secrecy
        self._threads = threading.local()
        self._downloaders: list[Downloader] = []

    def fetch(self, url: str) -> bytes:
        """The bytes; raises the PhotoError of the last attempt."""
        attempts = self._settings.attempts
        for attempt in range(1, attempts + 1):
            try:
                with self._limits.taking(url):
                    return self._get_downloader().fetch(url)
            except PhotoError as fault:
                if fault.permanent or attempt == attempts:
                    raise
                self._rest(fault, attempt)
        raise AssertionError("attempts are positive")

    def close(self) -> None:
        """Close every connection; no thread is at work any more."""
        for downloader in self._downloaders:
            downloader.close()

    def _rest(self, fault: PhotoError, attempt: int) -> None:
        asked_secs = fault.retry_after_secs if isinstance(fault, HostBusyError) else None
        if (asked_secs or 0) > LONGEST_REST_SECS:
            raise fault
        self._clock.sleep(max(asked_secs or 0.0, self._backoff.delay_secs(attempt, self._jitter)))

    def _get_downloader(self) -> Downloader:
        found: Downloader | None = getattr(self._threads, "downloader", None)
        if found is None:
            found = Downloader(self._hosts, self._settings)
            self._threads.downloader = found
            self._downloaders.append(found)
        return found


def _make_hosts(party: Party, order: UrlsOrder) -> ImageHosts:
    return ImageHosts((*party.settings.flickr.image_hosts, *order.hosts))


def _is_allowed(hosts: ImageHosts, endpoint: Endpoint) -> bool:
    try:
        hosts.check_endpoint(endpoint)
    except PhotoBrokenError:
        return False
    return True


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
