"""A save or a verdict counts only on the version that it was made on; else both are told."""

from typing import Any

from catalog.states import Role
from catalog.tables import BlindTask, GoldImage
from qa.jobs import check_party

from .house import API, House, error_of, new_key, revision, thing, verdict_on
from .test_blind import draw_first, make_gold, tasks_of

NOT_SHOWN = {
    "tasks.take_to_annotate": "asks for the next image, or opens one: the answer shows it",
    "tasks.take_to_check": "as above",
    "segment_tasks.take_to_segment": "as above",
    "segment_tasks.take_to_check": "as above",
    "tasks.extend_lease": "says that the page is still there",
    "tasks.give_image_back": "gives back what one holds; what was saved stays",
    "segments.post_proposal": "changes nothing",
    "guidelines.preview_guidelines": "changes nothing",
    "difficult.post_take": "asks for the objects of a class: the answer shows them",
    "difficult.post_give_back": "gives back what one holds; judgements stay",
    "presence.post_answers": "counts on images alone that no one drew on, which is what was shown",
    "presence_questions.take_page": "asks for the next page: the answer shows it",
    "presence_questions.post_page": "names its plan, whose words the answers keep",
    "questions.take_class": "asks for the questions of a class: the answer shows them",
    "party.put_preferences": "one's own choices; the last window wins",
    "people.post_person": "adds a person",
    "people.post_code": "adds a party code",
    "people.post_code_end": "ends a code, which happens once and is not undone",
    "training.post_finish": "says that one finished one's own training",
    "wall.post_seen": "says that one read a remark, which never changes",
}
"""Changing routes of which the body says nothing of what the page showed, and why."""


def test_every_changing_route_says_what_its_page_showed(house: House) -> None:
    silent = set()
    for rule in house.app.url_map.iter_rules():
        view = house.app.view_functions[rule.endpoint]
        model = getattr(view, "body_model", None)
        if model is None or not {"POST", "PUT"} & (rule.methods or set()):
            continue
        shows = getattr(view, "shows", None)
        if shows is None:
            silent.add(rule.endpoint.removeprefix("api."))
        else:
            assert shows.field in model.model_fields or shows.field in rule.arguments, rule.endpoint
    assert silent == set(NOT_SHOWN)


B = thing("b", box=[1, 1, 40, 40])
C = thing("c", box=[60, 60, 90, 90])


def keys_of(revision: dict[str, Any]) -> list[str]:
    return [item["key"] for item in revision["objects"]]


def test_a_blind_copy_in_two_windows_gets_the_conflict_answer(any_house: House) -> None:
    _, bob, image_id = draw_first(any_house)
    task = bob.take()
    window = any_house.window_of(bob)
    first = bob.save(task, [thing(), B], finish=False).get_json()["annotation"]
    late = revision(None, [C])
    for _ in range(2):  # a repeated save is answered as the first time
        answer = window.post(f"{API}/images/{image_id}/revisions", late)
        assert error_of(answer) == (409, "stale", None)
        assert answer.get_json()["head"] == first
    (row,) = tasks_of(any_house, image_id)
    assert (row.annotation_id, row.finished_at) == (first["id"], None)
    assert any_house.revisions(image_id)[-1].id == answer.get_json()["kept_as"]
    settled = window.save(task | {"annotation": first}, [thing(), B, C])
    assert settled.status_code == 201
    (row,) = tasks_of(any_house, image_id)
    assert row.annotation_id == settled.get_json()["annotation"]["id"]
    assert row.finished_at is not None


def test_a_gold_answer_in_two_windows_is_scored_as_it_was_settled(any_house: House) -> None:
    _, bob, image_id = draw_first(any_house, gold_share=1.0, double_share=0.0)
    make_gold(any_house, image_id)
    task = bob.take()
    window = any_house.window_of(bob)
    draft = bob.save(task, [thing()], finish=False).get_json()["annotation"]
    assert error_of(window.save(task, []))[:2] == (409, "stale")
    assert tasks_of(any_house, image_id)[0].score is None
    assert bob.save(task | {"annotation": draft}, [thing()]).status_code == 201
    assert tasks_of(any_house, image_id)[0].is_passed


