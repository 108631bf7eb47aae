"""A tree is imported with all its fields and exported unchanged, and the command reports it."""

import errno
import io
import json
import os
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner, Result
from PIL import Image as Picture
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.errors import ImageMissingError, ImageStoreError
from catalog.image_store import digest_of
from catalog.party import Party, follow_classes
from catalog.states import ImageState, PhotoState, Source, Verdict
from catalog.tables import (
    Annotation,
    BlockedOwner,
    Image,
    Object,
    Part,
    Person,
    Photo,
    Query,
    Release,
    Review,
    Segment,
)
from collect.takedown.erase import Erasure, erase_files
from collect.takedown.job import TakedownOrder, run_order
from export.errors import ExportError
from export.importing import job
from export.importing.dataset_image import DatasetOrder
from export.importing.import_run import Import
from export.importing.job import import_tree
from export.importing.rows import store_images
from export.importing.tree_image import ImportReport, ImportTreeError, TreeImage
from export.order import ReleaseOrder
from export.party_check import iterate_warnings
from export.planning import plan_release
from operate.words import rename_word
from tests import trees
from tests.exporting import contents, export_release, verify_tree
from tests.party_rows import Drawn, add_people, add_review, add_revision, jpeg_bytes
from tests.rows import load_rows, make_image
from vockit.errors import TreeError, TreeNotFoundError
from vockit.format.image_sets import Split
from vockit.verify.check import check_folder
from vocparty import main

DOG_LABEL = 12
UNSPECIFIED_POSE = b"\t\t<pose>Unspecified</pose>\n"
"""What readers in use stop without; the recorded release has the files as they came."""
NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
MASKED = "2012_000001"
MASK_FOLDERS = ("SegmentationClass", "SegmentationObject")
SAMPLES = Path(__file__).parents[4] / "shared" / "samples"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return trees.make_tree(tmp_path / "in")


def run(party: Party, folder: Path, **more: Any) -> ImportReport:
    return import_tree(party, DatasetOrder(folder, **more), at=NOW)


def count(party: Party, table: type) -> int:
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def count_rows(party: Party) -> list[int]:
    tables = (Image, Photo, Annotation, Object, Part, Review, Person, Query, Release)
    return [count(party, table) for table in tables]


def test_every_image_is_imported_with_all_fields_of_its_file(any_party: Party, root: Path) -> None:
    report = run(any_party, root)
    assert (report.imported, report.were_there, report.skipped) == (6, 0, ())
    assert report.splits == {Split.TRAIN: 3, Split.VAL: 2, Split.TEST: 1}
    assert report.masks == 1
    with any_party.catalogue.reading() as session:
        photo = session.scalars(select(Photo).where(Photo.source_id == "2012_000002")).one()
        assert photo.image is not None
        image = photo.image
        revision = photo.image.annotation
        assert revision is not None
        assert (photo.source, photo.state) == (Source.VOC, PhotoState.FETCHED)
        assert image.state is ImageState.CHECKED
        assert image.sha256 == digest_of(jpeg_bytes(1))
        assert any_party.store.get(image.sha256) == jpeg_bytes(1)
        assert revision.is_finished
        hard_cat, person = revision.objects
        assert (hard_cat.class_name, hard_cat.difficult, hard_cat.view) == ("cat", True, "Rear")
        assert [part.word for part in person.parts] == ["head"]
        walker = session.scalars(select(Object).order_by(Object.id.desc())).first()
        assert walker is not None
        assert walker.actions == ["walking"]
        assert photo.query is not None
        assert (photo.query.source, photo.query.keyword) == (Source.VOC, "VOC2012")


def test_the_person_row_of_an_import_can_never_sign_in(party: Party, root: Path) -> None:
    run(party, root)
    with party.catalogue.reading() as session:
        (person,) = session.scalars(select(Person))
        assert person.name == "import VOC2012"
        assert person.ended_at == NOW


def export_again(party: Party, folder: Path, year: int = 2012) -> dict[str, bytes]:
    export_release(party, folder, year=year, at=NOW)
    return contents(folder / "VOCdevkit" / f"VOC{year}")


def test_a_valid_tree_is_exported_as_it_was(any_party: Party, root: Path, tmp_path: Path) -> None:
    assert [report.violations for report in check_folder(root)] == [()]
    report = run(any_party, root)
    assert report.corrections == ()
    assert export_again(any_party, tmp_path / "out") == contents(root)
    assert [report.violations for report in check_folder(tmp_path / "out")] == [()]


def test_an_image_keeps_its_set_per_folder(party: Party, root: Path, tmp_path: Path) -> None:
    for name, text in (("train", ""), ("val", "2012_000001\n")):
        trees.write(root / f"ImageSets/Segmentation/{name}.txt", text)
    assert run(party, root).corrections == ()
    assert export_again(party, tmp_path / "out") == contents(root)


