"""The sources that are searched, and opening the one that a party asks."""

from __future__ import annotations

from catalog.errors import SettingsError
from catalog.party import Party
from catalog.settings import Settings
from catalog.states import Source

from .asking import CallBudget
from .commons import Commons
from .flickr import Flickr, check_key
from .pauses import Clock, Pauses

PhotoSource = Flickr | Commons
"""Both have the same attributes and methods; only `reachable` results of a search are shown."""


def check_source(settings: Settings, kind: Source | None = None) -> None:
    """Raise SettingsError where the source, that of the settings for None, cannot be asked."""
    if (kind or Source(settings.collect.source)) is Source.FLICKR:
        check_key(settings.flickr)
    elif settings.collect.dates == "taken":
        raise SettingsError(
            "collect.dates = 'taken' is wrong: Wikimedia Commons can be searched by the date of "
            "upload only; expected 'upload' or 'none'."
        )


def open_source(
    party: Party, clock: Clock, pauses: Pauses, kind: Source | None = None
) -> PhotoSource:
    """A source, that of the party's settings for None; raises SettingsError."""
    settings, contact = party.settings, party.settings.collect.contact
    check_source(settings, kind)
    is_commons = (kind or Source(settings.collect.source)) is Source.COMMONS
    asked = settings.commons if is_commons else settings.flickr
    key = "commons" if is_commons else settings.flickr.key
    budget = CallBudget(party.catalogue, key, asked.calls_per_hour, clock)
    if is_commons:
        return Commons(settings.commons, budget, pauses, contact)
    return Flickr(settings.flickr, budget, pauses, contact)


def count_workers(settings: Settings, asked: int | None = None) -> int:
    """How many files are downloaded at once; of Commons at most 2 (Wikitech, Robot_policy)."""
    workers = asked or settings.collect.workers
    is_commons = Source(settings.collect.source) is Source.COMMONS
    return min(workers, settings.commons.downloads_at_once) if is_commons else workers
