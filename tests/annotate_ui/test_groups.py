"""Boxes around groups: who may mark them, and that no part of the application loses the mark."""

import pytest

from catalog.party import Party
from catalog.tables import Object
from qa.load import load_objects
from work.bodies import ObjectBody
from work.lookup import FLAGS

from .house import API, Browser, House, Json, error_of, thing

GROUP = thing(actions=[], parts=[], view="Unspecified", group_of=True)
SINGLE = GROUP | {"group_of": False}


@pytest.fixture
def crowded(any_party: Party) -> House:
    return House(any_party, groups=True)


def words_of(house: House, image_id: int) -> list[tuple[bool, bool]]:
    """Of each object of the newest revision whether it is a group, and difficult."""
    with house.party.catalogue.reading() as session:
        head_id = house.image(image_id).annotation_id
        rows = session.query(Object).filter_by(annotation_id=head_id).order_by(Object.number)
        return [(row.group_of, row.difficult) for row in rows]


def draw_group(house: House) -> tuple[Browser, int]:
    image_id = house.add_image()
    ann = house.ann()
    assert ann.save(ann.take(), [GROUP, SINGLE | {"key": "b"}]).status_code == 201
    return ann, image_id


def test_a_party_says_whether_it_has_groups(party: Party) -> None:
    house = House(party)
    link = house.add_person("bob")
    flags = house.enter(link).get(f"{API}/party").get_json()["flags"]
    assert "group_of" not in flags
    crowded = House(party, groups=True)
    assert crowded.enter(link).get(f"{API}/party").get_json()["flags"] == [*flags, "group_of"]


def test_without_the_setting_only_what_was_a_group_may_be_one(party: Party) -> None:
    crowded = House(party, groups=True)
    _, image_id = draw_group(crowded)
    crowded.add_image()
    house = House(party)
    bob = house.enter(house.add_person("bob"))
    refused = bob.save(bob.take(), [GROUP])
    assert error_of(refused) == (422, "invalid", "objects.0.group_of")
    chris = house.chris()
    fixed = {"objects": [GROUP | {"box": [40, 240, 195, 371]}], "active_secs": 8.0}
    assert chris.review(chris.take("check"), "fixed", fixed=fixed).status_code == 201
    assert words_of(house, image_id) == [(True, True)]


def test_a_group_is_difficult_through_drafts_checks_and_restoring(crowded: House) -> None:
    image_id = crowded.add_image()
    ann = crowded.ann()
    task = ann.take()
    draft = ann.save(task, [GROUP], finish=False).get_json()["annotation"]
    assert [(item["group_of"], item["difficult"]) for item in draft["objects"]] == [(True, True)]
    again = ann.take()  # as after a reload
    assert again["annotation"]["objects"] == draft["objects"]
    ann.save(again, [GROUP, SINGLE | {"key": "b"}])
    assert words_of(crowded, image_id) == [(True, True), (False, False)]
    chris = crowded.chris()
    shown = chris.take("check")["annotation"]["objects"]
    assert [item.get("group_of", False) for item in shown] == [True, False]
    drawn_id = crowded.image(image_id).annotation_id
    fixed = {"objects": [SINGLE, GROUP | {"key": "b"}], "active_secs": 8.0}
    assert chris.review(chris.take("check"), "fixed", fixed=fixed).status_code == 201
    # Difficult by the mark alone: who takes it off takes both away.
    assert words_of(crowded, image_id) == [(False, False), (True, True)]
    olga = crowded.olga()
    head_id = crowded.image(image_id).annotation_id
    compared = f"{API}/images/{image_id}/revisions/{drawn_id}/compare/{head_id}"
    changes = olga.get(compared).get_json()["changes"]
    assert {change["key"]: set(change["fields"]) for change in changes} == {
        "a": {"group_of", "difficult"},
        "b": {"group_of", "difficult"},
    }
    matches = olga.get(f"{API}/images?flag=group_of").get_json()["images"]
    assert [image["image_id"] for image in matches] == [image_id]


def test_a_stale_save_keeps_its_groups_beside_the_newer_one(crowded: House) -> None:
    image_id = crowded.add_image()
    ann = crowded.ann()
    task = ann.take()
    ann.save(task, [SINGLE], finish=False)
    stale = ann.save(task, [GROUP], finish=False)
    assert error_of(stale)[:2] == (409, "stale")
    with crowded.party.catalogue.reading() as session:
        of_revision = Object.annotation_id == stale.get_json()["kept_as"]
        [kept] = load_objects(session, of_revision).values()
    assert [(item.group_of, item.difficult) for item in kept] == [(True, True)]
    assert words_of(crowded, image_id) == [(False, False)]


def test_organisers_are_not_asked_whether_a_group_is_difficult(crowded: House) -> None:
    _, image_id = draw_group(crowded)
    olga = crowded.olga()
    assert [
        (item["key"], item["image_id"])
        for item in olga.post(f"{API}/difficult/person/take").get_json()["objects"]
    ] == [("b", image_id)]
    classes = olga.get(f"{API}/difficult").get_json()["classes"]
    assert {item["id"]: item["waiting"] for item in classes}["person"] == 1
    seen: Json = {"image_id": image_id, "annotation_id": crowded.image(image_id).annotation_id}
    said = [seen | {"key": "a", "difficult": False}]
    answer = olga.post(f"{API}/difficult/person/judgements", {"objects": said})
    assert len(answer.get_json()["late"]) == 1
    assert words_of(crowded, image_id) == [(True, True), (False, False)]


def test_what_a_judge_said_before_does_not_make_a_group_easy(crowded: House) -> None:
    """Also where an undo lets an older revision be the newest again."""
    image_id = crowded.add_image()
    ann = crowded.ann()
    ann.save(ann.take(), [SINGLE])
    olga = crowded.olga()
    olga.post(f"{API}/difficult/person/take")
    seen: Json = {"image_id": image_id, "annotation_id": crowded.image(image_id).annotation_id}
    said = [seen | {"key": "a", "difficult": False}]
    assert olga.post(f"{API}/difficult/person/judgements", {"objects": said}).status_code == 200
    ann.save(ann.take(image_id=image_id), [GROUP])
    assert words_of(crowded, image_id) == [(True, True)]
    chris = crowded.chris()
    fixed = {"objects": [SINGLE], "active_secs": 8.0}
    assert chris.review(chris.take("check"), "fixed", fixed=fixed).status_code == 201
    assert words_of(crowded, image_id) == [(False, False)]
    assert olga.undo(crowded.reviews()[-1].person_id).status_code == 200
    assert words_of(crowded, image_id) == [(True, True)]


def test_every_flag_that_a_save_has_can_be_searched_for() -> None:
    flags = {name for name, field in ObjectBody.model_fields.items() if field.annotation is bool}
    assert flags | {"difficult"} == set(FLAGS)
