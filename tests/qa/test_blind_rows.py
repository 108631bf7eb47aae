import threading
from concurrent.futures import ThreadPoolExecutor, wait
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.orm import Session

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.refusals import InvalidError
from catalog.settings import QaSettings
from catalog.states import ImageState, LeaseKind
from catalog.tables import Annotation, BlindTask, Image, Lease
from qa import gold
from qa.blind_rows import (
    double_limit,
    find_blind_of,
    find_reference,
    keep_blind_answer,
    keep_score,
    load_training_progress,
    score_blind_answer,
    take_blind_task,
    take_training,
)
from tests.rows import reading, writing

from .making import image_of, thing
from .rows import CAR, DOG, NOON, add_image, add_person, add_review, add_revision

ALL_TWICE = QaSettings(double_share=1.0, discard_share=0.0, gold_share=0.0)
ALL_GOLD = QaSettings(double_share=0.0, gold_share=1.0, training_images=2)


def take(party: Party, person_id: int, settings: QaSettings = ALL_TWICE) -> tuple[int, str] | None:
    """The image and the kind of the blind task that the person gets."""
    with party.catalogue.writing() as session:
        task = take_and_hold(session, person_id, settings)
        return None if task is None else (task.image_id, task.kind.value)


def take_and_hold(session: Session, person_id: int, settings: QaSettings) -> BlindTask | None:
    """The blind task that the person gets and has a minute for, as the pages give it out."""
    task = take_blind_task(session, person_id, settings, at=NOON, draw=0.5)
    if task is not None:
        lease = Lease(
            image_id=task.image_id,
            person_id=person_id,
            kind=LeaseKind.BLIND,
            returns_to=session.get_one(Image, task.image_id).state,
            acquired_at=NOON,
            heartbeat_at=NOON,
            expires_at=NOON + timedelta(seconds=60),
        )
        session.add(lease)
        session.flush()
    return task


def answer(
    party: Party, person_id: int, image_id: int, *objects: dict[str, object], **values: object
) -> BlindTask:
    """The task after the person's save, which does not become the head."""
    added = add_revision(party, image_id, person_id, *objects, is_head=False, **values)
    with party.catalogue.writing() as session:
        task = find_blind_of(session, person_id, image_id)
        assert task is not None
        annotation = session.get_one(Annotation, added)
        keep_blind_answer(session, task, annotation, at=NOON)
        score = score_blind_answer(session, annotation)
        if score is not None:
            keep_score(session, added, score, ALL_GOLD)
            session.refresh(task)
        return task


def add_gold(party: Party, person_id: int, count: int, *, is_training: bool = False) -> list[int]:
    """Gold images with one car each, chosen by this person, who drew them."""
    images = [add_image(party, ImageState.CHECKED) for _ in range(count)]
    for image_id in images:
        add_revision(party, image_id, person_id, CAR)
        writing(
            party, gold.choose_gold, image_id, person_id=person_id, at=NOON, is_training=is_training
        )
    return images


def test_an_image_is_doubly_annotated_by_two_people_and_no_third(any_party: Party) -> None:
    ann, bob, eve = (add_person(any_party, name) for name in ("ann", "bob", "eve"))
    image_id = add_image(any_party)
    assert take(any_party, bob) is None
    head = add_revision(any_party, image_id, ann, CAR)
    assert take(any_party, ann) is None
    assert take(any_party, bob) == (image_id, "double")
    assert take(any_party, eve) is None
    task = answer(any_party, bob, image_id, CAR, DOG)
    assert (task.finished_at, task.reference_id, task.score) == (NOON, head, None)
    assert take(any_party, eve) is None
    assert take(any_party, bob) is None


