"""Which release a tree is, and which of its images were withdrawn since it was made."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vockit.errors import TreeNotFoundError
from vockit.format import tree
from vockit.format.release_digest import find_release_digest

from .manifest import read_manifest

RELEASE_FILE = "release.txt"
"""In a kit and in a folder of results: name and digest of the release, in a kit also which images
were withdrawn."""
_WITHDRAWN = "withdrawn"


@dataclass(frozen=True)
class Identity:
    """The digest of a release when it was made, which stays when images are withdrawn."""

    digest: str
    withdrawn: frozenset[str] = frozenset()


def identify(root: Path) -> Identity:
    """What the files next to the VOCdevkit folder say, else the digest of the tree's own lists."""
    devkit = root.resolve().parent
    said = None
    if devkit.name == tree.DEVKIT:
        name = root.resolve().name
        said = _read_manifest(devkit.parent, name) or _read_kit(devkit.parent, name)
    return said or Identity(find_release_digest(root))


def _read_manifest(folder: Path, name: str) -> Identity | None:
    try:
        manifest = read_manifest(folder)
    except TreeNotFoundError:
        return None
    digest = manifest.get("digest")
    withdrawn = manifest.get(_WITHDRAWN)
    is_of_tree = f"VOC{manifest.get('year')}" == name
    if not is_of_tree or not isinstance(digest, str) or not isinstance(withdrawn, list):
        return None
    return Identity(digest, frozenset(map(str, withdrawn)))


def _read_kit(folder: Path, name: str) -> Identity | None:
    path = folder / RELEASE_FILE
    lines = path.read_text("utf-8", "replace").splitlines() if path.is_file() else []
    words = [line.split() for line in lines]
    if not words or len(words[0]) != 2 or words[0][0] != name:
        return None
    gone = [word for line in words[1:] if line[:1] == [_WITHDRAWN] for word in line[1:]]
    return Identity(words[0][1], frozenset(gone))


def format_kit(name: str, identity: Identity) -> str:
    """The text of a kit's file, as `identify` reads it."""
    gone = " ".join([_WITHDRAWN, *sorted(identity.withdrawn)])
    return f"{name} {identity.digest}\n" + (f"{gone}\n" if identity.withdrawn else "")
