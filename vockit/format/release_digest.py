"""What tells two releases of one name apart: a digest of their lists of images."""

from __future__ import annotations

import hashlib
from pathlib import Path

from . import tree
from .image_sets import SETS
from .text import split_mark


def find_release_digest(root: Path) -> str:
    """The SHA-256 of the tree's name and of the images that Main lists, set by set.

    A blind release and the one that opens it have the same; line ends and blanks do not count.
    """
    digest = hashlib.sha256(f"{root.resolve().name}\n".encode())
    for image_set in SETS:
        path = root / tree.set_path(tree.MAIN, image_set)
        if path.is_file():
            words = split_mark(path.read_bytes())[0].split()
            digest.update(b" ".join([image_set.encode(), *words]) + b"\n")
    return digest.hexdigest()
