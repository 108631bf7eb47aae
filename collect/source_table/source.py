"""The tables of a party as a source that is searched as Flickr is."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import ClassVar

from sqlalchemy import select

from catalog.licences import Licence, get_licences
from catalog.party import Party, PartyData
from catalog.settings import TableSettings
from catalog.states import Source
from catalog.tables import Photo
from collect.asking import CallRefusedError
from collect.doubts import find_host
from collect.errors import (
    HostRefusesError,
    PhotoError,
    PhotoGoneError,
    Reason,
    format_reason,
)
from collect.fetching import Downloader
from collect.pauses import Pauses
from collect.results import FoundPhoto, Question, Results
from collect.rows import choose_within, find_unfit, load_known_ids, load_room
from collect.strata import choose_classes, find_span
from collect.transport import ImageHosts
from vockit.errors import SettingsError

from .errors import TableError
from .keeping import find_changed, load_passes
from .rows import COPIES_URL, PICTURES_URL
from .sample_file import Sample, digest_of_file, find_path

log = logging.getLogger(__name__)


class AwayError(CallRefusedError, HostRefusesError):
    """A host of pictures does not answer; others may."""


_MOST_ATTEMPTS = 3
"""So often a picture is asked for that its host neither gives nor misses, nor asks for a rest."""
NO_TABLE = "No table was added to collect from. Run `vocparty source add FILE` first."


class Tables:
    """The samples of all tables of a party; one thread's way to their pictures."""

    kind = Source.TABLE
    name = "The table"
    id_form: ClassVar[re.Pattern[str]] = re.compile(r"[a-z0-9-]+:.+", re.DOTALL)
    per_page = 10**9
    reachable = 10**9
    shortest_secs = 1
    budget = None
    """A search is of a file, so no call is counted."""

    def __init__(self, party: PartyData, pauses: Pauses, *, is_searched: bool = True) -> None:
        self._settings = party.settings.table
        self._pauses = pauses
        self._party = party
        self._samples = open_samples(party) if is_searched else {}
        hosts = ImageHosts(party.settings.image_hosts)
        self._downloader = Downloader(hosts, party.settings.collect)
        self._away: dict[str, AwayError] = {}  # by host

    def search(self, question: Question) -> Results:
        """All photographs of the samples that have the words and the dates."""
        photos = tuple(
            place(photo, name, self._settings)
            for name, sample in self._samples.items()
            for photo in sample.search(question.keyword, question.window)
        )
        return Results(len(photos), photos, len(photos))

    def count_new(self, party: Party, classes: Sequence[str], now: datetime, most: int) -> int:
        """How many photographs can be found still, up to `most`, each query's under the caps."""
        settings = party.settings.collect
        ids = set[str]()
        licences = get_licences(settings.licences)
        window = None if settings.dates == "none" else find_span(settings, now)
        for query in sorted(set().union(*choose_classes(party.preset, classes).values())):
            wanted = {
                photo.source_id: photo
                for photo in self.search(Question(query, window)).photos
                if not find_unfit(photo, licences, settings.min_side_px, is_listed=True)
            }
            with self._party.catalogue.reading() as session:
                known = load_known_ids(session, self.kind, wanted) | ids
                new = [photo for source_id, photo in wanted.items() if source_id not in known]
                room = load_room(session, (photo.owner_id for photo in new), settings)
            ids |= {photo.source_id for photo in choose_within(new, room, most - len(ids))}
            if len(ids) >= most:
                break
        return min(most, len(ids))

    def recheck(self, photo_ids: Sequence[str]) -> dict[str, Licence | None]:
        """The photos' licences as they were recorded, None where the picture is gone.

        A table never changes, so each picture is asked for. Raises CallRefusedError for an answer
        that says neither, AwayError where a host does not answer.
        """
        wanted = select(Photo).where(Photo.source == Source.TABLE, Photo.source_id.in_(photo_ids))
        with self._party.catalogue.reading() as session:
            photos = session.scalars(wanted).all()
        licences = dict[str, Licence | None]()
        for photo in photos:
            if self._is_there(photo.image_url or ""):
                licence = photo.licence_id or "", photo.licence_name or "", photo.licence_url or ""
                licences[photo.source_id] = Licence(*licence)
            else:
                licences[photo.source_id] = None
        return licences

    def find_new(self, party: Party, classes: Sequence[str]) -> str:
        """What of the settings a sample does not have yet, as a sentence; empty for nothing."""
        settings = party.settings.collect
        queries = set().union(*choose_classes(party.preset, classes).values())
        for name, sample in self._samples.items():
            about = sample.about
            if about.dates == "none" and settings.dates != "none":
                return (
                    f"The table {name} was read without dates, so a search by date finds none of "
                    'its photographs. Set dates = "none" under [collect], or, if it has dates, '
                    "add it again with `vocparty source add`."
                )
            what = ""
            if new := sorted(queries - set(about.queries)):
                named = ", ".join(new[:3]) + (", ..." if len(new) > 3 else "")
                what = f"for {len(new)} of the queries ({named}), so it has nothing for them"
            elif about.has_licences and set(settings.licences) - set(about.licences):
                what = "for all of collect.licences"
            elif about.dates != settings.dates:
                what = f"with dates = {settings.dates!r}"
            if what:
                return (
                    f"The table {name} was not read {what}; `vocparty source add` with its file "
                    "reads it once more, for all queries at once."
                )
        return ""

    def cut(self) -> None:
        """Break off the request that runs, for another thread."""
        self._downloader.cut()

    def close(self) -> None:
        """Close files and connections."""
        self._downloader.close()
        for sample in self._samples.values():
            sample.close()

    def _is_there(self, url: str) -> bool:
        """Whether a picture is at the address, asked for until its host says so.

        Raises CallRefusedError where the answer is neither, also after _MOST_ATTEMPTS: it may be
        the picture's own fault. Raises AwayError for no answer; the host is then left alone.
        """
        host = find_host(url)[:200]
        if host in self._away:
            raise self._away[host]
        attempts = 0
        while True:
            self._pauses.wait(host)
            attempts += 1
            try:
                self._downloader.check(url)
            except PhotoGoneError:
                self._pauses.succeed(host)
                return False
            except PhotoError as error:
                is_its_own = error.is_counted and attempts >= _MOST_ATTEMPTS
                if error.permanent or error.reason is Reason.HTML or is_its_own:
                    raise CallRefusedError(f"{format_reason(str(error))}; see {url}.") from error
                self._let_rest(host, error)
            else:
                self._pauses.succeed(host)
                return True

    def _let_rest(self, host: str, fault: PhotoError) -> None:
        retry_after_secs = getattr(fault, "retry_after_secs", None)
        try:
            self._pauses.refuse(host, fault.detail, retry_after_secs)
        except HostRefusesError as error:
            self._away[host] = AwayError(str(error))
            raise self._away[host] from error


