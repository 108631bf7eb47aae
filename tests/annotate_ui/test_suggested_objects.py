"""What a save does with suggestions: accepted, corrected and rejected ones."""

import pytest
from sqlalchemy import select

from catalog.states import Suggested
from catalog.tables import Object, Suggestion, SuggestionRejection
from tests.suggesting import NOON, XYXY, suggest
from work.suggestions import MOST_SHOWN, is_withheld, list_rejected, load_for_image

from .house import House, Json, error_of, thing


def read_objects(house: House, image_id: int) -> list[tuple[str, int | None, Suggested | None]]:
    """The objects of the image's newest revision: key, suggestion, and what was done with it."""
    with house.party.catalogue.reading() as session:
        newest = house.revisions(image_id)[-1].id
        columns = select(Object.object_key, Object.suggestion_id, Object.suggested)
        rows = columns.where(Object.annotation_id == newest).order_by(Object.number)
        return [(key, number, word) for key, number, word in session.execute(rows)]


def test_a_save_says_of_each_object_whether_it_was_accepted_corrected_or_drawn(
    any_house: House,
) -> None:
    ann, task = any_house.begin()
    image_id = task["image_id"]
    first, second, third = suggest(any_house.party, image_id, [XYXY, (1, 1, 50, 50), XYXY])
    objects = [
        thing("as-it-was", box=list(XYXY), suggestion_id=first),
        thing("moved", box=[1, 1, 60, 60], parts=[], suggestion_id=second),
        thing("other-class", **{"class": "cat"}, actions=[], parts=[], suggestion_id=third),
        thing("drawn", box=[300, 40, 420, 200], parts=[]),
    ]
    assert ann.save(task, objects, suggestions_shown=3).status_code == 201
    assert read_objects(any_house, image_id) == [
        ("as-it-was", first, Suggested.ACCEPTED),
        ("moved", second, Suggested.CORRECTED),
        ("other-class", third, Suggested.CORRECTED),
        ("drawn", None, None),
    ]
    assert any_house.revisions(image_id)[-1].suggestions_shown == 3


def suggest_head(house: House, image_id: int) -> int:
    """The id of a new suggestion of a person with a head."""
    [number] = suggest(house.party, image_id)
    with house.party.catalogue.writing() as session:
        session.get_one(Suggestion, number).parts = [HEAD]
    return number


HEAD = {"part": "head", "box": [60, 250, 90, 280]}
HAND = {"part": "hand", "box": [50, 300, 60, 310]}


@pytest.mark.parametrize(
    ("parts", "word"),
    [
        ([HEAD], Suggested.ACCEPTED),
        ([HEAD, HAND], Suggested.ACCEPTED),
        ([HEAD | {"box": [60, 250, 91, 280]}], Suggested.CORRECTED),
        ([HAND], Suggested.CORRECTED),
        ([], Suggested.CORRECTED),
    ],
    ids=["as it was", "one more", "moved", "another", "removed"],
)
def test_a_suggested_part_is_accepted_or_corrected_with_its_object(
    house: House, parts: list[Json], word: Suggested
) -> None:
    ann, task = house.begin()
    number = suggest_head(house, task["image_id"])
    item = thing("a", box=list(XYXY), suggestion_id=number, parts=parts)
    assert ann.save(task, [item]).status_code == 201
    assert read_objects(house, task["image_id"]) == [("a", number, word)]


def test_an_object_keeps_its_suggestion_when_a_checker_corrects_it(house: House) -> None:
    ann, task = house.begin()
    image_id = task["image_id"]
    [first] = suggest(house.party, image_id)
    assert ann.save(task, [thing("a", suggestion_id=first)]).status_code == 201
    assert read_objects(house, image_id) == [("a", first, Suggested.ACCEPTED)]
    chris = house.chris()
    assert chris.review(chris.take("check"), "fixed").status_code == 201  # moves the box
    assert read_objects(house, image_id) == [("a", first, Suggested.CORRECTED)]


