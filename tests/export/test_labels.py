"""The labels of a release, against answers counted again by code of the test."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from sqlalchemy import select, update

from catalog.hierarchy import Node
from catalog.party import Party, load_classes
from catalog.states import NodeKind, Role
from catalog.tables import Person, Presence, ReleaseImage, Review
from export.planning import plan_release
from operate.words import merge_words
from tests.answered import answer
from tests.exporting import export_release
from tests.party_rows import CAT, NOW, add_image, add_people
from work.people import add_person

CLASS_CAT = Node(NodeKind.CLASS, "cat")
DOG = Node(NodeKind.CLASS, "dog")
BUS = Node(NodeKind.CLASS, "bus")
ANIMALS = Node(NodeKind.GROUP, "Animals")
VEHICLES = Node(NodeKind.GROUP, "Vehicles")
ANSWERS = (
    (1, VEHICLES, "nn"),
    (1, CLASS_CAT, "yy"),
    (2, VEHICLES, "yn"),
    (2, CLASS_CAT, "yny"),
    (3, ANIMALS, "n"),
)
"""What one person after the other said about an image."""


@pytest.fixture
def answered(party: Party) -> Party:
    """Four checked images; people answered questions about three of them."""
    asking = replace(party.settings.questions, on=True)
    export = replace(party.settings.export, exhaustive="query")
    party = replace(party, settings=replace(party.settings, questions=asking, export=export))
    with party.catalogue.writing() as session:
        add_people(session)
        add_person(session, "zoe", Role.ANNOTATOR, token="a third one", at=NOW)
        for number in range(1, 5):
            add_image(session, party, number, [CAT])
        session.execute(update(Review).values(is_complete=None))
        people = list(session.scalars(select(Person.id).order_by(Person.id)))
        for image_id, node, said in ANSWERS:
            for person_id, word in zip(people, said, strict=False):
                at = NOW - timedelta(minutes=person_id)
                answer(
                    session,
                    party,
                    image_id,
                    node,
                    is_yes=word == "y",
                    person_id=person_id,
                    at=at,
                )
    return party


def test_a_release_has_the_labels_that_two_people_agree_about(
    answered: Party, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export_release(answered, out, year=2026, at=NOW)
    with answered.catalogue.reading() as session:
        rows = session.scalars(select(Presence).order_by(Presence.id)).all()
        frozen = select(ReleaseImage.image_id, ReleaseImage.public_id)
        public_id = dict(session.execute(frozen).tuples().all())
        names = dict(session.execute(select(Person.id, Person.name)).tuples().all())
    said = Counter((row.image_id, row.key, row.is_yes) for row in rows)
    expected = {
        (public_id[image_id], key, is_yes)
        for (image_id, key, is_yes), count in said.items()
        if count >= 2
    }
    table = pq.read_table(out / "data/labels.parquet").to_pylist()
    assert {(row["image_id"], row["name"], row["is_present"]) for row in table} == expected
    assert len(expected) == 3
    [differing] = [row for row in table if row["against"]]
    agreeing = [row for row in rows if row.image_id == 2 and row.key == "cat" and row.is_yes]
    assert differing["people"] == [names[row.person_id] for row in agreeing]
    assert differing["answered_at"] == [row.judged_at for row in agreeing]
    assert differing["words"] == "a cat"


def test_what_no_question_settled_was_not_asked(answered: Party) -> None:
    plan = plan_release(answered, year=2026)
    asked = {image.row.id: plan.asked(image) for image in plan.images}
    below = answered.preset.hierarchy.classes_below[VEHICLES]
    vehicles = {node.key for node in below}
    assert set(asked[1] or ()) == {"cat"} | vehicles
    assert asked[2] == ("cat",)


def test_an_answer_after_a_release_changes_nothing_in_it(answered: Party, tmp_path: Path) -> None:
    export_release(answered, tmp_path / "first", year=2026, at=NOW)
    with answered.catalogue.writing() as session:
        later = NOW + timedelta(hours=1)
        answer(session, answered, 3, ANIMALS, is_yes=False, person_id=2, at=later)
    export_release(answered, tmp_path / "second", year=2026, at=NOW)
    labels = [tmp_path / name / "data/labels.parquet" for name in ("first", "second")]
    assert labels[0].read_bytes() == labels[1].read_bytes()


def test_of_a_merged_class_the_label_names_each_person_who_saw_it_once(
    answered: Party, tmp_path: Path
) -> None:
    with answered.catalogue.writing() as session:
        merge_words(session, answered, "cat", "dog", made_by="olga", at=NOW)
    party = load_classes(answered)
    with party.catalogue.writing() as session:
        for person_id in sorted(session.scalars(select(Person.id)))[::2]:
            answer(session, party, 1, DOG, is_yes=True, person_id=person_id, at=NOW)
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    rows = pq.read_table(tmp_path / "out" / "data" / "labels.parquet").to_pylist()
    dogs = [row for row in rows if row["is_present"] and row["name"] == "dog"]
    assert sorted(len(row["people"]) for row in dogs) == [2, 3]
    assert all(len(row["people"]) == len(set(row["people"])) for row in dogs)


def test_a_class_that_left_its_group_keeps_the_label_of_the_groups_no(
    answered: Party, tmp_path: Path
) -> None:
    below = {node.key for node in answered.preset.hierarchy.classes_below[VEHICLES]}
    classes = tuple(
        replace(spec, parents=()) if spec.key == "boat" else spec
        for spec in answered.preset.classes
    )
    party = replace(answered, preset=replace(answered.preset, classes=classes))
    with party.catalogue.writing() as session:
        people = sorted(session.scalars(select(Person.id)))
        answer(session, party, 1, DOG, is_yes=False, person_id=people[0], at=NOW)
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    rows = pq.read_table(tmp_path / "out" / "data" / "labels.parquet").to_pylist()
    with party.catalogue.reading() as session:
        frozen = select(ReleaseImage.image_id, ReleaseImage.public_id)
        public_id = dict(session.execute(frozen).tuples().all())
    absent = [row for row in rows if row["image_id"] == public_id[1] and not row["is_present"]]
    still_below = party.preset.hierarchy.classes_below[VEHICLES]
    covered = {row["name"] for row in absent if row["kind"] == "class"}
    if any(row["name"] == "Vehicles" for row in absent):
        covered |= {node.key for node in still_below}
    assert covered >= below
    [of_boat] = [row for row in absent if row["name"] == "boat"]
    assert len(of_boat["people"]) == 2
    assert of_boat["words"] == "a vehicle"


def test_who_denied_a_class_said_nothing_of_the_one_that_it_became(
    answered: Party, tmp_path: Path
) -> None:
    with answered.catalogue.writing() as session:
        for person_id in sorted(session.scalars(select(Person.id)))[:2]:
            answer(session, answered, 3, BUS, is_yes=False, person_id=person_id, at=NOW)
        merge_words(session, answered, "bus", "car", made_by="olga", at=NOW)
    party = load_classes(answered)
    plan = plan_release(party, year=2026)
    asked = {image.row.id: plan.asked(image) for image in plan.images}
    assert "car" not in (asked[3] or ())
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    [public_id] = [image.public_id for image in plan.images if image.row.id == 3]
    rows = pq.read_table(tmp_path / "out" / "data" / "labels.parquet").to_pylist()
    assert not [row for row in rows if row["image_id"] == public_id and row["name"] == "car"]
