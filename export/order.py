"""How a release is ordered, and what an order is refused for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.preset import AnnotationStyle
from vockit.format.image_sets import Split
from vockit.format.plural import format_count, is_or_are

from . import releases
from .errors import ExportError, ReleaseNameError
from .plan import LeftOut, ReleasePlan
from .tree_files import Put, strip_pictures

LEAST_FOR_TRAINING = 10
"""Images of a release; a smaller one may have an empty set by rounding."""
_NAME = re.compile(r"[^\s\x00-\x1f\x7f/\\.](?:[^/\\\r\n]{0,98}[^\s\x00-\x1f\x7f/\\])?")


@dataclass(frozen=True)
class ReleaseOrder:
    """How a new release is to be made: with a release's images, or as its next edition."""

    style: AnnotationStyle | None = None
    extends: str | None = None
    corrects: str | None = None
    classes: tuple[str, ...] = ()
    limit: int | None = None
    is_blind: bool = False
    is_forced: bool = False
    is_dry: bool = False
    is_unbound: bool = False
    is_stripped: bool = False
    test2: str | None = None

    @property
    def part(self) -> dict[str, Any]:
        """What chooses some images, as a release records it."""
        choices = {"classes": list(self.classes), "limit": self.limit, "unbind": self.is_unbound}
        return {key: value for key, value in choices.items() if value}

    @property
    def chooses(self) -> bool:
        """Whether it chooses images, or a set for some of them."""
        return bool(self.part or self.test2)


def refuse_open(
    session: Session, image_ids: list[int], unchecked: int, order: ReleaseOrder
) -> tuple[str, ...]:
    """The open points that --force accepts; raises ExportError for them without it."""
    forced = list[str]()
    if errors := len(releases.find_open_errors(session, image_ids)):
        forced.append(
            f"{format_count(errors, 'finding')} of severity error {is_or_are(errors)} open"
        )
    if unchecked:
        images = format_count(unchecked, "annotated image")
        forced.append(f"{images} {is_or_are(unchecked)} not checked")
    if forced and not (order.is_forced or order.is_dry):
        raise ExportError(
            f"{'; '.join(forced)}. Look at `vocparty qa` and the checking page, or use --force; "
            "the release will record that it was forced."
        )
    return tuple(forced)


def refuse_no_training(plan: ReleasePlan, order: ReleaseOrder) -> tuple[str, ...]:
    """The open point that nothing is in train, which --force accepts; ExportError without it."""
    images = len(plan.images)
    is_wanted = plan.recipe.shares.get(Split.TRAIN, 0) > 0
    splits = {image.split for image in plan.images}
    if images < LEAST_FOR_TRAINING or Split.TRAIN in splits or not is_wanted:
        return ()
    point = f"none of {images:,} images is in train"
    if not (order.is_forced or order.is_dry):
        if splits == {Split.TEST2}:
            raise ExportError(
                f"In this release {point}, because all of them are of {plan.recipe.test2} and so "
                "in test2. Give --test2 another source, or use --force, which is recorded."
            )
        raise ExportError(
            f"In this release {point}, because related images stay in one set: --dry-run shows "
            "what binds them. Where imported files name the dataset's author as the owner of each "
            "photograph, import them with --no-owners; or use --force, which is recorded."
        )
    return (point,)


def strip(
    party: Party, plan: ReleasePlan, order: ReleaseOrder, put: Put
) -> tuple[dict[str, str], list[LeftOut]]:
    """Pictures without metadata where the order asks for it, and the images that keep theirs."""
    if not order.is_stripped:
        return {}, []
    stripped, faults = strip_pictures(party.store, plan.images, put)
    kept = ((image.row.id, faults.get(image.jpeg_sha256)) for image in plan.images)
    return stripped, [LeftOut(image_id, reason) for image_id, reason in kept if reason]


def refuse_unstripped(party: Party, plan: ReleasePlan, order: ReleaseOrder) -> ReleasePlan:
    """The recorded release; raises ReleaseNameError where its pictures have what should go."""
    if stripped := strip(party, plan, order, digest_of)[0]:
        pictures = format_count(len(stripped), "picture")
        raise ReleaseNameError(
            f"The release {plan.name} is recorded with metadata in {pictures}, and stays as it is; "
            "give the one without them another name with --name."
        )
    return plan


def check_name(name: str) -> str:
    """The name of a release as it is; raises ReleaseNameError where it is none."""
    if not _NAME.fullmatch(name):
        raise ReleaseNameError(
            f"The name {name!r} is wrong: expected 1 to 100 characters on one line, "
            "no slash and no dot in front."
        )
    return name