def test_of_two_concurrent_people_one_gets_the_double_annotation(any_party: Party) -> None:
    ann, bob, eve = (add_person(any_party, name) for name in ("ann", "bob", "eve"))
    add_revision(any_party, add_image(any_party), ann, CAR)
    with ThreadPoolExecutor(1) as pool:
        with any_party.catalogue.writing() as session:
            assert take_and_hold(session, bob, ALL_TWICE)
            second = pool.submit(take, any_party, eve)
            wait([second], timeout=0.5)
        assert second.result() is None


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_double_share_only_adds_images(first: float, second: float) -> None:
    less, more = sorted((first, second))
    assert double_limit(less) <= double_limit(more)
    assert double_limit(0.0) <= digest_of(b"any image") < double_limit(1.0)


def test_a_gold_image_is_given_blind_and_scored(any_party: Party) -> None:
    olga, bob, chris = (add_person(any_party, name) for name in ("olga", "bob", "chris"))
    image_id = add_image(any_party, ImageState.CHECKED)
    reference = add_revision(any_party, image_id, olga, CAR, DOG)
    writing(any_party, gold.choose_gold, image_id, person_id=olga, at=NOON)
    assert take(any_party, olga, ALL_GOLD) is None
    assert take(any_party, bob, ALL_GOLD) == (image_id, "gold")
    task = answer(any_party, bob, image_id, CAR)
    assert (task.reference_id, task.is_passed) == (reference, False)
    [record] = gold.summarise_gold(reading(any_party, gold.load_gold_scores))
    assert (record.person_id, record.images, record.passed) == (bob, 1, 0)
    assert (record.recall.value, record.precision.value) == (0.5, 1.0)
    discarded = answer(any_party, bob, image_id, CAR, discard_reason="collage")
    assert discarded.score is not None
    assert discarded.score["found"] == 0
    writing(any_party, gold.end_gold, image_id, at=NOON)
    assert take(any_party, chris, ALL_GOLD) is None


def test_a_checker_is_not_given_a_checked_image_blind(any_party: Party) -> None:
    ann, bob, chris = (add_person(any_party, name) for name in ("ann", "bob", "chris"))
    image_id = add_image(any_party, ImageState.CHECKED)
    add_review(any_party, add_revision(any_party, image_id, ann, CAR), chris)
    assert (take(any_party, chris), take(any_party, bob)) == (None, (image_id, "double"))


def test_the_gold_image_with_the_fewest_answers_comes_first(any_party: Party) -> None:
    olga, bob, eve = (add_person(any_party, name) for name in ("olga", "bob", "eve"))
    first, second = add_gold(any_party, olga, 2)
    assert take(any_party, bob, ALL_GOLD) == (first, "gold")
    answer(any_party, bob, first, CAR)
    assert take(any_party, eve, ALL_GOLD) == (second, "gold")


@pytest.mark.parametrize("is_training", [False, True])
def test_a_taken_down_gold_image_is_not_given(any_party: Party, is_training: bool) -> None:
    olga, bob, eve = (add_person(any_party, name) for name in ("olga", "bob", "eve"))
    [image_id] = add_gold(any_party, olga, 1, is_training=is_training)

    def give(person_id: int) -> BlindTask | None:
        with any_party.catalogue.writing() as session:
            if is_training:
                return take_training(session, person_id, at=NOON)
            return take_blind_task(session, person_id, ALL_GOLD, at=NOON, draw=0.5)

    assert give(bob) is not None
    with any_party.catalogue.writing() as session:
        session.get_one(Image, image_id).state = ImageState.TAKEN_DOWN
    assert (give(bob), give(eve)) == (None, None)
    assert reading(any_party, load_training_progress, eve, ALL_GOLD).needed == 0


def test_blind_work_is_compared_with_the_first_finished_revision(any_party: Party) -> None:
    """Not with a draft, a revision that is not the head, or a checker's correction."""
    ann, bob, chris = (add_person(any_party, name) for name in ("ann", "bob", "chris"))
    image_id = add_image(any_party, ImageState.CHECKED)
    add_revision(any_party, image_id, ann, CAR, is_finished=False)
    add_revision(any_party, image_id, bob, CAR, beside="blind", is_head=False)
    first = add_revision(any_party, image_id, ann, CAR)
    add_revision(any_party, image_id, chris, CAR, DOG)
    assert reading(any_party, find_reference, image_id) == first


