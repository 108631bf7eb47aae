"""The difficult pass, the queue of findings and the crops that both show."""

import io
from dataclasses import replace
from functools import partial
from itertools import count

import pytest
from PIL import Image as Picture
from sqlalchemy import event

from annotate_ui.pages.images import LEAST_SIDE_PX, LONGEST_SIDE_PX, cut_crop
from catalog.preset import ClassSpec
from catalog.states import FindingVerdict, ImageState, Role
from catalog.tables import Finding, SeenImage
from tests.rows import at_once
from web.service import SERVICE
from work.shared import SharedCounts

from .house import API, Browser, House, Json, error_of, make_jpeg, thing


def draw(house: House, *objects: dict[str, object]) -> tuple[Browser, int, bytes]:
    """Ann's browser, and an image with a file on which she drew these objects."""
    image_id, data = house.add_file()
    ann = house.ann()
    assert ann.save(ann.take(), list(objects)).status_code == 201
    return ann, image_id, data


def judge(house: House, image_id: int, key: str = "a") -> Json:
    """The word that an object of the image, as it is now, is difficult."""
    seen_id = house.image(image_id).annotation_id
    return {"image_id": image_id, "annotation_id": seen_id, "key": key, "difficult": True}


def test_difficulty_is_judged_by_class_smallest_objects_first(any_house: House) -> None:
    draw(any_house, thing("big"), thing("small", box=[1, 1, 30, 30]))
    olga = any_house.olga()
    classes = olga.get(f"{API}/difficult").get_json()["classes"]
    words = {"id": "person", "name": "person", "display": "person", "synonyms": []}
    person = words | {"waiting": 2, "holder": None}
    assert [item for item in classes if item["waiting"]] == [person]
    waiting = olga.post(f"{API}/difficult/person/take").get_json()["objects"]
    expected = [("small", [30, 30]), ("big", [148, 132])]
    assert [(item["key"], item["size"]) for item in waiting] == expected
    said = [
        {name: item[name] for name in ("image_id", "annotation_id", "key")}
        | {"difficult": item["key"] == "small"}
        for item in waiting
    ]
    answer = olga.post(f"{API}/difficult/person/judgements", {"objects": said})
    assert answer.get_json() == {"late": []}
    assert olga.post(f"{API}/difficult/person/take").get_json() == {"objects": []}


def test_an_object_changed_since_its_judgement_is_judged_again(any_house: House) -> None:
    ann, image_id, _ = draw(any_house, thing())
    olga = any_house.olga()
    olga.post(f"{API}/difficult/person/take")
    word = judge(any_house, image_id)
    olga.post(f"{API}/difficult/person/judgements", {"objects": [word]})
    ann.save(ann.take(image_id=image_id), [thing(box=[50, 240, 195, 371])])
    (again,) = olga.post(f"{API}/difficult/person/take").get_json()["objects"]
    assert (again["key"], again["difficult"], again["changed"]) == ("a", True, True)


def test_a_judgement_of_a_crop_that_changed_meanwhile_is_asked_again(any_house: House) -> None:
    ann, image_id, _ = draw(any_house, thing(), thing("b", box=[1, 1, 30, 30]))
    olga = any_house.olga()
    path = f"{API}/difficult/person"
    seen = olga.post(f"{path}/take").get_json()["objects"]
    said = [
        {name: item[name] for name in ("image_id", "annotation_id", "key")} | {"difficult": True}
        for item in seen
    ]
    ann.save(ann.take(image_id=image_id), [thing(box=[50, 240, 62, 252], parts=[])])
    answer = olga.post(f"{path}/judgements", {"objects": said}).get_json()
    late = [{"image_id": image_id, "key": item["key"]} for item in seen]
    assert answer == {"late": late}
    (again,) = olga.post(f"{path}/take").get_json()["objects"]
    assert (again["key"], again["size"], again["difficult"]) == ("a", [13, 13], False)


