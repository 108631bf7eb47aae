"""Clusters of near-duplicates and the organiser's word on them."""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated, Any, cast, get_args

from flask import request
from pydantic import AliasChoices, Field

from catalog.locks import lock_images
from catalog.refusals import NotFoundError, StaleError, refuse
from catalog.sentences import quote_error, say
from catalog.states import ImageState
from catalog.tables import PairLabel, Photo
from dedup.decisions import find_decision
from dedup.errors import LabelError
from dedup.labels import Verdict, find_label, keep_instead, label_pair, undo_label
from dedup.pairs import Relation
from dedup.report.figures import Agreement, load_agreement
from dedup.review import Cluster, Member, Show, ShownImage, count_decisions, list_clusters
from web.guard import Later
from work.bodies import Body, Id
from work.visit import Visit

from .addresses import image_url, safe_url
from .answers import answer_each
from .schemas import (
    Answer,
    Conflict,
    Reply,
    Routes,
    Shown,
    make_error,
    parse_choice,
    parse_number,
)

blueprint = Routes("clusters", __name__, url_prefix="/clusters")

MOST_CLUSTERS = 100
MOST_PAIRS = 60
"""Of one cluster, the most doubtful ones."""


class LabelBody(Body):
    """A person's word on two images.

    `relation` is what the sender saw of them, null for nothing, and `label_id` what a person had
    said of them, null for nobody.
    """

    image_id: Id
    other_id: Id
    verdict: Annotated[Verdict, Field(strict=False)]
    relation: Annotated[Relation | None, Field(strict=False)]
    label_id: Id | None


class KeepBody(Body):
    """An image that is kept instead of another one; `label_id` as in LabelBody."""

    image_id: Id
    kept_id: Id
    label_id: Id | None


class PhotoOfCluster(Answer):
    """The first uploaded photograph of an image."""

    source: str
    title: str
    owner_name: str
    licence_name: str
    taken: str | None
    licence_url: str | None
    page_url: str | None
    uploaded: str | None


class ImageOfCluster(Answer):
    """An image, and of how many photographs."""

    id: int
    width: int
    height: int
    url: str
    photos: int
    state: ImageState
    photo: PhotoOfCluster | None


class FrameMap(Answer):
    """Where the frame of one image lies in the other's, both with sides of 1.

    x' = n0 x + n1 y + n2, y' = n3 x + n4 y + n5.
    """

    from_id: Annotated[
        int, Field(validation_alias=AliasChoices("from_id", "from"), serialization_alias="from")
    ]
    to_id: Annotated[
        int, Field(validation_alias=AliasChoices("to_id", "to"), serialization_alias="to")
    ]
    numbers: list[float]


class Pair(Answer):
    """An image and its relation to the kept one; `doubt` is 1 on the threshold, else less.

    Of `duplicate` the image was put aside for the kept one, else both stay. `gap_secs` is how far
    apart the shots of an event were taken or uploaded, `drawn` the share of the picture that was
    taken for writing or a sticker over it. `drawn_boxes` surround that: left, top, right and
    bottom, from 0 to 1 in the image that `map` is from. `beyond` is the share of one picture that
    the other does not show, without the plain `margin`; on `features` of both the map rests, 0
    where a hash gave it.
    """

    image: ImageOfCluster
    relation: str
    doubt: float
    similarity: float | None
    distance_64_bits: int | None
    distance_256_bits: int | None
    decided_how: str
    label: str | None
    label_id: int | None
    decided_by_person: bool
    gap_secs: float | None
    drawn: float
    drawn_boxes: list[list[float]]
    beyond: float
    margin: float
    features: int
    map: FrameMap | None


class ClusterAnswer(Answer):
    """A kept image with its most doubtful pairs, and how many there are besides."""

    relation: str
    kept: ImageOfCluster
    pairs: list[Pair]
    more: int


class Remaining(Answer):
    """The pairs of each relation that each `show` has, and how often people confirmed."""

    counts: dict[str, dict[str, int]]
    precision: list[Agreement]


