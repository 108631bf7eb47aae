import json
from functools import partial
from typing import Any

import pytest

from catalog.states import Beside, ImageState, SegmentState
from catalog.tables import Segmentation, SegmentationReview, SegmentChoice
from export.drawings import _load_drawing_reviews
from operate.words import merge_words, rename_word
from tests.annotate_ui.house import API, error_of
from tests.annotate_ui.test_serving import running, sign_in
from tests.rows import at_once
from work.saving import MOST_STALE

from .conftest import BOXES, SegmentHouse, make_save, review, run, save, segments, square


def test_an_image_is_segmented_and_then_checked_by_another_person(any_house: SegmentHouse) -> None:
    house = any_house
    image_id = house.add_checked()
    ann = house.ann()
    chris = house.chris()
    assert ann.post(f"{API}/tasks/segment").get_json()["reason"] == "empty"
    assert house.choose() == [image_id]
    task = ann.take("segment")
    assert (task["kind"], task["segmentation"], task["changed_keys"]) == ("segment", None, [])
    assert [item["key"] for item in task["annotation"]["objects"]] == ["a", "b"]
    draft = save(ann, task, segments()[:1], finish=False).get_json()
    assert (draft["state"], draft["findings"]) == ("todo", [])
    task = ann.take("segment")
    assert task["segmentation"]["segments"][0]["rings"] == [square(*BOXES["a"])]
    done = save(ann, task)
    assert (done.status_code, done.get_json()["state"]) == (201, "drawn")
    assert ann.take("segment") is None
    to_check = chris.take("check-segment")
    assert len(to_check["segmentation"]["segments"]) == 2
    assert to_check["segmentation"]["person"]["name"] == "ann"
    answer = review(chris, to_check, inputs=2)
    assert (answer.status_code, answer.get_json()["state"]) == (201, "checked")
    assert house.state(image_id) is ImageState.CHECKED
    expected = [(False, False), (True, False)]
    assert [
        (drawing.is_finished, drawing.is_stale) for drawing in house.drawings(image_id)
    ] == expected


def test_the_home_page_counts_images_to_segment(house: SegmentHouse) -> None:
    house.add_checked()
    ann = house.ann()
    chris = house.chris()
    assert "to segment" not in ann.get("/").text
    house.choose()
    assert "1 to segment" in ann.get("/").text
    save(ann, ann.take("segment"))
    assert "1 drawings to check" in chris.get("/").text
    assert "to check" not in ann.get("/").text


def test_no_person_checks_their_own_segmentation(house: SegmentHouse) -> None:
    house.add_chosen()
    chris = house.chris()
    task = chris.take("segment")
    drawn = save(chris, task).get_json()
    assert chris.take("check-segment") is None
    answer = review(chris, {"segmentation": drawn["segmentation"]})
    assert error_of(answer) == (403, "forbidden", None)
    assert house.ann().post(f"{API}/tasks/check-segment").status_code == 403


def test_a_returned_image_comes_back_to_its_author_with_comments(house: SegmentHouse) -> None:
    image_id, ann, chris = house.add_drawn()
    olga = house.olga()
    task = chris.take("check-segment")
    assert error_of(review(chris, task, "returned"))[2] == "comments"
    said = [{"object_key": "b", "verdict": "returned"}]
    assert review(chris, task, "returned", comments="Ears.", objects=said).status_code == 201
    assert olga.take("segment") is None
    again = ann.take("segment")
    assert again["review"]["comments"] == "Ears."
    assert again["review"]["objects"] == said
    save(ann, again)
    assert house.track(image_id) is SegmentState.DRAWN


def test_a_checker_can_fix_a_drawing(house: SegmentHouse) -> None:
    image_id, _, chris = house.add_drawn()
    task = chris.take("check-segment")
    assert error_of(review(chris, task, "fixed"))[2] == "segments"
    fixed = segments(a=[square(1, 1, 39, 39)])
    made = review(chris, task, "fixed", segments=fixed).get_json()["segmentation"]
    choice = house.choice(image_id)
    assert (choice.segmentation_id, choice.state) == (made["id"], SegmentState.CHECKED)
    assert made["parent_id"] == task["segmentation"]["id"]


