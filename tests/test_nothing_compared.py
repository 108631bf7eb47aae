"""A command that has nothing to compare, read or write fails, says so, and leaves all as it was.

What only plans or tries a work refuses what the work itself refuses, with the same sentence.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import make_party
from tests.exporting import contents
from tests.trees import make_tree
from tests.vockit.foreign.datasets.cocos import make_coco
from vocparty import main

TREE = "VOC2012"
JPEGS = "VOC2012/VOCdevkit/VOC2012/JPEGImages"
NOTHING = [
    ("verify bare", "set-missing"),
    ("verify VOC2012 --party zoo", "nothing-compared: expected images of this party; 0 of 6 are"),
    ("verify VOC2012 --opens VOC2012", "has no release.json that can be read"),
    ("overlap pictures --party zoo", "holds no image"),
    (f"overlap {JPEGS} --party zoo", "There is no image to compare with in test"),
    ("overlap pictures --against test:VOC1999 --party zoo", "There is no release VOC1999"),
    ("hashes pictures", "holds no image"),
    ("import folder pictures --party zoo", "holds no picture file"),
    ("import urls head.csv --party zoo", "names no photograph"),
    ("import urls list.json --party zoo", "names no photograph"),
    (f"import folder {JPEGS} --table head.csv --party zoo", "names no photograph"),
    (
        "import dataset bare --format voc-tree --year 2012 --party zoo",
        "No image of bare could be imported",
    ),
    ("import urls odd.csv --party zoo", "No photograph could be imported, as said above."),
    ("import dataset unlabelled --dry-run --party zoo", "No image of unlabelled could be imported"),
    ("source add head.csv --party zoo", "has no photograph to collect"),
    ("evaluate VOC2012", "No results in"),
    ("evaluate VOC2012 --method a=pictures --method b=pictures", "no results for the set val"),
    ("evaluate VOC2012 --report out", "No results in"),
    ("evaluate VOC2012 --results entry", "No class has a number"),
    ("evaluate VOC2012 --results entry --json", "No class has a number"),
    ("evaluate VOC2012 --method a=entry", "No class has a number"),
    ("convert bare out --to coco", "there are no images"),
    ("archive pictures out", "holds no VOC tree"),
    ("browse pictures", "holds no VOC tree"),
    ("restore empty.tar out", "is no whole backup: empty file"),
    ("release show VOC2026 --party zoo", "There is no release VOC2026"),
    ("release diff VOC2026 VOC2027 --party zoo", "There is no release VOC2026"),
]
DEVKIT_TREE = "VOC2012/VOCdevkit/VOC2012"
INTO_A_TREE = [
    f"convert VOC2012 {DEVKIT_TREE}/coco --to coco",
    f"archive VOC2012 {DEVKIT_TREE}/tars",
    f"devkit {DEVKIT_TREE}/kit --release VOC2012",
    f"show VOC2012 val --out {DEVKIT_TREE}/shown",
    f"show VOC2012 val --out {DEVKIT_TREE}",
    f"tables --out {DEVKIT_TREE} --party zoo",
    f"dedup --html {DEVKIT_TREE}/pairs.html --party zoo",
    f"dedup VOC2012 --html {DEVKIT_TREE}/copies.html",
    f"dedup pictures --move {DEVKIT_TREE}/JPEGImages/copies",
    f"collected --html {DEVKIT_TREE}/report.html --party zoo",
    f"qa --html {DEVKIT_TREE}/qa.html --party zoo",
    f"evaluate VOC2012 --results entry --report {DEVKIT_TREE}/report",
    f"backup {DEVKIT_TREE}/zoo.tar --party zoo",
    f"move --to sqlite:///new.db --folder {DEVKIT_TREE}/zoo --party zoo",
    f"init {DEVKIT_TREE}/lake",
    f"preset new {DEVKIT_TREE}/lake.toml",
    f"standin --photos {JPEGS} --port 0 --table {DEVKIT_TREE}/yfcc.sqlite",
]
PLANS = [
    ("export out --year 2026", "--dry-run"),
    ("export out --year 2026 --class zebra", "--dry-run"),
    ("export out --year 2026 --extend VOC2025", "--dry-run"),
    ("export out --corrects VOC2025", "--dry-run"),
    ("export out --year 2026 --name VOC2025.1", "--dry-run"),
    ("collect --target 5", "--plan"),
    ("collect --target 5 --class zebra", "--plan"),
    ("takedown flickr:1 --reason asked", "--dry-run"),
    ("takedown --owner nobody --reason asked", "--dry-run"),
]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an empty party, a tree, and what looks like something and holds nothing."""
    monkeypatch.chdir(tmp_path)
    make_party(tmp_path / "zoo", name="Zoo", preset="voc2012", values={})
    make_tree(tmp_path / TREE)
    for folder in ("Annotations", "JPEGImages", "ImageSets/Main"):
        (tmp_path / "bare" / folder).mkdir(parents=True)
    (tmp_path / "pictures").mkdir()
    (tmp_path / "head.csv").write_text("url,file,licence\n")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "odd.csv").write_text("url\nftp://example.org/1.jpg\n")
    make_coco(tmp_path / "unlabelled", [], images=2)
    (tmp_path / "empty.tar").touch()
    (tmp_path / "entry/Main").mkdir(parents=True)
    (tmp_path / "entry/Main/comp3_det_val_cat.txt").write_text("2012_000003 0.9 1 1 20 20\n")
    return tmp_path


def run(line: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, line.split())
    assert result.exception is None or isinstance(result.exception, SystemExit)
    return result.exit_code, result.output


def read_all(folder: Path) -> dict[str, bytes]:
    """Every file but locks and what SQLite makes where a catalogue is read."""
    files = contents(folder)
    passed_over = ("catalogue.db-", ".lock")
    return {
        name: data for name, data in files.items() if not any(part in name for part in passed_over)
    }


@pytest.mark.parametrize(("line", "sentence"), NOTHING)
def test_a_command_without_anything_to_do_fails_and_says_so(
    place: Path, line: str, sentence: str
) -> None:
    before = read_all(place)
    status, output = run(line)
    assert status in (1, 2), output
    assert sentence in output
    assert read_all(place) == before


def test_an_import_that_took_nothing_fails(place: Path) -> None:
    status, output = run("import dataset unlabelled --party zoo")
    assert (status, "No image of unlabelled could be imported" in output) == (1, True)
    (place / "pictures/broken.jpg").write_bytes(b"no picture")
    status, output = run("import folder pictures --party zoo")
    assert (status, "No photograph could be imported" in output) == (1, True)


@pytest.mark.parametrize("line", INTO_A_TREE)
def test_nothing_but_a_release_is_written_into_a_tree(place: Path, line: str) -> None:
    before = read_all(place)
    status, output = run(line)
    assert (status, "is in the tree" in output) == (2, True), output
    assert read_all(place) == before


@pytest.mark.parametrize(("line", "option"), PLANS)
def test_a_plan_refuses_what_the_work_refuses(place: Path, line: str, option: str) -> None:
    work = run(f"{line} --party zoo")
    assert work[0] in (1, 2)
    assert run(f"{line} {option} --party zoo") == work
    assert not (place / "out").exists()
