"""Blind test sets: names that tell nothing, and seals on the annotation that is held back.

A seal is a digest over a secret salt and a hidden file. When the makers publish both later, anyone
can check that nothing was changed.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping

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
