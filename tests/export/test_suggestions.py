"""A release says of each object whether it was drawn, accepted or corrected, and by whose word."""

import json
from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from sqlalchemy import select, update

from catalog.party import Party
from catalog.states import QuestionKind, Said, Suggested, SuggestionKind
from catalog.tables import (
    Image,
    Object,
    Question,
    QuestionAnswer,
    Segmentation,
    Suggestion,
    SuggestionSet,
)
from export.order import ReleaseOrder
from tests.drawings import draw
from tests.exporting import export_release, manifest_of, read_croissant
from tests.party_rows import NOW, stock
from tests.rows import make_person
from tests.suggesting import suggest
from vockit.kit import open_release


def suggest_cats(party: Party) -> dict[str, str]:
    """By image's digest how its cat came about: accepted in even images, corrected in others."""
    made: dict[str, str] = {}
    with party.catalogue.reading() as session:
        cats = session.execute(
            select(Image.id, Image.sha256, Object.id)
            .join(Object, Object.annotation_id == Image.annotation_id)
            .where(Object.class_id == "cat")
        ).all()
    for image_id, sha256, object_id in cats:
        word = Suggested.CORRECTED if image_id % 2 else Suggested.ACCEPTED
        [number] = suggest(
            party,
            image_id,
            class_id="cat",
            sha256=f"{image_id % 2}" * 64,
            model="net",
            kind="model",
        )
        with party.catalogue.writing() as session:
            row = update(Object).where(Object.id == object_id)
            session.execute(row.values(suggestion_id=number, suggested=word))
        made[sha256] = word.value
    return made


def test_every_object_of_a_release_says_how_it_was_made(party: Party, tmp_path: Path) -> None:
    made = suggest_cats(stock(party))
    plan = export_release(party, tmp_path / "out", year=2026, at=NOW)
    manifest = manifest_of(tmp_path / "out")
    about = manifest["suggestions"]
    models = {row["id"]: (row["model"], row["version"], row["sha256"]) for row in about["sets"]}
    counted: dict[str, dict[str, int]] = {}
    for image in manifest["images"]:
        for item in image["objects"]:
            word = made[image["stored_sha256"]] if item["class"] == "cat" else "drawn"
            assert item["made"] == word
            if item["class"] == "cat":
                model, version, sha256 = models[item["suggestion_set"]]
                assert (model, version) == ("net", "1")
                assert sha256 == ("1" if word == "corrected" else "0") * 64
            else:
                assert "suggestion_set" not in item
            of_set = counted.setdefault(image["set"], {})
            of_set[word] = of_set.get(word, 0) + 1
    assert {name: counts for name, counts in about["objects"].items() if counts} == counted
    of_tests = {
        item["suggestion_set"]
        for image in manifest["images"]
        for item in image["objects"]
        if image["set"] == "test" and "suggestion_set" in item
    }
    assert about["sets_of_tests"] == sorted(of_tests)
    assert of_tests
    rows = pq.read_table(tmp_path / "out" / "data" / "objects.parquet").to_pylist()
    listed = {
        (image["id"], item["number"]): item["made"]
        for image in manifest["images"]
        for item in image["objects"]
    }
    assert {(row["image_id"], row["object_number"]): row["made"] for row in rows} == listed
    names = {row["made"]: row["suggested_by"] for row in rows}
    assert names == {"drawn": None, "accepted": "net 1", "corrected": "net 1"}
    [records] = read_croissant(tmp_path / "out", "objects")
    assert {record["objects/made"] for record in records} == {b"drawn", b"accepted", b"corrected"}
    for name in ("README.md", "DATASHEET.md"):
        text = (tmp_path / "out" / name).read_text()
        assert "Objects of the test sets were made of suggestions of net 1 (set " in text
    assert "? Were objects suggested" not in (tmp_path / "out" / "DATASHEET.md").read_text()
    assert "**Were objects suggested by a model?**" in (tmp_path / "out/DATASHEET.md").read_text()
    assert plan.has_suggestions


