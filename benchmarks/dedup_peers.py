"""Other ways to say that two images are near-duplicates, at the thresholds that their users take.

imagehash is a library of ours. pdqhash and imagededup are asked in the environment that
VOCPARTY_PEER_PYTHON names, if it does: each worker process starts one process of that Python and
hands it one image after the other.
"""

from __future__ import annotations

import base64
import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import imagehash
import numpy as np
from PIL import Image

PYTHON_VARIABLE = "VOCPARTY_PEER_PYTHON"
ROWS_AT_ONCE = 500

SERVER = r"""
import base64, io, json, sys
import numpy as np
from PIL import Image
import pdqhash
from imagededup.methods import PHash
encoder = PHash(verbose=False)
for line in sys.stdin:
    rgb = np.asarray(Image.open(io.BytesIO(base64.b64decode(line))).convert("RGB"))
    bits, quality = pdqhash.compute(rgb)
    pdq = np.packbits(bits).tobytes().hex() if quality > 49 else None
    print(json.dumps({"pdq": pdq, "imagededup": encoder.encode_image(image_array=rgb)}), flush=True)
"""


@dataclass(frozen=True)
class Peer:
    """One hash and the distance in bits up to which two images are called near-duplicates."""

    name: str
    key: str
    max_bits: int


HERE = (
    Peer("imagehash phash ≤10", "phash", 10),
    Peer("imagehash dhash ≤10", "dhash", 10),
    Peer("imagehash whash ≤5", "whash", 5),
)
THERE = (Peer("imagededup PHash ≤10", "imagededup", 10), Peer("pdqhash ≤31", "pdq", 31))


def list_peers() -> tuple[Peer, ...]:
    """The peers that can be asked."""
    return HERE + THERE if os.environ.get(PYTHON_VARIABLE) else HERE


def hash_by_peers(data: bytes) -> Mapping[str, str | None]:
    """Each peer's hash as hexadecimal digits; None where it says that there is nothing to hash."""
    with Image.open(io.BytesIO(data)) as image:
        found: dict[str, str | None] = {
            "phash": str(imagehash.phash(image)),
            "dhash": str(imagehash.dhash(image)),
            "whash": str(imagehash.whash(image)),
        }
    python = os.environ.get(PYTHON_VARIABLE)
    return {**found, **(_ask(python, data) if python else {})}


def match(
    peer: Peer, ones: Sequence[Mapping[str, Any]], others: Sequence[Mapping[str, Any]]
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The places of every one and other within the peer's distance, a row for each two."""
    bits_of_ones, are_there = _stack(peer, ones)
    bits_of_others, are_others = _stack(peer, others)
    found = [np.empty((0, 2), np.int64)]
    for start in range(0, len(ones), ROWS_AT_ONCE):
        some = bits_of_ones[start : start + ROWS_AT_ONCE, None]
        distances = np.bitwise_count(some ^ bits_of_others[None]).sum(axis=2, dtype=np.int64)
        near = distances <= peer.max_bits
        near &= are_there[start : start + ROWS_AT_ONCE, None] & are_others
        found.append(np.argwhere(near) + np.array([start, 0]))
    return np.concatenate(found)


def _stack(peer: Peer, hashes: Sequence[Mapping[str, Any]]) -> tuple[Any, Any]:
    texts = [one[peer.key] for one in hashes]
    length = max((len(text) for text in texts if text), default=2)
    filled = [text or "0" * length for text in texts]
    bits = np.frombuffer(bytes.fromhex("".join(filled)), np.uint8).reshape(len(texts), -1)
    return bits, np.array([text is not None for text in texts], np.bool_)


@cache
def _open_server(python: str) -> subprocess.Popen[str]:
    """A process of the other Python, which ends with this one: its input is closed then."""
    return subprocess.Popen(
        [python, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=sys.stderr,
        text=True,
    )


def _ask(python: str, data: bytes) -> Mapping[str, str | None]:
    server = _open_server(python)
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(base64.b64encode(data).decode() + "\n")
    server.stdin.flush()
    answer: dict[str, str | None] = json.loads(server.stdout.readline())
    return answer
