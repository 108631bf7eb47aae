"""Questions of a hierarchy: pages of thumbnails that show something or not."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from annotate_ui.guard import EVERYBODY
from catalog.hierarchy import ROOT, Node, read_node
from catalog.preset import ClassSpec
from catalog.refusals import InvalidError, NotFoundError
from catalog.sentences import say
from catalog.specs import GroupSpec
from catalog.states import NodeKind, Role
from catalog.tables import Image, Person
from qa.verifiers import Verifier
from work.bodies import Body, Id
from work.people import get_person_of
from work.presence import pages
from work.presence.plans import Plan
from work.presence.status import load_people, load_status
from work.presence.taking_back import TakenBack, take_back, take_back_all, version_of_answers
from work.visit import Visit

from .addresses import image_url
from .answers import Share, answer_each, format_share
from .names import Term, show_name
from .presence import Thumbnail
from .schemas import Answer, Now, Reply, Routes, Shown, VersionBody

blueprint = Routes("presence_questions", __name__, url_prefix="/presence")
LONGEST_MS = 3_600_000
_MOST_NAMED = 40


class TakeBody(Body):
    """A new page is asked for."""


class SeenImage(Body):
    """Whether an image shows what was asked for."""

    image_id: Id
    is_yes: bool


class PageBody(Body):
    """What a person saw on a page: its plan, its question, and an answer for each image."""

    plan: Id
    node: Annotated[str, Field(max_length=120)]
    took_ms: Annotated[int, Field(ge=0, le=LONGEST_MS)]
    answers: Annotated[tuple[SeenImage, ...], Field(min_length=1, max_length=pages.THUMBNAILS)]


class UndoPageBody(Body):
    """One's own answers that are taken back."""

    answer_ids: Annotated[tuple[Id, ...], Field(min_length=1, max_length=pages.THUMBNAILS)]


class QuestionPage(Answer):
    """A question and the images that it is asked of; `node` is null where nothing is left to ask.

    A question about a group says which classes it `includes`, without those that its words name;
    `not_named` are so many more that there is no place for them. `waiting` images have an open
    question, of this kind or another.
    """

    plan: int
    node: str | None
    words: Term
    display: Term
    synonyms: tuple[Term, ...]
    examples: tuple[Term, ...]
    short_rule: Term
    includes: tuple[Term, ...]
    not_named: int
    images: list[Thumbnail]
    waiting: int


class PageKept(Answer):
    """The images of which the answer was kept, the answers, and the images that were discarded."""

    kept: list[int]
    answer_ids: list[int]
    discarded: list[int]


class PageUndone(Answer):
    """How many answers were taken back, and what followed, as ids of images.

    `images` wait again, `discarded` are empty by the answers that are left, and `drawn` have a box
    of a class that is open again.
    """

    undone: int
    images: list[int]
    discarded: list[int]
    drawn: list[int]


class ClassStatus(Answer):
    """Of how many images it is settled that they show a class."""

    id: str
    display: Term
    yes: int


class PersonStatus(Answer):
    """A person's answers: `passed` of the gold images without it called yes, `refused` those with.

    `version` is what a request to take them back names.
    """

    id: int
    name: str
    answers: int
    secs: float
    passed: Share
    refused: Share
    is_suspect: bool
    version: str


class QuestionStatus(Answer):
    """How many images there are to ask about, how many are settled, and what it took.

    Only organisers are told of `people`.
    """

    images: int
    done: int
    answers: int
    classes: list[ClassStatus]
    people: list[PersonStatus]


def _require_questions(visit: Visit) -> None:
    if not visit.party.settings.questions.on:
        raise NotFoundError(say("This party does not ask which images show what."))


@blueprint.on_post("/questions/take", *EVERYBODY, answers=QuestionPage)
def take_page(visit: Visit, body: TakeBody) -> Reply:
    """The next question for the visitor, and the images that it is asked of."""
    _require_questions(visit)
    page = pages.take_page(visit)
    images = answer_each(visit, page.images, _make_thumbnail, lambda image: image.id)
    node = page.node
    spec = _find_spec(visit, node)
    words = page.plan.words[node] if node else ""
    included = _list_included(visit, page.plan, node, is_section=spec is None)
    return QuestionPage(
        plan=page.plan.id,
        node=node.word if node else None,
        words=words,
        display=spec.display if spec else words,
        synonyms=spec.synonyms if spec else (),
        examples=spec.examples if spec else (),
        short_rule=getattr(spec, "short_rule", ""),
        includes=included[:_MOST_NAMED],
        not_named=max(len(included) - _MOST_NAMED, 0),
        images=images,
        waiting=page.waiting,
    )


