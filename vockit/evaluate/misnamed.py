"""Files that are called almost as results, which would be passed over without a word."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from vockit.foreign.tree_files import is_apple_double

from .errors import EvaluateError

_FOLDERS = {"cls": "Main", "det": "Main", "layout": "Layout", "action": "Action"}
_FILE = re.compile(
    r"(?:.*/)?((?:comp\d+)_(cls|det|layout|action)_)([^/]+)(\.(?:txt|xml))", re.IGNORECASE
)
_MASK = re.compile(
    r"(?:.*/)?(segmentation/comp\d+_)([^/]+)_cls/((?:[^/]+/)?[^/]+)\.png", re.IGNORECASE
)


def suggest_name(name: str) -> str | None:
    """The name that results of this file's kind have; None for a file of no kind of results."""
    if match := _FILE.fullmatch(name):
        folder = _FOLDERS[match[2].lower()]
        return f"{folder}/{match[1].lower()}{match[3]}{match[4].lower()}"
    if match := _MASK.fullmatch(name):
        return f"{match[1].capitalize()}{match[2]}_cls/{match[3]}.png"
    return None


def refuse_misnamed_in(folder: Path) -> None:
    """Raise EvaluateError where a folder of results has such a file, in itself or one below.

    Masks lie deeper.
    """
    places = [path for path in folder.glob("*") if path.name.lower() == "segmentation"]
    masks = (path for place in places for path in place.rglob("*"))
    paths = sorted({*folder.glob("*"), *folder.glob("*/*"), *masks})
    names = (path.relative_to(folder).as_posix() for path in paths)
    refuse_misnamed(folder, (name for name in names if not is_apple_double(name)))


def refuse_misnamed(results: Path, names: Iterable[str]) -> None:
    """Raise EvaluateError where one of the names, none of which is read, is almost one of results.

    An entry without these files would be scored as if they had never been made.
    """
    suggested = [(name, suggest_name(name)) for name in names]
    misnamed = [(name, expected) for name, expected in suggested if expected not in (None, name)]
    if misnamed:
        name, expected = misnamed[0]
        more = f" (and {len(misnamed) - 1:,} more)" if len(misnamed) > 1 else ""
        raise EvaluateError(
            f"{results} holds {name[:100]!r}{more}, which is not read under this name; expected "
            f"{str(expected)[:100]!r}, small and capital letters counting. Rename it, or "
            "remove what is not to be scored."
        )
