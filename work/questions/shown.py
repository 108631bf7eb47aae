"""What a page shows of a question, by which the server notices an answer to something else."""

from __future__ import annotations

from sqlalchemy import or_, select
from sqlalchemy.orm import aliased

from catalog.box import Box
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.states import ImageState, QuestionKind, Said, SuggestionKind
from catalog.suggested import stands
from catalog.tables import Image, Question, QuestionAnswer, Suggestion, SuggestionSet
from work.shown import describe_version
from work.visit import Visit

from .asked import Asked
from .waiting import has_answer


def find_asked(visit: Visit, question_id: int) -> Asked:
    """A question that was put to the visitor, as a page shows it now.

    Raises NotFoundError, also where the photograph was taken down.
    """
    question = visit.session.get(Question, question_id)
    if question is None or question.person_id != visit.person.id:
        raise _not_asked()
    image = visit.session.get_one(Image, question.image_id)
    if image.state is ImageState.TAKEN_DOWN:
        raise _not_asked()
    return _show(visit, question, image)


def lock_asked(visit: Visit, question_id: int) -> Asked:
    """As a page shows it now; no other window answers it until this transaction ends.

    Raises NotFoundError for the question of another person.
    """
    question = lock_own(visit, question_id)
    return _show(visit, question, visit.session.get_one(Image, question.image_id))


def lock_own(visit: Visit, question_id: int) -> Question:
    """The visitor's question, which no other window answers meanwhile; raises NotFoundError."""
    mine = select(Question).where(Question.id == question_id, Question.person_id == visit.person.id)
    question = visit.session.scalar(mine.with_for_update(key_share=True))
    if question is None:
        raise _not_asked()
    return question


def _not_asked() -> NotFoundError:
    return NotFoundError(say("You were not asked this question. Reload the page."))


def version_of_question(visit: Visit, asked: Asked) -> str:
    """It changes with the picture, the class, the box and the boxes that are known beside it.

    One's own answer leaves it as it is, so that an answer can be sent again or corrected.
    """
    question = asked.question
    return describe_version(
        question.id,
        question.kind.value,
        asked.image.sha256,
        visit.party.classes.today(question.class_id),
        question.box.xyxy,
        [box.xyxy for box in asked.others],
    )


def list_others(visit: Visit, question: Question) -> tuple[Box, ...]:
    """The boxes of the class in the question's image that are known, but the one drawn for it.

    They are those of sets that are on which nobody called wrong; what a person drew otherwise than
    right is drawn again.
    """
    about = aliased(Question)
    of_it = about.suggestion_id == Suggestion.id
    wrong = select(about.id).where(of_it, has_answer(about, QuestionAnswer.said == Said.WRONG))
    otherwise = select(about.id).where(of_it, has_answer(about, QuestionAnswer.said != Said.RIGHT))
    members = visit.party.classes.members(visit.party.classes.today(question.class_id))
    known = (
        select(Suggestion)
        .join(SuggestionSet, SuggestionSet.id == Suggestion.set_id)
        .where(
            Suggestion.image_id == question.image_id,
            Suggestion.id != (question.suggestion_id or 0),
            Suggestion.class_id.in_(members),
            SuggestionSet.is_shown,
            stands(),
            ~wrong.correlate(Suggestion).exists(),
            or_(
                SuggestionSet.kind != SuggestionKind.DRAWN,
                ~otherwise.correlate(Suggestion).exists(),
            ),
        )
        .order_by(Suggestion.id)
    )
    return tuple(row.box for row in visit.session.scalars(known))


def _show(visit: Visit, question: Question, image: Image) -> Asked:
    is_box = question.kind is QuestionKind.BOX
    return Asked(question, image, () if is_box else list_others(visit, question))
