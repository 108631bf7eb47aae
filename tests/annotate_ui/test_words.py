"""Views, parts and actions change as classes do: pages, drafts and history follow their ids."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import select

from catalog.party import follow_classes
from catalog.preset import Preset
from catalog.refusals import InvalidError
from catalog.states import ImageState, WordKind
from catalog.tables import Finding, Object, Part, Word
from catalog.words import load_names
from export.loading import load_images
from operate.words import apply_edits, merge_words, rename_word
from qa.jobs import check_party
from qa.work import load_blind_pairs
from tests.qa.rows import check_submission

from .house import API, House, Json, thing

RIDER: Json = {"view": "Left", "actions": ["ridingbike", "running"]}


def change(house: House, how: Callable[..., str], *words: str, kind: WordKind) -> str:
    """Change a word now, as `vocparty classes --kind` does, and return its message."""
    with house.party.catalogue.writing() as session:
        return how(session, house.party, *words, kind=kind, made_by="olga", at=house.clock.at)


def edit(house: House, **lists: object) -> int:
    """Edit the preset's file and take it as it is; how many words changed."""
    preset = replace(house.party.file_preset, **lists)  # type: ignore[arg-type]
    with house.party.catalogue.writing() as session:
        party = replace(house.party, preset=preset, file_preset=preset)
        return apply_edits(session, party, made_by="olga", at=house.clock.at)


def reopened(house: House, **lists: object) -> House:
    """The party as a server has it that was started after the edit."""
    assert edit(house, **lists) > 0
    preset: Preset = replace(house.party.file_preset, **lists)  # type: ignore[arg-type]
    house.add_person("other")
    with house.party.catalogue.reading() as session:
        party = replace(house.party, preset=preset, file_preset=preset, classes_number=-1)
        return House(follow_classes(party, session))


def test_views_of_an_open_page_keep_their_side_when_two_views_swap_names(any_house: House) -> None:
    house = any_house
    image_id = house.add_image()
    ann = house.ann()
    olga = house.olga()
    task = ann.take()
    for old, new in (("Left", "Port"), ("Right", "Left"), ("Port", "Right")):
        change(house, rename_word, old, new, kind=WordKind.VIEW)
    assert ann.save(task, [thing(view="Left")]).status_code == 201
    views = {view["id"]: view["display"] for view in olga.get(f"{API}/party").get_json()["views"]}
    assert (views["Left"], views["Right"]) == ("Right", "Left")
    with house.party.catalogue.reading() as session:
        party = follow_classes(house.party, session)
        [row] = load_images(session, {image_id: house.image(image_id).annotation_id or 0})
        assert row.objects[0].view == "Right"  # what files of a release say now
        [before] = load_images(session, {image_id: row.annotation_id}, classes_number=0)
        assert before.objects[0].view == "Left"
        assert party.preset.find_named(WordKind.VIEW, "Right") == party.preset.find(
            WordKind.VIEW, "Left"
        )
    answer = olga.get(f"{API}/images", query_string={"view": "Left"}).get_json()
    assert (answer["total"], answer["filters"]) == (1, {"view": "Right"})
    assert olga.get(f"{API}/images", query_string={"view": "Right"}).get_json()["total"] == 0


def test_objects_with_merged_actions_have_one_action_and_did_not_change(any_house: House) -> None:
    house = any_house
    image_id = house.add_image()
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    task = ann.take()
    first = ann.save(task, [thing(**RIDER)]).get_json()["annotation"]["id"]
    to_check = chris.take("check")
    said = change(house, merge_words, "running", "walking", kind=WordKind.ACTION)
    assert said.startswith("running is merged into walking: 1 object of all revisions.")
    party = olga.get(f"{API}/party").get_json()
    assert party["moved"]["action"] == {"running": "walking"}
    assert "running" not in [action["id"] for action in party["actions"]]
    moved = thing(**RIDER | {"actions": ["ridingbike", "walking"], "box": [50, 240, 195, 371]})
    fixed = {"objects": [moved], "active_secs": 1.0}
    assert chris.review(to_check, "fixed", fixed=fixed, objects=[]).status_code == 201
    head = house.image(image_id).annotation_id
    path = f"{API}/images/{image_id}/revisions/{first}/compare/{head}"
    [changed] = olga.get(path).get_json()["changes"]
    assert changed["fields"] == ["box"]
    assert olga.get(f"{API}/images", query_string={"action": "walking"}).get_json()["total"] == 1
    with house.party.catalogue.writing() as session:
        now = follow_classes(house.party, session)
        names = load_names(session)[WordKind.ACTION]
        assert (names["running"], names["walking"]) == ("walking", "walking")
        rows = load_images(session, {image_id: first})
        assert rows[0].objects[0].actions == ("ridingbike", "walking")
        findings = check_submission(session, image_id, now.preset, now.settings, at=house.clock.at)
    assert [finding.check for finding in findings if "action" in finding.check] == []


