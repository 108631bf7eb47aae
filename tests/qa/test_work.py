"""The rows on which agreement and error rates are measured."""

from functools import partial
from typing import Any

import pytest

from catalog.party import Party
from catalog.states import BlindKind, ImageState, Verdict
from qa.load import load_checked_images
from qa.work import load_blind_pairs, load_checked_pairs, load_checked_work, load_party_work
from tests.rows import reading

from .rows import CAR, DOG, add_double, add_image, add_person, add_review, add_revision


def add_checked(party: Party) -> int:
    return add_image(party, ImageState.CHECKED)


@pytest.mark.parametrize("discarded", ["first", "second", None])
def test_annotations_are_compared_unless_discarded(any_party: Party, discarded: str | None) -> None:
    ann = add_person(any_party)
    bob = add_person(any_party, "bob")
    image_id = add_checked(any_party)
    reasons = {name: "collage" if name == discarded else None for name in ("first", "second")}
    first = add_revision(any_party, image_id, ann, CAR, discard_reason=reasons["first"])
    later: dict[str, Any] = {"is_head": False, "discard_reason": reasons["second"]}
    second = add_revision(any_party, image_id, bob, CAR, **later)
    add_double(any_party, image_id, bob, first, second)
    pairs = reading(any_party, load_blind_pairs)
    assert [(pair.first_id, pair.second_id) for pair in pairs] == (
        [] if discarded else [(ann, bob)]
    )


def test_answers_on_gold_images_are_no_second_annotations(any_party: Party) -> None:
    """Each person answers a gold image; its reference is one person's work, compared for checks."""
    ann = add_person(any_party)
    bob = add_person(any_party, "bob")
    image_id = add_checked(any_party)
    first = add_revision(any_party, image_id, ann, CAR)
    answer = add_revision(any_party, image_id, bob, CAR, is_head=False)
    add_double(any_party, image_id, bob, first, answer, BlindKind.GOLD)
    assert reading(any_party, load_blind_pairs) == []
    (pair,) = reading(any_party, partial(load_blind_pairs, with_gold=True))
    assert (pair.first_id, pair.second_id) == (ann, bob)


def test_the_first_submission_is_compared_with_the_accepted_revision(any_party: Party) -> None:
    ann, chris, olga = (add_person(any_party, name) for name in ("ann", "chris", "olga"))
    image_id = add_checked(any_party)
    first = add_revision(any_party, image_id, ann, CAR)
    add_review(any_party, first, chris, verdict=Verdict.RETURNED)
    second = add_revision(any_party, image_id, ann, CAR, DOG)
    add_review(any_party, second, chris)
    fixed = add_revision(any_party, image_id, olga, CAR, DOG, CAR)
    add_review(any_party, second, olga, verdict=Verdict.FIXED, fixed_annotation_id=fixed)
    [work] = reading(any_party, load_checked_work)
    assert (len(work.drawn), len(work.corrected)) == (1, 3)
    assert work.author_id == ann


@pytest.mark.parametrize(
    ("verdict", "checker", "is_seen_twice"),
    [
        (Verdict.ACCEPT, "chris", True),
        (Verdict.RETURNED, "chris", False),  # it is not yet known what it should be
        (Verdict.ACCEPT, "ann", False),  # an organiser's own
    ],
)
def test_an_image_counts_as_seen_twice_if_another_person_accepted_it(
    any_party: Party, verdict: Verdict, checker: str, is_seen_twice: bool
) -> None:
    people = {name: add_person(any_party, name) for name in ("ann", "chris")}
    drawn = add_revision(any_party, add_checked(any_party), people["ann"], CAR)
    add_review(any_party, drawn, people[checker], verdict=verdict)
    pairs = reading(any_party, load_checked_pairs)
    assert [pair.first == pair.second for pair in pairs] == ([True] if is_seen_twice else [])


def test_a_persons_work_excludes_corrections_by_checkers(any_party: Party) -> None:
    ann = add_person(any_party)
    chris = add_person(any_party, "chris")
    image_id = add_checked(any_party)
    drawn = add_revision(any_party, image_id, ann, CAR)
    fixed = add_revision(any_party, image_id, chris, CAR, DOG)
    add_review(any_party, drawn, chris, verdict=Verdict.FIXED, fixed_annotation_id=fixed)
    with any_party.catalogue.reading() as session:
        [head] = load_checked_images(session)
        [image] = load_party_work(session, [head]).drawn
    assert (head.person_id, len(head.objects)) == (chris, 2)
    assert (image.person_id, len(image.objects), image.annotation_id) == (ann, 1, drawn)


def test_a_discard_that_was_returned_is_no_slip(any_party: Party) -> None:
    ann = add_person(any_party)
    chris = add_person(any_party, "chris")
    image_id = add_checked(any_party)
    gone = add_revision(any_party, image_id, ann, discard_reason="collage")
    add_review(any_party, gone, chris, verdict=Verdict.RETURNED)
    add_review(any_party, add_revision(any_party, image_id, ann, CAR), chris)
    [work] = reading(any_party, load_checked_work)
    assert work.drawn == work.corrected != ()
