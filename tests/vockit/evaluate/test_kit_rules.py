"""The kits' rules: small cases, each for one sentence of the format's norm."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from vockit.evaluate import LayoutResult, PersonTruth, layout_2007

from .test_evaluate import (
    BOX,
    HEAD,
    IDS,
    devkit,
    run,
    score,
    write,
    write_layout,
    write_mask,
    write_masks,
    write_result,
)

__all__ = ["devkit"]

CAT_BOX = "10 10 60 60"


def score_cats(devkit: Path, *rows: str, rules: str = "2012") -> Any:
    """The AP and the precisions of detections of cats; images 0 and 2 have one each."""
    write_result(devkit, "Main/comp3_det_val_cat.txt", "".join(f"{row}\n" for row in rows))
    printed = run(str(devkit), "--json", "--rules", rules, "--competition", "comp3")
    cat = json.loads(printed)["tasks"]["detection"]["comp3"]["classes"]["cat"]
    return cat["ap"], cat["precision"]


@pytest.mark.parametrize(
    ("rows", "precision"),
    [
        # equal confidences keep the order of the file
        ((f"{IDS[0]} 0.5 1 1 2 2", f"{IDS[0]} 0.5 {CAT_BOX}"), [0, 0.5]),
        ((f"{IDS[0]} 0.5 {CAT_BOX}", f"{IDS[0]} 0.5 1 1 2 2"), [1, 0.5]),
        # NaN ranks last, below -inf
        ((f"{IDS[0]} nan {CAT_BOX}", f"{IDS[1]} -inf 1 1 2 2"), [0, 0.5]),
        # a second row on a taken object is wrong
        ((f"{IDS[0]} 0.9 {CAT_BOX}", f"{IDS[0]} 0.8 {CAT_BOX}"), [1, 0.5]),
        # boxes are not swapped
        ((f"{IDS[0]} 0.9 60 60 10 10",), [0]),
        # nor clipped: the part outside of the image counts
        ((f"{IDS[0]} 0.9 -90 10 60 60",), [0]),
        # nor rounded: the overlap is 26 / 51 and 25.4 / 51
        ((f"{IDS[0]} 0.9 10 10 35 60", f"{IDS[2]} 0.8 10 10 34.4 60"), [1, 0.5]),
    ],
)
def test_detections_are_judged_as_by_the_development_kit(
    devkit: Path, rows: tuple[str, ...], precision: list[float]
) -> None:
    assert score_cats(devkit, *rows)[1] == precision


def test_detections_of_a_difficult_object_count_neither_way(devkit: Path) -> None:
    path = devkit / "VOC2012" / "Annotations" / f"{IDS[0]}.xml"
    text = path.read_text()
    rows = (f"{IDS[0]} 0.9 {CAT_BOX}", f"{IDS[0]} 0.8 {CAT_BOX}", f"{IDS[2]} 0.7 {CAT_BOX}")
    path.write_text(text.replace("<difficult>0<", "<difficult>1<"))
    assert score_cats(devkit, *rows) == (1, ["NaN", "NaN", 1])
    path.write_text(text.replace("<difficult>0<", "<difficult>true<"))
    assert score_cats(devkit, *rows) == (pytest.approx(0.5 + 0.5 * 2 / 3), [1, 0.5, 2 / 3])


def test_the_ap_of_a_class_without_objects_depends_on_the_rules(devkit: Path) -> None:
    for image_id in (IDS[0], IDS[2]):
        path = devkit / "VOC2012" / "Annotations" / f"{image_id}.xml"
        path.write_text(path.read_text().replace("<name>cat<", "<name>person<"))
    row = f"{IDS[0]} 0.9 {CAT_BOX}"
    assert score_cats(devkit, row)[0] == "NaN"
    assert score_cats(devkit, row, rules="2007")[0] == 0
    assert score_cats(devkit)[0] == score_cats(devkit, rules="2007")[0] == 0


def test_missing_rows_are_ranked_last_in_the_order_of_the_label_file(devkit: Path) -> None:
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "")
    cat = score(devkit)["classification"]["comp1"]["classes"]["cat"]
    assert cat["precision"] == [1, 0.5, pytest.approx(2 / 3)]
    assert cat["ap"] == pytest.approx(0.5 + 0.5 * 2 / 3)
    write_result(devkit, "Main/comp1_cls_val_cat.txt", f"{IDS[2]} 0.5\n{IDS[0]} 0.5\n")
    write(devkit / "VOC2012/ImageSets/Main/cat_val.txt", f"{IDS[0]} -1\n{IDS[1]}  0\n{IDS[2]}  1\n")
    cat = score(devkit)["classification"]["comp1"]["classes"]["cat"]
    assert cat["precision"] == [0, 0.5, 0.5]  # ties keep the order of the label file


def test_persons_without_points_are_scored_by_their_last_row(devkit: Path) -> None:
    rows = [f"{IDS[1]} 1 0.1", f"{IDS[2]} 2 0.5", f"{IDS[1]} 1 0.9"]
    write_result(devkit, "Action/comp9_action_val_running.txt", "\n".join(rows))
    assert "<point>" not in (devkit / "VOC2012" / "Annotations" / f"{IDS[1]}.xml").read_text()
    assert score(devkit)["action"]["comp9"]["classes"]["running"]["ap"] == 1
    write_result(devkit, "Action/comp9_action_val_running.txt", f"{IDS[1]} 2 0.1")
    assert ":1: expected a person that Action lists" in run(str(devkit), status=1)


def test_a_class_without_pixels_makes_the_mean_iou_nan(devkit: Path) -> None:
    write_masks(devkit, 1, 1)
    write_mask(devkit / "VOC2012" / "SegmentationClass" / f"{IDS[1]}.png", 0)
    entry = json.loads(run(str(devkit), "--json"))["tasks"]["segmentation"]["comp5"]
    size, cats, void = 100 * 80 * 2, 40 * 40, 40 * 2 * 2
    ious = [entry["classes"][it]["iou_percent"] for it in ("background", "cat", "person")]
    rest = size - void - cats
    assert ious == [pytest.approx(100 * (rest - cats) / rest), 50, "NaN"]
    assert entry["mean"] == "NaN"
    assert entry["mean_entered"] == pytest.approx((ious[0] + 50) / 2)
    assert entry["confusion"] == [[rest - cats, cats, 0], [0, cats, 0], [0, 0, 0]]
    old = json.loads(run(str(devkit), "--json", "--rules", "2007"))["tasks"]["segmentation"]
    recalls = [it["iou_percent"] for it in old["comp5"]["classes"].values()]
    assert recalls == [pytest.approx(100 * (rest - cats) / rest), 100, 0]
    assert old["comp5"]["mean"] == pytest.approx(sum(recalls) / 3)


def test_a_four_bit_palette_mask_is_read_by_its_indices(devkit: Path) -> None:
    for path in write_masks(devkit, 1, 2).iterdir():
        with Image.open(path) as opened:
            labels = opened.convert("P")
        labels.putdata(np.asarray(opened).ravel().tolist())
        labels.putpalette([0, 0, 0, 128, 0, 0, 0, 128, 0])
        labels.save(path, bits=4)
    entry = json.loads(run(str(devkit), "--json"))["tasks"]["segmentation"]["comp5"]
    assert [it["iou_percent"] for it in entry["classes"].values()] == [100, 100, 100]


def write_person(image_id: str, number: int, confidence: float, parts: str) -> str:
    start = f"<layout><image>{image_id}</image><object>{number}</object>"
    return f"{start}<confidence>{confidence}</confidence>{parts}</layout>"


def test_layout_parts_are_ranked_by_layout_and_matched_once(devkit: Path) -> None:
    wrong = HEAD.replace(">5<", ">60<").replace(">20<", ">79<")
    good = write_person(IDS[1], 1, 0.2, HEAD + HEAD)
    write_layout(devkit, f"<results>{good}{write_person(IDS[2], 2, 0.8, wrong)}</results>")
    found = score(devkit)["layout"]["comp7"]["classes"]
    assert found["head"]["precision"] == [0, 0.5, pytest.approx(1 / 3)]
    assert (found["head"]["ap"], found["head"]["npos"]) == (0.25, 2)
    assert (found["hand"]["ap"], found["hand"]["npos"]) == (0, 0)
    hand = HEAD.replace("head", "hand")
    write_layout(devkit, f"<results>{write_person(IDS[1], 1, 0.2, hand)}</results>")
    found = score(devkit)["layout"]["comp7"]["classes"]
    assert (found["hand"]["ap"], found["head"]["ap"]) == ("NaN", 0)


WHOLE = (1.0, 1, 40, 40)
ONE, BOTH = (1.0, 1, 10, 10), (1.0, 1, 10, 14)
TWO_HANDS = PersonTruth((("hand", ONE), ("hand", (1.0, 5, 10, 14))), WHOLE)


def judge_2007(*results: tuple[float, tuple[tuple[str, tuple[float, ...]], ...]]) -> list[float]:
    rows = [LayoutResult(("a", 0), it, parts, WHOLE) for it, parts in results]  # type: ignore[arg-type]
    found: list[float] = layout_2007({"a": [TWO_HANDS]}, rows).precision.tolist()
    return found


def test_by_2007_rules_a_layout_with_wrong_parts_uses_up_its_person() -> None:
    right, wrong = TWO_HANDS.parts, (("hand", ONE),)
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
    name, text = "Layout/comp6_layout_val_person.xml", f"<results>{rows}</layout></results>"
    write_result(devkit, name, text)
    printed = run(str(devkit), "--rules", "2007", status=1)
    assert "a layout without parts meets a person without parts" in printed
    write_result(devkit, name, text.replace(IDS[0], IDS[2]))
    printed = run(str(devkit), "--rules", "2007", status=1)
    assert f":1: expected an image of the set val, got '{IDS[2]}'" in printed


def test_trees_of_2008_use_the_ap_of_2007_and_the_later_rules(devkit: Path) -> None:
    (devkit / "VOC2012").rename(devkit / "VOC2009")
    words = [str(devkit), "--results", str(devkit / "results" / "VOC2012")]
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 {CAT_BOX}\n")
    write_layout(devkit, f"<results>{write_person(IDS[1], 1, 0.2, HEAD)}</results>")
    document = json.loads(run(*words, "--json"))
    assert document["rules"] == "2008"
    assert document["tasks"]["detection"]["comp3"]["classes"]["cat"]["ap"] == pytest.approx(6 / 11)
    assert document["tasks"]["layout"]["comp7"]["classes"]["head"]["ap"] == pytest.approx(6 / 11)


def test_an_unreadable_annotation_is_reported_with_the_reason(devkit: Path) -> None:
    path = devkit / "VOC2012" / "Annotations" / f"{IDS[0]}.xml"
    path.write_text(path.read_text().replace("<xmin>10<", "<xmin>ten<").rstrip())
    write_result(devkit, "Main/comp3_det_val_cat.txt", "")
    assert "expected a number in <xmin>: 'ten'" in run(str(devkit), status=1)