def _find_spec(visit: Visit, node: Node | None) -> ClassSpec | GroupSpec | None:
    """The class or the group of a node; None of the root, and of a section of a group."""
    if node is None or node == ROOT:
        return None
    if node.kind is NodeKind.GROUP:
        return visit.party.preset.groups_of_ids.get(node.key)
    return visit.party.preset.find_class_of(node.key)


def _list_included(
    visit: Visit, plan: Plan, node: Node | None, *, is_section: bool
) -> tuple[str, ...]:
    """What the classes below a group are called; of a section without those that its words name."""
    if node is None or node.kind is NodeKind.CLASS:
        return ()
    hierarchy = plan.outline.hierarchy
    below = hierarchy.classes_below[node]
    if is_section and node != ROOT:
        below = below.difference(hierarchy.children[node])
    keys = {child.key for child in below}
    return tuple(spec.display for spec in visit.party.preset.classes if spec.key in keys)


def _make_thumbnail(image: Image) -> Thumbnail:
    return Thumbnail(
        image_id=image.id,
        image_url=image_url(image.sha256),
        width=image.width,
        height=image.height,
    )


@blueprint.on_post("/questions/answer", *EVERYBODY, answers=PageKept)
def post_page(visit: Visit, body: PageBody) -> Reply:
    """The images of which the answer was kept; others were settled or opened meanwhile."""
    _require_questions(visit)
    answers = {seen.image_id: seen.is_yes for seen in body.answers}
    kept = pages.keep_answers(visit, body.plan, _read_node(body.node), answers, body.took_ms)
    return PageKept(
        kept=[answer.image_id for answer in kept.answers],
        answer_ids=[answer.id for answer in kept.answers],
        discarded=list(kept.discarded),
    )


def _read_node(word: str) -> Node:
    try:
        return read_node(word)
    except ValueError as error:
        message = say("Unknown question {word}. Reload the page.", word=word)
        raise InvalidError(message, field="node") from error


@blueprint.on_post("/questions/undo", *EVERYBODY, shows=Shown("answer_ids"), answers=PageUndone)
def post_undo(visit: Visit, body: UndoPageBody) -> Reply:
    """How many of one's own answers were taken back, with all that followed from them."""
    return tell_taken(take_back(visit, body.answer_ids))


@blueprint.on_get("/questions/status", *EVERYBODY, answers=QuestionStatus)
def show_status(visit: Visit) -> Reply:
    """How far the questions are; in a large party it may be a minute old."""
    _require_questions(visit)
    key = ("presence status", visit.party.classes_number)
    status = visit.share(key, lambda visit: load_status(visit.session))
    classes = [
        ClassStatus(id=spec.key, display=spec.display, yes=status.shown.get(spec.key, 0))
        for spec in visit.party.preset.classes
    ]
    is_organiser = visit.person.role is Role.ORGANISER
    return QuestionStatus(
        images=status.images,
        done=status.done,
        answers=status.answers,
        classes=classes,
        people=[_make_person(visit, *row) for row in load_people(visit.session)]
        if is_organiser
        else [],
    )


def _make_person(visit: Visit, person: Person, verifier: Verifier) -> PersonStatus:
    return PersonStatus(
        id=person.id,
        name=show_name(person),
        answers=verifier.answers,
        secs=verifier.secs,
        passed=format_share(verifier.passed),
        refused=format_share(verifier.refused),
        is_suspect=verifier.is_suspect,
        version=version_of_answers(visit.session, person.id),
    )


def _load_person_now(visit: Visit, person_id: int) -> Now:
    """The answers of a person as they are now; raises NotFoundError where there is none."""
    person = get_person_of(visit.session, person_id)
    return Now(version_of_answers(visit.session, person.id))


@blueprint.on_post(
    "/people/<int:person_id>/take-back",
    shows=Shown("version", _load_person_now),
    answers=PageUndone,
)
def post_take_back(visit: Visit, person_id: int, body: VersionBody) -> Reply:
    """How many answers of a person count no more, with all that followed from them."""
    return tell_taken(take_back_all(visit, person_id))


def tell_taken(taken: TakenBack) -> PageUndone:
    """What was taken back, as pages tell it."""
    return PageUndone(
        undone=taken.answers,
        images=list(taken.reopened),
        discarded=list(taken.discarded),
        drawn=list(taken.drawn),
    )
