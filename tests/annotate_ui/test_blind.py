"""Blind tasks: images that are annotated again or have a reference, but look like new ones."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import event

from catalog.states import BlindKind, ImageState, Role
from catalog.tables import BlindTask, SeenImage
from qa.agreement_document import format_document
from qa.agreement_report import format_agreement
from qa.gold import choose_gold
from qa.jobs import measure_party
from work.seen import keep_seen

from .house import API, Browser, House, error_of, new_key, thing


def draw_first(house: House, **values: Any) -> tuple[Browser, Browser, int]:
    """The browsers of ann and bob, and an image that ann finished and bob has not seen."""
    image_id = house.add_image()
    ann = house.ann()
    bob = house.enter(house.add_person("bob"))
    assert ann.save(ann.take()).status_code == 201
    house.set_qa(**({"double_share": 1.0, "gold_share": 0.0} | values))
    return ann, bob, image_id


def tasks_of(house: House, image_id: int) -> list[BlindTask]:
    with house.party.catalogue.reading() as session:
        query = session.query(BlindTask).filter_by(image_id=image_id)
        return query.order_by(BlindTask.id).all()


def make_gold(house: House, image_id: int, is_training: bool = False) -> None:
    with house.party.catalogue.writing() as session:
        person_id = house.person("ann").id
        at = house.clock.at
        choose_gold(session, image_id, person_id=person_id, at=at, is_training=is_training)


def shape_of(value: Any) -> Any:
    """The value with every plain value replaced by its type."""
    if isinstance(value, dict):
        return {key: shape_of(item) for key, item in value.items()}
    if isinstance(value, list):
        return [shape_of(item) for item in value]
    return type(value).__name__


def test_a_blind_revision_does_not_replace_the_head(any_house: House) -> None:
    ann, bob, image_id = draw_first(any_house)
    head_id = any_house.image(image_id).annotation_id
    task = bob.take()
    assert (task["image_id"], task["annotation"], task["review"]) == (image_id, None, None)
    draft = bob.save(task, [thing("b")], finish=False).get_json()
    assert (draft["state"], draft["lease"]["id"]) == ("annotating", task["lease"]["id"])
    assert bob.take()["annotation"] == draft["annotation"]  # after a reload
    done = bob.save(task | draft, [thing("b"), thing("c", box=[1, 1, 40, 40])]).get_json()
    assert (done["state"], done["lease"]) == ("annotated", None)
    image = any_house.image(image_id)
    assert (image.annotation_id, image.state) == (head_id, ImageState.ANNOTATED)
    assert [row.is_stale for row in any_house.revisions(image_id)] == [False, True, True]
    (row,) = tasks_of(any_house, image_id)
    assert (row.kind, row.annotation_id) == (BlindKind.DOUBLE, done["annotation"]["id"])
    assert row.finished_at == any_house.clock.at
    assert ann.take() is None
    assert bob.take() is None


def test_what_a_blind_second_person_found_reaches_the_checker(any_house: House) -> None:
    _, bob, image_id = draw_first(any_house)
    drawn = [thing("b"), thing("c", box=[1, 1, 40, 40], parts=[])]
    assert bob.save(bob.take(), drawn).status_code == 201
    chris = any_house.chris()
    findings = chris.get(f"{API}/findings?check=seen_by_another").get_json()["findings"]
    assert [finding["image_id"] for finding in findings] == [image_id]
    assert "person at (1, 1, 40, 40)" in findings[0]["message"]
    listed = chris.take("check")["findings"]
    assert [finding["check"] for finding in listed if finding["object_key"] is None] == [
        "seen_by_another"
    ]


def test_the_history_tells_a_blind_copy_from_a_conflict(any_house: House) -> None:
    ann, bob, image_id = draw_first(any_house)
    blind = bob.save(bob.take()).get_json()["annotation"]["id"]
    task = ann.take(image_id=image_id)
    newest = ann.save(task, [thing("b")], finish=False).get_json()["annotation"]["id"]
    late = ann.save(task, [thing("c")], finish=False).get_json()["kept_as"]
    page = any_house.olga().get(f"{API}/images/{image_id}/revisions").get_json()
    why = {line["id"]: line["beside"] for line in page["revisions"]}
    assert (why[blind], why[late], why[newest]) == ("blind", "conflict", None)
    [revision] = bob.get(f"{API}/images/{image_id}/revisions").get_json()["revisions"]
    assert (revision["id"], revision["beside"]) == (blind, None)


def test_a_blind_task_looks_exactly_like_a_new_image(house: House) -> None:
    _, bob, image_id = draw_first(house)
    cid = house.enter(house.add_person("cid"))
    blind = bob.post(f"{API}/tasks/annotate", {}).get_json()
    house.add_image()
    new = cid.post(f"{API}/tasks/annotate", {}).get_json()
    assert blind["task"]["image_id"] == image_id != new["task"]["image_id"]
    assert shape_of(blind) == shape_of(new)
    kinds = {
        answer["task"]["lease"]["id"] - 4 * answer["task"]["image_id"] for answer in (blind, new)
    }
    assert kinds == {0}, "a lease's number says the image and that it is to annotate"
    for finish in (False, True):
        both = ((bob, blind["task"]), (cid, new["task"]))
        answers = [browser.save(task, finish=finish) for browser, task in both]
        assert [answer.status_code for answer in answers] == [201, 201]
        first, other = (answer.get_json() for answer in answers)
        blind["task"]["annotation"] = first["annotation"]
        new["task"]["annotation"] = other["annotation"]
        assert shape_of(first) == shape_of(other)
        assert first["state"] == other["state"]
        assert first["findings"] == other["findings"]
    mine = [browser.get(f"{API}/mine").get_json()["images"] for browser in (bob, cid)]
    assert shape_of(mine[0]) == shape_of(mine[1])
    assert mine[0][0]["state"] == mine[1][0]["state"] == "annotated"
    back = [browser.take(image_id=task["image_id"]) for browser, task in both]
    assert shape_of(back[0]) == shape_of(back[1])


def test_a_blind_image_without_heartbeats_goes_to_another_person(any_house: House) -> None:
    _, bob, image_id = draw_first(any_house)
    cid = any_house.enter(any_house.add_person("cid"))
    lease = bob.take()["lease"]
    any_house.clock.advance(300)
    beat = bob.post(f"{API}/leases/{lease['id']}/heartbeat").get_json()
    assert beat["lease"] == {"id": lease["id"], "expires_at": "2026-01-31T12:15:00Z"}
    assert cid.take() is None
    any_house.clock.advance(601)
    assert cid.take()["image_id"] == image_id


def test_an_organiser_can_take_back_a_blind_image_on_the_board(house: House) -> None:
    _, bob, image_id = draw_first(house)
    olga = house.olga()
    task = bob.take()
    (hold,) = olga.get(f"{API}/board").get_json()["holds"]
    assert (hold["lease_id"], hold["image_id"]) == (task["lease"]["id"], image_id)
    assert (hold["kind"], hold["is_opened"]) == ("annotate", True)
    assert hold["person_id"] == house.person("bob").id
    assert hold["since"] == hold["last_sign_at"] == "2026-01-31T12:00:00Z"
    house.clock.advance(60)
    back = f"{API}/board/people/{hold['person_id']}/leases/{hold['lease_id']}/take-back"
    assert olga.post(back).status_code == 200
    assert error_of(olga.post(back))[:2] == (409, "lease_lost")
    assert olga.get(f"{API}/board").get_json()["holds"] == []
    beat = bob.post(f"{API}/leases/{hold['lease_id']}/heartbeat")
    assert error_of(beat)[:2] == (409, "lease_lost")
    cid = house.enter(house.add_person("cid"))
    assert cid.take()["image_id"] == image_id
    assert bob.save(task).status_code == 201  # a draft is kept, but not as the head
    assert [row.is_stale for row in house.revisions(image_id)] == [False, True]


def test_a_heartbeat_of_another_image_does_not_renew_a_blind_lease(house: House) -> None:
    _, bob, image_id = draw_first(house)
    blind = bob.take()
    ahead_id = house.add_image()
    ahead = bob.post(f"{API}/tasks/annotate", {"ahead": 1}).get_json()
    olga = house.olga()
    house.clock.advance(1)
    bobs = f"{API}/board/people/{house.person('bob').id}/leases"
    assert olga.post(f"{bobs}/{blind['lease']['id']}/take-back").status_code == 200
    held = [lease for lease in house.leases() if lease.image_id == ahead_id]
    assert held, ahead
    shown = olga.get(f"{API}/board").get_json()["holds"]
    (other,) = [hold for hold in shown if hold["image_id"] == ahead_id]
    assert bob.post(f"{API}/leases/{other['lease_id']}/heartbeat").status_code == 200
    after = olga.get(f"{API}/board").get_json()["holds"]
    assert [hold["image_id"] for hold in after] == [ahead_id] != [image_id]


def test_a_blind_image_given_back_untouched_can_come_again(house: House) -> None:
    _, bob, image_id = draw_first(house)
    lease = bob.take()["lease"]
    assert bob.post(f"{API}/leases/{lease['id']}/give-back").get_json() == {}
    assert tasks_of(house, image_id) == []
    again = bob.take()
    assert again["image_id"] == image_id
    draft = bob.save(again, finish=False).get_json()
    bob.post(f"{API}/leases/{again['lease']['id']}/give-back")
    assert bob.take()["annotation"] == draft["annotation"]


def test_a_repeated_blind_save_is_answered_and_a_late_one_reveals_nothing(house: House) -> None:
    _, bob, image_id = draw_first(house)
    task = bob.take()
    key = new_key()
    first = bob.save(task, save_key=key)
    again = bob.save(task, save_key=key)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.get_json() == again.get_json()
    assert len(house.revisions(image_id)) == 2
    late = bob.save(task, [thing("z")])
    assert error_of(late)[:2] == (409, "lease_lost")
    assert set(late.get_json()) == {"error", "kept_as"}


def test_a_blind_save_cannot_start_from_another_persons_revision(house: House) -> None:
    _, bob, image_id = draw_first(house)
    task = bob.take()
    task["annotation"] = {"id": house.image(image_id).annotation_id}
    assert error_of(bob.save(task)) == (422, "invalid", "parent_id")


def test_a_new_image_can_be_reserved_after_a_blind_one(house: House) -> None:
    _, bob, image_id = draw_first(house)
    new_id = house.add_image()
    answer = bob.post(f"{API}/tasks/annotate", {"ahead": 2}).get_json()
    assert answer["task"]["image_id"] == image_id
    assert [task["image_id"] for task in answer["ahead"]] == [new_id]
    answer = bob.post(f"{API}/tasks/annotate", {"ahead": 2, "image_id": new_id}).get_json()
    assert answer["task"]["image_id"] == new_id
    assert [task["image_id"] for task in answer["ahead"]] == [image_id]


def test_returned_work_comes_before_a_blind_image(house: House) -> None:
    ann, bob, image_id = draw_first(house, double_share=0.0)
    second = house.add_image()
    bob.save(bob.take())
    chris = house.chris()
    while (held := chris.take("check"))["image_id"] != second:
        chris.review(held)
    chris.review(held, "returned")
    house.set_qa(double_share=1.0)
    assert bob.take()["image_id"] == second
    assert ann.take() is None
    assert image_id != second


def test_a_person_cannot_check_an_image_before_drawing_it_blind(house: House) -> None:
    *_, chris = house.draw_one()
    house.set_qa(double_share=1.0)
    task = chris.take()
    assert chris.take("check") is None
    chris.save(task)
    assert chris.take("check")["image_id"] == task["image_id"]


def test_new_people_get_training_images_first_with_feedback(any_house: House) -> None:
    ann, bob, image_id = draw_first(any_house, double_share=0.0, training_images=1)
    make_gold(any_house, image_id, is_training=True)
    second = any_house.add_image()
    ann.save(ann.take(), [thing(), thing("b", box=[1, 1, 100, 100])])
    make_gold(any_house, second, is_training=True)
    new_id = any_house.add_image()
    first = bob.take(ahead=2)
    answer = bob.save(first, []).get_json()
    missing = 1 if first["image_id"] == image_id else 2
    assert answer["feedback"][0].startswith(f"{missing} object")
    then = bob.take()
    assert {first["image_id"], then["image_id"]} == {image_id, second}
    sent = [thing(), thing("b", box=[1, 1, 100, 100])][: 1 if then["image_id"] == image_id else 2]
    assert bob.save(then, sent).get_json()["feedback"] == []
    assert any_house.person("bob").trained_at == any_house.clock.at
    assert bob.take()["image_id"] == new_id


def test_a_person_who_has_annotated_is_not_sent_to_training(house: House) -> None:
    ann, _, image_id = draw_first(house, double_share=0.0, training_images=1)
    make_gold(house, image_id, is_training=True)
    new_id = house.add_image()
    assert ann.take()["image_id"] == new_id


def test_the_number_left_decreases_alike_for_blind_and_new_images(any_house: House) -> None:
    images = any_house.add_images(6)
    ann = any_house.ann()
    bob = any_house.enter(any_house.add_person("bob"))
    for _ in range(2):
        ann.save(ann.take())
    any_house.set_qa(double_share=1.0, gold_share=0.0)
    left = []
    taken = []
    for _ in range(5):
        answer = bob.post(f"{API}/tasks/annotate").get_json()
        left.append(answer["left"])
        taken.append(answer["task"]["image_id"])
        bob.save(answer["task"])
    assert sum(len(tasks_of(any_house, image_id)) for image_id in images) == 2
    assert left == [3, 2, 1, 0, 0]
    assert len(set(taken)) == 5


def test_no_page_reveals_an_organisers_own_blind_image(any_house: House) -> None:
    image_id, _ = any_house.add_file()
    ann = any_house.ann()
    olga = any_house.olga()
    ann.save(ann.take(), [thing(), thing("b", box=[49, 240, 195, 371])])
    oscar = any_house.enter(any_house.add_person("oscar", Role.ORGANISER))
    crop = next(
        finding["picture_url"] for finding in oscar.get(f"{API}/findings").get_json()["findings"]
    )
    any_house.set_qa(double_share=1.0, gold_share=0.0)
    task = olga.take()

    def find_shown(browser: Browser) -> list[bool]:
        paths = {"findings": "findings", f"findings?image_id={image_id}": "findings"}
        paths |= {"images?class=person": "images", "wall": "items"}
        answers = [browser.get(f"{API}/{path}").get_json()[key] for path, key in paths.items()]
        answers.append(browser.post(f"{API}/difficult/person/take").get_json()["objects"])
        browser.post(f"{API}/difficult/person/give-back")
        history = browser.get(f"{API}/images/{image_id}/revisions").get_json()["revisions"]
        answers.append("ann" in [revision["person"]["name"] for revision in history])
        pages = (crop, f"{API}/gold/{image_id}")
        return [*map(bool, answers), *(browser.get(page).status_code == 200 for page in pages)]

    assert find_shown(olga) == [False] * 8
    assert find_shown(oscar) == [True] * 8
    olga.save(task)
    assert find_shown(olga) == [False] * 8  # the answer can still be changed
    assert olga.take(image_id=image_id)["image_id"] == image_id
    olga.save(olga.take(image_id=image_id))
    any_house.clock.advance(31 * 60)
    assert find_shown(olga) == [True] * 8
    assert error_of(olga.post(f"{API}/tasks/annotate", {"image_id": image_id}))[0] == 403


def test_a_blind_revision_is_final_once_its_author_checks_the_image(house: House) -> None:
    image_id, _, chris = house.draw_one()
    house.set_qa(double_share=1.0, gold_share=0.0)
    chris.save(chris.take())
    assert chris.take(image_id=image_id)["annotation"] is not None
    chris.save(chris.take(image_id=image_id))
    assert chris.take("check")["image_id"] == image_id
    (task,) = tasks_of(house, image_id)
    answer = chris.post(f"{API}/tasks/annotate", {"image_id": image_id})
    assert error_of(answer)[:2] == (403, "forbidden")
    assert tasks_of(house, image_id)[0].annotation_id == task.annotation_id


def discard_one(house: House) -> tuple[Browser, int]:
    """Ann's browser and the image that she discarded; all discards are judged by others too."""
    image_id = house.add_image()
    ann = house.ann()
    assert ann.save(ann.take(), [], discard_reason="poor_quality").status_code == 201
    house.set_qa(double_share=0.0, gold_share=0.0, discard_share=1.0)
    return ann, image_id