def test_an_outline_of_a_model_is_told_with_its_set(party: Party, tmp_path: Path) -> None:
    stock(party)
    with party.catalogue.writing() as session:
        of_model = SuggestionSet(
            model="sam", version="2", sha256="5" * 64, kind=SuggestionKind.OUTLINE, loaded_at=NOW
        )
        session.add(of_model)
        session.flush()
        set_id = of_model.id
    words = {2: Suggested.ACCEPTED, 3: Suggested.ACCEPTED, 4: Suggested.CORRECTED}
    for image_id in range(1, 5):
        drawing_id = draw(party, image_id)
        if image_id in words:
            with party.catalogue.writing() as session:
                segment = session.get_one(Segmentation, drawing_id).segments[0]
                segment.suggestion_set_id = set_id
                segment.suggested = words[image_id]
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    manifest = manifest_of(tmp_path / "out")
    drawings = [image["segmentation"] for image in manifest["images"] if "segmentation" in image]
    outlines = [drawing.get("outlines") for drawing in drawings]
    assert outlines.count(None) == 1
    for word, count in (("accepted", 2), ("corrected", 1)):
        line = {"number": 1, "made": word, "suggestion_set": set_id}
        assert outlines.count([line]) == count
    about = manifest["suggestions"]
    assert [row["model"] for row in about["sets"]] == ["sam"]
    assert about["outlines"] == {str(set_id): {"accepted": 2, "corrected": 1}}
    text = (tmp_path / "out" / "DATASHEET.md").read_text()
    said = f"3 outlines of a model, 2 accepted and 1 corrected by a person: sam 2 (set {set_id})."
    assert said in text


def answer(party: Party, suggestion_id: int, names: Sequence[str], said: Said = Said.RIGHT) -> None:
    """Let these people answer a question about the suggestion, a minute before NOW."""
    with party.catalogue.writing() as session:
        row = session.get_one(Suggestion, suggestion_id)
        for name in names:
            person = make_person(name, NOW)
            corners = {"xmin": row.xmin, "ymin": row.ymin, "xmax": row.xmax, "ymax": row.ymax}
            question = Question(
                kind=QuestionKind.BOX,
                image_id=row.image_id,
                class_id=row.class_id,
                suggestion_id=row.id,
                asked_at=NOW,
                **corners,
            )
            session.add(person)
            session.flush()
            question.person_id = person.id
            session.add(question)
            session.flush()
            at = NOW - timedelta(minutes=1)
            session.add(
                QuestionAnswer(question_id=question.id, said=said, answered_at=at, took_ms=900)
            )


def test_a_box_that_two_people_called_right_is_confirmed_and_stays_so_in_that_release(
    party: Party, tmp_path: Path
) -> None:
    suggest_cats(stock(party))
    with party.catalogue.reading() as session:
        of_word = select(Object.suggestion_id, Object.suggested).where(Object.suggestion_id > 0)
        rows = [(number, word) for number, word in session.execute(of_word.order_by(Object.id))]
    accepted = [number for number, word in rows if number and word is Suggested.ACCEPTED]
    corrected = [number for number, word in rows if number and word is Suggested.CORRECTED]
    answer(party, accepted[0], ["ben", "eve"])
    answer(party, accepted[1], ["one"])
    answer(party, accepted[2], ["two", "three"])
    answer(party, accepted[2], ["four"], Said.PART)
    answer(party, corrected[0], ["five", "six"])
    export_release(party, tmp_path / "out", year=2026, at=NOW)

    def count(folder: str) -> Counter[str]:
        objects = manifest_of(tmp_path / folder)["suggestions"]["objects"].values()
        return sum((Counter(counts) for counts in objects), Counter[str]())

    assert count("out")["confirmed"] == 1
    assert count("out")["accepted"] == len(accepted) - 1
    table = pq.read_table(tmp_path / "out" / "data" / "objects.parquet").to_pylist()
    assert Counter(row["made"] for row in table) == count("out")
    assert "1 confirmed" in (tmp_path / "out" / "DATASHEET.md").read_text()
    assert "ben" not in (tmp_path / "out" / "release.json").read_text()
    with party.catalogue.writing() as session:
        session.execute(update(QuestionAnswer).values(set_aside_at=NOW + timedelta(days=1)))
    export_release(party, tmp_path / "again", year=2026, at=NOW + timedelta(days=2))
    first, again = (tmp_path / name / "release.json" for name in ("out", "again"))
    assert again.read_bytes() == first.read_bytes()
    export_release(party, tmp_path / "new", year=2026, name="LATER", at=NOW + timedelta(days=2))
    assert count("new")["confirmed"] == 0


