"""A blind release reveals nothing of its test set, and its seal shows any later change."""

import io
import json
import re
from pathlib import Path

import pytest
from PIL import Image as Picture

from catalog.party import Party
from export.blind import BLOCK_BYTES, MOMENT_SECS
from export.errors import ReleaseNameError
from export.order import ReleaseOrder
from export.planning import plan_release
from tests import exporting
from tests.exporting import contents, export_release, manifest_of, verify_tree
from tests.party_rows import CAT, NOW, add_image
from vockit.format.image_sets import Split
from vockit.verify.opening import check_opening

from .blind_releases import Folders, hidden_ids, run, tree

BLIND = ReleaseOrder(is_blind=True)


def test_a_blind_test_set_has_only_pictures_and_names(released: Folders) -> None:
    blind, _ = released
    assert verify_tree(blind) == []
    hidden = hidden_ids(blind)
    assert len(hidden) == 4
    for image_id in hidden:
        assert not (tree(blind) / "Annotations" / f"{image_id}.xml").exists()
        assert (tree(blind) / "JPEGImages" / f"{image_id}.jpg").is_file()
        mentions = {name for name, data in contents(blind).items() if image_id.encode() in data}
        assert mentions - {"data/images.parquet", "metadata-test.parquet"} == {
            "SHA256SUMS",
            "VOCdevkit/VOC2026/ImageSets/Main/test.txt",
            "release.json",
        }
    lists = [path.name for path in (tree(blind) / "ImageSets").rglob("*test.txt")]
    assert lists == ["test.txt"]
    assert not (blind / "splits.json").exists()
    manifest = manifest_of(blind)
    assert [sorted(image) for image in manifest["images"] if image["set"] == "test"] == [
        ["id", "seal", "set"]
    ] * 4
    assert "salt" not in json.dumps(manifest)


def test_file_sizes_and_times_reveal_no_annotation(released: Folders) -> None:
    blind, opened = released
    for image_id in hidden_ids(blind):
        padded = tree(blind) / "JPEGImages" / f"{image_id}.jpg"
        whole = tree(opened) / "JPEGImages" / f"{image_id}.jpg"
        assert padded.stat().st_size % BLOCK_BYTES == 0
        assert _pixels(padded) == _pixels(whole)
    assert {path.stat().st_mtime for path in [*blind.rglob("*"), blind]} == {MOMENT_SECS}


def _pixels(path: Path) -> bytes:
    with Picture.open(io.BytesIO(path.read_bytes())) as picture:
        return picture.tobytes()


def test_the_opened_release_matches_the_seal_of_the_blind_one(released: Folders) -> None:
    blind, opened = released
    assert verify_tree(opened) == []
    report = check_opening(opened, blind)
    assert (report.images, report.violations) == (4, ())
    said = run("verify", opened, "--opens", blind).stdout
    assert "8 images, 10 objects, every rule of the format holds.\n" in said
    assert f"{blind}: 4 images, 5 objects, all sealed annotations match.\n" in said


@pytest.mark.parametrize("change", ["a box", "a picture", "no annotation", "another salt"])
def test_any_change_of_the_sealed_annotations_is_found(released: Folders, change: str) -> None:
    blind, opened = released
    image_id = hidden_ids(blind)[1]
    path = tree(opened) / "Annotations" / f"{image_id}.xml"
    if change == "a box":
        path.write_text(re.sub("<xmin>[0-9]+<", "<xmin>3<", path.read_text()))
    elif change == "no annotation":
        path.unlink()
    elif change == "a picture":
        other = tree(opened) / "JPEGImages" / f"{hidden_ids(blind)[0]}.jpg"
        (tree(opened) / "JPEGImages" / f"{image_id}.jpg").write_bytes(other.read_bytes())
    else:
        manifest = opened / "release.json"
        manifest.write_text(re.sub('"salt": "..', '"salt": "00', manifest.read_text()))
    violations = check_opening(opened, blind).violations
    rules = {violation.rule for violation in violations}
    assert rules == {"seal-picture" if change == "a picture" else "seal"}
    assert len(violations) == (4 if change == "another salt" else 1)


def test_a_blind_export_is_repeatable(released: Folders, stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "again", year=2026, at=NOW)
    assert contents(tmp_path / "again") == contents(released[0])


def test_image_names_are_shuffled_by_a_secret(stocked: Party) -> None:
    with stocked.catalogue.writing() as session:
        for number in range(20, 40):
            add_image(session, stocked, number, [CAT])
    plans = [plan_release(stocked, year=2026, order=BLIND) for _ in range(2)]
    orders = [[image.row.sha256 for image in plan.images] for plan in plans]
    assert orders[0] != orders[1]
    assert sorted(orders[0]) not in orders
    assert [image.public_id for image in plans[0].images] == [
        f"2026_{number:06d}" for number in range(1, 29)
    ]


def test_a_blind_export_warns_of_already_public_test_images(stocked: Party, tmp_path: Path) -> None:
    party = ("--party", stocked.folder, "--year", 2026)
    run("export", tmp_path / "open", *party)
    said = run("export", tmp_path / "blind", "--blind", "--name", "blind", *party).stderr
    assert "4 of 4 test images were already public in an earlier release" in said


def test_only_a_blind_release_can_be_opened(stocked: Party, tmp_path: Path) -> None:
    arguments = ("export", tmp_path / "out", "--open", "--year", 2026, "--party", stocked.folder)
    for _ in range(2):
        result = exporting.run(*arguments)
        assert result.exit_code == 2
        assert "There is no blind release VOC2026 to open" in result.stderr
        assert not (tmp_path / "out").exists()
        run("export", tmp_path / "plain", "--year", 2026, "--party", stocked.folder)


def test_revealing_a_test_set_warns(released: Folders, stocked: Party, tmp_path: Path) -> None:
    party = ("--party", stocked.folder, "--year", 2027)
    again = run("export", tmp_path / "again", "--party", stocked.folder, "--year", 2026).stderr
    blind = run("export", tmp_path / "next", "--blind", "--extend", "VOC2026", *party).stderr
    more = ("--extend", "VOC2026", "--name", "x")
    shown = run("export", tmp_path / "shown", *more, *party).stderr
    sentence = "The annotation of 4 images that the blind release VOC2027 holds back is shown"
    assert "holds back" not in again + blind
    assert sentence in shown


def test_a_takedown_keeps_the_seal_valid(released: Folders, stocked: Party, tmp_path: Path) -> None:
    plan = plan_release(stocked, year=2026)
    gone = next(image for image in plan.images if image.split is Split.TEST)
    exporting.take_down(stocked, gone.row.id)
    run("export", tmp_path / "later", "--open", "--party", stocked.folder, "--year", 2026)
    assert check_opening(tmp_path / "later", released[0]).violations == ()


def test_a_recorded_open_release_cannot_become_blind(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    with pytest.raises(ReleaseNameError, match="recorded with its test set's annotation"):
        plan_release(stocked, year=2026, order=BLIND)


def test_a_party_that_has_none_of_the_images_is_a_failure(
    released: Folders, party_template: Path
) -> None:
    result = exporting.run("verify", released[1], "--party", party_template)
    assert result.exit_code == 1
    assert "expected images of this party; 0 of 8 are" in result.output
    assert "no release of the party has an image of that name" in result.output


def test_verify_names_the_images_whose_annotation_is_held_back(released: Folders) -> None:
    said = run("verify", released[0]).stdout
    assert f"Passed over 4 images ({', '.join(hidden_ids(released[0]))}): its annotation" in said
