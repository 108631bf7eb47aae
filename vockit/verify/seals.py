"""Seals on the annotation that a blind release holds back.

A seal is a digest over a secret salt and a hidden file. When the makers publish both later, anyone
can check that nothing was changed.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping


def seal(salt: str, public_id: str, annotation: bytes, masks: Mapping[str, str]) -> str:
    """The salted digest (HMAC-SHA-256) of an annotation file and the digests of its masks."""
    sealed = f"{public_id}\n".encode() + annotation + join_digests(masks)
    return hmac.digest(bytes.fromhex(salt), sealed, "sha256").hex()


def join_digests(digests: Mapping[str, str]) -> bytes:
    """A line for each name and its digest, as they are sealed."""
    return "".join(f"{name} {digest}\n" for name, digest in sorted(digests.items())).encode()
