"""What a command shows on a terminal: its log, its progress, numbers in sentences."""

import io
import logging
import sys

import pytest

from vockit.command_line import show_log


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
