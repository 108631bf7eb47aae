"""Pages at work when their party was restored: nothing is overwritten or refused for ever."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from werkzeug.test import TestResponse

from catalog.party import Party, open_party
from catalog.states import ImageState, Role
from operate.backup import restore_backup, write_backup
from operate.rows import LEAST_SKIPPED
from tests.annotate_ui.house import API, Browser, House, Json, error_of, new_key, revision, thing
from tests.work.segment.conftest import SegmentHouse, segments

B = thing("b", box=[1, 1, 40, 40])
C = thing("c", box=[60, 60, 90, 90])


@pytest.fixture
def party_house(party: Party) -> House:
    return House(party)


@contextmanager
def restored(house: House, file: Path, folder: Path, kind: type[House] = House) -> Iterator[House]:
    """The party that comes back of the backup, served at the same address."""
    restore_backup(file, folder)
    with open_party(folder) as party:
        again = kind(party)
        again.clock.at = house.clock.at
        again.numbers = house.numbers
        yield again


def back_up(house: House, folder: Path) -> Path:
    write_backup(house.party, folder / "party.tar", lambda _count: None)
    return folder / "party.tar"


def test_new_rows_have_numbers_that_no_row_had_after_the_backup(
    party_house: House, tmp_path: Path
) -> None:
    house = party_house
    ann, task = house.begin()
    first = ann.save(task, finish=False).get_json()["annotation"]
    file = back_up(house, tmp_path)
    lost = ann.save(task | {"annotation": first}, [thing(), B], finish=False).get_json()
    numbers = []
    for name in ("again", "once more"):
        with restored(house, file, tmp_path / name) as again:
            page = again.window_of(ann)
            saved = page.save(page.take(), [thing(), C], finish=False).get_json()["annotation"]
            numbers.append(saved["id"])
            assert again.add_image() > LEAST_SKIPPED
    assert all(number > lost["annotation"]["id"] + LEAST_SKIPPED for number in numbers)
    assert numbers[0] != numbers[1], "two restores of one backup give out the same numbers"


def test_a_page_at_work_does_not_overwrite_another_devices_box(
    party_house: House, tmp_path: Path
) -> None:
    house = party_house
    ann, task = house.begin()
    first = ann.save(task, finish=False).get_json()["annotation"]
    file = back_up(house, tmp_path)
    image_id = task["image_id"]
    shown = ann.save(task | {"annotation": first}, [thing(), B], finish=False).get_json()
    with restored(house, file, tmp_path / "again") as again:
        page = again.window_of(ann)
        device = again.window_of(ann)
        other = device.save(device.take(), [thing(), C], finish=False).get_json()["annotation"]
        body = revision(shown["annotation"]["id"], [thing(), B])
        for _ in range(2):
            answer = page.post(f"{API}/images/{image_id}/revisions", body)
            assert error_of(answer) == (409, "stale", None)
            assert answer.get_json()["head"] == other
        assert again.image(image_id).annotation_id == other["id"]
        settled = page.save(task | {"annotation": other}, [thing(), B, C])
        assert settled.status_code == 201
        assert again.state(image_id) is ImageState.ANNOTATED


@pytest.mark.parametrize("kept", [0, 1])
def test_a_page_of_a_setting_does_not_overwrite_what_was_set_after_the_restore(
    party_house: House, tmp_path: Path, kept: int
) -> None:
    house = party_house
    olga = house.olga()

    def put(browser: Browser, markdown: str, base: int) -> TestResponse:
        return browser.put(f"{API}/guidelines", {"base": base, "markdown": markdown})

    for base in range(kept):
        put(olga, "kept", base)
    file = back_up(house, tmp_path)
    shown = put(olga, "lost", kept).get_json()["number"]  # a page stays open on it
    with restored(house, file, tmp_path / "again") as again:
        page = again.window_of(olga)
        other = again.window_of(olga)
        number = put(other, "newer", kept).get_json()["number"]
        stale = put(page, "on the lost one", shown)
        assert error_of(stale) == (409, "stale", None)
        assert stale.get_json()["head"]["markdown"] == "newer"
        assert put(other, "newest", number).get_json()["number"] == number + 1


def test_work_on_an_image_that_was_given_out_after_the_backup_is_taken(
    party_house: House, tmp_path: Path
) -> None:
    house = party_house
    ids = house.add_images(2)
    ann = house.ann()
    bob = house.enter(house.add_person("bob"))
    file = back_up(house, tmp_path)
    task = ann.take()
    other_task = bob.take()
    draft = ann.save(task, finish=False).get_json()["annotation"]
    with restored(house, file, tmp_path / "again") as again:
        page = again.window_of(ann)
        saved = page.save(task | {"annotation": draft}, [thing(), B], finish=False)
        assert saved.status_code == 201, saved.text
        assert again.state(task["image_id"]) is ImageState.ANNOTATING
        next_draft = saved.get_json()["annotation"]
        assert page.save(task | {"annotation": next_draft}).status_code == 201
        again.clock.advance(1)
        cid = again.enter(again.add_person("cid"))
        held = cid.take()
        assert held["image_id"] == other_task["image_id"]
        cid.save(held, [thing(), C])
        kept = again.window_of(bob).save(other_task, [thing(), B])
        assert error_of(kept)[:2] == (409, "lease_lost")
        assert kept.get_json()["kept_as"] == again.revisions(held["image_id"])[-1].id
        assert again.state(held["image_id"]) is ImageState.ANNOTATED
    assert ids


def test_only_lately_restored_parties_take_work_on_images_never_held(
    party_house: House, tmp_path: Path
) -> None:
    house = party_house
    image_id = house.add_image()
    ann = house.ann()
    path = f"{API}/images/{image_id}/revisions"
    body = revision(None)
    assert error_of(ann.post(path, body))[:2] == (403, "forbidden")
    with restored(house, back_up(house, tmp_path), tmp_path / "again") as again:
        again.clock.at = again.clock.at.replace(year=2099)
        page = again.enter(again.add_person("bob"))
        assert error_of(page.post(path, body))[:2] == (403, "forbidden")


def test_a_verdict_on_a_revision_that_was_lost_gets_both_versions(
    party_house: House, tmp_path: Path
) -> None:
    house = party_house
    image_id, ann, chris = house.draw_one()
    file = back_up(house, tmp_path)
    ann.save(ann.take(image_id=image_id), [thing(), B])
    task = chris.take("check")
    with restored(house, file, tmp_path / "again") as again:
        page = again.window_of(chris)
        now = page.take("check")["annotation"]
        answer = page.review(task, "fixed")
        assert error_of(answer) == (409, "stale", None)
        assert answer.get_json()["head"] == now
        assert again.revisions(image_id)[-1].id == answer.get_json()["kept_as"]
        assert again.reviews() == []
        assert page.review(task | {"annotation": now}).status_code == 201


def test_a_drawing_of_pixels_that_started_from_a_lost_one_gets_both(
    party_house: House, tmp_path: Path
) -> None:
    house = SegmentHouse(party_house.party)
    image_id = house.add_chosen()
    ann = house.ann()
    task = ann.take("segment")
    save = save_drawing(ann, task, None, finish=False)
    first = save.get_json()["segmentation"]
    file = back_up(house, tmp_path)
    shown = save_drawing(ann, task, first["id"], finish=False).get_json()["segmentation"]
    with restored(house, file, tmp_path / "again", SegmentHouse) as again:
        page = again.window_of(ann)
        device = again.window_of(ann)
        other = save_drawing(device, task, first["id"], finish=False).get_json()["segmentation"]
        answer = save_drawing(page, task, shown["id"])
        assert error_of(answer)[:2] == (409, "stale")
        assert answer.get_json()["head"]["id"] == other["id"]
        assert save_drawing(page, task, other["id"]).status_code == 201
        assert isinstance(again, SegmentHouse)
        chris = again.enter(again.add_person("chris", Role.CHECKER))
        lost = chris.post(
            f"{API}/segmentations/{shown['id']}/reviews",
            {"save_key": "some-key-1", "verdict": "accept", "missing": False},
        )
        assert error_of(lost)[:2] == (404, "not_found")  # the page then opens the image anew
    assert image_id


def save_drawing(
    browser: Browser, task: Json, parent_id: int | None, *, finish: bool = True
) -> TestResponse:
    body = {
        "save_key": new_key(),
        "parent_id": parent_id,
        "annotation_id": task["annotation"]["id"],
        "finish": finish,
        "segments": segments(),
    }
    return browser.post(f"{API}/images/{task['image_id']}/segmentations", body)
