"""Blind test sets: names, sizes and times that tell nothing of what is held back.

The seals on the annotation are in vockit/verify/seals.py, since anyone may check them.
"""

from __future__ import annotations

import hmac

BLOCK_BYTES = 65_536
"""Blind pictures are padded to a multiple of this size."""
MOMENT_SECS = 946_684_800.0
"""What the files of a blind release have as their time: the beginning of 2000, UTC."""


def shuffle_key(salt: str, sha256: str) -> bytes:
    """Sorts images into an order that only the salt gives."""
    return hmac.digest(bytes.fromhex(salt), sha256.encode(), "sha256")
