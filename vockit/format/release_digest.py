"""What tells two releases of one name apart: a digest of their lists of images."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from . import tree
from .image_sets import SETS
from .text import split_mark


def find_release_digest(root: Path) -> str:
    """The SHA-256 of the tree's name and of the images that Main lists, set by set.

    A blind release and the one that opens it have the same; line ends and blanks do not count.
    """
    paths = {name: root / tree.set_path(tree.MAIN, name) for name in SETS}
    words_of = {
        name: split_mark(path.read_bytes())[0].split()
        for name, path in paths.items()
        if path.is_file()
    }
    return digest_lists(root.resolve().name, words_of)


def digest_lists(name: str, words_of: Mapping[str, Sequence[bytes]]) -> str:
    """The same of the words of each list that there is, by set."""
    digest = hashlib.sha256(f"{name}\n".encode())
    for image_set in SETS:
        if image_set in words_of:
            digest.update(b" ".join([image_set.encode(), *words_of[image_set]]) + b"\n")
    return digest.hexdigest()