def test_a_score_that_a_killed_server_did_not_keep_follows_from_the_answer(
    any_house: House,
) -> None:
    _, bob, image_id = draw_first(any_house, gold_share=1.0, double_share=0.0)
    make_gold(any_house, image_id)
    bob.save(bob.take(), [thing()])
    [before] = tasks_of(any_house, image_id)
    assert before.is_passed
    with any_house.party.catalogue.writing() as session:
        task = session.get_one(BlindTask, before.id)
        task.score = task.is_passed = None
    check_party(any_house.party, any_house.clock.at)
    [after] = tasks_of(any_house, image_id)
    assert (after.score, after.is_passed) == (before.score, True)


def test_a_training_answer_in_two_windows_is_not_overwritten(any_house: House) -> None:
    ann = any_house.ann()
    image_id = any_house.add_image()
    ann.save(ann.take())
    make_gold(any_house, image_id, is_training=True)
    any_house.set_qa(training_images=1, training_found=0.8)
    zoe = any_house.enter(any_house.add_person("zoe"))
    task = zoe.take()
    window = any_house.window_of(zoe)
    assert task["image_id"] == image_id
    draft = zoe.save(task, [thing()], finish=False).get_json()["annotation"]
    assert error_of(window.save(task, []))[:2] == (409, "stale")
    answer = zoe.save(task | {"annotation": draft}, [thing()]).get_json()
    assert answer["training"]["passed"] == 1


def test_a_blind_copy_put_back_from_its_history_starts_from_the_answer(any_house: House) -> None:
    _, bob, image_id = draw_first(any_house)
    task = bob.take()
    window = any_house.window_of(bob)
    first = bob.save(task, [thing(), B], finish=False).get_json()["annotation"]
    beside = window.save(task, [C], finish=False).get_json()["kept_as"]
    path = f"{API}/images/{image_id}/revisions"
    lines = bob.get(path).get_json()["revisions"]
    assert [line["id"] for line in lines if line["head"]] == [first["id"]]
    body = {"save_key": new_key(), "head_id": first["id"], "verdict_id": None}
    again = bob.post(f"{path}/{beside}/restore", body)
    assert again.status_code in (200, 201), again.text
    assert keys_of(again.get_json()["annotation"]) == ["c"]


def test_a_verdict_on_an_older_revision_is_not_recorded_for_the_newest(any_house: House) -> None:
    house = any_house
    image_id, ann, chris = house.draw_one()
    old = chris.take("check")["annotation"]
    chris.post(f"{API}/leases/{image_id * 5 + 1}/give-back")
    house.clock.advance(700)
    new = ann.save(ann.take(image_id=image_id), [thing(), B]).get_json()["annotation"]
    task = chris.take("check", image_id=image_id)
    assert task["annotation"] == new
    for verdict in ("accept", "returned", "fixed"):
        answer = chris.post(f"{API}/images/{image_id}/reviews", verdict_on(old["id"], verdict))
        assert error_of(answer)[:2] == (409, "stale")
        assert answer.get_json()["head"] == new
    assert house.reviews() == []
    said = [{"key": key, "verdict": "accept", "comment": ""} for key in ("a", "b")]
    assert chris.review(task, objects=said).status_code == 201


def test_a_verdict_on_a_finding_counts_for_what_it_said(any_house: House) -> None:
    image_id, ann, chris = any_house.draw_one()
    near = thing("b", box=[50, 240, 195, 371], parts=[])
    ann.save(ann.take(image_id=image_id), [thing(parts=[]), near])
    check = {"check": "same_class_overlap"}
    (shown,) = chris.get(f"{API}/findings", query_string=check).get_json()["findings"]
    ann.save(ann.take(image_id=image_id), [thing(parts=[]), near | {"box": [54, 240, 195, 371]}])
    path = f"{API}/findings/{shown['id']}/verdict"
    refused = chris.post(path, {"verdict": "wrong", "version": shown["version"]})
    assert error_of(refused)[:2] == (409, "stale")
    now = refused.get_json()["head"]
    assert now["verdict"] is None
    assert now["message"] != shown["message"]
    again = chris.post(path, {"verdict": "wrong", "version": now["version"]})
    assert again.get_json()["verdict"] == "wrong"