def test_rejections_are_kept_with_the_revision_and_none_of_an_accepted_one(house: House) -> None:
    ann, task = house.begin()
    image_id = task["image_id"]
    first, second, third = suggest(house.party, image_id, [XYXY] * 3)
    objects = [thing("a", suggestion_id=first)]
    assert ann.save(task, objects, rejected=[third, first, second]).status_code == 201
    with house.party.catalogue.reading() as session:
        assert list_rejected(session, house.image(image_id).annotation_id) == [second, third]


def test_a_suggestion_makes_one_object_and_one_that_is_gone_is_ignored(house: House) -> None:
    ann, task = house.begin()
    image_id = task["image_id"]
    [first] = suggest(house.party, image_id)
    objects = [
        thing("a", suggestion_id=first),
        thing("copy", box=[300, 40, 420, 200], parts=[], suggestion_id=first),
        thing("lost", box=[10, 40, 40, 200], parts=[], suggestion_id=first + 1000),
    ]
    assert ann.save(task, objects, rejected=[first + 1001]).status_code == 201
    assert [number for _, number, _ in read_objects(house, image_id)] == [first, None, None]
    with house.party.catalogue.reading() as session:
        assert list_rejected(session, house.image(image_id).annotation_id) == []


@pytest.mark.parametrize("field", ["objects.0.suggestion_id", "rejected.0"])
def test_a_suggestion_of_another_image_is_refused(house: House, field: str) -> None:
    ann, task = house.begin()
    [number] = suggest(house.party, house.add_image())
    is_object = field.startswith("objects")
    objects = [thing("a", suggestion_id=number if is_object else None)]
    answer = ann.save(task, objects, rejected=[] if is_object else [number])
    assert error_of(answer) == (422, "invalid", field)
    assert house.revisions(task["image_id"]) == []


def test_drafts_that_are_thinned_take_their_rejections_along(house: House) -> None:
    ann, task = house.begin()
    [number] = suggest(house.party, task["image_id"])
    for _ in range(40):
        saved = ann.save(task, finish=False, rejected=[number])
        assert saved.status_code == 201
        task["annotation"] = saved.get_json()["annotation"]
        house.clock.advance(20)
    with house.party.catalogue.reading() as session:
        kept = set(session.scalars(select(SuggestionRejection.annotation_id)))
    revisions = {item.id for item in house.revisions(task["image_id"])}
    assert kept == revisions
    assert len(revisions) < 40


def test_the_best_suggestions_of_sets_that_are_on_are_shown(house: House) -> None:
    image_id = house.add_image()
    classes = house.party.preset.class_ids.values()
    low = suggest(house.party, image_id, [XYXY] * 150, confidence=0.5)
    high = suggest(house.party, image_id, [XYXY] * 100, confidence=0.8)
    suggest(house.party, image_id, confidence=0.99, switched_off_at=NOON)
    suggest(house.party, image_id, confidence=0.99, withdrawn_at=NOON)
    suggest(house.party, image_id, confidence=0.99, class_id="unicorn")
    suggest(house.party, house.add_image(), confidence=0.99)
    with house.party.catalogue.reading() as session:
        shown = [item.id for item in load_for_image(session, image_id, classes)]
    assert shown == [*high, *low][:MOST_SHOWN]


def test_the_lottery_withholds_its_share_and_says_the_same_each_time() -> None:
    withheld = [number for number in range(10_000) if is_withheld("party", number, 0.2)]
    assert 1850 < len(withheld) < 2150
    assert withheld == [number for number in range(10_000) if is_withheld("party", number, 0.2)]
    assert withheld != [number for number in range(10_000) if is_withheld("other", number, 0.2)]
    assert not any(is_withheld("party", number, 0.0) for number in range(100))
    assert all(is_withheld("party", number, 1.0) for number in range(100))
