"""Blind test sets: names that tell nothing, and a promise of the annotation that is held back.

The promise is a digest over a secret salt and the hidden files; who publishes the digest with the
images can later open it, and cannot have changed the annotation in between.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping

BLOCK_BYTES = 65_536
"""Blind pictures are filled up to whole blocks of so many bytes."""
MOMENT_SECS = 946_684_800.0
"""What the files of a blind release have as their time: the beginning of 2000, UTC."""


def make_salt() -> str:
    """A new secret, as hexadecimal digits."""
    return secrets.token_hex(32)


def shuffle_key(salt: str, sha256: str) -> bytes:
    """Sorts images into an order that nobody can know who lacks the salt."""
    return hmac.digest(bytes.fromhex(salt), sha256.encode(), "sha256")


def seal(salt: str, public_id: str, annotation: bytes) -> str:
    """The salted digest (HMAC-SHA-256) of an annotation file that is held back."""
    return hmac.digest(bytes.fromhex(salt), f"{public_id}\n".encode() + annotation, "sha256").hex()


def seal_all(seals: Mapping[str, str]) -> str:
    """One digest of the seals of all images, by their public ids."""
    lines = "".join(f"{public_id} {found}\n" for public_id, found in sorted(seals.items()))
    return hashlib.sha256(lines.encode()).hexdigest()
