"""The matcher finds the same pairs whatever is new and however little fits into memory."""

from functools import cache

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import ImageOps

from dedup.candidates import BYTES_PER_IMAGE, Census
from dedup.clusters import find_leaders
from dedup.executors import open_threads
from dedup.matching import Matcher
from dedup.pairs import Pair
from dedup.signature.signature import Signature

from .finder import PHOTOGRAPHS, hold_signatures, sign, sign_original
from .photographs import crop_sides, originals


@cache
def many_signatures() -> list[Signature]:
    signatures = []
    for name in PHOTOGRAPHS:
        image = originals()[name]
        signatures += [
            sign_original(name),
            sign(crop_sides(image, 0.1)),
            sign(ImageOps.mirror(image)),
        ]
    return signatures


def match(is_new: list[bool], part_images: int) -> list[Pair]:
    """The pairs found while the words of at most `part_images` images are in memory."""
    with open_threads(2) as executor:
        memory_bytes = part_images * 2 * BYTES_PER_IMAGE
        matcher = Matcher(hold_signatures(many_signatures()), 10, memory_bytes, executor, 2)
        return matcher.match(Census(np.arange(len(is_new)), np.array(is_new)))


ROWS = 3 * len(PHOTOGRAPHS)


@cache
def match_all() -> list[Pair]:
    """The pairs found with all images new and in memory."""
    return match([True] * ROWS, ROWS)


@settings(max_examples=6, deadline=None)
@given(st.lists(st.booleans(), min_size=ROWS, max_size=ROWS), st.integers(5, ROWS))
def test_matching_in_parts_finds_the_same_pairs(is_new: list[bool], part_images: int) -> None:
    whole = match(is_new, ROWS)
    assert [(pair.ids, pair.relation) for pair in match(is_new, part_images)] == [
        (pair.ids, pair.relation) for pair in whole
    ]
    known = {pair.ids for pair in match_all() if is_new[pair.first_id] or is_new[pair.second_id]}
    leaders = find_leaders(match_all())
    for first, other in known ^ {pair.ids for pair in whole}:  # both are copies of a third
        assert sum(leaders[place] == leaders[first] == leaders[other] for place in leaders) > 2
    assert len(match_all()) >= 2 * len(PHOTOGRAPHS)  # each original with both of its copies
