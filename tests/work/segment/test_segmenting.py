import json
from typing import Any

import pytest

from catalog.states import ImageState, SegmentState
from catalog.tables import SegmentationReview, SegmentChoice
from export.drawings import _load_drawing_reviews
from operate.words import merge_words, rename_word
from tests.annotate_ui.house import API, error_of

from .conftest import BOXES, SegmentHouse, review, run, save, segments, square

SEGMENT = segments()[0]
MOVED = BOXES | {"b": (21, 21, 90, 60)}


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


def test_one_image_is_segmented_and_corrected_by_two_people(house: SegmentHouse) -> None:
    image_id = house.add_checked(ImageState.RELEASED)
    house.choose()
    ann = house.ann()
    olga = house.olga()
    assert ann.take("segment")["image_id"] == image_id
    assert olga.take("check", image_id=image_id)["image_id"] == image_id
    assert {lease.kind.value for lease in house.leases()} == {"segment", "check"}


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


def test_only_a_changed_object_is_segmented_again(house: SegmentHouse) -> None:
    image_id, ann, chris = house.add_drawn()
    review(chris, chris.take("check-segment"))
    house.draw_boxes(image_id, BOXES, "cat dog")
    assert ann.take("segment") is None
    house.draw_boxes(image_id, {"b": (21, 21, 90, 60), "c": (1, 1, 9, 9)})
    task = ann.take("segment")
    assert task["changed_keys"] == ["b", "c"]
    assert [segment["object_key"] for segment in task["segmentation"]["segments"]] == ["b"]


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