def test_one_organiser_at_a_time_judges_a_class(any_house: House) -> None:
    _, image_id, _ = draw(any_house, thing())
    olga = any_house.olga()
    oscar = any_house.enter(any_house.add_person("oscar", Role.ORGANISER))
    olga.post(f"{API}/difficult/person/take")
    assert error_of(oscar.post(f"{API}/difficult/person/take"))[:2] == (409, "held")
    word = judge(any_house, image_id)
    refused = oscar.post(f"{API}/difficult/person/judgements", {"objects": [word]})
    assert error_of(refused)[:2] == (409, "held")
    classes = oscar.get(f"{API}/difficult").get_json()["classes"]
    assert [item["holder"] for item in classes if item["id"] == "person"] == ["olga"]
    olga.post(f"{API}/difficult/person/give-back")
    assert oscar.post(f"{API}/difficult/person/take").status_code == 200
    any_house.clock.advance(16 * 60)
    assert olga.post(f"{API}/difficult/person/take").status_code == 200


def test_a_page_judges_nothing_that_another_organiser_judged_since(any_house: House) -> None:
    _, image_id, _ = draw(any_house, thing())
    olga = any_house.olga()
    oscar = any_house.enter(any_house.add_person("oscar", Role.ORGANISER))
    path = f"{API}/difficult/person"
    olga.post(f"{path}/take")
    any_house.clock.advance(16 * 60)
    oscar.post(f"{path}/take")
    word = judge(any_house, image_id)
    oscar.post(f"{path}/judgements", {"objects": [word]})
    oscar.post(f"{path}/give-back")
    late = olga.post(f"{path}/judgements", {"objects": [word | {"difficult": False}]})
    assert error_of(late)[:2] == (409, "held")
    assert olga.post(f"{path}/take").get_json()["objects"] == []


def test_two_organisers_judge_two_classes_whose_long_names_begin_alike(house: House) -> None:
    long = "bicycle_without_a_rider_seen_from"
    classes = (ClassSpec(f"{long}_afar"), ClassSpec(f"{long}_near"))
    preset = replace(house.party.preset, classes=classes, parts=(), actions=())
    house = House(replace(house.party, preset=preset))
    olga = house.olga()
    oscar = house.enter(house.add_person("oscar", Role.ORGANISER))
    assert olga.post(f"{API}/difficult/{long}_afar/take").status_code == 200
    assert oscar.post(f"{API}/difficult/{long}_near/take").status_code == 200
    assert error_of(oscar.post(f"{API}/difficult/{long}_afar/take"))[:2] == (409, "held")


def test_what_an_organiser_has_blind_is_left_out_of_their_count_alone(house: House) -> None:
    draw(house, thing())
    oscar = house.enter(house.add_person("oscar", Role.ORGANISER))
    olga = house.olga()
    house.set_qa(double_share=1.0, gold_share=0.0)
    assert olga.take()["image_id"]
    shared = SharedCounts(is_kept=True, clock=count().__next__)  # counting takes a second
    house.app.extensions[SERVICE] = replace(house.app.extensions[SERVICE], shared=shared)

    def count_waiting(browser: Browser) -> int:
        classes = browser.get(f"{API}/difficult").get_json()["classes"]
        return sum(entry["waiting"] for entry in classes)

    assert (count_waiting(oscar), count_waiting(olga)) == (1, 0)


def test_of_concurrent_organisers_one_gets_the_class(any_house: House) -> None:
    draw(any_house, thing())
    names = ("olga", "oscar", "otto")
    judges = [any_house.enter(any_house.add_person(name, Role.ORGANISER)) for name in names]
    answers = at_once(*(partial(judge.post, f"{API}/difficult/person/take") for judge in judges))
    assert sorted(answer.status_code for answer in answers) == [200, 409, 409]


@pytest.mark.postgres
@pytest.mark.parametrize("any_catalogue", ["postgres"], indirect=True)
def test_a_class_taken_between_two_statements_stays_with_the_first(any_house: House) -> None:
    draw(any_house, thing())
    olga = any_house.olga()
    oscar = any_house.enter(any_house.add_person("oscar", Role.ORGANISER))
    take = f"{API}/difficult/person/take"
    first = list[int]()

    def let_olga_in(_connection: object, _cursor: object, statement: str, *_more: object) -> None:
        if "FROM live_setting" in statement and not first:
            first.append(0)
            first.append(olga.post(take).status_code)

    engine = any_house.party.catalogue.engine
    event.listen(engine, "after_cursor_execute", let_olga_in)
    assert error_of(oscar.post(take))[:2] == (409, "held")
    event.remove(engine, "after_cursor_execute", let_olga_in)
    assert first == [0, 200]


