"""The report as a participant finds it, and the analyses behind it."""

import csv
import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pytest
from PIL import Image

import vockit.evaluate
from vockit.evaluate.analysis import SIZES_PERCENT, find_telling, measure_by_size, rank_images
from vockit.evaluate.curves import Curve, draw_curve
from vockit.evaluate.detection_errors import find_errors
from vockit.evaluate.galleries import choose_rows
from vockit.evaluate.metrics import Detections, DetectionTruth, judge, pair
from vockit.evaluate.scores import Boxes, ClassScore, Items
from vockit.evaluate.show import BOLD, ITALIC, ScoreTable
from vockit.evaluate.truth import open_truth

from .test_evaluate import IDS, devkit, run, write, write_result

__all__ = ["devkit"]


def make_truth(*objects: tuple[int, tuple[int, int, int, int]]) -> DetectionTruth:
    boxes = np.array([box for _, box in objects], np.float64).reshape(-1, 4)
    images = np.array([image for image, _ in objects], np.int64)
    return DetectionTruth(images, boxes, np.zeros(len(objects), np.bool_))


def score(truth: DetectionTruth, *rows: tuple[int, tuple[int, int, int, int]]) -> ClassScore:
    """Rows by falling confidence."""
    boxes = np.array([box for _, box in rows], np.float64).reshape(-1, 4)
    images = np.array([image for image, _ in rows], np.int64)
    found = Detections(images, np.linspace(0.9, 0.1, len(rows)), boxes)
    evidence = Boxes(truth, found, pair(truth, found))
    judged = judge(truth, evidence.pairing)
    return ClassScore(draw_curve(judged, vockit.evaluate.Rules.VOC2012), judged, evidence)


HERE, NEAR, FAR = (1, 1, 100, 100), (1, 1, 100, 30), (300, 300, 399, 399)


def test_each_wrong_row_has_one_kind_of_error_and_a_gain() -> None:
    objects = {"cat": make_truth((0, HERE), (1, HERE)), "dog": make_truth((2, HERE))}
    cats = score(objects["cat"], (2, HERE), (3, FAR), (0, NEAR), (1, HERE), (1, HERE), (2, NEAR))
    found = find_errors(objects, {"cat": cats, "dog": score(objects["dog"])})
    assert found.counts == {
        "class": 1, "localization": 1, "both": 1, "duplicate": 1, "background": 1, "missed": 0,
    }  # fmt: skip
    gains = found.gains
    assert cats.curve.ap == pytest.approx(0.5 * 0.25)
    assert gains["duplicate"] == gains["both"] == gains["missed"] == 0  # they come after
    assert gains["background"] == pytest.approx((0.5 / 3 - 0.5 / 4) / 2)
    assert gains["localization"] == pytest.approx((0.5 - 0.125) / 2)
    assert gains["class"] == pytest.approx((0.5 / 3 - 0.5 / 4 + 1) / 2)
    assert found.confusion[1, 0] == 1  # the dog was called a cat
    assert found.confusion.tolist()[1][2] == 1


def test_objects_and_images_below_the_size_limit_do_not_count(devkit: Path) -> None:
    truth = open_truth(devkit, "val")
    objects = make_truth((0, (1, 1, 10, 10)), (1, (1, 1, 90, 70)))
    scored = score(objects, (0, (1, 1, 10, 10)), (1, FAR))
    sizes = measure_by_size(truth, scored, np.array([0.02, 0.8]))
    assert sizes[SIZES_PERCENT.index(2)] == 0.5
    assert sizes[SIZES_PERCENT.index(5)] == 0
    labels, confidences = np.array([1, -1, 1]), np.array([0.9, 0.5, 0.1])
    items = ClassScore(scored.curve, scored.judged, Items(labels, confidences, np.arange(3)))
    shares = np.array([0.04, 0, 0.01])
    assert measure_by_size(truth, items, shares)[0] == pytest.approx((1 + 2 / 3) / 2)
    assert measure_by_size(truth, items, shares)[2] == 1


def test_images_are_ranked_by_their_median_rank() -> None:
    labels = np.array([1, -1, 1, -1])
    scores = ([0.9, 0.8, 0.1, 0.2], [0.9, 0.7, 0.3, 0.1], [0.1, 0.9, 0.2, 0.0])
    items = [Items(labels, np.array(it), np.arange(4)) for it in scores]
    medians = rank_images(items)
    assert medians.tolist() == [1, 2, 3, 4]
    found = find_telling(labels, medians, most=1)
    assert found == {"easy": [(0, 1.0)], "hard": [(2, 3.0)], "confusing": [(1, 2.0)]}


def test_a_gallery_of_examples_shows_each_image_once() -> None:
    truth = make_truth((0, HERE), (1, HERE))
    chosen = choose_rows(score(truth, (0, HERE), (0, NEAR), (1, NEAR), (2, FAR), (2, HERE)))
    assert [it.image for it in chosen["true positives"]] == [0]
    assert [it.image for it in chosen["false positives in images without the class"]] == [2]
    assert [it.image for it in chosen["near misses"]] == [0, 1]