def test_undoing_a_person_leaves_others_drawings_to_be_checked(any_house: SegmentHouse) -> None:
    house = any_house
    checked = house.add_checked()
    fixed = house.add_checked()
    house.choose(2)
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    for _ in range(2):
        save(ann, ann.take("segment"))
    task = chris.take("check-segment", image_id=checked)
    assert review(chris, task).get_json()["state"] == "checked"
    task = chris.take("check-segment", image_id=fixed)
    first = task["segmentation"]["id"]
    review(chris, task, "fixed", segments=segments(a=[square(1, 1, 39, 39)]))
    who = olga.get(f"{API}/people").get_json()["people"]
    chris_id = next(person["id"] for person in who if person["name"] == "chris")
    said = olga.undo(chris_id).get_json()
    lost = "1 drawing of pixels and 2 verdicts on drawings of chris"
    assert lost in said["lines"][0]
    assert house.track(checked) is house.track(fixed) is SegmentState.DRAWN
    assert house.choice(fixed).segmentation_id == first
    assert [drawing.is_stale for drawing in house.drawings(fixed)] == [False, True]
    # undone, not in conflict
    assert [drawing.beside for drawing in house.drawings(fixed)] == [None, None]
    assert olga.take("check-segment") is not None


def test_a_save_after_the_lease_expired_is_kept(any_house: SegmentHouse) -> None:
    house = any_house
    image_id = house.add_chosen()
    ann = house.ann()
    chris = house.chris()
    task = ann.take("segment")
    assert chris.take("segment") is None
    house.clock.advance(700)
    assert chris.take("segment")["image_id"] == image_id
    lost = save(ann, task)
    assert error_of(lost)[:2] == (409, "lease_lost")
    kept = lost.get_json()
    assert (kept["is_conflict"], kept["kept_as"]) == (True, kept["segmentation"]["id"])
    assert [drawing.beside for drawing in house.drawings(image_id)] == [Beside.CONFLICT]
    assert house.choice(image_id).segmentation_id is None


def test_a_stale_save_is_kept_and_does_not_replace_the_newer_one(house: SegmentHouse) -> None:
    image_id = house.add_chosen()
    ann = house.ann()
    task = ann.take("segment")
    body = make_save(task, finish=False)
    path = f"{API}/images/{image_id}/segmentations"
    first = ann.post(path, body)
    again = ann.post(path, body)
    expected = (200, first.get_json()["segmentation"]["id"])
    assert (again.status_code, again.get_json()["segmentation"]["id"]) == expected
    other = save(ann, task)
    assert error_of(other)[:2] == (409, "stale")
    assert other.get_json()["head"]["id"] == first.get_json()["segmentation"]["id"]
    assert [drawing.beside for drawing in house.drawings(image_id)] == [None, Beside.CONFLICT]


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


def test_a_save_is_taken_after_the_lease_was_swept_if_no_one_took_the_image(
    any_house: SegmentHouse,
) -> None:
    house = any_house
    image_id = house.add_chosen()
    ann = house.ann()
    chris = house.chris()
    task = ann.take("segment")
    house.clock.advance(700)
    assert chris.take() is None  # sweeps what ran out
    assert house.leases() == []
    assert save(ann, task).status_code == 201
    assert [drawing.is_stale for drawing in house.drawings(image_id)] == [False]


def test_one_image_is_segmented_and_corrected_by_two_people(house: SegmentHouse) -> None:
    image_id = house.add_checked(ImageState.RELEASED)
    house.choose()
    ann = house.ann()
    olga = house.olga()
    assert ann.take("segment")["image_id"] == image_id
    assert olga.take("check", image_id=image_id)["image_id"] == image_id
    assert {lease.kind.value for lease in house.leases()} == {"segment", "check"}


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


