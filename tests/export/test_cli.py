"""`vocparty export`, `verify` and `release`: what they print and how they end."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState, Verdict
from catalog.tables import Image, Photo
from export.difference import compare_releases
from export.order import ReleaseOrder
from export.planning import plan_release
from export.split_report import iterate_lines
from tests import exporting
from tests.exporting import contents, count_releases, export_release, manifest_of, run
from tests.party_rows import (
    CAT,
    NOW,
    Drawn,
    add_image,
    add_review,
    add_revision,
    fill,
    jpeg_bytes,
    stock,
)
from tests.trees import make_tree


@pytest.fixture
def stocked(party: Party) -> Party:
    fill(party, [[Drawn("cat")]] * 4)
    return party


def test_export_writes_a_release_and_says_where(stocked: Party, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("export", out, "--year", 2026, "--party", stocked.folder)
    assert result.exit_code == 0
    assert result.stdout == (
        "Wrote the release VOC2026: 4 images (1 train, 1 val, 2 test), 4 objects. "
        f"It is in {out}/VOCdevkit/VOC2026.\n"
    )
    assert (out / "release.json").is_file()


def test_a_repeated_export_says_so_and_counts_new_images(stocked: Party, tmp_path: Path) -> None:
    run("export", tmp_path / "out", "--year", 2026, "--party", stocked.folder)
    with stocked.catalogue.writing() as session:
        add_image(session, stocked, 9, [Drawn("cat")])
    result = run("export", tmp_path / "two", "--year", 2026, "--party", stocked.folder)
    assert "Wrote the release VOC2026 as it was recorded: 4 images" in result.stdout
    assert "1 image passed checking since and is not in it" in result.stdout
    other = ("--year", 2026, "--name", "Zoo 2", "--party", stocked.folder)
    assert "the release Zoo 2: 5 images" in run("export", tmp_path / "three", *other).stdout


def test_export_names_the_images_it_leaves_out(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        image_ids = [add_image(session, stocked, 20 + number, []).id for number in range(12)]
    result = run("export", tmp_path / "out", "--year", 2026, "--party", stocked.folder)
    assert result.exit_code == 0
    assert f"Skipped image {image_ids[0]}: it has no object" in result.stderr
    assert "Skipped 2 more images." in result.stderr


def test_an_export_counts_the_images_without_a_whole_file(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.reading() as session:
        lost, damaged, *_others = session.scalars(select(Image.sha256).order_by(Image.id))
    stocked.store.delete(lost)
    path = stocked.store.local_path(damaged)
    assert path is not None
    path.write_bytes(b"half")
    result = run("export", tmp_path / "out", "--year", 2026, "--party", stocked.folder)
    assert result.exit_code == 0
    assert "its file is not in the image store" in result.stderr
    assert "; 2 images left out, without a whole file. It is in" in result.stdout
    assert manifest_of(tmp_path / "out")["images_without_file"] == 2
    again = run("export", tmp_path / "again", "--year", 2026, "--party", stocked.folder)
    assert again.exit_code == 0
    assert contents(tmp_path / "again") == contents(tmp_path / "out")


def test_an_export_of_whole_files_counts_none(stocked: Party, tmp_path: Path) -> None:
    result = run("export", tmp_path / "out", "--year", 2026, "--party", stocked.folder)
    assert "without a whole file" not in result.output
    assert "images_without_file" not in manifest_of(tmp_path / "out")


def test_an_export_that_cannot_be_is_one_sentence(party: Party, tmp_path: Path) -> None:
    result = run("export", tmp_path / "out", "--year", 2026, "--party", party.folder)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: No images yet. Next: `vocparty collect`")
    assert "Traceback" not in result.output


def test_wrong_usage_ends_with_2(stocked: Party, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("precious")
    result = run("export", tmp_path / "out", "--year", 2026, "--party", stocked.folder)
    assert result.exit_code == 2
    assert run("export", tmp_path / "new", "--party", stocked.folder).exit_code == 2
    assert run("verify", tmp_path / "out").exit_code == 2


def test_a_dry_run_says_what_is_left_out_and_why(party: Party, tmp_path: Path) -> None:
    fill(party, [[Drawn(("cat", "dog")[number % 2])] for number in range(6)])
    with party.catalogue.writing() as session:
        waiting = add_image(session, party, 7, [Drawn("cat"), Drawn("cow")], is_reviewed=False)
        waiting.state = ImageState.ANNOTATED
        add_image(session, party, 8, [Drawn("cow")], data=jpeg_bytes(8, "RGB", "PNG"))
        add_image(session, party, 9, [Drawn("cat", (1, 1, 99, 99))])
    before = contents(party.folder / "images"), count_releases(party)
    done = run("export", "--party", party.folder, "--year", 2026, "--dry-run")
    assert done.exit_code == 0, done.output
    assert "VOC2026 would hold 7 images:" in done.stdout
    assert "It would need --force: 1 annotated image is not checked." in done.stdout
    assert done.stdout.endswith(
        "Left out: 2 annotated images.\n"
        "  1 image: a box of object N leaves the image of N x N; objects: cat 1\n"
        "  1 image: annotated, and not checked yet; objects: cat 1, cow 1\n"
    )
    assert (contents(party.folder / "images"), count_releases(party)) == before
    chosen = run("export", "--party", party.folder, "--year", 2026, "--dry-run", "--class", "dog")
    assert "VOC2026 would hold 3 images:" in chosen.stdout
    assert "5 images: not chosen by --class and --limit; objects: cat 4, cow 1" in chosen.stdout


def test_a_part_is_recorded_as_one(stocked: Party, tmp_path: Path) -> None:
    words = ["export", "--party", stocked.folder, "--year", 2026, "--name", "Few"]
    done = run(*words, tmp_path / "few", "--class", "cat", "--limit", 3)
    assert done.exit_code == 0, done.output
    manifest = manifest_of(tmp_path / "few")
    assert (len(manifest["images"]), manifest["part"]) == (3, {"classes": ["cat"], "limit": 3})
    assert "at most 3 of the images" in (tmp_path / "few" / "DATASHEET.md").read_text()
    assert run(*words, tmp_path / "again").exit_code == 0
    other = run(*words, tmp_path / "other", "--limit", 2)
    assert (other.exit_code, "other images than" in other.stderr) == (2, True)
    unknown = run(*words, tmp_path / "no", "--class", "zebra")
    assert (unknown.exit_code, "Unknown class 'zebra'" in unknown.stderr) == (2, True)


def test_an_owner_who_has_too_much_for_one_set_is_named(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        for photo in session.scalars(select(Photo).limit(2)):
            photo.owner_id = "one"
            photo.owner_name = "Jo Snap"
    lines = list(iterate_lines(plan_release(stocked, year=2026)))
    assert lines[-1].startswith("Jo Snap took 2 of 4 images (50%). They must stay in one set")


def test_verify_says_that_every_rule_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = make_tree(tmp_path)
    result = run("verify", root)
    assert result.exit_code == 0
    assert result.stdout == f"{root}: 6 images, 10 objects, every rule of the format holds.\n"
    monkeypatch.chdir(root)
    assert run("verify", ".").exit_code == 0, "it needs no party"


def test_verify_names_each_violation_and_ends_with_1(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    (root / "JPEGImages" / "2012_000001.jpg").unlink()
    file = f"{root}/ImageSets/Main/train.txt"
    expected = "expected JPEGImages/2012_000001.jpg"
    result = run("verify", tmp_path)
    assert result.exit_code == 1
    assert result.stdout == f"{file}:1: picture-missing: {expected}\n"
    assert result.stderr == f"{root}: 6 images, 10 objects, 1 violation, 0 warnings.\n"
    result = run("verify", root, "--json")
    assert result.exit_code == 1
    (tree,) = json.loads(result.stdout)["trees"]
    assert (tree["tree"], tree["images"], tree["objects"]) == (str(root), 6, 10)
    violation = {"file": file, "line": 1, "rule": "picture-missing", "message": expected}
    assert tree["violations"] == [violation | {"is_warning": False}]


def run_release(party: Party, *args: str) -> Result:
    return exporting.run("release", *args, "--party", party.folder)


def two_releases(party: Party, folder: Path) -> str:
    """VOC2026 and its extension: one image more and one gone, one object moved and one added."""
    first = export_release(party, folder / "one", year=2026, at=NOW)
    exporting.take_down(party, first.images[1].row.id)
    with party.catalogue.writing() as session:
        add_image(session, party, 20, [CAT])
    order = ReleaseOrder(extends="VOC2026")
    export_release(party, folder / "two", year=2027, at=NOW, order=order)
    return first.images[1].public_id


def test_the_list_names_every_release(any_stocked: Party, tmp_path: Path) -> None:
    assert "No release yet" in run_release(any_stocked, "list").stdout
    two_releases(any_stocked, tmp_path)
    assert run_release(any_stocked, "list").stdout == (
        "VOC2026: 2026-05-04, 8 images, 1 withdrawn since\n"
        "VOC2027: 2026-05-04, 8 images, extends VOC2026\n"
    )
    first, second = json.loads(run_release(any_stocked, "list", "--json").stdout)["releases"]
    assert (first["name"], first["images"], first["withdrawn"]) == ("VOC2026", 8, 1)
    assert (second["extends"], second["is_blind"], second["forced"]) == ("VOC2026", False, [])


def test_a_release_is_shown_with_its_sets_and_tombstones(party: Party, tmp_path: Path) -> None:
    gone = two_releases(stock(party), tmp_path)
    shown = run_release(party, "show", "VOC2026").stdout
    assert shown.startswith("VOC2026: 7 images, ")
    assert f"Withdrawn since: 1 image ({gone}).\n" in shown
    assert "Class balance is not told of 2 classes with fewer than ten images.\n" in shown
    assert "Extends VOC2026." in run_release(party, "show", "VOC2027").stdout
    document = json.loads(run_release(party, "show", "VOC2026", "--json").stdout)
    assert document["withdrawn"] == [gone]
    assert document["splits"]["wanted"] == {"train": 0.25, "val": 0.25, "test": 0.5}


def test_the_difference_names_images_added_and_withdrawn(stocked: Party, tmp_path: Path) -> None:
    gone = two_releases(stocked, tmp_path)
    result = run_release(stocked, "diff", "VOC2026", "VOC2027")
    assert result.stdout == f"Added: 1 image (2027_000001).\nWithdrawn: 1 image ({gone}).\n"
    assert result.stderr.startswith("To open an image: `vocparty images --id IMAGE`")
    assert run_release(stocked, "diff", "VOC2027", "VOC2027").stdout == "No difference.\n"
    document = json.loads(run_release(stocked, "diff", "VOC2027", "VOC2026", "--json").stdout)
    nothing: dict[str, list[str]] = {"added": [], "withdrawn": [], "changes": [], "facts": []}
    assert document == nothing | {"left_out": ["2027_000001"]}


def test_changed_objects_and_fields_are_told(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        image = add_image(session, stocked, 20, [replace(CAT, key="a"), replace(CAT, key="b")])
        image_id = image.id
        first = image.annotation_id
    before = export_release(stocked, tmp_path / "one", year=2026, name="before", at=NOW)
    with stocked.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        drawn = [replace(CAT, key="b", box=(2, 3, 51, 30), difficult=True), replace(CAT, key="c")]
        revision = add_revision(session, image, drawn, person_id=1, parent_id=first)
        add_review(session, revision, Verdict.ACCEPT)
    after = export_release(stocked, tmp_path / "two", year=2026, name="after", at=NOW)
    name = next(image.public_id for image in after.images if image.row.id == image_id)
    changes = compare_releases(before, after).changes
    facts = [
        (
            change.image_id,
            change.object_number,
            change.what,
            change.field,
            change.was,
            change.is_now,
        )
        for change in changes
    ]
    expected = [
        (name, 1, "changed", "box", [2, 3, 50, 30], [2, 3, 51, 30]),
        (name, 1, "changed", "difficult", False, True),
        (name, 2, "added", "object", None, "cat"),
        (name, 1, "removed", "object", "cat", None),
    ]
    assert [fact for fact in facts if fact[0] == name and fact[3] != "set"] == expected
    printed = run_release(stocked, "diff", "before", "after").stdout
    assert f"{name}, object 1: difficult was False, is True\n" in printed
    assert f"{name}, object 2: cat added\n" in printed


def test_a_release_that_is_not_there_is_one_sentence(stocked: Party) -> None:
    for args in (("show", "VOC1"), ("diff", "VOC1", "VOC2")):
        result = run_release(stocked, *args)
        assert result.exit_code == 2
        assert "There is no release VOC1" in result.stderr
