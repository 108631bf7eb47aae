"""Suggestions on their way to the annotation page and back: who gets them, and who cannot tell."""

from dataclasses import replace

import pytest

from catalog.party import Party
from catalog.settings import SuggestionSettings
from catalog.states import Suggested, Taster
from catalog.tables import Suggestion, SuggestionSet
from tests.suggesting import NOON, XYXY, find_nothing, suggest
from work.suggestions import list_rejected

from .house import API, Browser, House, thing
from .test_blind import make_gold, shape_of

LOW = (10, 20, 110, 120)


def open_house(party: Party, withheld: float) -> House:
    settings = replace(party.settings, suggestions=SuggestionSettings(withheld=withheld))
    return House(replace(party, settings=settings))


@pytest.fixture
def shown(party: Party) -> House:
    """A party whose lottery withholds nothing."""
    return open_house(party, 0.0)


@pytest.fixture
def withheld(party: Party) -> House:
    """A party whose lottery withholds everything."""
    return open_house(party, 1.0)


def switch_off(house: House) -> None:
    with house.party.catalogue.writing() as session:
        session.query(SuggestionSet).update({"switched_off_at": NOON})


def draw_first(house: House) -> tuple[int, Browser]:
    """An image that ann finished, and the browser of bob, who has not seen it."""
    image_id = house.add_image()
    ann = house.ann()
    assert ann.save(ann.take()).status_code == 201
    return image_id, house.enter(house.add_person("bob"))


def test_a_suggested_part_comes_to_the_page_with_its_box(shown: House) -> None:
    first_id = shown.add_image()
    with_head, without = suggest(shown.party, first_id, [XYXY, LOW])
    head = {"part": "head", "box": [60, 250, 90, 280]}
    with shown.party.catalogue.writing() as session:
        session.get_one(Suggestion, with_head).parts = [head]
    sent = shown.ann().take("annotate")["suggestions"]
    assert [item["id"] for item in sent] == [with_head, without]
    assert [item.get("parts") for item in sent] == [[head], None]


def test_an_image_opens_with_its_suggestions_the_best_first(shown: House) -> None:
    image_id = shown.add_image()
    second = suggest(shown.party, image_id, [LOW], class_id="cat", confidence=0.4)
    first = suggest(shown.party, image_id)
    assert shown.ann().take()["suggestions"] == [
        {"id": first[0], "class": "person", "box": list(XYXY), "confidence": 0.9},
        {"id": second[0], "class": "cat", "box": list(LOW), "confidence": 0.4},
    ]


def test_nobody_can_tell_an_image_of_the_lottery_from_one_without_suggestions(
    withheld: House,
) -> None:
    with_some, without = withheld.add_images(2)
    suggest(withheld.party, with_some)
    ann = withheld.ann()
    tasks = [ann.take(), ann.take()]
    assert ann.save(tasks[0], [thing("a")]).status_code == 201
    tasks[1] = ann.take()
    answer = ann.save(tasks[1], [thing("a")])
    assert answer.status_code == 201
    assert "suggestions" not in tasks[0]
    assert shape_of(tasks[0]) == shape_of(tasks[1])
    counts = [
        withheld.revisions(image_id)[-1].suggestions_shown for image_id in (with_some, without)
    ]
    assert counts == [0, None]  # the party can


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_an_image_in_which_nothing_was_found_counts_for_its_side_of_the_lottery(
    party: Party, share: float
) -> None:
    house = open_house(party, share)
    blank, uncovered, of_hidden_set = house.add_images(3)
    find_nothing(house.party, blank)
    find_nothing(house.party, of_hidden_set, switched_off_at=NOON)
    ann = house.ann()
    for _ in range(3):
        task = ann.take()
        assert "suggestions" not in task
        assert ann.save(task).status_code == 201
    noted = [
        (revision.suggestions_shown, revision.suggestions_withheld)
        for image_id in (blank, uncovered, of_hidden_set)
        for revision in house.revisions(image_id)[-1:]
    ]
    assert noted == [(0, share == 1.0), (None, False), (None, False)]


def test_what_the_person_saw_counts_though_the_set_is_switched_off_meanwhile(shown: House) -> None:
    ann, task = shown.begin()
    [number] = suggest(shown.party, task["image_id"])
    switch_off(shown)
    objects = [thing("a", suggestion_id=number), thing("b", box=list(LOW), parts=[])]
    saved = ann.save(task, objects, finish=False, suggestions_shown=1).get_json()
    assert saved["outdated"] == 1
    assert saved["annotation"]["objects"][0]["suggested"] == "accepted"
    assert shown.revisions(task["image_id"])[-1].suggestions_shown == 1
    moved = [thing("a", suggestion_id=number, box=list(LOW), parts=[])]
    assert "outdated" not in ann.save(task | saved, moved, suggestions_shown=1).get_json()