@pytest.mark.parametrize(
    ("folder", "model", "is_marked"),
    [
        ("my-Net_2", "", True),
        ("ours", "Net, version 1\n", True),
        ("ours", f"weights {'0' * 64}\n", True),
        ("ours", "another model\n", False),
    ],
)
def test_an_entry_of_a_detector_that_suggested_boxes_of_the_test_set_is_marked(
    party: Party, tmp_path: Path, folder: str, model: str, is_marked: bool
) -> None:
    suggest_cats(stock(party))
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    release = open_release(tmp_path / "out")
    names = [image.image_id for image in release.images("test")]
    results = tmp_path / folder
    writer = release.write_results(results, "test")
    writer.detection("comp4", "cat", names, [0.5] * len(names), [(2, 3, 50, 30)] * len(names))
    (results / "model.txt").write_text(model)
    notes = [note for note in release.evaluate(results, "test").notes if "entry is of" in note]
    assert bool(notes) is is_marked
    if is_marked:
        assert "whose suggestions became objects of test" in notes[0]
        assert "net 1 (digest " in notes[0]


def test_a_detector_that_ran_twice_is_noted_once(party: Party, tmp_path: Path) -> None:
    suggest_cats(stock(party))
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    manifest = manifest_of(tmp_path / "out")
    about = manifest["suggestions"]
    about["sets"].append(about["sets"][0] | {"id": 99})
    about["sets_of_tests"].append(99)
    (tmp_path / "out" / "release.json").write_text(json.dumps(manifest))
    release = open_release(tmp_path / "out")
    results = tmp_path / "net"
    release.write_results(results, "test").detection("comp4", "cat", [], [], [])
    notes = [note for note in release.evaluate(results, "test").notes if "entry is of" in note]
    assert notes
    assert len(notes) == len(set(notes))


def test_a_release_without_suggestions_says_nothing_of_them(party: Party, tmp_path: Path) -> None:
    suggest(stock(party), 1, class_id="cat")  # which nobody accepted
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    manifest = manifest_of(tmp_path / "out")
    assert "suggestions" not in manifest
    assert all("made" not in item for image in manifest["images"] for item in image["objects"])
    schema = pq.read_schema(tmp_path / "out" / "data" / "objects.parquet")
    assert "made" not in schema.names
    assert "suggest" not in (tmp_path / "out" / "DATASHEET.md").read_text()


def test_a_blind_release_names_the_detectors_of_its_test_set_and_counts_none_of_it(
    party: Party, tmp_path: Path
) -> None:
    suggest_cats(stock(party))
    plan = export_release(
        party, tmp_path / "out", year=2026, at=NOW, order=ReleaseOrder(is_blind=True)
    )
    about = manifest_of(tmp_path / "out")["suggestions"]
    assert about["sets_of_tests"]
    assert about["objects"]["test"] == {}
    shown = sum(len(image.row.objects) for image in plan.annotated)
    assert sum(sum(counts.values()) for counts in about["objects"].values()) == shown
