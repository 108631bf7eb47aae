"""Tasks: which person gets which image next."""

import pytest

from catalog.states import ImageState, Role
from tests.rows import at_once
from work.people import end_link

from .house import API, Browser, House, Json, error_of, thing


def ask(browser: Browser, kind: str = "annotate") -> dict[str, object]:
    """The answer, without what may have changed since the page was opened."""
    answer: dict[str, object] = browser.post(f"{API}/tasks/{kind}").get_json()
    assert answer.pop("live") == {"wanted_classes": [], "guidelines_number": 0, "classes_number": 0}
    return answer


def test_a_task_has_everything_that_the_page_shows(house: House) -> None:
    image_id = house.add_image(title="Cats", owner_name="o", page_url="https://example.org/1")
    house.add_image()
    sha256 = house.image(image_id).sha256
    house.set_state(image_id + 1, ImageState.DUPLICATE)
    house.add_image(ImageState.POOL)
    ann = house.ann()
    while (task := ann.take())["image_id"] != image_id:
        ann.save(task)
    assert task == {
        "image_id": image_id,
        "kind": "annotate",
        "image_url": f"/images/{sha256}.jpg",
        "width": 500,
        "height": 375,
        "photo": {"title": "Cats", "owner_name": "o", "page_url": "https://example.org/1"},
        "lease": {"id": task["lease"]["id"], "expires_at": "2026-01-31T12:10:00Z"},
        "annotation": None,
        "review": None,
    }
    assert house.state(image_id) is ImageState.ANNOTATING


def test_asking_again_returns_the_held_image_with_a_longer_lease(house: House) -> None:
    house.add_images(4)
    ann, task = house.begin()
    house.clock.advance(300)
    again = ann.take()
    assert again["image_id"] == task["image_id"]
    assert again["lease"] == {"id": task["lease"]["id"], "expires_at": "2026-01-31T12:15:00Z"}
    assert len(house.leases()) == 1


def test_an_empty_pool_gives_no_task_and_says_so(house: House) -> None:
    house.add_image(ImageState.CHECKED)
    empty = {"task": None, "reason": "empty", "left": 0}
    ann = house.ann()
    chris = house.chris()
    assert [ask(ann), ask(chris, "check")] == [empty, empty]
    house.add_image()
    ann.save(ann.take(), [], discard_reason="collage")
    assert ask(chris, "check") == empty


def test_the_whole_pool_is_drawn_once_in_a_random_order(house: House) -> None:
    added = house.add_images(8)
    ann = house.ann()
    drawn = []
    while (task := ann.take()) is not None:
        drawn.append(task["image_id"])
        ann.save(task)
    assert sorted(drawn) == added
    assert drawn != added
    by_digest = sorted(added, key=lambda image_id: house.image(image_id).sha256)
    assert drawn != by_digest


def test_an_expired_lease_goes_to_exactly_one_of_many_people(any_house: House) -> None:
    image_id = any_house.add_image()
    any_house.ann().take()
    any_house.clock.advance(600)
    people = [any_house.enter(any_house.add_person(f"sam-{number}")) for number in range(5)]
    (task,) = [task for task in at_once(*(browser.take for browser in people)) if task]
    assert task["image_id"] == image_id
    assert len(any_house.leases()) == 1


def test_a_checker_gets_other_peoples_work_with_its_author(house: House) -> None:
    house.add_image()
    ann = house.ann()
    chris = house.chris()
    saved = ann.save(ann.take()).get_json()["annotation"]
    task = chris.take("check")
    assert (task["kind"], task["annotation"]) == ("check", saved)
    assert task["author"] == {"id": house.person("ann").id, "name": "ann"}
    assert house.state(task["image_id"]) is ImageState.CHECKING
    assert chris.take("check")["lease"]["id"] == task["lease"]["id"]


def test_a_checker_never_gets_their_own_work(any_house: House) -> None:
    any_house.add_image()
    chris = any_house.chris()
    chris.save(chris.take())
    assert ask(chris, "check") == {"task": None, "reason": "nothing_of_others", "left": 0}
    other = any_house.enter(any_house.add_person("cleo", Role.CHECKER))
    assert other.take("check") is not None


