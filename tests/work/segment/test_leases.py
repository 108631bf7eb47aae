"""Who gets which image to segment, and until when."""

from functools import partial

import pytest

from catalog.states import ImageState
from tests.annotate_ui.house import API, error_of
from tests.rows import at_once

from .conftest import SegmentHouse, run, save


def test_two_people_never_get_the_same_image_to_segment(any_house: SegmentHouse) -> None:
    house = any_house
    for _ in range(4):
        house.add_checked()
    house.choose(4)
    ann = house.ann()
    chris = house.chris()
    ask = [partial(who.post, f"{API}/tasks/segment", {"ahead": 1}) for who in (ann, chris)]
    taken = [answer.get_json() for answer in at_once(*ask)]
    ids = [
        [answer["task"]["image_id"], *(task["image_id"] for task in answer["ahead"])]
        for answer in taken
    ]
    assert len({*ids[0], *ids[1]}) == 4
    left = [answer["left"] for answer in taken]
    assert left == [1, 1] or sum(left) >= 2


def test_unopened_reserved_images_go_to_others_at_the_end(house: SegmentHouse) -> None:
    first = house.add_checked()
    second = house.add_checked()
    house.choose(2)
    ann = house.ann()
    chris = house.chris()
    assert len(ann.post(f"{API}/tasks/segment", {"ahead": 2}).get_json()["ahead"]) == 1
    assert {first, second} == {ann.take("segment")["image_id"], chris.take("segment")["image_id"]}


def test_heartbeats_extend_a_lease_and_it_can_be_given_back(house: SegmentHouse) -> None:
    house.add_chosen()
    ann = house.ann()
    chris = house.chris()
    lease = f"{API}/leases/{ann.take('segment')['lease']['id']}"
    house.clock.advance(500)
    assert ann.post(f"{lease}/heartbeat").status_code == 200
    house.clock.advance(500)
    assert chris.take("segment") is None
    assert error_of(chris.post(f"{lease}/give-back"))[:2] == (409, "lease_lost")
    assert ann.post(f"{lease}/give-back").status_code == 200
    assert chris.take("segment") is not None
    assert error_of(ann.post(f"{lease}/heartbeat"))[:2] == (409, "lease_lost")


def test_the_board_shows_who_segments_and_an_organiser_takes_it_back(house: SegmentHouse) -> None:
    image_id = house.add_chosen()
    ann = house.ann()
    olga = house.olga()
    task = ann.take("segment")
    [hold] = olga.get(f"{API}/board").get_json()["holds"]
    assert (hold["image_id"], hold["kind"], hold["is_opened"]) == (image_id, "segment", True)
    assert hold["lease_id"] == task["lease"]["id"]
    back = f"{API}/board/people/{hold['person_id']}/leases/{hold['lease_id']}/take-back"
    assert olga.post(back).status_code == 200
    assert olga.get(f"{API}/board").get_json()["holds"] == []
    beat = ann.post(f"{API}/leases/{hold['lease_id']}/heartbeat")
    assert error_of(beat)[:2] == (409, "lease_lost")
    assert house.image(image_id).state is ImageState.CHECKED


def test_an_author_can_reopen_a_drawing_that_is_not_checked_yet(house: SegmentHouse) -> None:
    image_id, ann, chris = house.add_drawn()
    assert ann.take("segment", image_id=image_id)["segmentation"]["is_finished"]
    assert chris.take("check-segment") is None
    save(ann, ann.take("segment"))
    assert chris.take("check-segment") is not None
    answer = ann.post(f"{API}/tasks/segment", {"image_id": image_id})
    assert error_of(answer)[:2] == (409, "lease_lost")
    answer = ann.post(f"{API}/tasks/segment", {"image_id": house.add_image()})
    assert error_of(answer)[:2] == (404, "not_found")


