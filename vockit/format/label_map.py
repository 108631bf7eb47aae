"""labelmap.txt: the classes of a tree in label order, as CVAT and datumaro write it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .text import decode_text

BACKGROUND = "background"


def parse_label_map(data: bytes) -> dict[str, tuple[str, ...]]:
    """The classes in label order, each with its actions; raises NotTextError.

    A line is `class:colour:parts:actions`; the background, which is label 0, is left out.
    """
    actions_of = {row[0].strip(): tuple(filter(None, row[-1].split(","))) for row in _split(data)}
    return {name: actions for name, actions in actions_of.items() if name not in ("", BACKGROUND)}


def find_renumbering(data: bytes) -> NDArray[np.uint8] | None:
    """By each number of a mask the label of parse_label_map; None where these are the same.

    The line of a name is its number in masks, from 0, and older writers have the background on a
    later line. Raises NotTextError.
    """
    names = list(dict.fromkeys(row[0].strip() for row in _split(data)))
    if BACKGROUND not in names or names[0] == BACKGROUND:
        return None
    classes = [BACKGROUND, *(name for name in names if name != BACKGROUND)]
    labels = np.arange(256, dtype=np.uint8)
    labels[: len(names)] = [classes.index(name) for name in names]
    return labels


def _split(data: bytes) -> list[list[str]]:
    """The fields of each line that is no comment."""
    lines = (line.strip() for line in decode_text(data).split("\n"))
    return [line.split(":") for line in lines if line and not line.startswith("#")]
