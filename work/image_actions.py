"""What an organiser does with images that were looked up: one, or all that a filter found."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from catalog.decisions import (
    REOPENED,
    decide,
    fold_decisions,
    follow,
    load_decisions,
    place_draft,
)
from catalog.image_store import digest_of
from catalog.refusals import InvalidError, RefusedError, StaleError
from catalog.sentences import Sentence, name_term, say
from catalog.states import DecisionKind, ImageState, LeaseKind, Verdict
from catalog.tables import Annotation, Decision, Image, Photo
from catalog.transitions import move_image
from collect.takedown.job import withdraw_photos
from qa.difficulty import follow_difficulty
from work.bodies import ReviewBody
from work.visit import Visit

from .leases import lock_work, take_lease
from .remarks import get_finished
from .reviews import Reviewed, save_review
from .revision_rows import add_revision, get_image, load_head, read_objects
from .setting_aside import set_reviews_aside, set_revisions_aside
from .shown import version_of_image

RETURNABLE = (ImageState.ANNOTATED, ImageState.CHECKED)
UNDOABLE = (DecisionKind.RETURNED, DecisionKind.REOPENED, DecisionKind.DISCARDED)
"""Decisions about an image that their organiser can take back while nothing came after them."""
_DISCARDABLE = (ImageState.POOL, ImageState.RETURNED, *RETURNABLE, ImageState.RELEASED)
_CHANGED = say("another person just changed it.")


def return_to_author(visit: Visit, annotation_id: int, comment: str) -> Image:
    """The image, back with its author with the organiser's comment: a review like any other.

    Raises StaleError where the image is leased or was saved since, ForbiddenError
    for one's own work, InvalidError without a comment.
    """
    if not comment.strip():
        raise InvalidError(
            say("The comment is missing. Write what should be changed."), field="comment"
        )
    annotation = get_finished(visit.session, annotation_id)
    lock_work(visit, [annotation.image_id])
    image = visit.session.get_one(Image, annotation.image_id)
    lease = None
    if image.annotation_id == annotation.id and image.state in RETURNABLE:
        lease = take_lease(visit, image.id, image.state, LeaseKind.CHECK)
    if lease is None:
        message = say("Another person has this image open, or saved it meanwhile. Try again later.")
        raise StaleError(message)
    body = ReviewBody(
        save_key=digest_of(visit.tokens().encode()),
        annotation_id=annotation.id,
        verdict=Verdict.RETURNED,
        comment=comment.strip(),
    )
    reviewed = save_review(visit, image.id, body)
    assert isinstance(reviewed, Reviewed)
    return reviewed.image


def _return(visit: Visit, image: Image, comment: str) -> None:
    if image.annotation_id is None:
        raise InvalidError(say("it has no annotation yet."))
    return_to_author(visit, image.annotation_id, comment)


def reopen_image(visit: Visit, image: Image, words: str = "") -> None:
    """Let the image be worked on again; raises InvalidError where it is not finished."""
    if image.state not in REOPENED:
        rule = say("only discarded, checked and released images can be reopened")
        raise InvalidError(_say_rule(image, rule))
    _move(visit, image, DecisionKind.REOPENED, words or None)


def discard_image(visit: Visit, image: Image, reason: str) -> None:
    """Discard the image with what is drawn on it; raises InvalidError where it cannot be now."""
    if image.state not in _DISCARDABLE:
        raise InvalidError(_say_rule(image, say("it cannot be discarded now")))
    head = load_head(visit.session, image)
    objects = read_objects(head) if head else ()
    values: dict[str, Any] = {"save_key": digest_of(visit.tokens().encode())}
    values |= {"discard_reason": reason, "taster": head.taster if head else image.taster}
    step = image.state, ImageState.DISCARDED
    if add_revision(visit, image, head, objects, step, is_finished=True, **values).is_stale:
        raise InvalidError(_CHANGED)


def _take_down(visit: Visit, image: Image, reason: str) -> None:
    """As `vocparty takedown` of all its photos, whatever state it is in."""
    if image.state is ImageState.TAKEN_DOWN:
        raise InvalidError(say("it is already taken down."))
    why = f"takedown: {reason}"
    _move(visit, image, DecisionKind.TAKEN_DOWN, why)
    withdraw_photos(visit.session, Photo.image_id == image.id, reason=why)


def take_back(visit: Visit, image: Image, _words: str = "") -> None:
    """Undo the visitor's own last decision about the image, which then stands as it did before.

    Raises InvalidError where somebody else decided since, or the image is in use.
    """
    decisions = load_decisions(visit.session, [image.id])[image.id]
    standing = [decision for decision in decisions if decision.set_aside_at is None]
    last = standing[-1] if standing else None
    if last is None or last.person_id != visit.person.id or last.kind not in UNDOABLE:
        raise InvalidError(say("your decision is not the last one about it any more."))
    before = fold_decisions(standing[:-1])
    has_draft = image.annotation is not None and not image.annotation.is_finished
    if image.state is not fold_decisions(standing).state or has_draft:
        raise InvalidError(say("somebody has begun to work on it."))
    _set_aside(visit, last)
    if last.kind is DecisionKind.DISCARDED:
        discarded = visit.session.get_one(Annotation, last.annotation_id)
        image.annotation_id = discarded.parent_id
        visit.session.flush()
        visit.session.refresh(image)
        before = place_draft(before, image.annotation)
    step = image.state, before.state
    if not move_image(visit.session, image.id, *step, at=visit.at, reason=before.reason):
        raise InvalidError(_CHANGED)
    decide(visit.session, image.id, DecisionKind.TAKEN_BACK, at=visit.at, person=visit.person)
    visit.session.refresh(image)
    visit.changed.add(image.id)
    follow_difficulty(visit.session, image.id)


def _set_aside(visit: Visit, decision: Decision) -> None:
    """Let the decision count no more, nor the revision or the review that made it."""
    if decision.review_id is not None:
        set_reviews_aside(visit.session, [decision.review_id], at=visit.at)
    elif decision.annotation_id is not None:
        set_revisions_aside(visit.session, [decision.annotation_id], at=visit.at)
    else:
        decision.set_aside_at = visit.at


def _move(visit: Visit, image: Image, kind: DecisionKind, reason: str | None = None) -> None:
    """Let the image follow the organiser's decision, which is written down with the reason."""
    leaves = image.state
    enters = follow(kind, image.state)
    shown = reason if kind is DecisionKind.TAKEN_DOWN else None
    if not move_image(visit.session, image.id, leaves, enters, at=visit.at, reason=shown):
        raise InvalidError(_CHANGED)
    decide(visit.session, image.id, kind, at=visit.at, person=visit.person, reason=reason)
    visit.session.refresh(image)