def test_imported_masks_are_kept_by_extensions(party: Party, root: Path, tmp_path: Path) -> None:
    run(party, root)
    order = ReleaseOrder(extends="VOC2012")
    export_release(party, tmp_path / "out", year=2013, at=NOW, order=order)
    again = contents(tmp_path / "out/VOCdevkit/VOC2013")
    path = "SegmentationObject/2012_000001.png"
    assert again[path] == (root / path).read_bytes()
    assert again["ImageSets/Segmentation/train.txt"] == b"2012_000001\n"


def test_a_new_release_has_all_imports(any_party: Party, root: Path, tmp_path: Path) -> None:
    run(any_party, root)
    plan = export_release(any_party, tmp_path / "new", year=2030, at=NOW)
    out = tmp_path / "new" / "VOCdevkit" / "VOC2030"
    assert verify_tree(out) == []
    for image in plan.images:
        for folder in ("Annotations", "SegmentationClass", "SegmentationObject"):
            name = f"{folder}/{image.public_id}"
            for path in root.glob(f"{name}.*"):
                data = path.read_bytes().replace(b"<folder>VOC2012", b"<folder>VOC2030")
                if folder == "Annotations" and b"<pose>" not in data:
                    data = data.replace(b"</name>\n", b"</name>\n" + UNSPECIFIED_POSE)
                assert (out / path.relative_to(root)).read_bytes() == data
    assert len(list((out / "SegmentationObject").iterdir())) == 1
    segmented = [(out / f"ImageSets/Segmentation/{name}.txt").read_text() for name in trees.SETS]
    assert "2012_000001" in "".join(segmented)


def test_masks_of_changed_objects_are_left_out(party: Party, root: Path, tmp_path: Path) -> None:
    run(party, root)
    with party.catalogue.writing() as session:
        image = session.scalars(select(Image).order_by(Image.id)).first()
        assert image is not None
        add_people(session)
        chris = session.scalars(select(Person.id).where(Person.name == "chris")).one()
        earlier = image.annotation_id
        drawn = add_revision(session, image, [Drawn("cat"), Drawn("dog")], person_id=chris)
        drawn.parent_id = earlier
        add_review(session, drawn, Verdict.ACCEPT)
    plan = plan_release(party, year=2030)
    changed = next(planned for planned in plan.images if planned.row.id == image.id)
    assert "The masks of 1 image are left out" in "".join(iterate_warnings(party, plan))
    record = plan.record(changed)
    assert (record.source and record.source.database) == "The Example Database"
    assert (record.segmented, len(record.objects)) == (False, 2)
    export_release(party, tmp_path / "new", year=2030, at=NOW)
    assert verify_tree(tmp_path / "new") == []


def test_names_the_kit_cannot_read_are_replaced(party: Party, root: Path, tmp_path: Path) -> None:
    for path in [path for path in root.rglob("*") if path.is_file()]:
        if path.suffix in (".txt", ".xml"):
            path.write_text(path.read_text().replace("2012_000003", "tom-cat"))
        path.rename(path.with_name(path.name.replace("2012_000003", "tom-cat")))
    run(party, root)
    plan = export_release(party, tmp_path / "new", year=2030, at=NOW)
    assert verify_tree(tmp_path / "new") == []
    assert plan.notes.renamed == {"2030_000001": "tom-cat"}
    manifest = json.loads((tmp_path / "new" / "release.json").read_text())
    names = {image["id"]: image.get("old_name") for image in manifest["images"]}
    assert names["2030_000001"] == "tom-cat"
    assert set(names.values()) == {None, "tom-cat"}
    assert "tom-cat" in (tmp_path / "new" / "DATASHEET.md").read_text()
    assert "1 image got new names" in "".join(iterate_warnings(party, plan))
    again = export_release(party, tmp_path / "2007", year=2007, at=NOW)
    assert "tom-cat" in {image.public_id for image in again.images}
    order = ReleaseOrder(extends="VOC2012")
    extended = export_release(party, tmp_path / "more", year=2031, at=NOW, order=order)
    assert "2030_000001" in {image.public_id for image in extended.images}
    assert verify_tree(tmp_path / "more") == []
    assert export_again(party, tmp_path / "old") == contents(root)


def keep_one_list(root: Path) -> None:
    for path in (root / "ImageSets/Main").glob("*"):
        if path.name != "train.txt":
            path.unlink()


def end_lines_otherwise(root: Path) -> None:
    path = root / "ImageSets/Main/cat_train.txt"
    trees.write(path, path.read_bytes().replace(b"\n", b"\r\n"))


