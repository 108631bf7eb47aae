"""The plan of a release from what the catalogue and the image store hold."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.settings import DedupSettings
from catalog.states import ImageState

from .errors import NothingCheckedError, ReleaseNameError
from .freeze import parse_settings
from .load import (
    count_states,
    count_unreleased,
    load_checked,
    load_duplicate_pairs,
    load_images,
    load_public_ids,
    load_release,
    load_withdrawn_ids,
)
from .near import find_near_pairs
from .plan import Candidates, ReleasePlan, plan_again, plan_export
from .recipe import make_recipe
from .release_jpegs import settle_jpegs
from .rows import FrozenRelease, ImageRow

_NAME = re.compile(r"[^\s\x00-\x1f\x7f/\\.](?:[^/\\\r\n]{0,98}[^\s\x00-\x1f\x7f/\\])?")


def plan_release(party: Party, *, year: int, name: str | None = None) -> ReleasePlan:
    """The release of that name as it was recorded, else a new one of all that passed checking.

    Without a name it is called VOC and the year. Raises NothingCheckedError where there is nothing
    to release, and ReleaseNameError where the name is another year's.
    """
    name = f"VOC{year}" if name is None else name
    if not _NAME.fullmatch(name):
        raise ReleaseNameError(
            f"The name {name!r} is wrong: expected 1 to 100 characters on one line, "
            "no slash and no dot in front."
        )
    with party.catalogue.reading() as session:
        frozen = load_release(session, name)
        if frozen is not None:
            return _plan_recorded(session, frozen, year)
        images = load_checked(session)
        if not images:
            raise NothingCheckedError(_nothing_checked(count_states(session)))
        pairs = _load_near_pairs(session, images, party.settings.dedup)
        given_ids = load_public_ids(session)
    jpegs = settle_jpegs(party.store, images)
    candidates = Candidates(tuple(images), tuple(pairs), tuple(given_ids), jpegs)
    plan = plan_export(candidates, make_recipe(party.settings, party.preset), name, year)
    if not plan.images:
        reasons = "; ".join(f"image {it.image_id}: {it.reason}" for it in plan.left_out[:3])
        raise NothingCheckedError(f"No checked image can be released: {reasons}.")
    return plan


def _load_near_pairs(
    session: Session, images: list[ImageRow], settings: DedupSettings
) -> list[tuple[int, int]]:
    """The pairs that dedup put aside, and those whose hashes are near, but for undone ones."""
    hashes = [(image.id, image.hashes) for image in images if image.hashes is not None]
    undone = {frozenset(pair) for pair in load_duplicate_pairs(session, are_undone=True)}
    near = [pair for pair in find_near_pairs(hashes, settings) if frozenset(pair) not in undone]
    return load_duplicate_pairs(session, are_undone=False) + near


def _plan_recorded(session: Session, frozen: FrozenRelease, year: int) -> ReleasePlan:
    if frozen.year != year:
        raise ReleaseNameError(
            f"The release {frozen.name} is of {frozen.year}; write it again with "
            f"--year {frozen.year}, or make another one with --name."
        )
    recipe, encoded = parse_settings(frozen.settings)
    withdrawn = load_withdrawn_ids(session)
    wanted = {it.image_id: it.annotation_id for it in frozen.images if it.image_id not in withdrawn}
    rows: list[ImageRow] = load_images(session, wanted)
    newer = count_unreleased(session)
    return replace(plan_again(frozen, recipe, rows, encoded), newer_images=newer)


def _nothing_checked(states: dict[ImageState, int]) -> str:
    waiting = (ImageState.POOL, ImageState.ANNOTATING, ImageState.RETURNED)
    to_annotate = sum(states.get(state, 0) for state in waiting)
    to_check = sum(states.get(it, 0) for it in (ImageState.ANNOTATED, ImageState.CHECKING))
    return (
        f"No checked image yet; waiting to be annotated: {to_annotate}, to be checked: {to_check}. "
        "Open the party with `vocparty serve`."
    )
