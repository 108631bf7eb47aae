"""Writing waiting photographs, listing, switching and withdrawing sets."""

import json
from pathlib import Path

from sqlalchemy import select

from catalog.decisions import list_wrong_states
from catalog.states import DecisionKind, ImageState, Suggested
from catalog.tables import Annotation, Decision, Object, Suggestion, SuggestionSet
from operate.words import merge_words
from tests.annotate_ui.house import House, thing
from tests.suggesting import NOON, XYXY, suggest
from work.suggest.photographs import Photographs, name_file
from work.suggest.withdrawal import withdraw_set
from work.suggestions import load_for_image

AWAY = (300, 40, 420, 200)


def set_of(house: House, suggestion_id: int) -> int:
    with house.party.catalogue.reading() as session:
        return session.get_one(Suggestion, suggestion_id).set_id


def read_objects(house: House, image_id: int) -> list[tuple[str, Suggested | None]]:
    head = house.image(image_id).annotation_id
    columns = select(Object.object_key, Object.suggested).where(Object.annotation_id == head)
    with house.party.catalogue.reading() as session:
        return [(key, word) for key, word in session.execute(columns.order_by(Object.number))]


def test_photographs_are_written_with_names_by_which_results_find_them(
    house: House, tmp_path: Path
) -> None:
    image_id, data = house.add_file()
    checked_id = house.add_image(ImageState.CHECKED)
    lost_id = house.add_image()
    result = house.run("suggest", "images", str(tmp_path / "out"))
    assert result.exit_code == 0, result.output
    assert f"lacks 1 image ({lost_id})" in result.output
    image = house.image(image_id)
    name = f"{name_file(image_id, image.sha256)}.jpg"
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        [name, "images.json"]
    )
    assert (tmp_path / "out" / name).read_bytes() == data
    document = json.loads((tmp_path / "out" / "images.json").read_text())
    assert document["images"] == [{"id": image_id, "file_name": name, "width": 500, "height": 375}]
    names = [category["name"] for category in document["categories"]]
    assert names == list(house.party.preset.class_names)
    photographs = Photographs(house.party.catalogue).find_all([name, f"deep/{name}", checked_id])
    assert [item.id for item in photographs] == [image_id, image_id, checked_id]
    again = house.run("suggest", "images", str(tmp_path / "out"))
    assert again.exit_code == 2
    assert "is not empty" in again.output


def test_a_set_is_switched_off_and_on(house: House) -> None:
    image_id = house.add_image()
    number = set_of(house, suggest(house.party, image_id)[0])
    classes = house.party.preset.class_ids.values()

    def count_shown() -> int:
        with house.party.catalogue.reading() as session:
            return len(load_for_image(session, image_id, classes))

    assert count_shown() == 1
    assert "now switched off" in house.run("suggest", "off", str(number)).output
    assert count_shown() == 0
    assert "already switched off" in house.run("suggest", "off", str(number)).output
    assert "now switched on" in house.run("suggest", "on", str(number)).output
    assert count_shown() == 1
    unknown = house.run("suggest", "on", "77")
    assert (unknown.exit_code, "no set 77" in unknown.output) == (2, True)
    assert house.run("suggest", "withdraw", str(number)).exit_code == 0
    refused = house.run("suggest", "on", str(number))
    assert (refused.exit_code, "stays so" in refused.output) == (2, True)