def add_files(root: Path) -> None:
    trees.write(root / "README", "hello")
    trees.write(root / "ImageSets/Main/notes.txt", "2012_000001\n")
    trees.write(root / "ImageSets/Other/train.txt", "2012_000001\n")


NO_MASK = (
    "mask-missing 2012_000001.xml:1: it is in no set of Segmentation any more, since it has not "
    "both masks"
)
NOT_SEGMENTED = (
    "segmented 2012_000001.xml:14: <segmented> became 0, which says whether both masks are there"
)


@pytest.mark.parametrize(
    ("damage", "expected"),
    [
        (
            trees.drop("SegmentationObject/2012_000001.png"),
            {NO_MASK, NOT_SEGMENTED, "list train.txt:1: the line '2012_000001' is left out"},
        ),
        (
            trees.put("SegmentationClass/2012_000001.png", trees.mask_bytes(61, 40)),
            {
                NO_MASK,
                "mask-size 2012_000001.png:1: the mask is left behind: expected the size of the "
                "picture, 60 x 40, got 61 x 40",
            },
        ),
        (
            trees.put("SegmentationObject/2012_000001.png", trees.mask_bytes(label=2)),
            {
                NO_MASK,
                "mask-label 2012_000001.png:1: the mask is left behind: expected labels from 0 to "
                "1 and 255, got 2",
            },
        ),
        (keep_one_list, {"set-missing val.txt:1: it was not there and is written, with 0 lines"}),
        (
            end_lines_otherwise,
            {"line-end cat_train.txt:1: it is written with LF alone as the line end"},
        ),
        (
            trees.edit("ImageSets/Main/cat_train.txt", " 1\n", "-1\n"),
            {"list cat_train.txt:1: '2012_000001 -1' is written as '2012_000001  1'"},
        ),
        (
            add_files,
            {
                "list notes.txt:1: it is left behind: no release has it",
                "other-file README:1: it is left behind: no release has it",
                "other-file Other:1: it is left behind: no release has it",
            },
        ),
        (
            trees.edit("Annotations/2012_000001.xml", "\t<size>", "\t<tool>x</tool>\n\t<size>"),
            {"unknown-element 2012_000001.xml:9: <tool> is left behind; no release has it"},
        ),
    ],
)
def test_every_difference_of_an_import_is_reported(
    party: Party, root: Path, tmp_path: Path, damage: trees.Damage, expected: set[str]
) -> None:
    damage(root)
    report = run(party, root)
    said = {
        f"{correction.rule} {Path(correction.file).name}:{correction.line}: {correction.message}"
        for correction in report.corrections
    }
    assert said >= expected
    before = contents(root)
    again = export_again(party, tmp_path / "out")
    paths = {path for path in before | again if Path(path).stem not in report.unreleased}
    differ = {path for path in paths if before.get(path) != again.get(path)}
    named = [Path(correction.file) for correction in report.corrections]
    assert all(any((root / path).is_relative_to(name) for name in named) for path in differ)
    assert [report.violations for report in check_folder(tmp_path / "out")] == [()]


def test_importing_a_tree_twice_adds_nothing(any_party: Party, root: Path) -> None:
    run(any_party, root)
    before = count_rows(any_party)
    report = run(any_party, root)
    assert (report.imported, report.were_there) == (0, 6)
    assert count_rows(any_party) == before


