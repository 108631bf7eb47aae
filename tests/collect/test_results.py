"""Reading Flickr's records, with the traps of recorded replies."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from collect.errors import SourceUnavailableError
from collect.results import LICENCES, find_size, parse_photo, parse_results

RECORD: dict[str, Any] = {
    "id": "49514824541",
    "owner": "71925535@N03",
    "secret": "abc",
    "server": "65535",
    "title": "A cat's day",
    "license": "4",
    "dateupload": "1581318235",
    "datetaken": "2020-02-10 08:03:55",
    "datetakengranularity": 0,
    "datetakenunknown": "0",
    "ownername": "Ann",
    "tags": "cat tabby",
    "latitude": 48.137,
    "longitude": "-11.5756",
    "url_m": "https://live.staticflickr.com/65535/49514824541_abc.jpg",
    "height_m": 333,
    "width_m": "500",
    "url_l": "https://live.staticflickr.com/65535/49514824541_abc_b.jpg",
    "height_l": "683",
    "width_l": 1024,
}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


def reply(*records: object, total: object = "1") -> dict[str, Any]:
    return {"photos": {"page": 1, "total": total, "photo": list(records)}, "stat": "ok"}


def test_a_record_becomes_a_photo_with_all_its_provenance() -> None:
    photo = parse_photo(RECORD, 500)
    assert photo is not None
    assert photo.page_url == "https://www.flickr.com/photos/71925535@N03/49514824541"
    assert photo.image_url == RECORD["url_m"]
    assert (photo.promised_width, photo.promised_height) == (500, 333)
    assert photo.uploaded_at == datetime(2020, 2, 10, 7, 3, 55, tzinfo=UTC)
    assert photo.taken_at_text == "2020-02-10 08:03:55"
    assert (photo.owner_name, photo.title, photo.tags) == ("Ann", "A cat's day", "cat tabby")
    assert (photo.licence, photo.taken_at_unknown, photo.unfit) == (LICENCES["4"], False, "")
    assert photo.place == "48.1 -11.6"


@pytest.mark.parametrize("place", [(0, 0), ("0", "0"), ("", ""), (None, 3), (91, 0), ("nan", 1)])
def test_a_place_that_is_none_is_not_known(place: tuple[object, object]) -> None:
    photo = parse_photo(RECORD | {"latitude": place[0], "longitude": place[1]}, 500)
    assert photo is not None
    assert photo.place is None


@pytest.mark.parametrize(
    ("changes", "field", "expected"),
    [
        ({"license": 4}, "licence", LICENCES["4"]),
        ({"id": 49514824541}, "source_id", "49514824541"),
        ({"datetakenunknown": 1}, "taken_at_unknown", True),
        ({"datetakenunknown": "1"}, "taken_at_unknown", True),
        ({"title": {"_content": "nested"}}, "title", "nested"),
        ({"title": "a\0b\ud800"}, "title", "ab?"),
        ({"title": None}, "title", ""),
        ({"dateupload": "soon"}, "uploaded_at", None),
        ({"dateupload": "99999999999999999"}, "uploaded_at", None),
        ({"datetaken": "0000-00-00 00:00:00"}, "taken_at_text", "0000-00-00 00:00:00"),
        ({"datetaken": "x" * 100}, "taken_at_text", "x" * 40),
        ({"content_type": "1"}, "unfit", "not a photograph"),
        ({"content_type": 3}, "unfit", "not a photograph"),
        ({"content_type": 0}, "unfit", ""),
        ({"media": "video"}, "unfit", "not a photograph"),
        ({"width_m": -500}, "promised_width", 1024),
        ({"url_m": None}, "promised_width", 1024),
        ({"width_m": 500.0}, "promised_width", 500),
        ({"width_m": float("inf")}, "promised_width", 1024),
    ],
)
def test_drifting_types_and_odd_values_are_read_or_passed_over(
    changes: dict[str, Any], field: str, expected: object
) -> None:
    photo = parse_photo(RECORD | changes, 500)
    assert photo is not None
    assert getattr(photo, field) == expected


@pytest.mark.parametrize(
    "changes",
    [{"id": "../../etc"}, {"id": ""}, {"id": None}, {"owner": "a/b"}, {"owner": "<script>"}],
)
def test_a_record_whose_ids_are_not_flickrs_is_left_out(changes: dict[str, Any]) -> None:
    assert parse_photo(RECORD | changes, 500) is None


@pytest.mark.parametrize(
    ("longest_side_px", "expected"), [(240, 320), (320, 320), (500, 500), (501, 1024), (4000, 1024)]
)
def test_the_smallest_size_that_reaches_is_chosen_else_the_largest(
    longest_side_px: int, expected: int
) -> None:
    sizes = {"l": (1024, 683), "m": (333, 500), "n": (320, 213)}
    record = dict[str, object]()
    for name, (width, height) in sizes.items():
        record |= {f"url_{name}": name, f"width_{name}": width, f"height_{name}": str(height)}
    chosen = find_size(record, longest_side_px)
    assert chosen is not None
    assert max(chosen[1:]) == expected


@pytest.mark.parametrize(
    ("total", "expected"), [(361690, 361690), ("361690", 361690), ("many", 2), (None, 2), (1, 2)]
)
def test_flickrs_total_is_a_number_and_never_less_than_what_came(
    total: object, expected: int
) -> None:
    results = parse_results(reply(RECORD, "not a record", total=total), 500)
    assert (results.total, results.returned) == (expected, 2)
    assert len(results.photos) == 1


@pytest.mark.parametrize("broken", [{}, {"photos": []}, {"photos": {"photo": None}}])
def test_a_reply_that_is_no_search_result_can_be_asked_for_again(broken: dict[str, Any]) -> None:
    with pytest.raises(SourceUnavailableError, match="no list of photos"):
        parse_results(broken, 500)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.dictionaries(st.sampled_from(sorted(RECORD)), JSON))
def test_no_record_whatever_it_holds_stops_the_reader(changes: dict[str, Any]) -> None:
    photo = parse_photo(RECORD | changes, 500)
    if photo is not None:
        for text in (photo.title, photo.tags, photo.owner_name, photo.image_url or ""):
            assert "\0" not in text
            text.encode("utf-8")