def test_two_blind_drawings_of_an_image_are_compared(any_house: SegmentHouse) -> None:
    house = any_house
    image_id = house.add_checked()
    house.choose(twice_share=1.0)
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    save(ann, ann.take("segment"), segments(b=[square(41, 21, 80, 60)]))
    assert not ann.take("segment")
    assert house.track(image_id) is SegmentState.TODO
    second = olga.take("segment")
    assert second["segmentation"] is None
    save(olga, second, segments()[:1], finish=False)
    second = olga.take("segment")
    assert len(second["segmentation"]["segments"]) == 1
    assert save(olga, second).status_code == 201
    choice = house.choice(image_id)
    assert choice.state is SegmentState.DRAWN
    assert choice.agreement == pytest.approx({"a": 1200 / 1600, "b": 1600 / 2400})
    task = chris.take("check-segment")
    assert task["segmentation"]["person"]["name"] == "ann"
    review(chris, task)
    assert house.track(image_id) is SegmentState.CHECKED


def test_two_drawings_are_compared_as_drawn_though_a_checker_fixed_one_before(
    any_house: SegmentHouse,
) -> None:
    house = any_house
    image_id = house.add_checked()
    house.choose(twice_share=1.0)
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    save(ann, ann.take("segment"), segments(b=[square(41, 21, 80, 60)]))
    save(olga, olga.take("segment"))
    with house.party.catalogue.writing() as session:  # the server was killed before it measured
        session.get_one(SegmentChoice, image_id).agreement = None
    fixed: dict[str, Any] = {"verdict": "fixed", "segments": segments()}
    assert review(chris, chris.take("check-segment"), **fixed).status_code == 201
    assert house.choice(image_id).agreement == pytest.approx({"a": 1200 / 1600, "b": 1600 / 2400})


def test_a_second_drawing_in_two_windows_gets_the_conflict_answer(
    any_house: SegmentHouse,
) -> None:
    house = any_house
    image_id = house.add_checked()
    house.choose(twice_share=1.0)
    ann = house.ann()
    olga = house.olga()
    save(ann, ann.take("segment"))
    task = olga.take("segment")
    window = house.window_of(olga)
    first = save(olga, task, segments(), finish=False).get_json()["segmentation"]
    late = make_save(task, segments()[:1])
    path = f"{API}/images/{image_id}/segmentations"
    for _ in range(2):
        answer = window.post(path, late)
        assert error_of(answer)[:2] == (409, "stale")
        assert answer.get_json()["head"]["id"] == first["id"]
    assert house.choice(image_id).second_id is None
    assert olga.take("segment")["segmentation"]["id"] == first["id"]
    done = save(window, task | {"segmentation": first})
    assert done.status_code == 201
    assert house.choice(image_id).second_id == done.get_json()["segmentation"]["id"]
    again = window.post(path, late)  # a lost answer, asked again after the end
    assert error_of(again)[:2] == (409, "lease_lost")
    facts = [None, Beside.BLIND, Beside.CONFLICT, Beside.BLIND]
    assert [drawing.beside for drawing in house.drawings(image_id)] == facts


def test_an_undone_verdict_on_a_drawing_is_told_and_dated_and_counts_no_more(
    any_house: SegmentHouse,
) -> None:
    house = any_house
    image_id, _, chris = house.add_drawn()
    olga = house.olga()
    assert (
        review(chris, chris.take("check-segment"), "returned", comments="Ears.").status_code == 201
    )
    assert house.track(image_id) is SegmentState.RETURNED
    lines = olga.undo(house.person("chris").id).get_json()["lines"]
    assert lines[0].startswith("Undone: 1 verdict on a drawing of chris")
    assert house.track(image_id) is SegmentState.DRAWN
    with house.party.catalogue.reading() as session:
        (row,) = session.query(SegmentationReview).all()
        assert row.set_aside_at == house.clock.at
        assert _load_drawing_reviews(session, [row.segmentation_id]) == {}
    again = olga.post(f"{API}/people/{house.person('chris').id}/undo", {"dry_run": True}).get_json()
    assert "no work" in again["lines"][0]


