"""The history of an image: who may see it, what differs, and what a restore makes."""

from typing import Any

import pytest

from catalog.states import BlindKind, ImageState
from catalog.tables import Annotation, BlindTask, Object
from work.history import compare_objects

from .house import API, Browser, House, error_of, new_key, thing

CAT = thing("b", **{"class": "cat"}, actions=[], parts=[])


def history(browser: Browser, image_id: int) -> dict[str, Any]:
    answer = browser.get(f"{API}/images/{image_id}/revisions")
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.get_json()
    return body


def restore(browser: Browser, image_id: int, revision_id: int, head_id: int, key: str = "") -> Any:
    path = f"{API}/images/{image_id}/revisions"
    shown = browser.get(path).get_json()
    body = {"head_id": head_id, "verdict_id": shown.get("verdict_id")}
    return browser.post(f"{path}/{revision_id}/restore", body | {"save_key": key or new_key()})


def draw_twice(house: House, ann: Browser) -> tuple[int, int, int]:
    """An image that ann finished with one object and then without it: its id, both revisions."""
    image_id = house.add_image()
    first = ann.save(ann.take(), [thing()]).get_json()["annotation"]["id"]
    task = ann.take(image_id=image_id)
    second = ann.save(task, [], discard_reason="collage").get_json()["annotation"]["id"]
    return image_id, first, second


