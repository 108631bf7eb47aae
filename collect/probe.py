"""The whole way of one photograph, as `vocparty key test` tries it: search, download, decoding."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from catalog.licences import get_licences
from catalog.party import Party
from catalog.states import Source

from .claims import read_size
from .doubts import advise, find_host
from .draws import PhotoSource
from .errors import CollectError, HostNotAllowedError, PhotoError, format_reason
from .fetching import Decoders, Downloader
from .picture import Picture
from .results import FoundPhoto, Question
from .rows import find_unfit
from .transport import ImageHosts

MOST_SEARCHES = 10
MOST_PICTURES = 3
"""A photograph may have been withdrawn a moment ago; so many at once are a fault."""
MOST_LISTED_PICTURES = 20
"""A table is years old, and more of its photographs are gone."""


class ProbeError(CollectError):
    """The source answers, but no photograph comes from it."""


@dataclass(frozen=True)
class Probe:
    """What came of one search and one picture."""

    query: str
    matches: int
    host: str
    width: int
    height: int


def probe_source(party: Party, source: PhotoSource) -> Probe:
    """What the first photograph of a search is; raises ProbeError where none comes."""
    settings = party.settings.collect
    words = _list_keywords(party)
    is_table = source.kind is Source.TABLE
    if not is_table:  # whose searches are of a file
        words = words[:MOST_SEARCHES]
    licences = get_licences(settings.licences)
    for word in words:
        question = Question(
            word,
            licence_ids=tuple(licences),
            longest_side_px=settings.longest_side_px,
        )
        results = source.search(question)
        fitting = [
            photo
            for photo in results.photos
            if not find_unfit(photo, licences, settings.min_side_px, is_listed=is_table)
        ]
        if fitting:
            most = MOST_LISTED_PICTURES if is_table else MOST_PICTURES
            host, picture = _fetch_first(party, fitting, most)
            return Probe(word, results.total, host, picture.width, picture.height)
    raise ProbeError(
        f"{source.name} answers, but has no photograph with one of collect.licences for "
        f"{', '.join(map(repr, words))}; so no picture was fetched. Look at licences and at the "
        "queries of the preset."
    )


def _list_keywords(party: Party) -> list[str]:
    """The first query of each class, a common word where there is none."""
    return [spec.queries[0] for spec in party.preset.classes if spec.queries] or ["cat"]


def _fetch_first(party: Party, photos: list[FoundPhoto], most: int) -> tuple[str, Picture]:
    """The host and the picture of the first photograph that comes; raises ProbeError."""
    faults: list[tuple[PhotoError, str]] = []
    for url, came in itertools.islice(_fetch_each(party, photos), most):
        if isinstance(came, Picture):
            return find_host(url), came
        faults.append((came, url))
    fault, url = faults[0]
    if isinstance(fault, HostNotAllowedError):
        raise ProbeError(
            f"The search is answered, but its pictures are on a host that is not allowed: "
            f"{fault.detail}. Add {find_host(url)} to image_hosts in party.toml."
        )
    raise ProbeError(
        f"The search is answered, but no picture comes from {find_host(url)}: "
        f"{format_reason(str(fault))}. {advise(fault.reason, url)}."
    )


def _fetch_each(
    party: Party, photos: list[FoundPhoto]
) -> Iterator[tuple[str, Picture | PhotoError]]:
    """Each photograph's address, and its picture or why there is none."""
    hosts = ImageHosts(party.settings.image_hosts)
    settings = party.settings.collect
    with (
        closing(Downloader(hosts, settings)) as downloader,
        closing(Decoders(settings)) as decoders,
    ):
        for photo in photos:
            url = photo.image_url or ""
            promised = read_size(photo.promised_width, photo.promised_height)
            try:
                yield url, decoders.read(downloader.fetch(url), promised)
            except PhotoError as fault:
                yield url, fault
