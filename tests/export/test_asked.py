"""A release says which classes each image was asked about, and claims no more."""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq
import pytest
from sqlalchemy import select, update

from catalog.hierarchy import Node
from catalog.party import Party, follow_classes, open_party
from catalog.preset import ClassSpec
from catalog.states import NodeKind, Verdict
from catalog.tables import Annotation, Image, Photo, ReleaseImage, Review
from export.order import ReleaseOrder
from export.plan import ReleasePlan
from export.planning import plan_release
from export.split_report import iterate_lines
from operate.words import apply_edits
from tests.answered import answer
from tests.exporting import contents, export_release, manifest_of, read_croissant, verify_tree
from tests.party_rows import CAT, DOG, NOW, Drawn, add_image, add_people, add_review, add_revision
from vockit.evaluate.curves import Rules
from vockit.evaluate.truth import open_truth
from vockit.format.image_sets import Split

HORSES = [Drawn("horse", (3, 3 + number, 30, 30)) for number in range(17)]
"""A horse for each image, in no place twice."""
WHOLE = range(1, 9)
ASKED_IN_PART = range(9, 17)


def set_exhaustive(party: Party, word: Literal["all", "query"]) -> Party:
    export = replace(party.settings.export, exhaustive=word)
    return replace(party, settings=replace(party.settings, export=export))


@pytest.fixture
def asked(party_template: Path, tmp_path: Path) -> Iterator[Party]:
    """Sixteen images that a query for cats found; of half of them nobody said that they are whole.

    The last of these show a horse each, of which there may be more.
    """
    with open_party(Path(shutil.copytree(party_template, tmp_path / "party"))) as party:
        with party.catalogue.writing() as session:
            add_people(session)
            for number in WHOLE:
                add_image(
                    session,
                    party,
                    number,
                    [CAT] * (number < 5) + HORSES[number : number + 1] * (number > 3),
                )
            for number in ASKED_IN_PART:
                add_image(
                    session, party, number, [CAT] + HORSES[number : number + 1] * (number > 14)
                )
            later = select(Annotation.id).where(Annotation.image_id.in_(ASKED_IN_PART))
            unanswered = update(Review).where(Review.annotation_id.in_(later))
            session.execute(unanswered.values(is_complete=None))
        yield set_exhaustive(party, "query")


def read_list(out: Path, name: str) -> dict[str, str]:
    text = (out / f"VOCdevkit/VOC2026/ImageSets/Main/{name}.txt").read_text()
    return {line.split()[0]: " ".join(line.split()[1:]) for line in text.splitlines()}


def list_part(images: Iterable[dict[str, Any]]) -> dict[str, list[str]]:
    return {image["id"]: image["asked"] for image in images if "asked" in image}


def test_class_lists_have_lines_of_what_was_asked_alone(asked: Party, tmp_path: Path) -> None:
    export_release(asked, tmp_path / "out", year=2026, at=NOW)
    out = tmp_path / "out"
    part = list_part(manifest_of(out)["images"])
    assert len(part) == len(ASKED_IN_PART)
    assert set(map(tuple, part.values())) == {("cat",)}
    trainval = read_list(out, "trainval")
    assert part.keys() <= trainval.keys()
    assert read_list(out, "test").keys().isdisjoint(part)
    assert len(read_list(out, "test")) > 5
    assert read_list(out, "cat_trainval").keys() == trainval.keys()
    assert read_list(out, "horse_trainval").keys() == trainval.keys() - part.keys()
    assert set(read_list(out, "horse_test").values()) == {"1", "-1"}
    assert verify_tree(out) == []
    (out / "release.json").unlink()
    assert {violation.rule for violation in verify_tree(out)} == {"class-file-images"}


