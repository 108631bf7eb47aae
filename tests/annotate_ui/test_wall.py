"""The wall, and the remarks and returns that authors get from it."""

from werkzeug.test import TestResponse

from catalog.states import ImageState, Verdict

from .house import API, Browser, House, error_of, thing

WALL = f"{API}/wall"


def drawn(house: House, ann: Browser) -> int:
    """A finished annotation by ann of a new image."""
    house.add_image()
    return int(ann.save(ann.take()).get_json()["annotation"]["id"])


def send_back(olga: Browser, done: int, comment: str, version: str | None = None) -> TestResponse:
    """Return the revision's image, as the wall shows it now unless a version is given."""
    versions = {
        item["annotation_id"]: item["version"] for item in olga.get(WALL).get_json()["items"]
    }
    body = {"comment": comment, "version": version or versions.get(done, "gone")}
    return olga.post(f"{API}/annotations/{done}/return", body)


def test_the_wall_shows_the_latest_work_first_with_boxes(any_house: House) -> None:
    ann = any_house.ann()
    olga = any_house.olga()
    first = drawn(any_house, ann)
    second = drawn(any_house, ann)
    items = olga.get(WALL).get_json()["items"]
    assert [item["annotation_id"] for item in items] == [second, first]
    assert items[0]["objects"] == [{"key": "a", "class": "person", "box": [48, 240, 195, 371]}]
    assert items[0]["author"]["name"] == "ann"
    assert items[0]["may_return"] is True
    older = olga.get(f"{WALL}?before={second}").get_json()["items"]
    assert [item["annotation_id"] for item in older] == [first]
    assert error_of(olga.get(f"{WALL}?before=x"))[2] == "before"


def test_a_discarded_image_is_on_the_wall_with_its_reason(house: House) -> None:
    house.add_image()
    ann = house.ann()
    ann.save(ann.take(), [], discard_reason="poor_quality")
    [item] = house.olga().get(WALL).get_json()["items"]
    assert item["discarded"] == "poor quality"


def test_a_remark_is_shown_to_the_author_once(any_house: House) -> None:
    ann = any_house.ann()
    olga = any_house.olga()
    done = drawn(any_house, ann)
    path = f"{API}/annotations/{done}/remarks"
    assert olga.post(path, {"text": " Well done. ", "object_key": "a"}).status_code == 201
    [remark] = ann.get(f"{API}/remarks").get_json()["remarks"]
    assert (remark["text"], remark["from"], remark["object_key"]) == ("Well done.", "olga", "a")
    assert olga.get(f"{API}/remarks").get_json()["remarks"] == []
    assert error_of(olga.post(f"{API}/remarks/{remark['id']}/seen"))[0] == 404
    assert ann.post(f"{API}/remarks/{remark['id']}/seen").status_code == 200
    assert ann.get(f"{API}/remarks").get_json()["remarks"] == []
    [item] = olga.get(WALL).get_json()["items"]
    assert item["remarks"] == [{"text": "Well done.", "is_seen": True}]


def test_a_remark_needs_text_and_an_existing_revision_and_object(house: House) -> None:
    ann = house.ann()
    olga = house.olga()
    path = f"{API}/annotations/{drawn(house, ann)}/remarks"
    assert error_of(olga.post(path, {"text": "  "})) == (422, "invalid", "text")
    assert error_of(olga.post(path, {"text": "so", "object_key": "q"}))[2] == "object_key"
    assert error_of(olga.post(f"{API}/annotations/99/remarks", {"text": "so"}))[0] == 404
    assert error_of(ann.post(path, {"text": "so"}))[1] == "forbidden"


def test_work_returned_from_the_wall_has_the_comment_for_its_author(any_house: House) -> None:
    ann = any_house.ann()
    olga = any_house.olga()
    done = drawn(any_house, ann)
    assert send_back(olga, done, "The cat is missing.").get_json() == {"state": "returned"}
    [review] = any_house.reviews()
    assert review.verdict is Verdict.RETURNED
    task = ann.take()
    assert task["review"]["comment"] == "The cat is missing."
    assert error_of(send_back(olga, done, "Again."))[:2] == (409, "stale")


def test_checked_work_can_be_returned_but_not_work_in_progress(house: House) -> None:
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    done = drawn(house, ann)
    task = chris.take("check")
    assert error_of(send_back(olga, done, "Look again."))[:2] == (409, "stale")
    chris.review(task)
    assert send_back(olga, done, "Look again.").status_code == 200
    assert house.state(task["image_id"]) is ImageState.RETURNED


def test_own_work_cannot_be_returned_nor_any_without_a_comment(house: House) -> None:
    olga = house.olga()
    done = drawn(house, olga)
    assert error_of(send_back(olga, done, "Hm."))[1] == "forbidden"
    assert error_of(send_back(olga, done, " "))[2] == "comment"
    assert house.leases() == []
    [image] = {item["image_id"] for item in olga.get(WALL).get_json()["items"]}
    assert house.state(image) is ImageState.ANNOTATED


def test_a_revision_with_a_newer_one_cannot_be_returned(house: House) -> None:
    ann = house.ann()
    olga = house.olga()
    done = drawn(house, ann)
    [item] = olga.get(WALL).get_json()["items"]
    ann.save(ann.take(image_id=item["image_id"]), [thing(box=[1, 1, 90, 90])])
    answer = send_back(olga, done, "Hm.", item["version"])
    assert error_of(answer)[:2] == (409, "stale")
    assert error_of(send_back(olga, done, "Hm."))[:2] == (409, "stale")


def test_work_that_was_checked_since_the_wall_showed_it_is_not_returned(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    done = drawn(any_house, ann)
    [item] = olga.get(WALL).get_json()["items"]
    chris.review(chris.take("check"))
    answer = send_back(olga, done, "Hm.", item["version"])
    assert (error_of(answer)[:2], answer.get_json()["head"]) == (
        (409, "stale"),
        {"state": "checked"},
    )
    assert any_house.state(item["image_id"]) is ImageState.CHECKED
