"""The organiser's board: its data, and its changes of leases and shares."""

import csv
from datetime import timedelta
from io import StringIO

import pytest

from catalog.states import ImageState, PhotoState, Role
from catalog.tables import Photo
from qa.check_list import apply_live_settings

from .house import API, Browser, House, Json, error_of, thing

BOARD = f"{API}/board"


def test_the_board_counts_images_classes_and_people(any_house: House) -> None:
    any_house.add_images(5)
    ann = any_house.ann()
    chris = any_house.chris()
    olga = any_house.olga()
    for _ in range(2):
        ann.save(ann.take())
    ann.save(ann.take(), [], discard_reason="collage")
    chris.review(chris.take("check"))
    held = chris.take()
    board = olga.get(BOARD).get_json()
    images = board["images"]
    assert (images["pool"], images["annotating"], images["annotated"]) == (1, 1, 1)
    assert (images["checked"], images["discarded"]) == (1, 1)
    assert board["discarded"] == [{"reason": "collage", "display": "a collage", "images": 1}]
    [person] = [item for item in board["classes"] if item["id"] == "person"]
    assert (person["images"], person["objects"]) == (2, 2)
    assert person["target"] > 2
    assert person["forecast"]["hours"] > 0
    [sheep] = [item for item in board["classes"] if item["id"] == "sheep"]
    assert sheep["forecast"]["hours"] is None
    people = {person["name"]: person for person in board["people"]}
    assert (people["ann"]["images"], people["chris"]["checked"]) == (3, 1)
    assert people["ann"]["active_secs"] == pytest.approx(3 * 31.4)
    assert people["ann"]["per_hour"] == pytest.approx(3600 / 31.4)
    assert people["ann"]["fixed"]["count"] == 1
    [hold] = board["holds"]
    assert (hold["image_id"], hold["kind"]) == (held["image_id"], "annotate")
    assert hold["is_opened"]
    assert sum(hour["annotated"] for hour in board["hours"]) == 2
    assert board["class_secs"][0]["median_secs"] == pytest.approx(4.2)


def test_the_board_distinguishes_reserved_from_opened_images(house: House) -> None:
    house.add_images(3)
    house.ann().take(ahead=2)
    olga = house.olga()
    holds = olga.get(BOARD).get_json()["holds"]
    assert [hold["is_opened"] for hold in holds] == [True, False, False]
    house.clock.advance(600)  # a lease that ran out is not shown
    assert olga.get(BOARD).get_json()["holds"] == []


def test_the_board_of_a_new_party_shows_zeros(house: House) -> None:
    board = house.olga().get(BOARD).get_json()
    assert set(board["images"].values()) == {0}
    assert board["hours"] == board["class_secs"] == board["holds"] == []
    assert board["jobs"]["fetched_at"] is None


def test_days_on_the_board_use_the_readers_time_zone(house: House) -> None:
    ann = house.ann()
    for _ in range(2):
        house.clock.advance(15 * 86_400)
        image_id = house.add_image()
        ann.save(ann.take())
        assert house.state(image_id) is ImageState.ANNOTATED
    olga = house.olga()
    unknown = ("", "?zone=Nowhere/Else", "?zone=../Zurich", "?zone=Europe", "?zone=")
    asked_told = {"?zone=Asia/Kolkata": ("Asia/Kolkata", "18:30:00Z")}
    for asked, (zone, start) in (asked_told | dict.fromkeys(unknown, ("UTC", "00:00:00Z"))).items():
        progress = olga.get(BOARD + asked).get_json()["progress"]
        assert (progress["bin_secs"], progress["zone"]) == (86_400, zone), asked
        starts = [bin_["start_at"] for bin_ in progress["bins"]]
        assert [start.partition("T")[2] for start in starts] == [start, start], asked
        rows = list(csv.DictReader(StringIO(olga.get(f"{BOARD}/progress.csv{asked}").text)))
        assert [row["start_at"] for row in rows] == starts, asked


def test_taking_a_lease_back_frees_the_image_and_keeps_the_draft(any_house: House) -> None:
    image_id = any_house.add_image()
    ann = any_house.ann()
    olga = any_house.olga()
    task = ann.take()
    ann.save(task, finish=False)
    [hold] = olga.get(BOARD).get_json()["holds"]
    back = f"{BOARD}/people/{hold['person_id']}/leases/{hold['lease_id']}/take-back"
    assert olga.post(back).status_code == 200
    assert any_house.state(image_id) is ImageState.POOL
    assert len(any_house.revisions(image_id)) == 1
    assert error_of(olga.post(back))[:2] == (409, "lease_lost")


def test_a_save_after_its_lease_was_taken_back_is_kept(house: House) -> None:
    image_id = house.add_image()
    ann = house.ann()
    olga = house.olga()
    task = ann.take()
    anns = f"{BOARD}/people/{house.person('ann').id}/leases"
    assert olga.post(f"{anns}/{task['lease']['id']}/take-back").status_code == 200
    assert ann.save(task).status_code == 201
    assert house.state(image_id) is ImageState.ANNOTATED


