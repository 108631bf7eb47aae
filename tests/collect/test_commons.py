"""Wikimedia Commons as a source: its records, its faults, and a collection from the stand-in."""

import json
import re
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.settings import CommonsSettings
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query, Search
from collect.asking import SAVED_SHARE_OF_MINUTES, CallBudget, CallRefusedError
from collect.commons import (
    PER_PAGE,
    Commons,
    parse_photo,
    parse_reply,
    search_arguments,
    strip_html,
)
from collect.errors import QueryRefusedError, SourceError, SourceUnavailableError
from collect.job import Order, count_workers, run_collect
from collect.pauses import Pauses
from collect.recheck import recheck_photos
from collect.results import Question
from collect.strata import Window
from collect.tally import format_left_out
from simulate.flickr.faults import Fault, FaultKind, Faults, Host, Rule, parse_rule
from simulate.flickr.server import StandIn
from tests.rows import load_rows
from vockit.errors import SettingsError

from .flickrs import CLASSES, at_flickr, make_pictures, with_collect
from .loopback import Handler, Loopback
from .rows import NOON, TestClock
from .test_recheck import flickr_after

MARCH = Window(datetime(2012, 3, 1, tzinfo=UTC), datetime(2012, 3, 3, 12, tzinfo=UTC))
RECORD: dict[str, Any] = {
    "pageid": 77,
    "title": "File:A zebra.jpg",
    "index": 1,
    "imageinfo": [
        {
            "timestamp": "2012-03-02T10:20:30Z",
            "user": "Ann",
            "width": 3000,
            "height": 2000,
            "thumburl": "https://upload.wikimedia.org/wikipedia/commons/thumb/a/aa/A/500px-A.jpg",
            "thumbwidth": 500,
            "thumbheight": 333,
            "mime": "image/jpeg",
            "mediatype": "BITMAP",
            "extmetadata": {
                "License": {"value": "cc-by-sa-3.0"},
                "LicenseShortName": {"value": "CC BY-SA 3.0"},
                "LicenseUrl": {"value": "https://creativecommons.org/licenses/by-sa/3.0"},
                "Artist": {"value": '<style>a{}</style><a href="//x">Ann &amp; <b>Bo</b></a>'},
                "DateTimeOriginal": {"value": '<time datetime="2012-02-01">1 Feb 2012</time>'},
                "Categories": {"value": "Zebras|Kenya"},
                "GPSLatitude": {"value": "-1.2864"},
                "GPSLongitude": {"value": "36.8172"},
            },
        }
    ],
}


def change(**changes: object) -> dict[str, Any]:
    return RECORD | {"imageinfo": [RECORD["imageinfo"][0] | changes]}


def test_a_commons_record_becomes_a_photo_with_plain_text() -> None:
    photo = parse_photo(RECORD)
    assert (photo.source_id, photo.owner_id, photo.owner_name) == ("77", "User:Ann", "Ann & Bo")
    assert (photo.title, photo.tags, photo.unfit) == ("A zebra.jpg", "Zebras, Kenya", "")
    assert photo.place == "-1.3 36.8"
    assert photo.licence is not None
    assert (photo.licence.id, photo.licence.kind) == ("cc-by-sa-3.0", "by-sa")
    assert photo.uploaded_at == datetime(2012, 3, 2, 10, 20, 30, tzinfo=UTC)
    assert (photo.promised_width, photo.promised_height) == (500, 333)
    assert photo.page_url == "https://commons.wikimedia.org/?curid=77"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        (change(mime="image/tiff"), "a TIFF; only JPEG photographs are taken"),
        (change(mime="image/svg+xml", mediatype="DRAWING"), "a drawing (SVG), not a photograph"),
        (change(mime="video/webm", mediatype="VIDEO"), "a video or sound, not a photograph"),
        ({"pageid": 7, "title": "File:Gone.jpg"}, "the page has no file"),
    ],
)
def test_a_file_that_is_no_jpeg_photo_has_a_reason(record: dict[str, Any], reason: str) -> None:
    assert parse_photo(record).unfit == reason


def test_a_record_with_missing_fields_loses_only_those_fields() -> None:
    photo = parse_photo(change(timestamp=5, user=None, thumburl=None, extmetadata=[]))
    assert (photo.licence, photo.uploaded_at, photo.owner_id) == (None, None, "User:unknown")
    assert (photo.taken_at_unknown, photo.image_url) == (True, None)
    assert strip_html("<a\nhref='x'>1 &lt; 2</a> <script>x()</script>") == "1 < 2"


def test_a_search_names_the_days_of_its_window_and_an_existing_thumbnail_width() -> None:
    arguments = search_arguments(Question("zebra", MARCH, page=3, longest_side_px=640))
    assert arguments["gsrsearch"] == (
        "zebra filetype:bitmap creationdate:>=2012-03-01 creationdate:<=2012-03-03"
    )
    assert (arguments["gsroffset"], arguments["iiurlwidth"]) == ("500", "960")
    assert "creationdate" not in search_arguments(Question("zebra", dates="none"))["gsrsearch"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("maxlag", SourceUnavailableError),
        ("ratelimited", SourceUnavailableError),
        ("cirrussearch-backend-error", SourceUnavailableError),
        ("cirrussearch-query-too-long", QueryRefusedError),
        ("badvalue", CallRefusedError),
    ],
)
def test_each_error_code_raises_its_own_error(code: str, expected: type[SourceError]) -> None:
    with pytest.raises(expected, match="slow down"):
        parse_reply(json.dumps({"error": {"code": code, "info": "slow down"}}).encode())


