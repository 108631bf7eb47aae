"""labelmap.txt: the classes of a tree in label order, as CVAT and datumaro write it."""

from __future__ import annotations

from .text import decode_text

BACKGROUND = "background"


def parse_label_map(data: bytes) -> dict[str, tuple[str, ...]]:
    """The classes in label order, each with its actions; raises NotTextError.

    A line is `class:colour:parts:actions`; the background, which is label 0, is left out.
    """
    lines = (line.strip() for line in decode_text(data).split("\n"))
    rows = [line.split(":") for line in lines if line and not line.startswith("#")]
    actions_of = {row[0].strip(): tuple(filter(None, row[-1].split(","))) for row in rows}
    return {name: actions for name, actions in actions_of.items() if name not in ("", BACKGROUND)}