def test_a_second_drawing_that_was_undone_is_asked_for_again(any_house: SegmentHouse) -> None:
    house = any_house
    image_id = house.add_checked()
    house.choose(twice_share=1.0)
    ann = house.ann()
    ben = house.enter(house.add_person("ben"))
    olga = house.olga()
    save(ann, ann.take("segment"))
    save(ben, ben.take("segment"))
    assert house.track(image_id) is SegmentState.DRAWN
    olga.undo(house.person("ben").id)
    assert house.track(image_id) is SegmentState.TODO
    house.draw_boxes(image_id, {"a": (1, 1, 90, 40), "b": (21, 21, 80, 60)})
    cleo = house.enter(house.add_person("cleo"))
    chris = house.chris()
    assert chris.take("check-segment") is None
    second = cleo.take("segment")
    assert second["segmentation"] is None
    save(cleo, second)
    assert chris.take("check-segment") is None  # the first drawing is of the box as it was
    assert ann.take("segment")["changed_keys"] == ["a"]


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


def test_only_a_changed_object_is_segmented_again(house: SegmentHouse) -> None:
    image_id, ann, chris = house.add_drawn()
    review(chris, chris.take("check-segment"))
    house.draw_boxes(image_id, BOXES, "cat dog")
    assert ann.take("segment") is None
    house.draw_boxes(image_id, {"b": (21, 21, 90, 60), "c": (1, 1, 9, 9)})
    task = ann.take("segment")
    assert task["changed_keys"] == ["b", "c"]
    assert [segment["object_key"] for segment in task["segmentation"]["segments"]] == ["b"]


def test_an_image_is_not_segmented_while_its_boxes_change(house: SegmentHouse) -> None:
    image_id = house.add_chosen()
    ann = house.ann()
    for state in (ImageState.ANNOTATING, ImageState.TAKEN_DOWN):
        house.set_state(image_id, state)
        assert ann.take("segment") is None


OUT = square(1, 1, 50, 40)
FINDINGS = [
    (segments()[1:], [("a", "No visible pixels.")]),
    (segments(b=[square(1, 1, 80, 60)]), [("a", "No visible pixels"), ("b", "Extends 20 pixels")]),
    (segments(a=[OUT])[::-1], [("a", "Extends 10 pixels")]),
    (segments(a=[square(1, 1, 40, 30)]), [("a", "Differs from its box by 25% of a side")]),
    (segments(a=[square(1, 1, 38, 40)]), []),
    (segments(a=[[0, 0, 40, 40, 40, 0, 0, 40]]), [("a", "crosses itself. Check what is filled.")]),
]


@pytest.mark.parametrize(("drawn", "expected"), FINDINGS, ids=lambda value: str(value)[-40:])
def test_finishing_a_drawing_lists_its_findings(
    house: SegmentHouse, drawn: list[Any], expected: list[tuple[str, str]]
) -> None:
    house.add_chosen()
    ann = house.ann()
    findings = save(ann, ann.take("segment"), drawn).get_json()["findings"]
    assert [finding["object_key"] for finding in findings] == [key for key, _ in expected]
    for finding, (_, words) in zip(findings, expected, strict=True):
        assert words in finding["reason"]


SEGMENT = segments()[0]
VOID = SEGMENT | {"object_key": None, "rings": []}
CROWD = [SEGMENT | {"object_key": f"o{number}"} for number in range(255)]


WRONG_DRAWINGS: list[tuple[list[Any], str, str]] = [
    ([SEGMENT | {"rings": [[0, 0, 4, 4]]}], "segments.0.rings", "three corners"),
    ([SEGMENT | {"rings": [[0, 0, 4, 4, 5]]}], "segments.0.rings", "x and y in turns"),
    ([SEGMENT | {"rings": [[0, 0, 4, 4, 501, 0]]}], "segments.0.rings", "lies outside"),
    ([SEGMENT | {"rings": [[0, 0, 4, 4, 0.5, 0]]}], "segments.0.rings.0.4", "valid integer"),
    ([SEGMENT | {"rings": [[0, 0, 1, 1] * 10_001]}], "segments", "at most 20000 corners"),
    ([SEGMENT, SEGMENT], "segments.1.object_key", "expected a once"),
    ([SEGMENT | {"object_key": "z"}], "segments.0.object_key", "has no such object"),
    (CROWD, "segments.0.object_key", "has no such object"),
    ([VOID] * 101, "segments", "at most 100 regions without an object"),
]


