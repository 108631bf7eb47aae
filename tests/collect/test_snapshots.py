"""The progress of a run: its line, also on a terminal, and its document."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from sqlalchemy import select

from catalog.party import Party, make_party, open_party
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.batch_writer import Outcome
from collect.call_budget import CallBudget
from collect.snapshots import (
    ClassProgress,
    Observer,
    Snapshot,
    Tally,
    as_document,
    find_call_secs,
    fit_line,
    format_line,
)
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.server import StandIn

from .clocks import TestClock
from .flickrs import leading_to, make_library

SNAPSHOT = Snapshot(
    fetched=1200,
    target=5000,
    images_per_sec=31.234,
    secs_to_go=3725.4,
    calls_left=87,
    calls_per_hour=3600,
    gone={"deleted": 3},
    broken={"html": 2, "too_small": 1},
    classes={"aeroplane": ClassProgress(0, 250.0), "cat": ClassProgress(300, 250.0),
             "dog": ClassProgress(0, 0)},
)  # fmt: skip


def test_the_line_says_all_that_an_organiser_wants_to_know() -> None:
    assert format_line(SNAPSHOT) == (
        "1200 of 5000 images, 31.2/s, 1:02:05 to go; 87 of 3,600 calls free this hour; "
        "gone 3, broken 3 (html 2, too small 1)  aer▁ cat█ dog█"
    )


@pytest.mark.parametrize("columns", range(40, 130, 7))
def test_a_narrow_terminal_loses_names_first_and_then_reasons(columns: int) -> None:
    line = fit_line(SNAPSHOT, columns)
    assert len(line) <= columns
    assert "▁██" in line or line == format_line(SNAPSHOT)
    if columns >= 79:
        assert "31.2/s" in line
        assert "(html" in line


def test_the_bars_of_twenty_classes_fit_eighty_columns(party: Party) -> None:
    classes = {name: ClassProgress(100, 250.0) for name in party.preset.class_names}
    line = fit_line(replace(SNAPSHOT, classes=classes), 79)
    assert line.startswith(f"1200/5000 {'▄' * 20} 31.2/s 1:02:05 left, 87 calls, 3 gone, 3 broken")


@pytest.mark.parametrize(
    ("brought", "missing", "calls_left", "expected_secs"),
    [
        ((10, 100, 0), 0, 0, 0),
        ((10, 100, 5), 5, 0, 0),  # those that are missing wait already
        ((60, 55, 5), 5, 0, 0),
        ((60, 60, 0), 5, 0, 300),  # five calls, at one a minute
        ((60, 60, 0), 5, 3, 120),
        ((60, 60, 0), 5, 9, 0),
        ((10, 100, 0), 3, 0, 60),  # less than a call is a call
        ((10, 80, 20), 1020, 40, 3600),
        ((7, 0, 0), 2, 0, 14 * 60),
    ],
)
def test_the_time_to_go_includes_the_wait_for_calls(
    brought: tuple[int, int, int], missing: int, calls_left: int, expected_secs: float
) -> None:
    secs = find_call_secs(*brought, missing, calls_left, 60)
    assert secs == pytest.approx(expected_secs, rel=0.06)  # a budget fills a little slower


def test_the_last_images_of_a_run_without_calls_are_not_promised_at_once(party: Party) -> None:
    ahead = CallBudget(party.catalogue, "k3y", 1, TestClock().clock)
    ahead.take()
    tally = Tally()
    for _ in range(55):
        tally.count(Outcome.FETCHED)
    with party.catalogue.writing() as session:
        session.add(Query(source=Source.FLICKR, class_name="cat", keyword="tabby", searches=55))
    settings = replace(party.settings, flickr=replace(party.settings.flickr, calls_per_hour=1))
    seen = Observer(replace(party, settings=settings), 60, tally, ahead).look(55)
    assert seen.calls_left == 0
    assert seen.secs_to_go is not None
    assert seen.secs_to_go > 4 * 3600


def test_a_target_that_was_reached_before_takes_no_time(party: Party) -> None:
    budget = CallBudget(party.catalogue, "k3y", 3600, TestClock().clock)
    observer = Observer(party, 5, Tally(), budget)
    assert observer.look(5).secs_to_go == 0
    assert observer.look(4).secs_to_go is None  # nobody knows yet
    assert format_line(observer.look(6)).startswith("6 of 5 images, 0.0/s, 0:00:00 to go;")


def test_the_document_holds_the_same() -> None:
    document = as_document(SNAPSHOT)
    assert document["images_per_sec"] == 31.23
    assert document["secs_to_go"] == 3725
    assert document["broken"] == {"html": 2, "too_small": 1}
    assert document["classes"]["cat"] == {"images": 300, "target": 250.0}


ROOT = Path(__file__).parents[2]
CLEARED = "\r\x1b[K"
TARGET = 12


@dataclass(frozen=True)
class Shown:
    """What came on the terminal and on standard output, and the exit status."""

    terminal: str
    out: str
    status: int

    @property
    def lines(self) -> list[str]:
        """What stood on the line, one after the other, until it was left."""
        return self.terminal.rstrip("\r\n").split(CLEARED)[1:]


def run_on_terminal(words: Sequence[str], columns: int) -> Shown:
    """The command with standard error on a terminal of that width; output goes elsewhere."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "vocparty", *words],
        cwd=ROOT,
        env={**os.environ, "NO_PROXY": "127.0.0.1"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        text=True,
    )
    os.close(theirs)
    terminal = b"".join(_read(ours))
    out, _ = process.communicate(timeout=240)
    return Shown(terminal.decode(), out, process.returncode)


