"""What a command shows on a terminal: its log, its progress, numbers in sentences."""

import io
import logging
import sys

import pytest

from vockit.command_line import show_log
from vockit.format.plural import format_count, is_or_are
from vockit.report.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


pytestmark = pytest.mark.usefixtures("own_log")


@pytest.mark.parametrize(
    ("stream", "says"),
    [
        (Terminal(), "\r\x1b[KStopping soon.\n\r\x1b[KIt is full.\n"),
        (io.StringIO(), "Stopping soon.\nIt is full.\n"),
    ],
)
def test_each_warning_is_a_sentence_on_its_own_line(
    monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, says: str
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    logging.root.handlers[:] = []
    show_log(logging.WARNING)
    logging.getLogger("collect.job").warning("stopping soon")
    logging.getLogger("collect.job").warning("it is full.")
    logging.getLogger("collect.job").info("not said")
    assert stream.getvalue() == says


def test_the_full_log_has_times_and_module_names(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    logging.root.handlers[:] = []
    show_log()
    logging.getLogger("collect.job").info("said")
    assert stream.getvalue().endswith(" INFO collect.job: said\n")
    assert stream.getvalue().startswith("20")


def test_progress_is_a_bar_on_a_terminal_and_a_line_in_a_file() -> None:
    stream = Terminal()
    with progress("hashing", 3, "images", stream=stream) as advance:
        advance(3)
    assert "hashing: 100%" in stream.getvalue()
    file = io.StringIO()
    with progress("hashing", 3, "images", stream=file) as advance:
        advance(1)
        advance(2)
    assert file.getvalue() == "hashing: 3 of 3 images\n"


@pytest.mark.parametrize(
    ("number", "noun", "many", "words"),
    [
        (0, "image", "", "0 images are"),
        (1, "image", "", "1 image is"),
        (2, "image", "", "2 images are"),
        (1, "box", "boxes", "1 box is"),
        (17_125, "box", "boxes", "17,125 boxes are"),
    ],
)
def test_noun_and_verb_agree_with_the_number(number: int, noun: str, many: str, words: str) -> None:
    assert f"{format_count(number, noun, many)} {is_or_are(number)}" == words
