"""A served challenge for each test."""

from typing import Any

import pytest

from challenge import board
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


@pytest.fixture(autouse=True)
def _without_entries(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until a board can be made: none has an entry."""
    monkeypatch.setattr(board, "load_board", lambda *_args, **_more: make_board())
    for name in ("load_history", "list_editions"):
        monkeypatch.setattr(board, name, lambda *_args, **_more: [])
    for name in ("load_result", "find_anonymous"):
        monkeypatch.setattr(board, name, lambda *_args, **_more: {})
