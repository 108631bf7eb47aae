"""Gold images among those of a page: their answer is known, and finds who always says yes."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import select

from catalog.hierarchy import Node
from catalog.image_store import digest_of
from catalog.states import ImageState, NodeKind
from catalog.stuck import is_stuck
from catalog.tables import GoldImage, Image, Object, Presence
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
    absent = [image for image in gold if not known[image.id]]
    present = [image for image in gold if known[image.id]]
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
    """Of those of these images that are gold, whether their reference shows the node."""
    gold = dict(
        visit.session.execute(
            select(GoldImage.image_id, GoldImage.annotation_id).where(
                GoldImage.image_id.in_(image_ids),
                GoldImage.is_training.is_(False),
                GoldImage.ended_at.is_(None),
            )
        )
        .tuples()
        .all()
    )
    shown = select(Object.annotation_id, Object.class_today).where(
        Object.annotation_id.in_(gold.values())
    )
    below = plan.outline.hierarchy.classes_below.get(node, frozenset())
    has_it = {
        annotation_id
        for annotation_id, class_id in visit.session.execute(shown).tuples()
        if Node(NodeKind.CLASS, class_id) in below
    }
    return {image_id: annotation_id in has_it for image_id, annotation_id in gold.items()}
