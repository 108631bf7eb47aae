"""Gold and training images: choosing, scores and ending them; and which people may begin."""

from catalog.states import FindingVerdict, ImageState, Role
from catalog.tables import Finding

from .house import API, Browser, House, Json, error_of, find_csrf_token, thing
from .test_reviews import send_back_twice

GOLD = f"{API}/gold"


def draw(house: House) -> int:
    """An image that ann finished."""
    ann, task = house.begin()
    assert ann.save(task).status_code == 201
    return int(task["image_id"])


def choose(olga: Browser, image_id: int, *, is_training: bool = False, note: str = "") -> Json:
    seen = {"annotation_id": olga.get(f"{GOLD}/{image_id}").get_json()["annotation_id"]}
    body = seen | {"is_training": is_training, "note": note}
    answer = olga.put(f"{GOLD}/{image_id}", body)
    assert answer.status_code == 200, answer.text
    chosen: Json = answer.get_json()["gold"]
    return chosen


def in_training(house: House, note: str = "") -> tuple[Browser, Browser, int]:
    """The browsers of olga and the new ben, and the one training image that ben must pass."""
    image_id = draw(house)
    olga = house.olga()
    choose(olga, image_id, is_training=True, note=note)
    house.set_qa(training_images=1, double_share=0.0, gold_share=0.0)
    return olga, house.enter(house.add_person("ben")), image_id


def test_gold_images_are_listed_with_peoples_scores(any_house: House) -> None:
    image_id = draw(any_house)
    olga = any_house.olga()
    assert olga.get(f"{GOLD}/{image_id}").get_json()["gold"] is None
    chosen = choose(olga, image_id, note=" the small one ")
    assert (chosen["note"], chosen["is_training"]) == ("the small one", False)
    assert chosen["answers"] == []
    any_house.set_qa(gold_share=1.0, double_share=0.0)
    bob = any_house.enter(any_house.add_person("bob"))
    saved = bob.save(bob.take(), [thing("b"), thing("c", box=[1, 1, 40, 40])])
    assert saved.status_code == 201
    assert "feedback" not in saved.get_json()
    page = olga.get(GOLD).get_json()
    [listed] = page["images"]
    [answer] = listed["answers"]
    assert (answer["person"]["name"], answer["is_passed"]) == ("bob", False)
    assert (answer["matched"], answer["objects"], answer["drawn"]) == (1, 1, 2)
    ids = f"{answer['reference_id']}/compare/{answer['annotation_id']}"
    compared = olga.get(f"{API}/images/{image_id}/revisions/{ids}").get_json()
    assert [change["kind"] for change in compared["changes"]] == ["added", "added", "removed"]
    [record] = page["people"]
    assert (record["images"], record["passed"], record["precision"][0]) == (1, 0, 0.5)
    assert olga.post(f"{GOLD}/{image_id}/end").get_json() == {}
    assert olga.get(GOLD).get_json()["images"] == []
    assert error_of(olga.post(f"{GOLD}/{image_id}/end"))[:2] == (404, "not_found")


def add_finding(house: House, image_id: int, verdict: FindingVerdict | None) -> None:
    """A finding on the image's newest revision."""
    annotation_id = house.image(image_id).annotation_id
    with house.party.catalogue.writing() as session:
        session.add(
            Finding(
                finding_key=f"{image_id:064}",
                check_name="same_class_overlap",
                severity="warning",
                image_id=image_id,
                annotation_id=annotation_id,
                subject_sha256="0" * 64,
                message="Two boxes overlap.",
                found_at=house.clock.at,
                verdict=verdict,
            )
        )


def test_an_organiser_is_warned_of_a_reference_with_open_findings(any_house: House) -> None:
    open_id = any_house.add_image()
    judged_id = any_house.add_image()
    ann = any_house.ann()
    olga = any_house.olga()
    for side in (90, 120):
        drawn = [thing(box=[10, 10, side, side], parts=[])]
        assert ann.save(ann.take(), drawn).status_code == 201
    assert olga.get(f"{GOLD}/{open_id}").get_json()["warnings"] == []
    add_finding(any_house, open_id, None)
    add_finding(any_house, judged_id, FindingVerdict.WRONG)
    warnings = [
        olga.get(f"{GOLD}/{image_id}").get_json()["warnings"] for image_id in (open_id, judged_id)
    ]
    assert warnings == [["Open finding: Two boxes overlap."], []]


