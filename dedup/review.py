"""Decisions about images as an organiser looks at them: in clusters, the most doubtful first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, and_, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from catalog.states import ImageState
from catalog.tables import Duplicate, Image, PairLabel

Order = Literal["doubt", "newest"]


@dataclass(frozen=True)
class ShownImage:
    """What a page needs to show an image."""

    image_id: int
    sha256: str
    width_px: int
    height_px: int
    state: ImageState


@dataclass(frozen=True)
class Member:
    """One decision: how an image of a cluster belongs to the kept one, and what people say of it.

    `evidence` is the whole of dedup.verify.evidence.Evidence as a mapping, or None where hashes
    and clocks alone decided; its `first_to_second` maps the image with the lower id onto the other
    (six numbers, coordinates from 0 to 1). `label` is the verdict of a person and `label_id` what
    `undo_label` takes, both None where nobody looked yet.
    """

    decision_id: int
    image: ShownImage
    relation: str
    doubt: float
    similarity: float | None
    distance_64_bits: int | None
    distance_256_bits: int | None
    evidence: dict[str, Any] | None
    decided_how: str
    decided_at: datetime
    person_id: int | None
    label: str | None
    label_id: int | None


@dataclass(frozen=True)
class Cluster:
    """A kept image and all that belongs to it in one way ("duplicate", "same_event", "collage").

    Members come in order of their doubt, the most doubtful first. `doubt` is the first one's.
    """

    kept: ShownImage
    relation: str
    members: tuple[Member, ...]

    @property
    def doubt(self) -> float:
        """How doubtful the most doubtful decision is: 0 certain, 1 on the threshold."""
        return max((member.doubt for member in self.members), default=0.0)


def list_clusters(
    session: Session,
    *,
    order: Order = "doubt",
    relation: str | None = None,
    only_unlabelled: bool = False,
    offset: int = 0,
    limit: int = 50,
) -> list[Cluster]:
    """The clusters of decisions that hold, the most doubtful or the newest first, a page of them.

    With `only_unlabelled` those decisions that nobody has confirmed yet.
    """
    by_doubt = func.max(func.coalesce(Duplicate.doubt, 0.0)).desc()
    statement = _filter(
        select(Duplicate.kept_image_id, Duplicate.relation), relation, only_unlabelled
    ).group_by(Duplicate.kept_image_id, Duplicate.relation)
    first = by_doubt if order == "doubt" else func.max(Duplicate.decided_at).desc()
    keys = session.execute(
        statement.order_by(first, Duplicate.kept_image_id, Duplicate.relation)
        .offset(offset)
        .limit(limit)
    ).all()
    members = _load_members(session, [key[0] for key in keys], relation, only_unlabelled)
    kept = _load_images(session, [key[0] for key in keys])
    return [Cluster(kept[key[0]], key[1], tuple(members[key[0], key[1]])) for key in keys]


def count_clusters(
    session: Session, *, relation: str | None = None, only_unlabelled: bool = False
) -> int:
    """How many clusters `list_clusters` would give without a limit."""
    keys = _filter(
        select(Duplicate.kept_image_id, Duplicate.relation), relation, only_unlabelled
    ).distinct()
    return session.scalar(select(func.count()).select_from(keys.subquery())) or 0


def _filter(statement: Select[Any], relation: str | None, only_unlabelled: bool) -> Select[Any]:
    statement = statement.where(Duplicate.undone_at.is_(None))
    if relation is not None:
        statement = statement.where(Duplicate.relation == relation)
    if only_unlabelled:
        any_label = aliased(PairLabel)
        is_labelled = exists(any_label.id).where(_is_label_of_row(any_label))
        statement = statement.where(~is_labelled)
    return statement


def _is_label_of_row(label: type[PairLabel]) -> ColumnElement[bool]:
    one, other = label.first_image_id, label.second_image_id
    return and_(
        label.undone_at.is_(None),
        or_(
            and_(one == Duplicate.image_id, other == Duplicate.kept_image_id),
            and_(one == Duplicate.kept_image_id, other == Duplicate.image_id),
        ),
    )


def _load_members(
    session: Session, kept_ids: Sequence[int], relation: str | None, only_unlabelled: bool
) -> dict[tuple[int, str], list[Member]]:
    statement = _filter(
        select(Duplicate, Image, PairLabel)
        .join(Image, Image.id == Duplicate.image_id)
        .outerjoin(PairLabel, _is_label_of_row(PairLabel)),
        relation,
        only_unlabelled,
    ).where(Duplicate.kept_image_id.in_(kept_ids))
    members: defaultdict[tuple[int, str], list[Member]] = defaultdict(list)
    ordered = statement.order_by(func.coalesce(Duplicate.doubt, 0.0).desc(), Duplicate.id)
    for row, image, label in session.execute(ordered):
        members[row.kept_image_id, row.relation].append(_make_member(row, image, label))
    return members


def _make_member(row: Duplicate, image: Image, label: PairLabel | None) -> Member:
    return Member(
        decision_id=row.id,
        image=_show(image),
        relation=row.relation,
        doubt=row.doubt or 0.0,
        similarity=row.similarity,
        distance_64_bits=row.distance_64_bits,
        distance_256_bits=row.distance_256_bits,
        evidence=row.evidence,
        decided_how=row.decided_how,
        decided_at=row.decided_at,
        person_id=row.person_id,
        label=None if label is None else label.verdict,
        label_id=None if label is None else label.id,
    )


def _load_images(session: Session, image_ids: Sequence[int]) -> dict[int, ShownImage]:
    rows = session.scalars(select(Image).where(Image.id.in_(image_ids)))
    return {image.id: _show(image) for image in rows}


def _show(image: Image) -> ShownImage:
    return ShownImage(image.id, image.sha256, image.width, image.height, image.state)
