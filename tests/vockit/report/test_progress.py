"""Progress on a terminal and in a file."""

import io

from vockit.report.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


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
