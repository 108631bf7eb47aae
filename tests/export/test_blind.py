"""A blind release reveals nothing of its test set, and its seal shows any later change."""

import io
import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import Result
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
from vockit.verify.opening import WITHDRAWN, check_opening

BLIND = ReleaseOrder(is_blind=True)
Folders = tuple[Path, Path]


def run(*args: object) -> Result:
    result = exporting.run(*args)
    assert result.exit_code == 0, result.output
    return result


@pytest.fixture
def released(stocked: Party, tmp_path: Path) -> Folders:
    """The blind release and, from its record, the open one."""
    party = ("--party", stocked.folder, "--year", 2026)
    run("export", tmp_path / "blind", "--blind", *party)
    run("export", tmp_path / "open", "--open", *party)
    return tmp_path / "blind", tmp_path / "open"


def tree(folder: Path) -> Path:
    return folder / "VOCdevkit" / "VOC2026"


def hidden_ids(folder: Path) -> list[str]:
    return (tree(folder) / "ImageSets" / "Main" / "test.txt").read_text().split()


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
    told = manifest_of(blind)
    assert [sorted(it) for it in told["images"] if it["set"] == "test"] == [
        ["id", "seal", "set"]
    ] * 4
    assert "salt" not in json.dumps(told)


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
    images = [it for it in manifest_of(opened)["images"] if it["id"] != image_id]
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
    assert {(Path(it.file).stem, it.rule) for it in report.violations} == {
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
    before, manifest = contents(tree(opened)), manifest_of(opened)
    remove_from(opened, gone)
    if kept == "release.json":
        edit_manifest(opened, images=manifest["images"])
    elif kept == "ImageSets":
        path = "ImageSets/Main/test.txt"
        (tree(opened) / path).write_bytes(before[path])
    else:
        (path,) = (it for it in before if it.startswith(kept) and gone in it)
        (tree(opened) / path).write_bytes(before[path])
    (found,) = (it for it in check_opening(opened, blind).violations if it.rule == "withdrawn")
    assert gone in found.message


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
    told = json.loads(run("verify", opened, "--opens", blind, "--json").stdout)["trees"]
    assert told[1]["passed_over"] == {WITHDRAWN: [gone]}


def test_nothing_compared_is_a_failure(released: Folders) -> None:
    blind, opened = released
    for image_id in hidden_ids(blind):
        remove_from(opened, image_id)
    edit_manifest(opened, withdrawn=hidden_ids(blind))
    report = check_opening(opened, blind)
    assert (report.images, [it.rule for it in report.violations]) == (0, ["nothing-compared"])
    assert exporting.run("verify", opened, "--opens", blind).exit_code == 1


@pytest.mark.parametrize("folder", ["Main", "Layout", "Action", "Segmentation"])
def test_another_test_list_than_the_blind_one_is_a_violation(
    released: Folders, folder: str
) -> None:
    blind, opened = released
    train = (tree(opened) / "ImageSets/Main/train.txt").read_text().split()[0]
    path = tree(opened) / f"ImageSets/{folder}/test.txt"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{it}\n" for it in sorted([train, *hidden_ids(blind)])))
    found = [it for it in check_opening(opened, blind).violations if it.rule == "seal-list"]
    assert [(it.file, train in it.message) for it in found][:1] == [(str(path), True)]


def test_an_image_that_the_opened_test_list_lost_is_a_violation(released: Folders) -> None:
    blind, opened = released
    first, *others = hidden_ids(blind)
    path = tree(opened) / "ImageSets/Main/test.txt"
    path.write_text("".join(f"{it}\n" for it in others))
    (found,) = check_opening(opened, blind).violations
    assert (found.rule, first in found.message) == ("seal-list", True)


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
    sealed = [it for it in images if "seal" in it]
    edit_manifest(blind, images=[it for it in images if it is not sealed[0]])
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
