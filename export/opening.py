"""Whether an opened release is what its blind one promised."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from .blind import seal
from .errors import TreeNotFoundError
from .jpeg import JpegError
from .strip_jpeg import strip_jpeg
from .verify.check import TreeReport
from .verify.violations import Violation
from .voc import tree

MANIFEST = "release.json"


def check_opening(opened: Path, blind: Path) -> TreeReport:
    """The opened release held against the seals and the pictures of the blind one.

    Both are folders as `vocparty export` wrote them. Raises TreeNotFoundError where one is not.
    """
    promised, told = _read(blind), _read(opened)
    salt = told.get("blind", {}).get("salt")
    if salt is None or promised.get("blind", {}).get("is_open", True):
        raise TreeNotFoundError(
            f"{opened} is no opened release, or {blind} no blind one; write them with "
            "`vocparty export --open` and `vocparty export --blind`."
        )
    withdrawn = set(told["withdrawn"])
    sealed = {it["id"]: it["seal"] for it in promised["images"] if "seal" in it}
    violations = [
        violation
        for image_id, expected in sorted(sealed.items())
        if image_id not in withdrawn
        for violation in _check(
            _root(opened, told), _root(blind, promised), image_id, expected, salt
        )
    ]
    objects = sum(len(it["objects"]) for it in told["images"] if it["id"] in sealed)
    return TreeReport(blind, len(sealed), objects, tuple(violations))


def _check(
    opened: Path, blind: Path, image_id: str, expected: str, salt: str
) -> Iterator[Violation]:
    path = opened / tree.annotation_path(image_id)
    data = path.read_bytes() if path.is_file() else b""
    if seal(salt, image_id, data) != expected:
        message = f"expected the annotation that the blind release sealed as {expected}"
        yield Violation(str(path), 1, "seal", message)
    pictures = [root / tree.jpeg_path(image_id) for root in (opened, blind)]
    if _strip(pictures[0]) != _strip(pictures[1]):
        message = f"expected the picture of {pictures[1]}"
        yield Violation(str(pictures[0]), 1, "seal-picture", message)


def _strip(path: Path) -> bytes | None:
    try:
        return strip_jpeg(path.read_bytes())
    except (OSError, JpegError):
        return None


def _read(folder: Path) -> Mapping[str, Any]:
    try:
        found = json.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError) as error:
        raise TreeNotFoundError(
            f"{folder} has no {MANIFEST} that can be read; name a folder that `vocparty export` "
            "wrote."
        ) from error
    if not isinstance(found, dict) or not isinstance(found.get("images"), list):
        raise TreeNotFoundError(f"{folder / MANIFEST} is not what `vocparty export` writes.")
    return found


def _root(folder: Path, manifest: Mapping[str, Any]) -> Path:
    return folder / tree.DEVKIT / f"VOC{manifest['year']}"
