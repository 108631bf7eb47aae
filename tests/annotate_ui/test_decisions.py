"""Each decision leaves a row, and an image's state follows from its rows, whatever is undone."""

from typing import Any

import pytest
from sqlalchemy import select

from catalog.decisions import list_wrong_states
from catalog.settings import QaSettings
from catalog.states import DecisionKind, ImageState, Role
from catalog.tables import Annotation, BlindTask, Decision, GoldImage
from qa.blind_rows import load_training_progress
from qa.difficulty import judge_difficulty

from .house import API, Browser, House, error_of, new_key, thing
from .test_blind import make_gold


def list_kinds(house: House, image_id: int) -> list[tuple[str, bool]]:
    """The kinds of the image's decisions in order, and whether each counts."""
    with house.party.catalogue.reading() as session:
        assert list(list_wrong_states(session)) == []
        rows = session.scalars(select(Decision).where(Decision.image_id == image_id))
        ordered = sorted(rows, key=lambda row: row.id)
    return [(row.kind.value, row.set_aside_at is None) for row in ordered]


def check_one(house: House) -> tuple[int, Browser, Browser, Browser]:
    """The id of an image that ann drew and chris accepted, and three browsers."""
    image_id, ann, chris = house.draw_one()
    assert chris.review(chris.take("check")).status_code == 201
    return image_id, ann, chris, house.olga()


def test_each_decision_says_who_when_and_in_which_role(any_house: House) -> None:
    image_id, _, _, olga = check_one(any_house)
    assert olga.act("reopen", ids=[image_id]).get_json()["changed"] == [image_id]
    with any_house.party.catalogue.reading() as session:
        rows = session.scalars(select(Decision).order_by(Decision.id)).all()
    names = {any_house.person(name).id: name for name in ("ann", "chris", "olga")}
    assert [(row.kind, names[row.person_id or 0], row.role) for row in rows] == [
        (DecisionKind.DRAWN, "ann", Role.ANNOTATOR),
        (DecisionKind.ACCEPTED, "chris", Role.CHECKER),
        (DecisionKind.REOPENED, "olga", Role.ORGANISER),
    ]
    assert {row.decided_at for row in rows} == {any_house.clock.at}
    assert any_house.state(image_id) is ImageState.ANNOTATED


def test_a_reopening_stands_when_the_check_before_it_is_undone(any_house: House) -> None:
    image_id, _, _, olga = check_one(any_house)
    olga.act("reopen", ids=[image_id])
    assert olga.undo(any_house.person("chris").id).status_code == 200
    assert any_house.state(image_id) is ImageState.ANNOTATED
    assert list_kinds(any_house, image_id) == [
        ("drawn", True),
        ("accepted", False),
        ("reopened", True),
        ("undone", True),
    ]


def test_a_released_image_that_was_reopened_is_not_released_again_by_an_undo(
    any_house: House,
) -> None:
    image_id, ann, _, olga = check_one(any_house)
    any_house.release(image_id)
    olga.act("reopen", ids=[image_id])
    any_house.clock.advance(60)
    since = any_house.clock.at.isoformat()
    ann.save(ann.take(image_id=image_id), [])
    assert olga.undo(any_house.person("ann").id, since=since).status_code == 200
    assert any_house.state(image_id) is ImageState.ANNOTATED
    assert list_kinds(any_house, image_id)[-1] == ("undone", True)


def test_a_reopened_discard_stays_in_the_hands_that_hold_it(any_house: House) -> None:
    ann, task = any_house.begin()
    olga = any_house.olga()
    image_id = task["image_id"]
    ann.save(task, [], discard_reason="no_object")
    judged = olga.review(olga.take("check", image_id=image_id), objects=[])
    assert judged.status_code == 201, judged.text
    assert any_house.state(image_id) is ImageState.DISCARDED
    pat = any_house.enter(any_house.add_person("pat", Role.ORGANISER))
    pat.act("reopen", ids=[image_id])
    ben = any_house.enter(any_house.add_person("ben"))
    held = ben.take()
    assert held["image_id"] == image_id
    assert pat.undo(any_house.person("olga").id).status_code == 200
    assert any_house.state(image_id) is ImageState.ANNOTATING
    assert ben.save(held, [thing()]).status_code == 201
    assert list_kinds(any_house, image_id)[-1] == ("drawn", True)


def test_a_campaigns_end_brings_images_where_they_are_without_it(any_house: House) -> None:
    image_id, _, _, olga = check_one(any_house)
    assert olga.campaign("views", fields=["view"], ids=[image_id]).status_code == 200
    assert any_house.state(image_id) is ImageState.POOL
    assert olga.undo(any_house.person("chris").id).status_code == 200
    assert any_house.state(image_id) is ImageState.POOL
    assert olga.post(f"{API}/images/campaigns/1/end").status_code == 200
    assert any_house.state(image_id) is ImageState.ANNOTATED  # no check counts any more
    kinds = [kind for kind, _ in list_kinds(any_house, image_id)]
    assert kinds[-1] == "campaign_ended"


