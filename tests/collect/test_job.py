"""Collecting from the stand-in Flickr, end to end, on both databases."""

import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore, digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo, Query
from collect.errors import HostRefusesError, Reason, SearchesDryError
from collect.job import Order, Patience, load_progress, run_collect
from collect.pauses import Backoff
from collect.report.figures import QueryFigures
from collect.report.load import load_report
from collect.tally import Tally, format_summary
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.server import StandIn
from tests.rows import load_rows, make_image
from vockit.errors import SettingsError

from .flickrs import CLASSES, Holding, at_flickr, make_library
from .loopback import Answer, Handler, Loopback
from .pictures import jpeg_bytes
from .rows import NOON, TestClock, add_photos, find_reason, load_photo

QUICK = Patience(Backoff(0.001, 2, 0.02), faults_in_a_row=30, dry_draws_in_a_row=25)
FAULTS = (
    "api:500=0.1",
    "api:429=0.1",
    "api:html=0.05",
    "api:fail@105=0.05",
    "image:429=0.05",
    "image:500=0.05",
    "image:html=0.05",
    "image:truncated=0.05",
    "image:reset=0.05",
)


@pytest.fixture
def few_flickr(tmp_path: Path) -> Iterator[StandIn]:
    """A stand-in with two photographs of sheep, and of each other class."""
    with StandIn(make_library(tmp_path / "few", 10)) as running:
        yield running


def collect(party: Party, target: int, *, classes: tuple[str, ...] = CLASSES) -> Tally:
    tally = Tally()
    run_collect(party, Order(target, classes), tally=tally, patience=QUICK)
    return tally


def check_that_totals_add_up(party: Party) -> None:
    """Check that each photo's columns fit its state and that every image has its file."""
    photos = load_rows(party, select(Photo))
    images = load_rows(party, select(Image))
    queries = load_rows(party, select(Query))
    assert len({photo.source_id for photo in photos}) == len(photos)
    assert len({image.sha256 for image in images}) == len(images)
    for photo in photos:
        assert (photo.image_id is not None) is (photo.state is PhotoState.FETCHED)
        is_lost = photo.state in (PhotoState.GONE, PhotoState.BROKEN)
        is_doubted = photo.doubted_at is not None
        assert not is_doubted or photo.state is PhotoState.FOUND
        assert (find_reason(photo.reason) is not None) is (is_lost or is_doubted)
    assert {photo.image_id for photo in photos} - {None} == {image.id for image in images}
    for image in images:
        data = party.store.get(image.sha256)
        assert digest_of(data) == image.sha256
        assert len(data) == image.bytes
    fetched = [photo for photo in photos if photo.state is PhotoState.FETCHED]
    images_of_queries = {(photo.query_id, photo.image_id) for photo in fetched}
    kept = Counter(query_id for query_id, _image in images_of_queries)
    assert {query.id: query.kept for query in queries if query.kept} == dict(kept)
    assert set(party.store.digests()) >= {image.sha256 for image in images}
    report = load_report(party, datetime.now(UTC))
    for row in (*report.classes, *report.queries):
        ended = row.fetched + row.gone + row.broken + row.withdrawn
        assert 0 <= row.drawn - ended == count_waiting(photos, queries, row)
    assert sum(row.drawn for row in report.classes) == len(photos)
    assert sum(row.kept for row in report.classes) >= len(images)
    lost = [photo for photo in photos if photo.state in (PhotoState.GONE, PhotoState.BROKEN)]
    assert sum(report.lost.values()) == len(lost)


def count_waiting(photos: Sequence[Photo], queries: Sequence[Query], row: QueryFigures) -> int:
    """The photos of a class, or of one of its queries, that wait to be fetched."""
    ids = {
        query.id
        for query in queries
        if query.class_name == row.class_name and row.keyword in ("", query.keyword)
    }
    return sum(photo.state is PhotoState.FOUND and photo.query_id in ids for photo in photos)


def test_photographs_are_fetched_until_the_target_is_met(any_party: Party, flickr: StandIn) -> None:
    party = at_flickr(any_party, flickr)
    fetched: list[int] = []
    run_collect(party, Order(12, CLASSES), on_fetched=fetched.append, patience=QUICK)
    assert sum(fetched) == 12 == load_progress(party)
    check_that_totals_add_up(party)
    assert flickr.requests["image"] == 12


def test_the_same_command_continues_where_it_stopped(party: Party, flickr: StandIn) -> None:
    party = at_flickr(party, flickr)
    collect(party, 8)
    before = flickr.requests
    collect(party, 8)
    assert flickr.requests == before
    collect(party, 11)
    assert flickr.requests["image"] == 11
    check_that_totals_add_up(party)


