"""The next page of a person: one question, and the images of which it is the next."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Select, exists, func, or_, select
from sqlalchemy.orm import aliased

from catalog.hierarchy import Node
from catalog.image_store import digest_of
from catalog.locks import lock_images
from catalog.refusals import InvalidError
from catalog.sentences import say
from catalog.tables import Image, Presence, PresenceState, QuestionPlan
from work.visit import Visit

from .ahead import find_ahead
from .eligible import is_asked
from .empty import discard_empty
from .gold import choose_gold, find_known
from .plans import Plan, get_plan, is_outdated, load_plan, renew_plan
from .silent import find_silent
from .states import refresh_states

THUMBNAILS = 24
OPENED_AT_ONCE = 2 * THUMBNAILS
"""Images of which nobody was asked come in such parts, so that those begun are finished first."""
REFRESHED_AT_ONCE = 100
"""Images whose state is of another plan are computed anew in such parts."""


@dataclass(frozen=True)
class Page:
    """A question and images to look at; `node` is None where the visitor has nothing to answer."""

    plan: Plan
    node: Node | None
    images: Sequence[Image]
    waiting: int


@dataclass(frozen=True)
class Kept:
    """The answers that were kept, and the images that they let be discarded, by id."""

    answers: Sequence[Presence]
    discarded: Sequence[int]


def take_page(visit: Visit) -> Page:
    """The question of the most images that the visitor can still answer, with up to 24 of them.

    While no question fills a page, images are added that wait for a second person and whose further
    questions the visitor may answer already, and images of which nobody was asked.
    """
    plan = get_newest_plan(visit)
    refresh_stale(visit, plan)
    node, images = _find_page(visit, plan)
    waiting = visit.share(("presence questions", plan.id), count_waiting)
    if node is not None:
        images = choose_gold(visit, plan, node, images)
    return Page(plan, node, images, waiting)


def _find_page(visit: Visit, plan: Plan) -> tuple[Node | None, list[Image]]:
    """The first full page, or else the fullest one."""
    fullest: tuple[Node | None, list[Image]] = (None, [])
    for page in _try_sources(visit, plan):
        if len(page[1]) > len(fullest[1]):
            fullest = page
        if len(fullest[1]) == THUMBNAILS:
            break
    return fullest


def _try_sources(visit: Visit, plan: Plan) -> Iterator[tuple[Node | None, list[Image]]]:
    """A page of each source; a source is asked only when its turn comes."""
    yield _find_fullest(visit, plan)
    yield find_ahead(visit, plan, THUMBNAILS)
    if _open_images(visit, plan):
        yield _find_fullest(visit, plan)


def get_newest_plan(visit: Visit) -> Plan:
    """The plan of today, with new frequencies where many more images are settled."""
    plan = get_plan(visit.session, visit.party, visit.at)
    outdated = visit.share(
        ("presence plan", plan.id), lambda visit: is_outdated(visit.session, plan)
    )
    return renew_plan(visit.session, visit.party, visit.at) if outdated else plan


def count_waiting(visit: Visit) -> int:
    """How many images have an open question, those included of which nobody was asked yet."""
    is_done = exists().where(PresenceState.image_id == Image.id, PresenceState.next_kind.is_(None))
    counted = select(func.count(Image.id)).where(is_asked(), ~is_done)
    return visit.session.scalar(counted) or 0


def list_stale(plan: Plan) -> Select[tuple[int]]:
    """The images whose state was computed by a plan of other words, groups or rules."""
    same = select(QuestionPlan.id).where(QuestionPlan.digest == plan.digest)
    return select(PresenceState.image_id).where(PresenceState.plan_id.not_in(same))


def select_all() -> Select[tuple[int]]:
    """All images that questions were asked about."""
    return select(PresenceState.image_id).order_by(PresenceState.image_id)


def refresh_stale(visit: Visit, plan: Plan, most: int = REFRESHED_AT_ONCE) -> int:
    """How many images were computed anew since the preset or the rules changed."""
    stale = list(visit.session.scalars(list_stale(plan).limit(most)))
    settle_images(visit, plan, lock_images(visit.session, stale))
    return len(stale)


def _find_fullest(visit: Visit, plan: Plan) -> tuple[Node | None, list[Image]]:
    """The question with a full page for the visitor, else that with the most images."""
    fullest: tuple[Node | None, list[Image]] = (None, [])
    for node, count in _list_questions(visit):
        if len(fullest[1]) >= min(count, THUMBNAILS):
            break
        images = _list_images(visit, plan, node)
        if len(images) > len(fullest[1]):
            fullest = (node, images)
    return fullest


def _list_questions(visit: Visit) -> list[tuple[Node, int]]:
    """All questions with the number of their images, also those of others; the most first."""
    count = func.count()
    counted = (
        select(PresenceState.next_kind, PresenceState.next_key, count)
        .where(PresenceState.next_kind.is_not(None))
        .group_by(PresenceState.next_kind, PresenceState.next_key)
        .order_by(count.desc(), PresenceState.next_kind, PresenceState.next_key)
    )
    rows = visit.session.execute(counted).tuples()
    return [(Node(kind, key), images) for kind, key, images in rows if kind and key is not None]


def _list_images(visit: Visit, plan: Plan, node: Node) -> list[Image]:
    """Up to a page of images, from a place of the visitor's own, so that two people see others."""
    place = digest_of(f"presence {visit.person.id}".encode())
    mine = aliased(Presence)
    is_answered = exists().where(
        mine.image_id == PresenceState.image_id,
        mine.kind == node.kind,
        mine.key == node.key,
        mine.person_id == visit.person.id,
        mine.set_aside_at.is_(None),
        *(
            or_(mine.plan_id != plan_id, mine.is_yes.is_(not is_yes))
            for plan_id, is_yes in sorted(find_silent(visit.session, plan, node, visit.person.id))
        ),
    )
    chosen = (
        select(Image)
        .join(PresenceState, PresenceState.image_id == Image.id)
        .where(
            PresenceState.next_kind == node.kind,
            PresenceState.next_key == node.key,
            ~is_answered,
            is_asked(),
        )
        .order_by(PresenceState.place)
    )
    images = list[Image]()
    for part in (PresenceState.place >= place, PresenceState.place < place):
        images += visit.session.scalars(chosen.where(part).limit(THUMBNAILS - len(images)))
    return images