class ClustersPage(Remaining):
    """Clusters, and what is left to look at."""

    clusters: list[ClusterAnswer]


class PairNow(Answer):
    """What holds of two images: their relation, and a person's label of them; null for none."""

    relation: str | None
    label: str | None
    label_id: int | None


class SavedLabel(Remaining):
    """A label that was saved, and what is left to look at."""

    label_id: int


class UndoneLabel(Remaining):
    """Whether the label held until now, and what is left to look at."""

    undone: bool


@blueprint.on_get("", answers=ClustersPage)
def show_clusters(visit: Visit) -> Reply:
    """The clusters with the most doubtful decisions.

    `?show=` is `waiting` (no one has looked at them), `seen`, `split` (people parted them) or
    `all`; `?relation=` and `?limit=` choose, `?offset=` goes on.
    """
    show = parse_choice(request.args, "show", get_args(Show)) or "waiting"
    relation = parse_choice(request.args, "relation", ("any", *Relation))
    clusters = list_clusters(
        visit.session,
        show=cast(Show, show),
        relation=None if relation == "any" else relation,
        limit=parse_number(request.args, "limit", least=1, most=MOST_CLUSTERS) or 20,
        offset=parse_number(request.args, "offset") or 0,
        most_members=MOST_PAIRS,
    )
    shown = answer_each(
        visit,
        clusters,
        lambda cluster: _make_cluster(visit, cluster),
        lambda cluster: cluster.kept.image_id,
    )
    return ClustersPage(
        clusters=[cluster for cluster in shown if cluster.pairs],
        counts=count_pairs(visit),
        precision=load_agreement(visit.session),
    )


@blueprint.on_post("/labels", shows=Shown("relation"), answers=SavedLabel)
def post_pair_label(visit: Visit, body: LabelBody) -> Later | Reply:
    """The saved label; refused where another relation or label holds than the person saw."""
    if body.image_id == body.other_id:
        refuse("other_id", say("it is the same image"))
    pair = body.image_id, body.other_id
    if conflict := _find_conflict(visit, pair, body.relation, body.label_id):
        return conflict
    try:
        label = label_pair(
            visit.session,
            body.image_id,
            body.other_id,
            body.verdict,
            person_id=visit.person.id,
            at=visit.at,
        )
    except LabelError as error:
        raise NotFoundError(quote_error(error)) from error
    return _answer_later(label)


def _find_conflict(
    visit: Visit, pair: tuple[int, int], relation: Relation | None, label_id: int | None
) -> Reply | None:
    """409 with what holds of two images now, unless it is this; the images are locked."""
    lock_images(visit.session, pair)
    decision = find_decision(visit.session, *pair)
    label = find_label(visit.session, *pair)
    now = PairNow(
        relation=decision.relation if decision else None,
        label=label.verdict if label else None,
        label_id=label.id if label else None,
    )
    if (now.relation, now.label_id) == (relation, label_id):
        return None
    message = say("This pair was decided meanwhile. Look at it again.")
    return Conflict(error=make_error("stale", message), head=now), 409


@blueprint.on_post("/keep", shows=Shown("kept_id"), answers=SavedLabel)
def keep_other(visit: Visit, body: KeepBody) -> Later | Reply:
    """The saved label; the image that was put aside is now the kept one."""
    pair = body.image_id, body.kept_id
    if conflict := _find_conflict(visit, pair, Relation.DUPLICATE, body.label_id):
        return conflict
    try:
        label = keep_instead(
            visit.session,
            body.image_id,
            body.kept_id,
            person_id=visit.person.id,
            at=visit.at,
        )
    except LabelError as error:
        raise StaleError(quote_error(error)) from error
    return _answer_later(label)


