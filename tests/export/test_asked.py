"""A release says which classes each image was asked about, and claims no more."""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pyarrow.parquet as pq
import pytest
from sqlalchemy import select, update

from catalog.party import Party, open_party
from catalog.states import Shows, Verdict
from catalog.tables import Annotation, Image, Photo, Presence, ReleaseImage, Review
from export.manifest import iterate_lines
from export.order import ReleaseOrder
from export.planning import plan_release
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
            session.add(
                Presence(
                    image_id=image_id,
                    class_id="dog",
                    shows=Shows.OTHER,
                    person_id=1,
                    judged_at=NOW,
                    set_aside_at=taken_back,
                )
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
