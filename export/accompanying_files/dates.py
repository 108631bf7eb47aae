"""When a release's photographs are from: the target, what came of it, and how far off that is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import UTC, date

from catalog.plural import format_count
from catalog.recency import describe_recent, estimate_recent, last_third
from export.plan import ReleasePlan
from export.recipe import Facts
from export.rows import PhotoRow

_TARGETS = {
    "upload": "as many photographs uploaded in each year from {} to {}",
    "taken": "as many photographs taken in each year from {} to {}",
    "none": "no dates; which photographs came first was left to the source",
}
_BY = {"upload": "upload", "taken": "taking", "none": "upload"}


def describe_dates(plan: ReleasePlan, facts: Facts) -> Iterator[str]:
    """Target, distribution and recent share of the shown images; of each its first photo counts."""
    target = facts["target"]
    first, last = (date.fromisoformat(target[it]) for it in ("first_date", "last_date"))
    photos = [image.row.photos[0] for image in plan.annotated if image.row.photos]
    if any(photo.query_class for photo in photos):
        yield f"Target: {_TARGETS[target['dates']].format(first, last)}."
    days = [(day, photo) for photo in photos if (day := _find_day(photo, target["dates"]))]
    dated = [(day, photo) for day, photo in days if first <= day <= last]
    if not dated:
        return
    counts = Counter(day.year for day, _ in dated)
    years = range(first.year, last.year + 1)
    by_year = ", ".join(f"{year} {counts[year]}" for year in years)
    others = len(plan.annotated) - len(dated)
    beyond = f"; {format_count(others, 'image')} without a date in this range" if others else ""
    yield (
        f"By year of {_BY[target['dates']]}: {by_year}{beyond}. "
        f"Uniform dates would give {len(dated) / len(years):.1f} a year."
    )
    period = last_third(first, last)
    draws: dict[object, list[bool]] = {}
    for day, photo in dated:
        draws.setdefault(_name_draw(photo), []).append(day >= period.first)
    counted = [(len(draw), sum(draw)) for draw in draws.values()]
    yield describe_recent(estimate_recent("released images", counted, period))


def _find_day(photo: PhotoRow, dates: str) -> date | None:
    if dates != "taken":
        return photo.uploaded_at.astimezone(UTC).date() if photo.uploaded_at else None
    try:
        return date.fromisoformat((photo.taken_at or "")[:10])
    except ValueError:  # the source's text, which may be no date
        return None


def _name_draw(photo: PhotoRow) -> object:
    """Photos of one search that were drawn at once; what no search found was drawn one by one."""
    if photo.query_class is None:
        return photo.source, photo.source_id
    window = photo.window_start_at, photo.window_end_at
    return photo.query_class, photo.query_keyword, *window, photo.result_page, photo.found_at
