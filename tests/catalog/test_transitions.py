from __future__ import annotations

import threading
from datetime import UTC, datetime

import pytest

from catalog.party import Party
from catalog.states import IMAGE_STEPS, ImageState, is_step
from catalog.tables import Image
from catalog.transitions import move_image
from tests.rows import make_image

NOW = datetime(2026, 1, 1, tzinfo=UTC)


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
    with any_party.catalogue.reading() as session:
        image = session.get_one(Image, image_id)
        assert (image.state, image.state_at) == (annotating, NOW)


def test_of_many_who_move_one_image_exactly_one_wins(any_party: Party) -> None:
    image_id = add_image(any_party, ImageState.POOL)
    won: list[bool] = []
    start = threading.Barrier(6)

    def move() -> None:
        start.wait()
        with any_party.catalogue.writing() as session:
            won.append(
                move_image(session, image_id, ImageState.POOL, ImageState.ANNOTATING, at=NOW)
            )

    threads = [threading.Thread(target=move) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 5 + [True]


def test_a_step_that_does_not_exist_is_refused(party: Party) -> None:
    with party.catalogue.writing() as session, pytest.raises(ValueError, match="no step leads"):
        move_image(session, 1, ImageState.POOL, ImageState.RELEASED, at=NOW)


def test_every_state_can_be_reached_from_fetched() -> None:
    reached = {ImageState.FETCHED, ImageState.TAKEN_DOWN}
    while more := {step for state in reached for step in IMAGE_STEPS[state]} - reached:
        reached |= more
    assert reached == set(ImageState)


@pytest.mark.parametrize("state", [state for state in ImageState if state != "taken_down"])
def test_an_image_can_be_taken_down_at_any_time(state: ImageState) -> None:
    assert is_step(state, ImageState.TAKEN_DOWN)


def test_what_was_taken_down_stays_down() -> None:
    assert not any(is_step(ImageState.TAKEN_DOWN, state) for state in ImageState)
