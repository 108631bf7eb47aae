"""My work after an undo, restored released images, and gold images by week."""

import pytest

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image, ReleaseImage

from .house import API, Browser, House, error_of, new_key, thing


def restore(browser: Browser, house: House, image_id: int, number: int) -> tuple[int, str]:
    """Restore the numbered revision; return status and state, or the code of the error."""
    path = f"{API}/images/{image_id}/revisions/{house.revisions(image_id)[number].id}/restore"
    shown = browser.get(f"{API}/images/{image_id}/revisions").get_json()
    seen = {"head_id": house.image(image_id).annotation_id, "verdict_id": shown.get("verdict_id")}
    answer = browser.post(path, {"save_key": new_key()} | seen)
    if answer.status_code >= 400:
        return error_of(answer)[:2]
    return answer.status_code, answer.get_json()["state"]


def test_undone_reviews_leave_my_work_and_are_marked_in_history(any_house: House) -> None:
    ann = any_house.ann()
    vandal = any_house.chris()
    images = any_house.add_images(3)
    for _ in images:
        ann.save(ann.take())
    said = [{"key": "a", "verdict": "accept", "comment": "Terrible."}]
    for image_id, verdict in zip(images, ("returned", "fixed", "accept"), strict=True):
        task = vandal.take("check", image_id=image_id)
        assert vandal.review(task, verdict, objects=said).status_code == 201
    assert len(ann.get(f"{API}/me/feedback").get_json()["outcomes"]) == 2
    assert any_house.run("people", "undo", "chris").exit_code == 0
    left = ann.get(f"{API}/me/feedback").get_json()
    assert left == {"outcomes": [], "next": None, "weeks": [], "remarks": [], "returned": 0}
    corrected, drawn = ann.get(f"{API}/images/{images[1]}/revisions").get_json()["revisions"]
    assert [item["set_aside"] for item in (corrected, corrected["corrects"])] == [True, True]
    assert (corrected["beside"], corrected["head"]) == (None, False)
    assert [review["set_aside"] for review in drawn["reviews"]] == [True]
    assert (drawn["set_aside"], drawn["head"]) == (False, True)


def test_restoring_a_released_image_does_not_change_the_release(any_house: House) -> None:
    ann = any_house.ann()
    olga = any_house.olga()
    image_id = any_house.add_image()
    ann.save(ann.take(), [thing()])
    ann.save(ann.take(image_id=image_id), [])
    any_house.release(image_id)
    path = f"{API}/images/{image_id}/revisions"
    assert olga.get(path).get_json()["may_restore"]
    assert not ann.get(path).get_json()["may_restore"]
    assert restore(ann, any_house, image_id, 0) == (409, "lease_lost")
    assert restore(olga, any_house, image_id, 0) == (201, "annotated")
    _, frozen, restored = any_house.revisions(image_id)
    with any_house.party.catalogue.reading() as session:
        assert session.query(ReleaseImage).one().annotation_id == frozen.id
        head = session.get_one(Image, image_id).annotation
        assert head is not None
        assert [item.object_key for item in head.objects] == ["a"]
    assert restored.parent_id == frozen.id


@pytest.mark.parametrize("is_open", [True, False])
def test_a_checker_can_restore_a_released_image_if_allowed(party: Party, is_open: bool) -> None:
    house = House(party, checkers_open_released=is_open)
    ann = house.ann()
    chris = house.chris()
    image_id = house.add_image()
    ann.save(ann.take())
    chris.review(chris.take("check"), "fixed")
    house.release(image_id)
    history = chris.get(f"{API}/images/{image_id}/revisions").get_json()
    assert history["may_restore"] is is_open
    # The correction was the checker's own, so that without the setting it is theirs but not free.
    expected = (201, "annotated") if is_open else (409, "lease_lost")
    assert restore(chris, house, image_id, 0) == expected
    state = ImageState.ANNOTATED if is_open else ImageState.RELEASED
    assert house.state(image_id) is state


def test_my_work_sums_up_the_gold_images_of_each_week(any_house: House) -> None:
    olga = any_house.olga()
    ann = any_house.ann()
    bob = any_house.enter(any_house.add_person("bob"))
    any_house.set_qa(gold_share=0.0, double_share=0.0)
    images = any_house.add_images(3)
    for _ in images:
        ann.save(ann.take(), [thing(), thing("b", box=[250, 20, 400, 200])])
    for image_id in images:
        choice = {"annotation_id": any_house.image(image_id).annotation_id, "is_training": False}
        assert olga.put(f"{API}/gold/{image_id}", choice).status_code == 200
    any_house.set_qa(gold_share=1.0, double_share=0.0)
    any_house.clock.advance(7200)
    for days, drawn in ((0, ["a"]), (0, ["a", "b"]), (7, [])):
        any_house.clock.advance(days * 86_400)
        boxes = {"a": thing()["box"], "b": [250, 20, 400, 200]}
        saved = bob.save(bob.take(), [thing(key, box=boxes[key]) for key in drawn])
        assert saved.status_code == 201
    weeks = bob.get(f"{API}/me/feedback").get_json()["weeks"]
    expected = [("2026-W05", 3, 4), ("2026-W06", 0, 2)]
    assert [(week["week"], week["gold_found"], week["gold_objects"]) for week in weeks] == expected
    assert {week["judged"] for week in weeks} == {0}  # no checker looked at any of it


def test_lookup_by_person_agrees_with_the_counts_of_the_board(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    first, second, third = (any_house.add_image() for _ in range(3))
    for _ in range(3):
        ann.save(ann.take())
    for image_id, verdict in ((first, "accept"), (second, "fixed")):
        assert chris.review(chris.take("check", image_id=image_id), verdict).status_code == 201

    def find(**filters: str) -> list[int]:
        images = olga.get(f"{API}/images", query_string=filters).get_json()["images"]
        return sorted(image["image_id"] for image in images)

    assert find(annotator="ann") == [first, second, third]
    assert (find(annotator="chris"), find(checker="chris")) == ([second], [first, second])
    counts = {person["name"]: person for person in olga.get(f"{API}/board").get_json()["people"]}
    assert (counts["chris"]["images"], counts["chris"]["checked"]) == (1, 2)
    assert any_house.run("people", "undo", "chris").exit_code == 0
    assert (find(annotator="chris"), find(checker="chris")) == ([], [])
    assert find(person="chris") == [first, second]
