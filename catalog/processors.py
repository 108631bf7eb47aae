"""How many processes at work at once this computer is good for."""

from __future__ import annotations

import os


def count_processors() -> int:
    """How many processors the system lets this process use, as in a job of a cluster."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
