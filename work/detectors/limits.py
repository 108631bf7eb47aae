"""What the process of a model may use."""

from __future__ import annotations

import os
from dataclasses import dataclass

GIGABYTE = 1024**3
MOST_CLICK_SECS = 10.0
"""A person does not wait longer for an outline, whatever the limit of a picture is."""


@dataclass(frozen=True)
class Limits:
    """Bytes for the model, and seconds for opening it and for each picture."""

    memory_bytes: int = 4 * GIGABYTE
    secs: float = 60.0


def count_threads() -> int:
    """How many processors a model of the server may keep busy: one is left for the pages."""
    return max(1, (os.cpu_count() or 1) - 1)
