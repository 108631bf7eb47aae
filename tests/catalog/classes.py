"""A preset with a few classes, and the row of a change of words."""

from __future__ import annotations

from datetime import UTC, datetime

from catalog.preset import AnnotationStyle, ClassSpec, DiscardReason, Preset
from catalog.states import WordKind
from catalog.tables import WordChange

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def preset_of(**names: str) -> Preset:
    """The preset whose file has these names of classes by their keys; each is its own query."""
    return Preset(
        name="zoo",
        title="Zoo",
        style=next(iter(AnnotationStyle)),
        year=2026,
        classes=tuple(ClassSpec(name, key=key) for key, name in names.items()),
        discard_reasons=(DiscardReason("none", "None", "Not one."),),
    )


def change(what: str, key: str, **to: str) -> WordChange:
    """The row of a change; `to` has the new names by their keys."""
    return WordChange(
        kind=WordKind.CLASS,
        what=what,
        key=key,
        old_name=key,
        to_keys=list(to),
        new_names=list(to.values()),
        objects=0,
        made_by="host",
        made_at=NOW,
    )
