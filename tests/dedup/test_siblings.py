"""Plain copies of an image that is taken down stay together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Duplicate
from dedup.clusters import Candidate
from dedup.jobs import DedupSummary, remove_duplicates
from dedup.pairs import BY_GONE_IMAGE
from dedup.siblings import GoneCopy, pair_siblings
from dedup.signature.maps import box_map

from .images import add_hashed, clock, load_duplicates, load_states, set_state
from .test_labels import split

PLAIN = 0.9
WHOLE = (0.0, 0.0, 1.0, 1.0)


def run(party: Party) -> DedupSummary:
    return remove_duplicates(party, workers=1, clock=clock)


def add_plain_copies(party: Party, count: int = 3) -> list[int]:
    """The largest first."""
    return [
        add_hashed(party, 0, size_wh=(400 - 10 * it, 300), quality=PLAIN) for it in range(count)
    ]


def take_down(party: Party, image_id: int) -> DedupSummary:
    set_state(party, image_id, ImageState.TAKEN_DOWN)
    return run(party)


def test_the_best_plain_copy_takes_the_place_of_an_image_that_is_taken_down(
    any_party: Party,
) -> None:
    kept = add_hashed(any_party, 0)
    first, second, third = add_plain_copies(any_party)
    run(any_party)
    assert load_duplicates(any_party) == {first: kept, second: kept, third: kept}
    assert take_down(any_party, kept) == DedupSummary(duplicates=2, pool=1)
    assert load_duplicates(any_party) == {second: first, third: first}
    assert load_states(any_party)[first] == "pool"
    assert take_down(any_party, first) == DedupSummary(duplicates=1, pool=1)
    assert load_duplicates(any_party) == {third: second}


def test_its_row_says_through_what_both_are_known_and_how_they_lie(party: Party) -> None:
    kept = add_hashed(party, 0, size_wh=(900, 900))
    whole = add_hashed(party, 0, quality=PLAIN)
    crop = add_hashed(party, 0, share=0.8, size_wh=(300, 200), quality=PLAIN)
    run(party)
    assert load_duplicates(party) == {whole: kept, crop: kept}
    take_down(party, kept)
    with party.catalogue.reading() as session:
        statement = select(Duplicate).where(Duplicate.undone_at.is_(None))
        row = session.scalars(statement).one()
        doubts = list(session.scalars(select(Duplicate.doubt).order_by(Duplicate.id)))
    assert (row.image_id, row.kept_image_id) == (crop, whole)
    assert (row.decided_how, row.similarity) == (BY_GONE_IMAGE, None)
    assert row.evidence is not None
    whole_to_crop = np.array(row.evidence["first_to_second"]).reshape(2, 3)
    assert whole_to_crop[:, :2] == pytest.approx(np.eye(2) / 0.8, abs=0.05)
    assert row.doubt is not None
    assert row.doubt >= max(doubt or 0 for doubt in doubts[:2])


def test_a_larger_original_that_comes_later_takes_all_of_them_in(party: Party) -> None:
    kept = add_hashed(party, 0)
    copies = add_plain_copies(party)
    run(party)
    take_down(party, kept)
    again = add_hashed(party, 0, size_wh=(900, 700))
    run(party)
    assert load_duplicates(party) == dict.fromkeys(copies, again)


def test_what_people_have_split_off_stays_apart(party: Party) -> None:
    kept = add_hashed(party, 0)
    first, second, third = add_plain_copies(party)
    run(party)
    split(party, second, kept)
    assert take_down(party, kept) == DedupSummary(duplicates=1, pool=2)
    assert load_duplicates(party) == {third: first}


def test_plain_images_that_were_never_put_aside_for_one_stay_apart(party: Party) -> None:
    add_plain_copies(party)
    assert run(party) == DedupSummary(pool=3)


def rank(image_ids: Sequence[int]) -> list[Candidate]:
    """The lowest id is the best."""
    return [Candidate(one, 1, None, 0, is_fixed=False) for one in image_ids]


def make_copy(
    image_id: int, box: tuple[float, float, float, float], *, kept: int = 0, doubt: float = 0.0
) -> GoneCopy:
    """A copy that shows this rectangle of the image that is gone."""
    return GoneCopy(image_id, kept, box_map(*box).astype(np.float64), doubt)


def list_ids(copies: Sequence[GoneCopy]) -> list[tuple[int, int]]:
    return [pair.ids for pair in pair_siblings(copies, rank)]


def test_copies_of_two_images_are_not_paired() -> None:
    copies = [make_copy(1, WHOLE), make_copy(2, WHOLE), make_copy(3, WHOLE, kept=9)]
    assert list_ids(copies) == [(1, 2)]


def test_what_shows_another_part_is_paired_with_what_shows_this_one() -> None:
    left, right = (0.0, 0.0, 0.45, 1.0), (0.55, 0.0, 1.0, 1.0)
    copies = [make_copy(number, (left, right)[number % 2]) for number in range(1, 7)]
    assert list_ids(copies) == [(1, 3), (1, 5), (2, 4), (2, 6)]


def test_a_pair_is_as_doubtful_as_that_either_copy_was_none() -> None:
    copies = [make_copy(1, WHOLE, doubt=0.5), make_copy(2, WHOLE, doubt=0.2)]
    (pair,) = pair_siblings(copies, rank)
    assert pair.doubt == pytest.approx(0.6)


def test_very_many_copies_are_each_paired_once() -> None:
    copies = [make_copy(number, WHOLE) for number in range(1, 2001)]
    assert list_ids(copies) == [(1, other) for other in range(2, 2001)]