def test_a_cut_import_can_resume(party: Party, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace_file = os.replace
    left = iter(range(5))  # three pictures and two masks

    def full(source: str, target: str) -> None:
        if next(left, None) is None:
            raise OSError(errno.ENOSPC, "No space left on device")
        replace_file(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", full)
        patch.setattr(job, "THREADS", 1)
        with pytest.raises(ImageStoreError, match="No space left"):
            run(party, root)
    assert (count(party, Image), count(party, Release)) == (3, 0)
    assert_all_files_have_rows(party)
    report = run(party, root)
    assert (report.imported, report.were_there) == (3, 3)
    assert sum(report.splits.values()) == 6


def assert_all_files_have_rows(party: Party) -> None:
    """Files without rows would never be found or erased; masks get their rows last."""
    with party.catalogue.reading() as session:
        masks = {digest_of(trees.mask_bytes(label=label)) for label in (1, trees.CAT_LABEL)}
        files = {*masks, *session.scalars(select(Image.sha256))}
    assert files >= set(party.store.digests())
    assert party.store.folder is not None
    assert not list(party.store.folder.rglob("*.part"))


def test_a_picture_deleted_before_its_row_stops_the_import_and_a_rerun_works(
    any_party: Party, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:

    def delete_and_store(
        session: Session, run: Import, items: Sequence[TreeImage], **more: Any
    ) -> Any:
        any_party.store.delete(items[0].file.sha256)
        return store_images(session, run, items, **more)

    with monkeypatch.context() as patches:
        patches.setattr(job, "store_images", delete_and_store)
        with pytest.raises(ImageMissingError, match="the same command goes on"):
            run(any_party, root)
    assert count(any_party, Image) == 0
    assert run(any_party, root).imported == 6
    assert len(list(any_party.store.digests())) >= 6


def test_an_error_in_one_image_skips_only_that_image(party: Party, root: Path) -> None:
    (root / "JPEGImages/2012_000001.jpg").unlink()
    (root / "Annotations/2012_000002.xml").unlink()
    trees.write(root / "JPEGImages/2012_000003.jpg", jpeg_bytes(2)[:-300])
    trees.write(root / "Annotations/2012_000004.xml", "<annotation><object></annotation>")
    lonely = root / "Annotations/2012_000005.xml"
    trees.write(lonely, re.sub("\t<object>.*</object>\n", "", lonely.read_text(), flags=re.DOTALL))
    report = run(party, root)
    assert report.imported == 1
    reasons = {skip.image_id[-1]: skip.reason for skip in report.skipped}
    assert reasons["1"] == "it has no picture"
    assert reasons["2"] == "it has no annotation"
    assert reasons["3"].startswith("its picture is no whole JPEG")
    assert reasons["4"].startswith("its annotation cannot be read: line 1: not XML")
    assert reasons["5"].startswith("it has no object")


def test_unannotated_test_images_are_skipped(party: Party, root: Path, tmp_path: Path) -> None:
    trees.write(root / "JPEGImages/2012_000007.jpg", jpeg_bytes(7))
    trees.write(root / "ImageSets/Main/test.txt", "2012_000004\n2012_000007\n")
    report = run(party, root)
    assert [(skip.image_id, skip.reason) for skip in report.skipped] == [
        (
            "2012_000007",
            "it is in test and has no annotation; import the tree again when that is released",
        )
    ]
    messages = {Path(correction.file).name: correction.message for correction in report.corrections}
    assert messages["test.txt"] == "the line '2012_000007' is left out"
    assert digest_of(jpeg_bytes(7)) not in set(party.store.digests())
    export_release(party, tmp_path / "out", year=2012, at=NOW)
    assert [report.violations for report in check_folder(tmp_path / "out")] == [()]


def test_unknown_classes_are_reported_before_anything_is_stored(party: Party, root: Path) -> None:
    zebra = replace(trees.CAT, name="zebra")
    trees.write(
        root / "Annotations/2012_000001.xml", trees.annotation("2012_000001", (trees.CAT, zebra))
    )
    trees.write(root / "Annotations/2012_000003.xml", trees.annotation("2012_000003", (zebra,)))
    with pytest.raises(ImportTreeError, match=r"class zebra \(2\).*--only-known"):
        run(party, root)
    assert (count(party, Image), count(party, Person)) == (0, 0)
    report = run(party, root, only_known=True)
    assert report.imported == 5
    assert [skip.image_id for skip in report.skipped] == ["2012_000003"]
    unknown = [
        correction.message for correction in report.corrections if correction.rule == "unknown"
    ]
    assert unknown == ["left out class zebra"] * 2


@pytest.mark.parametrize("state", [ImageState.POOL, ImageState.TAKEN_DOWN])
def test_a_known_image_is_skipped(any_party: Party, root: Path, state: ImageState) -> None:
    file = digest_of(jpeg_bytes(0))
    with any_party.catalogue.writing() as session:
        session.add(make_image(file, NOW, width=60, height=40, state=state))
    report = run(any_party, root)
    ((skipped, reason),) = [(skip.image_id, skip.reason) for skip in report.skipped]
    assert (skipped, report.imported) == (MASKED, 5)
    assert reason == f"its file is that of image 1 of the party, which is {state.value}"
    if state is ImageState.TAKEN_DOWN:
        assert not {file, digest_of(trees.mask_bytes())} & set(any_party.store.digests())


@pytest.mark.parametrize("form", ["PNG", "WEBP", "BMP", "TIFF"])
def test_a_picture_of_another_format_becomes_jpeg_and_is_named(
    party: Party, root: Path, form: str
) -> None:
    (root / "JPEGImages/2012_000001.jpg").unlink()
    name = f"2012_000001.{form.lower()}"
    (root / f"JPEGImages/{name}").write_bytes(jpeg_bytes(1, form=form))
    report = run(party, root)
    assert (report.imported, report.skipped) == (6, ())
    (change,) = [change for change in report.corrections if change.rule == "picture-format"]
    assert change.file.endswith(name)


def test_the_first_of_two_images_with_one_file_is_imported(any_party: Party, root: Path) -> None:
    trees.write(
        root / "JPEGImages/2012_000003.jpg", (root / "JPEGImages/2012_000002.jpg").read_bytes()
    )
    report = run(any_party, root)
    (skip,) = report.skipped
    assert skip.image_id == "2012_000003"
    assert skip.reason == "its picture is the same file as that of 2012_000002"
    assert report.imported == count(any_party, Image) == count(any_party, Photo) == 5


def withdraw(party: Party, _root: Path) -> None:
    with party.catalogue.writing() as session:
        session.get_one(Photo, 1).state = PhotoState.WITHDRAWN


def block_owner(party: Party, _root: Path) -> None:
    with party.catalogue.writing() as session:
        session.add(BlockedOwner(owner_id="ann", reason="takedown: she asked", blocked_at=NOW))


def draw_otherwise(_party: Party, root: Path) -> None:
    trees.write(
        root / f"Annotations/{MASKED}.xml", trees.annotation(MASKED, (trees.CAT, trees.CAT))
    )


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (withdraw, "it was taken down"),
        (block_owner, "its owner ann is excluded (takedown: she asked)"),
        (draw_otherwise, "image 1 of the party has other objects under its identifier"),
    ],
)
def test_a_known_image_that_is_skipped_has_a_reason(
    party: Party, root: Path, change: Callable[[Party, Path], None], reason: str
) -> None:
    path = root / f"Annotations/{MASKED}.xml"
    owner = "\t<owner>\n\t\t<flickrid>ann</flickrid>\n\t\t<name>Ann</name>\n\t</owner>\n"
    trees.write(path, path.read_text().replace("\t<size>", f"{owner}\t<size>"))
    run(party, root)
    change(party, root)
    report = run(party, root, name="another")
    assert [(skip.image_id, skip.reason) for skip in report.skipped] == [(MASKED, reason)]


def test_the_name_of_an_own_release_is_refused_for_an_import(party: Party, root: Path) -> None:
    with party.catalogue.writing() as session:
        session.add(Release(name="VOC2012", year=2012, settings={}, created_at=NOW))
    with pytest.raises(ImportTreeError, match="--name"):
        run(party, root)
    assert run(party, root, name="theirs").imported == 6


def test_a_tree_without_a_year_needs_the_option(party: Party, root: Path, tmp_path: Path) -> None:
    root = root.rename(tmp_path / "zoo")
    with pytest.raises(ImportTreeError, match="--year"):
        run(party, root)
    report = run(party, root, year=2009)
    assert (report.name, report.year) == ("VOC2009", 2009)


def test_a_folder_with_two_or_no_trees_is_refused(party: Party, root: Path, tmp_path: Path) -> None:
    shutil.copytree(root, root.with_name("VOC2011"))
    with pytest.raises(TreeError, match="holds 2 trees"):
        run(party, root.parent)
    (tmp_path / "empty").mkdir()
    with pytest.raises(TreeNotFoundError):
        run(party, tmp_path / "empty")


def test_a_tree_without_any_valid_image_is_refused(party: Party, root: Path) -> None:
    shutil.rmtree(root / "JPEGImages")
    with pytest.raises(ExportError, match="it has no picture"):
        run(party, root)
    assert count(party, Release) == 0


def unlist(root: Path, image_id: str) -> None:
    for path in (root / "ImageSets").rglob("*.txt"):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith(image_id)))