def test_a_discarded_image_comes_to_a_second_person_as_new(any_house: House) -> None:
    ann, image_id = discard_one(any_house)
    bob = any_house.enter(any_house.add_person("bob"))
    assert ann.take() is None
    task = bob.take()
    assert (task["image_id"], task["annotation"]) == (image_id, None)
    bob.save(task)
    assert any_house.state(image_id) is ImageState.DISCARDED
    report = measure_party(any_house.party, any_house.clock.at)
    assert report.discards == [("poor_quality", None)]
    lines = list(format_agreement(report))
    assert "Discarded or not, by two people blind" in lines
    assert any(line.split() == ["all", "1", "0", "0.000"] for line in lines)
    document = format_document(report)["discards"]
    assert [(row["reason"], row["both"]) for row in document] == [("all", 0), ("poor_quality", 0)]


def test_checkers_get_a_share_of_the_discards_once(any_house: House) -> None:
    _, image_id = discard_one(any_house)
    chris = any_house.chris()
    task = chris.take("check")
    assert task["annotation"]["discard_reason"] == "poor_quality"
    assert chris.review(task, objects=[]).get_json()["state"] == "discarded"
    image = any_house.image(image_id)
    assert (image.state, image.reason) == (ImageState.DISCARDED, "poor_quality")
    assert chris.take("check") is None


