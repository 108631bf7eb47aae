"""The class names of a dataset and the party's, as a command or a file gives them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from .dataset_image import ImportDatasetError


def read_words(pairs: Iterable[str], file: Path | None) -> dict[str, str]:
    """Theirs to ours; what the command says comes before the file. Raises ImportDatasetError."""
    words: dict[str, str] = {}
    if file is not None:
        try:
            lines = file.read_text("utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise ImportDatasetError(f"{file} cannot be read as text: {error}.") from error
        for number, line in enumerate(lines, start=1):
            if line.strip() and not line.lstrip().startswith("#"):
                words |= _read_pair(line, f"{file}, line {number}")
    for pair in pairs:
        words |= _read_pair(pair, "--map")
    return words


def _read_pair(text: str, place: str) -> dict[str, str]:
    """One pair; a class name of theirs may hold =."""
    theirs, sign, ours = text.rpartition("=")
    if not sign or not theirs.strip():
        raise ImportDatasetError(f"{place}: expected THEIRS=OURS, got {text.strip()[:100]!r}.")
    return {theirs.strip(): ours.strip()}
