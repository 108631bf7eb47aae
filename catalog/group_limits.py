"""What the classes and groups of a party cost, and what they are too many for."""

from __future__ import annotations

from collections.abc import Sequence

from vockit.errors import SettingsError

from .hierarchy import Node
from .preset import ClassSpec, Preset
from .states import NodeKind

MOST_SEGMENTED = 254
"""A class mask is an 8-bit palette, in which 0 is the background and 255 is void."""


def describe_too_many(preset: Preset) -> str | None:
    """Why a party has no masks: it has more classes than a mask has colours; else None."""
    if len(preset.classes) <= MOST_SEGMENTED:
        return None
    return (
        f"the preset has {len(preset.classes):,} classes, and the palette of a class mask "
        f"has room for {MOST_SEGMENTED}"
    )


def refuse_masks(preset: Preset) -> None:
    """Raise SettingsError where a party has more classes than a mask has colours."""
    if reason := describe_too_many(preset):
        raise SettingsError(
            f"{reason[0].upper()}{reason[1:]}. Segment in a party with fewer classes."
        )


def list_warnings(preset: Preset) -> list[str]:
    """A sentence for each thing in the hierarchy that costs answers."""
    hierarchy = preset.hierarchy
    lines = list[str]()
    for group in preset.groups:
        children = hierarchy.children[Node(NodeKind.GROUP, group.key)]
        if len(children) == 1:
            lines.append(
                f"{group.display} has one child alone, {children[0].key}; its question says "
                "nothing that the child's would not."
            )
    if preset.groups:
        alone = [item.display for item in preset.classes if not item.parents]
        lines += [_describe_alone(alone)] if alone else []
    return lines


def _describe_alone(displays: Sequence[str]) -> str:
    shown = ", ".join(displays[:5]) + (" and more" if len(displays) > 5 else "")
    count = len(displays)
    if count == 1:
        return f"{shown} is in no group, so it is asked of every image."
    return f"{count:,} classes are in no group, so they are asked of every image: {shown}."


def list_path(preset: Preset, item: ClassSpec) -> tuple[str, ...]:
    """The displays of the groups above a class, the outermost first; of several its first."""
    groups = preset.groups_of_ids
    path = list[str]()
    parents = item.parents
    while parents and parents[0] in groups:
        group = groups[parents[0]]
        path.insert(0, group.display)
        parents = group.parents
    return tuple(path)