@blueprint.on_post("/labels/<int:label_id>/undo", shows=Shown("label_id"), answers=UndoneLabel)
def undo_pair_label(visit: Visit, label_id: int) -> Later:
    """Whether the label held until now."""
    if visit.session.get(PairLabel, label_id) is None:
        raise NotFoundError(say("This decision does not exist."))
    is_undone = undo_label(visit.session, label_id, at=visit.at)

    def answer(later: Visit) -> Reply:
        precision = load_agreement(later.session)
        return UndoneLabel(undone=is_undone, counts=count_pairs(later), precision=precision)

    return Later(answer)


def _answer_later(label: PairLabel) -> Later:
    """201 with the label, and how much is left to look at, counted once it is stored."""
    label_id = label.id

    def answer(later: Visit) -> Reply:
        precision = load_agreement(later.session)
        saved = SavedLabel(label_id=label_id, counts=count_pairs(later), precision=precision)
        return saved, 201

    return Later(answer)


def count_pairs(visit: Visit) -> dict[str, dict[str, int]]:
    """The pairs of each relation that each `show` has; in a large party it may be a minute old."""

    def count(visit: Visit) -> dict[str, dict[str, int]]:
        return {name: count_decisions(visit.session, show=name) for name in get_args(Show)}

    return visit.share("pairs", count)


def _make_cluster(visit: Visit, cluster: Cluster) -> ClusterAnswer:
    """A cluster without what was taken down."""
    kept = cluster.kept
    gone = ImageState.TAKEN_DOWN
    members = [member for member in cluster.members if gone not in (member.image.state, kept.state)]
    pairs = answer_each(
        visit,
        members,
        lambda member: _make_pair(kept, member),
        lambda member: member.image.image_id,
    )
    return ClusterAnswer(
        relation=cluster.relation,
        kept=_make_image(kept),
        pairs=pairs,
        more=cluster.size - len(cluster.members),
    )


def _make_pair(kept: ShownImage, member: Member) -> Pair:
    """`map` is where registration laid the one frame in the other, coordinates from 0 to 1."""
    evidence = defaultdict[str, Any](float, member.evidence or {})
    return Pair(
        image=_make_image(member.image),
        relation=member.relation,
        doubt=member.doubt,
        similarity=member.similarity,
        distance_64_bits=member.distance_64_bits,
        distance_256_bits=member.distance_256_bits,
        decided_how=member.decided_how,
        label=member.label,
        label_id=member.label_id,
        decided_by_person=member.person_id is not None,
        gap_secs=evidence.get("gap_secs"),
        drawn=max(evidence["drawn_first"], evidence["drawn_second"]),
        drawn_boxes=evidence.get("drawn_boxes", []),
        beyond=max(
            evidence["outside_first"] - evidence["margin_first"],
            evidence["outside_second"] - evidence["margin_second"],
        ),
        margin=max(evidence["margin_first"], evidence["margin_second"]),
        features=int(evidence["inliers"]),
        map=_make_map(kept, member.image, evidence.get("first_to_second")),
    )


def _make_map(kept: ShownImage, other: ShownImage, numbers: object) -> FrameMap | None:
    """Where the image with the lower id lies in the other one; None without six numbers."""
    if not isinstance(numbers, (list, tuple)) or len(numbers) != 6:
        return None
    first_id, second_id = sorted((kept.image_id, other.image_id))
    return FrameMap(from_id=first_id, to_id=second_id, numbers=list(numbers))


def _make_image(image: ShownImage) -> ImageOfCluster:
    return ImageOfCluster(
        id=image.image_id,
        width=image.width_px,
        height=image.height_px,
        url=image_url(image.sha256),
        photos=image.photos,
        state=image.state,
        photo=None if image.photo is None else _make_photo(image.photo),
    )


def _make_photo(photo: Photo) -> PhotoOfCluster:
    return PhotoOfCluster(
        source=photo.source,
        title=photo.title or "",
        owner_name=photo.owner_name or photo.owner_id or "",
        licence_name=photo.licence_name or "",
        taken=None if photo.taken_at_unknown else photo.taken_at_text,
        licence_url=safe_url(photo.licence_url),
        page_url=safe_url(photo.page_url),
        uploaded=photo.uploaded_at.isoformat() if photo.uploaded_at else None,
    )
