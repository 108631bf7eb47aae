"""Results that were made before a photograph was withdrawn from their blind release."""

import json
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.party import open_party
from catalog.tables import ReleaseImage
from tests.exporting import take_down
from tests.rows import load_rows
from vockit.command import main as vockit
from vockit.foreign.devkit import write_devkit
from vockit.kit import open_release

from .blind_releases import hidden_ids, run, tree
from .conftest import draw_nothing

BOX = (2, 3, 50, 30)


def run_vockit(status: int, *arguments: object) -> str:
    result = CliRunner().invoke(vockit, [str(argument) for argument in arguments])
    assert result.exit_code == status, result.output
    return result.output


def answer(release: Path, folder: Path) -> list[str]:
    """Results for every test image of the release; its test images."""
    opened = open_release(release)
    names = [image.image_id for image in opened.images("test")]
    writer = opened.write_results(folder, "test")
    confidences = [1 - place / 10 for place in range(len(names))]
    writer.detection("comp3", "cat", names, confidences, [BOX] * len(names))
    writer.classification("comp1", "cat", names, confidences)
    rows = [
        {"image_id": name, "category_id": "cat", "bbox": [1, 2, 49, 28], "score": confidence}
        for name, confidence in zip(names, confidences, strict=True)
    ]
    (folder.parent / "coco.json").write_text(json.dumps(rows))
    return names


@pytest.fixture(scope="module")
def folder(stocked_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a kit of the blind release, which lost an image before it was opened."""
    folder = tmp_path_factory.mktemp("withdrawn")
    party = ("--party", shutil.copytree(stocked_template, folder / "party"), "--year", 2026)
    with pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        run("export", folder / "blind", "--blind", *party)
        write_devkit(folder / "blind", folder / "kit")
        names = answer(tree(folder / "kit"), folder / "results")
        with open_party(folder / "party") as opened:
            named = select(ReleaseImage.image_id).filter_by(public_id=names[0])
            take_down(opened, load_rows(opened, named)[0])
        run("export", folder / "open", "--open", *party)
        run("export", folder / "later", "--blind", *party)
    assert names[1:] == hidden_ids(folder / "open")
    return folder


def test_results_made_before_a_withdrawal_are_scored_without_it(
    folder: Path, tmp_path: Path
) -> None:
    results = folder / "results"
    note = "Note: 1 image of these results was withdrawn from VOC2026 since"
    opened = tree(folder / "open")
    told_by = [
        run_vockit(0, "check-results", results, "--release", opened, "--set", "test"),
        run_vockit(0, "evaluate", opened, "--set", "test", "--results", results),
    ]
    assert all(f"{note}; what is said of them was left out (2 rows)." in said for said in told_by)
    answer(opened, tmp_path / "again" / "results")
    scores = [
        json.loads(run_vockit(0, "evaluate", opened, "--set", "test", "--results", place, "--json"))
        for place in (results, tmp_path / "again" / "results")
    ]
    tasks = [scored["tasks"] for scored in scores]
    assert tasks[0]["detection"]["comp3"]["classes"] == tasks[1]["detection"]["comp3"]["classes"]
    assert tasks[0]["classification"] == tasks[1]["classification"]
    coco = run_vockit(0, "evaluate", opened, "--set", "test", "--results", folder / "coco.json")
    assert f"{note}; what is said of them was left out (1 row)." in coco


def test_a_kit_made_after_the_withdrawal_is_of_the_same_release(
    folder: Path, tmp_path: Path
) -> None:
    results = folder / "results"
    write_devkit(folder / "later", tmp_path / "newer")
    newer = tree(tmp_path / "newer")
    said = run_vockit(0, "check-results", results, "--release", newer, "--set", "test")
    assert "1 image of these results was withdrawn" in said
    answer(newer, tmp_path / "late" / "results")
    late = tmp_path / "late" / "results"
    assert (late / "release.txt").read_bytes() == (results / "release.txt").read_bytes()
    assert "withdrawn" not in run_vockit(
        0, "evaluate", tree(folder / "open"), "--set", "test", "--results", late
    )


def test_another_release_and_unknown_images_are_refused_all_the_same(
    folder: Path, tmp_path: Path
) -> None:
    opened = tree(folder / "open")
    results = Path(shutil.copytree(folder / "results", tmp_path / "results"))
    rows = results / "Main/comp3_det_test_cat.txt"
    rows.write_text(rows.read_text() + "2026_999999 0.5 1 1 9 9\n")
    said = run_vockit(1, "check-results", results, "--release", opened, "--set", "test")
    assert "got '2026_999999'" in said
    assert said == run_vockit(1, "evaluate", opened, "--set", "test", "--results", results)
    (results / "release.txt").write_text(f"VOC2026 {'0' * 64}\n")
    said = run_vockit(1, "check-results", results, "--release", opened, "--set", "test")
    assert "were made for another release named VOC2026" in said
    assert said == run_vockit(1, "evaluate", opened, "--set", "test", "--results", results)
