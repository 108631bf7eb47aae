"""Rows that contradict each other: passed over by every queue, and shown to the organiser."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import delete, select, text, update

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.sentences import say
from catalog.states import ImageState, LeaseKind, Role, Source
from catalog.stuck import MOST_STUCK, BadRowError, keep_stuck
from catalog.tables import (
    Duplicate,
    Finding,
    GoldImage,
    Image,
    Lease,
    Query,
    SegmentChoice,
    StuckImage,
)
from tests.rows import make_image
from work.findings import renew_findings

from .house import API, Browser, House, Json, error_of, make_jpeg, thing
from .test_campaigns import make


def board_of(olga: Browser) -> dict[int, str]:
    """The stuck images that the board shows, with the reason."""
    board: Json = olga.get(f"{API}/board").get_json()
    return {item["image_id"]: item["reason"] for item in board["stuck"]}


def test_the_home_page_does_not_offer_to_go_on_with_an_image_that_stops_a_page(
    any_house: House,
) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    assert ann.take()["image_id"] == image_id
    assert f"Image {image_id} is open." in ann.get("/").text
    with any_house.party.catalogue.writing() as session:
        session.add(StuckImage(image_id=image_id, reason="a test", seen_at=any_house.clock.at))
    assert ann.take() is None
    assert "is open." not in ann.get("/").text


@pytest.mark.parametrize("is_undone", [True, False])
def test_the_next_image_comes_after_a_campaign_on_a_draft_ended_and_its_author_was_undone(
    any_house: House, is_undone: bool
) -> None:
    ids = any_house.add_images(2)
    ann = any_house.ann()
    olga = any_house.olga()
    task = ann.take()
    image_id = task["image_id"]
    ann.save(task, finish=False)
    make(olga, ids=[image_id])
    olga.post(f"{API}/images/campaigns/1/end")
    if is_undone:
        assert any_house.run("people", "undo", "ann").exit_code == 0
    else:
        ann.post(f"{API}/leases/{task['lease']['id']}/give-back")
    ben = any_house.enter(any_house.add_person("ben"))
    first = ben.take()
    assert ben.save(first).status_code == 201
    assert {first["image_id"], ben.take()["image_id"]} == set(ids)
    assert board_of(olga) == {}
    row = any_house.image(image_id)
    assert row.state in (ImageState.ANNOTATING, ImageState.ANNOTATED)


def seed_queues(house: House) -> list[int]:
    """Six images of one query, drawn by ben, four checked by cleo, that stand in every queue."""
    with house.party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="person", keyword="walker")
        session.add(query)
        session.flush()
        number = query.id
    ids = [house.add_image(query_id=number, title="A walk") for _ in range(6)]
    ben = house.enter(house.add_person("ben", is_simulated=True))
    cleo = house.enter(house.add_person("cleo", Role.CHECKER))
    for _ in ids:
        ben.save(ben.take())
    for image_id in ids[:4]:
        cleo.review(cleo.take("check", image_id=image_id), "accept")
    at = house.clock.at
    person_id = house.person("cleo").id
    with house.party.catalogue.writing() as session:
        heads = {image_id: session.get_one(Image, image_id).annotation_id for image_id in ids}
        for image_id in ids[:4]:
            session.add(SegmentChoice(image_id=image_id, chosen_at=at, blind=False))
        for image_id in ids[:2]:
            chosen = {"person_id": person_id, "chosen_at": at, "is_training": False}
            session.add(GoldImage(image_id=image_id, annotation_id=heads[image_id], **chosen))
        for image_id in ids:
            session.add(
                Finding(
                    finding_key=f"{image_id:064}",
                    check_name="same_class_overlap",
                    severity="warning",
                    image_id=image_id,
                    annotation_id=heads[image_id],
                    object_key="a",
                    subject_sha256="0" * 64,
                    message="Two boxes overlap.",
                    found_at=at,
                )
            )
        for image_id in ids[1:]:
            session.add(
                Duplicate(
                    image_id=image_id,
                    kept_image_id=ids[0],
                    relation="same_event",
                    decided_how="hash",
                    decided_at=at,
                )
            )
    return ids


def change(house: House, image_id: int, **values: object) -> None:
    with house.party.catalogue.writing() as session:
        session.execute(update(Image).where(Image.id == image_id).values(values))


def lease(house: House, image_id: int, kind: LeaseKind, back: ImageState, hours: int) -> None:
    at = house.clock.at
    moments = {"acquired_at": at, "opened_at": at, "heartbeat_at": at}
    moments["expires_at"] = at + timedelta(hours=hours)
    person_id = house.person("ben").id
    with house.party.catalogue.writing() as session:
        held = {"image_id": image_id, "person_id": person_id, "kind": kind, "returns_to": back}
        session.add(Lease(**held, **moments))


QUEUES = [
    "/tasks/annotate",
    "/tasks/check",
    "/tasks/segment",
    "/tasks/check-segment",
    "/presence/classes",
    "/presence/classes/person",
    "/difficult",
    "/difficult/person/take",
    "/findings",
    "/clusters",
    "/gold",
    "/training",
    "/wall",
    "/board",
    "/images",
    "/mine",
]


def ask(browser: Browser, path: str) -> Json:
    is_change = path.startswith("/tasks") or path.endswith("/take")
    answer = browser.post(API + path, {}) if is_change else browser.get(API + path)
    assert answer.status_code in (200, 403), (path, answer.text)
    document: Json = answer.get_json()
    return document


def test_bad_rows_of_every_kind_stop_no_queue_and_are_shown_to_the_organiser(party: Party) -> None:
    qa = replace(party.settings.qa, double_share=1.0, gold_share=0.5)
    party = replace(party, settings=replace(party.settings, qa=qa))
    house = House(party, presence_pass=True)
    ids = seed_queues(house)
    in_pool, over, unheld = house.add_images(3)
    good = set(house.add_images(2))
    others_head = house.image(ids[1]).annotation_id
    change(house, ids[0], annotation_id=others_head)  # checked, gold, to be segmented
    change(house, ids[3], annotation_id=None)  # checked, to be segmented
    change(house, ids[4], annotation_id=None, state=ImageState.RETURNED)
    change(house, ids[5], annotation_id=others_head)  # waits for a check
    lease(house, in_pool, LeaseKind.ANNOTATE, ImageState.POOL, 1)
    change(house, over, state=ImageState.CHECKING)
    lease(house, over, LeaseKind.CHECK, ImageState.POOL, -1)
    change(house, unheld, state=ImageState.ANNOTATING)
    olga = house.olga()
    chris = house.chris()
    eve = house.enter(house.add_person("eve", is_simulated=True))
    for browser in (olga, chris, eve):
        for path in QUEUES:
            ask(browser, path)
    given = set()
    while (task := ask(eve, "/tasks/annotate")["task"]) is not None:
        given.add(task["image_id"])
        assert eve.save(task).status_code == 201
    assert given | {ask(olga, "/tasks/annotate")["task"]["image_id"]} >= good
    stuck = board_of(olga)
    assert set(stuck) == {ids[0], ids[3], ids[4], ids[5], in_pool, over, unheld}
    assert stuck[ids[5]] == f"its revision {others_head} is of image {ids[1]}"
    for image_id in stuck:
        put_right = olga.post(f"{API}/board/stuck/{image_id}/settle")
        assert put_right.status_code == 200, put_right.text
    assert board_of(olga) == {}
    assert [house.state(image_id) for image_id in (in_pool, over, unheld)] == [ImageState.POOL] * 3
    states = [house.state(image_id) for image_id in ids]
    assert states == [ImageState.CHECKED] * 4 + [ImageState.ANNOTATED] * 2
    for image_id in ids:
        revision_ids = [
            revision.id for revision in house.revisions(image_id) if not revision.is_stale
        ]
        assert house.image(image_id).annotation_id == revision_ids[-1]


def test_a_save_to_an_image_in_the_pool_that_another_person_holds_is_kept(house: House) -> None:
    ann, task = house.begin()
    image_id = task["image_id"]
    ann.post(f"{API}/leases/{task['lease']['id']}/give-back")
    house.add_person("ben")
    lease(house, image_id, LeaseKind.ANNOTATE, ImageState.POOL, 1)
    kept = ann.save(task)
    assert error_of(kept) == (409, "lease_lost", None)
    assert [revision.is_stale for revision in house.revisions(image_id)] == [True]
    assert board_of(house.olga()) == {image_id: "a person holds it, but it is not in use"}
    house.clock.advance(7200)
    assert ann.take()["image_id"] == image_id


def test_a_bad_row_costs_no_save_of_an_image_that_is_compared_with_it(any_house: House) -> None:
    party = any_house.party
    any_house.add_images(3)
    ann = any_house.ann()
    olga = any_house.olga()
    tasks = [ann.take()]
    ann.save(tasks[0])
    with party.catalogue.writing() as session:
        session.execute(text("UPDATE object SET actions = 'null'"))
    for objects in ([thing()], [thing(box=[10, 10, 90, 90]), thing("b", box=[10, 10, 90, 89])]):
        tasks.append(ann.take())
        assert ann.save(tasks[-1], objects).status_code == 201
    ids = [task["image_id"] for task in tasks]
    with party.catalogue.writing() as session:
        session.execute(delete(Finding))
    renew_findings(party, ids, at=any_house.clock.at)
    with party.catalogue.reading() as session:
        assert set(session.scalars(select(Finding.image_id))) == {ids[-1]}
    assert board_of(olga) == {}


def test_the_reason_of_a_stuck_image_is_a_german_sentence_on_a_german_board(house: House) -> None:
    image_id, _ann, chris = house.draw_one()
    change(house, image_id, annotation_id=None)
    assert ask(chris, "/tasks/check")["task"] is None
    board = house.olga().get(f"{API}/board", headers={"Accept-Language": "de"}).get_json()
    reasons = {item["image_id"]: item["reason"] for item in board["stuck"]}
    assert reasons == {image_id: "es ist zu prüfen, aber seine Revision fehlt"}


def test_a_stuck_image_that_is_asked_for_by_its_number_is_refused_in_a_sentence(
    house: House,
) -> None:
    image_id, _ann, chris = house.draw_one()
    other = house.add_image()
    change(house, image_id, annotation_id=None)
    for _ in range(2):
        refused = chris.post(f"{API}/tasks/check", {"image_id": image_id})
        assert error_of(refused) == (409, "stuck", None)
        assert "An organiser finds it on the board." in refused.text
    assert chris.take()["image_id"] == other
    assert list(board_of(house.olga())) == [image_id]
    assert chris.post(f"{API}/board/stuck/{image_id}/settle").status_code == 403


def add_files(house: House, count: int) -> list[int]:
    """New images whose files differ."""
    ids = house.add_images(count)
    for image_id in ids:
        change(house, image_id, sha256=house.party.store.put(make_jpeg() + bytes([image_id])))
    return ids


def test_an_image_without_its_file_is_given_out_no_more_while_other_files_are_there(
    house: House,
) -> None:
    first, _second = add_files(house, 2)
    ann = house.ann()
    olga = house.olga()
    path = house.party.store.local_path(house.image(first).sha256)
    assert path is not None
    kept = path.rename(path.with_suffix(".away"))
    task = ann.take()
    url = f"/images/{house.image(first).sha256}.jpg"
    assert ann.get(url).status_code == 404
    assert ann.get(url).status_code == 404
    assert board_of(olga) == {first: "its file is missing"}
    assert ann.take()["image_id"] != first
    kept.rename(path)
    assert olga.post(f"{API}/board/stuck/{first}/settle").status_code == 200
    assert board_of(olga) == {}
    assert task["image_id"] == first or house.state(first) is ImageState.POOL


def test_no_image_pays_for_a_store_that_is_away(house: House) -> None:
    first, second = add_files(house, 2)
    ann = house.ann()
    olga = house.olga()
    for image_id in (first, second):
        path = house.party.store.local_path(house.image(image_id).sha256)
        assert path is not None
        path.unlink()
    for image_id in (first, second):
        assert ann.get(f"/images/{house.image(image_id).sha256}.jpg").status_code == 404
    assert board_of(olga) == {}
    assert ann.take() is not None


def test_a_fault_of_the_program_takes_no_more_than_200_images(house: House) -> None:
    ids = house.add_images(3)
    with house.party.catalogue.writing() as session:
        rows = [make_image(digest_of(f"more {at}".encode()), house.clock.at) for at in range(200)]
        session.add_all(rows)
        session.flush()
        for image in rows[: MOST_STUCK - 1]:
            session.add(StuckImage(image_id=image.id, reason="a test", seen_at=house.clock.at))
        kept = [
            keep_stuck(session, BadRowError(image_id, say("a test")), at=house.clock.at)
            for image_id in ids
        ]
    assert kept == [True, False, False]
