"""What may have changed since a page was opened; it comes with the next image and the heartbeat."""

from __future__ import annotations

from typing import Any

from sqlalchemy import func, select

from catalog.tables import LiveSetting

from .guidelines import NAME as GUIDELINES
from .queue_plan import load_plan
from .visit import Visit


def format_live(visit: Visit) -> dict[str, Any]:
    """Which classes are wanted (none: all of them) and which version the guidelines have."""
    newest = select(func.max(LiveSetting.number)).where(LiveSetting.name == GUIDELINES)
    return {
        "wanted_classes": list(load_plan(visit.session).wanted_classes),
        "guidelines_number": visit.session.scalar(newest) or 0,
    }
