"""How often checkers err: verdicts that another checker repeats blind, and on gold images."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, case, exists, false, func, select
from sqlalchemy.orm import Session

from catalog.settings import QaSettings
from catalog.states import DecisionKind, ImageState, LeaseKind, Verdict
from catalog.tables import Annotation, Decision, GoldImage, Image, Lease, Review

from .blind_rows import double_limit
from .corrections import CheckedWork
from .work import get_passed, list_verdicts, load_work

_FIRST_DIGIT = 53  # of the share, in the digest; its front chooses what is annotated twice
_IS_GOLD = (GoldImage.ended_at.is_(None), GoldImage.is_training.is_(False))


def is_due_again(
    settings: QaSettings, person_id: int, *, with_gold: bool = False
) -> ColumnElement[bool]:
    """Whether the person is to check a checked image as if it were not: of a share, or gold.

    Each image of the share gets a second checker, not a third; gold ones come to every checker.
    """
    of_image = (Annotation.image_id == Image.id, Review.annotation_id == Annotation.id)
    # Sums: a search by person would read every verdict that the person ever gave.
    passed = func.sum(case((Review.verdict != Verdict.RETURNED, 1), else_=0))
    of_others = passed * func.min(case((Review.person_id == person_id, 0), else_=1))
    of_whole = Review.set_aside_at.is_(None) & Review.is_of_pair.is_(False)
    verdicts = select(of_others).where(*of_image, of_whole)
    is_due = _is_repeated(settings) & (verdicts.scalar_subquery() == 1)
    is_head = GoldImage.annotation_id == Image.annotation_id
    is_gold = exists().where(GoldImage.image_id == Image.id, is_head, *_IS_GOLD)
    had = exists().where(*of_image, Review.person_id == person_id)
    return is_due | (is_gold & ~had if with_gold else false())


def is_repeat(session: Session, lease: Lease, settings: QaSettings) -> bool:
    """Whether a lease is for such a check, so that its page must not tell of earlier verdicts."""
    was_checked = lease.returns_to is ImageState.CHECKED or _is_released_since(session, lease)
    if lease.kind is not LeaseKind.CHECK or not was_checked:
        return False
    due = is_due_again(settings, lease.person_id, with_gold=True)
    return session.scalar(select(Image.id).where(Image.id == lease.image_id, due)) is not None


def _is_released_since(session: Session, lease: Lease) -> bool:
    """Whether a release was made of the image while the lease lasted."""
    since = select(Decision.id).where(
        Decision.image_id == lease.image_id,
        Decision.kind == DecisionKind.RELEASED,
        Decision.decided_at >= lease.acquired_at,
        Decision.set_aside_at.is_(None),
    )
    return session.scalar(since.limit(1)) is not None


def has_gold(session: Session) -> bool:
    """Whether any image may be given out as gold."""
    return session.scalar(select(GoldImage.image_id).where(*_IS_GOLD).limit(1)) is not None


def load_checkers_work(session: Session, settings: QaSettings) -> list[CheckedWork]:
    """What checkers let pass, each next to what it should be, in order of the verdicts.

    That is the gold reference where they saw that one, else what checking settled on after a second
    checker. The `author_id` is the checker whose verdict is measured.
    """
    repeated = set(session.scalars(select(Image.id).where(_is_repeated(settings))))
    chosen = select(GoldImage).where(GoldImage.is_training.is_(False))
    golds = {gold.image_id: gold for gold in session.scalars(chosen)}
    measured: list[tuple[Review, int]] = []
    for verdicts in list_verdicts(session, with_pairs=False):
        passed = [pair for pair in verdicts if pair[1].verdict is not Verdict.RETURNED]
        if not passed:
            continue
        drawn = passed[0][0]
        if drawn.image_id in repeated and (pair := _find_repeat(verdicts)) is not None:
            first, last = pair
            measured.append((first, get_passed(last)))
        if gold := golds.get(drawn.image_id):
            measured += [
                (review, gold.annotation_id)
                for seen, review in passed
                if seen.id == gold.annotation_id and _is_by_another(review, gold)
            ]
    return load_work(
        session,
        [
            (review.person_id, review.reviewed_at, get_passed(review), right)
            for review, right in sorted(measured, key=lambda review: review[0].id)
        ],
    )


def _is_by_another(review: Review, gold: GoldImage) -> bool:
    """Whether the verdict tells of its checker, who did not choose the reference itself."""
    return review.reviewed_at >= gold.chosen_at and review.person_id != gold.person_id


def _find_repeat(verdicts: Sequence[tuple[Annotation, Review]]) -> tuple[Review, Review] | None:
    """The first verdict that let pass, and the one that settled what another checker saw in that.

    What was drawn anew before the other checker came, as for a campaign, is no error of the first.
    """
    passed = [
        at for at, (_, verdict) in enumerate(verdicts) if verdict.verdict is not Verdict.RETURNED
    ]
    first = verdicts[passed[0]][1]
    for at, (seen, review) in enumerate(verdicts):
        if at > passed[0] and seen.id == get_passed(first) and review.person_id != first.person_id:
            last = next((verdicts[place][1] for place in passed if place >= at), first)
            return (first, last) if last.person_id != first.person_id else None
    return None


def _is_repeated(settings: QaSettings) -> ColumnElement[bool]:
    limit = double_limit(settings.repeat_share)
    return func.substr(Image.sha256, _FIRST_DIGIT) < limit
