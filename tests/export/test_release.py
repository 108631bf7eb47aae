"""What a release holds and leaves out, when it is refused, and that it is reproducible."""

import hashlib
import json
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.image_store import open_image_store
from catalog.party import Party
from catalog.states import FindingVerdict, ImageState, PhotoState, Verdict
from catalog.tables import Annotation, Finding, Photo, Release, ReleaseImage
from export.errors import ExportError, NothingCheckedError, ReleaseNameError
from export.order import ReleaseOrder
from export.planning import plan_release
from export.release import write_release
from tests import exporting
from tests.kit_reader import read_record
from tests.party_rows import (
    CAT,
    DOG,
    HEIGHT,
    NOW,
    WIDTH,
    Drawn,
    add_image,
    add_people,
    add_review,
    add_revision,
    fill,
    jpeg_bytes,
    link,
)
from vockit.errors import FolderTakenError
from vocparty import main


def test_a_release_tree_breaks_no_rule(stocked: Party, tmp_path: Path) -> None:
    plan = exporting.export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    tree = tmp_path / "out" / "VOCdevkit" / "VOC2026"
    assert exporting.verify_tree(tmp_path / "out") == []
    folders = sorted(path.name for path in tree.iterdir())
    assert folders == ["Annotations", "ImageSets", "JPEGImages"]
    assert len(list((tree / "ImageSets" / "Main").iterdir())) == 4 + 20 * 4
    assert [image.public_id for image in plan.images] == [f"2026_{n:06d}" for n in range(1, 9)]
    digests = [image.row.sha256 for image in plan.images]
    assert digests == sorted(digests), "names tell nothing of set, class and time"
    for image in plan.images:
        record = read_record((tree / "Annotations" / f"{image.public_id}.xml").read_bytes())
        assert record.folder == "VOC2026"
        assert record.imgsize == (WIDTH, HEIGHT, 3)
        assert [item.name for item in record.objects] == [
            item.class_name for item in image.row.objects
        ]
        data = (tree / "JPEGImages" / f"{image.public_id}.jpg").read_bytes()
        assert hashlib.sha256(data).hexdigest() == image.row.sha256


def test_the_rows_of_a_release_list_its_images(any_stocked: Party, tmp_path: Path) -> None:
    plan = exporting.export_release(any_stocked, tmp_path / "out", year=2026, at=NOW)
    assert exporting.states(any_stocked) == {ImageState.RELEASED: 8}
    with any_stocked.catalogue.reading() as session:
        release = session.scalars(select(Release)).one()
        assert (release.name, release.year, release.created_at) == ("VOC2026", 2026, NOW)
        rows = session.scalars(select(ReleaseImage)).all()
        assert {(row.image_id, row.annotation_id, row.split, row.public_id) for row in rows} == {
            (image.row.id, image.row.annotation_id, image.split, image.public_id)
            for image in plan.images
        }


def test_every_box_is_traced_to_its_people_and_query(any_party: Party, tmp_path: Path) -> None:
    with any_party.catalogue.writing() as session:
        add_people(session)
        image = add_image(
            session, any_party, 1, [replace(CAT, key="a"), replace(DOG, key="b")], is_reviewed=False
        )
        first = image.annotation_id
        mended_objects = [replace(CAT, key="a"), replace(DOG, key="b", box=(1, 1, 2, 2))]
        fixed = add_revision(session, image, mended_objects, person_id=2, parent_id=first)
        add_review(session, session.get_one(Annotation, first), Verdict.FIXED, fixed=fixed)
    exporting.export_release(any_party, tmp_path / "out", year=2026, at=NOW)
    (entry,) = exporting.manifest_of(tmp_path / "out")["images"]
    assert entry["objects"] == [
        {"number": 1, "class": "cat", "drawn_in": first},
        {"number": 2, "class": "dog", "drawn_in": fixed.id},
    ]
    assert [(revision["id"], revision["person"]) for revision in entry["revisions"]] == [
        (fixed.id, {"name": "chris", "is_simulated": True}),
        (first, {"name": "ann", "is_simulated": False}),
    ]
    (review,) = entry["reviews"]
    assert (review["verdict"], review["fixed_in"]) == ("fixed", fixed.id)
    assert review["person"] == {"name": "chris", "is_simulated": True}
    (photo,) = entry["photos"]
    assert photo["query"] == {"class": "cat", "keyword": "kitten & co"}
    assert photo["window"] == {"start_at": "2026-04-04T12:00:00Z", "end_at": "2026-05-04T12:00:00Z"}
    assert photo["owner_name"] == "<b>Owner 1</b> & sons"
    assert photo["licence"]["name"] == "CC BY 2.0"


