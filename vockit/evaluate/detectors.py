"""Detectors whose suggestions became objects of a test set: entries of them are marked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from vockit.errors import TreeNotFoundError
from vockit.foreign.manifest import read_manifest
from vockit.format.image_sets import TESTS

from .truth import Truth

MODEL_FILE = "model.txt"
"""In a folder of results: what its detector is called, and the digest of its file."""
_DIGEST_LENGTH = 12
_LEAST_LETTERS = 3


def note_detectors(truth: Truth, name: str, results: Path) -> Iterator[str]:
    """A note for each detector that suggested objects of the test set and that the entry is of.

    It is of a detector whose model, or the beginning of whose digest, stands in its name or in
    model.txt in its folder. A detector that ran several times has one note.
    """
    if truth.image_set not in TESTS:
        return
    texts = [name, _read_model(results)]
    yield from dict.fromkeys(_note_each(texts, truth))


def _note_each(texts: Sequence[str], truth: Truth) -> Iterator[str]:
    for detector in _list_detectors(truth.root.resolve().parent.parent):
        model = str(detector.get("model", ""))
        digest = str(detector.get("sha256", ""))
        if any(_names(text, model, digest) for text in texts):
            version = detector.get("version", "")
            yield (
                f"This entry is of {model} {version} (digest {digest[:_DIGEST_LENGTH]}), whose "
                f"suggestions became objects of {truth.image_set}: its results may look better "
                "than they are."
            )


def _names(text: str, model: str, digest: str) -> bool:
    """Whether a text has the name of a model or the beginning of its digest."""
    letters = _keep_letters(model)
    is_named = len(letters) >= _LEAST_LETTERS and letters in _keep_letters(text)
    start = digest[:_DIGEST_LENGTH]
    return is_named or (len(start) == _DIGEST_LENGTH and start in text.lower())


def _keep_letters(text: str) -> str:
    """The letters and digits of a text, large and small ones alike."""
    return re.sub(r"[\W_]", "", text.casefold())


def _read_model(results: Path) -> str:
    path = results / MODEL_FILE
    return path.read_text("utf-8", "replace") if path.is_file() else ""


def _list_detectors(folder: Path) -> list[Mapping[str, Any]]:
    """Those that release.json names for the test sets; none where there is no such file."""
    try:
        about = read_manifest(folder).get("suggestions")
    except TreeNotFoundError:
        return []
    if not isinstance(about, dict):
        return []
    of_tests = about.get("sets_of_tests", [])
    return [detector for detector in about.get("sets", []) if detector.get("id") in of_tests]
