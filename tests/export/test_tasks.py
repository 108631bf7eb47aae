"""Releases with Layout and Action sets, other styles and other classes."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from catalog.party import Party, make_party, open_party
from catalog.preset import AnnotationStyle
from catalog.states import Source
from catalog.tables import Photo
from export.order import ReleaseOrder
from export.party_check import iterate_warnings
from export.plan import ReleasePlan
from tests.exporting import export_release, verify_tree
from tests.party_rows import CAT, NOW, Drawn, add_image, fill

HEAD = (("head", (3, 3, 10, 10)),)
WALKER = Drawn("person", actions=("walking", "phoning"), point_xy=(5, 6), parts=HEAD)
SITTER = Drawn("person", (10, 10, 20, 20), actions=("other",), point_xy=(12, 12))


@pytest.fixture
def active(party: Party) -> Party:
    """Twelve images: people with actions and parts, people with a cat, cats."""
    images = []
    for number in range(12):
        cat = replace(CAT, box=(2 + number, 3, 50, 30))
        walker = replace(WALKER, box=(2 + number, 3, 50, 30))
        images.append([[walker, SITTER], [cat, walker], [cat]][number % 3])
    fill(party, images)
    return party


def release(party: Party, folder: Path, year: int = 2026, **order: Any) -> tuple[ReleasePlan, Path]:
    """A valid release, and its tree."""
    plan = export_release(party, folder, year=year, at=NOW, order=ReleaseOrder(**order))
    assert verify_tree(folder) == []
    return plan, folder / "VOCdevkit" / f"VOC{year}"


def lines(root: Path, path: str) -> list[str]:
    return (root / "ImageSets" / path).read_text().splitlines()


def all_lines(root: Path, pattern: str) -> list[str]:
    return sorted(
        line for name in ("trainval", "test") for line in lines(root, pattern.format(name))
    )


def test_images_are_in_the_layout_and_action_sets_they_fit(active: Party, tmp_path: Path) -> None:
    plan, root = release(active, tmp_path / "out")
    drawn = {
        image.public_id: [item.class_name for item in image.row.objects] for image in plan.images
    }
    people = [image_id for image_id, names in drawn.items() if names == ["person", "person"]]
    with_cat = [image_id for image_id, names in drawn.items() if names == ["cat", "person"]]
    assert all_lines(root, "Main/{}.txt") == sorted(drawn)
    assert all_lines(root, "Layout/{}.txt") == sorted(f"{image_id}  2" for image_id in with_cat)
    assert all_lines(root, "Action/{}.txt") == sorted(people)
    assert all_lines(root, "Action/walking_{}.txt") == sorted(
        line for image_id in people for line in (f"{image_id}  1  1", f"{image_id}  2 -1")
    )
    assert all_lines(root, "Action/other_{}.txt") == sorted(
        line for image_id in people for line in (f"{image_id}  1 -1", f"{image_id}  2  1")
    )
    assert len(list((root / "ImageSets" / "Action").iterdir())) == 4 + 11 * 4


def list_placing(party: Party, plan: ReleasePlan) -> list[str]:
    """What export says of images that are not in the sets of a task."""
    return [
        line for line in iterate_warnings(party, plan) if " not in " in line and "image" in line
    ]


def test_layout_sets_take_images_by_points(active: Party, tmp_path: Path) -> None:
    with active.catalogue.writing() as session:
        for number in range(12, 14):
            add_image(session, active, number, [replace(WALKER, box=(2 + number, 3, 50, 30))])
    plan, root = release(active, tmp_path / "out")
    alone = [image.public_id for image in plan.images if plan.has_points(image)]
    assert len(alone) == 6
    assert all_lines(root, "Layout/{}.txt") == sorted(f"{image_id}  1" for image_id in alone)
    assert list_placing(active, plan) == [
        "4 images without points are not in Layout, because the kit reads points in all of its "
        "files or in none."
    ]


def test_people_without_a_point_are_not_in_action_sets(party: Party, tmp_path: Path) -> None:
    fill(party, [[SITTER], *[[replace(SITTER, point_xy=None)]] * 7])
    plan, root = release(party, tmp_path / "out")
    assert len(all_lines(root, "Action/{}.txt")) == 1
    assert list_placing(party, plan) == [
        "7 images of people with actions are not in Action: a person there has no point. "
        "Mark it on the annotation page."
    ]


def test_an_imported_photo_keeps_its_flickr_id_in_2007(active: Party, tmp_path: Path) -> None:
    with active.catalogue.writing() as session:
        for photo in session.query(Photo):
            photo.source = Source.VOC
            photo.page_url = f"https://www.flickr.com/photo.gne?id=77{photo.id}"
    release(active, tmp_path / "out", style=AnnotationStyle.VOC2007)
    text = "".join(path.read_text() for path in (tmp_path / "out").rglob("*.xml"))
    assert all(f"\t\t<flickrid>77{number}</flickrid>\n" in text for number in range(1, 13))
    assert text.count("<image>flickr</image>") == 12


ZOO = """
name = "zoo"
title = "A zoo"
style = "voc2008"
year = 2026
{classes}
[[discard_reasons]]
key = "none"
display = "None"
short_rule = "None."
"""
CLASS = """
[[classes]]
name = "{0}"
display = "{0}"
short_rule = "All of them."
"""


def make_zoo(folder: Path, names: list[str]) -> Path:
    preset = folder / "zoo.toml"
    preset.write_text(ZOO.format(classes="".join(CLASS.format(name) for name in names)))
    make_party(folder / "zoo", name="Zoo", preset=str(preset))
    return folder / "zoo"


def test_own_classes_get_the_label_map_that_datumaro_needs(tmp_path: Path) -> None:
    with open_party(make_zoo(tmp_path, ["okapi", "gnu"])) as party:
        fill(party, ([Drawn("okapi"), Drawn("gnu", (5, 5, 9, 9 + number))] for number in range(8)))
        _, root = release(party, tmp_path / "out", 2012)
    assert (root / "labelmap.txt").read_text() == (
        "# label:color_rgb:parts:actions\nbackground:0,0,0::\nokapi:128,0,0::\ngnu:0,128,0::\n"
    )
    from datumaro import Dataset  # with pandas it takes a second to load

    dataset = Dataset.import_from(str(root), "voc_detection")
    names = [label.name for label in dataset.categories()[next(iter(dataset.categories()))].items]
    assert {"okapi", "gnu"} <= set(names)
    shown = {names[box.label] for item in dataset for box in item.annotations if hasattr(box, "w")}
    assert shown == {"okapi", "gnu"}
    assert len({item.id for item in dataset}) == 8


def test_a_difficult_object_stays_so_after_the_flag_left_the_preset(tmp_path: Path) -> None:
    with open_party(make_zoo(tmp_path, ["okapi", "gnu"])) as party:
        fill(party, [[Drawn("okapi", difficult=True), Drawn("gnu")]] * 8)
        _, first = release(party, tmp_path / "one")
        _, second = release(party, tmp_path / "two", 2027, extends="VOC2026")
    for root in (first, second):
        assert {line[-2:] for line in lines(root, "Main/okapi_trainval.txt")} == {" 0"}
        assert {line[-2:] for line in lines(root, "Main/gnu_trainval.txt")} == {" 1"}


def test_parts_and_actions_of_animals_are_in_no_image_set(party: Party, tmp_path: Path) -> None:
    """The kit evaluates layouts and actions of people only, whatever a preset allows."""
    head = ("head", (3, 3, 20, 20))
    horse = Drawn("horse", actions=("running",), parts=(head,))
    rider = Drawn("person", actions=("ridinghorse",), parts=(head,), point_xy=(5, 6))
    fill(party, ([[horse], [horse, rider], [rider]][number % 3] for number in range(8)))
    plan, tree = release(party, tmp_path / "out")
    names = {
        image.public_id: [item.class_name for item in image.row.objects] for image in plan.images
    }
    for folder, wanted in (("Layout", ["horse", "person"]), ("Action", ["person"])):
        listed = [line.split()[0] for line in all_lines(tree, f"{folder}/{{}}.txt")]
        assert listed == sorted(
            image_id for image_id, class_names in names.items() if class_names == wanted
        )
    for image in plan.images:
        text = (tree / "Annotations" / f"{image.public_id}.xml").read_text()
        assert text.count("<part>") == text.count("<actions>") == len(image.row.objects)
