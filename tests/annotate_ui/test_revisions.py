"""Saving revisions: the rows, and the answers."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event, select

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image, Object
from tests.rows import at_once
from work import saving
from work.remarks import NOT_FOR_DRAFTS

from .house import API, Browser, House, error_of, new_key, revision, thing

MANUAL = Path(__file__).parents[2] / "docs/manual/qa.md"


def test_a_save_becomes_rows_and_the_newest_revision_of_the_image(any_house: House) -> None:
    ann, task = any_house.begin()
    image_id = task["image_id"]
    objects = [
        thing("a", point=[100, 300], unsure=True),
        thing("b", **{"class": "cat"}, view="Frontal", actions=[], parts=[], truncated=True),
    ]
    answer = ann.save(task, objects, comment="two\x00 of them")
    assert answer.status_code == 201, answer.text
    body = answer.get_json()
    assert body["state"] == "annotated"
    assert body["lease"] is None
    assert body["annotation"]["comment"] == "two of them"
    expected = [item | {"difficult": False} for item in objects]
    assert body["annotation"]["objects"] == expected
    with any_house.party.catalogue.reading() as session:
        image = session.get_one(Image, image_id)
        assert image.annotation is not None
        assert (image.state, image.annotation_id) == ("annotated", body["annotation"]["id"])
        first, second = image.annotation.objects
        assert (first.number, first.box.xyxy, first.point_x) == (1, (48, 240, 195, 371), 100)
        assert [part.word for part in first.parts] == ["head"]
        assert (second.class_name, second.truncated, second.view) == ("cat", True, "Frontal")
        assert image.annotation.active_secs == 31.4
    assert any_house.leases() == []


def test_a_draft_keeps_the_lease_and_the_next_save_starts_from_it(house: House) -> None:
    ann, task = house.begin()
    image_id = task["image_id"]
    house.clock.advance(60)
    draft = ann.save(task, finish=False).get_json()
    assert draft["state"] == "annotating"
    assert draft["lease"] == {"id": task["lease"]["id"], "expires_at": "2026-01-31T12:11:00Z"}
    task["annotation"] = draft["annotation"]
    final = ann.save(task, []).get_json()
    assert final["annotation"]["parent_id"] == draft["annotation"]["id"]
    assert [row.is_finished for row in house.revisions(image_id)] == [False, True]


def test_a_discarded_image_keeps_its_reason_and_its_objects(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    answer = ann.save(ann.take(), discard_reason="collage", unsure_classes=["cat"])
    assert answer.get_json()["state"] == "discarded"
    image = house.image(image_id)
    assert (image.state, image.reason) == (ImageState.DISCARDED, "collage")
    again = ann.take(image_id=image_id)
    [item] = again["annotation"]["objects"]
    assert (item["key"], item["box"], item["parts"]) == ("a", thing()["box"], thing()["parts"])
    assert again["annotation"]["unsure_classes"] == ["cat"]
    ann.save(again)
    assert house.state(image_id) is ImageState.ANNOTATED
    [discarded, brought_back] = house.revisions(image_id)
    assert (discarded.discard_reason, brought_back.discard_reason) == ("collage", None)


def test_the_difficult_flag_is_kept_by_object_key(house: House) -> None:
    ann, task = house.begin()
    task["annotation"] = ann.save(task, [thing("a"), thing("b")]).get_json()["annotation"]
    with house.party.catalogue.writing() as session:
        session.query(Object).filter_by(object_key="b").one().difficult = True
    task = ann.take(image_id=task["image_id"])
    saved = ann.save(task, [thing("b", box=[1, 1, 9, 9]), thing("c")]).get_json()
    keys = {item["key"]: item["difficult"] for item in saved["annotation"]["objects"]}
    assert keys == {"b": True, "c": False}


@pytest.mark.parametrize("finish", [True, False])
def test_a_repeated_save_key_gets_the_answer_of_the_first(any_house: House, finish: bool) -> None:
    ann, task = any_house.begin()
    image_id = task["image_id"]
    key = new_key()
    first = ann.save(task, save_key=key, finish=finish)
    again = ann.save(task, [], save_key=key, finish=finish)
    assert (first.status_code, again.status_code) == (201, 200)
    assert again.get_json()["annotation"] == first.get_json()["annotation"]
    assert again.get_json()["lease"] == (None if finish else task["lease"])
    assert len(any_house.revisions(image_id)) == 1


def test_a_save_key_belongs_to_one_person_and_image_even_concurrently(any_house: House) -> None:
    images = any_house.add_images(3)
    ann = any_house.ann()
    sam = any_house.enter(any_house.add_person("sam"))
    key = new_key()
    saves = [partial(browser.save, browser.take(), save_key=key) for browser in (ann, sam)]
    won, lost = sorted(at_once(*saves), key=lambda answer: answer.status_code)
    assert (won.status_code, error_of(lost)) == (201, (422, "invalid", "save_key"))
    again = ann.save(ann.take(), save_key=key)
    assert error_of(again) == (422, "invalid", "save_key")
    assert sum(len(any_house.revisions(image_id)) for image_id in images) == 1


def test_a_stale_save_is_kept_and_answered_with_the_newer_one(house: House) -> None:
    ann, task = house.begin()
    image_id = task["image_id"]
    newer = ann.save(task, [thing("a")], finish=False).get_json()["annotation"]
    key = new_key()
    for _ in range(2):
        stale = ann.save(task, [thing("z")], save_key=key)
        assert error_of(stale) == (409, "stale", None)
        assert stale.get_json()["head"] == newer
    kept = house.revisions(image_id)[1]
    assert (kept.id, kept.is_stale) == (stale.get_json()["kept_as"], True)
    image = house.image(image_id)
    assert (image.annotation_id, image.state) == (newer["id"], "annotating")
    with house.party.catalogue.reading() as session:
        objects = session.query(Object).filter_by(annotation_id=kept.id).all()
        assert [item.object_key for item in objects] == ["z"]
    ann.save(task | {"annotation": newer})
    missed_the_end = ann.save(task, [thing("other-tab")])
    assert error_of(missed_the_end) == (409, "stale", None)


def test_a_parent_revision_of_another_image_is_refused(house: House) -> None:
    ann, first = house.begin()
    other = ann.save(first).get_json()["annotation"]
    house.add_image()
    task = ann.take()
    task["annotation"] = other
    assert error_of(ann.save(task)) == (422, "invalid", "parent_id")


def test_a_save_after_giving_the_image_back_is_kept_but_not_used(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    give_back(ann, ann.take())
    answer = ann.post(f"{API}/images/{image_id}/revisions", revision(None))
    assert error_of(answer) == (409, "lease_lost", None)
    (kept,) = house.revisions(image_id)
    assert (kept.id, kept.is_stale) == (answer.get_json()["kept_as"], True)
    assert house.image(image_id).annotation_id is None
    assert house.state(image_id) is ImageState.POOL


def test_work_saved_after_another_took_the_lease_is_kept(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    sam = house.enter(house.add_person("sam"))
    task = ann.take()
    house.clock.advance(601)
    assert sam.take()["image_id"] == image_id
    assert error_of(ann.save(task)) == (409, "lease_lost", None)
    assert sam.save(sam.take()).status_code == 201
    assert error_of(ann.save(task)) == (409, "lease_lost", None)
    assert [row.is_stale for row in house.revisions(image_id)] == [True, False, True]


def test_stale_saves_are_limited_in_number(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saving, "MOST_STALE", 5)
    image_id = house.add_image()
    ann = house.ann()
    sam = house.enter(house.add_person("sam"))
    path = f"{API}/images/{image_id}/revisions"
    give_back(ann, ann.take())
    for number in range(5):
        assert ann.post(path, revision(None, [thing(str(number))])).status_code == 409
    assert error_of(ann.post(path, revision(None))) == (403, "forbidden", None)
    assert len(house.revisions(image_id)) == 5
    assert error_of(sam.post(path, revision(None))) == (403, "forbidden", None)
    assert len(house.revisions(image_id)) == 5
    assert ann.save(ann.take()).status_code == 201


def test_corrections_without_a_lease_cannot_fill_a_catalogue_either(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saving, "MOST_STALE", 2)
    ann, task = house.begin()
    chris = house.chris()
    ann.save(task)
    held = chris.take("check")
    fixed = {"objects": [thing("a")], "active_secs": 1}
    give_back(chris, held)
    answers = [chris.review(held, "fixed", objects=[], fixed=fixed) for _ in "abc"]
    assert [answer.status_code for answer in answers] == [409, 409, 403]
    assert len(house.revisions(held["image_id"])) == 3


def give_back(browser: Browser, task: dict[str, Any]) -> None:
    assert browser.post(f"{API}/leases/{task['lease']['id']}/give-back").status_code == 200


def test_an_expired_lease_is_valid_until_another_person_asks(house: House) -> None:
    ann, task = house.begin()
    house.clock.advance(7200)
    assert ann.save(task).status_code == 201


def test_a_draft_can_be_continued_after_its_lease_was_swept(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    sam = house.enter(house.add_person("sam"))
    task = ann.take()
    task["annotation"] = ann.save(task, finish=False).get_json()["annotation"]
    house.clock.advance(601)
    other = sam.take()  # sweeps, and takes the only image
    sam.post(f"{API}/leases/{other['lease']['id']}/give-back")
    assert house.state(image_id) is ImageState.POOL
    answer = ann.save(task, finish=False)
    assert answer.status_code == 201
    assert answer.get_json()["lease"]["expires_at"] == "2026-01-31T12:20:01Z"
    assert house.state(image_id) is ImageState.ANNOTATING


@pytest.mark.parametrize(
    ("verdict", "state"),
    [(None, ImageState.ANNOTATED), ("returned", ImageState.RETURNED), ("", ImageState.CHECKING)],
)
def test_finished_work_stays_as_it_is(house: House, verdict: str | None, state: ImageState) -> None:
    """Neither its author, whether it waits or was returned, nor its checker can overwrite it."""
    image_id = house.add_image()
    ann = house.ann()
    chris = house.chris()
    task = ann.take()
    task["annotation"] = ann.save(task).get_json()["annotation"]
    if verdict is not None:
        held = chris.take("check")
        assert error_of(chris.save(held)) == (409, "lease_lost", None)
        if verdict:
            chris.review(held, verdict)
    assert error_of(ann.save(task)) == (409, "lease_lost", None)
    assert house.state(image_id) is state


def test_saving_a_revision_of_an_unknown_image_is_not_found(house: House) -> None:
    ann = house.ann()
    for image_id in (7, 2**31 - 1, 2**31, 2**70):
        answer = ann.post(f"{API}/images/{image_id}/revisions", revision(None))
        assert error_of(answer) == (404, "not_found", None)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"not json", b"[1,", b'{"objects": NaN', b'"\\ud800"', b"\xff\xfe{}"]
)
def test_a_malformed_body_is_refused(house: House, body: bytes) -> None:
    image_id = house.add_image()
    ann = house.ann()
    headers = {"X-CSRFToken": ann.csrf_token}
    answer = ann.http.post(f"{API}/images/{image_id}/revisions", data=body, headers=headers)
    expected = (422, "invalid", "opened_for") if not body else (400, "malformed", None)
    assert error_of(answer) == expected


def test_a_revision_with_a_wrong_field_is_not_saved(house: House) -> None:
    ann, task = house.begin()
    answer = ann.save(task, [thing(box=[1, 1, 501, 9])])
    assert error_of(answer) == (422, "invalid", "objects.0.box")
    assert house.revisions(task["image_id"]) == []
    assert house.state(task["image_id"]) is ImageState.ANNOTATING


def test_exactly_one_of_concurrent_saves_from_one_parent_succeeds(any_house: House) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    ann.take()
    (held,) = any_house.leases()
    drafts = [revision(None, finish=False) for _ in range(6)]
    answers = _post_at_once(any_house, ann, image_id, drafts)
    assert sorted(status for status, _ in answers) == [201] + [409] * 5
    rows = any_house.revisions(image_id)
    assert len(rows) == 6
    (won,) = [row for row in rows if not row.is_stale]
    assert any_house.image(image_id).annotation_id == won.id
    assert [lease.id for lease in any_house.leases()] == [held.id]


@pytest.mark.parametrize("is_held", [True, False])
def test_one_save_posted_many_times_at_once_is_saved_once(any_house: House, is_held: bool) -> None:
    ann, task = any_house.begin()
    image_id = task["image_id"]
    if not is_held:
        give_back(ann, task)
    answers = _post_at_once(any_house, ann, image_id, [revision(None)] * 6)
    statuses = sorted(status for status, _ in answers)
    assert statuses == ([200] * 5 + [201] if is_held else [409] * 6)
    saved = any_house.revisions(image_id)
    saved_ids = {body["annotation"]["id"] if is_held else body["kept_as"] for _, body in answers}
    assert saved_ids == {row.id for row in saved}
    assert len(saved) == 1


def test_saving_many_objects_takes_as_few_queries_as_two(any_house: House) -> None:
    """Also where every other object has a point."""
    ann = any_house.ann()
    chris = any_house.chris()
    queries: list[str] = []
    engine = any_house.party.catalogue.engine

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        queries.append(statement)

    event.listen(engine, "before_cursor_execute", note)
    asked = []
    for count in (2, 2, 40):
        any_house.add_image()
        task = ann.take()
        queries.clear()
        objects = [
            thing(str(number), point=[100, 300] if number % 2 else None) for number in range(count)
        ]
        assert ann.save(task, objects).status_code == 201
        held = chris.take("check")
        fixed = {"objects": objects[1:], "active_secs": 1.0}
        answer = chris.review(held, "fixed", objects=[], fixed=fixed)
        kept = answer.get_json()["annotation"]["objects"]
        assert [item["key"] for item in kept] == [item["key"] for item in objects[1:]]
        asked.append(len(queries))
    assert asked[2] <= asked[1] + 5


def test_the_answer_to_a_save_lists_findings_of_the_checks(house: House) -> None:
    ann, task = house.begin()
    objects = [thing("a", box=[1, 1, 60, 80], parts=[])]
    draft = ann.save(task, objects, finish=False, active_secs=0.5).get_json()
    [border] = draft["findings"]
    expected = {"check": "border_not_truncated", "severity": "hint", "object_key": "a"}
    assert border == expected | {"message": border["message"]}
    task["annotation"] = draft["annotation"]
    final = ann.save(task, objects, active_secs=0.5).get_json()["findings"]
    assert [finding["check"] for finding in final] == ["short_time", "border_not_truncated"]


def test_a_save_reports_missing_actions_once_the_party_marks_any(house: House) -> None:
    ann = house.ann()
    said = []
    for actions in ([], ["walking"], []):
        house.add_image()
        house.clock.advance(60)
        answer = ann.save(ann.take(), [thing(**{"class": "person"}, actions=actions)])
        said.append([finding["check"] for finding in answer.get_json()["findings"]])
    assert ["actions_missing" in checks for checks in said] == [False, False, True]


def test_the_manual_says_which_hints_appear_only_when_finished() -> None:
    lines = MANUAL.read_text(encoding="utf-8").splitlines()
    checks = {line.split("`")[1] for line in lines if "| when finished |" in line}
    assert checks == NOT_FOR_DRAFTS


@pytest.mark.parametrize(("objects", "findings"), [(60, 50), (251, 0)])
def test_the_findings_of_a_save_are_limited(house: House, objects: int, findings: int) -> None:
    """All boxes overlap, which gives a finding for every pair."""
    ann, task = house.begin()
    answer = ann.save(task, [thing(str(number)) for number in range(objects)])
    assert len(answer.get_json()["findings"]) == findings


def test_a_discarded_image_has_no_findings(house: House) -> None:
    ann, task = house.begin()
    answer = ann.save(task, [], discard_reason="collage", active_secs=0.0)
    assert answer.get_json()["findings"] == []


def _post_at_once(
    house: House, browser: Browser, image_id: int, bodies: list[dict[str, Any]]
) -> list[tuple[int, dict[str, Any]]]:
    """Status and body of each answer to simultaneous posts from windows of one person."""
    path = f"{API}/images/{image_id}/revisions"
    posts = [partial(house.window_of(browser).post, path, body) for body in bodies]
    return [(answer.status_code, answer.get_json()) for answer in at_once(*posts)]


def test_old_drafts_are_thinned_to_one_a_minute_and_keep_their_time(any_house: House) -> None:
    ann, task = any_house.begin()
    head = None
    image_id = task["image_id"]
    for number in range(24):
        body = revision(head, [thing(str(number))], finish=number == 23, active_secs=20.0)
        answer = ann.post(f"{API}/images/{image_id}/revisions", body)
        head = answer.get_json()["annotation"]["id"]
        any_house.clock.advance(20 if number < 22 else 800)
    kept = any_house.revisions(image_id)
    with any_house.party.catalogue.reading() as session:
        keys = session.scalars(select(Object.object_key).order_by(Object.annotation_id)).all()
    assert keys == ["0", "3", "6", "9", "12", "15", "18", "21", "23"]
    assert sum(row.active_secs for row in kept) == 24 * 20.0
    assert [row.parent_id for row in kept] == [None, *(row.id for row in kept[:-1])]
    history = ann.get(f"{API}/images/{image_id}/revisions")
    assert history.status_code == 200


def test_a_save_based_on_a_thinned_draft_loses_nothing(house: House) -> None:
    ann, task = house.begin()
    path = f"{API}/images/{task['image_id']}/revisions"
    head = None
    drafts = []
    for number in range(4):
        answer = ann.post(path, revision(head, [thing(str(number))], finish=False))
        drafts.append(head := answer.get_json()["annotation"]["id"])
        house.clock.advance(20 if number < 2 else 800)
    assert drafts[1] not in [row.id for row in house.revisions(task["image_id"])]
    answer = house.window_of(ann).post(path, revision(drafts[1], [thing("mine")]))
    assert error_of(answer) == (409, "stale", None)
    kept_as = answer.get_json()["kept_as"]
    assert kept_as == house.revisions(task["image_id"])[-1].id
    settled = ann.post(path, revision(answer.get_json()["head"]["id"], [thing("mine")]))
    assert settled.status_code == 201


def test_saves_faster_than_the_limit_are_asked_to_wait(party: Party) -> None:
    house = House(party, saves_per_minute=3)
    ann, task = house.begin()
    answers = []
    head = None
    for _ in range(4):
        body = revision(head, finish=False)
        answers.append(ann.post(f"{API}/images/{task['image_id']}/revisions", body))
        head = answers[0].get_json()["annotation"]["id"] if head is None else head
    assert answers[0].status_code == 201
    assert error_of(answers[3]) == (429, "too_many", None)
    assert int(answers[3].headers["Retry-After"]) > 0


@pytest.mark.parametrize("secs", [-3600, 3600])
def test_a_clock_that_jumps_and_returns_loses_no_work(any_party: Party, secs: int) -> None:
    annotate = replace(any_party.settings.annotate, saves_per_minute=2)
    house = House(replace(any_party, settings=replace(any_party.settings, annotate=annotate)))
    image_id = house.add_image()
    ann = house.ann()
    task = ann.take()
    head = None
    for jump in (0, secs, -secs):
        house.clock.advance(jump)
        body = revision(head, [thing(str(jump))], finish=jump == -secs)
        answer = ann.post(f"{API}/images/{task['image_id']}/revisions", body)
        assert answer.status_code == 201, answer.text
        head = answer.get_json()["annotation"]["id"]
    assert [row.is_stale for row in house.revisions(image_id)] == [False] * 3
    assert house.state(image_id) is ImageState.ANNOTATED