def test_a_checker_never_gets_work_they_contributed_to(house: House) -> None:
    image_id = house.add_image()
    chris = house.chris()
    ann = house.ann()
    task = chris.take()
    chris.save(task, finish=False)
    chris.post(f"{API}/leases/{task['lease']['id']}/give-back")
    ann.save(ann.take())
    assert house.state(image_id) is ImageState.ANNOTATED
    assert ask(chris, "check")["reason"] == "nothing_of_others"


def test_returned_work_comes_first_with_the_checkers_comments(house: House) -> None:
    image_id, ann, chris = house.draw_one()
    objects = [{"key": "a", "verdict": "reject", "comment": "Too loose."}]
    chris.review(chris.take("check"), "returned", objects=objects)
    house.add_images(5)
    assert ask(house.enter(house.add_person("sam")))["left"] == 4
    task = ann.take()
    assert task["image_id"] == image_id
    expected = {"comment": "The cat is missing.", "checker": "chris", "objects": objects}
    assert task["review"] == expected
    assert task["annotation"]["objects"][0]["key"] == "a"


def test_returned_work_of_a_person_who_left_goes_to_others(house: House) -> None:
    image_id, _, chris = house.draw_one()
    chris.review(chris.take("check"), "returned")
    sam = house.enter(house.add_person("sam"))
    assert sam.take() is None
    with house.party.catalogue.writing() as session:
        end_link(session, "ann", at=house.clock.at)
    assert sam.take()["image_id"] == image_id


def test_a_person_can_reopen_their_own_image(house: House) -> None:
    first = house.add_image()
    second = house.add_image()
    ann = house.ann()
    saved = {task["image_id"]: ann.save(task) for task in (ann.take(),)}
    (image_id,) = saved
    other = ann.take()
    assert {image_id, other["image_id"]} == {first, second}
    task = ann.take(image_id=image_id)
    assert task["annotation"] == saved[image_id].get_json()["annotation"]
    assert ann.take()["image_id"] == image_id  # the one that was asked for last
    ann.save(task, [thing(box=[1, 1, 20, 20])])
    assert ann.take()["image_id"] == other["image_id"]


