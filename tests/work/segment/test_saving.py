"""What becomes of a drawing that is saved: stale, late, invalid, finished with findings."""

import json
from typing import Any

import pytest

from catalog.states import Beside, ImageState, SegmentState
from catalog.tables import Segmentation, SegmentChoice
from tests.annotate_ui.house import API, error_of
from tests.annotate_ui.test_serving import running, sign_in
from work.saving import MOST_STALE

from .conftest import BOXES, SegmentHouse, make_save, review, save, segments, square

SEGMENT = segments()[0]
MOVED = BOXES | {"b": (21, 21, 90, 60)}
OUT = square(1, 1, 50, 40)
CROWD = [SEGMENT | {"object_key": f"o{number}"} for number in range(255)]
VOID = SEGMENT | {"object_key": None, "rings": []}
FINDINGS = [
    (segments()[1:], [("a", "No visible pixels.")]),
    (segments(b=[square(1, 1, 80, 60)]), [("a", "No visible pixels"), ("b", "Extends 20 pixels")]),
    (segments(a=[OUT])[::-1], [("a", "Extends 10 pixels")]),
    (segments(a=[square(1, 1, 40, 30)]), [("a", "Differs from its box by 25% of a side")]),
    (segments(a=[square(1, 1, 38, 40)]), []),
    (segments(a=[[0, 0, 40, 40, 40, 0, 0, 40]]), [("a", "crosses itself. Check what is filled.")]),
]
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


def test_a_checker_can_fix_a_drawing(house: SegmentHouse) -> None:
    image_id, _, chris = house.add_drawn()
    task = chris.take("check-segment")
    assert error_of(review(chris, task, "fixed"))[2] == "segments"
    fixed = segments(a=[square(1, 1, 39, 39)])
    made = review(chris, task, "fixed", segments=fixed).get_json()["segmentation"]
    choice = house.choice(image_id)
    assert (choice.segmentation_id, choice.state) == (made["id"], SegmentState.CHECKED)
    assert made["parent_id"] == task["segmentation"]["id"]


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
