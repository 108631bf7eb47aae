"""A served challenge for each test."""

from typing import Any

import pytest

from challenge.folder import Challenge
from challenge.values import Board, Part

from .house import House


@pytest.fixture
def house(challenge: Challenge) -> House:
    return House(challenge)


def make_board(*rows: Any, **more: Any) -> Board:
    values: Any = {
        "competition": "comp3",
        "task": "detection",
        "part": Part.WHOLE,
        "edition": 1,
        "evaluator": "0.1",
        "classes": ("cat", "person"),
        "rows": rows,
    }
    return Board(**values | more)
