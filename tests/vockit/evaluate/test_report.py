"""The report as a participant finds it."""

import json
import re
import shutil
from pathlib import Path

import pytest
from PIL import Image

from .small_tree import IDS, list_files, run, write, write_methods, write_result


def test_the_report_has_pages_tables_figures_galleries_and_scores(devkit: Path) -> None:
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
    first = devkit / "first"
    second = devkit / "second"
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
    printed = run(str(devkit), "--report", str(devkit / "mine"), status=2)
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
        printed = run(str(devkit), "--report", folder, status=2)
        assert "holds other files; name a new folder" in printed
    assert list_files(mine) == before


def test_a_file_of_a_report_that_was_changed_is_not_overwritten(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    report = devkit / "report"
    elsewhere = devkit / "elsewhere"
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