def test_a_checker_can_annotate_or_return_a_discard(house: House) -> None:
    ann, first = discard_one(house)
    chris = house.chris()
    assert chris.review(chris.take("check"), "fixed", objects=[]).status_code == 201
    assert house.state(first) is ImageState.CHECKED
    second = house.add_image()
    ann.save(ann.take(), [], discard_reason="poor_quality")
    assert chris.review(chris.take("check"), "returned", objects=[]).status_code == 201
    assert house.state(second) is ImageState.RETURNED
    assert ann.take()["image_id"] == second


def test_an_organiser_can_reopen_any_discard(house: House) -> None:
    _, image_id = discard_one(house)
    house.set_qa(double_share=0.0, gold_share=0.0, discard_share=0.0)
    chris = house.chris()
    olga = house.olga()
    assert chris.post(f"{API}/tasks/annotate", {"image_id": image_id}).status_code == 403
    assert olga.take(image_id=image_id)["annotation"]["discard_reason"] == "poor_quality"


def test_the_pool_gives_no_one_the_image_that_they_draw_blind(any_house: House) -> None:
    image_id, _, _ = any_house.draw_one()
    any_house.set_qa(double_share=1.0, gold_share=0.0)
    bob = any_house.enter(any_house.add_person("bob"))
    blind = bob.take()
    assert (blind["image_id"], blind["annotation"]) == (image_id, None)
    any_house.set_state(image_id, ImageState.POOL)  # as a campaign asks for it again
    queue = bob.post(f"{API}/tasks/annotate", {"ahead": 3}).get_json()
    assert (queue["task"]["image_id"], queue["task"]["annotation"]) == (image_id, None)
    assert queue["ahead"] == []
    sam = any_house.enter(any_house.add_person("sam"))
    assert sam.take()["image_id"] == image_id