def test_work_is_opened_again_with_what_was_accepted_and_rejected(shown: House) -> None:
    image_id = shown.add_image()
    first, second, third = suggest(shown.party, image_id, [XYXY] * 3)
    ann = shown.ann()
    objects = [thing("a", suggestion_id=first), thing("drawn", box=list(LOW), parts=[])]
    assert ann.save(ann.take(), objects, finish=False, rejected=[third]).status_code == 201
    again = ann.take()
    assert [item["id"] for item in again["suggestions"]] == [first, second, third]
    accepted, drawn = again["annotation"]["objects"]
    assert (accepted["suggestion_id"], accepted["suggested"]) == (first, Suggested.ACCEPTED)
    assert "suggestion_id" not in drawn
    assert again["annotation"]["rejected"] == [third]
    switch_off(shown)
    again = ann.take()
    assert "suggestions" not in again
    assert again["annotation"]["rejected"] == [third]  # else the next save would forget it


def test_a_conflict_of_two_windows_tells_what_the_other_one_rejected(shown: House) -> None:
    ann, task = shown.begin()
    first, second = suggest(shown.party, task["image_id"], [XYXY] * 2)
    assert ann.save(task, finish=False, rejected=[first]).status_code == 201
    answer = shown.window_of(ann).save(task, finish=False, rejected=[second])
    assert answer.status_code == 409
    assert answer.get_json()["head"]["rejected"] == [first]


def test_a_checker_is_not_told_what_was_suggested_or_rejected(shown: House) -> None:
    image_id, _ = draw_first(shown)
    suggest(shown.party, image_id)
    task = shown.chris().take("check")
    assert task["image_id"] == image_id
    assert "suggestions" not in task
    assert "rejected" not in task["annotation"]


def test_a_checkers_correction_keeps_what_the_author_rejected(shown: House) -> None:
    ann, task = shown.begin()
    [number] = suggest(shown.party, task["image_id"])
    assert ann.save(task, rejected=[number]).status_code == 201
    chris = shown.chris()
    assert chris.review(chris.take("check"), "fixed").status_code == 201
    with shown.party.catalogue.reading() as session:
        assert list_rejected(session, shown.image(task["image_id"]).annotation_id) == [number]


@pytest.mark.parametrize(("double", "gold"), [(1.0, 0.0), (0.0, 1.0)])
def test_who_annotates_a_second_time_sees_none_and_who_draws_gold_sees_them(
    shown: House, double: float, gold: float
) -> None:
    image_id, bob = draw_first(shown)
    if gold:
        make_gold(shown, image_id)
    shown.set_qa(double_share=double, gold_share=gold)
    suggest(shown.party, image_id)
    task = bob.take()
    assert task["image_id"] == image_id
    assert ("suggestions" in task) == bool(gold)
    assert bob.save(task, [thing("b")], suggestions_shown=int(gold)).status_code == 201
    assert shown.revisions(image_id)[-1].suggestions_shown == int(gold)


def test_a_training_image_shows_none(shown: House) -> None:
    image_id, bob = draw_first(shown)
    make_gold(shown, image_id, is_training=True)
    shown.set_qa(training_images=1, double_share=0.0, gold_share=0.0)
    suggest(shown.party, image_id)
    task = bob.take()
    assert task["image_id"] == image_id
    assert "suggestions" not in task


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_an_image_for_one_task_shows_none_and_measures_nothing_of_them(
    party: Party, share: float
) -> None:
    house = open_house(party, share)
    image_id = house.add_image()
    with house.party.catalogue.writing() as session:
        session.merge(house.image(image_id)).taster = Taster.ACTION
    suggest(house.party, image_id)
    ann = house.ann()
    task = ann.take()
    assert task["taster"] == "action"
    assert "suggestions" not in task
    walker = thing(parts=[], point=[100, 300])
    assert ann.save(task, [walker], taster="action", suggestions_shown=1).status_code == 201
    assert house.revisions(image_id)[-1].suggestions_shown is None


def test_inputs_are_kept_with_each_revision_and_none_is_lost_with_old_drafts(house: House) -> None:
    ann, task = house.begin()
    for _ in range(40):
        saved = ann.save(task, finish=False, inputs=3)
        assert saved.status_code == 201
        task["annotation"] = saved.get_json()["annotation"]
        house.clock.advance(20)
    revisions = house.revisions(task["image_id"])
    assert len(revisions) < 40
    assert sum(revision.inputs for revision in revisions) == 120


def test_the_board_compares_both_arms_and_says_what_to_do(shown: House) -> None:
    with_some, _ = shown.add_images(2)
    olga = shown.olga()
    board = f"{API}/board/agreement"
    assert olga.get(board).get_json()["suggestions"] is None
    suggest(shown.party, with_some)
    ann = shown.ann()
    for _ in range(2):
        task = ann.take()
        count = len(task.get("suggestions", ()))
        assert ann.save(task, suggestions_shown=count, inputs=7).status_code == 201
    effect = olga.get(board).get_json()["suggestions"]
    assert (effect["shown"]["images"], effect["withheld"]["images"]) == (1, 0)
    assert effect["shown"]["secs"] is None  # of one image nothing can be said
    assert effect["advice"] == "wait"
