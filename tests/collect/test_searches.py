"""What is sent to flickr.photos.search."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from collect.searches import choose_sizes, search_arguments
from collect.windows import Window

MARCH = Window(datetime(2007, 3, 1, tzinfo=UTC), datetime(2007, 4, 1, tzinfo=UTC))


def test_upload_dates_go_as_unix_times_with_both_ends_inside() -> None:
    arguments = search_arguments("cat", ["4", "11"], dates="upload", window=MARCH, page=3)
    assert arguments["min_upload_date"] == "1172707200"
    assert arguments["max_upload_date"] == "1175385599"
    assert arguments["text"] == "cat"
    assert arguments["license"] == "4,11"
    assert (arguments["page"], arguments["per_page"]) == ("3", "500")


def test_taken_dates_go_as_local_times_and_are_not_converted() -> None:
    arguments = search_arguments("cat", ["4"], dates="taken", window=MARCH, page=1)
    assert arguments["min_taken_date"] == "2007-03-01 00:00:00"
    assert arguments["max_taken_date"] == "2007-03-31 23:59:59"
    assert "min_upload_date" not in arguments


def test_without_a_window_a_search_names_no_date() -> None:
    arguments = search_arguments("cat", ["4"], dates="none", window=None, page=1)
    assert not [name for name in arguments if name.endswith("_date")]


def test_the_extras_bring_everything_so_that_no_photo_needs_a_call_of_its_own() -> None:
    extras = search_arguments("cat", ["4"], dates="none", window=None, page=1)["extras"].split(",")
    expected = {"license", "owner_name", "date_taken", "date_upload", "tags", "url_m", "url_l"}
    assert expected <= set(extras)
    assert "url_o" not in extras


@pytest.mark.parametrize(
    ("longest_side_px", "expected"),
    [(200, "snm"), (500, "snmzc"), (501, "snmzcl"), (1024, "snmzclhk"), (9999, "snmzclhk")],
)
def test_sizes_that_are_never_the_one_to_download_are_not_asked_for(
    longest_side_px: int, expected: str
) -> None:
    sizes = choose_sizes(longest_side_px)
    assert "".join(sizes) == expected
    asked = search_arguments("cat", ["4"], dates="none", window=None, page=1, sizes=sizes)
    assert [one for one in asked["extras"].split(",") if one.startswith("url_")] == [
        f"url_{size}" for size in sizes
    ]
