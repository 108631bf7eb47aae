"""Gold images among those of a page: their answer is known, and finds who always says yes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from sqlalchemy import select

from catalog.hierarchy import Node
from catalog.image_store import digest_of
from catalog.states import ImageState
from catalog.stuck import is_stuck
from catalog.tables import Annotation, GoldImage, Image, Object, Presence
from catalog.words import had_come, list_wholes, load_comings, load_parents
from work.blind import select_hidden
from work.visit import Visit

from .plans import Plan


def choose_gold(visit: Visit, plan: Plan, node: Node, images: Sequence[Image]) -> list[Image]:
    """The images of a page, some in the place of gold ones of which the visitor was not asked."""
    wanted = round(len(images) * visit.party.settings.questions.gold_share)
    if not wanted:
        return list(images)
    lot = digest_of(visit.tokens().encode())
    gold = sorted(
        _list_gold(visit, node), key=lambda image: digest_of(f"{lot} {image.id}".encode())
    )
    known = find_known(visit, plan, node, [image.id for image in gold])
    absent = [image for image in gold if known.get(image.id) is False]
    present = [image for image in gold if known.get(image.id)]
    few = (len(images) + 9) // 10  # a page mostly of pictures without it shows who is careless
    chosen = [*absent[: max(wanted - min(few, len(present)), 0)], *present][:wanted]
    mixed = [*chosen, *images[: len(images) - len(chosen)]]
    return sorted(mixed, key=lambda image: image.sha256)


def _list_gold(visit: Visit, node: Node) -> list[Image]:
    """Gold images of which the visitor was not asked the question, nor has them to draw blind."""
    asked = select(Presence.image_id).where(
        Presence.person_id == visit.person.id,
        Presence.kind == node.kind,
        Presence.key == node.key,
        Presence.known.is_not(None),
    )
    chosen = (
        select(Image)
        .join(GoldImage, GoldImage.image_id == Image.id)
        .where(
            GoldImage.ended_at.is_(None),
            GoldImage.is_training.is_(False),
            Image.state != ImageState.TAKEN_DOWN,
            Image.id.not_in(select_hidden(visit)),
            Image.id.not_in(asked),
            ~is_stuck(),
        )
    )
    return list(visit.session.scalars(chosen))


def find_known(
    visit: Visit, plan: Plan, node: Node, image_ids: Collection[int]
) -> Mapping[int, bool]:
    """Of those of these images that are gold, whether their reference shows the node.

    A reference that nobody asked for all classes of the node may not say: of a class that came
    later, or of the parts of one that was split since. It is left out.
    """
    references = _load_references(visit, image_ids)
    if not references:
        return {}
    drawn = _load_drawn(visit, [annotation_id for annotation_id, _ in references.values()])
    below = {item.key for item in plan.outline.hierarchy.classes_below.get(node, frozenset())}
    comings = load_comings(visit.session)
    parents = load_parents(visit.session)
    wholes = {whole for key in below for whole in list_wholes(key, parents)[1:]}
    known = dict[int, bool]()
    for image_id, (annotation_id, saved_at) in references.items():
        sure = [pair for pair in drawn[annotation_id] if pair[0] not in wholes]
        has_it = any(not below.isdisjoint(pair) for pair in sure)
        was_asked = all(had_come(comings.get(key, ()), saved_at) for key in below)
        if has_it or (was_asked and len(sure) == len(drawn[annotation_id])):
            known[image_id] = has_it
    return known


def _load_references(
    visit: Visit, image_ids: Collection[int]
) -> Mapping[int, tuple[int, datetime]]:
    """By gold image the annotation that is its reference, and when that was saved."""
    rows = visit.session.execute(
        select(GoldImage.image_id, GoldImage.annotation_id, Annotation.saved_at)
        .join(Annotation, Annotation.id == GoldImage.annotation_id)
        .where(
            GoldImage.image_id.in_(image_ids),
            GoldImage.is_training.is_(False),
            GoldImage.ended_at.is_(None),
        )
    ).tuples()
    return {image_id: (annotation_id, saved_at) for image_id, annotation_id, saved_at in rows}


def _load_drawn(
    visit: Visit, annotation_ids: Collection[int]
) -> Mapping[int, Sequence[tuple[str, str]]]:
    """By annotation the class of each object, as it was drawn and as it counts today."""
    drawn = defaultdict[int, list[tuple[str, str]]](list)
    objects = select(Object.annotation_id, Object.class_id, Object.class_today).where(
        Object.annotation_id.in_(annotation_ids)
    )
    for annotation_id, class_id, today in visit.session.execute(objects).tuples():
        drawn[annotation_id].append((class_id, today))
    return drawn
