"""Processor time of processes that run, user and system together, as Linux counts it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

PARTS = ("own process", "processes it started", "stand-in", "together")
RATE = "steady rate"


@dataclass(frozen=True)
class Moment:
    """Seconds that each of several processes has used by a moment, and when that was."""

    secs: Mapping[int, float]
    at_secs: float


@dataclass(frozen=True)
class Used:
    """What came between two moments, of which the processes may be different."""

    secs: Mapping[int, float]
    passed_secs: float

    def sum_ms(self, process_ids: Iterable[int], images: int) -> float:
        """Milliseconds an image of these processes together."""
        return 1000 * sum(self.secs.get(one, 0.0) for one in process_ids) / images


def take_moment(process_ids: Iterable[int]) -> Moment:
    """What these and all that they started have used; those that ended are left out."""
    return Moment({one: read_secs(one) for one in find_family(process_ids)}, time.monotonic())


def find_used(before: Moment, after: Moment) -> Used:
    """What was used between two moments; a process that is new began with nothing."""
    secs = {one: total - before.secs.get(one, 0.0) for one, total in after.secs.items()}
    return Used(secs, after.at_secs - before.at_secs)


def read_secs(process_id: int) -> float:
    """The time of a process, in hundredths, with its threads that ended; 0 where it has ended."""
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime, stime: proc(5)


def find_family(process_ids: Iterable[int]) -> set[int]:
    """The processes and all their children's children."""
    children: dict[int, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        children.setdefault(int(fields[1]), []).append(int(path.parent.name))
    found, left = set[int](), list(process_ids)
    while left:
        one = left.pop()
        if one not in found:
            found.add(one)
            left += children.get(one, [])
    return found


class Meter:
    """Processor time an image of this process, of those it started, and of the stand-in.

    It is taken from the first tenth of the images to the last one, so that neither loading
    libraries nor the first connections count.
    """

    def __init__(self, images: int, standin_id: int) -> None:
        self._standin_id = standin_id
        self._marks = [max(1, images // 10), images]
        self._counted = 0
        self._taken: list[tuple[int, Moment]] = []

    def count(self, more: int) -> None:
        """Count further images."""
        self._counted += more
        if self._marks and self._counted >= self._marks[0]:
            self._marks.pop(0)
            self._taken.append((self._counted, take_moment([os.getpid(), self._standin_id])))

    def find_parts(self) -> dict[str, float]:
        """Milliseconds an image by part, and the images a second between the two moments."""
        (first, before), (last, after) = self._taken
        used, images = find_used(before, after), last - first
        standin = find_family([self._standin_id])
        others = used.secs.keys() - {os.getpid(), *standin}
        parts = ([os.getpid()], others, standin, used.secs)
        found = {name: used.sum_ms(ids, images) for name, ids in zip(PARTS, parts, strict=True)}
        return {**found, RATE: images / used.passed_secs}
