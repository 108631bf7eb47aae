"""What a page of classification says about ROC and about one answer for each image."""

from __future__ import annotations

from pathlib import Path

from vockit.evaluate.classification_sections import make_choice, make_roc

from .competitions import compete, rows_of
from .small_tree import IDS

CAT = "Main/comp1_cls_val_cat.txt"
PERSON = "Main/comp1_cls_val_person.txt"


def list_scores(*confidences: float) -> str:
    return "".join(
        f"{image_id} {confidence}\n" for image_id, confidence in zip(IDS, confidences, strict=True)
    )


RIGHT = {CAT: list_scores(0.9, 0.1, 0.8), PERSON: list_scores(0.2, 0.9, 0.7)}
SWAPPED = {CAT: RIGHT[PERSON], PERSON: RIGHT[CAT]}


def test_a_perfect_ranking_has_all_area_and_a_reversed_one_half(devkit: Path) -> None:
    competition = compete(devkit, "classification", "comp1", right=RIGHT, swapped=SWAPPED)
    areas, equal_errors = map(rows_of, make_roc(competition).tables)
    assert areas["right"] == {"mean": 1, "of": "2", "cat": 1, "person": 1} | areas["right"]
    assert areas["swapped"]["cat"] == 0
    assert equal_errors["right"]["cat"] == 1


def test_the_class_of_highest_confidence_is_the_answer(devkit: Path) -> None:
    competition = compete(devkit, "classification", "comp1", right=RIGHT, swapped=SWAPPED)
    section = make_choice(competition)
    table = rows_of(section.tables[0])
    assert table["right"]["accuracy"] == 1
    assert table["swapped"]["accuracy"] == round(1 / 3, 3)  # the image with both is right
    assert [drawing.name for drawing in section.drawings] == ["comp1-choice", "comp1-answers-1"]
