"""The organiser's word on near-duplicates, obeyed at once; dedup.review says what is shown."""

from __future__ import annotations

from catalog.tables import PairLabel
from dedup.decisions import find_decision
from dedup.errors import LabelError
from dedup.labels import Verdict, label_pair, undo_label

from .errors import InvalidError, NotFoundError, StalePairError
from .visit import Visit


def save_pair_label(
    visit: Visit, image_ids: tuple[int, int], verdict: Verdict, shown: str | None
) -> PairLabel:
    """The label; `shown` is the relation that the person saw when they decided.

    Raises StalePairError where another relation holds by now, NotFoundError where an image is not
    there, InvalidError where both are one.
    """
    if image_ids[0] == image_ids[1]:
        raise InvalidError("other_id is wrong: it is the same image.", field="other_id")
    decision = find_decision(visit.session, *image_ids)
    if (None if decision is None else decision.relation) != shown:
        raise StalePairError("This pair was decided on in between; look at it again.")
    try:
        return label_pair(
            visit.session, *image_ids, verdict, person_id=visit.person.id, at=visit.at
        )
    except LabelError as error:
        raise NotFoundError(str(error)) from error


def take_back_pair_label(visit: Visit, label_id: int) -> bool:
    """Whether the label held until now; raises NotFoundError where there is none."""
    if visit.session.get(PairLabel, label_id) is None:
        raise NotFoundError("There is no such label.")
    return undo_label(visit.session, label_id, at=visit.at)