def test_gold_whose_reference_was_undone_is_given_out_no_more(any_house: House) -> None:
    image_id, _, _, olga = check_one(any_house)
    make_gold(any_house, image_id)
    assert olga.undo(any_house.person("ann").id).status_code == 200
    with any_house.party.catalogue.reading() as session:
        assert session.get_one(GoldImage, image_id).ended_at == any_house.clock.at
    any_house.set_qa(gold_share=1.0)
    ben = any_house.enter(any_house.add_person("ben"))
    task = ben.take()  # as a new image: nothing is scored
    assert (task["image_id"], task["annotation"]) == (image_id, None)
    assert "training" not in ben.save(task).get_json()


@pytest.mark.parametrize("is_answered", [False, True])
def test_an_answer_counts_only_against_a_reference_that_stands(
    any_house: House, is_answered: bool
) -> None:
    image_id, _, _, olga = check_one(any_house)
    make_gold(any_house, image_id, is_training=True)
    any_house.set_qa(training_images=1, double_share=0.0)
    ben = any_house.enter(any_house.add_person("ben"))
    task = ben.take()
    wrong = [thing(box=[1, 1, 40, 40])]
    if is_answered:
        assert ben.save(task, wrong).get_json()["training"]["is_passed"] is False
    assert olga.undo(any_house.person("ann").id).status_code == 200
    if not is_answered:
        saved = ben.save(task, wrong)
        assert (saved.status_code, saved.get_json().get("training")) == (201, None)
    training = ben.get(f"{API}/training").get_json()
    assert (training["passed"], training["trials"]) == (0, [])
    assert olga.get(f"{API}/gold").get_json()["people"] == []
    with any_house.party.catalogue.reading() as session:
        (answer,) = session.scalars(select(BlindTask))
        assert (answer.score, answer.is_passed) == (None, None)
        assert load_training_progress(session, answer.person_id, QaSettings()).tried == 0


def test_a_discard_cannot_be_restored_as_a_checkers_correction(any_house: House) -> None:
    image_id, ann, chris = any_house.draw_one()
    ann.save(ann.take(image_id=image_id), [thing()], discard_reason="no_object")
    discard = any_house.revisions(image_id)[-1].id
    head = ann.save(ann.take(image_id=image_id)).get_json()["annotation"]["id"]
    chris.take("check", image_id=image_id)
    path = f"{API}/images/{image_id}/revisions/{discard}/restore"
    body = {"save_key": new_key(), "head_id": head, "verdict_id": None}
    refused = chris.post(path, body)
    assert error_of(refused)[:2] == (422, "invalid")
    assert "Return the image" in refused.text
    assert any_house.state(image_id) is ImageState.CHECKING
    assert chris.review({"image_id": image_id, "annotation": {"id": head}}).status_code == 201


@pytest.mark.parametrize("way", ["deleted", "undone"])
def test_an_organisers_word_on_difficulty_follows_the_object(any_house: House, way: str) -> None:
    house = any_house
    image_id, ann, chris = house.draw_one()
    olga = house.olga()

    def judge() -> None:
        seen = house.image(image_id).annotation_id or 0
        with house.party.catalogue.writing() as session:
            person_id = house.person("olga").id
            values: dict[str, Any] = {"seen_id": seen, "person_id": person_id, "at": house.clock.at}
            judge_difficulty(session, image_id, "a", True, **values)

    if way == "deleted":
        judge()
        task = ann.take(image_id=image_id)
        draft = ann.save(task, [], finish=False).get_json()["annotation"]
        ann.save(task | {"annotation": draft}, [thing()])
    else:
        chris.review(chris.take("check"), "fixed", fixed={"objects": [thing()], "active_secs": 1.0})
        judge()
        assert olga.undo(house.person("chris").id).status_code == 200
    with house.party.catalogue.reading() as session:
        head = session.get_one(Annotation, house.image(image_id).annotation_id)
        assert [item.difficult for item in head.objects] == [True]


def test_what_an_organiser_settled_stays_settled_when_their_role_changes(
    any_house: House,
) -> None:
    image_id, ann, chris = any_house.draw_one()
    olga = any_house.olga()
    pat = any_house.enter(any_house.add_person("pat", Role.ORGANISER))
    for _ in range(any_house.party.settings.qa.return_rounds):
        chris.review(chris.take("check"), "returned", comment="Again.", complete=False)
        ann.save(ann.take(image_id=image_id))
    assert len(olga.get(f"{API}/disputes").get_json()["disputes"]) == 1
    pat.review(pat.take("check", image_id=image_id))
    olga.act("reopen", ids=[image_id])
    assert olga.get(f"{API}/disputes").get_json()["disputes"] == []
    path = f"{API}/people/{any_house.person('pat').id}/role"
    assert olga.post(path, {"role": "annotator"}).status_code == 200
    assert olga.get(f"{API}/disputes").get_json()["disputes"] == []
