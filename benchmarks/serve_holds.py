"""How long a request keeps others from writing, at the largest allowed body next to a small one.

Measured is the longest of the request's writing sessions, from the lock to the commit, on SQLite:
boxes, a verdict with a correction, and outlines, each finished. What is computed comes after it.
Processor time is that of the request's thread, which other programs do not lengthen.

    python -m benchmarks.serve_holds
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from sqlalchemy.orm import Session

from catalog.party import make_party, open_party
from catalog.session import Catalogue
from catalog.states import ImageState
from tests.annotate_ui.house import API, Browser, Json, thing, verdict_on
from tests.work.segment.conftest import SegmentHouse, make_save
from vockit.format.rings import MOST_CORNERS
from work.segment.saving import MOST_OBJECTS, MOST_REGIONS

ROUNDS = 5
SMALL = 2
"""Objects of a save."""
LARGE = 1_000
"""As many as [annotate] max_objects allows."""


def main() -> None:
    """Measure and print."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    for name, act in ACTS.items():
        with tempfile.TemporaryDirectory() as folder:
            small, large = (
                measure(Path(folder) / str(count), act, count) for count in (SMALL, LARGE)
            )
        print(
            f"{name:11} small {1000 * small.wall_secs:7.1f} ms, "
            f"largest {1000 * large.wall_secs:7.1f} ms, "
            f"ratio {large.wall_secs / small.wall_secs:5.1f}; processor "
            f"small {1000 * small.processor_secs:7.1f} ms, "
            f"largest {1000 * large.processor_secs:7.1f} ms, "
            f"ratio {large.processor_secs / small.processor_secs:5.1f}"
        )


@dataclass(frozen=True)
class Hold:
    """How long a writing session held the lock, and the processor time of its thread."""

    wall_secs: float
    processor_secs: float


Act = Callable[[SegmentHouse, Browser, Browser, int], Callable[[], Any]]


def measure(folder: Path, act: Act, count: int) -> Hold:
    """The longest hold of one request, the median of some."""
    make_party(folder, name="Benchmark", preset="voc2012")
    with open_party(folder) as party:
        house = SegmentHouse(party)
        ann = house.ann()
        chris = house.chris()
        longest = []
        for _ in range(ROUNDS):
            house.clock.advance(120)  # no one saves faster than a person can
            send = act(house, ann, chris, count)
            with timing_holds() as holds:
                answer = send()
            assert answer.status_code == 201, answer.text
            longest.append(max(holds, key=lambda hold: hold.wall_secs))
    return Hold(
        statistics.median(hold.wall_secs for hold in longest),
        statistics.median(hold.processor_secs for hold in longest),
    )


@contextmanager
def timing_holds() -> Iterator[list[Hold]]:
    """A list that gets each writing session's hold, with its commit."""
    holds = list[Hold]()
    write = Catalogue.writing

    @contextmanager
    def writing(catalogue: Catalogue, **more: Any) -> Iterator[Session]:
        with write(catalogue, **more) as session:
            began = time.perf_counter()
            processor_began = time.thread_time()
            yield session
        ended = time.perf_counter()
        holds.append(Hold(ended - began, time.thread_time() - processor_began))

    with patch.object(Catalogue, "writing", writing):
        yield holds


def save_boxes(house: SegmentHouse, ann: Browser, _chris: Browser, count: int) -> Callable[[], Any]:
    """A finished save of so many boxes."""
    house.add_image()
    task = ann.take()
    return lambda: ann.save(task, make_objects(count))


def save_correction(
    house: SegmentHouse, ann: Browser, chris: Browser, count: int
) -> Callable[[], Any]:
    """A verdict that corrects every box."""
    assert save_boxes(house, ann, chris, count)().status_code == 201
    task = chris.take("check")
    body = verdict_on(task["annotation"]["id"], "fixed") | {"objects": []}
    body["fixed"] = {"objects": make_objects(count, shift_px=1), "active_secs": 8.0}
    return lambda: chris.post(f"{API}/images/{task['image_id']}/reviews", body)


def save_outlines(
    house: SegmentHouse, ann: Browser, _chris: Browser, count: int
) -> Callable[[], Any]:
    """A finished drawing; the largest has all objects, regions and corners that are allowed."""
    image_id = house.add_image()
    is_large = count > SMALL
    objects, regions = (MOST_OBJECTS, MOST_REGIONS) if is_large else (SMALL, 0)
    boxes = {f"o{number}": (1 + number, 1, 200 + number, 300) for number in range(objects)}
    house.draw_boxes(image_id, boxes, " ".join(["dog"] * objects))
    house.set_state(image_id, ImageState.CHECKED)
    house.choose()
    task = ann.take("segment")
    corners = MOST_CORNERS // (objects + regions) if is_large else 4
    keys = [*boxes, *[None] * regions]
    drawn = [
        {"object_key": key, "depth": depth, "rings": [zigzag(corners, depth)]}
        for depth, key in enumerate(keys)
    ]
    body = make_save(task, drawn)
    return lambda: ann.post(f"{API}/images/{image_id}/segmentations", body)


def make_objects(count: int, shift_px: int = 0) -> list[Json]:
    """So many objects that overlap one another."""
    return [
        thing(f"o{number}", box=[1 + number % 250, 1 + shift_px, 200 + number % 250, 371])
        for number in range(count)
    ]


def zigzag(corners: int, shift_px: int) -> list[int]:
    """A flat ring of so many corners over much of the image."""
    left = shift_px % 200
    steps = [(left + 2 * (step % 120), 370 if step % 2 else 5) for step in range(corners - 1)]
    return [value for corner in [*steps, (left, 374)] for value in corner]


ACTS: dict[str, Act] = {
    "boxes": save_boxes,
    "correction": save_correction,
    "outlines": save_outlines,
}

if __name__ == "__main__":
    main()
