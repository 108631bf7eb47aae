"""The class names of a dataset and the party's, as a command or a file gives them."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path

from catalog.party import Party

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


def settle_words(
    party: Party, counts: Mapping[str, int], words: Mapping[str, str]
) -> dict[str, str | None]:
    """The party's class for each of the dataset's, None for those that are mapped to nothing.

    ImportDatasetError names all that have none; `counts` has the objects of each.
    """
    refuse_unknown_targets(party, words)
    classes: dict[str, str | None] = {}
    unknown: dict[str, int] = {}
    for word, count in sorted(counts.items()):
        wanted = words.get(word, word)
        spec = party.find_class(wanted) if wanted else None
        classes[word] = spec.name if spec else None
        if wanted and spec is None:
            unknown[word] = count
    if unknown:
        listed = ", ".join(f"{word} ({count})" for word, count in unknown.items())
        raise ImportDatasetError(
            f"The preset {party.preset.name} does not know these classes of the dataset: {listed}. "
            f"{suggest_map(party, unknown)}"
        )
    return classes


def list_searched(
    party: Party, searched: Iterable[str], words: Mapping[str, str]
) -> tuple[str, ...]:
    """Of the classes that a dataset's images were searched for the party's, in its order."""
    specs = [party.find_class(words.get(word, word)) for word in searched]
    names = {spec.name for spec in specs if spec is not None}
    return tuple(name for name in party.preset.class_names if name in names)


def refuse_unknown_targets(party: Party, words: Mapping[str, str]) -> None:
    """Raise ImportDatasetError where a class to which words are mapped is none of the party."""
    wrong = sorted({ours for ours in words.values() if ours and party.find_class(ours) is None})
    if wrong:
        raise ImportDatasetError(
            f"The preset {party.preset.name} has no class {', '.join(wrong)}, to which --map leads;"
            f" it has: {', '.join(party.preset.class_names)}."
        )


def suggest_map(party: Party, unknown: Iterable[str]) -> str:
    """What to do about unknown classes, with the options to paste."""
    names = {name.casefold(): name for name in party.preset.class_names}
    pairs = (f"{word}={names.get(word.casefold(), '')}" for word in unknown)
    line = " ".join(f"--map {shlex.quote(pair)}" for pair in pairs)
    return (
        f"Write the party's class behind each =; a class with nothing behind it is left out: {line}"
    )


def _read_pair(text: str, place: str) -> dict[str, str]:
    """One pair; a class name of theirs may hold =."""
    theirs, sign, ours = text.rpartition("=")
    if not sign or not theirs.strip():
        raise ImportDatasetError(f"{place}: expected THEIRS=OURS, got {text.strip()[:100]!r}.")
    return {theirs.strip(): ours.strip()}
