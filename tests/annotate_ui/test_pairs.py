"""Pairs of boxes that lie on one another, and what a decision about one leaves behind."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import select

from catalog.decisions import list_wrong_states
from catalog.states import ImageState, Role, Verdict
from catalog.tables import FindingJudgement, GoldImage, Object, Review

from .house import API, Browser, House, Json, error_of, thing

NEAR = [49, 240, 195, 371]
"""All but one column of the box of `thing`."""
DOG: Json = {"class": "dog", "parts": [], "actions": [], "point": None}


@dataclass(frozen=True)
class Checked:
    """An image that chris let pass, and olga, who decides about its pairs."""

    house: House
    image_id: int
    chris: Browser
    olga: Browser

    def list_pairs(self, browser: Browser | None = None) -> list[Json]:
        answer: list[Json] = (browser or self.olga).get(f"{API}/pairs").get_json()["pairs"]
        return answer

    def say(self, pair: Json, keep: str | None, browser: Browser | None = None) -> Any:
        body = {"keep": keep, "version": pair["version"]}
        return (browser or self.olga).post(f"{API}/pairs/{pair['id']}", body)

    def list_keys(self) -> list[str]:
        of_head = Object.annotation_id == self.house.image(self.image_id).annotation_id
        with self.house.party.catalogue.reading() as session:
            keys = select(Object.object_key).where(of_head).order_by(Object.number)
            return list(session.scalars(keys))

    def assert_its_rows_give_its_state(self) -> None:
        assert self.house.state(self.image_id) is ImageState.CHECKED
        with self.house.party.catalogue.reading() as session:
            assert list(list_wrong_states(session)) == []


def check_image(house: House, *objects: Json) -> Checked:
    """An image with these objects, drawn by ann and accepted by chris."""
    image_id, _ = house.add_file()
    ann = house.ann()
    assert ann.save(ann.take(), list(objects)).status_code == 201
    chris = house.chris()
    answer = chris.review(chris.take("check"), complete=True)
    assert answer.status_code == 201, answer.text
    return Checked(house, image_id, chris, house.olga())


def test_a_pair_has_both_boxes_with_their_crops(any_house: House) -> None:
    checked = check_image(any_house, thing(), thing("b", box=NEAR))
    (pair,) = checked.list_pairs()
    assert (pair["check"], pair["image_id"]) == ("same_class_overlap", checked.image_id)
    assert (pair["first"]["width"], pair["second"]["width"]) == (148, 147)
    assert (pair["first"]["display"], pair["larger"]) == ("person", "first")
    for box in (pair["first"], pair["second"]):
        assert checked.olga.get(box["crop_url"]).content_type == "image/jpeg"
    page = checked.olga.get(f"{API}/pairs").get_json()
    assert (page["waiting"], page["elsewhere"], page["next"]) == (1, 0, None)


def test_one_key_removes_a_box_as_a_correction_of_what_was_checked(any_house: House) -> None:
    checked = check_image(any_house, thing(), thing("b", box=NEAR), thing("c", box=[1, 1, 40, 40]))
    (pair,) = checked.list_pairs()
    assert checked.say(pair, "first").get_json()["kept"] == "first"
    assert checked.list_keys() == ["a", "c"]
    accepted, corrected = any_house.reviews()
    assert (corrected.verdict, corrected.is_of_pair) == (Verdict.FIXED, True)
    assert corrected.is_complete is accepted.is_complete is True
    assert corrected.fixed_annotation_id == any_house.image(checked.image_id).annotation_id
    assert checked.list_pairs() == []
    checked.assert_its_rows_give_its_state()


def test_the_second_box_is_kept_where_that_is_the_right_one(house: House) -> None:
    checked = check_image(house, thing(), thing("b", box=NEAR))
    (pair,) = checked.list_pairs()
    assert checked.say(pair, "second").get_json()["kept"] == "second"
    assert checked.list_keys() == ["b"]


def test_a_pair_of_two_real_objects_is_not_asked_again(any_house: House) -> None:
    checked = check_image(any_house, thing(), thing("b", box=NEAR))
    (pair,) = checked.list_pairs()
    assert checked.say(pair, "both").get_json()["kept"] == "both"
    assert checked.list_keys() == ["a", "b"]
    any_house.run("qa")
    assert checked.list_pairs() == []
    assert len(any_house.reviews()) == 1


def test_a_decision_is_taken_back_with_all_that_it_did(any_house: House) -> None:
    checked = check_image(any_house, thing(), thing("b", box=NEAR))
    (pair,) = checked.list_pairs()
    for keep in ("both", "first", "second"):
        decided = checked.say(pair, keep).get_json()
        back = checked.say(pair | decided, None)
        assert back.get_json() == {"kept": None, "version": pair["version"]}
        assert checked.list_keys() == ["a", "b"]
        assert [row["id"] for row in checked.list_pairs()] == [pair["id"]]
        checked.assert_its_rows_give_its_state()
    with any_house.party.catalogue.reading() as session:
        words = session.scalars(select(FindingJudgement.verdict).order_by(FindingJudgement.id))
        assert list(words) == ["wrong", None, "right", None, "right", None]


def test_who_removed_a_box_goes_on_with_the_next_pair_of_the_image(house: House) -> None:
    checked = check_image(house, thing(), thing("b", box=NEAR), thing("c", box=[48, 241, 195, 371]))
    first, *others = checked.list_pairs()
    assert len(others) == 2
    decided = first | checked.say(first, "first").get_json()
    (left,) = checked.list_pairs()
    assert left["id"] in {pair["id"] for pair in others}
    assert checked.say(left, "first").status_code == 200
    assert len(checked.list_keys()) == 1
    assert error_of(checked.say(decided, None))[:2] == (409, "stale")


def test_a_decision_about_a_box_that_changed_since_is_refused(any_house: House) -> None:
    checked = check_image(any_house, thing(), thing("b", box=NEAR))
    (pair,) = checked.list_pairs()
    oscar = any_house.enter(any_house.add_person("oscar", Role.ORGANISER))
    assert checked.say(pair, "first", oscar).status_code == 200
    refused = checked.say(pair, "second")
    assert error_of(refused)[:2] == (409, "stale")
    assert refused.get_json()["head"]["kept"] == "first"
    assert checked.olga.get(pair["first"]["crop_url"]).status_code == 404


def test_only_who_decided_takes_it_back(house: House) -> None:
    checked = check_image(house, thing(), thing("b", box=NEAR))
    oscar = house.enter(house.add_person("oscar", Role.ORGANISER))
    (pair,) = checked.list_pairs()
    for keep in ("both", "first"):
        decided = pair | checked.say(pair, keep).get_json()
        assert error_of(checked.say(decided, None, oscar))[:2] == (409, "stale")
        assert checked.say(decided, None).status_code == 200


def test_nobody_decides_about_pairs_that_they_drew_or_that_wait_for_a_check(house: House) -> None:
    checked = check_image(house, thing(), thing("b", box=NEAR))
    (pair,) = checked.list_pairs()
    ben = house.enter(house.add_person("ben", Role.CHECKER))
    house.add_image()
    ben.save(ben.take(), [thing(), thing("b", box=NEAR)])
    dora = house.enter(house.add_person("dora"))
    page = ben.get(f"{API}/pairs").get_json()
    assert [row["id"] for row in page["pairs"]] == [pair["id"]]
    assert (page["waiting"], page["elsewhere"]) == (1, 1)
    checked.chris.review(checked.chris.take("check"))
    other = next(row for row in checked.list_pairs() if row["id"] != pair["id"])
    assert error_of(checked.say(other, "first", ben))[:2] == (403, "forbidden")
    assert checked.say(other, "first").status_code == 200
    assert error_of(dora.get(f"{API}/pairs"))[:2] == (403, "forbidden")


def test_boxes_of_two_classes_that_overlap_by_half_are_a_pair(house: House) -> None:
    checked = check_image(house, thing(), thing("b", **DOG))
    (pair,) = checked.list_pairs()
    assert pair["check"] == "other_class_overlap"
    assert (pair["first"]["display"], pair["second"]["display"]) == ("person", "dog")
    assert pair["larger"] is None


def test_the_heading_counts_the_pairs_of_the_check_that_was_chosen(house: House) -> None:
    checked = check_image(house, thing(), thing("b", box=NEAR))
    bob = house.enter(house.add_person("bob"))
    house.add_image()
    bob.save(bob.take(), [thing(), thing("b", **DOG)])  # not checked
    for query, counts in (
        ("", (1, 1)),
        ("?check=same_class_overlap", (1, 0)),
        ("?check=other_class_overlap", (0, 1)),
    ):
        page = checked.olga.get(f"{API}/pairs{query}").get_json()
        assert (page["waiting"], page["elsewhere"]) == counts
        assert len(page["pairs"]) == counts[0]


def test_a_gold_image_has_what_the_organiser_left_of_the_pair(house: House) -> None:
    checked = check_image(house, thing(), thing("b", box=NEAR))
    before_id = house.image(checked.image_id).annotation_id
    at = {"chosen_at": house.clock.at, "person_id": house.person("olga").id}
    with house.party.catalogue.writing() as session:
        session.add(GoldImage(image_id=checked.image_id, annotation_id=before_id, **at))
    (pair,) = checked.list_pairs()
    decided = pair | checked.say(pair, "first").get_json()
    assert _find_gold(house) == (house.image(checked.image_id).annotation_id, None)
    assert checked.say(decided, None).status_code == 200
    assert _find_gold(house) == (before_id, None)


def _find_gold(house: House) -> tuple[int, object]:
    """The revision of the gold image, and when it ended."""
    with house.party.catalogue.reading() as session:
        gold = session.scalars(select(GoldImage)).one()
        return gold.annotation_id, gold.ended_at


def test_a_decision_is_no_second_check_of_the_image(house: House) -> None:
    checked = check_image(house, thing(), thing("b", box=NEAR))
    house.set_qa(repeat_share=1.0)
    (pair,) = checked.list_pairs()
    assert checked.say(pair, "first").status_code == 200
    with house.party.catalogue.reading() as session:
        assert session.scalar(select(Review.id).where(Review.is_of_pair)) is not None
    ben = house.enter(house.add_person("ben", Role.CHECKER))
    assert ben.take("check")["image_id"] == checked.image_id
