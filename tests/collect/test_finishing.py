"""The last steps of a piece of work never hide why it ended."""

from __future__ import annotations

import logging

import pytest

from collect.finishing import finishing


def refuse() -> None:
    raise OSError("no room")


def test_the_steps_are_taken_in_their_order() -> None:
    taken: list[str] = []
    with finishing(lambda: taken.append("first"), lambda: taken.append("second")):
        taken.append("work")
    assert taken == ["work", "first", "second"]


def test_what_a_step_raises_after_good_work_is_raised() -> None:
    with pytest.raises(OSError, match="no room"), finishing(refuse):
        pass


@pytest.mark.parametrize("error", [KeyError("the work"), KeyboardInterrupt("the work")])
def test_why_the_work_ended_is_told_whatever_its_last_steps_raise(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    taken: list[str] = []
    with (
        caplog.at_level(logging.WARNING),
        pytest.raises(type(error), match="the work"),
        finishing(refuse, lambda: taken.append("second")),
    ):
        raise error
    assert taken == ["second"]
    assert "no room" in caplog.text
