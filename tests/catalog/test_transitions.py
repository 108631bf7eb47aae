from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog.party import Party
from catalog.states import IMAGE_STEPS, ImageState, is_step
from catalog.tables import Image
from catalog.transitions import move_image, move_images
from tests.rows import at_once, make_image

NOW = datetime(2026, 1, 1, tzinfo=UTC)
MANUAL = Path(__file__).parents[2] / "docs/manual/life-of-a-photograph.md"


def add_image(party: Party, state: ImageState) -> int:
    image = make_image("a" * 64, NOW, width=5, height=4, bytes=9, state=state)
    with party.catalogue.writing() as session:
        session.add(image)
        session.flush()
        return image.id


def test_an_image_moves_only_from_the_state_it_is_in(any_party: Party) -> None:
    image_id = add_image(any_party, ImageState.POOL)
    pool, annotating = ImageState.POOL, ImageState.ANNOTATING
    with any_party.catalogue.writing() as session:
        assert move_image(session, image_id, pool, annotating, at=NOW)
        assert not move_image(session, image_id, pool, annotating, at=NOW)
        assert move_images(session, [image_id, 7], annotating, pool, at=NOW) == 1
        assert move_images(session, [image_id, 7], pool, annotating, at=NOW) == 1
    with any_party.catalogue.reading() as session:
        image = session.get_one(Image, image_id)
        assert (image.state, image.state_at) == (annotating, NOW)


def test_of_concurrent_moves_of_one_image_exactly_one_succeeds(any_party: Party) -> None:
    image_id = add_image(any_party, ImageState.POOL)

    def move() -> bool:
        with any_party.catalogue.writing() as session:
            return move_image(session, image_id, ImageState.POOL, ImageState.ANNOTATING, at=NOW)

    assert sorted(at_once(*[move] * 6)) == [False] * 5 + [True]


def test_a_step_between_unconnected_states_is_refused(party: Party) -> None:
    with party.catalogue.writing() as session, pytest.raises(ValueError, match="no step leads"):
        move_image(session, 1, ImageState.HASHED, ImageState.RELEASED, at=NOW)


def test_every_state_is_reachable_and_taken_down_is_final() -> None:
    reached = {ImageState.FETCHED, ImageState.TAKEN_DOWN}
    while more := {step for state in reached for step in IMAGE_STEPS[state]} - reached:
        reached |= more
    assert reached == set(ImageState)
    assert all(is_step(it, ImageState.TAKEN_DOWN) for it in ImageState if it != "taken_down")
    assert not any(is_step(ImageState.TAKEN_DOWN, state) for state in ImageState)


def test_the_manual_lists_exactly_the_steps_between_states() -> None:
    told: set[tuple[ImageState, ImageState]] = set()
    for line in MANUAL.read_text("utf-8").splitlines():
        words = line.split("|")[1] if line.startswith("|") else ""
        for step in words.split(";"):
            left, arrow, right = step.partition(" -> ")
            ends, back, _ = right.partition(" and back")
            found = {
                (ImageState(one.strip()), ImageState(other.strip()))
                for one in left.split(",")
                for other in ends.split(",")
                if arrow
            }
            told |= found | ({(other, one) for one, other in found} if back else set())
    assert told == {(one, other) for one, others in IMAGE_STEPS.items() for other in others}