def test_judging_a_missing_object_or_class_is_reported(house: House) -> None:
    _, image_id, _ = draw(house, thing())
    olga = house.olga()
    said = [judge(house, image_id, key) for key in ("gone", "a")]
    answer = olga.post(f"{API}/difficult/person/judgements", {"objects": said}).get_json()
    assert answer == {"late": [{"image_id": image_id, "key": "gone"}]}
    assert error_of(olga.post(f"{API}/difficult/unicorn/take"))[:2] == (404, "not_found")


def test_a_crop_is_small_and_cached_by_the_browser(house: House) -> None:
    _, _, data = draw(house, thing())
    olga = house.olga()
    (item,) = olga.post(f"{API}/difficult/person/take").get_json()["objects"]
    answer = olga.get(item["crop_url"])
    assert (answer.status_code, answer.content_type) == (200, "image/jpeg")
    assert "immutable" in answer.headers["Cache-Control"]
    with Picture.open(io.BytesIO(answer.data)) as crop:
        assert crop.size == (148 + 2 * 22, 132 + 4 + 22)
    assert house.chris().get(item["crop_url"]).status_code == 403
    for wrong in ("x", "0-1-2-3", "9-1-2-3", "600-1-700-3"):
        assert olga.get(item["crop_url"].rsplit("/", 1)[0] + f"/{wrong}.jpg").status_code == 404
    assert data


def test_a_crop_alone_counts_as_having_seen_the_image(any_house: House) -> None:
    _, image_id, _ = draw(any_house, thing())
    olga = any_house.olga()
    digest = any_house.image(image_id).sha256
    assert olga.get(f"/crops/{digest}/600-1-700-3.jpg").status_code == 404
    with any_house.party.catalogue.reading() as session:
        assert session.query(SeenImage).all() == []
    assert olga.get(f"/crops/{digest}/48-240-195-371.jpg").status_code == 200
    with any_house.party.catalogue.reading() as session:
        [seen] = session.query(SeenImage).all()
        assert (seen.image_id, seen.person_id) == (image_id, any_house.person("olga").id)


@pytest.mark.parametrize(
    ("box", "longest_px"), [((1, 1, 500, 375), LONGEST_SIDE_PX), ((10, 10, 12, 12), LEAST_SIDE_PX)]
)
def test_large_crops_shrink_tiny_ones_grow(box: tuple[int, int, int, int], longest_px: int) -> None:
    crop = cut_crop(make_jpeg(), box, is_framed=True)
    assert crop is not None
    with Picture.open(io.BytesIO(crop)) as picture:
        assert max(picture.size) == longest_px


def find(house: House) -> tuple[Browser, int]:
    """Olga's browser and the image of one finding: two of one class overlap nearly wholly."""
    _, image_id, _ = draw(house, thing(), thing("b", box=[49, 240, 195, 371]))
    return house.olga(), image_id


def test_findings_have_a_picture_and_the_record_of_their_check(any_house: House) -> None:
    olga, image_id = find(any_house)
    answer = olga.get(f"{API}/findings?check=same_class_overlap").get_json()
    (finding,) = answer["findings"]
    assert (finding["image_id"], finding["verdict"]) == (image_id, None)
    assert olga.get(finding["picture_url"]).content_type == "image/jpeg"
    said = olga.post(f"{API}/findings/{finding['id']}/verdict", {"verdict": "wrong"}).get_json()
    assert (said["check"]["wrong"], sum(said["check"]["open"].values())) == (1, 0)
    value, low, high = said["check"]["precision"]
    assert value == low == 0 < high < 1
    assert olga.get(f"{API}/findings?check=same_class_overlap").get_json()["findings"] == []


def test_findings_are_filtered_by_severity_and_judged_by_image(house: House) -> None:
    olga, image_id = find(house)
    for severity in ("error", "warning", "hint"):
        rows = olga.get(f"{API}/findings?severity={severity}").get_json()["findings"]
        assert {row["severity"] for row in rows} <= {severity}
    assert error_of(olga.get(f"{API}/findings?severity=grave")) == (422, "invalid", "severity")
    for wrong in ("x", "1~0~a~nan~3", "1~0~a~1.0~99999999999"):
        answer = olga.get(f"{API}/findings", query_string={"past": wrong})
        assert error_of(answer) == (422, "invalid", "past")
    answer = olga.post(f"{API}/findings/999/verdict", {"verdict": "right"})
    assert error_of(answer)[:2] == (404, "not_found")
    chris = house.chris()
    rows = chris.get(f"{API}/findings?image_id={image_id}").get_json()["findings"]
    assert rows
    chris.post(f"{API}/findings/{rows[0]['id']}/verdict", {"verdict": "right"})
    with house.party.catalogue.reading() as session:
        row = session.get_one(Finding, rows[0]["id"])
        assert (row.verdict, row.person_id) == (FindingVerdict.RIGHT, house.person("chris").id)


