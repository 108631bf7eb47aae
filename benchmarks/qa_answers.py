"""How long a server of its own takes to answer what the organiser's pages ask for."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import requests

from annotate_ui.board import PROGRESS_KEPT
from catalog.party import open_party
from catalog.states import Role
from simulate.demo_people import make_link
from simulate.party_client import PartyClient

from .party_load import Plan, percentile, serving
from .processor_time import find_used, take_moment


@dataclass(frozen=True)
class Asked:
    """A route, and how long to wait between two answers, in which nothing is measured."""

    path: str
    pause_secs: float = 0.0


PAUSE_SECS = PROGRESS_KEPT.total_seconds() + 0.05

ANSWERS = {
    "board, counted anew": Asked("/api/v1/board", PAUSE_SECS),
    "board, counted just now for another": Asked("/api/v1/board"),
    "board's page": Asked("/board"),
    "agreement": Asked("/api/v1/board/agreement"),
    "classes as CSV, counted anew": Asked("/api/v1/board/classes.csv", PAUSE_SECS),
    "wall": Asked("/api/v1/wall"),
    "people": Asked("/api/v1/people"),
    "findings": Asked("/api/v1/findings"),
    "queue": Asked("/api/v1/queue"),
}
ORGANISER = "olga"
WORKERS, THREADS = 1, 8


def measure_answers(folder: Path, *, times: int) -> dict[str, dict[str, float]]:
    """Milliseconds from request to last byte by what is asked for: median, p95, most.

    `first` is what the first answer took, with nothing kept from before; `processor` is the
    server's time for one of the others.
    """
    with open_party(folder) as party:
        link = make_link(party, ORGANISER, Role.ORGANISER)
    plan = Plan(people=1, secs=0, images=0, threads=THREADS, workers=WORKERS)
    with serving(folder, plan) as (base_url, server):
        client = PartyClient(base_url, requests.Session())
        client.sign_in(link)
        found = {
            name: _measure(client, base_url, asked, server.pid, times)
            for name, asked in ANSWERS.items()
        }
        client.close()
    return found


def _ask(client: PartyClient, url: str) -> int:
    answer = client.http.get(url, timeout=60)
    answer.raise_for_status()
    return len(answer.content)


def _measure(
    client: PartyClient, base_url: str, asked: Asked, server_id: int, times: int
) -> dict[str, float]:
    url = base_url + asked.path
    first_ms, _ = _time_ms(client, url)
    before = take_moment([server_id])
    found = []
    for _ in range(times):
        time.sleep(asked.pause_secs)
        found.append(_time_ms(client, url))
    used = find_used(before, take_moment([server_id]))
    millis = [ms for ms, _ in found]
    return {
        "first_ms": round(first_ms, 1),
        "median_ms": round(median(millis), 1),
        "p95_ms": round(percentile(millis, 95), 1),
        "most_ms": round(max(millis), 1),
        "processor_ms": round(1000 * sum(used.secs.values()) / times, 1),
        "bytes": found[-1][1],
    }


def _time_ms(client: PartyClient, url: str) -> tuple[float, int]:
    began = time.perf_counter()
    size = _ask(client, url)
    return (time.perf_counter() - began) * 1000, size