def list_left_behind(report: ImportReport) -> set[str]:
    return {
        Path(correction.file).parent.name
        for correction in report.corrections
        if "left behind" in correction.message
    }


def test_masks_of_an_unlisted_image_are_reported_but_not_stored(party: Party, root: Path) -> None:
    unlist(root, MASKED)
    report = run(party, root)
    assert (report.imported, report.unreleased, report.masks) == (6, (MASKED,), 0)
    assert list_left_behind(report) == set(MASK_FOLDERS)
    stored = set(party.store.digests())
    assert digest_of(trees.mask_bytes()) not in stored
    assert stored == {digest_of(jpeg_bytes(number)) for number in range(6)}


def test_masks_added_after_the_first_import_are_not_stored(any_party: Party, root: Path) -> None:
    run(any_party, root)
    late = "2012_000007"
    trees.write(root / f"Annotations/{late}.xml", trees.annotation(late, (trees.CAT,)))
    trees.write(root / f"JPEGImages/{late}.jpg", jpeg_bytes(99))
    trees.write(root / "ImageSets/Main/test.txt", f"2012_000004\n{late}\n")
    for folder in MASK_FOLDERS:
        trees.write(root / folder / f"{late}.png", trees.mask_bytes(border_px=7))
    report = run(any_party, root)
    assert (report.imported, report.were_there, report.unreleased) == (1, 6, (late,))
    assert digest_of(trees.mask_bytes(border_px=7)) not in set(any_party.store.digests())


