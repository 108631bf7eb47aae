"""A test set without its annotation is imported as pictures, and exported unchanged."""

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.party import Party, open_party
from catalog.states import Beside, ImageState, Verdict
from catalog.stats import load_party_counts
from catalog.tables import Annotation, Image, Photo, Review
from collect.takedown.job import TakedownOrder, run_order
from dedup.jobs import remove_duplicates
from dedup.overlap.ours import Scope, load_ours
from export.difference import compare_releases
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.importing.tree_image import ImportReport
from export.order import ReleaseOrder
from export.party_check import check_party, iterate_warnings
from export.planning import plan_release
from export.recorded import get_plan
from export.release import write_release
from operate.words import rename_word
from qa.difficulty import list_to_judge
from qa.load import load_checked_images
from qa.tables import load_finished, load_released
from tests.annotate_ui.house import API, House, thing
from tests.export.importing.test_job import count_rows
from tests.export.test_changed_classes import change
from tests.exporting import contents, export_release, verify_tree
from tests.party_rows import (
    NOW,
    Drawn,
    add_people,
    add_review,
    add_revision,
    jpeg_bytes,
    stock,
)
from tests.trees import CAT, HARD_CAT, annotation, make_tree, write
from vockit.format.image_sets import Split
from vockit.verify.check import check_folder
from vocparty import main

HIDDEN = "2012_000004"


def run(party: Party, folder: Path, name: str | None = None) -> ImportReport:
    return import_tree(party, DatasetOrder(folder, name=name), at=NOW)


def export_again(party: Party, folder: Path, year: int = 2012) -> dict[str, bytes]:
    export_release(party, folder, year=year, at=NOW)
    assert verify_tree(folder) == []
    return contents(folder / "VOCdevkit" / f"VOC{year}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_blind(tmp_path / "in")


def make_blind(folder: Path) -> Path:
    """A VOC2012 with every kind of set, whose test images have only their pictures."""
    root = make_tree(folder)
    (root / f"Annotations/{HIDDEN}.xml").unlink()
    for path in (root / "ImageSets/Main").glob("*_test.txt"):
        path.unlink()
    for task in ("Segmentation", "Action"):
        write(root / f"ImageSets/{task}/test.txt", f"{HIDDEN}\n")
    write(root / "ImageSets/Layout/test.txt", f"{HIDDEN}  1\n{HIDDEN}  2\n")
    assert verify_tree(root) == []
    return root


class Hidden(NamedTuple):
    """The rows of the image that came without its annotation."""

    image: Image
    revisions: list[Annotation]


def find_hidden(party: Party, image_id: str = HIDDEN) -> Hidden:
    with party.catalogue.reading() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == image_id)).one()
        assert photo.image is not None
        statement = select(Annotation).where(Annotation.image_id == photo.image.id)
        return Hidden(photo.image, list(session.scalars(statement.order_by(Annotation.id))))


def test_an_imported_blind_release_is_exported_byte_for_byte(
    any_party: Party, party_template: Path, tmp_path: Path
) -> None:
    make_challenge(party_template, tmp_path)
    report = run(any_party, tmp_path / "blind")
    assert (report.skipped, report.corrections, report.blind, report.imported) == ((), (), 4, 8)
    came = contents(tmp_path / "blind/VOCdevkit/VOC2026")
    assert export_again(any_party, tmp_path / "out", 2026) == came
    reports = check_party(any_party.folder, check_folder(tmp_path / "out"))
    assert [report.violations for report in reports] == [()]


def make_challenge(party_template: Path, folder: Path) -> None:
    """A release of another party in these folders, blind and opened."""
    shutil.copytree(party_template, folder / "organiser")
    with open_party(folder / "organiser") as organiser:
        order = ReleaseOrder(is_blind=True)
        export_release(stock(organiser), folder / "blind", year=2026, at=NOW, order=order)
        plan = replace(plan_release(organiser, year=2026), is_blind=False)
        write_release(organiser, plan, folder / "opened", at=NOW)


def test_the_opened_release_is_imported_over_the_padded_blind_one(
    any_party: Party, party_template: Path, tmp_path: Path
) -> None:
    make_challenge(party_template, tmp_path)
    run(any_party, tmp_path / "blind")
    report = run(any_party, tmp_path / "opened", "opened")
    assert (report.imported, report.were_there, report.skipped, report.corrections) == (
        4,
        4,
        (),
        (),
    )
    export_release(any_party, tmp_path / "out", year=2026, name="opened", at=NOW)
    came = contents(tmp_path / "opened/VOCdevkit/VOC2026")
    assert contents(tmp_path / "out/VOCdevkit/VOC2026") == came
    blind = contents(tmp_path / "blind/VOCdevkit/VOC2026")
    assert export_again(any_party, tmp_path / "again", 2026) == blind
    assert run(any_party, tmp_path / "opened", "opened").were_there == 8


