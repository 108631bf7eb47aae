"""Seals on annotations that a blind release holds back."""

from __future__ import annotations

import hashlib
import hmac

from vockit.verify.seals import join_digests, seal

SALT = "00ff" * 16
MASKS = {"SegmentationObject": "b" * 64, "SegmentationClass": "a" * 64}


def test_a_seal_is_the_documented_digest_of_id_annotation_and_masks() -> None:
    text = b"2026_000001\n<annotation/>"
    text += f"SegmentationClass {'a' * 64}\nSegmentationObject {'b' * 64}\n".encode()
    expected = hmac.new(bytes.fromhex(SALT), text, hashlib.sha256).hexdigest()
    assert seal(SALT, "2026_000001", b"<annotation/>", MASKS) == expected


def test_a_seal_changes_with_each_part_that_it_covers() -> None:
    parts = (SALT, "2026_000001", b"<annotation/>", MASKS)
    others: tuple[object, ...] = (SALT[::-1], "2026_000002", b"<annotation />", {})
    changed = [
        seal(*parts[:place], other, *parts[place + 1 :])  # type: ignore[arg-type, call-arg]
        for place, other in enumerate(others)
    ]
    assert len({seal(*parts), *changed}) == 5


def test_digests_are_joined_in_one_order() -> None:
    assert join_digests(dict(reversed(MASKS.items()))) == join_digests(MASKS)
    assert join_digests({}) == b""
