"""All pairs of a party's images that belong together and of which one is new."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from sqlalchemy.orm import Session

from catalog.party import Party

from .candidates import Census
from .clusters import Candidate
from .columns import take_rows
from .crowds import complete_crowds
from .decisions import load_candidates, load_kept_ids
from .events import find_events, part_shots
from .executors import Watch, Workforce, unwatched
from .labels import Verdict, apply_labels, load_labels
from .matching import Matcher
from .pairs import Pair
from .siblings import GoneCopy, load_gone_copies, pair_siblings
from .signature_rows import (
    Ids,
    cut_ids,
    load_census,
    load_plain_ids,
    read_source,
)

BYTES_PER_MB = 1 << 20


def find_pairs(party: Party, force: Workforce, *, watch: Watch = unwatched) -> list[Pair]:
    """The pairs in order of their ids, as hashes, pictures, owners' clocks and people have it."""
    field = _load_field(party)
    found = _find_copies(party, field, force, watch)
    found += pair_siblings(field.gone_copies, partial(_rank, party))
    events = {pair.ids: pair for pair in find_events(party, field.list_eventful(), found)}
    found += events.values()
    with party.catalogue.reading() as session:
        labels = _load_labels(session, field.census.image_ids[field.census.is_new])
    return apply_labels(found, labels)


@dataclass(frozen=True)
class _Field:
    """All images that can be matched, which of them are plain, and what stands for others.

    `kept_ids` are plain images that others are put aside for, `gone_copies` those that come back.
    """

    census: Census
    plain: Ids
    kept_ids: set[int]
    gone_copies: list[GoneCopy]

    def list_eventful(self) -> Census:
        """Those that may be of an event: of the plain ones what stands for one that is not."""
        standing = self.kept_ids | {copy.image_id for copy in self.gone_copies}
        lone = np.setdiff1d(self.plain, sorted(standing))
        return take_rows(self.census, ~np.isin(self.census.image_ids, lone))


def _load_field(party: Party) -> _Field:
    min_quality = party.settings.dedup.min_quality
    with party.catalogue.reading() as session:
        plain = load_plain_ids(session, min_quality)
        return _Field(
            load_census(session, min_quality),
            plain,
            load_kept_ids(session, plain.tolist()),
            load_gone_copies(session, min_quality),
        )


def _find_copies(party: Party, field: _Field, force: Workforce, watch: Watch) -> list[Pair]:
    settings = party.settings.dedup
    with force.open_matchers() as executor:
        matcher = Matcher(
            read_source(party),
            settings.max_distance_64_bits,
            settings.memory_mb * BYTES_PER_MB,
            executor,
            force.workers,
            watch=watch,
            plain=field.plain,
        )

        def verify(image_id: int, other_ids: Sequence[int]) -> Iterator[Pair]:
            return part_shots(party, matcher.match_with(image_id, other_ids))

        matched = part_shots(party, matcher.match(field.census))
        return complete_crowds(matched, partial(_rank, party), verify)


def _load_labels(session: Session, image_ids: Ids) -> dict[tuple[int, int], Verdict]:
    """What people say of these images, whose numbers become a list some at a time."""
    found: dict[tuple[int, int], Verdict] = {}
    for some_ids in cut_ids(image_ids):
        found |= load_labels(session, some_ids.tolist())
    return found


def _rank(party: Party, image_ids: Sequence[int]) -> Sequence[Candidate]:
    with party.catalogue.reading() as session:
        return load_candidates(session, image_ids, party.settings.dedup.min_quality)