def test_switching_off_a_check_keeps_other_live_settings(any_house: House) -> None:
    olga, _ = find(any_house)
    body = {"base": 0, "switched_off": ["same_class_overlap"]}
    assert olga.put(f"{API}/findings/switches", body).get_json()["number"] == 1
    checks = olga.get(f"{API}/findings").get_json()["checks"]
    assert [check["name"] for check in checks if not check["is_on"]] == ["same_class_overlap"]
    assert error_of(olga.put(f"{API}/findings/switches", body))[:2] == (409, "stale")
    body = {"base": 1, "switched_off": ["no_such_check"]}
    assert error_of(olga.put(f"{API}/findings/switches", body))[1:] == ("invalid", "switched_off")


def test_an_organiser_opens_the_image_of_a_finding_to_fix_it(any_house: House) -> None:
    olga, image_id = find(any_house)
    chris = any_house.chris()
    assert chris.review(chris.take("check"), objects=[]).status_code == 201
    refused = chris.post(f"{API}/tasks/check", {"image_id": image_id})
    assert error_of(refused)[:2] == (409, "lease_lost")
    held = olga.take("check", image_id=image_id)
    assert held["image_id"] == image_id
    olga.post(f"{API}/leases/{held['lease']['id']}/give-back")
    assert any_house.state(image_id) is ImageState.CHECKED
    ann = any_house.enter(any_house.add_person("ben", Role.CHECKER))
    assert error_of(ann.post(f"{API}/tasks/check", {"image_id": 999}))[:2] == (404, "not_found")


def test_a_task_lists_findings_but_none_of_a_switched_off_check(any_house: House) -> None:
    olga, image_id = find(any_house)
    chris = any_house.chris()
    held = chris.take("check")
    assert held["image_id"] == image_id
    names = [finding["check"] for finding in held["findings"]]
    assert "same_class_overlap" in names
    overlap = held["findings"][names.index("same_class_overlap")]
    assert (overlap["object_key"], overlap["verdict"]) == ("b", None)
    body = {"base": 0, "switched_off": ["same_class_overlap"]}
    assert olga.put(f"{API}/findings/switches", body).status_code == 200
    assert "same_class_overlap" not in [
        finding["check"] for finding in chris.take("check")["findings"]
    ]
    page = olga.get(f"{API}/findings").get_json()
    assert "same_class_overlap" not in [finding["check"] for finding in page["findings"]]


def test_findings_of_a_switched_off_check_are_counted_nowhere(any_house: House) -> None:
    olga, _ = find(any_house)
    said = "1 warning to look at"
    assert said in olga.get("/").text
    body = {"base": 0, "switched_off": ["same_class_overlap"]}
    assert olga.put(f"{API}/findings/switches", body).status_code == 200
    assert said not in olga.get("/").text
    assert olga.get(f"{API}/board").get_json()["findings"]["warning"] == 0


def test_a_verdict_can_be_undone_unless_another_came_in_between(any_house: House) -> None:
    olga, _ = find(any_house)
    chris = any_house.chris()
    (finding,) = olga.get(f"{API}/findings?check=same_class_overlap").get_json()["findings"]
    path = f"{API}/findings/{finding['id']}/verdict"
    shown = {"version": finding["version"]}
    assert chris.post(path, {"verdict": "wrong"} | shown).status_code == 200
    refused = olga.post(path, {"verdict": "right"} | shown)
    assert error_of(refused)[:2] == (409, "stale")
    now = refused.get_json()["head"]
    assert (now["verdict"], now["judged_by"]) == ("wrong", "chris")
    assert now["check"]["wrong"] == 1
    back = olga.post(path, {"verdict": None, "version": now["version"]})
    assert back.get_json()["check"]["open"] == {"error": 0, "warning": 1, "hint": 0}
    (again,) = olga.get(f"{API}/findings?check=same_class_overlap").get_json()["findings"]
    assert (again["id"], again["verdict"]) == (finding["id"], None)
