"""The sets of Layout and Action, other styles and other classes, in releases."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from datumaro import Dataset

from catalog.party import Party, make_party, open_party
from catalog.preset import AnnotationStyle
from catalog.states import Source
from catalog.tables import Photo
from export.party_check import iterate_warnings
from export.planning import ReleaseOrder
from export.release import export_release
from export.verify.check import verify_tree
from tests.export.kit_reader import read_record

from .rows import CAT, NOW, Drawn, add_image, add_people

HEAD = (("head", (3, 3, 10, 10)),)
WALKER = Drawn("person", actions=("walking", "phoning"), point_xy=(5, 6), parts=HEAD)
SITTER = Drawn("person", (10, 10, 20, 20), actions=("other",), point_xy=(12, 12))


@pytest.fixture
def active(party: Party) -> Party:
    """Twelve images: people with actions and parts, people with a cat, cats."""
    with party.catalogue.writing() as session:
        add_people(session)
        for number in range(12):
            cat = replace(CAT, box=(2 + number, 3, 50, 30))
            walker = replace(WALKER, box=(2 + number, 3, 50, 30))
            drawn = [[walker, SITTER], [cat, walker], [cat]][number % 3]
            add_image(session, party, number, drawn)
    return party


def lines(root: Path, path: str) -> list[str]:
    return (root / "ImageSets" / path).read_text().splitlines()


def all_lines(root: Path, pattern: str) -> list[str]:
    return sorted(
        line for name in ("trainval", "test") for line in lines(root, pattern.format(name))
    )


def test_images_are_in_the_sets_where_they_belong(active: Party, tmp_path: Path) -> None:
    plan = export_release(active, tmp_path / "out", year=2026, at=NOW)
    assert verify_tree(tmp_path / "out") == []
    root = tmp_path / "out" / "VOCdevkit" / "VOC2026"
    drawn = {image.public_id: [it.class_name for it in image.row.objects] for image in plan.images}
    people = [it for it, names in drawn.items() if names == ["person", "person"]]
    with_cat = [it for it, names in drawn.items() if names == ["cat", "person"]]
    assert all_lines(root, "Main/{}.txt") == sorted(drawn)
    assert all_lines(root, "Layout/{}.txt") == sorted(f"{it}  2" for it in with_cat)
    assert all_lines(root, "Action/{}.txt") == sorted(people)
    assert all_lines(root, "Action/walking_{}.txt") == sorted(
        line for it in people for line in (f"{it}  1  1", f"{it}  2 -1")
    )
    assert all_lines(root, "Action/other_{}.txt") == sorted(
        line for it in people for line in (f"{it}  1 -1", f"{it}  2  1")
    )
    assert len(list((root / "ImageSets" / "Action").iterdir())) == 4 + 11 * 4


def test_the_files_of_layout_have_points_where_most_of_them_do(
    active: Party, tmp_path: Path
) -> None:
    with active.catalogue.writing() as session:
        for number in range(12, 14):
            add_image(session, active, number, [replace(WALKER, box=(2 + number, 3, 50, 30))])
    plan = export_release(active, tmp_path / "out", year=2026, at=NOW)
    assert verify_tree(tmp_path / "out") == []
    root = tmp_path / "out" / "VOCdevkit" / "VOC2026"
    alone = [image.public_id for image in plan.images if plan.has_points(image)]
    assert len(alone) == 6
    assert all_lines(root, "Layout/{}.txt") == sorted(f"{it}  1" for it in alone)
    assert list(iterate_warnings(active, plan)) == [
        "4 images without points are not in Layout, because the kit reads points in all of its "
        "files or in none."
    ]


def test_people_without_a_point_are_not_in_action(party: Party, tmp_path: Path) -> None:
    with party.catalogue.writing() as session:
        add_people(session)
        for number in range(8):
            point = None if number else (5, 6)
            add_image(session, party, number, [replace(SITTER, point_xy=point)])
    plan = export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert verify_tree(tmp_path / "out") == []
    root = tmp_path / "out" / "VOCdevkit" / "VOC2026"
    assert len(all_lines(root, "Action/{}.txt")) == 1
    assert list(iterate_warnings(party, plan)) == [
        "7 images of people with actions are not in Action: a person there has no point. "
        "Mark it on the annotation page."
    ]


@pytest.mark.parametrize("style", list(AnnotationStyle))
def test_each_style_has_its_fields(active: Party, tmp_path: Path, style: AnnotationStyle) -> None:
    order = ReleaseOrder(style=style)
    plan = export_release(active, tmp_path / "out", year=2026, at=NOW, order=order)
    assert verify_tree(tmp_path / "out") == []
    root = tmp_path / "out" / "VOCdevkit" / "VOC2026"
    image = next(it for it in plan.images if len(it.row.objects) == 2)
    text = (root / "Annotations" / f"{image.public_id}.xml").read_text()
    read_record(text.encode())
    assert ("<owner>" in text) is (style is AnnotationStyle.VOC2007)
    assert ("<occluded>" in text) is (style is not AnnotationStyle.VOC2007)
    assert (root / "ImageSets" / "Action").is_dir() is (style is AnnotationStyle.VOC2012)
    assert (
        text.splitlines()[1]
        .strip()
        .startswith("<filename>" if style is AnnotationStyle.VOC2012 else "<folder>")
    )


def test_an_imported_photo_keeps_flickrs_id_in_the_style_of_2007(
    active: Party, tmp_path: Path
) -> None:
    with active.catalogue.writing() as session:
        for photo in session.query(Photo):
            photo.source = Source.VOC
            photo.page_url = f"https://www.flickr.com/photo.gne?id=77{photo.id}"
    order = ReleaseOrder(style=AnnotationStyle.VOC2007)
    export_release(active, tmp_path / "out", year=2026, at=NOW, order=order)
    text = "".join(it.read_text() for it in (tmp_path / "out").rglob("*.xml"))
    assert all(f"\t\t<flickrid>77{number}</flickrid>\n" in text for number in range(1, 13))
    assert text.count("<image>flickr</image>") == 12


def test_before_2008_layout_lists_images(active: Party, tmp_path: Path) -> None:
    order = ReleaseOrder(style=AnnotationStyle.VOC2007)
    export_release(active, tmp_path / "out", year=2007, at=NOW, order=order)
    assert verify_tree(tmp_path / "out") == []
    root = tmp_path / "out" / "VOCdevkit" / "VOC2007"
    assert all(len(line) == 11 for line in all_lines(root, "Layout/{}.txt"))


def test_voc_classes_need_no_label_map(active: Party, tmp_path: Path) -> None:
    export_release(active, tmp_path / "out", year=2026, at=NOW)
    assert not list((tmp_path / "out").rglob("labelmap.txt"))


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


def test_other_classes_travel_with_the_label_map_that_datumaro_asks_for(tmp_path: Path) -> None:
    with open_party(make_zoo(tmp_path, ["okapi", "gnu"])) as party:
        with party.catalogue.writing() as session:
            add_people(session)
            for number in range(8):
                drawn = [Drawn("okapi"), Drawn("gnu", (5, 5, 9, 9 + number))]
                add_image(session, party, number, drawn)
        export_release(party, tmp_path / "out", year=2012, at=NOW)
    assert verify_tree(tmp_path / "out") == []
    root = tmp_path / "out" / "VOCdevkit" / "VOC2012"
    assert (root / "labelmap.txt").read_text() == (
        "# label:color_rgb:parts:actions\nbackground:0,0,0::\nokapi:128,0,0::\ngnu:0,128,0::\n"
    )
    found = Dataset.import_from(str(root), "voc_detection")
    names = [label.name for label in found.categories()[next(iter(found.categories()))].items]
    assert {"okapi", "gnu"} <= set(names)
    shown = {names[box.label] for item in found for box in item.annotations if hasattr(box, "w")}
    assert shown == {"okapi", "gnu"}
    assert len({item.id for item in found}) == 8


def test_where_files_tell_nothing_of_difficulty_nothing_is_difficult(tmp_path: Path) -> None:
    with open_party(make_zoo(tmp_path, ["okapi", "gnu"])) as party:
        with party.catalogue.writing() as session:
            add_people(session)
            for number in range(8):
                add_image(session, party, number, [Drawn("okapi", difficult=True), Drawn("gnu")])
        export_release(party, tmp_path / "one", year=2026, at=NOW)
        order = ReleaseOrder(extends="VOC2026")
        export_release(party, tmp_path / "two", year=2027, at=NOW, order=order)
    for folder, year in (("one", 2026), ("two", 2027)):
        assert verify_tree(tmp_path / folder) == []
        main = tmp_path / folder / "VOCdevkit" / f"VOC{year}" / "ImageSets" / "Main"
        labels = (main / "okapi_trainval.txt").read_text().splitlines()
        assert {line[-2:] for line in labels} == {" 1"}


def test_parts_and_actions_of_others_than_people_are_in_files_alone(
    party: Party, tmp_path: Path
) -> None:
    """The development kit evaluates layouts and actions of people, whatever a preset lets draw."""
    head = ("head", (3, 3, 20, 20))
    with party.catalogue.writing() as session:
        add_people(session)
        for number in range(8):
            horse = Drawn("horse", actions=("running",), parts=(head,))
            rider = Drawn("person", actions=("ridinghorse",), parts=(head,), point_xy=(5, 6))
            add_image(session, party, number, [[horse], [horse, rider], [rider]][number % 3])
    plan = export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert verify_tree(tmp_path / "out") == []
    tree = tmp_path / "out" / "VOCdevkit" / "VOC2026"
    names = {it.public_id: [item.class_name for item in it.row.objects] for it in plan.images}
    for folder, wanted in (("Layout", ["horse", "person"]), ("Action", ["person"])):
        listed = [line.split()[0] for line in all_lines(tree, f"{folder}/{{}}.txt")]
        assert listed == sorted(it for it, found in names.items() if found == wanted)
    for image in plan.images:
        text = (tree / "Annotations" / f"{image.public_id}.xml").read_text()
        assert text.count("<part>") == text.count("<actions>") == len(image.row.objects)


def test_a_thousand_classes_make_a_release(tmp_path: Path) -> None:
    names = [f"class{number:04d}" for number in range(1000)]
    with open_party(make_zoo(tmp_path, names)) as party:
        with party.catalogue.writing() as session:
            add_people(session)
            for number in range(20):
                drawn = [Drawn(name) for name in names[number * 50 : number * 50 + 50]]
                add_image(session, party, number, drawn)
        export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert verify_tree(tmp_path / "out") == []
    main = tmp_path / "out" / "VOCdevkit" / "VOC2026" / "ImageSets" / "Main"
    assert len(list(main.iterdir())) == 4 + 4000
