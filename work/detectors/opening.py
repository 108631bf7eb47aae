"""Opens a model: the kind that was named or the only one that its outputs fit, and its classes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

from vockit.errors import SettingsError
from vockit.format.plural import format_count

from .child import Child
from .errors import ModelError
from .finder import ModelFinder
from .kinds import KINDS, Kind, Layout
from .network import Outline

Choose = Callable[[Sequence[str]], str]
"""Asks a person for one of these kinds; raises SettingsError where nobody can be asked."""


def read_class_names(path: Path) -> list[str]:
    """The model's classes in the order of its labels, one a line; raises SettingsError."""
    try:
        names = [line.strip() for line in path.read_text("utf-8-sig").splitlines()]
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise SettingsError(f"{path} cannot be read: {reason}.") from error
    while names and not names[-1]:
        names.pop()
    if not names:
        raise SettingsError(f"{path} names no class; write one on each line, in the model's order.")
    return names


def find_digest(path: Path) -> str:
    """The SHA-256 of a model's file; raises ModelError."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror or error}.") from error


def open_finder(
    child: Child, path: Path, classes: Sequence[str], kind_name: str | None, choose: Choose
) -> ModelFinder:
    """The model in its running process; raises ModelError and SettingsError."""
    outline = child.read_outline()
    layout = Layout(outline.shapes, len(classes), outline.size_wh)
    kind = choose_kind(path.name, outline, layout, kind_name, choose)
    return ModelFinder(child, kind, layout, classes)


def choose_kind(
    file_name: str, outline: Outline, layout: Layout, kind_name: str | None, choose: Choose
) -> Kind:
    """The kind of that name if the outputs are of it; without a name the only one that fits."""
    fitting = [kind.name for kind in KINDS.values() if kind.fits(layout)]
    gives = f"{file_name} gives {outline}, of {format_count(layout.classes, 'class', 'classes')}"
    others = f"; it could be {' or '.join(fitting)}" if fitting else ""
    if kind_name is not None:
        if kind_name in fitting:
            return KINDS[kind_name]
        wanted = KINDS[kind_name].outputs
        raise ModelError(f"{gives}, which is not {wanted} of {kind_name}{others}.")
    if not fitting:
        known = "; ".join(f"{kind.name} {kind.outputs}" for kind in KINDS.values())
        raise ModelError(f"{gives}, which is of no kind that vocparty runs: {known}.")
    return KINDS[fitting[0] if len(fitting) == 1 else choose(fitting)]