def at_commons(party: Party, flickr: StandIn, **collect: Any) -> Party:
    prepared = at_flickr(party, flickr, source="commons", **collect)
    return replace(prepared, settings=replace(prepared.settings, flickr=party.settings.flickr))


def test_a_party_collects_from_commons_without_a_key(any_party: Party, flickr: StandIn) -> None:
    party = at_commons(any_party, flickr, photos_per_owner=100, photos_per_owner_and_day=100)
    summary = run_collect(party, Order(target=12, classes=("cat", "dog")))
    assert summary.fetched == 12
    photos = load_rows(party, select(Photo).where(Photo.state == PhotoState.FETCHED))
    assert {photo.source for photo in photos} == {Source.COMMONS}
    assert {photo.licence_name for photo in photos} == {"CC BY 2.0"}
    assert {photo.owner_name for photo in photos} <= {f"owner {number}" for number in range(4)}
    for photo in photos:
        assert photo.window_start_at is not None
        assert photo.window_end_at is not None
        assert photo.uploaded_at is not None
        assert photo.window_start_at <= photo.uploaded_at < photo.window_end_at
    assert {query.source for query in load_rows(party, select(Query))} == {Source.COMMONS}


def test_photos_that_a_search_skips_are_counted_by_reason(party: Party, flickr: StandIn) -> None:
    kinds = (FaultKind.TIFF, FaultKind.SVG, FaultKind.VIDEO, FaultKind.NO_LICENCE)
    struck = zip(kinds, CLASSES, strict=False)  # each strikes in the searches of one class
    rules = [Rule(Fault(kind), 0.5, Host.API, f"{name} filetype") for kind, name in struck]
    flickr.faults = Faults(tuple(rules), seed=6)
    at = at_commons(party, flickr, photos_per_owner=100, photos_per_owner_and_day=100)
    summary = run_collect(at, Order(target=8, classes=CLASSES[:4]))
    reasons = {reason for search in load_rows(party, select(Search)) for reason in search.left_out}
    assert {
        "a TIFF; only JPEG photographs are taken",
        "a drawing (SVG), not a photograph",
        "a video or sound, not a photograph",
        "no licence is named",
    } == reasons
    example = r"\(https://commons\S+, for example\)"
    line = rf"Skipped \d+ {example}: a TIFF; only JPEG photographs are taken\."
    assert re.search(line, format_left_out(summary))


@pytest.mark.parametrize(
    ("contact", "least", "allowed"), [("ann@example.org", 140, 200), ("", 7, 10)]
)
def test_commons_gets_as_many_calls_a_minute_as_it_allows_and_no_more(
    party: Party, time: TestClock, contact: str, least: int, allowed: int
) -> None:
    settings = with_collect(party, contact=contact).settings
    calls = settings.count_calls_per_hour("commons")
    share = SAVED_SHARE_OF_MINUTES
    budget = CallBudget(party.catalogue, "commons", calls, time.clock, share)
    called_at: list[datetime] = []
    while time.moment < NOON + timedelta(minutes=4):
        budget.take()
        called_at.append(time.moment)
    minute = timedelta(minutes=1)
    counts = [sum(begin <= at < begin + minute for at in called_at) for begin in called_at]
    assert max(counts) <= allowed
    assert len(called_at) / 4 >= least


def test_an_answer_in_more_parts_than_it_can_have_files_ends_the_search(
    party: Party, time: TestClock, loopback: Loopback
) -> None:
    asked = []

    def answer_part(handler: Handler) -> None:
        asked.append(handler.body)
        part = {"query": {"pages": [RECORD]}, "continue": {"iicontinue": "Same|1"}}
        handler.send(200, json.dumps(part).encode())

    loopback.answers["/api"] = answer_part
    budget = CallBudget(party.catalogue, "commons", 1_000_000, time.clock)
    settings = CommonsSettings(api_url=loopback.url("/api"))
    with (
        closing(Commons(settings, budget, Pauses(time.clock))) as commons,
        pytest.raises(SourceUnavailableError, match="has no end"),
    ):
        commons.search(Question("zebra", MARCH))
    assert len(asked) == PER_PAGE + 1


def test_the_lag_of_servers_is_waited_out(party: Party, flickr: StandIn, time: TestClock) -> None:
    flickr.faults = Faults((replace(parse_rule("api:maxlag@9=1"), first=1),))
    run_collect(at_commons(party, flickr), Order(target=2, classes=("cat",)), clock=time.clock)
    assert max(time.waits_secs) == 9


def test_a_recheck_withdraws_deleted_and_keeps_moved_files(party: Party, tmp_path: Path) -> None:
    folder = make_pictures(tmp_path / "pictures", 6)
    write_all = {"photos_per_owner": 100, "photos_per_owner_and_day": 100}
    with flickr_after(folder, {}) as commons:
        run_collect(at_commons(party, commons, **write_all), Order(target=2, classes=("cat",)))
    gone = {0: {"state": "deleted"}}
    with flickr_after(folder, gone) as commons:
        commons.faults = Faults((parse_rule("moved=1"),))
        later = TestClock()
        later.moment = datetime(2030, 1, 1, tzinfo=UTC)
        counts = recheck_photos(at_commons(party, commons, **write_all), clock=later.clock)
        assert commons.requests["commons pages"] == 1
    assert counts == {"asked": 2, "gone": 1, "images_taken_down": 1}


def test_commons_limits_workers_and_refuses_dates_taken(party: Party, flickr: StandIn) -> None:
    at = at_commons(party, flickr, workers=8, dates="taken")
    assert count_workers(at.settings) == 2
    assert count_workers(at_flickr(party, flickr, workers=8).settings) == 8
    with pytest.raises(SettingsError, match="by the date of upload only"):
        run_collect(at, Order(target=1))