def _say_rule(image: Image, rule: Sentence) -> Sentence:
    return say("it is {state}; {rule}.", state=name_term(image.state.words), rule=rule)


@dataclass(frozen=True)
class Done:
    """The images that an action changed, those that changed since they were shown, and refusals."""

    changed: list[int]
    changed_since: list[int]
    left: list[Sentence]


def act_on_images(visit: Visit, action: str, shown: Mapping[int, str], words: str) -> Done:
    """What became of the images, each with the version that the organiser was shown and confirmed.

    One that is at another version by now is left as it is.
    """
    act, _ = ACTIONS[action]
    done = Done([], [], [])
    lock_work(visit, shown)
    for image_id, version in sorted(shown.items()):
        try:
            with visit.session.begin_nested():
                image = _get_newest(visit, image_id)
                if version_of_image(image) != version:
                    done.changed_since.append(image_id)
                    continue
                act(visit, image, words)
            done.changed.append(image_id)
        except RefusedError as error:
            message = say(
                "Image {image_id} is unchanged: {why}", image_id=image_id, why=error.message
            )
            done.left.append(message)
    return done


def compare_images(visit: Visit, shown: Mapping[int, str]) -> tuple[list[int], list[int]]:
    """The images that are as they were shown, locked until the transaction ends; the others.

    Raises NotFoundError for one that does not exist.
    """
    as_shown = list[int]()
    changed_since = list[int]()
    lock_work(visit, shown)
    for image_id, version in sorted(shown.items()):
        is_same = version_of_image(_get_newest(visit, image_id)) == version
        (as_shown if is_same else changed_since).append(image_id)
    return as_shown, changed_since


def _get_newest(visit: Visit, image_id: int) -> Image:
    image = get_image(visit.session, image_id)
    visit.session.refresh(image)
    return image


ACTIONS: dict[str, tuple[Callable[[Visit, Image, str], None], Sentence]] = {
    "return": (_return, say("returned")),
    "reopen": (reopen_image, say("reopened")),
    "discard": (discard_image, say("discarded")),
    "take_down": (_take_down, say("taken down")),
    "undo": (take_back, say("as before")),
}
"""What is done with an image, and the word for it once it is done."""
