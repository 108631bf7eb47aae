"""A checker's verdicts: the rows that they write, and the answers."""

from collections import Counter
from functools import partial

import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.states import FindingVerdict, ImageState, Role, Verdict
from catalog.tables import Annotation, Finding, Object, ReleaseImage
from qa.finding_rows import list_findings
from tests.rows import at_once

from .house import API, Browser, House, Json, error_of, new_key, thing, verdict_on


@pytest.fixture
def ann(house: House) -> Browser:
    return house.ann()


@pytest.fixture
def chris(house: House) -> Browser:
    return house.chris()


@pytest.fixture
def task(house: House, ann: Browser, chris: Browser) -> Json:
    """Chris's task: to check an image by ann with one object `a`."""
    house.add_image()
    assert ann.save(ann.take()).status_code == 201
    return chris.take("check")


def test_accepting_an_image_makes_it_checked(house: House, chris: Browser, task: Json) -> None:
    answer = chris.review(task)
    assert answer.status_code == 201, answer.text
    (review,) = house.reviews()
    expected = {"review_id": review.id, "state": "checked", "annotation": task["annotation"]}
    assert answer.get_json() == expected
    assert (review.verdict, review.is_complete, review.active_secs) == ("accept", True, 12.0)
    said = {"object_key": "a", "verdict": "accept", "comment": "", "judged": True}
    assert review.object_verdicts == [said]
    assert house.state(task["image_id"]) is ImageState.CHECKED
    assert house.leases() == []


@pytest.mark.parametrize("verdict", ["accept", "fixed"])
def test_an_accept_with_note_reaches_the_author_and_returns_nothing(
    house: House, ann: Browser, chris: Browser, task: Json, verdict: str
) -> None:
    said = [{"key": "a", "verdict": "accept", "comment": " A little tight. "}]
    key = new_key()
    first = chris.review(task, verdict, objects=said, save_key=key)
    assert (first.status_code, first.get_json()["state"]) == (201, "checked")
    assert chris.review(task, verdict, objects=said, save_key=key).status_code == 200
    (review,) = house.reviews()
    assert [item["comment"] for item in review.object_verdicts] == [" A little tight. "]
    (remark,) = ann.get(f"{API}/remarks").get_json()["remarks"]  # once, though it was posted twice
    expected = ("A little tight.", "chris", "a")
    assert (remark["text"], remark["from"], remark["object_key"]) == expected
    assert remark["image_id"] == task["image_id"]
    assert chris.get(f"{API}/remarks").get_json()["remarks"] == []


def test_returned_work_goes_to_its_author_with_the_comments(
    house: House, ann: Browser, chris: Browser, task: Json
) -> None:
    said = [{"key": "a", "verdict": "accept", "comment": "Well drawn."}]
    assert chris.review(task, "returned", objects=said).get_json()["state"] == "returned"
    assert ann.get(f"{API}/remarks").get_json()["remarks"] == []
    again = ann.take()
    assert again["image_id"] == task["image_id"]
    assert again["review"]["objects"][0]["comment"] == "Well drawn."
    ann.save(again, [thing("a"), thing("cat", **{"class": "cat"}, actions=[], parts=[])])
    assert chris.review(chris.take("check"), "accept").get_json()["state"] == "checked"
    assert [review.verdict for review in house.reviews()] == [Verdict.RETURNED, Verdict.ACCEPT]


def test_a_fix_adds_a_revision_by_the_checker(house: House, chris: Browser, task: Json) -> None:
    with house.party.catalogue.writing() as session:
        session.query(Object).one().difficult = True
    answer = chris.review(task, "fixed").get_json()
    assert answer["state"] == "checked"
    fixed = answer["annotation"]
    assert (fixed["parent_id"], fixed["finished"]) == (task["annotation"]["id"], True)
    assert fixed["objects"][0]["box"] == [50, 240, 195, 371]
    assert fixed["objects"][0]["difficult"] is True
    original, revision = house.revisions(task["image_id"])
    expected = (house.person("ann").id, house.person("chris").id)
    assert (original.person_id, revision.person_id) == expected
    assert (revision.active_secs, house.reviews()[0].fixed_annotation_id) == (8, revision.id)
    assert house.image(task["image_id"]).annotation_id == revision.id
    with house.party.catalogue.reading() as session:
        assert session.get_one(Annotation, original.id).objects[0].xmin == 48