def test_another_picture_named_like_a_hidden_image_is_skipped(party: Party, root: Path) -> None:
    run(party, root)
    give_annotation(root)
    write(root / f"JPEGImages/{HIDDEN}.jpg", jpeg_bytes(99))
    (skip,) = run(party, root, "opened").skipped
    assert "which has another file" in skip.reason


def test_a_hidden_image_keeps_all_its_sets(any_party: Party, root: Path, tmp_path: Path) -> None:
    report = run(any_party, root)
    assert (report.skipped, report.corrections, report.blind) == ((), (), 1)
    assert report.splits == {Split.TRAIN: 3, Split.VAL: 2, Split.TEST: 1}
    assert export_again(any_party, tmp_path / "out") == contents(root)
    manifest = json.loads((tmp_path / "out/release.json").read_text())
    (hidden,) = [image for image in manifest["images"] if image.get("is_blind")]
    assert hidden["id"] == HIDDEN
    assert {"objects", "revisions", "reviews"}.isdisjoint(hidden)  # none is not no object


@pytest.mark.parametrize("label", [-1, 1])
def test_labels_of_images_that_are_held_back_are_left_behind_and_named(
    party: Party, root: Path, tmp_path: Path, label: int
) -> None:
    unlabelled = contents(root)
    for name in ("cat", "person"):
        write(root / f"ImageSets/Main/{name}_test.txt", f"{HIDDEN} {label:2d}\n")
    assert {violation.rule for violation in verify_tree(root)} == (
        {"label-held-back"} if label < 0 else set()
    )
    named = {
        (Path(correction.file).name, correction.rule) for correction in run(party, root).corrections
    }
    assert named == {("cat_test.txt", "list"), ("person_test.txt", "list")}
    assert export_again(party, tmp_path / "out") == unlabelled


def rename_cats(party: Party) -> Party:
    """Rename a class, so that later editions have other lists than the imported tree."""
    return change(party, rename_word, "cat", "kitty")


def leave_classes(party: Party) -> Party:
    """Change no class."""
    return party


@pytest.mark.parametrize("settle", [leave_classes, rename_cats])
def test_an_edition_of_a_blind_tree_has_no_label_of_what_is_held_back(
    party: Party, root: Path, tmp_path: Path, settle: Callable[[Party], Party]
) -> None:
    run(party, root)
    correct_one(party)
    party = settle(party)
    order = ReleaseOrder(corrects="VOC2012")
    plan = export_release(party, tmp_path / "out", year=None, at=NOW, order=order)
    assert [image.public_id for image in plan.held_back] == [HIDDEN]
    assert verify_tree(tmp_path / "out") == []
    sets = tmp_path / "out/VOCdevkit/VOC2012/ImageSets"
    lists = (path for path in sets.rglob("*.txt") if HIDDEN in path.read_text())
    naming = {str(path.relative_to(sets)) for path in lists}
    assert naming == {f"{kind}/test.txt" for kind in ("Main", "Segmentation", "Action", "Layout")}
    labels = {path.name for kind in ("Main", "Action") for path in (sets / kind).glob("*_test.txt")}
    assert labels == set()
    manifest = json.loads((tmp_path / "out/release.json").read_text())
    (hidden,) = [image for image in manifest["images"] if image.get("is_blind")]
    assert "objects" not in hidden
    balance = json.loads((tmp_path / "out/splits.json").read_text())
    assert (balance["mean_deviation_points"], balance["held_back"]) == (None, {"test": 1})
    whole, *classes = balance["classes"]
    assert (whole["images"]["test"], whole["objects"]["test"]) == (1, None)
    assert {row[unit]["test"] for row in classes for unit in ("images", "objects")} == {None}
    sheet, card = (path.read_text() for path in ((tmp_path / "out").glob("[DR]*E*.md")))
    for text in (sheet, card):
        assert "The annotation of its test set is held back." in text
        assert "| train | val | trainval |\n" in text
    assert "off the wanted one" not in sheet


