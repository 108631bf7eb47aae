"""A save or a verdict counts only on the version that it was made on; else both are told."""

from typing import Any

from catalog.tables import GoldImage

from .house import API, House, error_of, new_key, revision, thing, verdict_on
from .test_blind import draw_first, make_gold, tasks_of

B = thing("b", box=[1, 1, 40, 40])
C = thing("c", box=[60, 60, 90, 90])


def keys_of(revision: dict[str, Any]) -> list[str]:
    return [item["key"] for item in revision["objects"]]


def test_a_blind_copy_in_two_windows_gets_the_conflict_answer(any_house: House) -> None:
    _, bob, image_id = draw_first(any_house)
    task, window = bob.take(), any_house.window_of(bob)
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
    task, window = bob.take(), any_house.window_of(bob)
    draft = bob.save(task, [thing()], finish=False).get_json()["annotation"]
    assert error_of(window.save(task, []))[:2] == (409, "stale")
    assert tasks_of(any_house, image_id)[0].score is None
    assert bob.save(task | {"annotation": draft}, [thing()]).status_code == 201
    assert tasks_of(any_house, image_id)[0].is_passed


def test_a_training_answer_in_two_windows_is_not_overwritten(any_house: House) -> None:
    ann, image_id = any_house.ann(), any_house.add_image()
    ann.save(ann.take())
    make_gold(any_house, image_id, is_training=True)
    any_house.set_qa(training_images=1, training_found=0.8)
    zoe = any_house.enter(any_house.add_person("zoe"))
    task, window = zoe.take(), any_house.window_of(zoe)
    assert task["image_id"] == image_id
    draft = zoe.save(task, [thing()], finish=False).get_json()["annotation"]
    assert error_of(window.save(task, []))[:2] == (409, "stale")
    answer = zoe.save(task | {"annotation": draft}, [thing()]).get_json()
    assert answer["training"]["passed"] == 1


def test_a_blind_copy_put_back_from_its_history_starts_from_the_answer(any_house: House) -> None:
    _, bob, image_id = draw_first(any_house)
    task, window = bob.take(), any_house.window_of(bob)
    first = bob.save(task, [thing(), B], finish=False).get_json()["annotation"]
    beside = window.save(task, [C], finish=False).get_json()["kept_as"]
    path = f"{API}/images/{image_id}/revisions"
    lines = bob.get(path).get_json()["revisions"]
    assert [line["id"] for line in lines if line["head"]] == [first["id"]]
    body = {"save_key": new_key(), "head_id": first["id"]}
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


def test_a_gold_choice_takes_the_revision_that_was_seen(any_house: House) -> None:
    house = any_house
    image_id, ann, _ = house.draw_one()
    olga = house.olga()
    path = f"{API}/gold/{image_id}"
    seen = olga.get(path).get_json()["annotation_id"]
    boat: dict[str, Any] = {"class": "boat", "actions": [], "parts": []}
    ann.save(ann.take(image_id=image_id), [thing(**boat)])
    choice = {"annotation_id": seen, "is_training": False, "note": "A person, seen from behind."}
    assert error_of(olga.put(path, choice))[:2] == (409, "stale")
    now = olga.get(path).get_json()
    assert [item["class"] for item in now["objects"]] == ["boat"]
    choice["annotation_id"] = now["annotation_id"]
    assert olga.put(path, choice).get_json()["gold"]["annotation_id"] == now["annotation_id"]
    ann.save(ann.take(image_id=image_id), [thing(), B])
    kept = olga.put(path, choice | {"note": "A boat."}).get_json()["gold"]
    assert (kept["annotation_id"], kept["is_changed"]) == (now["annotation_id"], True)
    with house.party.catalogue.reading() as session:
        assert session.get_one(GoldImage, image_id).note == "A boat."