def test_an_image_that_is_opened_keeps_those_behind_it(any_house: SegmentHouse) -> None:
    ids = [any_house.add_checked() for _ in range(3)]
    any_house.choose(3)
    ann = any_house.ann()
    queue = ann.post(f"{API}/tasks/segment", {"ahead": 2}).get_json()
    assert [queue["task"]["image_id"], *(task["image_id"] for task in queue["ahead"])] == ids
    body = {"image_id": ids[1], "ahead": 2, "leaving": ids[:1]}
    queue = ann.post(f"{API}/tasks/segment", body).get_json()
    assert [queue["task"]["image_id"], *(task["image_id"] for task in queue["ahead"])] == ids[1:]
    assert ann.take("segment", leaving=ids[:2])["image_id"] == ids[2]


def test_a_drawing_that_a_checker_does_not_see_yet_is_only_reserved(
    any_house: SegmentHouse,
) -> None:
    ids = [any_house.add_checked() for _ in range(2)]
    any_house.choose(2)
    ann = any_house.ann()
    chris = any_house.chris()
    for _ in ids:
        save(ann, ann.take("segment"))
    assert chris.take("check-segment")["image_id"] == ids[0]
    prepared = chris.take("check-segment", leaving=ids[:1], is_opened=False)
    assert prepared["image_id"] == ids[1]
    assert chris.take("check-segment")["image_id"] == ids[0], "its verdict never came"
    assert f"Image {ids[0]} is open." in chris.get("/").text


def test_an_image_that_is_being_left_is_not_counted_as_left_to_segment(
    any_house: SegmentHouse,
) -> None:
    ids = [any_house.add_checked() for _ in range(3)]
    any_house.choose(3)
    ann = any_house.ann()
    queue = ann.post(f"{API}/tasks/segment", {"ahead": 1}).get_json()
    assert queue["left"] == 2
    queue = ann.post(f"{API}/tasks/segment", {"ahead": 1, "leaving": ids[:1]}).get_json()
    assert (queue["task"]["image_id"], queue["left"]) == (ids[1], 1)


def test_who_is_removed_keeps_no_segmentation(any_house: SegmentHouse) -> None:
    house = any_house
    image_id = house.add_chosen()
    ann = house.ann()
    olga = house.olga()
    ann.take("segment")
    (hold,) = olga.get(f"{API}/board").get_json()["holds"]
    assert (hold["image_id"], hold["kind"]) == (image_id, "segment")
    assert olga.post(f"{API}/people/{hold['person_id']}/end").status_code == 200
    assert house.leases() == []
    assert house.enter(house.add_person("ben")).take("segment")["image_id"] == image_id


def test_an_image_is_not_segmented_while_its_boxes_change(house: SegmentHouse) -> None:
    image_id = house.add_chosen()
    ann = house.ann()
    for state in (ImageState.ANNOTATING, ImageState.TAKEN_DOWN):
        house.set_state(image_id, state)
        assert ann.take("segment") is None


@pytest.mark.parametrize(
    ("state", "words", "status"),
    [
        (ImageState.TAKEN_DOWN, "it is taken down", 409),
        (ImageState.DISCARDED, "it is discarded", 201),
        (ImageState.ANNOTATING, "it is being annotated", 201),
        (ImageState.RETURNED, "it is returned", 201),
    ],
)
def test_a_chosen_image_that_is_no_longer_checked_waits_and_says_why(
    house: SegmentHouse, state: ImageState, words: str, status: int
) -> None:
    image_id = house.add_chosen()
    ann = house.ann()
    chris = house.chris()
    task = ann.take("segment")
    house.set_state(image_id, state)
    assert ann.take("segment") is None
    answer = save(ann, task)
    assert (answer.status_code, len(house.drawings(image_id))) == (status, 1)
    assert chris.take("check-segment") is None
    for browser, kind in ((ann, "segment"), (chris, "check-segment")):
        refused = browser.post(f"{API}/tasks/{kind}", {"image_id": image_id})
        assert error_of(refused)[:2] == (409, "lease_lost")
        assert words in refused.get_json()["error"]["message"]
    assert f"waits: {words}; what was drawn is kept" in run(house, "list").stdout
    house.set_state(image_id, ImageState.CHECKED)
    assert (chris.take("check-segment") is not None) is (status == 201)