def test_a_release_is_rewritten_with_the_same_bytes(any_stocked: Party, tmp_path: Path) -> None:
    exporting.export_release(any_stocked, tmp_path / "one", year=2026, at=NOW)
    with any_stocked.catalogue.writing() as session:
        add_image(session, any_stocked, 9, [CAT])
    changed = replace(any_stocked, settings=replace(any_stocked.settings, name="Another name"))
    later = NOW + timedelta(days=300)
    plan = exporting.export_release(changed, tmp_path / "two", year=2026, at=later)
    assert (plan.is_recorded, plan.newer_images) == (True, 1)
    assert exporting.contents(tmp_path / "two") == exporting.contents(tmp_path / "one")
    exporting.export_release(any_stocked, tmp_path / "one", year=2026, at=later)
    assert exporting.contents(tmp_path / "two") == exporting.contents(tmp_path / "one")
    assert exporting.count_releases(any_stocked) == 1


def test_an_image_keeps_its_public_id_in_later_releases(stocked: Party, tmp_path: Path) -> None:
    first = exporting.export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    with stocked.catalogue.writing() as session:
        for number in range(20, 24):
            add_image(session, stocked, number, [CAT])
    again = exporting.export_release(stocked, tmp_path / "two", year=2026, name="more", at=NOW)
    later = exporting.export_release(stocked, tmp_path / "three", year=2027, at=NOW)
    assert exporting.verify_tree(tmp_path / "three") == []
    for plan in (again, later):
        ids = {image.row.id: image.public_id for image in plan.images}
        assert len(set(ids.values())) == 12
        assert {image.row.id: image.public_id for image in first.images}.items() <= ids.items()
    assert again.images[-1].public_id == "2026_000012"
    given = [{image.public_id: image.row.id for image in plan.images} for plan in (again, later)]
    assert given[0] == given[1]


def test_two_releases_never_give_two_images_one_name(any_stocked: Party, tmp_path: Path) -> None:
    first = plan_release(any_stocked, year=2026, name="A")
    with any_stocked.catalogue.writing() as session:
        for number in range(20, 30):
            add_image(session, any_stocked, number, [CAT])
    second = plan_release(any_stocked, year=2026, name="B")
    write_release(any_stocked, first, tmp_path / "one", at=NOW)
    with pytest.raises(ExportError, match="gave the name 2026_0"):
        write_release(any_stocked, second, tmp_path / "two", at=NOW)
    exporting.export_release(any_stocked, tmp_path / "two", year=2026, name="B", at=NOW)


def test_near_duplicates_and_one_owner_share_a_set(any_stocked: Party, tmp_path: Path) -> None:
    with any_stocked.catalogue.writing() as session:
        pair = [
            add_image(session, any_stocked, number, [CAT], owner_id="same") for number in (20, 21)
        ]
        near = [add_image(session, any_stocked, number, [CAT]) for number in (22, 23)]
        alike = [add_image(session, any_stocked, number, [CAT]) for number in (24, 25)]
        aside = add_image(session, any_stocked, 30, [], state=ImageState.DUPLICATE)
        for kept in near:
            session.add(link(aside.id, kept.id, "duplicate"))
        for image in alike:
            image.hash_recipe = "a"
            image.quality = 50.0
            image.phash_64 = "0" * 16
            image.phash_256 = "0" * 64
    plan = exporting.export_release(any_stocked, tmp_path / "out", year=2026, at=NOW)
    datasheet = (tmp_path / "out" / "DATASHEET.md").read_text()
    assert "1 of the groups above holds images that are near-duplicates of" in datasheet
    split_of = {image.row.id: image.split for image in plan.images}
    for first, second in (pair, near, alike):
        assert split_of[first.id] is split_of[second.id]