def test_reopening_a_discarded_image_without_a_save_changes_nothing(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    ann.save(ann.take(), [], discard_reason="collage")
    task = ann.take(image_id=image_id)
    assert house.state(image_id) is ImageState.ANNOTATING
    ann.post(f"{API}/leases/{task['lease']['id']}/give-back")
    image = house.image(image_id)
    assert (image.state, image.reason) == (ImageState.DISCARDED, "collage")


def test_a_person_can_continue_their_own_older_draft_of_a_free_image(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    sam = house.enter(house.add_person("sam"))
    for browser in (ann, sam):
        task = browser.take()
        assert browser.save(task, finish=False).status_code == 201
        browser.post(f"{API}/leases/{task['lease']['id']}/give-back")
    assert house.state(image_id) is ImageState.POOL
    assert ann.save(ann.take(image_id=image_id)).status_code == 201


def test_a_person_cannot_reopen_a_late_save_after_others_drew(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    sam = house.enter(house.add_person("sam"))
    task = ann.take()
    house.clock.advance(601)
    other = sam.take()
    kept_as = ann.save(task).get_json()["kept_as"]
    draft = sam.save(other, finish=False).get_json()["annotation"]["id"]
    sam.post(f"{API}/leases/{other['lease']['id']}/give-back")
    answer = ann.post(f"{API}/tasks/annotate", {"image_id": image_id})
    assert error_of(answer) == (403, "forbidden", None)
    assert [row.id for row in house.revisions(image_id)] == [kept_as, draft]
    assert ann.take()["image_id"] == image_id  # from the pool, by chance, as for everybody


def test_no_person_can_reopen_an_image_of_others(house: House) -> None:
    image_id = house.add_image()
    free = house.add_image()
    ann = house.ann()
    sam = house.enter(house.add_person("sam"))
    task = ann.take()
    ann.save(task)
    free = ({image_id, free} - {task["image_id"]}).pop()
    for number in (task["image_id"], free):
        answer = sam.post(f"{API}/tasks/annotate", {"image_id": number})
        assert error_of(answer) == (403, "forbidden", None)
    answer = sam.post(f"{API}/tasks/annotate", {"image_id": 999})
    assert error_of(answer) == (404, "not_found", None)
    assert house.leases() == []


def test_no_person_can_reopen_an_image_being_checked(house: House) -> None:
    image_id, ann, chris = house.draw_one()
    task = chris.take("check")
    answer = ann.post(f"{API}/tasks/annotate", {"image_id": image_id})
    assert error_of(answer) == (409, "lease_lost", None)
    chris.review(task)
    answer = ann.post(f"{API}/tasks/annotate", {"image_id": image_id})
    assert error_of(answer) == (409, "lease_lost", None)


def test_an_invalid_task_request_is_refused(house: House) -> None:
    chris = house.chris()
    for body in ({"image_id": "7"}, {"image_id": 0}, {"image_id": 2**31}, {"image_id": True}):
        answer = chris.post(f"{API}/tasks/annotate", body)
        assert error_of(answer) == (422, "invalid", "image_id")
    answer = chris.post(f"{API}/tasks/check", {"image_id": "1"})
    assert error_of(answer) == (422, "invalid", "image_id")
    answer = chris.post(f"{API}/tasks/check", {"image_id": 1})
    assert error_of(answer) == (404, "not_found", None)
    assert error_of(chris.post(f"{API}/tasks/check", [])) == (422, "invalid", None)


def test_returned_work_comes_before_images_its_author_reserved(any_house: House) -> None:
    returned_id = any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    ann.save(ann.take())
    others = any_house.add_images(3)
    held = chris.take("check")
    queue = ann.post(f"{API}/tasks/annotate", {"ahead": 2}).get_json()
    assert returned_id not in [queue["task"]["image_id"], *map(id_of, queue["ahead"])]
    chris.review(held, "returned")
    for _ in range(2):  # the second time it is among those that are held
        body = {"ahead": 2, "image_id": queue["task"]["image_id"]}
        again = ann.post(f"{API}/tasks/annotate", body).get_json()
        expected = [returned_id, *(id_of(task) for task in queue["ahead"])]
        assert [id_of(task) for task in again["ahead"]] == expected
        assert again["ahead"][0]["review"]["comment"] == "The cat is missing."
    assert queue["task"]["image_id"] in others


@pytest.mark.parametrize("kind", ["annotate", "check"])
def test_an_image_whose_end_is_on_its_way_is_not_the_next_one(any_house: House, kind: str) -> None:
    ann = any_house.ann()
    for _ in any_house.add_images(2) if kind == "check" else ():
        ann.save(ann.take())
    any_house.add_images(2)
    person = any_house.chris()
    first = person.take(kind)
    assert id_of(person.take(kind)) == id_of(first)
    second = person.take(kind, leaving=[id_of(first)])
    assert id_of(second) != id_of(first)
    assert person.take(kind, leaving=[id_of(first), id_of(second)]) is None
    assert person.post(f"{API}/tasks/{kind}", {"leaving": [0]}).status_code == 422


def test_an_image_that_a_checker_does_not_see_yet_is_only_reserved(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    for _ in any_house.add_images(2):
        ann.save(ann.take())
    first = chris.take("check")
    second = chris.take("check", leaving=[id_of(first)], is_opened=False)
    assert second["lease"]["id"] != first["lease"]["id"]
    assert id_of(chris.take("check")) == id_of(first), "its verdict never came"
    assert f"Image {id_of(first)} is open." in chris.get("/").text
    assert chris.review(first).status_code == 201
    assert "is open." not in chris.get("/").text
    assert id_of(chris.take("check")) == id_of(second)
    assert f"Image {id_of(second)} is open." in chris.get("/").text


def test_an_image_that_is_opened_has_none_behind_it_that_is_being_left(any_house: House) -> None:
    any_house.add_images(3)
    ann = any_house.ann()
    first = ann.take()
    second = ann.take(ahead=1)
    assert id_of(second) == id_of(first)
    third = ann.take(leaving=[id_of(first)])
    body = {"image_id": id_of(third), "ahead": 2, "leaving": [id_of(first)]}
    behind = ann.post(f"{API}/tasks/annotate", body).get_json()["ahead"]
    assert id_of(first) not in map(id_of, behind)
    assert len(behind) == 1


def test_a_page_on_a_slow_line_reserves_four_times_as_many(any_house: House) -> None:
    any_house.add_images(12)
    queue = any_house.ann().post(f"{API}/tasks/annotate", {"ahead": 50}).get_json()
    assert len(queue["ahead"]) == 4 * any_house.party.settings.annotate.images_ahead == 8


def id_of(task: Json) -> int:
    return int(task["image_id"])
