"""What a copy lacks or has too much of, as the evidence of each pair tells."""

from dataclasses import replace

import pytest

from dedup.clusters import Size, count_flaws, list_flaws
from dedup.constants import CROPPED_OUTSIDE, MARGIN_OUTSIDE, SOFT_TIMES
from dedup.pairs import Evidence, Pair, Relation

SAME_FRAME = Evidence(
    similarity=0.99,
    details=40,
    covered_first=1,
    covered_second=1,
    changed=0,
    drawn_first=0,
    drawn_second=0,
    outside_first=0,
    outside_second=0,
    margin_first=0,
    margin_second=0,
    has_seam=False,
    inliers=40,
    first_to_second=(1, 0, 0, 0, 1, 0),
)
LARGE = Size(400_000, 400_000)
SMALL = Size(100_000, 100_000)
SECOND_IS_A_CROP = replace(
    SAME_FRAME, outside_first=CROPPED_OUTSIDE, first_to_second=(2, 0, 0, 0, 1, 0)
)


def turn(evidence: Evidence) -> Evidence:
    """The evidence with the two images in the other order, as far as flaws depend on it."""
    a, _, _, _, e, _ = evidence.first_to_second
    return replace(
        evidence,
        drawn_first=evidence.drawn_second,
        drawn_second=evidence.drawn_first,
        outside_first=evidence.outside_second,
        outside_second=evidence.outside_first,
        margin_first=evidence.margin_second,
        margin_second=evidence.margin_first,
        first_to_second=(1 / a, 0, 0, 0, 1 / e, 0),
    )


@pytest.mark.parametrize(
    ("evidence", "first", "second", "flaws"),
    [
        (SAME_FRAME, LARGE, LARGE, []),
        (SAME_FRAME, LARGE, SMALL, [(1, "small")]),
        (SAME_FRAME, Size(150, 150), Size(100, 100), [(1, "small")]),
        (SAME_FRAME, Size(149, 149), Size(100, 100), []),
        (SAME_FRAME, Size(400_000, 120_000), SMALL, [(0, "enlarged")]),
        (SAME_FRAME, Size(400_000, 100_000), Size(100_000, 40_000), [(1, "small")]),
        (SECOND_IS_A_CROP, LARGE, SMALL, [(1, "cropped")]),
        (replace(SAME_FRAME, outside_first=CROPPED_OUTSIDE - 0.001), LARGE, LARGE, []),
        (
            replace(SAME_FRAME, outside_first=0.3, margin_first=0.3),
            LARGE,
            LARGE,
            [(0, "margin")],
        ),
        (
            replace(SAME_FRAME, outside_first=0.3, has_seam=True),  # as on a page or a collage
            LARGE,
            LARGE,
            [(0, "margin")],
        ),
        (
            replace(SAME_FRAME, outside_first=0.01, margin_first=MARGIN_OUTSIDE),
            LARGE,
            LARGE,
            [(0, "margin")],
        ),
        (replace(SAME_FRAME, drawn_first=0.1), LARGE, LARGE, [(0, "drawn")]),
        (replace(SAME_FRAME, drawn_first=0.1, drawn_second=0.1), LARGE, LARGE, []),
        (replace(SECOND_IS_A_CROP, drawn_first=0.1), LARGE, LARGE, [(1, "cropped"), (0, "drawn")]),
    ],
)
def test_the_flaws_of_a_pair_are_those_of_the_worse_image_in_either_order(
    evidence: Evidence, first: Size, second: Size, flaws: list[tuple[int, str]]
) -> None:
    assert list(list_flaws(evidence, first, second)) == flaws
    turned = sorted((1 - side, kind) for side, kind in flaws)
    assert sorted(list_flaws(turn(evidence), second, first)) == turned


def test_pixels_are_compared_in_the_part_that_both_show() -> None:
    """The second image shows the left half of the first, and as many pixels of it."""
    left_half = replace(SAME_FRAME, first_to_second=(2, 0, 0, 0, 1, 0))
    assert list(list_flaws(left_half, LARGE, Size(200_000, 200_000))) == []
    assert list(list_flaws(left_half, LARGE, SMALL)) == [(1, "small")]


@pytest.mark.parametrize(("times", "flaws"), [(SOFT_TIMES, [(0, "enlarged")]), (2.3, [])])
def test_that_a_copy_is_larger_says_nothing_against_a_soft_image(
    times: float, flaws: list[tuple[int, str]]
) -> None:
    soft = Size(round(100_000 * times), 100_000)
    assert list(list_flaws(SAME_FRAME, Size(600_000, 100_000), soft)) == flaws


def pair(first_id: int, second_id: int, evidence: Evidence | None = SAME_FRAME) -> Pair:
    return Pair(first_id, second_id, Relation.DUPLICATE, 0.1, evidence)


DRAWN_IN_SECOND = replace(SAME_FRAME, drawn_second=0.2)


def test_a_copy_that_is_as_good_as_a_flawed_one_has_its_flaw_too() -> None:
    """1 shows that 2 was drawn over; 3 is like 2, and was not compared with 1."""
    sizes = dict.fromkeys((1, 2, 3), LARGE)
    pairs = [pair(1, 2, DRAWN_IN_SECOND), pair(2, 3)]
    assert count_flaws(pairs, sizes) == {1: 0, 2: 1, 3: 1}
    assert count_flaws([*pairs, pair(1, 3)], sizes) == {1: 0, 2: 1, 3: 0}
    assert count_flaws([pairs[0], pair(2, 3, turn(DRAWN_IN_SECOND))], sizes) == {1: 0, 2: 1, 3: 0}


def test_the_worse_of_two_tells_nothing_of_the_other() -> None:
    """The first has a margin and was drawn over, so that the second is smaller does not count."""
    framed = replace(SAME_FRAME, outside_first=0.3, margin_first=0.3, drawn_first=0.1)
    sizes = {1: LARGE, 2: SMALL}
    assert sorted(list_flaws(framed, LARGE, SMALL)) == [(0, "drawn"), (0, "margin"), (1, "small")]
    assert count_flaws([pair(1, 2, framed)], sizes) == {1: 2, 2: 0}


def test_a_pair_without_evidence_or_of_an_unknown_image_tells_nothing() -> None:
    assert count_flaws([pair(1, 2, None)], {1: LARGE, 2: SMALL}) == {}
    assert count_flaws([pair(1, 2, DRAWN_IN_SECOND)], {1: LARGE}) == {}
