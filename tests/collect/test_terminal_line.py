"""The progress line, as it stands on a terminal."""

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
from dataclasses import dataclass
from pathlib import Path

import pytest
from sqlalchemy import select

from catalog.new_party import make_party
from catalog.party import open_party
from catalog.states import PhotoState
from catalog.tables import Photo, Query
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.server import StandIn

from .flickrs import make_library

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
    with StandIn(make_library(tmp_path / "pictures", 60), cache_folder=tmp_path / "c") as running:
        running.faults = Faults(
            (parse_rule("image:gif=0.4"), parse_rule("image:latency@200=1")), seed=3
        )
        yield running


def collect(folder: Path, flickr: StandIn, columns: int) -> Shown:
    values = {
        "flickr": {
            "key": "k3y",
            "api_url": flickr.api_url,
            "image_hosts": [flickr.image_host],
            "calls_per_hour": 1_000_000,
        },
        "collect": {"workers": 2, "target_images": TARGET, "window_days": 1000, "seed": 3},
    }
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
        r"12 of 12 images, \d+\.\d/s, 0:00:00 to go; calls left \d+ \(of 1000000 an hour\); "
        r"gone 0, broken (\d+) \(not jpeg (\d+)\)  ((?:\w\w\w[▁▂▃▄▅▆▇█] ?){20})",
        shown.lines[-1],
    )
    assert found, shown.lines[-1]
    assert found[1] == found[2] != "0"
    assert re.findall(r"(\w\w\w)[▂-█]", found[3]) == fetched_classes(tmp_path / "party")
    assert shown.out.startswith(f"This run: fetched 12; gone 0; broken {found[1]} (not jpeg ")


@pytest.mark.slow
def test_the_line_keeps_within_the_terminal_that_it_is_on(tmp_path: Path, flickr: StandIn) -> None:
    shown = collect(tmp_path / "party", flickr, columns=52)
    assert shown.status == 0, shown.terminal
    assert {len(line) < 52 for line in shown.lines} == {True}
    assert shown.lines[-1].startswith("12/12 ")
