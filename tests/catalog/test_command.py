"""What a command's log looks like to whoever is at the terminal."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Iterator

import pytest

from catalog.command import show_log


class Terminal(io.StringIO):
    """Standard error of a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """The root logger without handlers, and as it was after the test."""
    handlers, level = logging.root.handlers[:], logging.root.level
    yield
    logging.root.handlers[:] = handlers
    logging.root.setLevel(level)


@pytest.mark.parametrize(
    ("stream", "says"),
    [
        (Terminal(), "\r\x1b[KStopping soon.\n\r\x1b[KIt is full.\n"),
        (io.StringIO(), "Stopping soon.\nIt is full.\n"),
    ],
)
def test_warnings_are_sentences_on_lines_of_their_own(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, says: str
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    logging.root.handlers[:] = []
    show_log(logging.WARNING)
    logging.getLogger("collect.job").warning("stopping soon")
    logging.getLogger("collect.job").warning("it is full.")
    logging.getLogger("collect.job").info("not said")
    assert stream.getvalue() == says


def test_a_log_of_everything_has_times_and_names(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    logging.root.handlers[:] = []
    show_log()
    logging.getLogger("collect.job").info("said")
    assert stream.getvalue().endswith(" INFO collect.job: said\n")
    assert stream.getvalue().startswith("20")
