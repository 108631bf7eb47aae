"""Reserved images, priorities, and the record of ended leases."""

from functools import partial

import pytest

from catalog.preset import UNWANTED_REASON
from catalog.states import ImageState, LeaseKind, Source
from catalog.tables import EndedLease, Photo, Query
from tests.rows import at_once

from .house import API, Browser, House, Json, error_of, revision, thing


def queue_up(browser: Browser, ahead: int = 2, **body: object) -> Json:
    """The answer to asking for an image and some ahead."""
    answer = browser.post(f"{API}/tasks/annotate", {"ahead": ahead, **body})
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def ids_of(answer: Json) -> list[int]:
    return [task["image_id"] for task in (answer["task"], *answer["ahead"])]


def ended(house: House) -> list[tuple[int, str]]:
    """(image, how) of every lease on record, in the order in which they were taken."""
    with house.party.catalogue.reading() as session:
        rows = session.query(EndedLease).order_by(EndedLease.id)
        return [(row.image_id, row.how) for row in rows]


def test_two_images_are_reserved_after_the_current_one(any_house: House) -> None:
    added = any_house.add_images(5)
    ann = any_house.ann()
    answer = queue_up(ann)
    assert len(set(ids_of(answer))) == 3
    assert set(ids_of(answer)) <= set(added)
    assert answer["left"] == 4
    assert [lease.opened_at is None for lease in any_house.leases()] == [False, True, True]
    again = queue_up(ann)
    assert ids_of(again) == ids_of(answer)
    assert len(any_house.leases()) == 3


def test_opening_a_reserved_image_by_id_refills_the_queue(any_house: House) -> None:
    any_house.add_images(5)
    ann = any_house.ann()
    first = queue_up(ann)
    ann.save(first["task"])
    second = queue_up(ann, image_id=ids_of(first)[1])
    assert ids_of(second)[:2] == ids_of(first)[1:]
    assert len(set(ids_of(second)) - set(ids_of(first))) == 1
    assert second["task"]["lease"]["id"] == first["ahead"][0]["lease"]["id"]


def test_a_request_without_id_gets_the_first_reserved_image(house: House) -> None:
    house.add_images(5)
    ann = house.ann()
    first = queue_up(ann)
    ann.save(first["task"])
    assert ann.take()["image_id"] == ids_of(first)[1]
    assert [lease.opened_at is None for lease in house.leases()] == [False, True]


def test_an_open_image_comes_back_after_a_visit_to_an_earlier_one(any_house: House) -> None:
    any_house.add_images(6)
    ann = any_house.ann()
    first = queue_up(ann)
    ann.save(first["task"])
    second = queue_up(ann, image_id=ids_of(first)[1])
    back = queue_up(ann, image_id=ids_of(first)[0])
    assert ids_of(back) == ids_of(first)[:1] + ids_of(second)
    for _ in range(3):  # what is open is kept by the heartbeat of what is in hand
        any_house.clock.advance(500)
        ann.post(f"{API}/leases/{back['task']['lease']['id']}/heartbeat")
    sam = any_house.enter(any_house.add_person("sam"))
    assert sam.take()["image_id"] not in ids_of(back)


def test_reservations_are_limited_by_the_settings(house: House) -> None:
    house.add_images(12)
    # the open one, and four times as many as the setting says at the most
    assert len(ids_of(queue_up(house.ann(), ahead=100))) == 1 + 4 * 2
    answer = house.chris().post(f"{API}/tasks/annotate", {"ahead": 101})
    assert error_of(answer) == (422, "invalid", "ahead")


def test_two_people_never_reserve_the_same_image(any_house: House) -> None:
    any_house.add_images(10)
    people = [any_house.enter(any_house.add_person(f"ann-{number}")) for number in range(4)]
    answers = at_once(*(partial(queue_up, browser) for browser in people))
    taken = [image_id for answer in answers if answer["task"] for image_id in ids_of(answer)]
    held = [lease.image_id for lease in any_house.leases()]
    assert len(held) == len(set(held)) == 10
    assert set(taken) == set(held)


def test_reserved_images_go_to_others_when_nothing_else_is_left(any_house: House) -> None:
    any_house.add_images(2)
    ann = any_house.ann()
    sam = any_house.enter(any_house.add_person("sam"))
    held, reserved = ids_of(queue_up(ann))
    assert queue_up(sam)["task"]["image_id"] == reserved
    assert ended(any_house) == [(reserved, "passed_on")]
    assert sam.take()["image_id"] == reserved
    cleo = any_house.enter(any_house.add_person("cleo"))
    assert cleo.take() is None  # what is opened stays with whom it is
    answer = ann.post(f"{API}/tasks/annotate", {"image_id": reserved})
    assert error_of(answer) == (403, "forbidden", None)
    assert ann.take()["image_id"] == held


def test_reserved_images_become_free_when_the_lease_expires(house: House) -> None:
    house.add_images(3)
    answer = queue_up(house.ann())
    house.clock.advance(601)
    sam = house.enter(house.add_person("sam"))
    assert sam.take() is not None
    assert sorted(ended(house)) == sorted((image_id, "expired") for image_id in ids_of(answer))


