"""Leases: extending, giving back and losing them."""

from datetime import timedelta

from catalog.locks import lock_image
from catalog.states import ImageState
from catalog.tables import Lease
from work.lease_endings import release_free

from .house import API, House, error_of


def test_a_heartbeat_extends_the_lease(any_house: House) -> None:
    ann, task = any_house.begin()
    lease_id = task["lease"]["id"]
    any_house.clock.advance(500)
    answer = ann.post(f"{API}/leases/{lease_id}/heartbeat")
    live = {"wanted_classes": [], "guidelines_number": 0, "classes_number": 0}
    held = {"id": lease_id, "expires_at": "2026-01-31T12:18:20Z"}
    assert answer.get_json() == {"lease": held, "live": live}
    (lease,) = any_house.leases()
    assert (lease.heartbeat_at, lease.acquired_at) == (any_house.clock.at, lease.acquired_at)


def test_an_expired_lease_is_lost_only_when_another_person_asks(any_house: House) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    sam = any_house.enter(any_house.add_person("sam"))
    lease_id = ann.take()["lease"]["id"]
    any_house.clock.advance(3600)
    assert ann.post(f"{API}/leases/{lease_id}/heartbeat").status_code == 200
    any_house.clock.advance(3600)
    assert sam.take()["image_id"] == image_id
    lost = (409, "lease_lost", None)
    assert error_of(ann.post(f"{API}/leases/{lease_id}/heartbeat")) == lost
    assert error_of(ann.post(f"{API}/leases/{lease_id}/give-back")) == lost


def test_a_lease_of_a_clock_that_was_ahead_ends_like_any_other(any_house: House) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    sam = any_house.enter(any_house.add_person("sam"))
    now = any_house.clock.at
    any_house.clock.at = now + timedelta(days=365)
    ann.take()
    any_house.clock.at = now
    assert sam.take() is None
    (lease,) = any_house.leases()
    assert lease.heartbeat_at == now
    any_house.clock.at = lease.expires_at - timedelta(seconds=1)
    assert sam.take() is None
    any_house.clock.advance(1)
    assert any_house.clock.at - now < timedelta(hours=1)
    assert sam.take()["image_id"] == image_id


def test_giving_an_image_back_restores_its_state(house: House) -> None:
    ann, task = house.begin()
    image_id = task["image_id"]
    lease_id = task["lease"]["id"]
    answer = ann.post(f"{API}/leases/{lease_id}/give-back")
    assert (answer.status_code, answer.get_json()) == (200, {})
    assert house.state(image_id) is ImageState.POOL
    assert house.leases() == []
    again = ann.post(f"{API}/leases/{lease_id}/give-back")
    assert error_of(again) == (409, "lease_lost", None)


def test_saved_drafts_stay_when_the_image_is_given_back(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    sam = house.enter(house.add_person("sam"))
    task = ann.take()
    draft = ann.save(task, finish=False).get_json()["annotation"]
    ann.post(f"{API}/leases/{task['lease']['id']}/give-back")
    assert house.state(image_id) is ImageState.POOL
    assert sam.take()["annotation"] == draft


def test_an_unused_lease_leaves_the_image_as_it_was(house: House) -> None:
    image_id, ann, chris = house.draw_one()
    chris.take("check")
    house.clock.advance(600)
    assert ann.take() is None  # asking sweeps
    assert house.state(image_id) is ImageState.ANNOTATED
    ann.take(image_id=image_id)
    house.clock.advance(601)
    assert chris.take("check")["image_id"] == image_id


def test_finished_work_reopened_as_a_draft_returns_to_its_author(any_house: House) -> None:
    image_id, ann, chris = any_house.draw_one()
    task = ann.take(image_id=image_id)
    draft = ann.save(task, [], finish=False).get_json()["annotation"]
    any_house.clock.advance(601)
    assert chris.take("check") is None  # a draft is not for checkers
    assert any_house.state(image_id) is ImageState.RETURNED
    assert ann.take()["annotation"] == draft


def test_another_persons_lease_is_neither_extended_nor_given_back(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    sam = house.enter(house.add_person("sam"))
    lease_id = ann.take()["lease"]["id"]
    for what in ("heartbeat", "give-back"):
        answer = sam.post(f"{API}/leases/{lease_id}/{what}")
        assert error_of(answer) == (409, "lease_lost", None)
    assert house.state(image_id) is ImageState.ANNOTATING
    assert house.leases()[0].heartbeat_at == house.clock.at
    assert error_of(sam.post(f"{API}/leases/999/heartbeat")) == (409, "lease_lost", None)
    assert error_of(sam.post(f"{API}/leases/{2**31}/heartbeat")) == (404, "not_found", None)


def test_the_lease_of_a_taken_down_image_is_lost(house: House) -> None:
    ann, task = house.begin()
    image_id = task["image_id"]
    lease_id = task["lease"]["id"]
    house.set_state(image_id, ImageState.TAKEN_DOWN)
    answer = ann.post(f"{API}/leases/{lease_id}/heartbeat")
    assert error_of(answer) == (409, "lease_lost", None)
    assert ann.take() is None
    house.clock.advance(601)
    ann.take()
    assert house.state(image_id) is ImageState.TAKEN_DOWN
    assert house.leases() == []


def test_a_new_role_waits_for_no_image_that_another_transaction_is_busy_with(
    any_house: House,
) -> None:
    first = any_house.add_image()
    second = any_house.add_image()
    ann = any_house.ann()
    ann.take(ahead=1)
    ann_id = any_house.person("ann").id
    catalogue = any_house.party.catalogue
    at = any_house.clock.at
    held = Lease.person_id == ann_id
    if catalogue.engine.dialect.name == "sqlite":  # has one writer
        with catalogue.writing() as session:
            assert release_free(session, held, "given_back", at=at) == 2
        return
    with catalogue.writing() as busy:
        lock_image(busy, first)
        with catalogue.writing() as session:
            assert release_free(session, held, "given_back", at=at) == 1
    assert [lease.image_id for lease in any_house.leases()] == [first]
    assert any_house.state(second) is ImageState.POOL