def test_corrections_without_the_image_are_kept_up_to_the_limit_of_boxes(
    house: SegmentHouse,
) -> None:
    image_id, _, chris = house.add_drawn()
    task = chris.take("check-segment")
    chris.post(f"{API}/leases/{task['lease']['id']}/give-back")
    for _ in range(MOST_STALE):
        kept = review(chris, task, "fixed", segments=segments())
        assert error_of(kept)[:2] == (409, "lease_lost")
    refused = review(chris, task, "fixed", segments=segments())
    assert error_of(refused)[:2] == (403, "forbidden")
    assert len(house.drawings(image_id)) == 1 + MOST_STALE
    assert review(chris, task).status_code == 409  # nothing is kept of a verdict alone


def test_an_invalid_drawing_is_refused_in_one_sentence(house: SegmentHouse) -> None:
    image_id = house.add_chosen()
    ann = house.ann()
    task = ann.take("segment")
    for drawn, field, words in WRONG_DRAWINGS:
        answer = save(ann, task, drawn)
        assert error_of(answer) == (422, "invalid", field), words
        assert words in answer.get_json()["error"]["message"]
        assert house.drawings(image_id) == []
    answer = save(ann, task, [SEGMENT | {"rings": [[1, 2] * 1_000_000]}])
    assert error_of(answer)[:2] == (413, "too_large")
    assert save(ann, task).status_code == 201


def test_at_most_254_objects_of_an_image_can_be_segmented(house: SegmentHouse) -> None:
    image_id = house.add_image(ImageState.CHECKED)
    boxes = {f"o{number}": (number, 1, number + 9, 10) for number in range(1, 256)}
    house.draw_boxes(image_id, boxes, "dog " * 255)
    house.choose()
    ann = house.ann()
    task = ann.take("segment")
    crowd = [SEGMENT | {"object_key": key} for key in boxes]
    refused = save(ann, task, crowd)
    assert error_of(refused) == (422, "invalid", "segments")
    assert "at most 254 objects, got 255" in refused.get_json()["error"]["message"]
    assert save(ann, task, crowd[1:]).status_code == 201


def test_values_that_are_no_numbers_are_refused_in_one_sentence(house: SegmentHouse) -> None:
    house.add_chosen()
    ann = house.ann()
    task = ann.take("segment")
    body = json.dumps(ann.address(make_save(task, [SEGMENT | {"rings": "RINGS"}])))
    more = {"headers": {"X-CSRFToken": ann.csrf_token}, "content_type": "application/json"}
    path = f"{API}/images/{task['image_id']}/segmentations"
    for rings in ("[[0, 0, NaN, 4, 4, 4]]", "[[1e400, 0, 4, 0, 4, 4]]", "[[{}]]"):
        answer = ann.http.post(path, data=body.replace('"RINGS"', rings), **more)
        status, code, field = error_of(answer)
        assert (status, code) in ((422, "invalid"), (400, "malformed")), rings
        assert field is None or field.startswith("segments.0.rings.0")


def test_acknowledged_drawings_survive_a_kill(house: SegmentHouse) -> None:
    image_id = house.add_chosen()
    token = house.add_person("ann")
    acknowledged: list[int] = []
    with running(house.party.folder, "--port", "0") as (process, base_url):
        with sign_in(base_url, token) as http:
            task = http.post(f"{base_url}{API}/tasks/segment", json={}).json()["task"]
            path = f"{base_url}{API}/images/{image_id}/segmentations"
            for number in range(5):
                drawn = segments(a=[square(1, 1, 40 - number, 40)])
                body = make_save(task, drawn, finish=False)
                body["parent_id"] = acknowledged[-1] if acknowledged else None
                acknowledged.append(http.post(path, json=body).json()["segmentation"]["id"])
            process.kill()
        process.wait(timeout=120)
    with house.party.catalogue.reading() as session:
        kept = [session.get_one(Segmentation, key) for key in acknowledged]
        assert [drawing.segments[0].rings[0][2] for drawing in kept] == [40, 39, 38, 37, 36]
        assert session.get_one(SegmentChoice, image_id).segmentation_id == acknowledged[-1]
    with (
        running(house.party.folder, "--port", "0") as (_, base_url),
        sign_in(base_url, token) as http,
    ):
        task = http.post(f"{base_url}{API}/tasks/segment", json={}).json()["task"]
        assert task["segmentation"]["id"] == acknowledged[-1]


