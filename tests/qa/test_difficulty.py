from collections import Counter
from typing import Any

import pytest

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Difficulty, Image, Object
from qa.difficulty import count_to_judge, judge_difficulty, list_to_judge
from tests.rows import add_release, writing
from vockit.format.image_sets import Split

from .rows import CAR, NOON, add_image, add_person, add_revision

DOG = {**CAR, "class_id": "dog"}


def waiting(party: Party) -> list[tuple[int, str, bool]]:
    with party.catalogue.reading() as session:
        listed = list_to_judge(session, ["dog", "car"])
        return [(item.image_id, item.object_key, item.was_judged) for item in listed]


def judge(party: Party, image_id: int, key: str, person_id: int, is_difficult: bool = True) -> None:
    with party.catalogue.reading() as session:
        seen_id = session.get_one(Image, image_id).annotation_id
    more: dict[str, Any] = {"seen_id": seen_id, "person_id": person_id, "at": NOON}
    writing(party, judge_difficulty, image_id, key, is_difficult, **more)


def draw(party: Party, *objects: dict[str, Any], state: ImageState = ImageState.CHECKED) -> int:
    image_id = add_image(party, state)
    add_revision(party, image_id, 1, *objects)
    return image_id


@pytest.fixture
def olga(any_party: Party) -> int:
    return add_person(any_party, "olga")


def test_the_last_judgement_counts_and_all_are_kept(any_party: Party, olga: int) -> None:
    image_id = draw(any_party, CAR)
    judge(any_party, image_id, "o1", olga)
    judge(any_party, image_id, "o1", olga, is_difficult=False)
    with any_party.catalogue.reading() as session:
        assert [row.is_difficult for row in session.query(Difficulty)] == [True, False]
        assert not session.query(Object).one().difficult


def test_a_judgement_of_a_released_object_leaves_what_was_released(
    any_party: Party, olga: int
) -> None:
    image_id = draw(any_party, CAR)
    with any_party.catalogue.writing() as session:
        frozen = session.query(Object).one().annotation_id
        add_release(session, "VOC2026", NOON, {image_id: (frozen, Split.TRAIN)})
        session.get_one(Image, image_id).state = ImageState.RELEASED
    assert waiting(any_party) == [(image_id, "o1", False)]
    judge(any_party, image_id, "o1", olga)
    assert waiting(any_party) == []
    with any_party.catalogue.reading() as session:
        assert session.query(Difficulty).one().is_difficult
        assert not session.query(Object).one().difficult


def test_what_waits_is_counted_as_it_is_listed(any_party: Party, olga: int) -> None:
    moved = {**DOG, "xmin": 110}
    judged = draw(any_party, CAR, DOG)
    looks_new = draw(any_party, CAR, DOG)
    draw(any_party, DOG)
    draw(any_party, CAR, state=ImageState.RETURNED)
    for image_id in (judged, looks_new):
        for key in ("o1", "o2", "o2"):
            judge(any_party, image_id, key, olga)
    add_revision(any_party, looks_new, 1, CAR, moved)
    with any_party.catalogue.reading() as session:
        counted = count_to_judge(session)
        listed = Counter(item.class_name for item in list_to_judge(session, ["dog", "car"]))
        assert +counted == listed == {"dog": 2}
        assert count_to_judge(session, Image.id != looks_new)["dog"] == 1