def test_the_history_shows_person_time_and_reason_of_each_revision(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    image_id = any_house.add_image()
    task = ann.take()
    task["annotation"] = ann.save(task, [thing()], finish=False).get_json()["annotation"]
    ann.save(task, [thing()])
    assert chris.review(chris.take("check"), "fixed", comment="too loose").status_code == 201
    corrected, drawn, draft = history(ann, image_id)["revisions"]
    assert [revision["person"]["name"] for revision in (corrected, drawn)] == ["chris", "ann"]
    assert (corrected["head"], corrected["corrects"]["comment"]) == (True, "too loose")
    expected = (True, "fixed", 1)
    assert (drawn["finished"], drawn["reviews"][0]["verdict"], drawn["objects"]) == expected
    assert (draft["finished"], draft["saved_at"]) == (False, "2026-01-31T12:00:00Z")


def test_differences_are_added_removed_moved_and_changed_objects() -> None:
    old = [thing(key, difficult=False) for key in ("same", "moved", "renamed", "gone")]
    new = [
        old[0],
        old[1] | {"box": [50, 240, 195, 371]},
        old[2] | {"class": "cat", "box": [1, 2, 30, 40]},
        thing("new", difficult=False),
    ]
    before, after = ([make_object(item) for item in items] for items in (old, new))
    changes = {
        change.key: (change.kind, change.fields) for change in compare_objects(before, after)
    }
    assert changes == {
        "moved": ("moved", ("box",)),
        "renamed": ("changed", ("class", "box")),
        "new": ("added", ()),
        "gone": ("removed", ()),
    }


def make_object(item: dict[str, Any]) -> Object:
    """The row of an object that has no point and no parts."""
    sides = dict(zip(("xmin", "ymin", "xmax", "ymax"), item["box"], strict=True))
    names = ("view", "truncated", "occluded", "difficult", "unsure", "actions")
    looks = {name: item.get(name, []) for name in names}
    return Object(
        object_key=item["key"], class_id=item["class"], class_today=item["class"], **looks, **sides
    )


def test_two_revisions_are_compared_by_id(house: House) -> None:
    ann = house.ann()
    image_id, first, second = draw_twice(house, ann)
    path = f"{API}/images/{image_id}/revisions/{first}/compare"
    [change] = ann.get(f"{path}/{second}").get_json()["changes"]
    assert (change["kind"], change["before"]["box"]) == ("removed", thing()["box"])
    expected = {"changes": [], "same": [thing(difficult=False)]}
    assert ann.get(f"{path}/{first}").get_json() == expected
    assert error_of(ann.get(f"{path}/{second + 1}"))[0] == 404


def test_a_restore_is_refused_if_a_newer_revision_exists(any_house: House) -> None:
    ann = any_house.ann()
    image_id, first, second = draw_twice(any_house, ann)
    assert history(ann, image_id)["may_restore"]
    key = new_key()
    answer = restore(ann, image_id, first, second, key)
    assert (answer.status_code, answer.get_json()["state"]) == (201, "annotated")
    again = restore(ann, image_id, first, second, key)
    expected = (200, answer.get_json()["annotation"])
    assert (again.status_code, again.get_json()["annotation"]) == expected
    *_, restored = any_house.revisions(image_id)
    assert (restored.parent_id, restored.comment) == (second, f"Restored revision {first}.")
    assert any_house.state(image_id) is ImageState.ANNOTATED
    assert [item["key"] for item in answer.get_json()["annotation"]["objects"]] == ["a"]
    assert error_of(restore(any_house.olga(), image_id, second, second)) == (409, "stale", None)
    assert len(any_house.revisions(image_id)) == 3
    assert any_house.leases() == []


def test_the_annotator_continues_from_the_restored_draft(any_house: House) -> None:
    ann = any_house.ann()
    image_id, first, second = draw_twice(any_house, ann)
    ann.take(image_id=image_id)
    answer = restore(ann, image_id, first, second).get_json()
    assert (answer["annotation"]["finished"], answer["state"]) == (False, "annotating")
    task = ann.take(image_id=image_id)
    assert task["annotation"] == answer["annotation"]


def test_a_restore_by_a_checker_is_a_correction_to_be_checked(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    image_id = any_house.add_image()
    first = ann.save(ann.take(), [thing()]).get_json()["annotation"]["id"]
    second = ann.save(ann.take(image_id=image_id), [thing(), CAT]).get_json()["annotation"]["id"]
    chris.take("check")
    corrected = restore(chris, image_id, first, second).get_json()
    assert corrected["state"] == "checked"
    [review] = any_house.reviews()
    assert review.fixed_annotation_id == corrected["annotation"]["id"]
    head_id = corrected["annotation"]["id"]
    assert error_of(restore(chris, image_id, second, head_id))[0] == 409
    assert restore(olga, image_id, second, head_id).get_json()["state"] == "annotated"


def test_restoring_an_unknown_class_is_refused_in_one_sentence(house: House) -> None:
    ann = house.ann()
    image_id, first, second = draw_twice(house, ann)
    with house.party.catalogue.writing() as session:
        session.query(Object).filter_by(annotation_id=first).one().class_id = "unicorn"
    answer = restore(ann, image_id, first, second)
    assert error_of(answer)[:2] == (422, "invalid")
    assert "cannot be restored: unicorn left the preset" in answer.get_json()["error"]["message"]
    assert len(house.revisions(image_id)) == 2


@pytest.mark.parametrize("state", [ImageState.CHECKING, ImageState.TAKEN_DOWN])
def test_an_image_in_use_is_not_restored(house: House, state: ImageState) -> None:
    ann = house.ann()
    olga = house.olga()
    image_id, first, second = draw_twice(house, ann)
    house.set_state(image_id, state)
    assert error_of(restore(olga, image_id, first, second))[0] in (404, 409)
    assert error_of(restore(ann, image_id, first, second))[0] in (404, 409)
    assert len(house.revisions(image_id)) == 2


def test_history_is_hidden_from_strangers_and_hides_blind_revisions(any_house: House) -> None:
    ann = any_house.ann()
    bob = any_house.enter(any_house.add_person("bob"))
    sam = any_house.enter(any_house.add_person("sam"))
    olga = any_house.olga()
    image_id, first, _second = draw_twice(any_house, ann)
    assert error_of(sam.get(f"{API}/images/{image_id}/revisions"))[0] == 403
    assert error_of(sam.get(f"{API}/images/999/revisions"))[0] == 404
    blind = _answer_blind(any_house, image_id, first, "bob")
    assert [revision["id"] for revision in history(bob, image_id)["revisions"]] == [blind]
    assert not history(bob, image_id)["revisions"][0]["beside"]
    assert error_of(bob.get(f"{API}/images/{image_id}/revisions/{first}/compare/{blind}"))[0] == 404
    assert blind not in [revision["id"] for revision in history(ann, image_id)["revisions"]]
    assert blind in [revision["id"] for revision in history(olga, image_id)["revisions"]]


def _answer_blind(house: House, image_id: int, reference_id: int, name: str) -> int:
    """The revision that this person drew blind on the image."""
    with house.party.catalogue.writing() as session:
        drawn = Annotation(
            image_id=image_id,
            person_id=house.person(name).id,
            save_key=new_key(),
            saved_at=house.clock.at,
            is_finished=True,
            beside="blind",
        )
        session.add(drawn)
        session.flush()
        task = BlindTask(
            image_id=image_id,
            person_id=drawn.person_id,
            kind=BlindKind.DOUBLE,
            reference_id=reference_id,
            annotation_id=drawn.id,
            taken_at=house.clock.at,
            finished_at=house.clock.at,
        )
        session.add(task)
        return drawn.id


def test_a_returned_image_is_offered_to_its_author_until_another_person_has_it(
    any_house: House,
) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    bob = any_house.enter(any_house.add_person("bob"))
    image_id = any_house.add_image()
    ann.save(ann.take(), [thing()])
    chris.review(chris.take("check"), "returned")
    ann.take()
    [outcome] = ann.get(f"{API}/me/feedback").get_json()["outcomes"]
    assert outcome["may_correct"], "it is open with her"
    person = f"{API}/people/{any_house.person('ann').id}"
    olga.post(f"{person}/end")
    assert bob.take()["image_id"] == image_id
    link = olga.post(f"{person}/link").get_json()["link"]["url"]
    back = any_house.enter(link.rpartition("/")[2])
    [outcome] = back.get(f"{API}/me/feedback").get_json()["outcomes"]
    assert not outcome["may_correct"]


def test_feedback_shows_corrections_returns_and_comments(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    image_id = any_house.add_image()
    drawn = ann.save(ann.take(), [thing()]).get_json()["annotation"]["id"]
    chris.review(chris.take("check"), "returned")
    [waiting] = ann.get(f"{API}/me/feedback").get_json()["outcomes"]
    assert (waiting["verdict"], waiting["after_id"], waiting["changes"]) == ("returned", None, [])
    assert (waiting["may_correct"], waiting["rejected"]) == (True, [])
    assert ann.get(f"{API}/me/feedback").get_json()["returned"] == 1
    ann.save(ann.take(), [thing(), CAT])
    chris.review(chris.take("check"), "fixed")
    said = {"text": "Watch the tails."}
    assert olga.post(f"{API}/annotations/{drawn}/remarks", said).status_code in (200, 201)
    feedback = ann.get(f"{API}/me/feedback").get_json()
    corrected, returned = feedback["outcomes"]
    assert {change["kind"] for change in corrected["changes"]} == {"moved", "removed"}
    assert [change["kind"] for change in returned["changes"]] == ["added"]
    assert (returned["image_id"], returned["comment"]) == (image_id, "The cat is missing.")
    assert (feedback["returned"], returned["may_correct"]) == (0, False)
    [week] = feedback["weeks"]
    assert (week["week"], week["judged"], week["accepted"]) == ("2026-W05", 2, 0)
    assert [remark["text"] for remark in feedback["remarks"]] == ["Watch the tails."]
    assert chris.get(f"{API}/me/feedback").get_json()["outcomes"] == []


def test_feedback_continues_with_older_outcomes(house: House) -> None:
    ann = house.ann()
    chris = house.chris()
    for _ in range(11):
        house.add_image()
        ann.save(ann.take())
        chris.review(chris.take("check"), "fixed")
    first = ann.get(f"{API}/me/feedback").get_json()
    assert len(first["outcomes"]) == 10
    rest = ann.get(f"{API}/me/feedback?before={first['next']}").get_json()
    assert (len(rest["outcomes"]), rest["next"]) == (1, None)


def test_a_revision_is_not_restored_over_a_verdict_that_the_page_did_not_show(
    any_house: House,
) -> None:
    image_id, _, chris = any_house.draw_one()
    olga = any_house.olga()
    path = f"{API}/images/{image_id}/revisions"
    page = olga.get(path).get_json()
    (line,) = page["revisions"]
    chris.review(chris.take("check"))  # after the page was opened
    body = {"save_key": new_key(), "head_id": line["id"], "verdict_id": page["verdict_id"]}
    refused = olga.post(f"{path}/{line['id']}/restore", body)
    assert error_of(refused)[:2] == (409, "stale")
    assert "was judged meanwhile" in refused.text
    assert any_house.state(image_id) is ImageState.CHECKED
    again = body | {"verdict_id": olga.get(path).get_json()["verdict_id"]}
    assert olga.post(f"{path}/{line['id']}/restore", again).status_code == 201
    assert olga.post(f"{path}/{line['id']}/restore", again).status_code == 200  # sent twice
