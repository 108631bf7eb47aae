"""A table of addresses whose host, or the network, is at fault."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import Party
from catalog.states import PhotoState
from tests.collect.loopback import Answer, Handler, Loopback, running_loopback
from tests.collect.pictures import jpeg_bytes
from tests.collect.rows import TestClock
from tests.collect.test_mad_sources import lose_first
from vocparty import main

from .test_urls import load_photos, run, write

Forbidden = partial(Handler.send, status=403)
Portal = partial(Handler.send, status=200, body=b"<html>Sign in</html>", Content_Type="text/html")


def list_lines(loopback: Loopback, answers: Sequence[Answer | None], owner: str = "") -> list[str]:
    """Lines of a table, with these answers, or a picture of its own for None."""
    lines = []
    for number, answer in enumerate(answers):
        picture = partial(Handler.send, status=200, body=jpeg_bytes(200, 150, tint=number * 9))
        loopback.answers[f"/{number}.jpg"] = answer or picture
        lines.append(f",{loopback.url(f'/{number}.jpg')},{owner},,")
    return lines


@pytest.mark.parametrize("owner", ["", "The museum"])
@pytest.mark.parametrize("answer", [Forbidden, Portal])
def test_a_host_that_gives_everybody_the_same_costs_no_line(
    any_party: Party, tmp_path: Path, loopback: Loopback, answer: Answer, owner: str
) -> None:
    table = write(tmp_path, *list_lines(loopback, [answer] * 40, owner))
    count = run(any_party, table, loopback.host)
    assert "in a row ended for one reason" in count.given_up[0]
    photos = load_photos(any_party).values()
    assert 8 <= len(photos) < 40
    assert {photo.state for photo in photos} == {PhotoState.FOUND}
    assert all(photo.reason for photo in photos)

    list_lines(loopback, [None] * 40)
    again = run(any_party, table, loopback.host)
    assert again.tally.fetched == 40
    assert {photo.state for photo in load_photos(any_party).values()} == {PhotoState.FETCHED}


def test_dead_addresses_are_settled_an_hour_later_and_the_import_goes_on(
    any_party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    clock = TestClock()
    table = write(tmp_path, *list_lines(loopback, [Forbidden] * 20 + [None] * 10))
    # By more than one thread, a picture may come before the run gives up, and settle the others.
    again = partial(run, any_party, table, loopback.host, clock=clock, workers=1)
    assert again().given_up
    assert again().given_up  # at once: nothing settled
    assert {photo.state for photo in load_photos(any_party).values()} == {PhotoState.FOUND}
    clock.pass_secs(3600)
    count = again()
    assert (count.given_up, count.tally.fetched) == ([], 10)
    assert count.tally.gone == {"private": 20}
    states = [photo.state for photo in load_photos(any_party).values()]
    assert (states.count(PhotoState.GONE), states.count(PhotoState.FETCHED)) == (20, 10)


def test_another_host_goes_on_when_one_is_given_up(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    with running_loopback() as other:
        bad = list_lines(loopback, [Forbidden] * 30)
        good = list_lines(other, [None] * 30)
        lines = [line for pair in zip(bad, good, strict=True) for line in pair]
        count = run(party, write(tmp_path, *lines), loopback.host, other.host)
    assert count.tally.fetched == 30
    assert not count.tally.gone
    assert loopback.host in count.given_up[0]


def test_dead_lines_among_others_stop_nothing(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    answers = [Forbidden if number % 4 else None for number in range(40)]
    count = run(party, write(tmp_path, *list_lines(loopback, answers)), loopback.host)
    assert (count.given_up, count.tally.fetched) == ([], 10)
    assert count.tally.gone == {"private": 30}
    assert len(count.broken) == 30


@pytest.mark.parametrize("body", [jpeg_bytes(200, 150)[:900], b"GIF89a"])
def test_bytes_that_are_no_picture_only_once_cost_no_line(
    party: Party, tmp_path: Path, loopback: Loopback, body: bytes
) -> None:
    lines = list_lines(loopback, [None] * 9)
    urls = [loopback.url(f"/{number}.jpg") for number in range(1, 9, 2)]
    lose_first(loopback, urls, partial(Handler.send, status=200, body=body))
    count = run(party, write(tmp_path, *lines), loopback.host)
    assert count.tally.fetched == 9


def test_a_line_that_always_asks_to_come_back_later_stops_no_other(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    later = partial(Handler.send, status=502, Retry_After="0")
    count = run(party, write(tmp_path, *list_lines(loopback, [later] + [None] * 9)), loopback.host)
    assert (count.given_up, count.tally.fetched) == ([], 9)
    assert count.tally.broken == {"host_busy": 1}


def test_one_picture_for_all_lines_fills_no_party(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    same = partial(Handler.send, status=200, body=jpeg_bytes(200, 150))
    count = run(party, write(tmp_path, *list_lines(loopback, [same] * 30)), loopback.host)
    assert "one same picture came" in count.given_up[0]
    states = [photo.state for photo in load_photos(party).values()]
    assert states.count(PhotoState.FOUND) >= 7
    assert PhotoState.GONE not in states


def test_the_command_ends_with_the_reason_and_status_1(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    table = write(tmp_path, *list_lines(loopback, [Forbidden] * 30))
    words = ["import", "urls", str(table), "--party", str(party.folder), "--host", loopback.host]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1
    assert "in a row ended for one reason: private: HTTP 403" in done.stderr.splitlines()[-1]
    assert "to be asked for again" in done.stdout
