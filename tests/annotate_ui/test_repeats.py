"""Checkers are measured: another checker repeats some checks without knowing it."""

from datetime import timedelta

from catalog.states import ImageState, Role
from catalog.tables import Measurement
from qa.agreement_document import format_document
from qa.agreement_report import format_agreement
from qa.corrections import Slip
from qa.gold import choose_gold
from qa.jobs import measure_party
from work.seen import keep_seen

from .house import API, Browser, House, Json, thing

NONE = {"double_share": 0.0, "discard_share": 0.0, "gold_share": 0.0, "repeat_share": 0.0}
DORA_SEES = [thing(), thing("b", box=[300, 40, 420, 200])]


def check_one(
    house: House, verdict: str = "accept", images: int = 1
) -> tuple[int, Browser, Browser]:
    """The last image that ann drew and chris checked, and the browsers of chris and dora."""
    ann = house.ann()
    chris = house.chris()
    dora = house.enter(house.add_person("dora", Role.CHECKER))
    for _ in range(images):
        image_id = house.add_image()
        assert ann.save(ann.take()).status_code == 201
        assert chris.review(chris.take("check"), verdict).status_code == 201
    return image_id, chris, dora


def test_a_share_of_checks_is_repeated_blind_by_another_checker(any_house: House) -> None:
    image_id, chris, dora = check_one(any_house, "fixed")
    any_house.set_qa(**NONE)
    assert dora.take("check") is None
    any_house.set_qa(**NONE | {"repeat_share": 1.0})
    assert chris.take("check") is None
    task = dora.take("check")
    assert (task["image_id"], task["rounds"], task["author"]["name"]) == (image_id, [], "ann")
    any_house.add_image()
    bob = any_house.enter(any_house.add_person("bob"))
    assert bob.save(bob.take()).status_code == 201
    new = any_house.enter(any_house.add_person("fred", Role.CHECKER)).take("check")
    assert new["image_id"] != image_id
    assert new.keys() == task.keys()
    history = dora.get(f"{API}/images/{image_id}/revisions").get_json()
    [seen] = history["revisions"]
    assert (seen["person"]["name"], seen["reviews"], seen["corrects"]) == ("ann", [], None)
    compared = f"{API}/images/{image_id}/revisions/{seen['id'] - 1}/compare/{seen['id']}"
    assert dora.get(compared).status_code == 404
    assert dora.review(task).status_code == 201
    assert len(dora.get(f"{API}/images/{image_id}/revisions").get_json()["revisions"]) == 2
    assert any_house.state(image_id) is ImageState.CHECKED
    assert dora.take("check") is None
    assert any_house.enter(any_house.add_person("emil", Role.CHECKER)).take("check") is None


def test_an_unfinished_repeat_leaves_the_image_checked(any_house: House) -> None:
    image_id, chris, dora = check_one(any_house)
    any_house.set_qa(**NONE | {"repeat_share": 1.0})
    assert dora.take("check")["image_id"] == image_id
    any_house.clock.advance(3600)
    assert chris.take("check") is None
    assert any_house.state(image_id) is ImageState.CHECKED


def test_changes_by_the_second_checker_are_errors_of_the_first(any_house: House) -> None:
    _, _, dora = check_one(any_house, images=3)
    any_house.set_qa(**NONE | {"repeat_share": 1.0})
    added = {"fixed": {"objects": DORA_SEES, "active_secs": 8.0}}
    assert dora.review(dora.take("check"), "fixed", **added).status_code == 201
    assert [dora.review(dora.take("check")).status_code for _ in range(2)] == [201, 201]
    report = measure_party(any_house.party, any_house.clock.at)
    checkers = report.errors_of_checkers
    assert (checkers.images, checkers.objects, checkers.counts[Slip.MISSED]) == (3, 4, 1)
    assert [rates.label for rates in report.errors_by_checker] == ["chris"]
    missed = format_document(report)["errors"]["of_checkers"]["rates"]["missed"]
    assert missed["low"] < missed["value"] == 0.25 < missed["high"]
    lines = list(format_agreement(report))
    head = "What was wrong in 3 images that a checker had passed, if the second checker, or the"
    assert any(line.startswith(head) for line in lines)
    with any_house.party.catalogue.reading() as session:
        said = session.get_one(Measurement, "agreement").value
    assert said["checks repeated blind or on gold images"] == 3
    sentence = said[
        "errors in objects that a checker had passed, if the second checker, or the gold "
        "image, is right"
    ]
    assert sentence.startswith("missed 25.0% (")
    # ann is charged for what she missed, chris's passing on is no work of an author
    assert [rates.label for rates in report.errors_by_person] == ["ann"]