def test_what_was_accepted_and_not_checked_goes_back_and_the_rest_stays(any_house: House) -> None:
    ann, task = any_house.begin()
    first_id = task["image_id"]
    first, second = suggest(any_house.party, first_id, [XYXY, AWAY])
    number = set_of(any_house, first)
    objects = [
        thing("accepted", box=list(XYXY), suggestion_id=first),
        thing("corrected", box=[310, 40, 420, 200], parts=[], suggestion_id=second),
        thing("drawn", box=[10, 10, 40, 90], parts=[]),
    ]
    assert ann.save(task, objects, rejected=[]).status_code == 201
    checked_id = any_house.add_image()
    task = ann.take()
    with any_house.party.catalogue.writing() as session:
        group = {"set_id": number, "image_id": checked_id, "class_id": "person"}
        row = Suggestion(**group, confidence=0.5, xmin=1, ymin=1, xmax=90, ymax=90)
        session.add(row)
        session.flush()
        third = row.id
    box = {"box": [1, 1, 90, 90], "parts": []}
    assert ann.save(task, [thing("a", **box, suggestion_id=third)]).status_code == 201
    chris = any_house.chris()
    held = chris.take("check")
    while held["image_id"] != checked_id:  # the other one stays in chris' hands
        held = chris.take("check")
    assert chris.review(held).status_code == 201

    [listed] = json.loads(any_house.run("suggest", "list", "--json").output)
    assert (listed["accepted"], listed["corrected"], listed["rejected"]) == (2, 1, 0)
    result = any_house.run("suggest", "withdraw", str(number))
    assert result.exit_code == 0, result.output
    assert "1 accepted box of 1 image went back; 1 corrected and 1 checked stay." in result.output

    assert read_objects(any_house, first_id) == [
        ("corrected", Suggested.CORRECTED),
        ("drawn", None),
    ]
    assert read_objects(any_house, checked_id) == [("a", Suggested.ACCEPTED)]
    assert any_house.state(first_id) is ImageState.RETURNED
    assert any_house.state(checked_id) is ImageState.CHECKED
    with any_house.party.catalogue.reading() as session:
        assert list(list_wrong_states(session)) == []
        undone = session.scalars(
            select(Decision.reason).where(Decision.kind == DecisionKind.UNDONE)
        )
        assert list(undone) == ["suggestions of net 1"]
        drafts = session.scalars(select(Annotation).where(Annotation.is_finished.is_(False)))
        [draft] = list(drafts)
        assert (draft.image_id, draft.active_secs, draft.beside) == (first_id, 0.0, None)
        assert not session.get_one(SuggestionSet, number).is_shown
    task = ann.take()
    assert task["image_id"] == first_id
    assert [item["key"] for item in task["annotation"]["objects"]] == ["corrected", "drawn"]


def test_a_withdrawn_set_is_withdrawn_again_for_what_was_accepted_meanwhile(house: House) -> None:
    ann, task = house.begin()
    [number] = suggest(house.party, task["image_id"])
    set_id = set_of(house, number)
    assert withdraw_set(house.party, set_id, at=NOON).boxes == 0
    assert ann.save(task, [thing("a", suggestion_id=number)]).status_code == 201
    done = withdraw_set(house.party, set_id, at=NOON)
    assert (done.boxes, done.images, done.corrected, done.checked) == (1, 1, 0, 0)
    assert read_objects(house, task["image_id"]) == []


def test_boxes_of_other_sets_stay_accepted_where_their_class_was_merged_meanwhile(
    any_house: House,
) -> None:
    ann, task = any_house.begin()
    [number] = suggest(any_house.party, task["image_id"])
    [other] = suggest(any_house.party, task["image_id"], [AWAY], class_id="sofa")
    sofa = {"class": "sofa", "box": list(AWAY), "actions": [], "parts": []}
    objects = [thing("a", suggestion_id=number), thing("b", **sofa, suggestion_id=other)]
    assert ann.save(task, objects).status_code == 201
    with any_house.party.catalogue.writing() as session:  # by another command than the withdrawal
        merge_words(session, any_house.party, "sofa", "chair", made_by="olga", at=NOON)
    withdraw_set(any_house.party, set_of(any_house, number), at=NOON)
    assert read_objects(any_house, task["image_id"]) == [("b", Suggested.ACCEPTED)]


def test_who_has_the_image_open_keeps_what_they_draw(house: House) -> None:
    ann, task = house.begin()
    [number] = suggest(house.party, task["image_id"])
    draft = ann.save(task, [thing("a", suggestion_id=number)], finish=False)
    assert draft.status_code == 201
    task["annotation"] = draft.get_json()["annotation"]
    assert withdraw_set(house.party, set_of(house, number), at=NOON).boxes == 1
    late = ann.save(task, [thing("a"), thing("b", box=list(AWAY), parts=[])])
    assert late.status_code == 409
    assert len(house.revisions(task["image_id"])) == 3  # hers is kept beside


def test_what_a_checker_has_stays_also_where_the_image_was_reopened(any_house: House) -> None:
    ann, task = any_house.begin()
    image_id = task["image_id"]
    [number] = suggest(any_house.party, image_id)
    assert ann.save(task, [thing("a", box=list(XYXY), suggestion_id=number)]).status_code == 201
    chris = any_house.chris()
    assert chris.review(chris.take("check")).status_code == 201
    assert any_house.olga().act("reopen", ids=[image_id]).get_json()["changed"] == [image_id]
    done = withdraw_set(any_house.party, set_of(any_house, number), at=NOON)
    assert (done.boxes, done.checked) == (0, 1)
    assert read_objects(any_house, image_id) == [("a", Suggested.ACCEPTED)]
    assert any_house.state(image_id) is ImageState.ANNOTATED
