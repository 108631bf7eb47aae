"""Blind test sets: names that tell nothing, and seals on the annotation that is held back.

A seal is a digest over a secret salt and a hidden file. When the makers publish both later, anyone
can check that nothing was changed.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import TreeNotFoundError
from .verify.trees import read_bytes

MANIFEST = "release.json"

BLOCK_BYTES = 65_536
"""Blind pictures are padded to a multiple of this size."""
MOMENT_SECS = 946_684_800.0
"""What the files of a blind release have as their time: the beginning of 2000, UTC."""


def shuffle_key(salt: str, sha256: str) -> bytes:
    """Sorts images into an order that only the salt gives."""
    return hmac.digest(bytes.fromhex(salt), sha256.encode(), "sha256")


def seal(salt: str, public_id: str, annotation: bytes, masks: Mapping[str, str]) -> str:
    """The salted digest (HMAC-SHA-256) of an annotation file and the digests of its masks."""
    sealed = f"{public_id}\n".encode() + annotation + join_digests(masks)
    return hmac.digest(bytes.fromhex(salt), sealed, "sha256").hex()


def join_digests(digests: Mapping[str, str]) -> bytes:
    """A line for each name and its digest, as they are sealed."""
    return "".join(f"{name} {digest}\n" for name, digest in sorted(digests.items())).encode()


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a release's folder; raises TreeNotFoundError where there is none."""
    try:
        found = json.loads(read_bytes(folder / MANIFEST))  # or of a sentence, which is no JSON
    except ValueError as error:
        raise TreeNotFoundError(
            f"{folder} has no {MANIFEST} that can be read; name a folder that `vocparty export` "
            "wrote."
        ) from error
    if not isinstance(found, dict) or not isinstance(found.get("images"), list):
        raise TreeNotFoundError(f"{folder / MANIFEST} is not what `vocparty export` writes.")
    return found
