"""The manifest of a release's folder: release.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from vockit.errors import TreeNotFoundError

from .tree_files import read_bytes

MANIFEST = "release.json"


def read_asked(folder: Path) -> dict[str, frozenset[str]]:
    """By image the classes that the release says it was asked about, where not all were.

    Empty where the folder has no manifest.
    """
    data = read_bytes(folder / MANIFEST)
    if isinstance(data, str) or b'"asked"' not in data:  # most releases need not be parsed
        return {}
    try:
        images = read_manifest(folder)["images"]
    except TreeNotFoundError:
        return {}
    return {
        str(image.get("id")): frozenset(map(str, image["asked"]))
        for image in images
        if isinstance(image, dict) and isinstance(image.get("asked"), list)
    }


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a release's folder; raises TreeNotFoundError where there is none."""
    try:
        document = json.loads(read_bytes(folder / MANIFEST))  # or of a sentence, which is no JSON
    except ValueError as error:
        raise TreeNotFoundError(
            f"{folder} has no {MANIFEST} that can be read; name a folder that `vocparty export` "
            "wrote."
        ) from error
    if not isinstance(document, dict) or not isinstance(document.get("images"), list):
        raise TreeNotFoundError(f"{folder / MANIFEST} is not what `vocparty export` writes.")
    return document
