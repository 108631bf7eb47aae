"""What two pictures have in common, and what it makes of them."""

from dataclasses import replace

import numpy as np
import pytest
from PIL import ImageDraw

from dedup.constants import COPY_COVERED, LEAST_DETAILS, SAME_SIMILARITY
from dedup.pairs import Evidence, Relation
from dedup.verify.evidence import doubt, judge, verify
from tests.dedup.finder import sign
from tests.dedup.photographs import originals

SAME = Evidence(
    similarity=0.97,
    details=40,
    covered_first=1.0,
    covered_second=0.98,
    changed=0.0,
    drawn_first=0.0,
    drawn_second=0.0,
    outside_first=0.0,
    outside_second=0.0,
    margin_first=0.0,
    margin_second=0.0,
    has_seam=False,
    inliers=60,
    first_to_second=(1, 0, 0, 0, 1, 0),
)


def test_the_transformation_maps_the_first_image_to_the_second() -> None:
    image = originals()["coffee"]
    half = image.crop((0, 0, image.width // 2, image.height))
    verified = verify(sign(image), sign(half), [])
    assert verified is not None
    assert verified[1].first_to_second == pytest.approx((2, 0, 0, 0, 1, 0), abs=0.02)


@pytest.mark.parametrize("is_whole_first", [True, False])
def test_a_sticker_is_surrounded_in_the_first_image(is_whole_first: bool) -> None:
    """The left half has a sticker that the whole has not."""
    image = originals()["coffee"]
    width, height = image.size
    half = image.crop((0, 0, width // 2, height))
    place = 0.4, 0.3, 0.6, 0.45
    sides = half.width, height, half.width, height
    ImageDraw.Draw(half).rectangle(
        [round(part * side) for part, side in zip(place, sides, strict=True)], fill="white"
    )
    pair = (image, half) if is_whole_first else (half, image)
    verified = verify(sign(pair[0]), sign(pair[1]), [])
    assert verified is not None
    (box,) = verified[1].drawn_boxes
    expected = (0.2, 0.3, 0.3, 0.45) if is_whole_first else place
    assert box == pytest.approx(expected, abs=0.07)  # details are compared in windows
    assert box[:2] < expected[:2]
    assert box[2:] > expected[2:]


def test_a_map_that_cannot_be_inverted_joins_nothing() -> None:
    pictures = sign(originals()["coffee"]), sign(originals()["rocket"])
    assert verify(*pictures, [np.zeros((3, 3))]) is None


@pytest.mark.parametrize(
    ("changes", "relation"),
    [
        ({}, Relation.DUPLICATE),
        ({"details": LEAST_DETAILS - 1}, None),
        ({"similarity": SAME_SIMILARITY}, Relation.DUPLICATE),
        ({"similarity": 0.89}, Relation.SAME_EVENT),
        ({"similarity": 0.89, "inliers": 0}, None),
        ({"similarity": 0.49}, None),
        ({"changed": 0.01}, Relation.SAME_EVENT),
        ({"drawn_first": 0.1}, Relation.DUPLICATE),
        ({"drawn_first": 0.1, "inliers": 0}, None),
        ({"covered_first": 0.3, "covered_second": COPY_COVERED}, Relation.DUPLICATE),
        ({"covered_first": 0.3, "covered_second": 0.89}, Relation.SAME_EVENT),
        ({"outside_first": 0.7, "covered_first": 0.3}, Relation.DUPLICATE),
        ({"outside_first": 0.8, "covered_first": 0.3}, Relation.SAME_EVENT),
        ({"outside_first": 0.7, "covered_first": 0.3, "has_seam": True}, Relation.COLLAGE),
        ({"outside_first": 0.7, "covered_first": 0.95, "has_seam": True}, Relation.DUPLICATE),
    ],
)
def test_evidence_is_judged_by_its_thresholds(
    changes: dict[str, float], relation: Relation | None
) -> None:
    assert judge(replace(SAME, **changes)) is relation  # type: ignore[arg-type]


def test_doubt_is_one_on_the_nearer_threshold_and_less_away_from_it() -> None:
    assert doubt(replace(SAME, similarity=1.0)) == 0.0
    assert doubt(replace(SAME, similarity=SAME_SIMILARITY)) == 1.0
    assert doubt(replace(SAME, covered_first=0.95, covered_second=0.0)) == pytest.approx(0.5)


def test_a_copy_that_was_drawn_over_is_never_certain_and_comes_first() -> None:
    clear, near = (replace(SAME, similarity=similarity) for similarity in (1.0, SAME_SIMILARITY))
    drawn = [doubt(replace(evidence, drawn_second=0.04)) for evidence in (clear, near)]
    assert drawn == [pytest.approx(0.9), pytest.approx(1.0)]
    assert doubt(replace(near, similarity=0.92)) < drawn[0]
    event = replace(SAME, similarity=0.7, drawn_second=0.04)
    assert judge(event) is Relation.SAME_EVENT
    assert doubt(event) == doubt(replace(event, drawn_second=0.0))