def test_tables_say_what_is_there_what_is_not_and_what_was_not_asked(
    asked: Party, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    export_release(asked, out, year=2026, at=NOW)
    classes = set(asked.preset.class_names)
    part = list_part(manifest_of(out)["images"])
    rows = pq.read_table(out / "data/images.parquet").to_pylist()
    labels = {
        name: read_list(out, f"{name}_trainval") | read_list(out, f"{name}_test")
        for name in classes
    }
    for row in rows:
        lines = {name: labels[name].get(row["image_id"]) for name in classes}
        assert set(row["positive"]) == {name for name in classes if lines[name] == "1"}
        assert set(row["negative"]) == {name for name in classes if lines[name] == "-1"}
        assert set(row["not_asked"]) == {name for name in classes if lines[name] is None}
        assert len(row["not_asked"]) == (len(classes) - 1 if row["image_id"] in part else 0)
    faces = pq.read_table(out / "metadata-train.parquet").to_pylist()
    of_image = {row["image_id"]: row for row in rows}
    assert all(row["not_asked"] == of_image[row["image_id"]]["not_asked"] for row in faces)
    datasheet = (out / "DATASHEET.md").read_text()
    assert "8 of 16 images were not asked about every class" in datasheet
    assert "| cat | 12 | 4 | 0 |" in datasheet
    assert "| horse | 5 | 3 | 8 |" in datasheet


def test_the_croissant_metadata_have_the_columns(asked: Party, tmp_path: Path) -> None:
    export_release(asked, tmp_path / "out", year=2026, at=NOW)
    (records,) = read_croissant(tmp_path / "out", "images")
    assert len(records[0]["images/positive"]) == 1
    assert {len(record["images/not_asked"]) for record in records} == {0, 19}


def test_a_release_of_which_all_was_asked_is_as_before(asked: Party, tmp_path: Path) -> None:
    out = tmp_path / "out"
    export_release(set_exhaustive(asked, "all"), out, year=2026, at=NOW)
    assert not list_part(manifest_of(out)["images"])
    assert "positive" not in pq.read_table(out / "data/images.parquet").column_names
    assert "asked about" not in (out / "DATASHEET.md").read_text()


def test_presence_answers_ask_about_their_class_until_they_are_taken_back(asked: Party) -> None:
    with asked.catalogue.writing() as session:
        for image_id, taken_back in ((9, None), (10, NOW)):
            answer(
                session,
                asked,
                image_id,
                Node(NodeKind.CLASS, "dog"),
                is_yes=False,
                person_id=1,
                at=NOW,
                set_aside_at=taken_back,
            )
    plan = plan_release(asked, year=2026)
    asked_of = {image.row.id: plan.asked(image) for image in plan.images}
    assert (asked_of[9], asked_of[10], asked_of[1]) == (("cat", "dog"), ("cat",), None)


def test_a_recorded_release_says_the_same_whatever_is_answered_later(
    asked: Party, tmp_path: Path
) -> None:
    export_release(asked, tmp_path / "first", year=2026, at=NOW)
    with asked.catalogue.writing() as session:
        session.execute(update(Review).values(is_complete=True))
    export_release(set_exhaustive(asked, "all"), tmp_path / "second", year=2026, at=NOW)
    assert contents(tmp_path / "first") == contents(tmp_path / "second")


def test_an_extension_and_an_edition_keep_what_was_asked(asked: Party, tmp_path: Path) -> None:
    export_release(asked, tmp_path / "first", year=2026, at=NOW)
    part = list_part(manifest_of(tmp_path / "first")["images"])
    with asked.catalogue.writing() as session:
        add_image(session, asked, 17, [DOG])
        image = session.get_one(Image, 9)
        newer = add_revision(
            session, image, [CAT, HORSES[0]], person_id=1, parent_id=image.annotation_id
        )
        add_review(session, newer, Verdict.ACCEPT)
    whole = set_exhaustive(asked, "all")
    order = ReleaseOrder(extends="VOC2026")
    export_release(whole, tmp_path / "more", year=2026, at=NOW, name="MORE", order=order)
    assert list_part(manifest_of(tmp_path / "more")["images"]) == part
    assert verify_tree(tmp_path / "more") == []
    order = ReleaseOrder(corrects="VOC2026")
    export_release(whole, tmp_path / "edition", year=None, at=NOW, order=order)
    assert list_part(manifest_of(tmp_path / "edition")["images"]) == part
    assert verify_tree(tmp_path / "edition") == []


def test_a_blind_release_says_nothing_of_what_test_was_asked(asked: Party, tmp_path: Path) -> None:
    order = ReleaseOrder(is_blind=True)
    export_release(asked, tmp_path / "out", year=2026, at=NOW, order=order)
    images = manifest_of(tmp_path / "out")["images"]
    assert {image["set"] for image in images if "asked" in image} <= {"train", "val"}
    assert verify_tree(tmp_path / "out") == []


def test_the_command_says_how_much_was_not_asked(asked: Party) -> None:
    lines = list(iterate_lines(plan_release(asked, year=2026)))
    assert "8 of 16 images were not asked about every class, 0 of them in test." in lines


def test_an_image_that_is_bound_to_test_is_told_there(asked: Party, tmp_path: Path) -> None:
    export_release(asked, tmp_path / "first", year=2026, at=NOW)
    with asked.catalogue.writing() as session:
        first = session.scalars(
            select(ReleaseImage.image_id).where(ReleaseImage.split == Split.TEST).limit(1)
        ).one()
        owner = session.scalars(select(Photo.owner_id).where(Photo.image_id == first)).one()
        image = add_image(session, asked, 17, [DOG], owner_id=owner, is_reviewed=False)
        session.add(
            Review(
                annotation_id=image.annotation_id,
                person_id=2,
                save_key="unanswered",
                verdict=Verdict.ACCEPT,
                reviewed_at=NOW,
            )
        )
    order = ReleaseOrder(extends="VOC2026")
    export_release(asked, tmp_path / "more", year=2026, at=NOW, name="MORE", order=order)
    images = manifest_of(tmp_path / "more")["images"]
    (bound,) = [image for image in images if image["set"] == "test" and "asked" in image]
    assert bound["asked"] == ["cat"]
    assert verify_tree(tmp_path / "more") == []
    truth = open_truth(tmp_path / "more/VOCdevkit", "test", Rules.VOC2012)
    assert truth.unasked["dog"].sum() == 1
    assert "dog" not in truth.items or not truth.items["dog"]


def test_the_truth_of_the_release_is_what_was_asked(asked: Party, tmp_path: Path) -> None:
    export_release(asked, tmp_path / "out", year=2026, at=NOW)
    training, test = (
        open_truth(tmp_path / "out/VOCdevkit", name, Rules.VOC2012) for name in ("trainval", "test")
    )
    horses = [len(truth.objects("horse").images) for truth in (training, test)]
    assert sum(horses) == 5  # two more are in images that were not asked about horses
    assert sum(len(truth.objects("cat").images) for truth in (training, test)) == 12
    assert training.unasked["horse"].sum() == len(ASKED_IN_PART)
    assert test.unasked == {}


LATE = NOW + timedelta(days=100)
"""After every look at the images of the fixture."""
ZEBRA = Drawn("zebra", (2, 2, 20, 20))


def edit_classes(party: Party, classes: tuple[ClassSpec, ...], at: datetime) -> Party:
    """The party after its preset's file got these classes."""
    preset = replace(party.file_preset, classes=classes)
    edited = replace(party, preset=preset, file_preset=preset, classes_number=-1)
    with party.catalogue.writing() as session:
        apply_edits(session, edited, made_by="olga", at=at)
    with party.catalogue.reading() as session:
        return follow_classes(edited, session)


def add_zebra(party: Party, at: datetime = LATE) -> Party:
    classes = (*party.file_preset.classes, ClassSpec(key="zebra", name="zebra"))
    return edit_classes(party, classes, at)


def look_again(party: Party, image_id: int, drawn: list[Drawn]) -> None:
    """Ann saves the image anew after the zebra came, and chris lets it pass."""
    with party.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        revision = add_revision(session, image, drawn, person_id=1, parent_id=image.annotation_id)
        revision.saved_at = LATE + timedelta(days=1)
        add_review(session, revision, Verdict.ACCEPT)


def list_without(plan: ReleasePlan, name: str) -> set[int]:
    """The images that were not asked about the class, by their numbers."""
    return {
        image.row.id
        for image in plan.images
        if (names := plan.asked(image)) is not None and name not in names
    }


def test_a_class_that_came_later_is_not_said_to_be_absent(asked: Party, tmp_path: Path) -> None:
    whole = set_exhaustive(asked, "all")
    export_release(whole, tmp_path / "first", year=2026, at=NOW)
    party = add_zebra(whole)
    with party.catalogue.writing() as session:
        image = add_image(session, party, 17, [CAT])
        session.get_one(Annotation, image.annotation_id).saved_at = LATE + timedelta(days=1)
    look_again(party, 2, [CAT, ZEBRA])
    look_again(party, 3, [CAT])
    order = ReleaseOrder(extends="VOC2026")
    out = tmp_path / "more"
    plan = export_release(party, out, year=2026, at=NOW, name="MORE", order=order)
    looked_at = {image.public_id for image in plan.images if image.row.id in (2, 3, 17)}
    assert list_without(plan, "zebra") == {*range(1, 17)} - {2, 3}
    assert list_without(plan, "cat") == set()
    lines = read_list(out, "zebra_trainval") | read_list(out, "zebra_test")
    assert lines.keys() == looked_at
    assert sorted(lines.values()) == ["-1", "-1", "1"]
    assert verify_tree(out) == []
    assert "| zebra | 1 | 2 | 14 |" in (out / "DATASHEET.md").read_text()
    again = export_release(party, tmp_path / "again", year=2026, at=NOW, name="MORE")
    assert again.is_recorded
    assert contents(tmp_path / "again") == contents(out)


def test_an_edition_asks_about_a_later_class_where_someone_looked_since(
    asked: Party, tmp_path: Path
) -> None:
    whole = set_exhaustive(asked, "all")
    export_release(whole, tmp_path / "first", year=2026, at=NOW)
    party = add_zebra(whole)
    order = ReleaseOrder(corrects="VOC2026")
    for image_id, out in ((2, "second"), (3, "third")):
        look_again(party, image_id, [replace(CAT, truncated=True)])
        plan = export_release(party, tmp_path / out, year=None, at=NOW, order=order)
        assert list_without(plan, "zebra") == {*range(1, 17)} - {*range(2, image_id + 1)}
        assert verify_tree(tmp_path / out) == []


def test_a_new_release_does_not_ask_old_images_about_a_later_class(asked: Party) -> None:
    plan = plan_release(add_zebra(set_exhaustive(asked, "all")), year=2026)
    assert list_without(plan, "zebra") == {*range(1, 17)}
    assert {image.split for image in plan.images} == {Split.TRAIN, Split.VAL, Split.TEST}


def test_a_look_after_a_class_came_asks_what_the_setting_says(asked: Party) -> None:
    party = add_zebra(asked, NOW - timedelta(days=1))
    assert list_without(plan_release(party, year=2026), "zebra") == {*ASKED_IN_PART}
    whole = set_exhaustive(party, "all")
    assert list_without(plan_release(whole, year=2026), "zebra") == set()


def test_a_class_that_had_left_was_not_asked_but_where_an_object_shows_it(asked: Party) -> None:
    whole = set_exhaustive(asked, "all")
    others = tuple(spec for spec in whole.file_preset.classes if spec.name != "horse")
    party = edit_classes(whole, others, NOW)
    plan = plan_release(party, year=2026)
    showing = {4, 5, 6, 7, 8, 15, 16}
    assert list_without(plan, "horse") == {*range(1, 17)} - showing


def keep_negatives(party: Party, keeps: bool) -> Party:
    export = replace(party.settings.export, negatives=keeps)
    return replace(party, settings=replace(party.settings, export=export))


def test_an_image_without_objects_shows_none_of_what_was_asked(
    asked: Party, tmp_path: Path
) -> None:
    with asked.catalogue.writing() as session:
        empty = add_image(session, asked, 17, [])
        of_image = update(Review).where(Review.annotation_id == empty.annotation_id)
        session.execute(of_image.values(is_complete=None))
    out = tmp_path / "out"
    export_release(keep_negatives(asked, True), out, year=2026, at=NOW)
    says = "1 of 17 images shows no object of the classes that were asked about;"
    assert says in (out / "DATASHEET.md").read_text()


def test_an_extension_keeps_images_without_objects_whatever_the_setting_says(
    asked: Party, tmp_path: Path
) -> None:
    with asked.catalogue.writing() as session:
        add_image(session, asked, 17, [])
    first = export_release(keep_negatives(asked, True), tmp_path / "first", year=2026, at=NOW)
    with asked.catalogue.writing() as session:
        add_image(session, asked, 18, [DOG])
    order = ReleaseOrder(extends="VOC2026")
    out = tmp_path / "more"
    party = keep_negatives(asked, False)
    plan = export_release(party, out, year=2026, at=NOW, name="MORE", order=order)
    assert len(plan.images) == len(first.images) + 1
    assert [violation.rule for violation in verify_tree(out)] == ["no-object"]