def test_the_best_score_is_bold_and_the_next_two_are_italic() -> None:
    rows = [("a", [0.5]), ("b_1", [0.7]), ("c", [float("nan")]), ("d", [0.6]), ("e", [0.1])]
    table = ScoreTable("t", "AP", ["method", "cat"], rows, is_ranked=True)
    marks = [row[0] for row in table.cells()]
    assert marks == [("50.0", ITALIC), ("70.0", BOLD), ("–", ""), ("60.0", ITALIC), ("10.0", "")]
    assert r"b\_1 & \textbf{70.0} \\" in table.as_latex()
    assert list(csv.reader(table.as_csv().splitlines()))[3] == ["c", ""]


def write_methods(devkit: Path) -> list[str]:
    """Three methods with classification and detection of both classes."""
    for number, name in enumerate(("good", "fair", "bad")):
        for kind in ("cat", "person"):
            rows = [f"{it} {(place * (number + 1)) % 3 / 3}" for place, it in enumerate(IDS)]
            main = devkit / name / "Main"
            write(main / f"comp1_cls_val_{kind}.txt", "\n".join(rows))
            rows = [f"{it} 0.{9 - number} 10 10 {60 - 9 * number} 60" for it in IDS]
            write(main / f"comp3_det_val_{kind}.txt", "\n".join(rows))
    return [f"--method={name}={devkit / name}" for name in ("good", "fair", "bad")]


def test_the_report_has_pages_tables_figures_galleries_and_scores(
    devkit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(mpl.rcParams, "pdf.use14corefonts", True)  # embedding takes most of it
    folder = devkit / "VOC2012" / "JPEGImages"
    folder.mkdir()
    for image_id in IDS:
        Image.new("RGB", (100, 80), "green").save(folder / f"{image_id}.jpg")
    report = devkit / "report"
    run(str(devkit), *write_methods(devkit), "--report", str(report), "--panel", "good")
    index, page = ((report / name).read_text() for name in ("index.html", "comp3.html"))
    assert 'href="comp3.html"' in index
    assert "rules of the PASCAL VOC development kit of 2012" in index
    for text in (index, page):
        assert "<script" not in text
        assert not re.search(r'(src|href)="https?:', text)
    for title in ("Are the differences significant?", "Error types", "Slices", "near misses"):
        assert title in page
    assert "good. Easy and hard images" in (report / "comp1.html").read_text()
    assert (report / "comp3-segmentation.html").is_file()  # painted from the detections
    for name in ("tables/comp3-ap.csv", "tables/comp3-ap.tex", "figures/comp3-curve-cat.pdf"):
        assert (report / name).stat().st_size
    assert (report / "figures/comp3-curve-cat.svg").read_text().startswith("<svg")
    assert any((report / "galleries").glob("*.jpg"))
    assert "intersection over union" in (report / "method.txt").read_text()
    document = json.loads((report / "scores.json").read_text())
    assert set(document["methods"]) == {"good", "fair", "bad"}
    assert "vocparty images --id IMAGE" in page
    fewer = ("--method", f"good={devkit / 'good'}", "--competition", "comp3", "--class", "cat")
    run(str(devkit), *fewer, "--report", str(report), "--url", "https://zoo.example/")
    linked = (report / "comp3.html").read_text()
    assert re.search(r'<a href="https://zoo.example/images\?id=(\w+)">\1</a>', linked)


def test_a_report_compares_with_another_and_is_reproducible(devkit: Path) -> None:
    words = [*write_methods(devkit), "--competition", "comp3", "--class", "cat"]
    first, second = devkit / "first", devkit / "second"
    run(str(devkit), *words, "--report", str(first))
    other = ["--other-scores", str(first / "scores.json")]
    run(str(devkit), *words, "--report", str(second), *other)
    index = (second / "index.html").read_text()
    assert "Against another report" in index
    assert "VOC2012 val (first)" in index
    table = (second / "tables" / "comp3-other.csv").read_text().splitlines()
    assert table[1].endswith(",1,1,1,same")
    assert (second / "figures" / "comp3-other.svg").is_file()
    for path in sorted(first.glob("*/*")) + sorted(first.glob("comp*.html")):
        assert path.read_bytes() == (second / path.relative_to(first)).read_bytes(), path


def test_a_report_of_label_files_alone_leaves_out_what_objects_tell(devkit: Path) -> None:
    shutil.rmtree(devkit / "VOC2012" / "Annotations")
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[0]} 0.9\n")
    run(str(devkit), "--report", str(devkit / "report"))
    page = (devkit / "report" / "comp1.html").read_text()
    assert "Scores" in page
    assert "Effect of object size" not in page


