"""All pairs of a party's images that belong together and of which one is new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from sqlalchemy.orm import Session

from catalog.party import Party

from .candidates import ViewTable
from .clusters import Candidate
from .columns import take_rows
from .crowds import complete_crowds
from .decisions import load_candidates, load_kept_ids
from .labels import Verdict, apply_labels, load_labels
from .matching import Matcher, Source
from .pairs import Pair
from .shots import find_events, part_shots
from .signature_rows import (
    Census,
    Ids,
    cut_ids,
    load_census,
    load_pictures,
    load_plain_ids,
    load_view_table,
)
from .verify.evidence import Pictures
from .watching import Watch, unwatched
from .workforce import Workforce

BYTES_PER_MB = 1 << 20


def find_pairs(party: Party, force: Workforce, *, watch: Watch = unwatched) -> list[Pair]:
    """The pairs in order of their ids, as hashes, pictures, owners' clocks and people have it."""
    settings = party.settings.dedup
    with party.catalogue.reading() as session:
        census = load_census(session, settings.min_quality)
        plain = load_plain_ids(session, settings.min_quality)
        kept_ids = load_kept_ids(session, plain.tolist())
    with force.open_matchers() as executor:
        matcher = Matcher(
            read_source(party),
            max_distance_bits=settings.max_distance_64_bits,
            memory_bytes=settings.memory_mb * BYTES_PER_MB,
            executor=executor,
            workers=force.workers,
            is_remote=force.dask_address is not None,
            watch=watch,
            plain=plain,
        )
        matched = part_shots(party, matcher.match(census))
        found = complete_crowds(matched, partial(_rank, party), partial(_complete, party, matcher))
    lone = np.setdiff1d(plain, sorted(kept_ids))  # the others stand for what is not plain
    rich = take_rows(census, ~np.isin(census.image_ids, lone))
    events = {pair.ids: pair for pair in find_events(party, rich, found)}
    found += events.values()
    with party.catalogue.reading() as session:
        labels = _load_labels(session, census.image_ids[census.is_new])
    return apply_labels(found, labels)


def _load_labels(session: Session, image_ids: Ids) -> dict[tuple[int, int], Verdict]:
    """What people say of these images, whose numbers become a list some at a time."""
    found: dict[tuple[int, int], Verdict] = {}
    for some_ids in cut_ids(image_ids):
        found |= load_labels(session, some_ids.tolist())
    return found


def _complete(
    party: Party, matcher: Matcher, image_id: int, other_ids: Sequence[int]
) -> Iterator[Pair]:
    return part_shots(party, matcher.match_with(image_id, other_ids))


def _rank(party: Party, image_ids: Sequence[int]) -> Sequence[Candidate]:
    with party.catalogue.reading() as session:
        return load_candidates(session, image_ids, party.settings.dedup.min_quality)


def read_source(party: Party) -> Source:
    """Where the hashes and pictures of a party's images are; each read sees its own moment."""

    def load_views(census: Census) -> ViewTable:
        with party.catalogue.reading() as session:
            return load_view_table(session, census)

    def load_some_pictures(image_ids: Ids) -> tuple[Ids, Pictures]:
        with party.catalogue.reading() as session:
            return load_pictures(session, image_ids)

    return Source(load_views, load_some_pictures)