def _read(terminal: int) -> Iterator[bytes]:
    try:
        while part := os.read(terminal, 4096):
            yield part
    except OSError:  # whoever wrote to it has ended
        pass
    finally:
        os.close(terminal)


@pytest.fixture
def flickr(tmp_path: Path) -> Iterator[StandIn]:
    with StandIn(make_library(tmp_path / "pictures", 60)) as running:
        running.faults = Faults(
            (parse_rule("image:gif=0.4"), parse_rule("image:latency@200=1")), seed=3
        )
        yield running


def collect(folder: Path, flickr: StandIn, columns: int) -> Shown:
    run = {"workers": 2, "target_images": TARGET, "seed": 3}
    values = leading_to(flickr) | {"collect": run}
    make_party(folder, name="Watched party", preset="voc2012", values=values)
    classes = [word for name in ("cat", "sheep", "sofa") for word in ("--class", name)]
    return run_on_terminal(["collect", "--party", str(folder), *classes], columns)


def fetched_classes(folder: Path) -> list[str]:
    """What the line calls the classes of the images: draws are random, so not always all three."""
    fetched = select(Query.class_name).join(Photo, Photo.query_id == Query.id)
    fetched = fetched.where(Photo.state == PhotoState.FETCHED)
    with open_party(folder) as party, party.catalogue.reading() as session:
        names = sorted(set(session.scalars(fetched)))
    assert names
    assert set(names) <= {"cat", "sheep", "sofa"}
    return [name[:3] for name in names]


@pytest.mark.slow
def test_the_line_on_a_terminal_is_written_over_and_ends_with_the_target(
    tmp_path: Path, flickr: StandIn
) -> None:
    shown = collect(tmp_path / "party", flickr, columns=300)
    assert shown.status == 0, shown.terminal
    assert "\n" not in shown.terminal.rstrip("\r\n")  # one line, again and again
    assert shown.terminal.endswith("\n")  # what comes next does not stand behind it
    fetched = [int(line.partition(" of ")[0]) for line in shown.lines]
    assert len(fetched) > 1
    assert fetched == sorted(fetched)
    found = re.fullmatch(
        r"12 of 12 images, \d+\.\d/s, 0:00:00 to go; [\d,]+ of 1,000,000 calls free this hour; "
        r"gone 0, broken (\d+) \(not jpeg (\d+)\)  ((?:\w\w\w[▁▂▃▄▅▆▇█] ?){3})",
        shown.lines[-1],
    )
    assert found, shown.lines[-1]
    assert found[1] == found[2] != "0"
    assert re.findall(r"(\w\w\w)[▂-█]", found[3]) == fetched_classes(tmp_path / "party")
    assert shown.out.startswith(f"Fetched 12; gone 0; broken {found[1]} (not jpeg ")


@pytest.mark.slow
def test_the_line_keeps_within_the_terminal_that_it_is_on(tmp_path: Path, flickr: StandIn) -> None:
    shown = collect(tmp_path / "party", flickr, columns=52)
    assert shown.status == 0, shown.terminal
    assert {len(line) < 52 for line in shown.lines} == {True}
    assert shown.lines[-1].startswith("12/12 ")