def test_concurrent_requests_of_one_person_get_the_same_task(any_party: Party) -> None:
    """Whatever others commit between two queries of one request."""
    olga = add_person(any_party, "olga")
    add_gold(any_party, olga, 2, is_training=True)
    barrier = threading.Barrier(4)

    def ask(person_id: int) -> int:
        barrier.wait()
        with any_party.catalogue.writing(visitor_id=person_id) as session:  # as each request does
            task = take_training(session, person_id, at=NOON)
            assert task is not None
            return task.id

    with ThreadPoolExecutor(4) as windows:
        for number in range(8):
            person_id = add_person(any_party, f"new{number}")
            assert len(set(windows.map(ask, [person_id] * 4))) == 1


@pytest.mark.parametrize("head", ["none", "empty", "discarded"])
def test_an_image_without_objects_cannot_be_gold(any_party: Party, head: str) -> None:
    olga = add_person(any_party, "olga")
    image_id = add_image(any_party)
    if head == "empty":
        add_revision(any_party, image_id, olga)
    if head == "discarded":
        add_revision(any_party, image_id, olga, CAR, discard_reason="collage")
    with pytest.raises(InvalidError), any_party.catalogue.writing() as session:
        gold.choose_gold(session, image_id, person_id=olga, at=NOON)


def test_a_score_counts_found_missed_and_extra_objects() -> None:
    cat = thing("cat", (10, 10, 90, 90))
    hard = thing("cat", (200, 200, 240, 240), difficult=True)
    reference = image_of(cat, thing("dog", (300, 10, 390, 90)), hard).objects
    drawn = image_of(
        thing("cat", (10, 10, 90, 95), truncated=True),
        thing("cat", (300, 10, 390, 90)),
        thing("car", (100, 300, 150, 350)),
        thing("cat", (200, 200, 240, 240)),
    ).objects
    score = gold.score_answer(drawn, reference)
    assert (score.found, score.objects, score.drawn, score.classes) == (1, 2, 3, 1)
    assert (score.views, score.flags) == (0, 1)
    assert not score.is_passed(0.5)
    sentences = list(gold.give_feedback(score))
    assert sentences == [
        "1 box is around no object that we know of.",
        "1 object is of another class.",
        "1 object is truncated or occluded otherwise.",
    ]
    assert not {"cat", "dog", "car"} & set(" ".join(sentences).split())
    assert gold.score_answer(reference, reference).is_passed(1.0)
    assert list(gold.give_feedback(gold.score_answer(reference, reference))) == []


def test_imported_and_discarded_images_are_not_doubly_annotated(any_party: Party) -> None:
    ann = add_person(any_party)
    bob = add_person(any_party, "bob")
    add_revision(any_party, add_image(any_party), ann, CAR, active_secs=0.0)
    discarded = add_image(any_party, ImageState.DISCARDED)
    add_revision(any_party, discarded, ann, discard_reason="collage")
    assert take(any_party, bob) is None


def test_a_gold_image_is_not_doubly_annotated_too(any_party: Party) -> None:
    olga = add_person(any_party, "olga")
    bob = add_person(any_party, "bob")
    [image_id] = add_gold(any_party, olga, 1)
    assert take(any_party, bob, ALL_TWICE) is None
    writing(any_party, gold.end_gold, image_id, at=NOON)
    assert take(any_party, bob, ALL_TWICE) == (image_id, "double")


def test_training_is_done_when_no_training_images_are_left(any_party: Party) -> None:
    olga = add_person(any_party, "olga")
    new = add_person(any_party, "new")
    assert reading(any_party, load_training_progress, new, ALL_GOLD).is_done
    first, _second = add_gold(any_party, olga, 2, is_training=True)
    with any_party.catalogue.writing() as session:
        gold.end_gold(session, first, at=NOON)
        assert load_training_progress(session, new, ALL_GOLD).needed == 1
