"""Answers to what lost against another save; it is kept, so they are no errors that undo."""

from __future__ import annotations

from flask.typing import ResponseReturnValue

from annotate_ui.answers import Json, format_revision
from annotate_ui.live_settings import SettingStaleError
from annotate_ui.revision_rows import load_head
from annotate_ui.revisions import Kept
from annotate_ui.visit import Visit

_MESSAGES = {
    "stale": "The image was saved in between; what you sent is kept beside the newer revision.",
    "lease_lost": "You no longer hold this image; what you sent is kept beside.",
}


def format_conflict(visit: Visit, kept: Kept) -> ResponseReturnValue:
    """409 with the code, under which number the work is kept, and what is newer."""
    answer: Json = {
        "error": {"code": kept.code, "message": _MESSAGES[kept.code]},
        "kept_as": kept.annotation.id if kept.annotation else None,
    }
    if kept.code == "stale":
        head = load_head(visit.session, kept.image)
        answer["head"] = format_revision(head) if head else None
    return answer, 409


def format_stale_setting(error: SettingStaleError, head: Json) -> ResponseReturnValue:
    """409 with the version that holds."""
    return {"error": {"code": error.code, "message": str(error)}, "head": head}, error.status
