"""Campaigns: images are annotated and checked again, and return when a campaign ends."""

from concurrent.futures import ThreadPoolExecutor, wait
from functools import partial

import pytest

from catalog.states import ImageState, Role
from catalog.tables import Image, Review
from tests.rows import at_once
from work.campaigns import settle_campaigns
from work.lease_endings import sweep_leases

from .house import API, Browser, House, Json, error_of, thing


def make(browser: Browser, name: str = "views", **more: object) -> Json:
    wish: Json = {"fields": ["view", "class"], "comment": "Mind the tail."} | more
    answer = browser.campaign(name, **wish)
    assert answer.status_code in (200, 409, 422), answer.text
    document: Json = answer.get_json()
    return document


def draw_and_check(house: House, ann: Browser, chris: Browser, images: int) -> list[int]:
    ids = [house.add_image() for _ in range(images)]
    for _ in ids:
        ann.save(ann.take())
        chris.review(chris.take("check"))
    return ids


def stages(olga: Browser, name: str = "views") -> dict[str, int]:
    """The numbers on the board; each link finds as many images."""
    (campaign,) = [
        item for item in olga.get(f"{API}/board").get_json()["campaigns"] if item["name"] == name
    ]
    links = {"": campaign["images"]} | {
        f"/{stage}": count for stage, count in campaign["stages"].items()
    }
    for link, count in links.items():
        answer = olga.get(f"{API}/images", query_string={"campaign": f"{name}{link}"})
        assert answer.get_json()["total"] == count, link
    return {stage: count for stage, count in campaign["stages"].items() if count}


