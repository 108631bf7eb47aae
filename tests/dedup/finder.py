"""The finder on signatures in memory, without a catalogue or a store."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from PIL import Image

from catalog.settings import DedupSettings
from dedup.candidates import Census, ViewTable, make_view_table
from dedup.executors import open_threads
from dedup.matching import Ids, Matcher, Source
from dedup.pairs import Pair, Relation
from dedup.signature.picture import read_picture
from dedup.signature.signature import Shown, Signature, make_signature

from .photographs import jpeg, originals

# Pages, coins in rows and cells are no scenes; the moon is a disc on black.
PHOTOGRAPHS = ("astronaut", "camera", "chelsea", "china", "coffee", "flower", "rocket")


SETTINGS = DedupSettings()
COPY = {(0, 1): Relation.DUPLICATE}


def find_pairs_among(
    signatures: Sequence[Signature], settings: DedupSettings, *, workers: int
) -> list[Pair]:
    """All related pairs of the signatures, by their places; sorted."""
    source = hold_signatures(signatures)
    memory_bytes = settings.memory_bytes
    with open_threads(workers) as executor:
        matcher = Matcher(source, settings.max_distance_64_bits, memory_bytes, executor, workers)
        everything_new = np.ones(len(signatures), np.bool_)
        return matcher.match(Census(np.arange(len(signatures)), everything_new))


def hold_signatures(signatures: Sequence[Signature]) -> Source:
    """A source of these signatures, named by their places."""

    def load_views(places: Ids) -> ViewTable:
        return make_view_table(
            places.tolist(), [signatures[place].views for place in places.tolist()]
        )

    def load_known(places: Ids) -> dict[int, Shown]:
        return {place: signatures[place] for place in places.tolist()}

    return Source(
        load_views, lambda places: [signatures[n].words for n in places.tolist()], load_known
    )


def sign(image: Image.Image, quality: int = 90) -> Signature:
    return sign_file(jpeg(image, quality))


def sign_file(data: bytes) -> Signature:
    return make_signature(read_picture(data))


@cache
def sign_original(name: str) -> Signature:
    return sign(originals()[name])


def relate(*signatures: Signature) -> dict[tuple[int, int], Relation]:
    """The relation of each pair, by their places."""
    pairs = find_pairs_among(signatures, SETTINGS, workers=2)
    return {pair.ids: pair.relation for pair in pairs}


def list_merged(signatures: Sequence[Signature]) -> list[tuple[int, int]]:
    """The pairs that are near-duplicates, by their places."""
    relations = relate(*signatures)
    return [ids for ids, relation in relations.items() if relation is Relation.DUPLICATE]
