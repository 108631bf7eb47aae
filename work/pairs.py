"""Two boxes that lie on one another: whether both are right, or one of them is removed.

Such a pair is a finding of the automatic checks. A person decides about pairs of images that passed
a check; in others the checker sees the finding beside the boxes. Who drew an image decides about
none of its pairs, but who removed a box of a pair may go on with the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, exists, func, select

from catalog.decisions import decide
from catalog.image_store import digest_of
from catalog.refusals import ForbiddenError, NotFoundError, StaleError
from catalog.sentences import say
from catalog.states import DecisionKind, FindingVerdict, ImageState, Role, Verdict
from catalog.stuck import is_stuck
from catalog.tables import Annotation, Finding, Image, Object, Review
from qa import finding_rows
from qa.check_list import enabled_checks
from qa.difficulty import follow_difficulty
from qa.finding_rows import Place

from .blind import select_hidden
from .leases import lock_work
from .reviews import find_verdict, move_gold
from .revision_rows import add_revision, load_head, read_objects
from .seen import may_see
from .setting_aside import set_reviews_aside, set_revisions_aside
from .shown import describe_version
from .visit import Visit


class Keep(StrEnum):
    """What stays of a pair."""

    BOTH = "both"
    FIRST = "first"
    SECOND = "second"


@dataclass(frozen=True)
class Pair:
    """A finding about two objects, as they are in the newest revision; None where one is gone."""

    finding: Finding
    image: Image
    first: Object | None
    second: Object | None

    @property
    def kept(self) -> Keep | None:
        """What stays, where that is decided."""
        if self.first is None or self.second is None:
            return Keep.SECOND if self.first is None else Keep.FIRST
        return Keep.BOTH if self.finding.verdict is FindingVerdict.WRONG else None

    @property
    def version(self) -> str:
        """It changes when a box or a class does, or what was decided; not with other objects."""
        looks = [
            item and (item.object_key, item.class_today, item.box.xyxy)
            for item in (self.first, self.second)
        ]
        return describe_version(self.finding.id, *looks, self.kept)


def list_pairs(
    visit: Visit, *, check: str | None = None, past: Place | None = None, limit: int
) -> list[Pair]:
    """Open pairs for the visitor, in the order of the findings; those of one check where named."""
    rows = finding_rows.list_findings(
        visit.session,
        checks=_name_checks(visit, check),
        past=past,
        where=_is_for(visit),
        limit=limit,
    )
    return [_load_pair(visit, row) for row in rows]


def count_pairs(visit: Visit, check: str | None = None) -> tuple[int, int]:
    """How many open pairs wait for the visitor, and how many others have to; as list_pairs."""
    checks = _name_checks(visit, check)
    is_pair = (
        Finding.other_key.is_not(None),
        Finding.check_name.in_(checks),
        finding_rows.is_open(),
    )
    counted = select(func.count(Finding.id)).where(*is_pair, ~finding_rows.is_of_released())
    mine = visit.session.scalar(counted.where(_is_for(visit))) or 0
    return mine, (visit.session.scalar(counted) or 0) - mine


def _name_checks(visit: Visit, check: str | None) -> list[str]:
    """The checks that are on, or the one alone."""
    on = [rule.name for rule in enabled_checks(visit.settings)]
    return on if check is None else [check]


def get_pair(visit: Visit, finding_id: int) -> Pair:
    """The pair as it is now; a read-only operation.

    Raises NotFoundError where the finding is about no pair that the visitor may see.
    """
    row = visit.session.get(Finding, finding_id)
    is_seen = may_see(visit) & (Image.state != ImageState.TAKEN_DOWN)
    if row is None or row.other_key is None or row.image_id is None:
        raise _no_pair(finding_id)
    if visit.session.scalar(select(Image.id).where(Image.id == row.image_id, is_seen)) is None:
        raise _no_pair(finding_id)
    return _load_pair(visit, row)


def lock_pair(visit: Visit, finding_id: int) -> Pair:
    """As get_pair; no other transaction changes it until this one ends."""
    pair = get_pair(visit, finding_id)
    lock_work(visit, [pair.image.id])
    visit.session.refresh(pair.image)
    visit.session.refresh(pair.finding, with_for_update=True)
    return _load_pair(visit, pair.finding)


def settle_pair(visit: Visit, finding_id: int, keep: Keep, took_secs: float = 0.0) -> Pair:
    """The pair after the decision: a false alarm, or a new revision without the other box.

    Raises ForbiddenError for a pair that is not the visitor's to decide.
    """
    pair = lock_pair(visit, finding_id)
    if not visit.session.scalar(select(Finding.id).where(Finding.id == finding_id, _is_for(visit))):
        raise ForbiddenError(
            say("This pair is not yours to decide: you drew its image, or it is not checked.")
        )
    is_alarm = keep is not Keep.BOTH
    finding_rows.judge_finding(
        visit.session,
        finding_id,
        FindingVerdict.RIGHT if is_alarm else FindingVerdict.WRONG,
        person_id=visit.person.id,
        at=visit.at,
    )
    if is_alarm:
        finding = pair.finding
        gone_key = finding.object_key if keep is Keep.FIRST else finding.other_key
        _remove(visit, pair, gone_key, took_secs)
    return _load_pair(visit, pair.finding)


def take_pair_back(visit: Visit, finding_id: int) -> Pair:
    """The pair before the visitor's decision, which is set aside.

    Raises StaleError where it is another person's, or the image was changed since.
    """
    pair = lock_pair(visit, finding_id)
    if pair.kept is not Keep.BOTH:
        _put_back(visit, pair)
    elif pair.finding.person_id != visit.person.id:
        raise _not_yours()
    finding_rows.judge_finding(
        visit.session, finding_id, None, person_id=visit.person.id, at=visit.at
    )
    return _load_pair(visit, pair.finding)


def _is_for(visit: Visit) -> ColumnElement[bool]:
    """Whether a Finding is about a pair that the visitor may decide about."""
    me = visit.person.id
    removed = select(Review.fixed_annotation_id).where(
        Review.person_id == me, Review.is_of_pair, Review.fixed_annotation_id.is_not(None)
    )
    has_drawn = exists().where(
        Annotation.image_id == Image.id,
        Annotation.person_id == me,
        Annotation.is_stale.is_(False),
        Annotation.id.not_in(removed),
    )
    of_others = select(Image.id).where(
        Image.state == ImageState.CHECKED,
        Image.id.not_in(select_hidden(visit)),
        ~has_drawn,
        ~is_stuck(),
    )
    return Finding.other_key.is_not(None) & Finding.image_id.in_(of_others)


def _load_pair(visit: Visit, row: Finding) -> Pair:
    """The finding's two objects as they are now."""
    image = visit.session.get_one(Image, row.image_id)
    keys = (row.other_key, row.object_key)
    of_head = (Object.annotation_id == image.annotation_id, Object.object_key.in_(keys))
    items = {
        item.object_key: item for item in visit.session.scalars(select(Object).where(*of_head))
    }
    first, second = (items.get(key or "") for key in keys)
    return Pair(row, image, first, second)