def test_a_campaign_leaves_out_images_that_changed_since_they_were_shown(any_house: House) -> None:
    house = any_house
    first, ann, chris = house.draw_one()
    house.add_image()
    second = ann.take()["image_id"]
    ann.save({"image_id": second, "annotation": None})
    olga = house.olga()
    shown = olga.get(f"{API}/images/versions?state=annotated").get_json()["images"]
    task = chris.take("check")
    chris.review(task)
    body = {"name": "views", "fields": ["view"], "images": shown}
    answer = olga.post(f"{API}/images/campaigns", body)
    assert f"images {task['image_id']}" in answer.get_json()["message"]
    states = {image_id: house.state(image_id) for image_id in (first, second)}
    assert states.pop(task["image_id"]).value == "checked"
    assert [state.value for state in states.values()] == ["pool"]


def test_a_change_of_a_person_is_of_the_person_as_shown(house: House) -> None:
    house.add_person("ben")
    olga = house.olga()
    pat = house.enter(house.add_person("pat", Role.ORGANISER))
    members = olga.get(f"{API}/people").get_json()["people"]
    ben = next(item for item in members if item["name"] == "ben")
    path = f"{API}/people/{ben['id']}"
    version = {"version": ben["version"]}
    assert pat.post(f"{path}/role", version | {"role": "checker"}).status_code == 200
    for change, body in (("role", {"role": "organiser"}), ("end", {}), ("link", {})):
        refused = olga.post(f"{path}/{change}", version | body)
        assert error_of(refused)[:2] == (409, "stale"), change
        assert refused.get_json()["head"]["person"]["role"] == "checker"
    assert house.person("ben").role is Role.CHECKER


def test_only_the_lease_that_was_shown_is_taken_back(house: House) -> None:
    ann, task = house.begin()
    olga = house.olga()
    (hold,) = olga.get(f"{API}/board").get_json()["holds"]
    ann.post(f"{API}/leases/{task['lease']['id']}/give-back")
    ann.take()
    path = f"{API}/board/people/{hold['person_id']}/leases/{hold['lease_id']}/take-back"
    refused = olga.post(path, {"version": hold["version"]})
    assert error_of(refused)[:2] == (409, "stale")
    assert len(house.leases()) == 1


def test_difficulty_is_judged_of_the_object_that_was_shown(any_house: House) -> None:
    image_id, ann, _ = any_house.draw_one()
    olga = any_house.olga()
    (crop,) = olga.post(f"{API}/difficult/person/take").get_json()["objects"]
    ann.save(ann.take(image_id=image_id), [thing(box=[1, 1, 13, 13], parts=[])])
    judged = {name: crop[name] for name in ("image_id", "annotation_id", "key")}
    body = {"objects": [judged | {"difficult": True}]}
    answer = olga.post(f"{API}/difficult/person/judgements", body).get_json()
    assert answer["late"] == [{"image_id": image_id, "key": "a"}]
    (again,) = olga.post(f"{API}/difficult/person/take").get_json()["objects"]
    assert (again["size"], again["difficult"]) == ([13, 13], False)


def test_a_gold_choice_takes_the_revision_that_was_seen(any_house: House) -> None:
    house = any_house
    image_id, ann, _ = house.draw_one()
    olga = house.olga()
    path = f"{API}/gold/{image_id}"
    seen = olga.get(path).get_json()
    boat: dict[str, Any] = {"class": "boat", "actions": [], "parts": []}
    ann.save(ann.take(image_id=image_id), [thing(**boat)])
    choice = {"is_training": False, "note": "A person, seen from behind."}
    shown = {name: seen[name] for name in ("annotation_id", "version")}
    refused = olga.put(path, choice | shown)
    assert error_of(refused)[:2] == (409, "stale")
    assert [item["class"] for item in refused.get_json()["head"]["objects"]] == ["boat"]
    now = olga.get(path).get_json()
    assert [item["class"] for item in now["objects"]] == ["boat"]
    choice["annotation_id"] = now["annotation_id"]
    assert olga.put(path, choice).get_json()["gold"]["annotation_id"] == now["annotation_id"]
    ann.save(ann.take(image_id=image_id), [thing(), B])
    kept = olga.put(path, choice | {"note": "A boat."}).get_json()["gold"]
    assert (kept["annotation_id"], kept["is_changed"]) == (now["annotation_id"], True)
    with house.party.catalogue.reading() as session:
        assert session.get_one(GoldImage, image_id).note == "A boat."