def correct_one(party: Party) -> None:
    """Draw a box of an image of val otherwise, as people do after reopening it."""
    with party.catalogue.writing() as session:
        add_people(session)
        photo = session.scalars(select(Photo).where(Photo.source_id == "2012_000003")).one()
        assert photo.image is not None
        drawn = [Drawn("cat", (4, 5, 40, 30))]
        old = photo.image.annotation_id
        revision = add_revision(session, photo.image, drawn, person_id=1, parent_id=old)
        photo.image.state = ImageState.CHECKED
        add_review(session, revision, Verdict.ACCEPT)


def test_a_difference_of_releases_does_not_count_held_back_objects_as_added(
    any_party: Party, party_template: Path, tmp_path: Path
) -> None:
    make_challenge(party_template, tmp_path)
    run(any_party, tmp_path / "blind")
    run(any_party, tmp_path / "opened", "opened")
    with any_party.catalogue.reading() as session:
        blind, opened = (get_plan(session, name) for name in ("VOC2026", "opened"))
    changes = [
        (line.field, line.was, line.is_now) for line in compare_releases(blind, opened).changes
    ]
    assert [line for line in changes if line[0] != "sha256"] == [
        ("annotation", "held back", "shown")
    ] * 4


def test_importing_a_blind_tree_twice_adds_nothing(any_party: Party, root: Path) -> None:
    run(any_party, root)
    before = count_rows(any_party)
    report = run(any_party, root)
    assert (report.imported, report.were_there, report.unreleased) == (0, 6, ())
    assert count_rows(any_party) == before


def test_a_hidden_image_does_not_count_as_empty(party: Party, root: Path) -> None:
    run(party, root)
    image, (revision,) = find_hidden(party)
    assert (image.state, image.annotation_id) == (ImageState.FETCHED, None)
    assert (revision.is_finished, revision.beside) == (False, Beside.IMPORTED)
    with party.catalogue.reading() as session:
        assert (
            session.scalars(select(Review).where(Review.annotation_id == revision.id)).all() == []
        )
        assert image.id not in {row.image_id for row in load_checked_images(session)}
        assert (len(load_finished(session)), len(load_released(session, "VOC2012"))) == (5, 5)
        counts = load_party_counts(session)
        assert (counts.imported, counts.revisions, counts.reviews) == (5, 0, 0)
        assert image.id not in {row.image_id for row in list_to_judge(session, ())}
        assert [ours.image_id for ours in load_ours(session, Scope("test", "VOC2012"))] == [
            image.id
        ]
        plan = get_plan(session, "VOC2012")
    assert plan is not None
    assert (len(plan.images), len(plan.annotated)) == (6, 5)
    words = ["release", "show", "VOC2012", "--party", str(party.folder)]
    shown = CliRunner().invoke(main, words)
    assert "It was imported without the annotation of 1 image of test." in shown.stdout


def test_the_history_says_that_a_hidden_image_was_imported(any_party: Party, root: Path) -> None:
    run(any_party, root)
    image_id = find_hidden(any_party).image.id
    page = House(any_party).olga().get(f"{API}/images/{image_id}/revisions").get_json()
    assert [(line["beside"], line["head"]) for line in page["revisions"]] == [("imported", False)]


def test_a_hidden_image_can_be_annotated(any_party: Party, root: Path, tmp_path: Path) -> None:
    run(any_party, root)
    remove_duplicates(any_party, workers=1, clock=lambda: NOW)
    house = House(any_party)
    ann = house.ann()
    chris = house.chris()
    task = ann.take()
    assert (task["image_id"], task["annotation"]) == (find_hidden(any_party).image.id, None)
    drawn = thing("a", **{"class": "cat"}, box=[2, 3, 50, 30], actions=[], parts=[])
    assert ann.save(task, [drawn]).status_code == 201
    assert chris.review(chris.take("check")).status_code == 201
    assert export_again(any_party, tmp_path / "again") == contents(root)
    order = ReleaseOrder(extends="VOC2012")
    plan = export_release(any_party, tmp_path / "out", year=2013, at=NOW, order=order)
    (annotated,) = [image for image in plan.images if image.public_id == HIDDEN]
    assert (annotated.split, annotated.form, plan.left_out) == (Split.TEST, None, ())
    assert verify_tree(tmp_path / "out") == []
    shown = tmp_path / "out/VOCdevkit/VOC2013"
    assert "<name>cat</name>" in (shown / f"Annotations/{HIDDEN}.xml").read_text()
    assert (shown / f"JPEGImages/{HIDDEN}.jpg").read_bytes() == jpeg_bytes(3)
    plan = plan_release(any_party, year=2014, name="revealed")
    assert "that the blind release VOC2012 holds back is shown" in next(
        iterate_warnings(any_party, plan)
    )