def test_an_image_with_a_fault_is_left_out_with_a_reason(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        faulty = {
            add_image(session, stocked, 20, []).id: "it has no object",
            add_image(session, stocked, 21, [Drawn("unicorn")]).id: "the class 'unicorn'",
            add_image(session, stocked, 22, [CAT], is_reviewed=False).id: "no checker accepted",
            add_image(session, stocked, 23, [CAT], data=b"x").id: "its file cannot be released",
        }
        gone = add_image(session, stocked, 24, [CAT])
        faulty[gone.id] = "its file is not in the image store"
        damaged = add_image(session, stocked, 25, [CAT])
        faulty[damaged.id] = "it is not what was stored"
    stocked.store.delete(gone.sha256)
    path = stocked.store.local_path(damaged.sha256)
    assert path is not None
    path.write_bytes(jpeg_bytes(99))
    plan = exporting.export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert len(plan.images) == 8
    assert {omission.image_id for omission in plan.left_out} == faulty.keys()
    assert all(faulty[omission.image_id] in omission.reason for omission in plan.left_out)
    assert exporting.states(stocked) == {ImageState.RELEASED: 8, ImageState.CHECKED: 6}


def test_a_file_that_is_no_colour_jpeg_is_encoded_only_once(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with stocked.catalogue.writing() as session:
        odd = add_image(session, stocked, 40, [CAT], data=jpeg_bytes(40, "CMYK", "JPEG")).sha256
    exporting.export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    assert exporting.verify_tree(tmp_path / "one") == []
    images = exporting.manifest_of(tmp_path / "one")["images"]
    (entry,) = [image for image in images if image["stored_sha256"] == odd]
    path = tmp_path / "one" / "VOCdevkit" / "VOC2026" / "JPEGImages" / f"{entry['id']}.jpg"
    assert hashlib.sha256(path.read_bytes()).hexdigest() == entry["sha256"] != odd
    monkeypatch.setattr("export.tree_files.to_rgb_jpeg", None)  # another encoder by then
    exporting.export_release(stocked, tmp_path / "two", year=2026, at=NOW)
    assert exporting.contents(tmp_path / "two") == exporting.contents(tmp_path / "one")


def test_a_taken_down_photo_is_in_no_later_export(stocked: Party, tmp_path: Path) -> None:
    plan = exporting.export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    gone = plan.images[2]
    exporting.take_down(stocked, gone.row.id)
    again = exporting.export_release(stocked, tmp_path / "two", year=2026, at=NOW)
    assert again.withdrawn == (gone.public_id,)
    assert [image.public_id for image in again.images] == [
        image.public_id for image in plan.images if image is not gone
    ]
    assert exporting.verify_tree(tmp_path / "two") == []
    assert not list((tmp_path / "two").rglob(f"{gone.public_id}.*"))
    table = pq.read_table(tmp_path / "two" / "data" / "images.parquet")
    assert gone.public_id not in table["image_id"].to_pylist()
    assert exporting.manifest_of(tmp_path / "two")["withdrawn"] == [gone.public_id]
    assert len(plan_release(stocked, year=2027).images) == 7


def test_a_taken_down_photo_is_in_no_later_group(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        for number, owner in ((20, "one"), (21, "one"), (22, "one"), (23, "two"), (24, "two")):
            add_image(session, stocked, number, [CAT], owner_id=owner)
    plan = exporting.export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    three, two = (group.images for group in plan.notes.groups)
    for image in plan.images:
        if image.public_id in (three[0], two[1]):
            exporting.take_down(stocked, image.row.id)
    exporting.export_release(stocked, tmp_path / "two", year=2026, at=NOW)
    groups = json.loads((tmp_path / "two" / "splits.json").read_text())["groups"]
    assert [group["images"] for group in groups] == [list(three[1:])]
    named = {
        name
        for name, data in exporting.contents(tmp_path / "two").items()
        if three[0].encode() in data and not name.endswith(".parquet")
    }
    assert named == {"release.json", "DATASHEET.md"}, "where withdrawn photographs are listed"


def test_a_withdrawn_owner_of_a_shared_image_is_not_named(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        photo = session.scalars(select(Photo).order_by(Photo.id)).first()
        assert photo is not None
        photo.state = PhotoState.WITHDRAWN
        photo.owner_name = "Owner Withdrawn"
        again = {"source": photo.source, "source_id": "4242", "found_at": photo.found_at}
        shared = Photo(**again, state=PhotoState.FETCHED, image_id=photo.image_id, owner_name="An")
        session.add(shared)
    exporting.export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    manifest = (tmp_path / "out" / "release.json").read_text()
    assert '"4242"' in manifest
    assert "Owner Withdrawn" not in manifest


def test_without_checked_images_the_error_counts_waiting_ones(party: Party, tmp_path: Path) -> None:
    fill(party, [[CAT]], state=ImageState.POOL)
    with party.catalogue.writing() as session:
        add_image(session, party, 2, [CAT], state=ImageState.ANNOTATED)
    waiting = "No checked image yet; waiting to be annotated: 1, to be checked: 1"
    with pytest.raises(NothingCheckedError, match=waiting):
        exporting.export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert not (tmp_path / "out").exists()


def test_a_release_without_any_valid_image_is_refused(party: Party, tmp_path: Path) -> None:
    fill(party, [[]])
    with pytest.raises(NothingCheckedError, match="it has no object"):
        exporting.export_release(party, tmp_path / "out", year=2026, at=NOW)


@pytest.mark.parametrize(
    "name", ["", " ", "two\nlines", "x" * 101, " lead", "../evil", "/evil", ".hidden"]
)
def test_an_unprintable_release_name_is_refused(stocked: Party, name: str) -> None:
    with pytest.raises(ReleaseNameError, match="1 to 100 characters"):
        plan_release(stocked, year=2026, name=name)


def test_a_recorded_release_name_keeps_its_year(stocked: Party, tmp_path: Path) -> None:
    exporting.export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    with pytest.raises(ReleaseNameError, match="is of 2026"):
        plan_release(stocked, year=2027, name="VOC2026")


def test_a_folder_with_other_files_is_refused(stocked: Party, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("precious")
    with pytest.raises(FolderTakenError, match="is not empty"):
        exporting.export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert exporting.contents(tmp_path / "out") == {"thesis.txt": b"precious"}
    assert exporting.count_releases(stocked) == 0
    (tmp_path / "else").mkdir()
    exporting.export_release(stocked, tmp_path / "else", year=2026, at=NOW)
    assert exporting.verify_tree(tmp_path / "else") == [], "an empty folder is filled"
    with pytest.raises(FolderTakenError, match="is not empty"):
        exporting.export_release(stocked, tmp_path / "out", year=2026, at=NOW)


def test_a_changed_tree_is_refused_and_not_overwritten(stocked: Party, tmp_path: Path) -> None:
    exporting.export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    path = tmp_path / "out" / "VOCdevkit" / "VOC2026" / "ImageSets" / "Main" / "train.txt"
    path.write_text("2026_000001\n")
    (tmp_path / "out" / "VOCdevkit" / "results").mkdir()
    with pytest.raises(FolderTakenError, match=r"train\.txt differs"):
        exporting.export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    assert path.read_text() == "2026_000001\n"
    path.unlink()
    with pytest.raises(FolderTakenError, match=r"train\.txt is missing"):
        exporting.export_release(stocked, tmp_path / "out", year=2026, at=NOW)


def test_pictures_can_come_from_a_remote_image_store(stocked: Party, tmp_path: Path) -> None:
    far = open_image_store(f"memory://{tmp_path.name}")
    for digest in stocked.store.digests():
        far.put(stocked.store.get(digest))
    exporting.export_release(replace(stocked, store=far), tmp_path / "out", year=2026, at=NOW)
    assert exporting.verify_tree(tmp_path / "out") == []


def add_finding(
    party: Party, key: str, severity: str, verdict: FindingVerdict | None, image_id: int | None = 1
) -> None:
    with party.catalogue.writing() as session:
        check = {"check_name": "touching", "subject_sha256": "0" * 64, "message": "something"}
        values = {
            "finding_key": key,
            "severity": severity,
            "image_id": image_id,
            "verdict": verdict,
        }
        session.add(Finding(**check, **values, found_at=NOW))


@pytest.mark.parametrize("state", [ImageState.ANNOTATED, ImageState.CHECKING, ImageState.RETURNED])
def test_unchecked_work_stops_export(any_stocked: Party, tmp_path: Path, state: ImageState) -> None:
    with any_stocked.catalogue.writing() as session:
        add_image(session, any_stocked, 20, [CAT], state=state)
        add_image(session, any_stocked, 21, [], state=ImageState.POOL)
    with pytest.raises(ExportError, match="1 annotated image is not checked"):
        exporting.export_release(any_stocked, tmp_path / "out", year=2026, at=NOW)
    assert exporting.count_releases(any_stocked) == 0


def test_only_open_errors_stop_an_export(any_stocked: Party) -> None:
    add_finding(any_stocked, "judged", "error", FindingVerdict.WRONG)
    add_finding(any_stocked, "fixed", "error", FindingVerdict.FIXED)
    add_finding(any_stocked, "small", "warning", None)
    add_finding(any_stocked, "of a person", "error", None, image_id=None)
    with any_stocked.catalogue.writing() as session:
        gone = add_image(session, any_stocked, 20, [CAT], state=ImageState.DISCARDED).id
    add_finding(any_stocked, "not in the release", "error", None, image_id=gone)
    assert len(plan_release(any_stocked, year=2026).images) == 8
    add_finding(any_stocked, "one", "error", None)
    add_finding(any_stocked, "confirmed, not fixed", "error", FindingVerdict.RIGHT, image_id=2)
    with pytest.raises(ExportError, match="2 findings of severity error are open"):
        plan_release(any_stocked, year=2026)


def test_a_forced_release_records_what_was_forced(stocked: Party, tmp_path: Path) -> None:
    add_finding(stocked, "one", "error", None)
    order = ReleaseOrder(is_forced=True)
    exporting.export_release(stocked, tmp_path / "one", year=2026, at=NOW, order=order)
    assert exporting.manifest_of(tmp_path / "one")["forced"] == [
        "1 finding of severity error is open"
    ]
    exporting.export_release(stocked, tmp_path / "two", year=2026, at=NOW)
    assert exporting.contents(tmp_path / "two") == exporting.contents(tmp_path / "one")


def test_a_release_that_needed_no_force_records_none(stocked: Party) -> None:
    assert plan_release(stocked, year=2026, order=ReleaseOrder(is_forced=True)).notes.forced == ()


def test_checks_run_only_before_a_new_release(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checked: list[Path | None] = []
    monkeypatch.setattr("qa.cli.check_first", checked.append)
    party = ("--year", "2026", "--party", str(stocked.folder))
    for number, more in enumerate([(), (), ("--name", "Zoo 2"), ("--name", "VOC2026")]):
        done = CliRunner().invoke(main, ["export", str(tmp_path / str(number)), *party, *more])
        assert done.exit_code == 0, done.output
    assert checked == [stocked.folder] * 2, "VOC2026 and Zoo 2 when they were new"
