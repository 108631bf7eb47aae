"""The statistics of all finished work, counted when asked for and kept for some minutes.

They read every object and take seconds on a large party, so each serving process keeps its last
count, and pages say when it was made.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flask import current_app

from annotate_ui.visit import Visit
from qa.statistic_images import load_finished
from qa.statistics import (
    Statistics,
    draw_picture,
    format_all_csv,
    format_all_latex,
    format_all_text,
    format_document,
    take_statistics,
)

KEPT_SECS = 600
_NAME = "vocparty statistics"


@dataclass(frozen=True)
class Counted:
    """Statistics and the moment at which they were true."""

    statistics: Statistics
    images: int
    counted_at: datetime
    classes_number: int
    pictures: dict[str, bytes] = field(default_factory=dict)

    def picture(self, name: str) -> bytes:
        """One of the pictures, drawn once."""
        if name not in self.pictures:
            self.pictures[name] = draw_picture(self.statistics, name)
        return self.pictures[name]


@dataclass(frozen=True)
class TableForm:
    """A way to write the tables down."""

    title: str
    mimetype: str
    format: Callable[[Statistics], str]


TABLE_FORMS = {
    "txt": TableForm("text", "text/plain", format_all_text),
    "csv": TableForm("CSV", "text/csv", lambda of: "\n".join(format_all_csv(of).values())),
    "tex": TableForm("LaTeX", "text/plain", lambda of: "\n".join(format_all_latex(of).values())),
    "json": TableForm(
        "JSON",
        "application/json",
        lambda of: json.dumps(format_document(of), indent=2, ensure_ascii=False),
    ),
}


def load_counted(visit: Visit, *, is_fresh: bool = False) -> Counted:
    """The last count, at most KEPT_SECS old; a new one where it is older or shall be fresh."""
    kept: Counted | None = current_app.extensions.get(_NAME)
    is_new = kept and visit.at - kept.counted_at < timedelta(seconds=KEPT_SECS)
    if kept and is_new and not is_fresh and kept.classes_number == visit.party.classes_number:
        return kept
    images = load_finished(visit.session)
    statistics = take_statistics(images, visit.party.preset, of=visit.party.settings.name)
    counted = Counted(statistics, len(images), visit.at, visit.party.classes_number)
    current_app.extensions[_NAME] = counted
    return counted