def _open_images(visit: Visit, plan: Plan) -> int:
    """How many images of which nobody was asked got their first question."""
    has_state = exists().where(PresenceState.image_id == Image.id)
    place = digest_of(f"presence {visit.person.id}".encode())
    new = select(Image.id).where(is_asked(), ~has_state).order_by(Image.sha256)
    image_ids = list[int]()
    for part in (Image.sha256 >= place, Image.sha256 < place):
        image_ids += visit.session.scalars(new.where(part).limit(OPENED_AT_ONCE - len(image_ids)))
    refresh_states(visit.session, plan, lock_images(visit.session, image_ids))
    return len(image_ids)


def keep_answers(
    visit: Visit, plan_id: int, node: Node, answers: Mapping[int, bool], took_ms: int | None
) -> Kept:
    """What was kept of a page; an image that was settled or opened meanwhile is left out.

    The answers keep the plan that the page was made by. The same answer again changes nothing, and
    another one corrects the first. Raises InvalidError for a question that the plan did not have.
    """
    shown = load_plan(visit.session, plan_id)
    if node not in shown.words:
        raise InvalidError(say("This question was never asked. Reload the page."), field="node")
    lock_images(visit.session, answers.keys())
    known = find_known(visit, shown, node, answers)
    waiting = _list_asked(visit, node, answers) - known.keys()
    before = _load_own(visit, node, answers)
    plan = get_plan(visit.session, visit.party, visit.at)
    silent = find_silent(visit.session, plan, node, visit.person.id)
    repeated = {
        key
        for key, row in before.items()
        if row.is_yes == answers[key]
        and (row.plan_id == shown.id or (row.plan_id, row.is_yes) not in silent)
    }
    each_ms = None if took_ms is None else took_ms // len(answers)
    new = (waiting | known.keys()) - repeated
    for image_id in new & before.keys():
        before[image_id].set_aside_at = visit.at
    visit.session.flush()
    added = {
        image_id: Presence(
            image_id=image_id,
            plan_id=shown.id,
            kind=node.kind,
            key=node.key,
            is_yes=answers[image_id],
            known=known.get(image_id),
            person_id=visit.person.id,
            judged_at=visit.at,
            took_ms=each_ms,
        )
        for image_id in sorted(new)
    }
    visit.session.add_all(added.values())
    visit.session.flush()
    rows = {**{key: before[key] for key in repeated}, **added}
    kept = [rows[key] for key in sorted(rows)]
    return Kept(kept, settle_images(visit, plan, new - known.keys()))


def settle_images(visit: Visit, plan: Plan, image_ids: Collection[int]) -> list[int]:
    """Compute the images, which are locked, anew and discard those that show no class."""
    outcomes = refresh_states(visit.session, plan, image_ids)
    discarded = discard_empty(visit.session, outcomes, at=visit.at)
    visit.changed.update(discarded)
    return discarded


def _list_asked(visit: Visit, node: Node, answers: Mapping[int, bool]) -> set[int]:
    """The images that still wait for an answer: not all is settled, nor the question itself."""
    waiting = set(visit.session.scalars(select(Image.id).where(Image.id.in_(answers), is_asked())))
    rows = select(PresenceState.image_id, PresenceState.settled, PresenceState.next_kind)
    for image_id, settled, next_kind in visit.session.execute(
        rows.where(PresenceState.image_id.in_(waiting))
    ).tuples():
        if next_kind is None or node.word in (*settled["yes"], *settled["no"]):
            waiting.discard(image_id)
    return waiting


def _load_own(visit: Visit, node: Node, answers: Mapping[int, bool]) -> dict[int, Presence]:
    """What the visitor answered to the question before, by image."""
    mine = select(Presence).where(
        Presence.image_id.in_(answers),
        Presence.kind == node.kind,
        Presence.key == node.key,
        Presence.person_id == visit.person.id,
        Presence.set_aside_at.is_(None),
    )
    return {row.image_id: row for row in visit.session.scalars(mine)}