def test_erased_files_are_not_stored_again(any_party: Party, root: Path) -> None:
    run(any_party, root)
    order = TakedownOrder((f"voc:{MASKED}",), (), "the owner asked", erase=True)
    run_order(any_party, order, now=lambda: NOW)
    left = set(any_party.store.digests())
    assert not left & {digest_of(jpeg_bytes(0)), digest_of(trees.mask_bytes())}
    assert load_rows(any_party, select(Segment.rings)) == [[]]
    report = run(any_party, root)
    assert [(skip.image_id, skip.reason) for skip in report.skipped] == [
        (MASKED, "it was taken down")
    ]
    assert set(any_party.store.digests()) == left
    assert erase_files(any_party, None, at=NOW) == Erasure()


@pytest.mark.skipif(
    not SAMPLES.is_dir(),
    reason="The samples of real VOC releases are not part of the repository, and are not here.",
)
@pytest.mark.parametrize("name", ["voc2007", "voc2012"])
def test_real_files_are_exported_as_imported(party: Party, tmp_path: Path, name: str) -> None:
    root = tmp_path / name
    year = int(name[3:])
    shutil.copytree(SAMPLES / name, root)
    ids = sorted(path.stem for path in (root / "Annotations").iterdir())
    ids = [image_id for image_id in ids if (root / f"JPEGImages/{image_id}.jpg").exists()]
    for folder in ("ImageSets", "SegmentationClass", "SegmentationObject"):  # of a few images each
        shutil.rmtree(root / folder, ignore_errors=True)
    for set_name in ("train", "trainval"):
        trees.write(
            root / f"ImageSets/Main/{set_name}.txt", "".join(f"{image_id}\n" for image_id in ids)
        )
    report = run(party, root, year=year)
    corrected = {
        Path(correction.file).stem
        for correction in report.corrections
        if "/Annotations/" in correction.file
    }
    assert corrected == ({"2011_003353"} if year == 2012 else set())  # a fraction of a pixel
    again = export_again(party, tmp_path / "out", year)
    for image_id in ids:
        path = f"Annotations/{image_id}.xml"
        assert (again[path] == (root / path).read_bytes()) is (image_id not in corrected)
        path = f"JPEGImages/{image_id}.jpg"
        assert again[path] == (root / path).read_bytes()
    assert len(ids) >= 6


def call(party: Party, root: Path, *words: str) -> Result:
    command = ["import", "dataset", str(root), "--party", str(party.folder), *words]
    return CliRunner().invoke(main, command)


def test_the_command_counts_imported_and_skipped_images(party: Party, root: Path) -> None:
    (root / "Annotations/2012_000003.xml").unlink()
    done = call(party, root)
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "Read as VOC tree; its sets are kept, its annotations count as checked.\n"
        "Imported 5 images; skipped 1. They have 8 objects and segmentation masks of 1 image. "
        "The release VOC2012 has 3 train, 1 val, 1 test.\n"
    )
    assert (
        "5 images have no licence, because VOC trees record none. Make sure that you may use them; "
        "--licence sets one." in done.stderr
    )
    assert "Skipped 2012_000003: it has no annotation." in done.stderr
    assert "Changed in 8 files: list: val.txt:1: the line '2012_000003' is left" in done.stderr


def test_corrections_of_a_skipped_file_are_not_reported(party: Party, root: Path) -> None:
    path = root / "Annotations/2012_000003.xml"
    path.write_text(path.read_text().replace("\t", "  "))
    (root / "JPEGImages/2012_000003.jpg").write_bytes(b"no picture")
    done = call(party, root)
    assert "Skipped 2012_000003: " in done.stderr
    assert "2012_000003.xml" not in done.stderr


def test_the_json_lists_every_correction_with_its_place(party: Party, root: Path) -> None:
    path = root / "Annotations/2012_000001.xml"
    trees.write(path, path.read_text().replace("<xmin>2<", "<xmin>2.6<").replace("\t", "  "))
    done = call(party, root, "--json")
    document = json.loads(done.stdout)
    assert document["splits"] == {"train": 3, "val": 2, "test": 1}
    changes = {change["rule"]: change for change in document["corrections"]}
    assert changes["box"]["message"].endswith("was 2.6, 3, 50, 30 and became 3, 3, 50, 30")
    assert changes["box"]["file"] == str(path)


def test_a_required_licence_refuses_the_whole_tree(party: Party, root: Path) -> None:
    done = call(party, root, "--require-licence")
    assert done.exit_code == 2
    assert "A VOC tree records no licence of its photographs" in done.stderr
    assert load_rows(party, select(Photo)) == []


