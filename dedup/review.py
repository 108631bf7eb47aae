"""Decisions about images as an organiser looks at them: in clusters, what matters most first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Select, and_, case, exists, func, select
from sqlalchemy.orm import Session, aliased

from catalog.states import ImageState, PhotoState
from catalog.tables import Duplicate, Image, PairLabel, Photo, ReleaseImage, Signature

from .constants import REVIEW_REAL_PX
from .decisions import slices
from .labels import Verdict, is_label_of_row
from .pairs import Relation

Show = Literal["waiting", "seen", "split", "all"]
"""Decisions without a label, those with one, those that people split, or all that hold."""


@dataclass(frozen=True)
class ShownImage:
    """What a page needs to show an image; `photo` is the first uploaded one of `photos`."""

    image_id: int
    sha256: str
    width_px: int
    height_px: int
    state: ImageState
    photo: Photo | None = None
    photos: int = 0


@dataclass(frozen=True)
class Member:
    """One decision: how an image of a cluster belongs to the kept one, and what people say of it.

    `evidence` is the whole of dedup.pairs.Evidence as a mapping, or None where hashes
    and clocks alone decided; its `first_to_second` maps the image with the lower id onto the other
    (six numbers, coordinates from 0 to 1). `label` is the verdict of a person and `label_id` what
    `undo_label` takes, both None where there is none.
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

    Members come in order of their doubt, the most doubtful first, as many as were asked for of
    `size`. `doubt` is the first one's.
    """

    kept: ShownImage
    relation: str
    members: tuple[Member, ...]
    size: int

    @property
    def doubt(self) -> float:
        """How doubtful the most doubtful decision is: 0 certain, 1 on the threshold."""
        return max((member.doubt for member in self.members), default=0.0)


def list_clusters(
    session: Session,
    *,
    relation: str | None = None,
    show: Show = "all",
    offset: int = 0,
    limit: int = 50,
    most_members: int | None = None,
) -> list[Cluster]:
    """The clusters of such decisions, those that matter most first, a page of them.

    Each has at most `most_members` members.

    First come those of which the kept image looks worse than one that was put aside for it, then
    those of which two images are in different sets of a release, then the most doubtful.
    """
    page = _select_keys(relation, show).offset(offset).limit(limit)
    keys = session.execute(page).tuples().all()
    kept_ids = [kept_id for kept_id, _, _ in keys]
    rows = _load_rows(session, kept_ids, relation, show, most_members)
    images = _load_images(session, sorted({*kept_ids, *(row.image_id for row, _ in rows)}))
    members: defaultdict[tuple[int, str], list[Member]] = defaultdict(list)
    for row, label in rows:
        members[row.kept_image_id, row.relation].append(
            _make_member(row, images[row.image_id], label)
        )
    return [
        Cluster(images[kept_id], of_cluster, tuple(members[kept_id, of_cluster]), size)
        for kept_id, of_cluster, size in keys
    ]


def _select_keys(relation: str | None, show: Show) -> Select[tuple[int, str, int]]:
    """The kept image, relation and size of each cluster, in the order of `list_clusters`."""
    kept = aliased(Signature)
    other = aliased(Signature)
    kept_place = aliased(ReleaseImage)
    other_place = aliased(ReleaseImage)
    is_worse = and_(
        Duplicate.relation == Relation.DUPLICATE, kept.real_px * REVIEW_REAL_PX < other.real_px
    )
    most_first = [
        func.max(case((is_worse, 1), else_=0)).desc(),
        func.max(case((kept_place.split != other_place.split, 1), else_=0)).desc(),
        func.max(func.coalesce(Duplicate.doubt, 0.0)).desc(),
    ]
    group = (Duplicate.kept_image_id, Duplicate.relation)
    statement = _filter(select(*group, func.count(Duplicate.id.distinct())), relation, show)
    for table, image_id in (
        (kept, Duplicate.kept_image_id),
        (kept_place, Duplicate.kept_image_id),
        (other, Duplicate.image_id),
        (other_place, Duplicate.image_id),
    ):
        statement = statement.outerjoin(table, table.image_id == image_id)
    return statement.group_by(*group).order_by(*most_first, *group)


def is_taken_down() -> ColumnElement[bool]:
    """Whether one of the two images of a decision was taken down."""
    image = aliased(Image)
    is_of_pair = image.id.in_([Duplicate.image_id, Duplicate.kept_image_id])
    return exists(image.id).where(is_of_pair, image.state == ImageState.TAKEN_DOWN)


def count_decisions(session: Session, *, show: Show = "all") -> dict[str, int]:
    """How many such decisions there are of each relation."""
    statement = _filter(select(Duplicate.relation, func.count()), None, show)
    rows = session.execute(statement.group_by(Duplicate.relation).order_by(Duplicate.relation))
    return {relation: count for relation, count in rows}  # noqa: C416  rows are no pairs


def _filter(statement: Select[Any], relation: str | None, show: Show) -> Select[Any]:
    """Such decisions; none about a photograph that was taken down, which no page shows."""
    statement = statement.where(~is_taken_down())
    if relation is not None:
        statement = statement.where(Duplicate.relation == relation)
    label = aliased(PairLabel)
    is_labelled = exists(label.id).where(is_label_of_row(label))
    if show == "split":
        is_split = is_labelled.where(
            label.verdict == Verdict.DIFFERENT, label.relation == Duplicate.relation
        )
        return statement.where(Duplicate.undone_at.is_not(None), is_split)
    statement = statement.where(Duplicate.undone_at.is_(None))
    if show == "all":
        return statement
    return statement.where(is_labelled if show == "seen" else ~is_labelled)


def _load_rows(
    session: Session,
    kept_ids: Sequence[int],
    relation: str | None,
    show: Show,
    most_members: int | None,
) -> list[tuple[Duplicate, PairLabel | None]]:
    """The decisions about what belongs to these images, the most doubtful first, with labels."""
    most_first = (func.coalesce(Duplicate.doubt, 0.0).desc(), Duplicate.id)
    place = func.row_number().over(
        partition_by=(Duplicate.kept_image_id, Duplicate.relation), order_by=most_first
    )
    placed = _filter(select(Duplicate.id, place.label("place")), relation, show)
    of_page = placed.where(Duplicate.kept_image_id.in_(kept_ids)).subquery()
    chosen = select(of_page.c.id)
    if most_members is not None:
        chosen = chosen.where(of_page.c.place <= most_members)
    labelled = select(Duplicate, PairLabel).outerjoin(PairLabel, is_label_of_row(PairLabel))
    ordered = labelled.where(Duplicate.id.in_(chosen)).order_by(*most_first)
    return [(row, label) for row, label in session.execute(ordered)]


def _make_member(row: Duplicate, image: ShownImage, label: PairLabel | None) -> Member:
    return Member(
        decision_id=row.id,
        image=image,
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
    shown: dict[int, ShownImage] = {}
    for some_ids in slices(image_ids):
        photos: defaultdict[int | None, list[Photo]] = defaultdict(list)
        for photo in session.scalars(
            select(Photo)
            .where(Photo.image_id.in_(some_ids), Photo.state != PhotoState.WITHDRAWN)
            .order_by(Photo.uploaded_at.is_(None), Photo.uploaded_at, Photo.id)
        ):
            photos[photo.image_id].append(photo)
        for image in session.scalars(select(Image).where(Image.id.in_(some_ids))):
            shown[image.id] = ShownImage(
                image.id,
                image.sha256,
                image.width,
                image.height,
                image.state,
                photo=next(iter(photos[image.id]), None),
                photos=len(photos[image.id]),
            )
    return shown