@pytest.mark.parametrize("page", ["wall", "images", "gold/{}", "images/{}/revisions"])
def test_what_a_page_showed_an_organiser_does_not_come_to_them_blind(
    house: House, page: str
) -> None:
    shown, _, _ = house.draw_one()
    olga = house.olga()
    assert olga.get(f"{API}/{page.format(shown)}").status_code == 200
    if page.endswith("revisions"):
        first = house.revisions(shown)[0].id
        path = f"{API}/images/{shown}/revisions/{first}/compare/{first}"
        assert olga.get(path).status_code == 200
    house.set_qa(double_share=1.0, gold_share=0.0)
    assert olga.post(f"{API}/tasks/annotate", {}).get_json()["task"] is None
    bob = house.enter(house.add_person("bob"))
    assert bob.take()["image_id"] == shown


def test_the_images_that_a_page_showed_are_recorded_at_once_and_each_once(
    any_house: House,
) -> None:
    image_ids = any_house.add_images(4)
    any_house.add_person("ann")
    person_id = any_house.person("ann").id
    catalogue = any_house.party.catalogue
    statements: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        statements.append(statement)

    with catalogue.writing() as session:
        keep_seen(session, person_id, image_ids[:2], at=any_house.clock.at)
    with catalogue.writing() as session:
        event.listen(catalogue.engine, "before_cursor_execute", note)
        keep_seen(session, person_id, image_ids, at=any_house.clock.at + timedelta(hours=1))
    assert len(statements) == 1
    with catalogue.reading() as session:
        seen = session.query(SeenImage).order_by(SeenImage.image_id).all()
        assert [row.image_id for row in seen] == image_ids
        later = [row.seen_at > any_house.clock.at for row in seen]
        assert later == [False, False, True, True]