def test_one_review_posted_many_times_at_once_is_saved_once(any_house: House) -> None:
    *_, chris = any_house.draw_one()
    task = chris.take("check")
    body = verdict_on(task["annotation"]["id"], "fixed")
    path = f"{API}/images/{task['image_id']}/reviews"
    posts = [partial(any_house.window_of(chris).post, path, body) for _ in range(5)]
    answers = at_once(*posts)
    assert sorted(answer.status_code for answer in answers) == [200] * 4 + [201]
    first, *others = (answer.get_json() for answer in answers)
    assert others == [first] * 4
    assert len(any_house.reviews()) == 1
    assert len(any_house.revisions(task["image_id"])) == 2


def test_a_save_key_fits_one_image(house: House, ann: Browser, chris: Browser, task: Json) -> None:
    key = new_key()
    other = {"image_id": house.add_image()}
    other |= ann.save(ann.take()).get_json()
    house.clock.advance(601)
    ann.take()  # asking sweeps
    assert chris.review(task, "fixed", save_key=key).status_code == 409  # kept, not as head
    assert error_of(chris.review(other, "fixed", save_key=key)) == (422, "invalid", "save_key")


def test_no_person_reviews_their_own_revision(house: House, task: Json) -> None:
    cleo = house.enter(house.add_person("cleo", Role.CHECKER))
    image_id = house.add_image()
    revision = cleo.save(cleo.take()).get_json()["annotation"]
    for kind in ("accept", "fixed", "returned"):
        answer = cleo.post(f"{API}/images/{image_id}/reviews", verdict_on(revision["id"], kind))
        assert error_of(answer) == (403, "forbidden", None)
    assert house.state(image_id) is ImageState.ANNOTATED


def test_no_person_reviews_work_based_on_their_own(house: House) -> None:
    """This holds for organisers too."""
    image_id = house.add_image()
    olga = house.olga()
    ann = house.ann()
    task = olga.take()
    olga.save(task, finish=False)
    olga.post(f"{API}/leases/{task['lease']['id']}/give-back")
    saved = ann.save(ann.take()).get_json()["annotation"]
    answer = olga.post(f"{API}/images/{image_id}/reviews", verdict_on(saved["id"]))
    assert error_of(answer) == (403, "forbidden", None)


