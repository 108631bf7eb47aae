"""Seconds from the last byte of an upload to its verdict, by the clock, on a served challenge.

One team alone sends archives of detections in 20 classes on 4,952 images, as `curl` does. The goal
is 5 seconds.

    python -m benchmarks.challenge_verdict [--rows 10000 2000000] [--times 5]
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from benchmarks.challenge_load import (
    METHOD,
    ROWS,
    ServedChallenge,
    invite_teams,
    make_contest,
    write_archive,
)
from simulate.team_client import TeamClient

SMALL = 10_000
GOAL_SECS = 5.0


class Sent(io.BytesIO):
    """A file that notes when its last byte was read."""

    ended_at = 0.0

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes."""
        piece = super().read(size)
        self.ended_at = time.monotonic()
        return piece


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[SMALL, ROWS])
    parser.add_argument("--times", type=int, default=5)
    given = parser.parse_args()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        root = make_contest(folder, per_week=1)
        [token] = invite_teams(folder / "challenge", 1)
        served = ServedChallenge(folder / "challenge")
        served.start()
        stack.callback(served.kill)
        client = TeamClient(served.base_url, token)
        client.sign_in()
        client.add_method(METHOD)
        for rows in given.rows:
            archive = write_archive(folder / str(rows), root, rows)
            secs = sorted(measure(client, archive) for _ in range(given.times))
            print(
                f"  verdict: median {statistics.median(secs):.2f} s, longest {secs[-1]:.2f} s "
                f"(goal {GOAL_SECS:g} s); load average {os.getloadavg()[0]:.1f}"
            )


def measure(client: TeamClient, archive: bytes) -> float:
    """Seconds from the last byte of an upload to the verdict on it."""
    sent = Sent(archive)
    verdict = client.upload(METHOD, sent)
    secs = time.monotonic() - sent.ended_at
    assert verdict["can_be_scored"], verdict
    client.cancel(verdict["id"])
    return secs


if __name__ == "__main__":
    main()