@pytest.mark.parametrize("finish", [True, False])
def test_work_done_offline_on_a_reserved_image_is_accepted(any_house: House, finish: bool) -> None:
    """The lease ran out meanwhile and was swept, but no one took the image."""
    any_house.add_images(3)
    ann = any_house.ann()
    sam = any_house.enter(any_house.add_person("sam"))
    answer = queue_up(ann)
    any_house.clock.advance(601)
    other = sam.take()["image_id"]
    for task in (answer["task"], *answer["ahead"]):
        saved = ann.save(task, finish=finish)
        expected = (409, 1) if task["image_id"] == other else (201, 1)
        assert (saved.status_code, len(any_house.revisions(task["image_id"]))) == expected
        state = ImageState.ANNOTATED if finish else ImageState.ANNOTATING
        if task["image_id"] != other:
            assert any_house.state(task["image_id"]) is state


def test_a_fix_made_offline_is_accepted_after_the_lease_expired(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    sam = house.enter(house.add_person("sam"))
    ann.save(ann.take())
    task = ann.take(image_id=image_id)
    house.clock.advance(601)
    assert sam.take() is None  # sweeps
    assert house.state(image_id) is ImageState.ANNOTATED
    assert ann.save(task, [thing(box=[1, 1, 20, 20])]).status_code == 201
    assert house.state(image_id) is ImageState.ANNOTATED
    assert len(house.revisions(image_id)) == 2


def test_a_person_can_reopen_an_image_lost_before_it_was_drawn(any_house: House) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    sam = any_house.enter(any_house.add_person("sam"))
    ann.take()
    any_house.clock.advance(601)
    other = sam.take()
    answer = ann.post(f"{API}/tasks/annotate", {"image_id": image_id})
    assert error_of(answer) == (403, "forbidden", None)
    sam.post(f"{API}/leases/{other['lease']['id']}/give-back")
    assert ann.take(image_id=image_id)["image_id"] == image_id


def test_every_ended_lease_is_recorded_with_its_reason(any_house: House) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    ann.post(f"{API}/leases/{ann.take()['lease']['id']}/give-back")
    ann.take()
    any_house.clock.advance(601)
    chris.take()
    chris.post(f"{API}/leases/{chris.take()['lease']['id']}/give-back")
    ann.save(ann.take())
    chris.review(chris.take("check"))
    expected = ["given_back", "expired", "given_back", "finished", "finished"]
    assert [how for _, how in ended(any_house)] == expected
    with any_house.party.catalogue.reading() as session:
        last = session.query(EndedLease).order_by(EndedLease.id.desc()).first()
        assert last is not None
        assert (last.kind, last.image_id) == (LeaseKind.CHECK, image_id)
        assert last.person_id == any_house.person("chris").id


def set_queue(browser: Browser, **values: object) -> Json:
    head = browser.get(f"{API}/queue").get_json()
    body = {"base": head["number"], "first": [], "wanted_classes": []} | values
    answer = browser.put(f"{API}/queue", body)
    assert answer.status_code == 200, answer.text
    return dict(answer.get_json())


def add_found(house: House, class_name: str, keyword: str) -> tuple[int, int]:
    """The ids of an image and of the query that found its photo."""
    image_id = house.add_image()
    with house.party.catalogue.writing() as session:
        query = session.query(Query).filter_by(keyword=keyword).one_or_none()
        if query is None:
            query = Query(source=Source.FLICKR, class_id=class_name, keyword=keyword)
            session.add(query)
            session.flush()
        values = {"source_id": f"{keyword}-{image_id}", "found_at": house.clock.at}
        session.add(Photo(source=Source.FLICKR, query=query, image_id=image_id, **values))
        return image_id, query.id


def test_images_of_a_rare_class_come_first(any_house: House) -> None:
    any_house.add_images(8)
    sheep = {add_found(any_house, "sheep", "lamb")[0], add_found(any_house, "sheep", "ewe")[0]}
    set_queue(any_house.olga(), first=[{"kind": "class", "class": "sheep"}])
    ann = any_house.ann()
    answer = queue_up(ann)
    assert set(ids_of(answer)[:2]) == sheep
    assert ids_of(answer)[2] not in sheep


def test_images_of_a_query_come_first_then_the_next_of_the_plan(house: House) -> None:
    house.add_images(8)
    ewe, query_id = add_found(house, "sheep", "ewe")
    cow, _ = add_found(house, "cow", "cow")
    plan = [{"kind": "query", "query_id": query_id}, {"kind": "class", "class": "cow"}]
    set_queue(house.olga(), first=plan)
    assert ids_of(queue_up(house.ann()))[:2] == [ewe, cow]


def test_returned_work_has_the_place_that_the_plan_gives_it(house: House) -> None:
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    returned = house.add_image()
    ann.save(ann.take())
    chris.review(chris.take("check"), "returned")
    fresh, _ = add_found(house, "sheep", "ewe")
    first = [{"kind": "class", "class": "sheep"}, {"kind": "returned"}]
    set_queue(olga, first=first)
    assert ids_of(queue_up(ann)) == [fresh, returned]


def test_the_plan_is_versioned_and_a_stale_change_is_refused(any_house: House) -> None:
    olga = any_house.olga()
    before = olga.get(f"{API}/queue").get_json()
    del before["supply"]
    assert before == {"number": 0, "first": [{"kind": "returned"}], "wanted_classes": []}
    set_queue(olga, wanted_classes=["sheep"])
    answer = olga.put(f"{API}/queue", {"base": 0, "first": [], "wanted_classes": ["cow"]})
    assert error_of(answer) == (409, "stale", None)
    assert answer.get_json()["head"] == {"number": 1, "first": [], "wanted_classes": ["sheep"]}
    assert set_queue(olga, wanted_classes=["cow"])["number"] == 2


WRONG_PLANS: list[tuple[Json, str]] = [
    ({"wanted_classes": ["unicorn"]}, "wanted_classes.0"),
    ({"wanted_classes": ["cow", "cow"]}, "wanted_classes.1"),
    ({"first": [{"kind": "best"}]}, "first.0.kind"),
    ({"first": [{"kind": "class"}]}, "first.0.class"),
    ({"first": [{"kind": "class", "class": "unicorn"}]}, "first.0.class"),
    ({"first": [{"kind": "returned", "class": "cow"}]}, "first.0.class"),
    ({"first": [{"kind": "query"}]}, "first.0.query_id"),
    ({"first": [{"kind": "query", "query_id": 99}]}, "first.0.query_id"),
    ({"first": [{"kind": "returned"}, {"kind": "returned"}]}, "first.1"),
    ({"first": [{"kind": "returned"}] * 51}, "first"),
    ({"base": "0"}, "base"),
    ({"more": 1}, "more"),
]


def test_an_invalid_plan_is_refused_and_not_saved(house: House) -> None:
    olga = house.olga()
    for change, field in WRONG_PLANS:
        body = {"base": 0, "first": [], "wanted_classes": []} | change
        assert error_of(olga.put(f"{API}/queue", body)) == (422, "invalid", field), change
        assert olga.get(f"{API}/queue").get_json()["number"] == 0


def test_rare_class_mode_starts_with_the_next_image_and_allows_discards(house: House) -> None:
    house.add_image()
    ann = house.ann()
    olga = house.olga()
    task = ann.take()
    answer = ann.save(task, [], discard_reason=UNWANTED_REASON)
    assert error_of(answer) == (422, "invalid", "discard_reason")  # the mode was never on
    set_queue(olga, wanted_classes=["sheep", "cow"])
    beat = ann.post(f"{API}/leases/{task['lease']['id']}/heartbeat").get_json()
    assert beat["live"]["wanted_classes"] == ["sheep", "cow"]
    assert queue_up(ann)["live"]["wanted_classes"] == ["sheep", "cow"]
    set_queue(olga, wanted_classes=[])
    assert ann.save(task, [], discard_reason=UNWANTED_REASON).status_code == 201
    expected = (ImageState.DISCARDED, UNWANTED_REASON)
    assert (house.state(task["image_id"]), house.image(task["image_id"]).reason) == expected


WRONG_DOUBTS: list[tuple[Json, str]] = [
    ({"unsure_classes": ["unicorn"]}, "unsure_classes.0"),
    ({"unsure_classes": ["cow", "cow"]}, "unsure_classes.1"),
    ({"unsure_classes": "cow"}, "unsure_classes"),
]


def test_classes_marked_unsure_reach_the_checker_if_they_exist(any_house: House) -> None:
    any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    saved = ann.save(ann.take(), unsure_classes=["sheep", "cow"]).get_json()["annotation"]
    assert saved["unsure_classes"] == ["sheep", "cow"]
    assert chris.take("check")["annotation"]["unsure_classes"] == ["sheep", "cow"]
    new_id = any_house.add_image()
    ann.take()
    for more, field in WRONG_DOUBTS:
        answer = ann.post(f"{API}/images/{new_id}/revisions", revision(None, **more))
        assert error_of(answer) == (422, "invalid", field), more


def test_organisers_see_waiting_and_drawn_images_by_class_and_query(any_house: House) -> None:
    ann = any_house.ann()
    olga = any_house.olga()
    any_house.add_image()
    ann.save(ann.take())
    add_found(any_house, "sheep", "lamb")
    _, ewe = add_found(any_house, "sheep", "ewe")
    add_found(any_house, "sheep", "ewe")
    supply = olga.get(f"{API}/queue").get_json()["supply"]
    assert supply["queries"][0] == {"id": ewe, "class": "sheep", "keyword": "ewe", "waiting": 2}
    by_name = {item["id"]: item for item in supply["classes"]}
    assert by_name["sheep"] == {"id": "sheep", "objects": 0, "waiting": 3}
    assert by_name["person"] == {"id": "person", "objects": 1, "waiting": 0}
