"""A release in one call, and what verify says of a folder."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from catalog.party import Party
from export.plan import ReleasePlan
from export.planning import plan_release
from export.release import write_release
from export.verify.check import check_folder
from export.verify.trees import Violation


def export_release(
    party: Party, target: Path, *, year: int | None, at: datetime, **wanted: Any
) -> ReleasePlan:
    plan = plan_release(party, year=year, **wanted)
    write_release(party, plan, target, at=at)
    return plan


def verify_tree(folder: Path) -> list[Violation]:
    return [violation for report in check_folder(folder) for violation in report.violations]
