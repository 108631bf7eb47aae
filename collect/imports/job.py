"""What both imports share: arrivals that threads bring and record at once, counted in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from typing import TypeVar

from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import Source
from collect.blocks import load_blocks
from collect.caps import lock_caps
from collect.decoders import Decoders
from collect.errors import PhotoError
from collect.finishing import finishing
from collect.licences import get_licences
from collect.outcomes import Outcome
from collect.picture import PictureLimits
from collect.recorder import Recorder
from collect.takedown.erase import erase_again
from collect.worth import refresh_query_worth

from .details import DetailError, LicenceRules, check_licence
from .errors import ImportSourceError
from .record import Arrival, get_query_id, load_known, record_arrival
from .summary import ImportCount
from .threads import work_through

Item = TypeVar("Item")


@dataclass(frozen=True)
class Refused:
    """Something that leaves no row, and why."""

    where: str
    reason: str


@dataclass(frozen=True)
class Known:
    """A photograph that has a row already."""


@dataclass(frozen=True)
class PutOff:
    """Something that will have another turn."""


Prepared = tuple[Arrival, str] | Refused | Known | PutOff
"""An arrival with its class, or why there is none."""


@dataclass(frozen=True)
class Recorded:
    """What became of an arrival; `fault` is what kept it from being an image."""

    outcome: Outcome | None
    fault: PhotoError | None
    has_licence: bool


@dataclass(frozen=True)
class ImportJob:
    """One import in work: where to, from what, and what it came to so far."""

    party: Party
    source: Source
    keyword: str
    count: ImportCount
    now: Callable[[], datetime]
    advance: Callable[[int], None] = lambda _count: None
    stop: Callable[[], None] = lambda: None
    decoders: Decoders = field(default_factory=Decoders)

    def run(
        self,
        items: Iterable[Item],
        prepare: Callable[[Item], Prepared],
        workers: int,
        is_more: Callable[[], bool] = lambda: False,
    ) -> None:
        """Return when every item is recorded or refused; the same call again goes on.

        The items are gone through once more where `is_more` says so, after those that were put off.
        The thread that stored a file records it before it does anything else, so that a process
        that is killed has next to no file without a row, and fetches next to none again.
        """
        recorder = Recorder(self.party.catalogue)

        def work(item: Item) -> Recorded | Refused | Known | PutOff:
            return self._record(prepare(item), recorder)

        tidy = partial(erase_again, self.party)
        with finishing(self.decoders.close, self._refresh_worth, tidy):
            tidy()  # what came where an earlier run was killed
            is_begun = False
            while not is_begun or is_more():
                is_begun = True
                for done in work_through(items, work, workers, self.stop):
                    self._count(done)

    def is_known(self, source_id: str) -> bool:
        """Whether the photograph has a row, whatever became of it."""
        with self.party.catalogue.reading() as session:
            return bool(load_known(session, self.source, [source_id]))

    def check_owner(self, owner_id: str | None) -> None:
        """Raise DetailError where the owner is to be left out."""
        with self.party.catalogue.reading() as session:
            _check_owner(session, owner_id)

    def arrive(self, data: bytes, values: dict[str, object]) -> Arrival:
        """The arrival of some bytes: a picture whose file is stored, or its fault."""
        settings = self.party.settings.collect
        limits = PictureLimits(settings.longest_side_px, settings.min_side_px, settings.max_pixels)
        try:
            picture = self.decoders.read(data, limits)
        except PhotoError as fault:
            return Arrival(values, fault)
        return Arrival(values, picture, self.party.store.put(picture.data))

    def _count(self, done: Recorded | Refused | Known | PutOff) -> None:
        if isinstance(done, PutOff):
            return
        self.advance(1)
        match done:
            case Refused(where, reason):
                self.count.refuse(where, reason)
            case Recorded(outcome, fault, has_licence):
                self.count.count(outcome, fault, has_licence=has_licence)
            case _:
                self.count.count(None, None)

    def _record(
        self, prepared: Prepared, recorder: Recorder
    ) -> Recorded | Refused | Known | PutOff:
        if not isinstance(prepared, tuple):
            return prepared
        arrival, class_name = prepared
        fault = arrival.came if isinstance(arrival.came, PhotoError) else None
        try:
            outcome = recorder.run(lambda session: self._record_in(session, arrival, class_name))
        except DetailError as error:
            return Refused(str(arrival.values["source_id"]), str(error))
        return Recorded(outcome, fault, arrival.values.get("licence_id") is not None)

    def _refresh_worth(self) -> None:
        with self.party.catalogue.writing() as session:
            refresh_query_worth(session)

    def _record_in(self, session: Session, arrival: Arrival, class_name: str) -> Outcome | None:
        lock_caps(session)  # whoever blocks an owner waits for us, or we for them
        _check_owner(session, arrival.values.get("owner_id"))
        query_id = get_query_id(session, self.source, class_name, self.keyword)
        store = self.party.store
        return record_arrival(session, store, self.source, arrival, query_id, now=self.now())


def _check_owner(session: Session, owner_id: str | None) -> None:
    reason = load_blocks(session, [owner_id]).get(owner_id) if owner_id else None
    if reason is not None:
        raise DetailError(f"its owner {owner_id} is left out ({reason})")


def make_licence_rules(party: Party, default: str | None, is_required: bool) -> LicenceRules:
    """The party's rules, with the licence for all; raises ImportSourceError where it is not kept.

    A licence is required where this import or the party's settings say so.
    """
    settings = party.settings.collect
    kept = get_licences(settings.licences)
    try:
        check_licence(default, kept)
    except DetailError as error:
        raise ImportSourceError(f"--licence: {str(error).removeprefix('its licence ')}.") from error
    return LicenceRules(kept, default, is_required or settings.require_licence)


def check_class(party: Party, class_name: str | None) -> str:
    """The class, empty for none; raises ImportSourceError where the preset has no such class."""
    if class_name and party.preset.find_class(class_name) is None:
        known = ", ".join(party.preset.class_names)
        raise ImportSourceError(f"There is no class {class_name!r}; the preset has: {known}.")
    return class_name or ""
