"""Candidates part by part, so that neither hashes nor what is found outgrows the memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from .budget import Budget
from .candidates import Candidates, OverfullError, Search, ViewTable, find_candidates
from .columns import take_rows
from .signature_rows import Census

LoadViews = Callable[[Census], ViewTable]


def find_by_parts(
    census: Census, load_views: LoadViews, search: Search, budget: Budget
) -> Iterator[Candidates]:
    """The candidates among all images, one of each pair new, as many at a time as there is room."""
    search = replace(search, most_candidates=budget.most_candidates)
    for one, others in _plan_parts(census, budget.part_images):
        views = load_views(one)
        yield from _find(views, None, search)
        for other in others:
            yield from _find(views, load_views(other), search)


def _find(one: ViewTable, other: ViewTable | None, search: Search) -> Iterator[Candidates]:
    """The candidates; of fewer images at a time where they are too many."""
    try:
        found = find_candidates(one, other, search)
    except OverfullError:
        for first, second in _halve(one, other):
            yield from _find(first, second, search)
    else:
        yield found


def _halve(one: ViewTable, other: ViewTable | None) -> list[tuple[ViewTable, ViewTable | None]]:
    """The same comparison in two or three smaller ones."""
    if other is None:
        first, second = _cut(one)
        return [(first, None), (first, second), (second, None)]
    if np.ptp(one.owners) == 0 or len(one.owners) < len(other.owners):
        return [(one, half) for half in _cut(other)]
    return [(half, other) for half in _cut(one)]


def _cut(table: ViewTable) -> tuple[ViewTable, ViewTable]:
    """The views of one half of the images, and those of the other."""
    images = np.unique(table.owners)
    middle = int(np.searchsorted(table.owners, images[len(images) // 2]))
    return take_rows(table, slice(None, middle)), take_rows(table, slice(middle, None))


def _plan_parts(census: Census, part_images: int) -> Iterator[tuple[Census, list[Census]]]:
    """Parts of the census, each with the later ones that it is to be compared with."""
    starts = range(0, len(census.image_ids), part_images)
    parts = [take_rows(census, slice(start, start + part_images)) for start in starts]
    for number, part in enumerate(parts):
        has_new = bool(part.is_new.any())
        others = [other for other in parts[number + 1 :] if has_new or other.is_new.any()]
        if has_new or others:
            yield part, others