def test_a_licence_that_is_named_is_that_of_each_photograph(party: Party, root: Path) -> None:
    done = call(party, root, "--licence", "4", "--require-licence")
    assert done.exit_code == 0, done.output
    assert "no licence" not in done.stderr
    licences = {photo.licence_id for photo in load_rows(party, select(Photo))}
    assert licences == {"4"}


def test_a_dry_run_counts_what_the_import_takes_and_writes_nothing(
    any_party: Party, root: Path
) -> None:
    (root / "JPEGImages/2012_000004.jpg").write_bytes(jpeg_bytes(0))
    before = count_rows(any_party)
    dry = run(any_party, root, is_dry=True)
    assert count_rows(any_party) == before
    assert list(any_party.store.digests()) == []
    real = run(any_party, root)
    assert [skip.image_id for skip in dry.skipped] == ["2012_000004"]
    assert replace(dry, is_dry=False) == real
    again = run(any_party, root, is_dry=True)
    assert (again.imported, again.were_there, again.splits) == (0, 5, real.splits)


def test_the_command_says_that_a_dry_run_wrote_nothing(party: Party, root: Path) -> None:
    done = call(party, root, "--dry-run")
    assert "Would import 6 images; skipped 0." in done.stdout
    assert "would have 3 train, 2 val, 1 test. Nothing was written.\n" in done.stdout
    assert json.loads(call(party, root, "--dry-run", "--json").stdout)["form"] == "VOC tree"


def test_classes_of_a_tree_are_mapped_with_their_lists_and_masks(
    party: Party, root: Path, tmp_path: Path
) -> None:
    done = call(party, root, "--map", "cat=dog", "--json")
    changes = json.loads(done.stdout)["corrections"]
    assert "cat became dog, as --map says" in {change["message"] for change in changes}
    again = export_again(party, tmp_path / "out")
    assert b">cat<" not in again["Annotations/2012_000001.xml"]
    assert again["ImageSets/Main/dog_train.txt"] == (
        (root / "ImageSets/Main/cat_train.txt").read_bytes()
    )
    with Picture.open(io.BytesIO(again["SegmentationClass/2012_000001.png"])) as mask:
        assert DOG_LABEL in np.unique(np.asarray(mask))
    assert [report.violations for report in check_folder(tmp_path / "out")] == [()]


def test_objects_of_a_class_that_is_mapped_to_nothing_are_left_out(
    party: Party, root: Path
) -> None:
    report = run(party, root, words={"cat": "", "lynx": ""})
    assert report.unused_words == ("lynx",)
    assert {item.class_name for item in load_rows(party, select(Object))} == {"person"}
    rules = [change.rule for change in report.corrections]
    assert rules.count("left-out") == 4
    assert {skip.image_id for skip in report.skipped} == {"2012_000001", "2012_000004"}


def make_tree_of_one_owner(root: Path) -> Path:
    """Ten images of which each file names the dataset's author, as some programs write."""
    owner = "</source>\n\t<owner>\n\t\t<flickrid>author</flickrid>\n\t</owner>"
    ids = [f"2012_{number:06}" for number in range(1, 11)]
    for number, image_id in enumerate(ids):
        text = trees.annotation(image_id, (trees.CAT,)).replace("</source>", owner)
        trees.write(root / f"Annotations/{image_id}.xml", text)
        trees.write(root / f"JPEGImages/{image_id}.jpg", jpeg_bytes(number))
    trees.write(root / "ImageSets/Main/train.txt", "".join(f"{image_id}\n" for image_id in ids))
    return root


def test_a_release_without_a_training_set_is_refused_and_owners_need_not_bind(
    party: Party, tmp_path: Path
) -> None:
    root = make_tree_of_one_owner(tmp_path / "VOC2012")
    run(party, root)
    with pytest.raises(ExportError, match=r"none of 10 images is in train.*--no-owners"):
        plan_release(party, year=2030)
    forced = plan_release(party, year=2030, order=ReleaseOrder(is_forced=True))
    assert forced.notes.forced == ("none of 10 images is in train",)


def test_owners_that_are_no_photographers_bind_no_images(party: Party, tmp_path: Path) -> None:
    root = make_tree_of_one_owner(tmp_path / "VOC2012")
    assert call(party, root, "--no-owners").exit_code == 0
    assert {photo.owner_id for photo in load_rows(party, select(Photo))} == {None}
    plan = plan_release(party, year=2030)
    assert Split.TRAIN in {image.split for image in plan.images}
    assert plan.notes.forced == ()


