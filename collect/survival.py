"""How many images a party can use, and how many it must fetch for a target of usable ones.

Usable are images that are neither near-duplicates nor discarded. Those that wait to be compared, or
to be annotated, count by the shares that came through so far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.errors import SettingsError
from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image

from .query_yield import plan_targets
from .sampling import choose_classes

ENOUGH = 50
"""Photos or images from which on a share is taken from the catalogue, not assumed."""
_S = ImageState
_WAITING = (_S.FETCHED, _S.HASHED)
_POOL = (_S.POOL, _S.ANNOTATING)
_DONE = (_S.ANNOTATED, _S.CHECKING, _S.RETURNED, _S.CHECKED, _S.RELEASED)


@dataclass(frozen=True)
class Figure:
    """A number and where it comes from."""

    value: float
    is_learnt: bool


@dataclass(frozen=True)
class Survival:
    """The usable images of a party, expected, and which share of what is fetched becomes one."""

    images: int
    share: Figure

    def count_to_fetch(self, target: int) -> int:
        """How many images must be fetched, so that there are `target` usable ones."""
        return math.ceil(max(0, target - self.images) / max(0.01, self.share.value) - 1e-9)


def load_survival(session: Session) -> Survival:
    """What the states of the party's images say; without enough of them all are usable."""
    rows = session.execute(select(Image.state, func.count()).group_by(Image.state))
    count = dict(rows.tuples().all())
    waiting, pool, done = (
        sum(count.get(one, 0) for one in states) for states in (_WAITING, _POOL, _DONE)
    )
    judged = done + count.get(_S.DISCARDED, 0)
    compared = pool + judged + count.get(_S.DUPLICATE, 0)
    single = _share(pool + judged, compared)
    kept = _share(done, judged)
    share = Figure(single.value * kept.value, single.is_learnt or kept.is_learnt)
    return Survival(round(done + pool * kept.value + waiting * share.value), share)


def check_targets(party: Party) -> None:
    """Raise SettingsError for targets of unknown classes, or that are more than the whole."""
    settings = party.settings.collect
    choose_classes(party.preset, tuple(settings.class_targets))
    if (total := sum(settings.class_targets.values())) > settings.target_images:
        raise SettingsError(
            f"collect.class_targets add up to {total}, more than target_images = "
            f"{settings.target_images}; raise target_images or lower the targets of classes."
        )


def plan_party_targets(party: Party, classes: Sequence[str], target: int) -> dict[str, float]:
    """How many of the target's images shall show each of the classes, all of them where none.

    Raises SettingsError for a class without queries.
    """
    names, settings = tuple(choose_classes(party.preset, classes)), party.settings.collect
    return plan_targets(names, settings.class_targets, settings.target_images, target)


def _share(some: int, of: int) -> Figure:
    return Figure(some / of, True) if of >= ENOUGH else Figure(1.0, False)
