"""What went back and forth too often: the organisers' queue of it."""

from __future__ import annotations

from catalog.states import ImageState

from .house import API, Browser, House

DISPUTES = f"{API}/disputes"


def send_back_twice(house: House) -> tuple[Browser, Browser, int]:
    """Ann's and chris's browsers, and the image that he returned to her twice."""
    image_id = house.add_image()
    ann, chris = house.ann(), house.chris()
    assert ann.save(ann.take()).status_code == 201
    for number in range(2):
        words = [{"key": "a", "verdict": "reject", "comment": f"No {number}."}]
        held = chris.take("check")
        answer = chris.review(held, "returned", objects=words, comment="Look again.")
        assert answer.status_code == 201, answer.text
        if number == 0:
            assert ann.save(ann.take()).status_code == 201
    return ann, chris, image_id


def test_a_disagreement_after_two_rounds_waits_with_all_that_was_said(any_house: House) -> None:
    ann, chris, image_id = send_back_twice(any_house)
    olga = any_house.olga()
    [dispute] = olga.get(DISPUTES).get_json()["disputes"]
    assert (dispute["state"], dispute["may_settle"]) == ("returned", False)
    assert ann.save(ann.take()).status_code == 201
    answer = olga.get(DISPUTES).get_json()
    [dispute] = answer["disputes"]
    assert (dispute["image_id"], dispute["author"]["name"]) == (image_id, "ann")
    assert (dispute["state"], dispute["may_settle"], answer["most_returns"]) == (
        "annotated",
        True,
        2,
    )
    assert [one["comment"] for one in dispute["rounds"]] == ["Look again.", "Look again."]
    assert dispute["rounds"][1]["objects"] == [
        {"key": "a", "class": "person", "verdict": "reject", "comment": "No 1."}
    ]
    assert chris.post(f"{API}/tasks/check").get_json()["task"] is None


def test_the_organiser_sees_the_rounds_beside_the_image_and_settles_it(any_house: House) -> None:
    ann, _, image_id = send_back_twice(any_house)
    ann.save(ann.take())
    olga = any_house.olga()
    held = olga.take("check", image_id=image_id)
    assert [one["checker"] for one in held["rounds"]] == ["chris", "chris"]
    [dispute] = olga.get(DISPUTES).get_json()["disputes"]
    assert (dispute["holder"]["name"], dispute["may_settle"]) == ("olga", True)
    assert olga.review(held).status_code == 201
    assert any_house.state(image_id) is ImageState.CHECKED
    assert olga.get(DISPUTES).get_json()["disputes"] == []


def test_an_author_gets_no_rounds_with_new_work(house: House) -> None:
    house.add_image()
    ann = house.ann()
    assert "rounds" not in ann.take()
