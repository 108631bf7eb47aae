"""Clusters of near-duplicates and the organiser's word on them."""

from __future__ import annotations

from typing import Annotated, cast, get_args

from flask import request
from pydantic import Field

from catalog.refusals import NotFoundError, StaleError, refuse
from catalog.states import ImageState
from catalog.tables import PairLabel
from dedup.decisions import find_decision
from dedup.errors import LabelError
from dedup.labels import Verdict, keep_instead, label_pair, undo_label
from dedup.pairs import Relation
from dedup.report.figures import Agreement, load_agreement
from dedup.review import Cluster, Member, Show, ShownImage, count_decisions, list_clusters
from work.bodies import Id
from work.visit import Visit

from .answers import Json, image_url, safe_url, tell, tell_each
from .schemas import Reply, Routes, each, like, parse_choice, parse_number, shape

blueprint = Routes("clusters", __name__, url_prefix="/clusters")

MOST_CLUSTERS = 100
MOST_PAIRS = 60
"""Of one cluster, the most doubtful ones."""


VerdictField = Annotated[Verdict, Field(strict=False)]
RelationField = Annotated[Relation | None, Field(strict=False)]
PhotoOfCluster = shape(
    "PhotoOfCluster: the first uploaded photograph of an image.",
    **each(str, "source title owner_name licence_name"),
    **each(str | None, "taken licence_url page_url uploaded"),
)
ImageOfCluster = shape(
    "ImageOfCluster: an image, and of how many photographs.",
    **each(int, "id width height"),
    url=str,
    **like(ShownImage, "photos state"),
    photo=PhotoOfCluster | None,
)
Map = shape(
    """Map: where the frame of one image lies in the other's, both with sides of 1.

    x' = n0 x + n1 y + n2, y' = n3 x + n4 y + n5.
    """,
    **each(int, "from to"),
    numbers=list[float],
)
Pair = shape(
    """Pair: an image and its relation to the kept one; `doubt` is 1 on the threshold, else less.

    Of `duplicate` the image was put aside for the kept one, else both stay. `gap_secs` is how far
    apart the shots of an event were taken or uploaded.
    """,
    image=ImageOfCluster,
    **like(Member, "relation doubt similarity distance_64_bits distance_256_bits decided_how"),
    **like(Member, "label label_id"),
    decided_by_person=bool,
    gap_secs=float | None,
    map=Map | None,
)
ClusterTold = shape(
    "ClusterTold: a kept image with its most doubtful pairs, and how many there are besides.",
    relation=str,
    kept=ImageOfCluster,
    pairs=[Pair],
    more=int,
)
_LEFT = {"counts": dict[str, dict[str, int]], "precision": [Agreement]}
"""The pairs of each relation that each `show` has."""


@blueprint.on_get("", told={"clusters": [ClusterTold], **_LEFT})
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
    )
    shown = tell_each(
        visit,
        clusters,
        lambda cluster: _format_cluster(visit, cluster),
        lambda cluster: cluster.kept.image_id,
    )
    return _answer(visit, {"clusters": [cluster for cluster in shown if cluster["pairs"]]})


@blueprint.on_post("/labels", told={"label_id": int, **_LEFT})
def post_pair_label(
    visit: Visit, *, image_id: Id, other_id: Id, verdict: VerdictField, relation: RelationField
) -> Reply:
    """The saved label; refused where another relation holds than the one that the person saw.

    `relation` is what the sender saw of the two images, null for nothing.
    """
    if image_id == other_id:
        refuse("other_id", "it is the same image")
    decision = find_decision(visit.session, image_id, other_id)
    if (None if decision is None else decision.relation) != relation:
        raise StaleError("This pair was decided meanwhile. Look at it again.")
    session, person_id = visit.session, visit.person.id
    try:
        label = label_pair(session, image_id, other_id, verdict, person_id=person_id, at=visit.at)
    except LabelError as error:
        raise NotFoundError(str(error)) from error
    return _answer(visit, {"label_id": label.id}), 201


@blueprint.on_post("/keep", told={"label_id": int, **_LEFT})
def keep_other(visit: Visit, *, image_id: Id, kept_id: Id) -> Reply:
    """The saved label; the image that was put aside is now the kept one."""
    session, person_id = visit.session, visit.person.id
    try:
        label = keep_instead(session, image_id, kept_id, person_id=person_id, at=visit.at)
    except LabelError as error:
        raise StaleError(str(error)) from error
    return _answer(visit, {"label_id": label.id}), 201


@blueprint.on_post("/labels/<int:label_id>/undo", told={"undone": bool, **_LEFT})
def undo_pair_label(visit: Visit, label_id: int) -> Reply:
    """Whether the label held until now."""
    if visit.session.get(PairLabel, label_id) is None:
        raise NotFoundError("This decision does not exist.")
    is_undone = undo_label(visit.session, label_id, at=visit.at)
    return _answer(visit, {"undone": is_undone})


def _answer(visit: Visit, said: Json) -> Json:
    """What is told, with how much is left to look at."""
    counts = {name: count_decisions(visit.session, show=name) for name in get_args(Show)}
    return said | {"counts": counts, "precision": load_agreement(visit.session)}


def _format_cluster(visit: Visit, cluster: Cluster) -> Json:
    """A cluster without what was taken down."""
    kept, gone = cluster.kept, ImageState.TAKEN_DOWN
    members = [one for one in cluster.members if gone not in (one.image.state, kept.state)]
    pairs = tell_each(
        visit,
        members[:MOST_PAIRS],
        lambda member: _format_pair(kept, member),
        lambda member: member.image.image_id,
    )
    more = max(len(members) - MOST_PAIRS, 0)
    return tell(ClusterTold, cluster, kept=_format_image(kept), pairs=pairs, more=more)


def _format_pair(kept: ShownImage, member: Member) -> Json:
    """`map` is where registration laid the one frame in the other, coordinates from 0 to 1."""
    evidence = member.evidence or {}
    numbers = evidence.get("first_to_second")
    first, second = sorted((kept.image_id, member.image.image_id))
    has_map = isinstance(numbers, (list, tuple)) and len(numbers) == 6
    return tell(
        Pair,
        member,
        image=_format_image(member.image),
        gap_secs=evidence.get("gap_secs"),
        decided_by_person=member.person_id is not None,
        map={"from": first, "to": second, "numbers": numbers} if has_map else None,
    )


def _format_image(image: ShownImage) -> Json:
    photo, told = image.photo, None
    if photo is not None:
        told = tell(
            PhotoOfCluster,
            photo,
            taken=None if photo.taken_at_unknown else photo.taken_at_text,
            owner_name=photo.owner_name or photo.owner_id or "",
            licence_url=safe_url(photo.licence_url),
            page_url=safe_url(photo.page_url),
            uploaded=photo.uploaded_at and photo.uploaded_at.isoformat(),
        )
    return tell(
        ImageOfCluster,
        image,
        id=image.image_id,
        width=image.width_px,
        height=image.height_px,
        url=image_url(image.sha256),
        photo=told,
    )
