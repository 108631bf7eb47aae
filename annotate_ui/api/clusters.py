"""Clusters of near-duplicates and the organiser's word on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, cast, get_args

from flask import Blueprint, request
from flask.typing import ResponseReturnValue
from pydantic import Field
from sqlalchemy.orm import Session

from annotate_ui.errors import InvalidError, NotFoundError, StalePairError
from annotate_ui.roles import allowed
from annotate_ui.visit import Visit
from catalog.states import ImageState, Role
from catalog.tables import PairLabel
from dedup.decisions import find_decision
from dedup.labels import Verdict, keep_instead, label_pair, undo_label
from dedup.pairs import LabelError, Relation
from dedup.report.figures import load_agreement
from dedup.review import (
    Cluster,
    Member,
    Show,
    ShownImage,
    ShownPhoto,
    count_clusters,
    list_clusters,
)

from .answers import Json, image_url, pick, safe_url
from .schemas import MAX_ID, Body, EmptyBody, Id, parse_body, parse_number

blueprint = Blueprint("clusters", __name__, url_prefix="/clusters")

MOST_CLUSTERS = 100
MOST_PAIRS = 60
"""Of one cluster, the most doubtful ones."""

_RELATIONS = ("any", *Relation)


class PairLabelBody(Body):
    """POST /clusters/labels."""

    image_id: Id
    other_id: Id
    verdict: Annotated[Verdict, Field(strict=False)]
    relation: Annotated[Relation | None, Field(strict=False)]


class KeepBody(Body):
    """POST /clusters/keep."""

    image_id: Id
    kept_id: Id


@blueprint.get("")
@allowed(Role.ORGANISER)
def show_clusters(visit: Visit) -> ResponseReturnValue:
    """The clusters with the most doubtful decisions."""
    show = cast(Show, _parse_choice("show", get_args(Show)))
    relation = _parse_choice("relation", _RELATIONS)
    clusters = list_clusters(
        visit.session,
        show=show,
        relation=None if relation == "any" else relation,
        limit=parse_number(request.args, "limit", least=1, most=MOST_CLUSTERS) or 20,
        offset=parse_number(request.args, "offset") or 0,
    )
    shown = (_format_cluster(cluster) for cluster in clusters)
    return {
        "clusters": [cluster for cluster in shown if cluster["pairs"]],
        "counts": {name: count_clusters(visit.session, show=name) for name in get_args(Show)},
        "precision": _format_precision(visit.session),
    }


@blueprint.post("/labels")
@allowed(Role.ORGANISER)
def post_pair_label(visit: Visit) -> ResponseReturnValue:
    """The saved label."""
    body = parse_body(PairLabelBody, request.get_data())
    label = _save_label(visit, body)
    return _answer(visit, {"label_id": label.id}), 201


@blueprint.post("/keep")
@allowed(Role.ORGANISER)
def keep_other(visit: Visit) -> ResponseReturnValue:
    """The saved label; the image that was put aside is now the kept one."""
    body = parse_body(KeepBody, request.get_data())
    try:
        label = keep_instead(
            visit.session, body.image_id, body.kept_id, person_id=visit.person.id, at=visit.at
        )
    except LabelError as error:
        raise StalePairError(str(error)) from error
    return _answer(visit, {"label_id": label.id}), 201


@blueprint.post(f"/labels/<int(max={MAX_ID}):label_id>/undo")
@allowed(Role.ORGANISER)
def undo_pair_label(visit: Visit, label_id: int) -> ResponseReturnValue:
    """Whether the label held until now."""
    parse_body(EmptyBody, request.get_data())
    if visit.session.get(PairLabel, label_id) is None:
        raise NotFoundError("There is no such label.")
    is_undone = undo_label(visit.session, label_id, at=visit.at)
    return _answer(visit, {"undone": is_undone})


def _answer(visit: Visit, said: Json) -> Json:
    """What was done, with how much is left to look at."""
    return {
        **said,
        "counts": {name: count_clusters(visit.session, show=name) for name in get_args(Show)},
        "precision": _format_precision(visit.session),
    }


def _save_label(visit: Visit, body: PairLabelBody) -> PairLabel:
    """The label; refused where another relation holds than the one that the person saw."""
    pair = (body.image_id, body.other_id)
    if body.image_id == body.other_id:
        raise InvalidError("other_id is wrong: it is the same image.", field="other_id")
    decision = find_decision(visit.session, *pair)
    if (None if decision is None else decision.relation) != body.relation:
        raise StalePairError("This pair was decided on in between; look at it again.")
    try:
        return label_pair(
            visit.session, *pair, body.verdict, person_id=visit.person.id, at=visit.at
        )
    except LabelError as error:
        raise NotFoundError(str(error)) from error


def _parse_choice(name: str, words: Sequence[str]) -> str:
    """The word that the query string gives; the first where it gives none."""
    word = request.args.get(name, words[0])
    if word not in words:
        raise InvalidError(f"{name} is wrong: expected {' or '.join(words)}.", field=name)
    return word


def _format_cluster(cluster: Cluster) -> Json:
    """The cluster without images that were taken down, which are not shown."""
    members = [it for it in cluster.members if _may_be_seen(it.image)]
    return {
        "relation": cluster.relation,
        "kept": _format_image(cluster.kept),
        "pairs": [_format_pair(cluster.kept, it) for it in members[:MOST_PAIRS]]
        if _may_be_seen(cluster.kept)
        else [],
        "more": max(len(members) - MOST_PAIRS, 0),
    }


def _may_be_seen(image: ShownImage) -> bool:
    return image.state is not ImageState.TAKEN_DOWN


def _format_pair(kept: ShownImage, member: Member) -> Json:
    distances = pick(member, "similarity", "distance_64_bits", "distance_256_bits")
    evidence = member.evidence or {}
    return {
        "image": _format_image(member.image),
        **pick(member, "relation", "doubt", "decided_how", "label", "label_id"),
        **distances,
        "gap_secs": evidence.get("gap_secs"),
        "decided_by_person": member.person_id is not None,
        "map": _format_map(kept, member, evidence.get("first_to_second")),
    }


def _format_map(kept: ShownImage, member: Member, numbers: object) -> Json | None:
    """Where registration laid the frame of the one in the other, coordinates from 0 to 1."""
    if not isinstance(numbers, (list, tuple)) or len(numbers) != 6:
        return None
    first, second = sorted((kept.image_id, member.image.image_id))
    return {"from": first, "to": second, "numbers": list(numbers)}


def _format_image(image: ShownImage) -> Json:
    return {
        "id": image.image_id,
        "url": image_url(image.sha256),
        "width": image.width_px,
        "height": image.height_px,
        **pick(image, "state", "photos"),
        "photo": None if image.photo is None else _format_photo(image.photo),
    }


def _format_photo(photo: ShownPhoto) -> Json:
    """What a person may want to know of it; addresses only where they are of the web."""
    names = pick(photo, "title", "owner_name", "licence_name")
    return {
        "source": photo.source,
        **{field: name or "" for field, name in names.items()},
        "licence_url": safe_url(photo.licence_url),
        "page_url": safe_url(photo.page_url),
        "taken": photo.taken_at_text,
        "uploaded": photo.uploaded_at.isoformat() if photo.uploaded_at else None,
    }


def _format_precision(session: Session) -> list[Json]:
    return [asdict(it) for it in load_agreement(session)]
