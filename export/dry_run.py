"""What a release would hold and leave out, by reason and class, without writing anything."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from sqlalchemy import select

from catalog.party import Party
from catalog.plural import format_count
from catalog.states import ImageState
from catalog.tables import Image

from .load import RELEASABLE
from .manifest import iterate_lines
from .plan import ReleasePlan
from .rows import load_images

_REASONS = {
    ImageState.ANNOTATED: "annotated, and not checked yet",
    ImageState.CHECKING: "being checked",
    ImageState.RETURNED: "returned to its annotator",
    ImageState.DISCARDED: "discarded",
    ImageState.TAKEN_DOWN: "taken down",
}


def iterate_report(party: Party, plan: ReleasePlan) -> Iterator[str]:
    """The lines of the report; images that nobody annotated are not in it."""
    yield f"{plan.name} would hold {format_count(len(plan.images), 'image')}:"
    yield from iterate_lines(plan)
    for sentence in plan.notes.forced:
        yield f"It would need --force: {sentence}."
    reasons = {it.image_id: re.sub("[0-9]+", "N", it.reason) for it in plan.left_out}
    known = {image.row.id for image in plan.images}
    with party.catalogue.reading() as session:
        columns = select(Image.id, Image.state, Image.annotation_id)
        found = session.execute(columns.where(Image.annotation_id.is_not(None))).all()
        for image in found:
            if image.state in _REASONS:
                reasons.setdefault(image.id, _REASONS[image.state])
            elif image.state in RELEASABLE and image.id not in known:
                reasons.setdefault(image.id, "not chosen by --class and --limit")
        drawn = {it.id: it.annotation_id for it in found if it.id in reasons}
        rows = {row.id: row for row in load_images(session, drawn)}
    yield f"Left out: {format_count(len(reasons), 'annotated image')}."
    for reason, count in sorted(Counter(reasons.values()).items()):
        ids = [image_id for image_id, it in reasons.items() if it == reason]
        classes = Counter(it.class_name for key in ids if key in rows for it in rows[key].objects)
        objects = ", ".join(f"{name} {number}" for name, number in sorted(classes.items()))
        yield f"  {format_count(count, 'image')}: {reason}; objects: {objects or 'none'}"
