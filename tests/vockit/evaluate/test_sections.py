"""Which sections the page of a competition has, and what their tables say."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from vockit.evaluate.galleries import Pictures
from vockit.evaluate.sections import make_sections

from .competitions import compete, rows_of, titles_of
from .small_tree import IDS

CAT = "Main/comp1_cls_val_cat.txt"
PERSON = "Main/comp1_cls_val_person.txt"
RIGHT = {
    CAT: f"{IDS[0]} 0.9\n{IDS[1]} 0.1\n{IDS[2]} 0.8\n",
    PERSON: f"{IDS[0]} 0.1\n{IDS[1]} 0.9\n{IDS[2]} 0.8\n",
}
WRONG = {CAT: f"{IDS[0]} 0.2\n{IDS[1]} 0.9\n{IDS[2]} 0.1\n"}
BOXES = {"Main/comp3_det_val_cat.txt": f"{IDS[0]} 0.9 10 10 60 60\n{IDS[1]} 0.8 10 10 60 60\n"}


def test_a_page_of_classification_has_roc_and_forced_choice(devkit: Path) -> None:
    sections = list(make_sections(compete(devkit, "classification", "comp1", right=RIGHT)))
    assert titles_of(sections) == [
        "Scores",
        "Precision and recall",
        "Effect of object size",
        "Slices",
        "ROC",
        "Forced choice",
        "Easy, hard and confusing images",
        "Calibration",
    ]
    assert {section.title for section in sections if section.is_ours} == {
        "Forced choice",
        "Calibration",
    }


def test_one_class_leaves_no_choice_between_classes(devkit: Path) -> None:
    competition = compete(devkit, "classification", "comp1", right={CAT: RIGHT[CAT]})
    assert "Forced choice" not in titles_of(list(make_sections(competition)))


def test_a_page_of_detection_has_errors_and_overlaps(devkit: Path) -> None:
    titles = titles_of(list(make_sections(compete(devkit, "detection", "comp3", only=BOXES))))
    assert "Error types" in titles
    assert "Overlap, equal confidences and chance" in titles
    assert not {"ROC", "Forced choice"} & set(titles)


def test_scores_have_a_row_for_each_method_and_a_drawing_of_both(devkit: Path) -> None:
    competition = compete(devkit, "classification", "comp1", right=RIGHT, wrong=WRONG)
    scores = next(make_sections(competition))
    table = rows_of(scores.tables[0])
    assert table["right"]["cat"] == 1
    assert table["right"]["person"] == 1
    assert table["wrong"]["cat"] == round(2 / 3, 3)  # precision made monotone
    assert [drawing.name for drawing in scores.drawings] == ["comp1-methods", "comp1-classes"]


def test_the_order_of_methods_is_by_their_mean_over_common_classes(devkit: Path) -> None:
    competition = compete(devkit, "classification", "comp1", wrong=WRONG, right=RIGHT)
    assert competition.by_mean() == ["right", "wrong"]
    assert competition.classes == ["cat", "person"]
    assert list(competition.of_class("person")) == ["right"]


def test_a_slice_counts_its_positives(devkit: Path) -> None:
    sections = list(make_sections(compete(devkit, "detection", "comp3", only=BOXES)))
    slices = next(section for section in sections if section.title == "Slices")
    rows = rows_of(slices.tables[0])
    assert rows
    assert all(isinstance(row["positives"], int) and row["positives"] > 0 for row in rows.values())


def test_ranks_of_images_are_those_of_the_panel(devkit: Path) -> None:
    competition = compete(devkit, "classification", "comp1", right=RIGHT, wrong=WRONG)

    def list_first(panel: list[str]) -> object:
        sections = list(make_sections(replace(competition, panel=panel)))
        ranks = next(section for section in sections if section.title.startswith("Easy"))
        assert f"over {', '.join(panel)}." in ranks.lines[0]
        return rows_of(ranks.tables[0])

    assert list_first(["right"]) != list_first(["wrong"])


def test_a_tree_without_photographs_has_no_pictures(devkit: Path, tmp_path: Path) -> None:
    competition = compete(devkit, "detection", "comp3", only=BOXES)
    competition = replace(competition, pictures=Pictures(competition.truth, tmp_path / "none"))
    galleries = list(make_sections(competition))[-1].galleries
    assert [pictures for _, pictures in galleries] == [[]] * len(galleries)
    assert not (tmp_path / "none").exists()