def test_a_page_from_before_a_merge_may_send_both_actions(house: House) -> None:
    house.add_image()
    ann = house.ann()
    task = ann.take()
    change(house, merge_words, "running", "walking", kind=WordKind.ACTION)
    sent = thing(view="Left", actions=["running", "walking"])
    assert ann.save(task, [sent]).status_code == 201
    twice = thing(view="Left", actions=["walking", "walking"])
    house.add_image()
    assert ann.save(ann.take(), [twice]).status_code == 422


def test_what_left_the_preset_is_shown_as_retired_and_kept_as_it_is(any_house: House) -> None:
    preset = any_house.party.file_preset
    any_house.add_image()
    token = any_house.add_person("ann")
    ann = any_house.enter(token)
    task = ann.take()
    drawn = thing(**RIDER)
    task["annotation"] = ann.save(task, [drawn], finish=False).get_json()["annotation"]
    kept = {
        "views": tuple(view for view in preset.views if view.key != "Left"),
        "parts": tuple(part for part in preset.parts if part.key != "head"),
        "actions": tuple(action for action in preset.actions if action.key != "running"),
    }
    house = reopened(any_house, **kept)
    ann = house.enter(token)
    chris = house.chris()
    retired = ann.get(f"{API}/party").get_json()["retired"]
    assert (retired["view"], retired["part"], retired["action"]) == (
        {"Left": "Left (retired)"},
        {"head": "head (retired)"},
        {"running": "running (retired)"},
    )
    new = thing("n", box=[50, 240, 195, 371], parts=[], actions=[], point=None)
    for wrong, field in (
        ({"view": "Left"}, "objects.1.view"),
        ({"parts": drawn["parts"]}, "objects.1.parts.0.part"),
        ({"actions": ["running"]}, "objects.1.actions.0"),
    ):
        refused = ann.save(task, [drawn, new | {"view": "Rear"} | wrong])
        assert (refused.status_code, refused.get_json()["error"]["field"]) == (422, field)
    moved = drawn | {"box": [50, 240, 195, 371]}
    assert ann.save(task, [moved, new | {"view": "Rear"}]).status_code == 201
    assert chris.review(chris.take("check")).status_code == 201
    assert house.state(1) is ImageState.CHECKED
    with house.party.catalogue.reading() as session:
        assert set(session.scalars(select(Object.view))) == {"Left", "Rear"}
        assert set(session.scalars(select(Part.word))) == {"head"}
    assert edit(house, views=preset.views, parts=preset.parts, actions=preset.actions) == 3
    with house.party.catalogue.reading() as session:
        assert list(session.scalars(select(Word.key).where(Word.retired_at.is_not(None)))) == []


def test_the_board_names_a_retired_class_by_its_id_too(house: House) -> None:
    sofa: Json = {"class": "sofa", "parts": [], "actions": [], "point": None}
    house.add_image()
    ann = house.ann()
    assert ann.save(ann.take(), [thing(**sofa)]).status_code == 201
    change(house, rename_word, "sofa", "couch", kind=WordKind.CLASS)
    classes = tuple(spec for spec in house.party.file_preset.classes if spec.key != "sofa")
    board = reopened(house, classes=classes).olga().get(f"{API}/board").get_json()
    assert [(line["class"], line["name"]) for line in board["class_secs"]] == [("sofa", "couch")]


def test_checks_leave_what_left_the_preset_as_it_is_and_call_it_by_its_last_name(
    any_house: House,
) -> None:
    preset = any_house.party.file_preset
    any_house.add_image()
    token = any_house.add_person("ann")
    ann = any_house.enter(token)
    task = ann.take()
    far = {"part": "head", "box": [300, 10, 310, 20]}
    cat = thing("b", **{"class": "cat"}, box=[250, 240, 395, 371], parts=[], actions=[])
    drawn = [thing(**RIDER | {"parts": [far]}), cat]
    task["annotation"] = ann.save(task, drawn, finish=False).get_json()["annotation"]
    change(any_house, rename_word, "head", "skull", kind=WordKind.PART)
    house = reopened(
        any_house,
        classes=tuple(spec for spec in preset.classes if spec.key != "cat"),
        views=tuple(view for view in preset.views if view.key != "Left"),
        parts=tuple(part for part in preset.parts if part.key != "head"),
        actions=tuple(action for action in preset.actions if action.key != "running"),
    )
    hints = house.enter(token).save(task, drawn).get_json()["findings"]
    with house.party.catalogue.reading() as session:
        findings = list(session.scalars(select(Finding.message)))
    checked = check_party(house.party, house.clock.at).findings
    for messages in (
        [hint["message"] for hint in hints],
        findings,
        [finding.message for finding in checked],
    ):
        assert [text for text in messages if "preset" in text] == []
        assert "The skull is outside the object's box." in messages