@pytest.mark.parametrize("is_blind", [False, True])
def test_an_extension_of_a_blind_tree_leaves_out_hidden_images_and_says_so(
    party: Party, root: Path, tmp_path: Path, is_blind: bool
) -> None:
    run(party, root)
    order = ReleaseOrder(extends="VOC2012", is_blind=is_blind)
    plan = export_release(party, tmp_path / "out", year=2013, at=NOW, order=order)
    assert verify_tree(tmp_path / "out") == []
    assert [omission.reason for omission in plan.left_out] == [
        f"its annotation is held back since {HIDDEN} was imported, and no other one passed checking"
    ]
    assert len(plan.images) == 5


def give_annotation(root: Path) -> None:
    """Add the annotation of the test set, as when it is released."""
    write(root / f"Annotations/{HIDDEN}.xml", annotation(HIDDEN, (CAT, HARD_CAT)))
    for task in ("Segmentation", "Action", "Layout"):
        (root / f"ImageSets/{task}/test.txt").unlink()
    write(root / "ImageSets/Main/cat_test.txt", f"{HIDDEN}  1\n")
    write(root / "ImageSets/Main/person_test.txt", f"{HIDDEN} -1\n")
    assert verify_tree(root) == []


def leave(_party: Party) -> None:
    """Do nothing before the annotation comes."""


def search_duplicates(party: Party) -> None:
    remove_duplicates(party, workers=1, clock=lambda: NOW)


@pytest.mark.parametrize("meanwhile", [leave, search_duplicates])
def test_an_annotation_released_later_is_imported_as_checked(
    any_party: Party, root: Path, tmp_path: Path, meanwhile: Callable[[Party], None]
) -> None:
    run(any_party, root)
    before = contents(root)
    meanwhile(any_party)
    give_annotation(root)
    report = run(any_party, root, "opened")
    assert (report.imported, report.were_there, report.skipped, report.corrections) == (
        1,
        5,
        (),
        (),
    )
    image, revisions = find_hidden(any_party)
    assert (image.state, image.annotation_id) == (ImageState.CHECKED, revisions[-1].id)
    export_release(any_party, tmp_path / "opened", year=2012, name="opened", at=NOW)
    assert contents(tmp_path / "opened/VOCdevkit/VOC2012") == contents(root)
    assert export_again(any_party, tmp_path / "blind") == before
    assert run(any_party, root, "opened").were_there == 6


def test_a_recorded_blind_release_stays_blind(party: Party, root: Path, tmp_path: Path) -> None:
    run(party, root)
    before = contents(root)
    give_annotation(root)
    assert [(skip.image_id, skip.reason) for skip in run(party, root).skipped] == [
        (
            HIDDEN,
            "the release is recorded without its annotation; import the tree with another --name",
        )
    ]
    assert find_hidden(party).image.state is ImageState.FETCHED
    assert export_again(party, tmp_path / "blind") == before


def test_a_late_annotation_does_not_replace_work_in_progress(any_party: Party, root: Path) -> None:
    run(any_party, root)
    search_duplicates(any_party)
    ann = House(any_party).ann()
    task = ann.take()
    give_annotation(root)
    (skip,) = run(any_party, root, "opened").skipped
    assert "has other objects under its identifier" in skip.reason
    assert find_hidden(any_party).image.state is ImageState.ANNOTATING
    assert ann.save(task, [thing(box=[2, 3, 50, 30], parts=[])]).status_code == 201


def test_a_blind_tree_keeps_annotated_images(party: Party, root: Path, tmp_path: Path) -> None:
    give_annotation(root)
    run(party, root)
    report = run(party, make_blind(tmp_path / "blind"), "blind")
    assert [(skip.image_id, skip.reason.partition(" of ")[2]) for skip in report.skipped] == [
        (HIDDEN, "the party came with the annotation that is held back here")
    ]


def test_a_taken_down_hidden_image_is_withdrawn(party: Party, root: Path, tmp_path: Path) -> None:
    run(party, root)
    order = TakedownOrder((f"voc:{HIDDEN}",), (), "its owner asked", erase=True)
    run_order(party, order, now=lambda: NOW)
    again = export_again(party, tmp_path / "out")
    assert again["ImageSets/Main/test.txt"] == b""
    assert json.loads((tmp_path / "out/release.json").read_text())["withdrawn"] == [HIDDEN]
    assert [skip.reason for skip in run(party, root).skipped] == ["it was taken down"]
