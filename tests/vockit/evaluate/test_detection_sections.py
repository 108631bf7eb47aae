"""What a page of detection says about errors, overlaps and chance."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from vockit.evaluate.detection_sections import (
    SHOWN_METHODS,
    make_errors,
    make_galleries,
    make_overlaps,
)

from .competitions import compete, rows_of
from .small_tree import IDS

CAT = "Main/comp3_det_val_cat.txt"
RIGHT = {CAT: "".join(f"{image_id} 0.9 10 10 60 60\n" for image_id in (IDS[0], IDS[2]))}
HALF = {CAT: "".join(f"{image_id} 0.9 10 10 60 40\n" for image_id in (IDS[0], IDS[2]))}
MISPLACED = {CAT: "".join(f"{image_id} 0.9 30 30 80 80\n" for image_id in (IDS[0], IDS[2]))}


def test_a_misplaced_box_is_an_error_of_localization_and_costs_its_points(devkit: Path) -> None:
    section = make_errors(compete(devkit, "detection", "comp3", right=RIGHT, off=MISPLACED))
    errors, gains = map(rows_of, section.tables)
    assert set(errors["right"].values()) == {0}
    assert errors["off"]["localization"] == 2
    assert gains["off"]["localization"] == 1
    assert [drawing.name for drawing in section.drawings] == ["comp3-confusion"]


def test_ap_falls_where_more_overlap_is_asked_for(devkit: Path) -> None:
    section = make_overlaps(compete(devkit, "detection", "comp3", right=RIGHT, half=HALF))
    overlaps = rows_of(section.tables[0])
    assert overlaps["right"]["0.9"] == 1
    assert overlaps["half"]["0.5"] == 1
    assert overlaps["half"]["0.9"] == 0
    assert overlaps["half"]["worst order"] == overlaps["half"]["best order"] == 1


def test_the_order_of_equal_confidences_is_bracketed(devkit: Path) -> None:
    tied = {CAT: RIGHT[CAT] + f"{IDS[1]} 0.9 10 10 60 60\n"}
    row = rows_of(make_overlaps(compete(devkit, "detection", "comp3", tied=tied)).tables[0])["tied"]
    assert row["best order"] == 1
    assert row["worst order"] == round(2 / 3, 3)


def test_galleries_show_the_best_methods_of_a_class(devkit: Path) -> None:
    for image_id in IDS:
        path = devkit / "VOC2012" / "JPEGImages" / f"{image_id}.jpg"
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (100, 80), "green").save(path)
    competition = compete(
        devkit, "detection", "comp3", off=MISPLACED, right=RIGHT, half=HALF, same=RIGHT
    )
    names = [name for name, pictures in make_galleries(competition).galleries if pictures]
    shown = {name.split(":")[0] for name in names}
    assert shown == {f"cat, {method}" for method in competition.by_mean()[:SHOWN_METHODS]}