@pytest.mark.parametrize("way", ["goes", "comes"])
def test_a_class_that_one_of_two_people_was_not_asked_for_is_not_compared(
    any_house: House, way: str
) -> None:
    preset = any_house.party.file_preset
    without = tuple(spec for spec in preset.classes if spec.key != "cat")
    before, after = (preset.classes, without) if way == "goes" else (without, preset.classes)
    house = any_house
    assert edit(house, classes=before) == (0 if way == "goes" else 1)
    house.add_image()
    cat = thing("b", **{"class": "cat"}, box=[250, 240, 395, 371], parts=[], actions=[])
    dog = thing(**{"class": "dog"}, parts=[], actions=[])
    first, second = ([dog, cat], [dog]) if way == "goes" else ([dog], [dog, cat])
    ann = house.ann()
    house.clock.advance(1)
    assert ann.save(ann.take(), first).status_code == 201
    token = house.add_person("bob")
    house.set_qa(double_share=1.0, gold_share=0.0)
    house.clock.advance(60)
    at = house.clock.at
    house = reopened(house, classes=after)
    house.clock.at = at
    house.clock.advance(60)
    bob = house.enter(token)
    assert bob.save(bob.take(), second).status_code == 201
    with house.party.catalogue.reading() as session:
        [pair] = load_blind_pairs(session)
    names = [[item.class_name for item in side] for side in (pair.first, pair.second)]
    assert names == [["dog"], ["dog"]]


def test_a_retired_view_is_restored_only_where_the_object_has_it(house: House) -> None:
    preset = house.party.file_preset
    image_id = house.add_image()
    token = house.add_person("ann")
    ann = house.enter(token)
    first = ann.save(ann.take(), [thing(view="Left"), thing("b", view="Rear")])
    first_id = first.get_json()["annotation"]["id"]
    second = ann.save(ann.take(image_id=image_id), [thing(view="Left")])
    second_id = second.get_json()["annotation"]["id"]
    views = tuple(view for view in preset.views if view.key not in ("Left", "Rear"))
    olga = reopened(house, views=views).olga()
    path = f"{API}/images/{image_id}/revisions"
    body = {"save_key": "restored-1", "head_id": second_id, "verdict_id": None}
    refused = olga.post(f"{path}/{first_id}/restore", body)
    message = refused.get_json()["error"]["message"]
    assert (refused.status_code, "cannot be restored: Rear left the preset" in message) == (
        422,
        True,
    )
    body = {"save_key": "restored-2", "head_id": second_id, "verdict_id": None}
    assert olga.post(f"{path}/{second_id}/restore", body).status_code == 201


@pytest.mark.parametrize(
    ("how", "words", "kind", "sentence"),
    [
        (rename_word, ("Left", "Right"), WordKind.VIEW, "merge Left Right --kind view"),
        (rename_word, ("Left", "to the left"), WordKind.VIEW, "Left cannot become to the left"),
        (rename_word, ("Unspecified", "None"), WordKind.VIEW, "views must hold 'Unspecified'"),
        (merge_words, ("Unspecified", "Left"), WordKind.VIEW, "views must hold 'Unspecified'"),
        (rename_word, ("hed", "face"), WordKind.PART, "Unknown part hed; did you mean head?"),
        (merge_words, ("running", "jogging"), WordKind.ACTION, "Unknown action jogging"),
    ],
)
def test_an_impossible_change_is_refused_in_a_sentence(
    house: House, how: Callable[..., str], words: tuple[str, str], kind: WordKind, sentence: str
) -> None:
    with pytest.raises(InvalidError) as refused:
        change(house, how, *words, kind=kind)
    assert sentence in str(refused.value)


def test_a_name_of_a_retired_word_is_not_given_to_another(house: House) -> None:
    preset = house.party.file_preset
    without = tuple(view for view in preset.views if view.key != "Rear")
    edit(house, views=without)
    other = replace(without[-1], key="Back", name="Rear", display="rear")
    with pytest.raises(InvalidError, match="a view that left the preset is called Rear"):
        edit(house, views=(*without, other))
    with house.party.catalogue.reading() as session:
        assert session.get(Word, (WordKind.VIEW, "Back")) is None