def test_a_review_without_a_lease_changes_nothing(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    chris = house.chris()
    saved = ann.save(ann.take()).get_json()["annotation"]
    answer = chris.post(f"{API}/images/{image_id}/reviews", verdict_on(saved["id"]))
    assert error_of(answer) == (409, "lease_lost", None)
    assert answer.get_json()["kept_as"] is None
    assert house.reviews() == []
    assert house.state(image_id) is ImageState.ANNOTATED


def test_a_fix_without_a_lease_is_kept(house: House, chris: Browser, task: Json) -> None:
    cleo = house.enter(house.add_person("cleo", Role.CHECKER))
    house.clock.advance(601)
    assert cleo.take("check")["image_id"] == task["image_id"]
    key = new_key()
    for _ in range(2):
        answer = chris.review(task, "fixed", save_key=key)
        assert error_of(answer) == (409, "lease_lost", None)
    kept = house.revisions(task["image_id"])[-1]
    assert (kept.id, kept.is_stale) == (answer.get_json()["kept_as"], True)
    assert len(house.revisions(task["image_id"])) == 2
    assert cleo.review(task).status_code == 201
    assert house.image(task["image_id"]).annotation_id == task["annotation"]["id"]


def test_a_review_of_an_older_revision_is_stale(house: House) -> None:
    house.add_image()
    ann = house.ann()
    chris = house.chris()
    old = ann.save(ann.take()).get_json()["annotation"]
    task = ann.take(image_id=1)
    new = ann.save(task, [thing("a"), thing("b")]).get_json()["annotation"]
    held = chris.take("check")
    assert held["annotation"] == new
    answer = chris.post(f"{API}/images/1/reviews", verdict_on(old["id"], "fixed"))
    assert error_of(answer) == (409, "stale", None)
    assert answer.get_json()["head"] == new
    assert house.revisions(1)[-1].is_stale
    assert house.state(1) is ImageState.CHECKING


OUTSIDE = thing(box=[0, 1, 9, 9])
WRONG_REVIEWS: list[tuple[Json, str]] = [
    ({"verdict": "accept", "complete": False}, "complete"),
    ({"objects": [{"key": "a", "verdict": "reject", "comment": ""}]}, "objects.0.verdict"),
    ({"objects": [{"key": "z", "verdict": "accept"}]}, "objects.0.key"),
    ({"objects": [{"key": "a", "verdict": "accept"}] * 2}, "objects.1.key"),
    ({"objects": [{"key": "a", "verdict": "perhaps"}]}, "objects.0.verdict"),
    ({"verdict": "returned", "comment": " "}, "comment"),
    ({"verdict": "fixed", "fixed": None}, "fixed"),
    ({"verdict": "fixed", "fixed": {}}, "fixed.objects"),
    ({"fixed": {"objects": []}}, "fixed"),
    ({"verdict": "fixed", "fixed": {"objects": [OUTSIDE]}}, "fixed.objects.0.box"),
    ({"verdict": "maybe"}, "verdict"),
    ({"annotation_id": None}, "annotation_id"),
    ({"save_key": "short"}, "save_key"),
    ({"active_secs": -1}, "active_secs"),
    ({"comment": "x" * 2001}, "comment"),
    ({"colour": "red"}, "colour"),
]


def test_an_invalid_review_is_refused_and_a_comment_can_return_work(house: House) -> None:
    image_id, _, chris = house.draw_one()
    task = chris.take("check")
    for more, field in WRONG_REVIEWS:
        answer = chris.review(task, **{"verdict": "accept"} | more)
        assert error_of(answer) == (422, "invalid", field), more
        assert house.reviews() == []
    assert house.state(image_id) is ImageState.CHECKING
    objects = [{"key": "a", "verdict": "reject", "comment": "Too loose."}]
    assert chris.review(task, "returned", comment="", objects=objects).status_code == 201
    answer = chris.post(f"{API}/images/999/reviews", verdict_on(1))
    assert error_of(answer) == (404, "not_found", None)


def test_findings_are_stored_at_submission_and_closed_by_a_fix(any_house: House) -> None:
    any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    held = ann.take()
    border = thing("a", box=[1, 50, 120, 200], parts=[])
    assert ann.save(held, [border]).status_code == 201
    with any_house.party.catalogue.reading() as session:
        kept = [row.check_name for row in list_findings(session)]
    assert kept == ["border_not_truncated"]
    answer = chris.review(chris.take("check"), "fixed")
    assert answer.status_code == 201, answer.text
    with any_house.party.catalogue.reading() as session:
        assert list_findings(session) == []
        [row] = session.scalars(select(Finding)).all()
        assert row.verdict is FindingVerdict.FIXED


DISPUTES = f"{API}/disputes"


def send_back_twice(house: House) -> tuple[Browser, Browser, int]:
    """Ann's and chris's browsers, and the image that he returned to her twice."""
    image_id = house.add_image()
    ann = house.ann()
    chris = house.chris()
    assert ann.save(ann.take()).status_code == 201
    for number in range(2):
        words = [{"key": "a", "verdict": "reject", "comment": f"No {number}."}]
        held = chris.take("check")
        answer = chris.review(held, "returned", objects=words, comment="Look again.")
        assert answer.status_code == 201, answer.text
        if number == 0:
            assert ann.save(ann.take()).status_code == 201
    return ann, chris, image_id


def test_a_disagreement_after_two_rounds_is_settled_by_an_organiser(any_house: House) -> None:
    ann, chris, image_id = send_back_twice(any_house)
    olga = any_house.olga()
    [dispute] = olga.get(DISPUTES).get_json()["disputes"]
    assert (dispute["state"], dispute["may_settle"]) == ("returned", False)
    assert ann.save(ann.take()).status_code == 201
    answer = olga.get(DISPUTES).get_json()
    [dispute] = answer["disputes"]
    assert (dispute["image_id"], dispute["author"]["name"]) == (image_id, "ann")
    expected = ("annotated", True, 2)
    assert (dispute["state"], dispute["may_settle"], answer["most_returns"]) == expected
    assert [round_["comment"] for round_ in dispute["rounds"]] == ["Look again.", "Look again."]
    said = {"key": "a", "class": "person", "verdict": "reject", "comment": "No 1."}
    assert dispute["rounds"][1]["objects"] == [said]
    assert (dispute["changes"], [item["key"] for item in dispute["same"]]) == ([], ["a"])
    assert chris.post(f"{API}/tasks/check").get_json()["task"] is None
    held = olga.take("check", image_id=image_id)
    assert [round_["checker"] for round_ in held["rounds"]] == ["chris", "chris"]
    [dispute] = olga.get(DISPUTES).get_json()["disputes"]
    assert (dispute["holder"]["name"], dispute["may_settle"]) == ("olga", True)
    assert "1 dispute to settle" in olga.get("/").text, "it is open with her, so it waits for her"
    oscar = any_house.enter(any_house.add_person("oscar", Role.ORGANISER))
    assert "dispute to settle" not in oscar.get("/").text
    assert olga.review(held).status_code == 201
    assert any_house.state(image_id) is ImageState.CHECKED
    assert olga.get(DISPUTES).get_json()["disputes"] == []


def test_a_dispute_shows_what_its_author_changed_since_it_was_returned(house: House) -> None:
    ann, _, _ = send_back_twice(house)
    assert ann.save(ann.take(), [thing() | {"box": [1, 1, 90, 60]}]).status_code == 201
    [dispute] = house.olga().get(DISPUTES).get_json()["disputes"]
    [change] = dispute["changes"]
    assert (change["key"], change["kind"], dispute["same"]) == ("a", "moved", [])


def release_one(house: House) -> tuple[int, int]:
    """An image that ann drew, chris accepted and a release holds, and the released revision."""
    image_id, _, chris = house.draw_one()
    chris.review(chris.take("check"))
    house.release(image_id)
    frozen_id = house.image(image_id).annotation_id
    assert frozen_id is not None
    return image_id, frozen_id


def test_a_corrected_released_image_is_checked_by_another_person(house: House) -> None:
    image_id, frozen_id = release_one(house)
    olga = house.olga()
    task = olga.take("check", image_id=image_id)
    assert task["is_released"]  # the page says that another checker follows
    assert olga.review(task, "fixed").status_code == 201
    assert house.state(image_id) is ImageState.ANNOTATED
    with house.party.catalogue.reading() as session:
        assert session.query(ReleaseImage).one().annotation_id == frozen_id
    eve = house.enter(house.add_person("eve", Role.CHECKER))
    task = eve.take("check")
    assert not task["is_released"]
    eve.review(task)
    assert house.state(image_id) is ImageState.CHECKED
    assert house.image(image_id).annotation_id != frozen_id


def test_a_reopened_released_image_can_be_changed_or_left_as_it_is(house: House) -> None:
    image_id, frozen_id = release_one(house)
    olga = house.olga()
    task = olga.take("check", image_id=image_id)
    assert olga.review(task, "accept").status_code == 201
    assert house.state(image_id) is ImageState.RELEASED
    task = olga.take(image_id=image_id)
    olga.post(f"{API}/leases/{task['lease']['id']}/give-back")
    assert house.state(image_id) is ImageState.RELEASED
    assert house.image(image_id).annotation_id == frozen_id
    task = olga.take(image_id=image_id)
    assert olga.save(task, [thing("a"), thing("b")]).get_json()["state"] == "annotated"


def test_a_correction_of_a_taken_down_image_is_kept(house: House) -> None:
    image_id, _ = release_one(house)
    olga = house.olga()
    task = olga.take(image_id=image_id)
    house.set_state(image_id, ImageState.TAKEN_DOWN)
    late = olga.save(task, [thing("a"), thing("b")])
    assert (late.status_code, late.get_json()["error"]["code"]) == (409, "lease_lost")
    assert late.get_json()["error"]["message"].endswith("Your version is kept in the history.")
    assert house.revisions(image_id)[-1].is_stale


def test_checkers_open_released_images_only_if_the_party_allows_it(party: Party) -> None:
    house = House(party)
    image_id, _ = release_one(house)
    eve = house.enter(house.add_person("eve", Role.CHECKER))
    asked = {"image_id": image_id}
    assert eve.post(f"{API}/tasks/check", asked).status_code == 409
    open_house = House(party, checkers_open_released=True)
    eve = open_house.enter(open_house.add_person("evi", Role.CHECKER))
    assert eve.take("check", **asked)["image_id"] == image_id


def test_findings_on_released_images_are_listed_separately(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    olga = house.olga()
    ann.save(ann.take(), [thing(), thing("b", box=[49, 240, 195, 371])])
    path = f"{API}/findings"
    findings = olga.get(path).get_json()["findings"]
    assert findings
    house.release(image_id)
    assert olga.get(path).get_json()["findings"] == []
    assert set(olga.get(f"{API}/board").get_json()["findings"].values()) == {0}
    assert olga.get(f"{path}?released=1").get_json()["findings"] == findings


def test_the_counts_of_the_findings_page_are_of_what_it_lists(any_house: House) -> None:
    released, waiting = any_house.add_images(2)
    ann = any_house.ann()
    olga = any_house.olga()
    for _ in range(2):
        ann.save(ann.take(), [thing(), thing("b", box=[49, 240, 195, 371])])
    any_house.release(released)
    path = f"{API}/findings"
    for query, image_id in (("", waiting), ("?released=1", released)):
        page = olga.get(path + query).get_json()
        check_counts_of_page(page)
        assert {finding["image_id"] for finding in page["findings"]} == {image_id}
        finding = page["findings"][0]
        body = {"verdict": "wrong", "version": finding["version"]}
        judged = olga.post(f"{path}/{finding['id']}/verdict", body).get_json()
        after = olga.get(path + query).get_json()
        assert judged["check"] in after["checks"]
        check_counts_of_page(after)
    checks = olga.get(path).get_json()["checks"]
    for severity, count in olga.get(f"{API}/board").get_json()["findings"].items():
        assert count == sum(check["open"][severity] for check in checks)


def check_counts_of_page(page: Json) -> None:
    """Each check's counts are of the findings that the page lists, by severity."""
    listed = Counter((finding["check"], finding["severity"]) for finding in page["findings"])
    for check in page["checks"]:
        for severity, count in check["open"].items():
            assert count == listed[check["name"], severity], (check["name"], severity)


def test_a_review_distinguishes_judged_from_untouched_objects(any_house: House) -> None:
    any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    ann.save(ann.take(), [thing("a"), thing("b"), thing("c")])
    said = [{"key": "b", "verdict": "accept"}, {"key": "a", "verdict": "accept", "judged": False}]
    task = chris.take("check")
    assert chris.review(task, objects=said, complete=None).status_code == 201
    (row,) = any_house.reviews()
    assert row.is_complete is None
    judged = {verdict["object_key"]: verdict["judged"] for verdict in row.object_verdicts}
    assert judged == {"a": False, "b": True, "c": False}


@pytest.mark.parametrize(
    ("more", "field"), [({"objects": []}, "objects"), ({"complete": None}, "complete"), ({}, None)]
)
def test_a_party_can_require_all_verdicts(party: Party, more: Json, field: str | None) -> None:
    house = House(party, judge_each_object=True)
    house.add_image()
    ann = house.ann()
    chris = house.chris()
    assert chris.get(f"{API}/party").get_json()["judge_each_object"] is True
    ann.save(ann.take())
    answer = chris.review(chris.take("check"), **more)
    if field is None:
        assert answer.status_code == 201
    else:
        assert error_of(answer) == (422, "invalid", field)
        assert house.reviews() == []
