"""Layouts by the kits' rules."""

from pathlib import Path

import pytest

from vockit.evaluate import LayoutResult, PersonTruth, layout_2007

from .small_tree import (
    BOX,
    HEAD,
    IDS,
    Box,
    run,
    score,
    write,
    write_layout,
    write_person,
    write_result,
)

WHOLE = (1.0, 1, 40, 40)


ONE = (1.0, 1, 10, 10)
BOTH = (1.0, 1, 10, 14)


TWO_HANDS = PersonTruth((("hand", ONE), ("hand", (1.0, 5, 10, 14))), WHOLE)


def judge_2007(*results: tuple[float, tuple[tuple[str, tuple[float, ...]], ...]]) -> list[float]:
    rows = [LayoutResult(("a", 0), confidence, parts, WHOLE) for confidence, parts in results]  # type: ignore[arg-type]
    precisions: list[float] = layout_2007({"a": [TWO_HANDS]}, rows).precision.tolist()
    return precisions


HEAD_BOX: Box = (1, 1, 10, 10)
HAND_BOX: Box = (20, 20, 29, 29)


def test_layout_parts_are_ranked_by_layout_and_matched_once(devkit: Path) -> None:
    wrong = HEAD.replace(">5<", ">60<").replace(">20<", ">79<")
    good = write_person(IDS[1], 1, 0.2, HEAD + HEAD)
    write_layout(devkit, f"<results>{good}{write_person(IDS[2], 2, 0.8, wrong)}</results>")
    classes = score(devkit)["layout"]["comp7"]["classes"]
    assert classes["head"]["precision"] == [0, 0.5, pytest.approx(1 / 3)]
    assert (classes["head"]["ap"], classes["head"]["npos"]) == (0.25, 2)
    assert (classes["hand"]["ap"], classes["hand"]["npos"]) == (0, 0)
    hand = HEAD.replace("head", "hand")
    write_layout(devkit, f"<results>{write_person(IDS[1], 1, 0.2, hand)}</results>")
    classes = score(devkit)["layout"]["comp7"]["classes"]
    assert (classes["hand"]["ap"], classes["head"]["ap"]) == ("NaN", 0)


def test_by_2007_rules_a_layout_with_wrong_parts_uses_up_its_person() -> None:
    right = TWO_HANDS.parts
    wrong = (("hand", ONE),)
    assert judge_2007((0.9, right), (0.8, right)) == [1, 0.5]
    assert judge_2007((0.9, wrong), (0.8, right)) == [0, 0]


def test_by_2007_rules_each_part_need_only_overlap_a_part_of_its_class() -> None:
    """Both rows overlap the first hand most; the wide box also covers the second."""
    assert judge_2007((0.9, (("hand", ONE), ("hand", BOTH)))) == [1]
    assert judge_2007((0.9, (("hand", ONE), ("hand", ONE)))) == [0]
    assert judge_2007((0.9, (("hand", BOTH), ("hand", (50.0, 50, 60, 60))))) == [0]


def test_a_layout_without_parts_for_a_person_without_parts_is_refused(devkit: Path) -> None:
    write(devkit / "VOC2012/ImageSets/Layout/val.txt", f"{IDS[0]}\n{IDS[1]}\n")
    path = devkit / "VOC2012/Annotations" / f"{IDS[1]}.xml"
    old = path.read_text()
    path.write_text(old[: old.index("\t\t<part>")] + old[old.index("\t</object>") :])
    person = BOX.replace(">5<", ">1<").replace("<xmax>20<", "<xmax>50<")
    person = person.replace("<ymax>20<", "<ymax>80<")
    start = f"<layout><image>{IDS[1]}</image><confidence>1</confidence>{person}"
    rows = f"{start}</layout><layout><image>{IDS[0]}</image><confidence>2</confidence>{BOX}{HEAD}"
    name = "Layout/comp6_layout_val_person.xml"
    text = f"<results>{rows}</layout></results>"
    write_result(devkit, name, text)
    printed = run(str(devkit), "--rules", "2007", status=1)
    assert "a layout without parts meets a person without parts" in printed
    write_result(devkit, name, text.replace(IDS[0], IDS[2]))
    printed = run(str(devkit), "--rules", "2007", status=1)
    assert f":1: expected an image of the set val, got '{IDS[2]}'" in printed


def test_layout_of_2007_needs_all_parts_and_more_than_one() -> None:
    whole: Box = (1, 1, 40, 40)
    head_and_hand = PersonTruth((("head", HEAD_BOX), ("hand", HAND_BOX)), whole)
    head_alone = PersonTruth((("head", HEAD_BOX),), whole)
    result = LayoutResult(("a", 0), 0.9, (("hand", HAND_BOX), ("head", HEAD_BOX)), whole)
    assert layout_2007({"a": [head_and_hand]}, [result]).ap == pytest.approx(1.0)
    missing = LayoutResult(("a", 0), 0.9, (("head", HEAD_BOX),), whole)
    assert layout_2007({"a": [head_and_hand]}, [missing]).ap == 0
    assert layout_2007({"a": [head_alone]}, [missing]).ap == 0