def test_unknown_classes_of_a_tree_are_told_with_the_line_to_paste(
    party: Party, root: Path
) -> None:
    path = root / "Annotations/2012_000001.xml"
    path.write_text(path.read_text().replace("cat", "Cat"))
    done = call(party, root)
    assert done.exit_code == 2
    assert "class Cat (1)" in done.stderr
    assert done.stderr.rstrip().endswith("--map Cat=cat")
    assert call(party, root, "--map", "Cat=lynx").exit_code == 2


def test_options_of_trees_are_refused_for_other_forms(party: Party, root: Path) -> None:
    shutil.rmtree(root / "ImageSets")
    for option in (["--only-known"], ["--year", "2012"]):
        done = call(party, root, *option)
        assert done.exit_code == 2
        assert "are for whole VOC trees" in done.stderr
    assert call(party, root, "--only-known", "--format", "voc-tree").exit_code == 0


def test_a_tree_without_lists_is_read_as_annotation_files(party: Party, root: Path) -> None:
    shutil.rmtree(root / "ImageSets")
    done = call(party, root)
    assert "Read as VOC: 6 images." in done.stdout
    assert "--format voc-tree keeps them" in done.stderr


def test_a_tree_whose_lists_are_of_no_set_is_read_as_annotation_files(
    party: Party, root: Path
) -> None:
    """CVAT lists the images of a task in default.txt; nobody says that they are checked."""
    root = root.rename(root.with_name("task_7"))
    shutil.rmtree(root / "ImageSets")
    listed = "".join(f"{image_id}\n" for image_id in trees.OBJECTS)
    trees.write(root / "ImageSets/Main/default.txt", listed)
    done = call(party, root)
    assert done.exit_code == 0, done.output
    assert "Read as VOC: 6 images." in done.stdout
    assert "They wait for a check." in done.stdout


def leave_out_lines(root: Path) -> None:
    """Nobody asked whether the third image, of val, shows a cat."""
    for name in ("val", "trainval"):
        path = root / "ImageSets/Main" / f"cat_{name}.txt"
        lines = [
            line for line in path.read_text().splitlines(keepends=True) if "000003" not in line
        ]
        path.write_text("".join(lines))


def test_what_a_tree_did_not_ask_is_kept_by_its_release_and_by_new_ones(
    party: Party, root: Path, tmp_path: Path
) -> None:
    leave_out_lines(root)
    report = run(party, root)
    assert report.corrections == ()
    assert export_again(party, tmp_path / "out") == contents(root)
    plan = export_release(party, tmp_path / "new", year=2030, at=NOW)
    assert verify_tree(tmp_path / "new") == []
    asked = {image.row.id: plan.asked(image) for image in plan.images if plan.asked(image)}
    classes = tuple(name for name in party.preset.class_names if name != "cat")
    assert list(asked.values()) == [classes]


def test_a_class_that_was_not_asked_about_is_known_by_a_name_that_it_had(
    party: Party, root: Path, tmp_path: Path
) -> None:
    leave_out_lines(root)
    with party.catalogue.writing() as session:
        rename_word(session, party, "cat", "kitty", made_by="olga", at=NOW)
    with party.catalogue.reading() as session:
        party = follow_classes(party, session)
    run(party, root)
    written = export_again(party, tmp_path / "out")
    for name in ("val", "trainval"):
        assert written[f"ImageSets/Main/kitty_{name}.txt"] == (
            (root / f"ImageSets/Main/cat_{name}.txt").read_bytes()
        )


def test_tables_of_a_new_release_have_images_of_tasters_apart(
    party: Party, root: Path, tmp_path: Path
) -> None:
    leave_out_lines(root)
    run(party, root)
    export_release(party, tmp_path / "new", year=2030, at=NOW)
    rows = pq.read_table(tmp_path / "new/data/images.parquet").to_pylist()
    folders = {row["set"]: row["lists"] for row in rows if "Main" not in row["lists"]}
    assert folders == {"unlisted": ["Action"]}
    unlisted = pq.read_table(tmp_path / "new/metadata-unlisted.parquet").to_pylist()
    assert [row["lists"] for row in unlisted] == [["Action"], ["Action"]]
    assert "metadata-unlisted.parquet" in (tmp_path / "new/README.md").read_text()
    readme = (tmp_path / "new/README.md").read_text()
    assert "whose column `set` says train, val, test or unlisted;" in readme
    assert "train, val, test or unlisted." in (tmp_path / "new/croissant.json").read_text()
    tasters = [row for row in rows if row["set"] == "unlisted"]
    (asked,) = [row for row in rows if "cat" in row["not_asked"] and row not in tasters]
    assert asked["positive"] == ["person"]
    for row in tasters:  # which are in no list of a class
        assert (row["positive"], row["negative"]) == ([], [])
        assert sorted(row["not_asked"]) == sorted(party.preset.class_names)
