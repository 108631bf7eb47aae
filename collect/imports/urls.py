"""The job of `vocparty import urls`: the photographs at a table's addresses.

They come through the collector's own downloader: the same limits of time and bytes, no redirect to
another host, no private address unless it is configured with its port.
"""

from __future__ import annotations

import hashlib
import queue
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from catalog.party import Party
from catalog.states import Source
from collect.addresses import Endpoint, ImageHosts, parse_endpoint
from collect.backoff import Backoff
from collect.clock import Clock
from collect.download import Downloader
from collect.errors import HostBusyError, PhotoBrokenError, PhotoError
from collect.host_limits import HostLimits
from collect.host_rests import HostRests
from collect.notices import Notices
from collect.pauses import Pauses
from collect.reasons import Reason
from collect.text import clean_text

from .details import DetailError, LicenceRules, make_details
from .errors import ImportSourceError
from .exif_dates import find_taken_at
from .host_queue import HostQueue, Wanted
from .job import (
    ImportJob,
    Known,
    Prepared,
    PutOff,
    Refused,
    check_class,
    make_licence_rules,
)
from .record import Arrival
from .summary import ImportCount
from .table import Table, TableRow, read_table

FAULTS_IN_A_ROW = 8
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
    backoff = backoff or Backoff()
    rests = _make_rests(party, clock, backoff)
    waiting = HostQueue(table.rows, rests, clock)
    fetcher = _Fetcher(party, _make_hosts(party, order), workers)
    importer = _UrlImporter(job, fetcher, rests, waiting, backoff, default, licences)
    try:
        job.run(waiting, importer.prepare, workers, waiting.wait)
    finally:
        fetcher.close()


def _make_rests(party: Party, clock: Clock, backoff: Backoff) -> HostRests:
    """The rests of hosts, of which collectors and other imports know too."""
    jitter = random.Random()  # noqa: S311  chance, not secrecy
    notices = Notices(party.catalogue, clock)
    return HostRests(Pauses(clock, backoff, jitter, most_in_a_row=FAULTS_IN_A_ROW, notices=notices))


class _UrlImporter:
    """What becomes of each row of the table."""

    def __init__(
        self,
        job: ImportJob,
        fetcher: _Fetcher,
        rests: HostRests,
        waiting: HostQueue,
        backoff: Backoff,
        class_name: str,
        licences: LicenceRules,
    ) -> None:
        self._job, self._fetcher, self._rests, self._waiting = job, fetcher, rests, waiting
        self._backoff, self._jitter = backoff, random.Random()  # noqa: S311  chance, not secrecy
        self._class_name, self._licences = class_name, licences
        self._attempts = job.party.settings.collect.attempts

    def prepare(self, wanted: Wanted) -> Prepared:
        """What the address gave: an arrival with its picture stored, or why there is none yet."""
        row, url = wanted.row, wanted.url
        where = f"line {row.line}"
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
        came = self._fetch(wanted)
        if isinstance(came, PutOff | Refused):
            return came
        if isinstance(came, PhotoError):
            return Arrival(values, came), class_name
        taken = details["taken_at_text"] or find_taken_at(came)
        return self._job.arrive(came, {**values, "taken_at_text": taken}), class_name

    def _fetch(self, wanted: Wanted) -> bytes | PhotoError | PutOff | Refused:
        """The bytes, the fault of the last attempt, or that the host or another attempt is due."""
        url = wanted.url
        refusal = self._rests.find_refusal(url)
        if refusal is not None:
            says = str(refusal).rstrip(".")
            return Refused(f"line {wanted.row.line}", f"its host was busy: {says}")
        if self._rests.left_secs(url) > 0:
            return self._put_off(wanted)
        try:
            data = self._fetcher.fetch(url)
        except HostBusyError as fault:
            self._rests.refuse(url, str(fault), fault.retry_after_secs)
            return self._put_off(wanted)
        except PhotoError as fault:
            return self._judge(wanted, fault)
        self._rests.succeed(url)
        return data

    def _judge(self, wanted: Wanted, fault: PhotoError) -> PhotoError | PutOff:
        """The fault where it is for good or the last; another attempt may mend it otherwise."""
        if fault.permanent:
            self._rests.succeed(wanted.url)
        elif fault.reason is Reason.HTTP_STATUS:
            self._rests.refuse(wanted.url, str(fault))
        if fault.permanent or wanted.attempt >= self._attempts:
            return fault
        rest_secs = self._backoff.delay_secs(wanted.attempt, self._jitter)
        return self._put_off(Wanted(wanted.row, wanted.attempt + 1), rest_secs)

    def _put_off(self, wanted: Wanted, rest_secs: float = 0.0) -> PutOff:
        self._waiting.put_back(wanted, rest_secs)
        return PutOff()


class _Fetcher:
    """The threads' way to the hosts: each has a connection of its own, all share the limits."""

    def __init__(self, party: Party, hosts: ImageHosts, workers: int) -> None:
        settings = party.settings.collect
        self._limits = HostLimits(workers, settings.downloads_per_host)
        self._free: queue.LifoQueue[Downloader] = queue.LifoQueue()
        for _ in range(workers):
            self._free.put(Downloader(hosts, settings))

    def fetch(self, url: str) -> bytes:
        """The bytes; raises what Downloader.fetch does."""
        downloader = self._free.get()
        try:
            with self._limits.taking(url):
                return downloader.fetch(url)
        finally:
            self._free.put(downloader)

    def close(self) -> None:
        """Close every connection; no thread is at work any more."""
        while not self._free.empty():
            self._free.get_nowait().close()


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
