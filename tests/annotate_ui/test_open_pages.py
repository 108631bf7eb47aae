"""Classes change while pages are open: what these send means what their person saw."""

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import select

from catalog.party import Party, follow_classes
from catalog.states import PhotoState, Source
from catalog.tables import GoldImage, Object, Photo, Presence, Query
from operate.words import merge_words, rename_word, split_class
from qa.work import load_blind_pairs

from .house import API, House, Json, error_of, thing

Step = tuple[Any, ...]
CAT: Json = thing(**{"class": "cat"}, actions=[], parts=[])
CHANGES: dict[str, tuple[list[Step], str]] = {
    "swapped": ([(rename_word, "cat", "kitten"), (rename_word, "dog", "cat")], "kitten"),
    "merged": ([(merge_words, "cat", "dog")], "dog"),
    "split": ([(split_class, "cat", ("tabby", "lion"))], "tabby"),
}
Change = Callable[[House], str]


@pytest.fixture(params=CHANGES)
def change(request: pytest.FixtureRequest) -> Change:
    """Changes the class cat; returns what its objects are called then."""
    steps, name = CHANGES[request.param]

    def make(house: House) -> str:
        for how, *words in steps:
            with house.party.catalogue.writing() as session:
                how(session, house.party, *words, made_by="olga", at=house.clock.at)
        return name

    return make


def names_of(house: House) -> set[str]:
    """What the classes of all objects are called now."""
    with house.party.catalogue.reading() as session:
        return set(session.scalars(select(Object.class_name)))


def test_two_windows_of_an_annotator_save_the_class_that_they_showed(
    any_house: House, change: Change
) -> None:
    any_house.add_image()
    ann = any_house.ann()
    task = ann.take()
    window = any_house.window_of(ann)
    name = change(any_house)
    first = ann.save(task, [CAT], finish=False)
    assert (first.status_code, error_of(window.save(task, [CAT]))[:2]) == (201, (409, "stale"))
    task["annotation"] = first.get_json()["annotation"]
    answer = window.save(task, [CAT, CAT | {"key": "b"}], unsure_classes=["cat"])
    assert answer.status_code == 201
    assert names_of(any_house) == {name}
    number = ann.post(f"{API}/tasks/annotate", {}).get_json()["live"]["classes_number"]
    assert number > 0  # so the page reads the party again


def test_two_windows_of_a_checker_correct_the_class_that_they_showed(
    any_house: House, change: Change
) -> None:
    any_house.add_image()
    ann = any_house.ann()
    chris = any_house.chris()
    ann.save(ann.take(), [CAT])
    task = chris.take("check")
    window = any_house.window_of(chris)
    name = change(any_house)
    fixed = {"objects": [CAT | {"box": [50, 240, 195, 371]}], "active_secs": 1.0}
    assert chris.review(task, "fixed", fixed=fixed, objects=[]).status_code == 201
    late = window.review(task, "accept", objects=[])
    assert error_of(late)[0] == 403  # it would judge the correction, which is their own
    assert names_of(any_house) == {name}


def test_a_blind_answer_agrees_with_what_was_asked(any_house: House, change: Change) -> None:
    any_house.add_image()
    ann = any_house.ann()
    bob = any_house.enter(any_house.add_person("bob"))
    ann.save(ann.take(), [CAT])
    any_house.set_qa(double_share=1.0, gold_share=0.0)
    task = bob.take()
    assert task["annotation"] is None
    name = change(any_house)
    assert bob.save(task, [CAT | {"key": "x"}]).status_code == 201
    with any_house.party.catalogue.reading() as session:
        [pair] = load_blind_pairs(session)
    assert (pair.first[0].class_name, pair.second[0].class_name) == (name, name)


def test_pages_of_organisers_decide_on_what_they_showed(any_house: House, change: Change) -> None:
    house = any_house
    image_id = house.add_image()
    ann = house.ann()
    chris = house.chris()
    olga = house.olga()
    ann.save(ann.take(), [CAT, CAT | {"key": "b"}])
    chris.review(chris.take("check"))
    head = house.image(image_id).annotation_id
    gold = olga.get(f"{API}/gold/{image_id}").get_json()
    objects = olga.post(f"{API}/difficult/cat/take").get_json()["objects"]
    findings = olga.get(f"{API}/findings").get_json()["findings"]
    guidelines = olga.get(f"{API}/guidelines").get_json()
    assert (len(objects), len(findings) > 0) == (2, True)
    name = change(house)
    chosen = {"annotation_id": gold["annotation_id"], "version": gold["version"]}
    answer = olga.put(f"{API}/gold/{image_id}", chosen | {"is_training": False, "note": ""})
    assert answer.status_code == 200, answer.text
    said = [
        {key: item[key] for key in ("image_id", "annotation_id", "key")} | {"difficult": True}
        for item in objects
    ]
    answer = olga.post(f"{API}/difficult/cat/judgements", {"objects": said})
    is_asked_again = name == "tabby"  # a split has its images annotated again
    late = [{"image_id": image_id, "key": key} for key in ("a", "b")] if is_asked_again else []
    assert answer.get_json() == {"late": late}
    for finding in findings:
        verdict = {"verdict": "wrong", "version": finding["version"]}
        path = f"{API}/findings/{finding['id']}/verdict"
        assert olga.post(path, verdict).status_code == 200
    remark = olga.post(f"{API}/annotations/{head}/remarks", {"text": "A cat.", "object_key": "a"})
    assert remark.status_code == 201
    text = {"base": guidelines["number"], "markdown": "Cats, whatever they are called."}
    assert olga.put(f"{API}/guidelines", text).status_code == 200
    with house.party.catalogue.reading() as session:
        rows = session.scalars(select(Object).where(Object.annotation_id == head)).all()
        assert [(row.class_name, row.difficult) for row in rows] == [(name, not is_asked_again)] * 2
        assert session.get_one(GoldImage, image_id).annotation_id == head
    assert olga.get(f"{API}/findings").get_json()["findings"] == []


def test_answers_of_the_presence_pass_are_of_the_class_that_was_asked_for(
    party: Party, change: Change
) -> None:
    house = House(party, presence_pass=True)
    image_id = house.add_image()
    with party.catalogue.writing() as session:
        query = Query(source=Source.FLICKR, class_id="cat", keyword="tabby")
        session.add(query)
        session.flush()
        whose = {"source": Source.FLICKR, "source_id": "tabby-1", "query_id": query.id}
        values = {"state": PhotoState.FETCHED, "found_at": house.clock.at}
        session.add(Photo(image_id=image_id, **whose, **values))
    ann = house.ann()
    shown = ann.get(f"{API}/presence/classes/cat").get_json()["images"]
    assert [image["image_id"] for image in shown] == [image_id]
    name = change(house)
    answers = {"answers": [{"image_id": image_id, "shows": "asked"}]}
    said = ann.post(f"{API}/presence/classes/cat", answers)
    assert said.get_json()["kept"] == [image_id], said.text
    with party.catalogue.reading() as session:
        [row] = session.scalars(select(Presence))
        now = follow_classes(party, session)
    spec = now.find_class_today(row.key)
    assert spec is not None
    assert spec.name == name
    assert ann.take()["shows"] == spec.key
