from __future__ import annotations

import io

from catalog.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_sees_a_bar() -> None:
    stream = Terminal()
    with progress("hashing", 3, "images", stream=stream) as advance:
        advance(3)
    assert "hashing: 100%" in stream.getvalue()


def test_elsewhere_a_plain_line_says_how_much_was_done() -> None:
    stream = io.StringIO()
    with progress("hashing", 3, "images", stream=stream) as advance:
        advance(1)
        advance(2)
    assert stream.getvalue() == "hashing: 3 of 3 images\n"