MOVED = BOXES | {"b": (21, 21, 90, 60)}


def test_blind_drawings_are_compared_on_unchanged_boxes_only(house: SegmentHouse) -> None:
    image_id = house.add_checked()
    house.choose(twice_share=1.0)
    ann = house.ann()
    olga = house.olga()
    save(ann, ann.take("segment"))
    house.draw_boxes(image_id, MOVED | {"c": (1, 1, 9, 9)}, "dog cat dog")
    save(olga, olga.take("segment"))
    assert house.choice(image_id).agreement == {"a": 1.0}
    assert ann.take("segment")["changed_keys"] == ["b", "c"]


def test_no_person_gets_the_same_image_blind_twice(house: SegmentHouse) -> None:
    image_id = house.add_checked()
    house.choose(twice_share=1.0)
    ann = house.ann()
    ben, cid = (house.enter(house.add_person(name)) for name in ("ben", "cid"))
    begun = ann.take("segment")
    save(ann, begun, segments()[:1], finish=False)
    house.clock.advance(700)
    save(ben, ben.take("segment"))  # the first drawing is by both
    for author in (ann, ben):
        assert author.take("segment") is None
        answer = author.post(f"{API}/tasks/segment", {"image_id": image_id})
        assert error_of(answer)[:2] == (409, "lease_lost")
        assert error_of(save(author, begun))[:2] == (409, "lease_lost")
    assert house.choice(image_id).second_id is None
    assert save(cid, cid.take("segment")).status_code == 201
    assert house.drawings(image_id)[-1].id == house.choice(image_id).second_id


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


@pytest.mark.parametrize("into", ["hound", "cat"])
def test_objects_of_a_renamed_or_merged_class_keep_pixels(house: SegmentHouse, into: str) -> None:
    house.add_chosen()
    ann = house.ann()
    chris = house.chris()
    task = ann.take("segment")
    with house.party.catalogue.writing() as session:
        change = merge_words if into in house.party.preset.class_names else rename_word
        change(session, house.party, "dog", into, made_by="olga", at=house.clock.at)
    assert save(ann, task).status_code == 201
    task = chris.take("check-segment")
    class_id = "dog" if into == "hound" else into  # pages get ids, which a new name leaves alone
    assert [item["class"] for item in task["annotation"]["objects"]] == [class_id, "cat"]
    assert review(chris, task).get_json()["state"] == "checked"
    listed = json.loads(run(house, "list", "--json").stdout)["images"]
    assert [item["class"] for item in listed[0]["objects"]] == [into, "cat"]


@pytest.mark.parametrize("verdict", ["accept", "fixed", "returned"])
def test_a_verdict_leaves_moved_objects_to_be_drawn_again(
    house: SegmentHouse, verdict: str
) -> None:
    image_id, ann, chris = house.add_drawn()
    task = chris.take("check-segment")
    house.draw_boxes(image_id, MOVED)
    fixed = {"segments": segments(a=[square(1, 1, 39, 39)])} if verdict == "fixed" else {}
    answer = review(chris, task, verdict, comments="Ears.", **fixed)
    assert answer.status_code == 201, answer.text
    again = ann.take("segment")
    assert again["changed_keys"] == ["b"]
    rings = [square(1, 1, 39, 39)] if verdict == "fixed" else [square(*BOXES["a"])]
    assert again["segmentation"]["segments"][0]["rings"] == rings
    assert save(ann, again).get_json()["state"] == "drawn"
