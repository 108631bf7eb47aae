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

from catalog.image_store import digest_of
from voc import tree
from voc.jpeg import JpegError, strip_jpeg
from voc.shortage import refuse_shortage

from .errors import TreeNotFoundError
from .verify.check import TreeReport
from .verify.trees import MASK_FOLDERS, Violation, read_bytes

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


def check_opening(opened: Path, blind: Path) -> TreeReport:
    """The opened release held against the blind one's seals and pictures; TreeNotFoundError."""
    promised, shown = read_manifest(blind), read_manifest(opened)
    salt = shown.get("blind", {}).get("salt")
    if salt is None or promised.get("blind", {}).get("is_open", True):
        raise TreeNotFoundError(
            f"{opened} is no opened release, or {blind} no blind one; write them with "
            "`vocparty export --open` and `vocparty export --blind`."
        )
    roots = [
        folder / tree.DEVKIT / f"VOC{manifest['year']}"
        for folder, manifest in ((opened, shown), (blind, promised))
    ]
    sealed = {it["id"]: it["seal"] for it in promised["images"] if "seal" in it}
    violations = list[Violation]()
    for image_id, expected in sorted(sealed.items()):
        if image_id in shown["withdrawn"]:
            continue
        path = roots[0] / tree.annotation_path(image_id)
        data = path.read_bytes() if path.is_file() else b""
        files = {it: roots[0] / tree.mask_path(it, image_id) for it in MASK_FOLDERS}
        masks = {it: digest_of(file.read_bytes()) for it, file in files.items() if file.is_file()}
        if seal(salt, image_id, data, masks) != expected:
            message = "expected the annotation and masks that the blind release sealed as "
            violations.append(Violation(str(path), 1, "seal", message + expected))
        pictures = [root / tree.jpeg_path(image_id) for root in roots]
        stripped = set[bytes | None]()
        for picture in pictures:
            try:
                stripped.add(strip_jpeg(picture.read_bytes()))
            except (OSError, JpegError) as error:
                refuse_shortage(error)
                stripped.add(None)
        if len(stripped) > 1:
            message = f"expected the picture of {pictures[1]}"
            violations.append(Violation(str(pictures[0]), 1, "seal-picture", message))
    objects = sum(len(it["objects"]) for it in shown["images"] if it["id"] in sealed)
    return TreeReport(blind, len(sealed), objects, tuple(violations))


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
