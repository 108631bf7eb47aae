"""An opened release is compared with the seals of the blind one: any later change is found."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests import exporting
from tests.exporting import contents, manifest_of
from vockit.verify.opening import WITHDRAWN, check_opening

from .blind_releases import Folders, hidden_ids, run, tree


def test_verify_refuses_two_folders_that_do_not_match(released: Folders, tmp_path: Path) -> None:
    blind, opened = released
    for first, second in ((blind, opened), (opened, opened), (opened, tmp_path)):
        result = exporting.run("verify", first, "--opens", second)
        assert result.exit_code in (1, 2), result.output
        assert "Traceback" not in result.output


def edit_manifest(folder: Path, **values: object) -> None:
    """Let a release say something else about itself."""
    path = folder / "release.json"
    path.write_text(json.dumps(manifest_of(folder) | values))


def remove_from(opened: Path, image_id: str) -> None:
    """Take every file and line of an image out of an opened release."""
    for path in tree(opened).rglob(f"{image_id}.*"):
        path.unlink()
    for path in (tree(opened) / "ImageSets").rglob("*.txt"):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith(image_id)))
    images = [image for image in manifest_of(opened)["images"] if image["id"] != image_id]
    edit_manifest(opened, images=images, withdrawn=[image_id])


def found_rules(opened: Path, blind: Path) -> set[str]:
    return {violation.rule for violation in check_opening(opened, blind).violations}


def change_box(opened: Path, image_id: str) -> None:
    path = tree(opened) / "Annotations" / f"{image_id}.xml"
    path.write_text(re.sub("<xmin>[0-9]+<", "<xmin>3<", path.read_text()))


def test_a_changed_annotation_is_found_though_the_opened_release_calls_it_withdrawn(
    released: Folders,
) -> None:
    blind, opened = released
    changed = hidden_ids(blind)[1]
    change_box(opened, changed)
    edit_manifest(opened, withdrawn=[changed])
    report = check_opening(opened, blind)
    assert {(Path(violation.file).stem, violation.rule) for violation in report.violations} == {
        (changed, "seal"),
        (changed, "withdrawn"),
    }
    assert (report.images, report.passed_over) == (4, {})
    result = exporting.run("verify", opened, "--opens", blind)
    assert (result.exit_code, "annotations match" in result.output) == (1, False)


@pytest.mark.parametrize("kept", ["JPEGImages", "Annotations", "ImageSets", "release.json"])
def test_a_withdrawn_image_that_is_still_somewhere_is_a_violation(
    released: Folders, kept: str
) -> None:
    blind, opened = released
    gone = hidden_ids(blind)[2]
    before = contents(tree(opened))
    manifest = manifest_of(opened)
    remove_from(opened, gone)
    if kept == "release.json":
        edit_manifest(opened, images=manifest["images"])
    elif kept == "ImageSets":
        path = "ImageSets/Main/test.txt"
        (tree(opened) / path).write_bytes(before[path])
    else:
        (path,) = (path for path in before if path.startswith(kept) and gone in path)
        (tree(opened) / path).write_bytes(before[path])
    (violation,) = (
        violation
        for violation in check_opening(opened, blind).violations
        if violation.rule == "withdrawn"
    )
    assert gone in violation.message


def test_what_is_passed_over_is_counted_and_named(released: Folders) -> None:
    blind, opened = released
    gone = hidden_ids(blind)[2]
    remove_from(opened, gone)
    report = check_opening(opened, blind)
    assert (report.images, report.violations) == (3, ())
    assert report.passed_over == {WITHDRAWN: (gone,)}
    said = run("verify", opened, "--opens", blind).stdout
    assert f"Passed over 1 image ({gone}): {WITHDRAWN}.\n" in said
    assert "3 images, " in said
    assert "the other sealed annotations match.\n" in said
    trees = json.loads(run("verify", opened, "--opens", blind, "--json").stdout)["trees"]
    assert trees[1]["passed_over"] == {WITHDRAWN: [gone]}


def test_nothing_compared_is_a_failure(released: Folders) -> None:
    blind, opened = released
    for image_id in hidden_ids(blind):
        remove_from(opened, image_id)
    edit_manifest(opened, withdrawn=hidden_ids(blind))
    report = check_opening(opened, blind)
    assert (report.images, [violation.rule for violation in report.violations]) == (
        0,
        ["nothing-compared"],
    )
    assert exporting.run("verify", opened, "--opens", blind).exit_code == 1


@pytest.mark.parametrize("folder", ["Main", "Layout", "Action", "Segmentation"])
def test_another_test_list_than_the_blind_one_is_a_violation(
    released: Folders, folder: str
) -> None:
    blind, opened = released
    train = (tree(opened) / "ImageSets/Main/train.txt").read_text().split()[0]
    path = tree(opened) / f"ImageSets/{folder}/test.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{image_id}\n" for image_id in sorted([train, *hidden_ids(blind)])))
    violations = [
        violation
        for violation in check_opening(opened, blind).violations
        if violation.rule == "seal-list"
    ]
    assert [(violation.file, train in violation.message) for violation in violations][:1] == [
        (str(path), True)
    ]


def test_an_image_that_the_opened_test_list_lost_is_a_violation(released: Folders) -> None:
    blind, opened = released
    first, *others = hidden_ids(blind)
    path = tree(opened) / "ImageSets/Main/test.txt"
    path.write_text("".join(f"{image_id}\n" for image_id in others))
    (violation,) = check_opening(opened, blind).violations
    assert (violation.rule, first in violation.message) == ("seal-list", True)


def test_another_tree_in_the_opened_release_is_a_violation(released: Folders) -> None:
    blind, opened = released
    other = tree(opened).with_name("VOC2027")
    shutil.copytree(tree(opened), other)
    edit_manifest(opened, year=2027)
    assert found_rules(opened, blind) == {"seal-list"}
    shutil.rmtree(tree(opened))
    assert found_rules(opened, blind) >= {"seal", "seal-list", "seal-picture"}


def test_pictures_that_neither_release_has_are_not_called_equal(released: Folders) -> None:
    for folder in released:
        (tree(folder) / "JPEGImages" / f"{hidden_ids(released[0])[0]}.jpg").unlink()
    assert found_rules(released[1], released[0]) == {"seal-picture"}


def test_seals_that_were_taken_out_of_the_blind_release_are_missed(released: Folders) -> None:
    blind, opened = released
    images = manifest_of(blind)["images"]
    sealed = [image for image in images if "seal" in image]
    edit_manifest(blind, images=[image for image in images if image is not sealed[0]])
    assert "seal" in found_rules(opened, blind)


@pytest.mark.parametrize(
    "said", [{"withdrawn": None}, {"blind": []}, {"blind": {"salt": "no"}}, {"images": ["x"]}]
)
def test_an_odd_release_json_is_refused_or_named_in_a_sentence(
    released: Folders, said: dict[str, object]
) -> None:
    blind, opened = released
    edit_manifest(opened, **said)
    result = exporting.run("verify", opened, "--opens", blind)
    assert isinstance(result.exception, SystemExit | None), result.exception