def _remove(visit: Visit, pair: Pair, gone_key: str | None, took_secs: float) -> None:
    """Save the image without the object, as a correction of what was checked."""
    head = load_head(visit.session, pair.image)
    assert head is not None
    before = find_verdict(visit.session, pair.image.id)
    corrected = add_revision(
        visit,
        pair.image,
        head,
        [item for item in read_objects(head) if item.key != gone_key],
        (ImageState.CHECKED, None),
        save_key=digest_of(visit.tokens().encode()),
        is_finished=True,
        unsure_classes=list(head.unsure_classes),
        taster=head.taster,
    )
    if corrected.is_stale:
        raise _changed()
    if visit.person.role is Role.ORGANISER:
        move_gold(visit.session, pair.image.id, head.id, corrected.id)
    review = Review(
        annotation_id=head.id,
        person_id=visit.person.id,
        role=visit.person.role,
        save_key=digest_of(visit.tokens().encode()),
        verdict=Verdict.FIXED,
        is_complete=before.is_complete if before else None,
        is_of_pair=True,
        object_verdicts=_list_verdicts(before, gone_key),
        fixed_annotation_id=corrected.id,
        active_secs=took_secs,
        reviewed_at=visit.at,
    )
    visit.session.add(review)
    visit.session.flush()
    about = {"annotation_id": head.id, "review_id": review.id}
    image_id = pair.image.id
    decide(visit.session, image_id, DecisionKind.FIXED, at=visit.at, person=visit.person, **about)
    visit.changed.add(image_id)


def _list_verdicts(before: Review | None, gone_key: str | None) -> list[dict[str, Any]]:
    """What was said of each object before, but that the one is no object."""
    rest: Sequence[dict[str, Any]] = before.object_verdicts if before else ()
    gone = {"object_key": gone_key, "verdict": "reject", "comment": "", "judged": True}
    return [*(said for said in rest if said["object_key"] != gone_key), gone]


def _put_back(visit: Visit, pair: Pair) -> None:
    """Let the image have the removed box again; raises StaleError."""
    image = pair.image
    review = find_verdict(visit.session, image.id)
    gone_key = pair.finding.other_key if pair.first is None else pair.finding.object_key
    if review is None or not review.is_of_pair or review.person_id != visit.person.id:
        raise _not_yours()
    is_last = review.fixed_annotation_id == image.annotation_id
    if (
        not is_last
        or review.object_verdicts[-1]["object_key"] != gone_key
        or image.state is not ImageState.CHECKED
    ):
        raise _changed()
    assert review.fixed_annotation_id is not None
    move_gold(visit.session, image.id, review.fixed_annotation_id, review.annotation_id)
    set_reviews_aside(visit.session, [review.id], at=visit.at)
    set_revisions_aside(visit.session, [review.fixed_annotation_id], at=visit.at)
    image.annotation_id = review.annotation_id
    visit.session.flush()
    decide(visit.session, image.id, DecisionKind.TAKEN_BACK, at=visit.at, person=visit.person)
    visit.session.refresh(image)
    visit.changed.add(image.id)
    follow_difficulty(visit.session, image.id)


def _no_pair(finding_id: int) -> NotFoundError:
    return NotFoundError(say("Finding {finding_id} does not exist.", finding_id=finding_id))


def _changed() -> StaleError:
    return StaleError(say("Another person changed the image meanwhile. Look at it again."))


def _not_yours() -> StaleError:
    return StaleError(say("Your decision is not the last one about this image any more."))