def test_new_shares_apply_at_the_next_request_and_keep_other_settings(house: House) -> None:
    olga = house.olga()
    house.set_qa(training_found=0.5)
    body = {"base": 1, "double_share": 0.25, "gold_share": 0.1, "training_images": 3}
    answer = olga.put(f"{BOARD}/shares", body)
    assert answer.get_json()["number"] == 2
    with house.party.catalogue.reading() as session:
        qa = apply_live_settings(session, house.party.settings).qa
    assert (qa.double_share, qa.training_images, qa.training_found) == (0.25, 3, 0.5)
    stale = olga.put(f"{BOARD}/shares", body)
    assert stale.status_code == 409
    assert stale.get_json()["head"]["double_share"] == 0.25
    for field, value in {"double_share": 1.5, "gold_share": -1, "training_images": 0.5}.items():
        refused = olga.put(f"{BOARD}/shares", body | {"base": 2, field: value})
        assert error_of(refused) == (422, "invalid", field)


def test_the_board_shows_jobs_by_their_rows(house: House) -> None:
    at = house.clock.at
    house.add_image(ImageState.FETCHED, fetched_at=at)
    house.add_image(ImageState.HASHED, reason="gone")
    house.add_image(ImageState.DUPLICATE, claimed_until_at=at + timedelta(minutes=1))
    with house.party.catalogue.writing() as session:
        first, second, _ = session.query(Photo).order_by(Photo.id)
        first.state = PhotoState.FETCHED
        second.state = PhotoState.GONE
    jobs = house.olga().get(BOARD).get_json()["jobs"]
    assert jobs["photos"] == {"found": 1, "fetched": 1, "gone": 1, "broken": 0, "withdrawn": 0}
    assert (jobs["fetching"], jobs["to_hash"], jobs["to_compare"]) == (1, 1, 1)
    assert jobs["duplicates"] == 1
    assert jobs["fetched_at"] == "2026-01-31T12:00:00Z"


TABLES = {
    "images": "state,reason,images",
    "classes": "name,images,objects,target,hours,low_hours,high_hours",
    "people": "name,role,images,checked,active_secs,per_hour,seen_at,fixed",
    "hours": "hour,annotated,discarded,checked,returned",
    "progress": "start_at,annotated,discarded,checked,returned",
    "seconds": "class,objects,quarter_secs,median_secs,three_quarter_secs",
    "agreement": "first_id,first,second_id,second,images,both,mean_overlap",
}


def test_each_plot_of_the_board_is_also_a_csv_table(house: House) -> None:
    chris = annotate_twice(house)
    house.add_image()
    chris.save(chris.take(), [], discard_reason="collage")
    olga = house.olga()
    for name, columns in TABLES.items():
        answer = olga.get(f"{BOARD}/{name}.csv")
        assert answer.mimetype == "text/csv"
        heads, *rows = answer.text.splitlines()
        assert heads == columns, name
        assert rows, name
    assert error_of(olga.get(f"{BOARD}/secrets.csv"))[:2] == (404, "not_found")
    house.add_person("=1+1", Role.ANNOTATOR)
    people = csv.DictReader(StringIO(olga.get(f"{BOARD}/people.csv").text))
    assert {row["name"] for row in people} == {"ann", "chris", "'=1+1", "olga"}


def test_the_tables_of_the_board_name_a_class_as_it_is_called_today(house: House) -> None:
    house.add_image()
    ann = house.ann()
    boxed: Json = {"class": "cat", "actions": [], "parts": []}
    assert ann.save(ann.take(), [thing(**boxed)]).status_code == 201
    for old, new in (("cat", "kitten"), ("dog", "cat")):
        assert house.run("classes", "rename", old, new).exit_code == 0
    olga = house.olga()

    def read_objects(table: str, column: str) -> dict[str, str]:
        rows = csv.DictReader(StringIO(olga.get(f"{BOARD}/{table}.csv").text))
        return {row[column]: row["objects"] for row in rows}

    objects = read_objects("classes", "name")
    assert len(objects) == len(house.party.preset.classes)
    assert (objects["kitten"], objects["cat"]) == ("1", "0")
    assert read_objects("seconds", "class") == {"kitten": "1"}


def test_the_board_shows_agreement_between_people(house: House) -> None:
    annotate_twice(house)
    answer = house.olga().get(f"{BOARD}/agreement").get_json()
    [cell] = answer["cells"]
    assert {cell["first"], cell["second"]} == {"ann", "chris"}
    assert cell["both"]["value"] == 1.0
    assert [(item["id"], item["both"]["value"]) for item in answer["classes"]] == [("person", 1.0)]
    people = {person["name"]: person["both"]["value"] for person in answer["people"]}
    assert people == {"ann": 1.0, "chris": 1.0}


def annotate_twice(house: House) -> Browser:
    """The browser of chris, who annotated blind what ann had annotated."""
    *_, chris = house.draw_one()
    house.set_qa(double_share=1.0, gold_share=0.0)
    assert chris.save(chris.take()).status_code == 201
    return chris
