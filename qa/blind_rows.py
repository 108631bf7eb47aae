"""Blind tasks: an image annotated once more without its first annotation being displaced.

What the person draws are revisions beside the others (`beside`); image.annotation_id and the
image's state stay as they are, and a page cannot tell a blind task from any other image.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime

from sqlalchemy import BindParameter, ColumnElement, bindparam, exists, func, or_, select, update
from sqlalchemy.orm import Session

from catalog.locks import lock_free_images
from catalog.settings import QaSettings
from catalog.states import Beside, BlindKind, ImageState, LeaseKind
from catalog.stuck import about_image, is_stuck
from catalog.tables import Annotation, BlindTask, GoldImage, Image, Lease, Origin

from .asked import load_pairs
from .gold import GoldScore, score_answer
from .seen import has_seen

DOUBLED_STATES = (ImageState.ANNOTATED, ImageState.CHECKING, ImageState.CHECKED)
_DIGITS = 12
_IS_ITS_IMAGE = GoldImage.image_id == Image.id
_IS_GIVEN_OUT = (GoldImage.ended_at.is_(None), Image.state != ImageState.TAKEN_DOWN, ~is_stuck())

_PERSON: BindParameter[int] = bindparam("person_id")
_IS_NEW = ~has_seen(_PERSON)


_WAS_DRAWN = exists().where(Annotation.image_id == Image.id, Annotation.active_secs > 0)
_OF_DOUBLE = (  # asked with every new image, so made once
    select(Image.id)
    .where(
        or_(
            Image.state.in_(DOUBLED_STATES)
            & (Image.sha256 < bindparam("double_limit"))
            & _WAS_DRAWN,
            (Image.state == ImageState.DISCARDED)
            & (Image.sha256 < bindparam("discard_limit"))
            & _WAS_DRAWN,
            Image.state.in_(DOUBLED_STATES)
            & (Image.sha256 < bindparam("imported_limit"))
            & exists().where(Origin.image_id == Image.id),
        ),
        ~exists().where(
            BlindTask.image_id == Image.id,
            BlindTask.kind == BlindKind.DOUBLE,
            or_(
                BlindTask.finished_at.is_not(None),
                exists().where(
                    Lease.image_id == BlindTask.image_id,
                    Lease.person_id == BlindTask.person_id,
                    Lease.kind == LeaseKind.BLIND,
                    Lease.expires_at > bindparam("at"),
                ),
            ),
        ),
        ~exists().where(GoldImage.image_id == Image.id, GoldImage.ended_at.is_(None)),
        Image.taster.is_(None),  # two people may well choose other persons
        _IS_NEW,
        ~is_stuck(),
    )
    .order_by(Image.sha256)
    .limit(1)
)


@dataclass(frozen=True)
class TrainingProgress:
    """How far a new person is: training images to pass, passed, and tried without passing."""

    needed: int
    passed: int
    tried: int

    @property
    def is_done(self) -> bool:
        """Whether the person may begin."""
        return self.passed >= self.needed


def double_limit(share: float) -> str:
    """The digest below which images are annotated twice; a larger share only adds images."""
    return "g" if share >= 1 else f"{int(share * 16**_DIGITS):0{_DIGITS}x}"


def take_blind_task(
    session: Session,
    person_id: int,
    settings: QaSettings,
    *,
    at: datetime,
    draw: float,
) -> BlindTask | None:
    """The blind task that the person gets now instead of a new image, or None.

    A gold image where `draw`, even between 0 and 1, falls below the share of gold; else an image
    that is to be annotated twice and was once, by another. Never one that they had before; the
    caller has seen that they hold none.
    """
    kind = BlindKind.GOLD
    image_id = None
    if draw < settings.gold_share:
        image_id = _find_gold(session, person_id, is_training=False)
    if image_id is None:
        kind = BlindKind.DOUBLE
        image_id = _claim_double(session, person_id, settings, at)
    if image_id is None:
        return None
    return _add_task(session, image_id, person_id, kind, at)


def take_training(session: Session, person_id: int, *, at: datetime) -> BlindTask | None:
    """The training image that a new person annotates next, or None where none is left."""
    held = find_held_blind(session, person_id)
    if held is not None:
        return held
    image_id = _find_gold(session, person_id, is_training=True)
    if image_id is None:  # or another window of theirs got the last one since we looked
        return find_held_blind(session, person_id)
    return _add_task(session, image_id, person_id, BlindKind.TRAINING, at)


def find_held_blind(session: Session, person_id: int) -> BlindTask | None:
    """The person's unfinished blind task, or None; one whose lease ran out comes back."""
    return session.scalar(_HELD, {"person_id": person_id})


_HELD = (
    select(BlindTask)
    .join(Image, Image.id == BlindTask.image_id)
    .where(
        BlindTask.person_id == bindparam("person_id"),
        BlindTask.finished_at.is_(None),
        Image.state != ImageState.TAKEN_DOWN,
        ~is_stuck(),
    )
    .order_by(BlindTask.id)
    .limit(1)
)


def find_blind_of(session: Session, person_id: int, image_id: int) -> BlindTask | None:
    """The person's blind task on this image, finished or not, or None."""
    mine = (BlindTask.person_id == person_id, BlindTask.image_id == image_id)
    return session.scalar(select(BlindTask).where(*mine))


