"""All pairs of a party's images that belong together and of which one is new."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from catalog.party import Party

from .candidates import ViewTable
from .clusters import Candidate
from .crowds import complete_crowds
from .decisions import load_candidates
from .labels import apply_labels, load_labels
from .matching import Source, match_images, verify_pairs
from .pairs import Pair
from .shots import find_events, load_near_shots, part_shots
from .signature_rows import Census, Ids, load_census, load_pictures, load_view_table
from .verify.evidence import Pictures
from .watching import Watch, unwatched
from .workforce import Workforce

BYTES_PER_MB = 1 << 20


def find_pairs(party: Party, force: Workforce, *, watch: Watch = unwatched) -> list[Pair]:
    """The pairs in order of their ids, as hashes, pictures, owners' clocks and people have it."""
    settings = party.settings.dedup
    with party.catalogue.reading() as session:
        census = load_census(session, settings.min_quality)
        near_shots = load_near_shots(session, census, settings.same_event_minutes * 60)
        events = list(find_events(session, near_shots))
    source = read_source(party)
    with force.open_matchers() as executor:
        matched = match_images(
            census,
            source,
            max_distance_bits=settings.max_distance_64_bits,
            is_remote=force.dask_address is not None,
            memory_bytes=settings.memory_mb * BYTES_PER_MB,
            executor=executor,
            workers=force.workers,
            watch=watch,
        )
        found = list(part_shots(matched, near_shots))
    found = complete_crowds(found, partial(_rank, party), partial(verify_pairs, source=source))
    known = {(pair.first_id, pair.second_id) for pair in found}
    found += [pair for pair in events if (pair.first_id, pair.second_id) not in known]
    with party.catalogue.reading() as session:
        labels = load_labels(session, census.image_ids[census.is_new].tolist())
    return apply_labels(found, labels)


def _rank(party: Party, image_ids: Sequence[int]) -> Sequence[Candidate]:
    with party.catalogue.reading() as session:
        return load_candidates(session, image_ids)


def read_source(party: Party) -> Source:
    """Where the hashes and pictures of a party's images are; each read sees its own moment."""

    def load_views(census: Census) -> ViewTable:
        with party.catalogue.reading() as session:
            return load_view_table(session, census)

    def load_some_pictures(image_ids: Ids) -> tuple[Ids, Pictures]:
        with party.catalogue.reading() as session:
            return load_pictures(session, image_ids)

    return Source(load_views, load_some_pictures)
