"""What the datasheet says of drawn masks: seconds and inputs an object, and agreement by class."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from statistics import median

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.states import Verdict
from catalog.tables import SegmentationReview, SegmentChoice
from export.plan import ReleasePlan
from export.recipe import Facts
from export.rows import iterate_rows

_ROUNDS = 2_000
"""Of the bootstrap."""
ALL = "all classes"


def load_drawn_facts(session: Session, plan: ReleasePlan, void_width_px: int) -> Facts:
    """The figures of the drawings whose masks the release shows; medians are of their objects."""
    ids = {(it.form and it.form.segmentation_id) or 0 for it in plan.masked}
    efforts = [
        it for key in ids & plan.drawings.keys() for it in plan.drawings[key].efforts.values()
    ]
    facts: Facts = {"void_width_px": void_width_px, "objects": len(efforts)}
    if efforts:
        facts["median_secs"] = round(median(secs for secs, _ in efforts), 1)
        facts["median_inputs"] = round(median(inputs for _, inputs in efforts), 1)
    judged = select(SegmentationReview.inputs).where(SegmentationReview.verdict == Verdict.ACCEPT)
    found = [
        it.inputs for it in iterate_rows(session, judged, SegmentationReview.segmentation_id, ids)
    ]
    facts["median_check_inputs"] = median(found) if found else None
    return facts | {"agreement": _load_agreement(session, plan)}


def _load_agreement(session: Session, plan: ReleasePlan) -> dict[str, list[float | None]]:
    rows = {it.row.id: it.row for it in plan.masked}
    columns = select(SegmentChoice.image_id, SegmentChoice.agreement)
    found = defaultdict[str, dict[int, list[float]]](lambda: defaultdict(list))
    for image_id, overlaps in iterate_rows(session, columns, SegmentChoice.image_id, rows):
        for item in rows[image_id].objects:
            if (overlap := (overlaps or {}).get(item.key)) is not None:
                found[item.class_name][image_id].append(overlap)
                found[ALL][image_id].append(overlap)
    names = [name for name in (*plan.recipe.classes, ALL) if name in found]
    return {name: estimate_mean(found[name].values()) for name in names}


def estimate_mean(by_image: Collection[Sequence[float]]) -> list[float | None]:
    """The mean of all values, an interval of 95 % over resampled images, and their number."""
    sums = np.array([(sum(it), len(it)) for it in by_image])
    total, number = sums.sum(axis=0)
    ends: list[float | None] = [None, None]
    if len(sums) > 1:
        rng = np.random.default_rng(0)
        totals = sums[rng.integers(len(sums), size=(_ROUNDS, len(sums)))].sum(axis=1)
        low, high = np.quantile(totals[:, 0] / totals[:, 1], [0.025, 0.975]).tolist()
        ends = [round(low, 3), round(high, 3)]
    return [round(float(total / number), 3), *ends, int(number)]
