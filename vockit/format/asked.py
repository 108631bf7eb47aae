"""What was asked of the images of a set: the class lists of Main name the images of each class."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from . import tree
from .text import split_mark

_LABELS = frozenset({"1", "0", "-1"})
_FIRST_WORD = re.compile(r"^[^\S\n]*(\S+)", re.MULTILINE)


def find_unasked(root: Path, image_set: str) -> dict[str, frozenset[str]]:
    """By class the images of a set in Main that the list of the class lacks, if any.

    Nobody was asked whether these show the class. A class without a list was asked of every image,
    and without `<set>.txt` the set is what all class lists name. Raises OSError.
    """
    named = {
        word: _list_ids(root / tree.MAIN / name, has_labels=True)
        for word, name in _list_files(root, image_set)
    }
    path = root / tree.set_path(tree.MAIN, image_set)
    images = _list_ids(path) if path.is_file() else frozenset().union(*named.values())
    unasked = {word: images - ids for word, ids in named.items()}
    return {word: ids for word, ids in unasked.items() if ids}


def _list_ids(path: Path, *, has_labels: bool = False) -> frozenset[str]:
    """The first word of each line of a list; raises OSError."""
    data, encoding, _ = split_mark(path.read_bytes())
    text = data.decode(encoding, "replace")
    words = text.split()
    if has_labels and len(words) % 2 == 0 and _LABELS.issuperset(words[1::2]):  # in half the time
        return frozenset(words[::2])
    return frozenset(_FIRST_WORD.findall(text))


def _list_files(root: Path, image_set: str) -> Iterable[tuple[str, str]]:
    """Each class that has a list of the set in Main, with the name of the file."""
    ending = f"_{image_set}.txt"
    for path in sorted((root / tree.MAIN).glob(f"*{ending}")):
        word = path.name.removesuffix(ending)
        if word and not word.startswith("._") and path.is_file():
            yield word, path.name