def open_samples(party: PartyData) -> dict[str, Sample]:
    """The sample of each table by its name; raises SettingsError for none, TableError for a fault.

    What of the settings is newer than a sample is said.
    """
    with party.catalogue.reading() as session:
        rows = load_passes(session)
    if not rows:
        raise SettingsError(NO_TABLE)
    samples = dict[str, Sample]()
    try:
        for row in rows:
            path = find_path(party.folder, row.name, row.sample_sha256)
            if not path.is_file() or digest_of_file(path) != row.sample_sha256:
                state = "is damaged" if path.is_file() else "is missing"
                raise TableError(
                    f"The sample of the table {row.name} {state} ({path}). Bring it back from a "
                    "backup, or add the table again with `vocparty source add`."
                )
            samples[row.name] = Sample(path)
            if find_changed(row):
                log.warning(
                    "The file of the table %s changed since it was read; add it again to use it",
                    row.name,
                )
    except BaseException:
        for sample in samples.values():
            with suppress(Exception):
                sample.close()
        raise
    return samples


def place(photo: FoundPhoto, name: str, settings: TableSettings) -> FoundPhoto:
    """The photograph as one of the table of that name, its pictures where the settings say."""
    second = photo.second_url
    return replace(
        photo,
        source_id=f"{name}:{photo.source_id}",
        image_url=_move(photo.image_url or "", PICTURES_URL, settings.pictures_url),
        second_url=_move(second, COPIES_URL, settings.copies_url)
        if second and settings.copies
        else None,
    )


def fit_dates(party: Party, *, needs_table: bool = True) -> Party:
    """The party, drawn without dates where its source is tables that have none.

    Raises SettingsError where its source is a table, one is needed, and there is none.
    """
    collect = party.settings.collect
    if Source(collect.source) is not Source.TABLE:
        return party
    with party.catalogue.reading() as session:
        known = {row.about["dates"] for row in load_passes(session)}
    if not known and needs_table:
        raise SettingsError(NO_TABLE)
    if known != {"none"} or collect.dates == "none":
        return party
    settings = replace(party.settings, collect=replace(collect, dates="none"))
    return replace(party, settings=settings)


def _move(url: str, public: str, configured: str) -> str:
    """The address, below the configured one where it is below the public one."""
    rest = url.removeprefix(public)
    return url if rest == url else f"{configured.rstrip('/')}/{rest}"