def test_an_organiser_is_warned_of_a_reference_in_dispute(house: House) -> None:
    _ann, _chris, image_id = send_back_twice(house)
    [warning] = house.olga().get(f"{GOLD}/{image_id}").get_json()["warnings"]
    assert "disagree about this image" in warning


def test_unfinished_and_taken_down_images_cannot_be_gold(house: House) -> None:
    image_id = house.add_image()
    olga = house.olga()
    body = {"annotation_id": 1, "is_training": False}
    assert error_of(olga.put(f"{GOLD}/{image_id}", body))[:2] == (422, "invalid")
    assert error_of(olga.put(f"{GOLD}/999", body))[:2] == (404, "not_found")
    house.set_state(image_id, ImageState.TAKEN_DOWN)
    assert error_of(olga.put(f"{GOLD}/{image_id}", body))[:2] == (404, "not_found")


def test_only_an_organisers_fix_changes_the_gold_reference(house: House) -> None:
    image_id = draw(house)
    olga = house.olga()
    choose(olga, image_id)
    assert olga.review(olga.take("check", image_id=image_id), "fixed").status_code == 201
    [listed] = olga.get(GOLD).get_json()["images"]
    assert (listed["is_changed"], listed["objects"][0]["box"][0]) == (False, 50)
    other_id = house.add_image()
    bob = house.enter(house.add_person("bob"))
    assert bob.save(bob.take()).status_code == 201
    choose(olga, other_id)
    chris = house.chris()
    assert chris.review(chris.take("check"), "fixed").status_code == 201
    changed = {
        image["image_id"]: image["is_changed"] for image in olga.get(GOLD).get_json()["images"]
    }
    assert changed == {image_id: False, other_id: True}
    assert not choose(olga, other_id)["is_changed"]


def test_signing_in_leads_untrained_annotators_to_training(house: House) -> None:
    in_training(house)
    for role, leads in (
        (Role.ANNOTATOR, "/training"),
        (Role.CHECKER, "/check"),
        (Role.ORGANISER, "/board"),
    ):
        link = house.add_person(f"a {role}", role)
        browser = house.stranger()
        form = {"csrf_token": find_csrf_token(browser.get(f"/enter/{link}").text)}
        assert browser.http.post(f"/enter/{link}", data=form).headers["Location"] == leads


def test_a_trainee_gets_feedback_and_begins_after_passing(house: House) -> None:
    _, ben, image_id = in_training(house, note="Mind the head.")
    new_id = house.add_image()
    task = ben.take()
    assert task["image_id"] == image_id
    done = ben.save(task).get_json()
    assert done["feedback"] == []
    expected = {
        "is_passed": True,
        "note": "Mind the head.",
        "needed": 1,
        "passed": 1,
        "is_done": True,
    }
    assert done["training"] == expected
    assert house.person("ben").trained_at == house.clock.at
    assert ben.take()["image_id"] == new_id


def test_training_feedback_never_reveals_the_reference(house: House) -> None:
    _, ben, image_id = in_training(house)
    done = ben.save(ben.take(), [thing("b", box=[1, 1, 40, 40])])
    assert done.get_json()["feedback"] == [
        "1 object is missing, or the box is too far off.",
        "1 box is around no object that we know of.",
    ]
    reference = "195"  # a corner of ann's box; ben's own has none like it
    everything = [done.text, ben.get(f"{API}/training").text, ben.get(f"{API}/mine").text]
    assert not [text for text in everything if reference in text]
    assert error_of(ben.post(f"{API}/tasks/annotate", {"image_id": image_id}))[0] == 403


def test_an_organiser_can_admit_a_person_who_failed_training(any_house: House) -> None:
    olga, ben, _ = in_training(any_house)
    new_id = any_house.add_image()
    ben.save(ben.take(), [thing("b", box=[1, 1, 40, 40])])
    waiting = ben.post(f"{API}/tasks/annotate").get_json()
    assert (waiting["task"], waiting["reason"]) == (None, "untrained")
    [trainee] = olga.get(GOLD).get_json()["trainees"]
    assert (trainee["person"]["name"], trainee["failed"], trainee["is_stuck"]) == ("ben", 1, True)
    path = f"{API}/people/{trainee['person']['id']}/let-begin"
    assert olga.post(path).get_json()["person"]["name"] == "ben"
    assert olga.get(GOLD).get_json()["trainees"] == []
    assert ben.take()["image_id"] == new_id
    assert error_of(olga.post(f"{API}/people/999/let-begin"))[:2] == (404, "not_found")