def keep_blind_answer(
    session: Session, task: BlindTask, annotation: Annotation, *, at: datetime
) -> BlindTask:
    """The task with its newest revision, which displaces nothing; its score is kept later."""
    annotation.beside = Beside.BLIND
    session.flush()
    task.annotation_id = annotation.id
    if annotation.is_finished:
        task.finished_at = at
    session.flush()
    return task


def score_blind_answer(session: Session, annotation: Annotation) -> GoldScore | None:
    """How the finished answer to a gold or training image compares with its reference.

    None for any other revision, and where the reference was undone. A read-only operation.
    """
    of_answer = (BlindTask.annotation_id == annotation.id, BlindTask.finished_at.is_not(None))
    scored = select(BlindTask).where(*of_answer, BlindTask.kind != BlindKind.DOUBLE)
    task = session.scalar(scored)
    if task is None or task.reference_id is None:  # the reference was undone
        return None
    # who discards the image says that nothing is to be found
    drawn_id = None if annotation.discard_reason else annotation.id
    [pair] = load_pairs(session, [(drawn_id, task.reference_id)])
    return score_answer(*pair)


def list_unscored(session: Session) -> list[tuple[int, GoldScore]]:
    """The finished answers whose score was not kept, since a server was killed then, and the score.

    A read-only operation.
    """
    waits = (BlindTask.finished_at.is_not(None), BlindTask.is_passed.is_(None))
    answers = select(Annotation).join(BlindTask, BlindTask.annotation_id == Annotation.id)
    scores = [
        (annotation.id, score_blind_answer(session, annotation))
        for annotation in session.scalars(answers.where(*waits).order_by(Annotation.id))
    ]
    return [(annotation_id, score) for annotation_id, score in scores if score is not None]


def keep_score(
    session: Session, annotation_id: int, score: GoldScore, settings: QaSettings
) -> None:
    """Keep the score of an answer, unless it was opened again meanwhile."""
    of_answer = (BlindTask.annotation_id == annotation_id, BlindTask.finished_at.is_not(None))
    passed = {"score": asdict(score), "is_passed": score.is_passed(settings.training_found)}
    session.execute(update(BlindTask).where(*of_answer).values(passed))


def load_training_progress(
    session: Session, person_id: int, settings: QaSettings
) -> TrainingProgress:
    """How far the person is; no more is asked for than there are training images to be given."""
    training = (GoldImage.is_training.is_(True), *_IS_GIVEN_OUT)
    offered = session.scalar(
        select(func.count()).select_from(GoldImage).join(Image, _IS_ITS_IMAGE).where(*training)
    )
    verdicts = session.scalars(
        select(BlindTask.is_passed).where(
            BlindTask.person_id == person_id,
            BlindTask.kind == BlindKind.TRAINING,
            BlindTask.is_passed.is_not(None),
        )
    ).all()
    passed = sum(bool(verdict) for verdict in verdicts)
    needed = min(settings.training_images, offered or 0)
    return TrainingProgress(needed, passed, len(verdicts) - passed)


def find_reference(session: Session, image_id: int) -> int | None:
    """The first finished revision of the image, before a checker's word could change anything."""
    is_own = (Annotation.is_finished.is_(True), Annotation.is_stale.is_(False))
    return session.scalar(
        select(func.min(Annotation.id)).where(Annotation.image_id == image_id, *is_own)
    )


def _add_task(
    session: Session, image_id: int, person_id: int, kind: BlindKind, at: datetime
) -> BlindTask:
    """The new task of the person, who holds no other: of their requests one waits for the next."""
    if kind is BlindKind.DOUBLE:
        reference_id = find_reference(session, image_id)
    else:
        with about_image(image_id):
            reference_id = session.get_one(GoldImage, image_id).annotation_id
    task = BlindTask(
        image_id=image_id,
        person_id=person_id,
        kind=kind,
        reference_id=reference_id,
        taken_at=at,
    )
    with about_image(image_id):
        session.add(task)
        session.flush()
    return task


def _find_gold(session: Session, person_id: int, *, is_training: bool) -> int | None:
    """The gold image that fewest people had so far, of those that the person never saw."""
    answers = select(func.count()).where(BlindTask.image_id == GoldImage.image_id).scalar_subquery()
    return session.scalar(
        select(Image.id)
        .join(GoldImage, _IS_ITS_IMAGE)
        .where(GoldImage.is_training.is_(is_training), *_IS_GIVEN_OUT, _IS_NEW)
        .order_by(answers, Image.id)
        .limit(1),
        {"person_id": person_id},
    )


def _claim_double(
    session: Session, person_id: int, settings: QaSettings, at: datetime
) -> int | None:
    """An image that another annotated once; locked until the end, so that one person gets it.

    None also where another transaction is busy with the first such image.
    """
    limits = {
        "double_limit": double_limit(settings.double_share),
        "discard_limit": double_limit(settings.discard_share),
        "imported_limit": double_limit(settings.imported_share),
    }
    asked = {"person_id": person_id, "at": at, **limits}
    locked_id = None
    while (image_id := session.scalar(_OF_DOUBLE, asked)) != locked_id:
        if not lock_free_images(session, [image_id] if image_id else []):
            return None
        locked_id = image_id  # one that another person took since we looked is not found again
    return locked_id


def is_due_discard(settings: QaSettings) -> ColumnElement[bool]:
    """Whether an image is a discard of the share that other people judge too."""
    below = Image.sha256 < double_limit(settings.discard_share)
    return (Image.state == ImageState.DISCARDED) & below