def test_checkers_get_gold_images_and_each_change_is_an_error(any_house: House) -> None:
    image_id, _, dora = check_one(any_house)
    olga = any_house.olga()
    any_house.clock.advance(60)
    with any_house.party.catalogue.writing() as session:
        person_id = any_house.person("olga").id
        choose_gold(session, image_id, person_id=person_id, at=any_house.clock.at)
    any_house.set_qa(**NONE)
    assert dora.take("check") is None
    any_house.set_qa(**NONE | {"gold_share": 1.0})
    any_house.clock.advance(timedelta(minutes=1).total_seconds())
    task = dora.take("check")
    assert (task["image_id"], task["rounds"]) == (image_id, [])
    added = {"fixed": {"objects": DORA_SEES, "active_secs": 8.0}}
    assert dora.review(task, "fixed", **added).status_code == 201
    report = measure_party(any_house.party, any_house.clock.at)
    assert {rates.label: rates.counts[Slip.EXTRA] for rates in report.errors_by_checker} == {
        "dora": 1
    }
    assert olga.take("check") is None


def test_who_chose_a_gold_image_is_not_compared_with_the_own_reference(house: House) -> None:
    ann = house.ann()
    image_id = house.add_image()
    assert ann.save(ann.take()).status_code == 201
    olga = house.olga()
    task = olga.take("check")
    with house.party.catalogue.writing() as session:
        person_id = house.person("olga").id
        choose_gold(session, image_id, person_id=person_id, at=house.clock.at)
    house.clock.advance(60)
    assert olga.review(task).status_code == 201
    assert measure_party(house.party, house.clock.at).errors_of_checkers.images == 0


def test_without_a_repeated_check_the_report_says_how_to_get_one(house: House) -> None:
    report = measure_party(house.party, house.clock.at)
    assert report.errors_of_checkers.images == 0  # nor are there people
    check_one(house)
    lines = list(format_agreement(measure_party(house.party, house.clock.at)))
    assert "No check was repeated blind yet; qa.repeat_share says how many should be." in lines


def test_changes_for_a_campaign_are_no_errors_of_the_checker(house: House) -> None:
    image_id, _, dora = check_one(house)
    wish: Json = {"fields": ["objects"], "comment": "Tails count.", "ids": [image_id]}
    assert house.olga().campaign("tails", **wish).status_code == 200
    carl = house.enter(house.add_person("carl"))
    assert carl.save(carl.take(), DORA_SEES).status_code == 201
    task = dora.take("check")
    both = [{"key": item["key"], "verdict": "accept", "comment": ""} for item in DORA_SEES]
    assert dora.review(task, objects=both).status_code == 201
    house.set_qa(**NONE | {"repeat_share": 1.0})
    assert measure_party(house.party, house.clock.at).errors_of_checkers.images == 0


def test_who_saw_an_image_does_not_repeat_its_check_blind(any_house: House) -> None:
    ann = any_house.ann()
    chris = any_house.chris()
    dora, emil, fred = (
        any_house.enter(any_house.add_person(name, Role.CHECKER))
        for name in ("dora", "emil", "fred")
    )
    image_id = any_house.add_image()
    assert ann.save(ann.take()).status_code == 201
    opened = dora.take("check")
    lease_id = opened["lease"]["id"]
    assert dora.post(f"{API}/leases/{lease_id}/give-back", {}).status_code == 200
    assert chris.review(chris.take("check")).status_code == 201
    with any_house.party.catalogue.writing() as session:
        keep_seen(session, any_house.person("emil").id, [image_id], at=any_house.clock.at)
    any_house.set_qa(**NONE | {"repeat_share": 1.0})
    assert dora.take("check") is None
    assert emil.take("check") is None
    assert fred.take("check")["image_id"] == image_id