def list_files(folder: Path) -> dict[str, bytes]:
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_a_report_replaces_an_earlier_report_but_no_other_folder(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    report = devkit / "report"
    write_result(devkit, "Main/comp3_det_val_person.txt", f"{IDS[1]} 0.9 10 10 60 60\n")
    run(str(devkit), "--report", str(report))
    first = list_files(report)
    (devkit / "results" / "VOC2012" / "Main" / "comp3_det_val_person.txt").unlink()
    write(report / "thesis.tex", "text")
    write(report / "tables" / "mine.csv", "text")
    run(str(devkit), "--report", str(report))
    second = list_files(report)
    assert "results" in (report / "index.html").read_text()
    assert second["index.html"] != first["index.html"]
    assert any("person" in name for name in first.keys() - second.keys())  # deleted
    assert second["thesis.tex"] == second["tables/mine.csv"] == b"text"
    write(devkit / "mine" / "thesis.tex", "text")
    printed = run(str(devkit), "--report", str(devkit / "mine"), status=1)
    assert "holds other files; name a new folder" in printed
    assert (devkit / "mine" / "thesis.tex").read_text() == "text"


def test_a_folder_with_only_its_own_scores_is_no_report(
    devkit: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--json > DIR/scores.json` puts a file of the report's name next to all else."""
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    mine = devkit / "mine"
    write(mine / "scores.json", run(str(devkit), "--json"))
    write(mine / "weights" / "epoch-9.pt", "weights")
    before = list_files(mine)
    monkeypatch.chdir(mine)
    for folder in (".", str(mine)):
        printed = run(str(devkit), "--report", folder, status=1)
        assert "holds other files; name a new folder" in printed
    assert list_files(mine) == before


def test_a_file_of_a_report_that_was_changed_is_not_overwritten(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    report, elsewhere = devkit / "report", devkit / "elsewhere"
    run(str(devkit), "--report", str(report))
    changed = report / "method.txt"
    changed.write_text("my own words")
    before = list_files(report)
    printed = run(str(devkit), "--report", str(report), status=1)
    assert f"{changed} is not what vocparty wrote there, so nothing was changed" in printed
    assert list_files(report) == before
    changed.unlink()
    elsewhere.mkdir()
    (report / "tables").rename(elsewhere / "tables")
    (report / "tables").symlink_to(elsewhere / "tables")
    printed = run(str(devkit), "--report", str(report), status=1)
    assert f"{report / 'tables'} is not what vocparty wrote there" in printed
    assert list_files(elsewhere)
    (report / "tables").unlink()
    run(str(devkit), "--report", str(report))
    assert "my own words" not in changed.read_text()


def test_masks_of_a_participant_are_not_painted_over(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    folder = devkit / "results" / "VOC2012" / "Segmentation" / "comp3_val_cls"
    folder.mkdir(parents=True)
    (folder / f"{IDS[1]}.png").write_bytes(b"drawn by hand")
    printed = run(str(devkit), "--paint", "comp3", status=1)
    assert f"{IDS[1]}.png is not what vocparty wrote there" in printed
    assert list_files(folder) == {f"{IDS[1]}.png": b"drawn by hand"}
    (folder / f"{IDS[1]}.png").unlink()
    run(str(devkit), "--paint", "comp3")
    run(str(devkit), "--paint", "comp3", "--confidence", "0.95")


def check(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    """Check a value against the part of JSON Schema that ours uses."""
    if "$ref" in schema:
        check(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
        return
    if "anyOf" in schema or "enum" in schema or "const" in schema:
        options = schema.get("enum", [schema.get("const")])
        assert "anyOf" in schema or value in options
        if "anyOf" in schema and isinstance(value, str):
            assert value in schema["anyOf"][1]["enum"]
        return
    types = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
    assert isinstance(value, types.get(schema.get("type", ""), object))
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= set(value)
        for name, one in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            assert inner is not False, name
            check(one, inner, root)
    elif isinstance(value, list):
        for one in value:
            check(one, schema.get("items", {}), root)


def test_the_json_document_matches_its_schema(devkit: Path) -> None:
    schema = json.loads((Path(__file__).parents[3] / "docs" / "scores.schema.json").read_text())
    write_methods(devkit)
    document = json.loads(run(str(devkit), "--results", str(devkit / "good"), "--json"))
    assert set(document["tasks"]) == {"classification", "detection", "segmentation"}
    check(document, schema, schema)


def test_a_curve_of_many_rows_is_drawn_with_few_points() -> None:
    from vockit.evaluate.figures import draw_curves

    recall = np.linspace(0, 1, 100_000)
    drawing = draw_curves("x", "cat", {"m": Curve(recall, 1 - recall / 2, 0.7, 10)}, 0.1)
    assert len(drawing.svg) < 60_000
    assert "(chance) (10.0)" in drawing.svg