def test_a_campaign_has_images_annotated_again_and_checked(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    first, second, released = draw_and_check(any_house, ann, chris, 3)
    any_house.release(released)
    said = make(olga, filters={"class": "person"})["message"]
    assert said == "3 of 3 images will be annotated again in the campaign views."
    assert {any_house.state(image_id) for image_id in (first, second, released)} == {
        ImageState.POOL
    }
    assert stages(olga) == {"annotate": 3}
    task = ann.take()
    assert task["annotation"]["objects"][0]["box"] == [48, 240, 195, 371]
    text = "Check view and class again. Mind the tail."
    assert task["campaigns"] == [{"name": "views", "made_by": "olga", "text": text}]
    ann.save(task, [thing(view="Right")])
    assert stages(olga) == {"annotate": 2, "check": 1}
    chris.review(chris.take("check"))
    assert stages(olga) == {"annotate": 2, "done": 1}
    for _ in range(2):
        ann.save(ann.take())
        chris.review(chris.take("check"))
    assert stages(olga) == {"done": 3}
    assert any_house.state(released) is ImageState.CHECKED  # for the next edition
    assert len(any_house.revisions(released)) == 2


def test_ending_a_campaign_returns_unannotated_images_to_their_state(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    ids = draw_and_check(any_house, ann, chris, 4)
    any_house.release(ids[3])
    states = {image_id: any_house.state(image_id) for image_id in ids}
    make(olga, ids=ids)
    done = ann.take(ahead=2)
    ann.save(done)
    held = ann.take(ahead=2)
    said = olga.post(f"{API}/images/campaigns/1/end").get_json()["message"]
    assert said.startswith("Campaign views has ended: 0 of 4 images are done, ")
    assert said.endswith(" done, the others return to their earlier state.")
    assert any_house.state(done["image_id"]) is ImageState.ANNOTATED
    assert any_house.state(held["image_id"]) is ImageState.ANNOTATING
    others = [image_id for image_id in ids if image_id not in (done["image_id"], held["image_id"])]
    assert {image_id: any_house.state(image_id) for image_id in others} == {
        image_id: states[image_id] for image_id in others
    }
    ann.post(f"{API}/leases/{held['lease']['id']}/give-back")
    assert ann.take() is None
    assert any_house.state(held["image_id"]) is states[held["image_id"]]
    again = olga.post(f"{API}/images/campaigns/1/end")
    assert error_of(again) == (422, "invalid", None)
    assert olga.post(f"{API}/images/campaigns/99/end").status_code == 404
    assert olga.get(f"{API}/board").get_json()["campaigns"] == []


def test_an_image_on_lease_joins_the_campaign_when_it_is_free(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    (image_id,) = draw_and_check(any_house, ann, chris, 1)
    olga.post(f"{API}/tasks/check", {"image_id": image_id})
    assert any_house.state(image_id) is ImageState.CHECKING
    make(olga, ids=[image_id])
    assert stages(olga) == {"annotate": 1}
    assert ann.take() is None
    any_house.clock.advance(any_house.party.settings.annotate.lease_secs + 1)
    assert ann.take()["image_id"] == image_id


def test_an_image_of_two_campaigns_returns_when_the_last_ends(house: House) -> None:
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    (image_id,) = draw_and_check(house, ann, chris, 1)
    make(olga, ids=[image_id])
    make(olga, "flags", fields=["truncated"], ids=[image_id])
    olga.post(f"{API}/images/campaigns/1/end")
    assert house.state(image_id) is ImageState.POOL
    task = ann.take()
    assert [campaign["name"] for campaign in task["campaigns"]] == ["flags"]
    ann.post(f"{API}/leases/{task['lease']['id']}/give-back")
    olga.post(f"{API}/images/campaigns/2/end")
    assert house.state(image_id) is ImageState.CHECKED


def test_work_of_an_undone_person_in_a_campaign_is_requested_again(house: House) -> None:
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    (image_id,) = draw_and_check(house, ann, chris, 1)
    make(olga, ids=[image_id])
    house.clock.advance(60)
    vandal = house.enter(house.add_person("vandal"))
    vandal.save(vandal.take(), [])
    assert house.run("people", "undo", "vandal").exit_code == 0
    assert ann.take()["image_id"] == image_id
    assert stages(olga) == {"annotate": 1}


def test_an_impossible_campaign_is_refused_with_one_sentence(house: House) -> None:
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    drawn, gone = draw_and_check(house, ann, chris, 2)
    new = house.add_image()
    house.set_state(gone, ImageState.TAKEN_DOWN)
    said = make(olga, ids=[drawn, gone, new])["message"]
    assert said == (
        "1 of 3 images will be annotated again in the campaign views. "
        f"Image {gone} is unchanged: it is taken down."
    )
    for wrong, field, sentence in (
        ({"ids": [drawn]}, "name", "olga already started a campaign views"),
        ({"name": "a b", "ids": [drawn]}, "name", "name is wrong: expected one word"),
        ({"name": "b", "ids": [drawn], "fields": ["tail"]}, "fields", "got 'tail'"),
        ({"name": "b", "ids": [drawn], "guidelines": 7}, "guidelines", "there is no version 7"),
        ({"name": "b", "ids": [gone]}, "filters", f"Image {gone} is unchanged: it is taken down."),
        ({"name": "b", "ids": [new]}, "filters", "it has no annotation yet"),
        ({"name": "b", "filters": {"class": "cow"}}, "filters", "No image matches."),
        ({"name": "b"}, "filters", "This would change every image of the party"),
        ({"name": "b", "filters": {"campaign": "x/y"}}, "campaign", "expected NAME, or NAME/"),
    ):
        error = make(olga, **wrong)["error"]
        assert (error["field"], sentence in error["message"]) == (field, True), error
    for fields in ([], ["class"] * 30):
        assert make(olga, fields=fields, ids=[1])["error"]["field"].startswith("fields")


def test_two_concurrent_campaigns_of_one_name_become_one(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    ids = draw_and_check(any_house, ann, chris, 2)
    window = any_house.window_of(olga)
    answers = at_once(lambda: make(olga, ids=ids), lambda: make(window, ids=ids))
    assert sorted("error" in answer for answer in answers) == [False, True], answers
    assert stages(olga) == {"annotate": 2}


def test_concurrent_campaigns_and_ends_restore_all_states(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    ids = draw_and_check(any_house, ann, chris, 3)
    window = any_house.window_of(olga)
    at_once(lambda: make(olga, ids=ids), lambda: make(window, "flags", ids=ids))
    ends = [(olga, 1), (window, 2)]
    at_once(
        *(partial(browser.post, f"{API}/images/campaigns/{number}/end") for browser, number in ends)
    )
    ann.take()
    assert [any_house.state(image_id) for image_id in ids] == [ImageState.CHECKED] * 3
    with any_house.party.catalogue.reading() as session:
        assert session.query(Review).count() == 3
        assert session.query(Image).filter(Image.reason.is_not(None)).count() == 0


def test_the_command_makes_and_ends_a_campaign(house: House) -> None:
    draw_and_check(house, house.ann(), house.chris(), 2)

    again = ("images", "--annotate-again", "--fields", "view", "--name", "views")
    assert house.run(*again).exit_code == 2
    done = house.run(*again, "--class", "person")
    said = "2 of 2 images will be annotated again in the campaign views.\n"
    assert (done.exit_code, done.output) == (0, said)
    assert house.run("images", "--campaign", "views/annotate").output.count(" by ann") == 2
    assert house.run("images", "--end-campaign", "views").exit_code == 0
    done = house.run("images", "--end-campaign", "views")
    assert (done.exit_code, "already ended" in done.output) == (2, True)
    assert house.run("images", "--name", "views").exit_code == 2


def test_a_large_campaign_starts_in_batches(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("work.campaigns.MOST_AT_ONCE", 1)
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    ids = draw_and_check(house, ann, chris, 3)
    make(olga, ids=ids)
    assert [house.state(image_id) for image_id in ids].count(ImageState.POOL) == 1
    for _ in ids:
        ann.save(ann.take())
    assert stages(olga) == {"check": 3}


def test_an_undo_after_a_campaign_keeps_images_checked_since(house: House) -> None:
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    image_id = house.add_image()
    ann.save(ann.take())
    make(olga, ids=[image_id])
    olga.post(f"{API}/images/campaigns/1/end")
    assert house.state(image_id) is ImageState.ANNOTATED
    chris.review(chris.take("check"))
    done = olga.act("discard", "poor_quality", ids=[image_id])
    assert done.get_json()["changed"] == [image_id]
    otto = house.enter(house.add_person("otto", Role.ORGANISER))
    assert otto.undo(house.person("olga").id).status_code == 200
    assert house.state(image_id) is ImageState.CHECKED
    ann.take()
    assert house.state(image_id) is ImageState.CHECKED


def test_a_campaign_ended_while_images_join_it_returns_them(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    (image_id,) = draw_and_check(any_house, ann, chris, 1)
    olga.post(f"{API}/tasks/check", {"image_id": image_id})
    make(olga, ids=[image_id])
    any_house.clock.advance(any_house.party.settings.annotate.lease_secs + 1)
    with any_house.party.catalogue.writing() as session:
        sweep_leases(session, at=any_house.clock.at)
    with ThreadPoolExecutor(1) as pool:
        with any_house.party.catalogue.writing() as session:
            settle_campaigns(session, at=any_house.clock.at)  # as a request for a task does
            ending = pool.submit(olga.post, f"{API}/images/campaigns/1/end")
            wait([ending], timeout=0.3)
        assert ending.result().status_code == 200
    assert any_house.state(image_id) is ImageState.CHECKED
