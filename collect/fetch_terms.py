"""What holds for every file that the fetching processes fetch, as they are told it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from .addresses import ImageHosts
from .picture import PictureLimits


@dataclass(frozen=True)
class Downloads:
    """What a download may take; not the settings, whose checks take long to load."""

    connect_timeout_secs: float
    read_timeout_secs: float
    total_timeout_secs: float
    max_bytes: int


@dataclass(frozen=True)
class Terms:
    """What holds for every file: from where, within which limits, and stored in which folder.

    Without a folder the bytes are handed over instead. Decoding one file takes no longer than
    `decode_secs`, or the process ends. `notes` is the folder of collect/unrecorded.py.
    """

    hosts: ImageHosts
    downloads: Downloads
    limits: PictureLimits
    folder: str | None
    decode_secs: float
    notes: str


def parse_terms(text: str) -> Terms:
    """The terms in a line of JSON."""
    given = json.loads(text)
    return Terms(
        hosts=ImageHosts(given["hosts"]),
        downloads=Downloads(**given["downloads"]),
        limits=PictureLimits(**given["limits"]),
        folder=given["folder"],
        decode_secs=given["decode_secs"],
        notes=given["notes"],
    )