def test_the_same_seed_finds_the_same_photos(tmp_path: Path, party: Party, flickr: StandIn) -> None:
    make_party(tmp_path / "other", name="Other party", preset="voc2012")
    source_ids = []
    with open_party(tmp_path / "other") as other:
        for opened in (party, other):
            at = at_flickr(opened, flickr, workers=1, seed=5)
            collect(at, 8)
            source_ids.append(load_rows(at, select(Photo.source_id).order_by(Photo.id)))
    assert source_ids[0] == source_ids[1]


@pytest.mark.parametrize("dates", ["taken", "none"])
def test_taken_dates_or_none_also_find_photos(party: Party, flickr: StandIn, dates: str) -> None:
    party = at_flickr(party, flickr, dates=dates)
    collect(party, 6)
    starts = load_rows(party, select(Photo.window_start_at))
    assert all((start is None) is (dates == "none") for start in starts)
    check_that_totals_add_up(party)


def test_photos_of_other_licences_are_not_fetched(party: Party, flickr: StandIn) -> None:
    party = at_flickr(party, flickr, licences=("5", "6"))
    with pytest.raises(SearchesDryError, match="find nothing new"):
        collect(party, 3)
    assert flickr.requests["image"] == 0


def test_a_target_is_reached_despite_all_kinds_of_faults(any_party: Party, flickr: StandIn) -> None:
    party = at_flickr(any_party, flickr)
    flickr.faults = Faults(tuple(parse_rule(rule) for rule in FAULTS), seed=3)
    collect(party, 25)
    assert load_progress(party) == 25
    check_that_totals_add_up(party)


@pytest.mark.parametrize(
    ("rule", "state", "reason"),
    [
        ("image:gone=1", PhotoState.GONE, Reason.PLACEHOLDER),
        ("image:404=1", PhotoState.GONE, Reason.DELETED),
        ("image:403=1", PhotoState.GONE, Reason.PRIVATE),
        ("image:gif=1", PhotoState.BROKEN, Reason.NOT_JPEG),
        ("image:png=1", PhotoState.BROKEN, Reason.NOT_JPEG),
        ("image:bomb=1", PhotoState.BROKEN, Reason.NOT_JPEG),
        ("image:wrong-size=1", PhotoState.BROKEN, Reason.SIZE_DIFFERS),
        ("image:one-pixel=1", PhotoState.BROKEN, Reason.SIZE_DIFFERS),
        ("image:html=1", PhotoState.BROKEN, Reason.HTML),
        ("image:truncated=1", PhotoState.BROKEN, Reason.TRUNCATED),
        ("image:endless=1", PhotoState.BROKEN, Reason.TOO_MANY_BYTES),
        ("image:reset=1", PhotoState.BROKEN, Reason.INTERRUPTED),
        ("image:500=1", PhotoState.BROKEN, Reason.HTTP_STATUS),
        ("image:redirect-elsewhere=1", PhotoState.BROKEN, Reason.FOREIGN_ADDRESS),
        ("image:redirect-link-local=1", PhotoState.BROKEN, Reason.FOREIGN_ADDRESS),
        ("image:redirect-loop=1", PhotoState.BROKEN, Reason.TOO_MANY_REDIRECTS),
        ("image:drip@20=1", PhotoState.BROKEN, Reason.TIMEOUT),
    ],
)
def test_each_fault_is_recorded_on_the_photo_with_its_reason(
    party: Party, few_flickr: StandIn, rule: str, state: PhotoState, reason: Reason
) -> None:
    secs = 0.3 if "drip" in rule else 10.0
    limits = {"total_timeout_secs": secs, "read_timeout_secs": secs, "max_bytes": 10**6}
    party = at_flickr(party, few_flickr, attempts=1, **limits)
    few_flickr.faults = Faults((parse_rule(rule),))
    time = TestClock()
    for expected in (PhotoState.FOUND, state):  # no picture came, so the host may be at fault
        with pytest.raises(SearchesDryError):
            run_collect(party, Order(1, ["sheep"]), patience=QUICK, clock=time.clock)
        photos = load_rows(party, select(Photo))
        assert {(photo.state, find_reason(photo.reason)) for photo in photos} == {
            (expected, reason)
        }
        time.pass_secs(3600)
    check_that_totals_add_up(party)


@pytest.mark.parametrize("rule", ["image:500=1", "image:503=1", "image:429=1", "api:500=1"])
def test_a_host_that_is_silent_ends_the_run(party: Party, few_flickr: StandIn, rule: str) -> None:
    party = at_flickr(party, few_flickr, attempts=50)
    few_flickr.faults = Faults((parse_rule(rule),))
    with pytest.raises(HostRefusesError, match=r"refused \d times in a row"):
        run_collect(party, Order(2, ["sheep"]), patience=replace(QUICK, faults_in_a_row=3))
    few_flickr.faults = Faults()
    collect(party, 2, classes=("sheep",))
    check_that_totals_add_up(party)


