"""The forms of files, one value for all files that were written alike."""

from __future__ import annotations

from collections.abc import Hashable

from catalog.preset import AnnotationStyle
from export.form import FileForm, make_form
from export.voc.records import VocImage

MOST_FORMS = 1_000
"""In the release of 2007 each owner makes another one."""


class Forms:
    """Forms that were made before, found again by what decides them."""

    def __init__(self) -> None:
        self._known: dict[Hashable, FileForm] = {}

    def make(self, record: VocImage, style: AnnotationStyle) -> FileForm:
        """The form of a file that says what the record says, in no set."""
        key = _find_key(record, style)
        form = self._known.get(key)
        if form is None:
            if len(self._known) == MOST_FORMS:
                self._known.clear()
            form = self._known[key] = make_form(record, style, {})
        return form


def _find_key(record: VocImage, style: AnnotationStyle) -> Hashable:
    """Equal where `make_form` gives equal forms."""
    objects = record.objects
    lacks = [
        (it.pose is None, it.truncated is None, it.occluded is None, it.difficult is None)
        for it in objects
    ]
    actions = objects[0].actions if objects else None
    return (
        style,
        record.folder,
        record.source,
        record.owner,
        record.segmented,
        lacks[0] if len(set(lacks)) == 1 else tuple(lacks),
        None if actions is None else tuple([action.name for action in actions]),
        any(it.point is not None for it in objects),
    )
