"""A host, a network or a setting at fault: no photograph pays, and the run says the reason."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from catalog.party import Party
from catalog.states import PhotoState, Source
from catalog.tables import Image, Photo, Query
from collect.claims import Claim
from collect.doubts import Copies, Doubts, Miss, is_said_twice
from collect.errors import (
    HostNotAllowedError,
    PhotoBrokenError,
    PhotoGoneError,
    Reason,
    SameFaultError,
    SearchesDryError,
)
from collect.job import Order, Patience, run_collect
from collect.pauses import Backoff
from collect.tally import Tally, format_summary
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.search import Library
from simulate.flickr.server import StandIn
from tests.rows import load_rows

from .flickrs import CLASSES, at_flickr
from .loopback import Answer, Handler, Loopback, running_loopback
from .pictures import jpeg_bytes
from .rows import HOST, NOON, TestClock

QUICK = Patience(Backoff(0.001, 2, 0.02), faults_in_a_row=30, dry_draws_in_a_row=25)
ALL = {"photos_per_owner": 1000, "photos_per_owner_and_day": 1000}
TEN_MINUTES_SECS = 600.0
HOUR_SECS = 3600.0
PRIVATE = partial(PhotoGoneError, Reason.PRIVATE, "HTTP 403")
Forbidden = partial(Handler.send, status=403)


def run(party: Party, time: TestClock, target: int = 500, *classes: str) -> Tally:
    tally = Tally()
    order = Order(target, classes)
    run_collect(party, order, tally=tally, patience=QUICK, clock=time.clock)
    return tally


def load_outcomes(party: Party) -> Counter[tuple[PhotoState, str]]:
    """How many photos have each state and code of a reason."""
    photos = load_rows(party, select(Photo))
    return Counter((photo.state, (photo.reason or "").partition(":")[0]) for photo in photos)


def serve(loopback: Loopback, answers: Sequence[Answer | None]) -> list[str]:
    """Addresses that give these answers, a picture of their own for None."""
    for number, answer in enumerate(answers):
        picture = partial(Handler.send, status=200, body=jpeg_bytes(200, 150, tint=number * 9))
        loopback.answers[f"/{number}.jpg"] = answer or picture
    return [loopback.url(f"/{number}.jpg") for number in range(len(answers))]


def queue(party: Party, urls: Sequence[str], keyword: str = "cat") -> None:
    """Add photos that wait, each of an owner of its own."""
    with party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="cat", keyword=keyword)
        session.add(query)
        session.flush()
        photos = [
            Photo(
                source=Source.FLICKR,
                source_id=url,
                owner_id=f"owner of {url}",
                image_url=url,
                found_at=NOON,
                query_id=query.id,
            )
            for url in urls
        ]
        session.add_all(photos)


def lead(party: Party, flickr: StandIn, *hosts: str, **collect: object) -> Party:
    """The party with these image hosts, whose searches find nothing."""
    flickr.library = Library(())
    at = at_flickr(party, flickr, **{**ALL, "dates": "none", **collect})
    return with_hosts(at, *hosts)


def with_hosts(party: Party, *hosts: str) -> Party:
    flickr = replace(party.settings.flickr, image_hosts=hosts)
    return replace(party, settings=replace(party.settings, flickr=flickr))


@pytest.mark.parametrize(
    ("source", "rule", "reason"),
    [
        ("flickr", "image:403=1", "private"),
        ("commons", "image:html=1", "html"),
        ("flickr", "image:gone=1", "placeholder"),
    ],
)
def test_a_host_that_gives_everybody_the_same_costs_no_photograph(
    party: Party, flickr: StandIn, time: TestClock, source: str, rule: str, reason: str
) -> None:
    at = at_flickr(party, flickr, source=source, attempts=2, **ALL)
    flickr.faults = Faults((parse_rule(rule),))
    with pytest.raises(SameFaultError, match=rf"in a row ended for one reason: {reason}"):
        run(at, time, 20, *CLASSES)
    doubted = load_rows(party, select(Photo.id).where(Photo.reason.is_not(None)))
    assert 8 <= len(doubted) < 40
    assert {state for state, _ in load_outcomes(party)} == {PhotoState.FOUND}
    asked = flickr.requests["image"]

    time.pass_secs(TEN_MINUTES_SECS)
    with pytest.raises(SameFaultError):
        run(at, time, 20, *CLASSES)
    assert flickr.requests["image"] > asked
    assert {state for state, _ in load_outcomes(party)} == {PhotoState.FOUND}

    flickr.faults = Faults()
    time.pass_secs(TEN_MINUTES_SECS)
    assert run(at, time, 20, *CLASSES).fetched == 20
    assert load_outcomes(party)[PhotoState.FETCHED, ""] == 20


def test_the_same_answers_an_hour_later_settle_these_photographs(
    any_party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    dead = 20
    urls = serve(loopback, [Forbidden] * dead + [None] * 10)
    at = lead(any_party, flickr, loopback.host, workers=1)
    queue(any_party, urls)
    with pytest.raises(SameFaultError, match="none of them was given up"):
        run(at, time, 500, "cat")
    is_doubted = Photo.doubted_at.is_not(None)
    assert load_rows(any_party, select(Photo.doubted_at).where(is_doubted)) == [NOON] * 8

    time.pass_secs(HOUR_SECS)
    with pytest.raises(SearchesDryError):
        run(at, time, 500, "cat")
    photos = load_rows(any_party, select(Photo).order_by(Photo.id))
    assert {photo.state for photo in photos[:dead]} == {PhotoState.GONE}
    assert {photo.state for photo in photos[dead:]} == {PhotoState.FETCHED}
    assert {photo.doubted_at for photo in photos} == {None}


def test_a_host_that_stays_shut_costs_only_what_was_asked_for_twice(
    party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    urls = serve(loopback, [Forbidden] * 60)
    at = lead(party, flickr, loopback.host, workers=1)
    queue(party, urls)
    for _ in range(2):
        with pytest.raises(SameFaultError):
            run(at, time)
        time.pass_secs(HOUR_SECS)
    assert load_outcomes(party)[PhotoState.GONE, "private"] == 8


def test_dead_photographs_in_between_are_settled_at_once_and_stop_nothing(
    any_party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    # Whichever worker is late: eight refusals in a row would need seven pictures that wait.
    answers = [None, Forbidden] * 20 + [Forbidden] * 4
    at = lead(any_party, flickr, loopback.host, workers=4)
    queue(any_party, serve(loopback, answers))
    tally = run(at, time, 20)
    assert (tally.fetched, tally.gone, tally.waiting) == (20, {"private": 19}, {})
    assert load_outcomes(any_party) == {
        (PhotoState.FETCHED, ""): 20,
        (PhotoState.GONE, "private"): 19,
        (PhotoState.FOUND, ""): 5,  # the target was met
    }


def test_pictures_of_another_host_do_not_hide_that_one_refuses(
    party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    with running_loopback() as other:
        good = serve(other, [None] * 30)
        bad = serve(loopback, [Forbidden] * 30)
        at = lead(party, flickr, loopback.host, other.host, workers=2)
        queue(party, [url for pair in zip(good, bad, strict=True) for url in pair])
        with pytest.raises(SameFaultError, match=f"photographs of {loopback.host} in a row"):
            run(at, time)
    outcomes = load_outcomes(party)
    assert outcomes[PhotoState.FETCHED, ""] >= 7
    assert {state for state, _ in outcomes} == {PhotoState.FOUND, PhotoState.FETCHED}


def test_a_host_that_we_do_not_allow_is_told_and_costs_no_photograph(
    party: Party, flickr: StandIn, time: TestClock
) -> None:
    at = at_flickr(party, flickr, source="commons", workers=2, **ALL)
    commons = replace(at.settings.commons, image_hosts=("upload.wikimedia.org",))
    narrow = replace(at, settings=replace(at.settings, commons=commons))
    narrow = with_hosts(narrow)
    with pytest.raises(SameFaultError, match=r"not allowed: .*localhost.* image_hosts in party"):
        run(narrow, time, 12, *CLASSES)
    assert flickr.requests["image"] == 0
    assert {state for state, _ in load_outcomes(party)} == {PhotoState.FOUND}
    reasons = load_rows(party, select(Photo.reason).where(Photo.reason.is_not(None)))
    assert all("is not in image_hosts" in (reason or "") for reason in reasons)

    time.pass_secs(2 * HOUR_SECS)
    with pytest.raises(SameFaultError):
        run(narrow, time, 12, *CLASSES)
    assert {state for state, _ in load_outcomes(party)} == {PhotoState.FOUND}

    assert run(at, time, 12, *CLASSES).fetched == 12


def test_both_hosts_of_commons_are_allowed_by_default(party: Party) -> None:
    hosts = party.settings.commons.image_hosts
    assert hosts == ("upload.wikimedia.org", "thumb.wikimedia.org")


def test_one_picture_for_all_addresses_is_a_placeholder_until_said_twice(
    any_party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    same = partial(Handler.send, status=200, body=jpeg_bytes(200, 150, tint=200))
    at = lead(any_party, flickr, loopback.host, workers=2)
    first, *others = serve(loopback, [None, *[same] * 30])
    queue(any_party, [first])
    run(at, time, 1)  # alone, since workers ask for photographs in any order
    queue(any_party, others, keyword="another cat")
    with pytest.raises(SameFaultError, match="one same picture came"):
        run(at, time, 500, "cat")
    is_doubted = Photo.reason.startswith("placeholder"), Photo.state == PhotoState.FOUND
    doubted = load_rows(any_party, select(Photo.id).where(*is_doubted))
    assert len(doubted) >= 7
    assert load_outcomes(any_party) == {
        (PhotoState.FETCHED, ""): 2,
        (PhotoState.FOUND, "placeholder"): len(doubted),
        (PhotoState.FOUND, ""): 29 - len(doubted),  # the run had ended
    }
    assert len(load_rows(any_party, select(Image))) == 2

    run_until_dry(at, time)
    outcomes = load_outcomes(any_party)
    assert outcomes.keys() == {(PhotoState.FETCHED, ""), (PhotoState.GONE, "placeholder")}
    gone = load_rows(any_party, select(Photo.id).where(Photo.state == PhotoState.GONE))
    assert set(doubted) <= set(gone)
    assert len(load_rows(any_party, select(Image))) == 2


def run_until_dry(party: Party, time: TestClock) -> None:
    """Run again an hour later, until a run ends for want of photographs and not of a host."""
    for _ in range(30):
        time.pass_secs(HOUR_SECS)
        with pytest.raises((SameFaultError, SearchesDryError)) as ending:
            run(party, time, 500, "cat")
        if ending.errisinstance(SearchesDryError):
            return
    pytest.fail("photographs are still doubted")


def test_a_run_that_ends_mostly_for_one_reason_says_it_last(
    party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    at = lead(party, flickr, loopback.host, workers=1)
    queue(party, serve(loopback, [Forbidden] * 7 + [None] * 2))
    with pytest.raises(SearchesDryError, match=r"7 of 9 .* for one reason: private: HTTP 403"):
        run(at, time, 500, "cat")


def test_a_photograph_that_waits_is_counted_in_the_summary(
    party: Party, flickr: StandIn, loopback: Loopback, time: TestClock
) -> None:
    at = lead(party, flickr, loopback.host, workers=1)
    tally = Tally()
    queue(party, serve(loopback, [Forbidden] * 12))
    with pytest.raises(SameFaultError):
        run_collect(at, Order(5), tally=tally, patience=QUICK, clock=time.clock)
    assert format_summary(tally).endswith("to be asked for again 8 (private 8).")


@pytest.mark.parametrize("status", [500, 404, 418])
def test_a_server_that_fails_for_all_costs_no_photograph(
    party: Party, flickr: StandIn, loopback: Loopback, time: TestClock, status: int
) -> None:
    at = lead(party, flickr, loopback.host, workers=8, attempts=5)
    queue(party, serve(loopback, [partial(Handler.send, status=status)] * 60))
    with pytest.raises(Exception, match=f"HTTP {status}"):
        run(at, time)
    assert {state for state, _ in load_outcomes(party)} == {PhotoState.FOUND}


def make_claim(number: int, owner: str | None = None, host: str = HOST) -> Claim:
    return Claim(number, "ann", 1, f"{host}/{number}.jpg", None, owner)


def make_miss(number: int, owner: str | None = None, host: str = HOST) -> Miss:
    return Miss(make_claim(number, owner, host), PRIVATE(), number)


def test_a_picture_that_was_asked_for_earlier_says_nothing_of_later_misses() -> None:
    doubts = Doubts()
    misses = [make_miss(number) for number in range(5, 12)]
    assert [doubts.hear_miss(miss) for miss in misses] == [[]] * 7
    assert doubts.hear_picture("live.staticflickr.com", 4) == []
    assert doubts.hear_picture("live.staticflickr.com", 12) == misses
    late = make_miss(11)
    assert doubts.hear_miss(late) == [late]


def test_eight_misses_of_one_owner_say_nothing_of_the_host() -> None:
    doubts = Doubts()
    for number in range(20):
        doubts.hear_miss(make_miss(number, "ann"))
    for number in range(3):
        doubts.hear_miss(make_miss(30 + number, f"owner {number}"))
    with pytest.raises(SameFaultError):
        doubts.hear_miss(make_miss(40, "chris"))
    assert doubts.end() == []


def test_eight_misses_of_the_only_owner_count() -> None:
    doubts = Doubts(is_one_owner=True)
    for number in range(7):
        doubts.hear_miss(make_miss(number, "ann"))
    with pytest.raises(SameFaultError):
        doubts.hear_miss(make_miss(7, "ann"))


def test_misses_of_many_hosts_in_a_row_count_together() -> None:
    doubts = Doubts()
    for number in range(7):
        doubts.hear_miss(make_miss(number, host=f"https://host{number}.example"))
    with pytest.raises(SameFaultError, match="several hosts"):
        doubts.hear_miss(make_miss(7, host="https://host7.example"))


def test_a_run_that_ends_by_itself_believes_short_rows_but_not_our_own_refusals() -> None:
    doubts = Doubts()
    doubts.hear_picture("live.staticflickr.com", 0)
    short = [make_miss(number) for number in range(1, 4)]
    for miss in short:
        doubts.hear_miss(miss)
    refused = HostNotAllowedError(Reason.FOREIGN_ADDRESS, "it is not in image_hosts")
    doubts.hear_miss(Miss(make_claim(9), refused, 9))
    assert doubts.end() == short


@pytest.mark.parametrize("workers", [1, 4])
def test_a_short_run_at_a_host_that_gave_no_picture_costs_no_photograph(
    any_party: Party, flickr: StandIn, loopback: Loopback, time: TestClock, workers: int
) -> None:
    portal = partial(Handler.send, status=200, body=b"<html>Please sign in</html>")
    at = lead(any_party, flickr, loopback.host, workers=workers)
    queue(any_party, serve(loopback, [portal] * 5))
    for _ in range(2):
        with pytest.raises(SearchesDryError):
            run(at, time, 500, "cat")
        assert load_outcomes(any_party) == {(PhotoState.FOUND, "html"): 5}
        time.pass_secs(TEN_MINUTES_SECS)
    time.pass_secs(HOUR_SECS)
    with pytest.raises(SearchesDryError):
        run(at, time, 500, "cat")
    assert load_outcomes(any_party) == {(PhotoState.BROKEN, "html"): 5}


def test_only_the_same_answer_an_hour_later_is_believed() -> None:
    claim = replace(make_claim(1), doubt="private", doubted_at=NOON)
    later = NOON + timedelta(hours=1)
    assert is_said_twice(claim, PRIVATE(), later)
    assert not is_said_twice(claim, PRIVATE(), later - timedelta(seconds=1))
    assert not is_said_twice(claim, PhotoBrokenError(Reason.HTML), later)
    assert not is_said_twice(make_claim(1), PRIVATE(), later)


def test_one_picture_under_one_address_is_no_placeholder() -> None:
    copies = Copies()
    again = [copies.hear(make_claim(1), "a" * 64, number) for number in range(20)]
    assert again == [[]] * 20
    rows = [copies.hear(make_claim(number), "a" * 64, 20 + number) for number in range(2, 9)]
    assert [len(row) for row in rows] == [0] * 6 + [8]
    assert copies.hear(make_claim(20), "b" * 64, 40) == []


def hear_all(arrivals: Sequence[int], others: Mapping[int, str]) -> list[int]:
    """The ids of the last row, where pictures asked for in order of their ids come in another."""
    copies = Copies()
    for number in arrivals:
        row = copies.hear(make_claim(number), others.get(number, "same"), number)
    return [claim.photo_id for claim in row]


@given(st.permutations(range(12)))
def test_a_row_of_copies_is_the_same_in_whichever_order_they_come(arrivals: list[int]) -> None:
    assert hear_all([*arrivals, 12], {0: "first", 3: "fourth"}) == list(range(4, 13))
    assert hear_all([*arrivals, 12], {6: "seventh"}) == []
