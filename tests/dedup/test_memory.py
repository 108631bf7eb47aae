"""What a comparison holds at a time stays within the memory that it was given."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from dedup.candidates import Budget, Census
from dedup.executors import open_threads
from dedup.matching import Matcher
from dedup.signature.signature import Signature
from tests.dedup.finder import hold_signatures

from .test_finder import PHOTOGRAPHS, sign_original

IMAGES = 2000
COPY_EVERY = 50
BYTES_PER_MB = 1 << 20


def make_signatures() -> list[Signature]:
    """Real pictures whose views have random hashes; every fiftieth has those of the one before."""
    random = np.random.default_rng(0)
    made: list[Signature] = []
    for number in range(IMAGES):
        like = sign_original(PHOTOGRAPHS[number % len(PHOTOGRAPHS)])
        if number % COPY_EVERY == COPY_EVERY - 1:
            made.append(made[-1])
            continue
        hashes = random.integers(0, 1 << 64, len(like.views.hashes), np.uint64)
        made.append(replace(like, views=replace(like.views, hashes=hashes)))
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("memory_mb", "parts"), [(8, 3), (32, 1)])
def test_comparing_takes_no_more_memory_than_it_may(memory_mb: int, parts: int) -> None:
    memory_bytes = memory_mb * BYTES_PER_MB
    assert -(-IMAGES // Budget(memory_bytes).part_images) == parts
    source, census = (
        hold_signatures(make_signatures()),
        Census(np.arange(IMAGES), np.ones(IMAGES, np.bool_)),
    )
    with open_threads(2) as executor:
        matcher = Matcher(source, 10, memory_bytes, executor, 2)
        list(
            matcher.match(
                replace(census, image_ids=census.image_ids[:100], is_new=census.is_new[:100])
            )
        )
        tracemalloc.start()
        try:
            found = list(matcher.match(census))
            _, peak_bytes = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert len(found) >= IMAGES // COPY_EVERY
    assert peak_bytes <= memory_bytes