def test_a_full_disk_stops_the_run_and_frees_its_claims(party: Party, flickr: StandIn) -> None:
    party = at_flickr(party, flickr)

    class FullDisk(ImageStore):
        def put(self, data: bytes) -> str:
            raise ImageStoreError("The image store did not take a file: no space left on device.")

    full = replace(party, store=FullDisk(None, "nowhere"))
    with pytest.raises(ImageStoreError, match="no space left"):
        collect(full, 5)
    photos = load_rows(party, select(Photo))
    assert photos
    assert {(photo.state, photo.claimed_by, photo.attempts) for photo in photos} == {
        (PhotoState.FOUND, None, 0)
    }
    collect(party, 5)
    check_that_totals_add_up(party)


def test_without_a_key_no_request_is_sent_and_no_row_written(party: Party, flickr: StandIn) -> None:
    at = at_flickr(party, flickr)
    keyless = replace(at, settings=replace(at.settings, flickr=replace(at.settings.flickr, key="")))
    with pytest.raises(SettingsError, match="VOCPARTY_FLICKR_KEY"):
        collect(keyless, 1)
    assert flickr.requests.total() == 0
    assert load_rows(party, select(Query)) == []


def test_the_summary_counts_losses_by_reason_in_one_line(party: Party, flickr: StandIn) -> None:
    flickr.faults = Faults((parse_rule("image:gone=0.3"), parse_rule("image:gif=0.3")), seed=1)
    tally = collect(at_flickr(party, flickr, attempts=1), 8)
    gone = tally.gone["placeholder"]
    broken = tally.broken["not_jpeg"]
    lost = f"gone {gone} (placeholder {gone}); broken {broken} (not jpeg {broken})"
    assert format_summary(tally) == f"Fetched 8; {lost}; identical files 0."


IMPATIENT = Patience(Backoff(0.001, 2, 0.02), faults_in_a_row=3, dry_draws_in_a_row=5)
HOURS = partial(Handler.send, status=429, Retry_After="7200")
BROKEN = partial(Handler.send, status=503)


@pytest.mark.parametrize(
    ("refuses", "message"),
    [
        (HOURS, "The image host asks for a pause of 7200 s"),
        (BROKEN, r"The image host refused 4 times .*HTTP 503.* same command again"),
    ],
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_refusing_host_ends_the_run_with_a_sentence_and_keeps_no_claim(
    party: Party, flickr: StandIn, loopback: Loopback, refuses: Answer, message: str, workers: int
) -> None:
    urls = [loopback.url(f"/{number}.jpg") for number in range(12)]
    loopback.answers |= {f"/{number}.jpg": refuses for number in range(len(urls))}
    party = at_flickr(party, flickr, workers=workers)
    hosts = replace(party.settings.flickr, image_hosts=(loopback.host,))
    party = replace(party, settings=replace(party.settings, flickr=hosts))
    ids = add_photos(party, len(urls), urls)
    clock = TestClock()
    with pytest.raises(HostRefusesError, match=message):
        run_collect(party, Order(3), patience=IMPATIENT, clock=clock.clock)
    left = [load_photo(party, photo_id) for photo_id in ids]
    assert {(photo.state, photo.attempts, photo.claimed_by) for photo in left} == {
        (PhotoState.FOUND, 0, None)
    }
    for number in range(len(urls)):
        data = jpeg_bytes(200, 150, tint=number * 9)
        loopback.answers[f"/{number}.jpg"] = partial(Handler.send, status=200, body=data)
    clock.pass_secs(300)
    run_collect(party, Order(3), patience=IMPATIENT, clock=clock.clock)
    assert load_progress(party) == 3


TARGET = 30


def add_images(party: Party, count: int) -> None:
    with party.catalogue.writing() as session:
        for number in range(count):
            session.add(make_image(f"{number:064}", NOON, state=ImageState.FETCHED))


def test_a_run_ends_soon_after_others_reached_the_target(party: Party, flickr: StandIn) -> None:
    flickr.faults = holding = Holding()
    at = at_flickr(party, flickr, workers=1)
    seen: list[int] = []

    def see(count: int) -> None:
        seen.append(count)
        holding.release.set()

    def fill_once_it_began() -> None:
        while not flickr.requests.total():
            holding.release.wait(0.01)
        add_images(party, TARGET)

    filling = threading.Thread(target=fill_once_it_began, daemon=True)
    filling.start()
    tally = run_collect(at, Order(TARGET, CLASSES), on_fetched=see)
    filling.join()
    assert load_progress(party) == TARGET + tally.fetched
    assert tally.fetched <= 1  # what it had in hand
    assert sum(seen) == load_progress(party)
