import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.annotated import AnnotatedObject
from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import ReleaseImage
from qa import tables as kit
from qa.cli import statistics
from qa.statistics import take_statistics
from qa.statistics_files import (
    format_all_text,
    format_document,
)
from qa.statistics_pictures import list_pictures
from qa.tables import CountedImage
from tests.rows import add_release, writing
from vockit.command_line import CommandGroup
from vockit.format.class_counts import Count
from vockit.format.image_sets import Split

from .counted import CAT, HARD_CAT, RELEASED, WALKER, counted
from .making import VOC2012, thing
from .rows import CAR, NOON, add_image, add_person, add_revision


def row(table: object, name: str) -> list[tuple[int, int]]:
    rows = dict(table.rows)  # type: ignore[attr-defined]
    return [(count.images, count.objects) for count in rows[name]]


def test_table_1_equals_a_count_by_hand() -> None:
    table = kit.count_main(RELEASED, VOC2012.class_names, all_objects=False)
    assert table.sets == ("train", "val", "trainval", "test")
    assert row(table, "cat") == [(1, 2), (1, 1), (2, 3), (0, 0)]
    assert row(table, "person") == [(1, 1), (1, 2), (2, 3), (1, 1)]
    assert row(table, "sheep") == [(0, 0)] * 4
    assert table.total == (Count(2, 3), Count(2, 3), Count(4, 6), Count(1, 1))
    assert [name for name, _ in table.rows] == list(VOC2012.class_names)
    table = kit.count_main(RELEASED, VOC2012.class_names, all_objects=True)  # difficult ones too
    assert row(table, "cat") == [(2, 3), (1, 2), (3, 5), (0, 0)]
    assert table.total is not None
    assert table.total[2] == Count(4, 8)


def test_words_that_left_the_preset_are_counted_behind_the_others() -> None:
    preset = replace(
        VOC2012,
        classes=tuple(spec for spec in VOC2012.classes if spec.name != "cat"),
        actions=tuple(spec for spec in VOC2012.actions if spec.key != "walking"),
    )
    taken = take_statistics(RELEASED, preset, subject="VOC2026", all_objects=True)
    main, _, _, actions = taken.counts
    assert row(main, "cat")[2] == (3, 5)
    assert [name for name, _ in main.rows] == [*preset.class_names, "cat"]
    assert actions.rows[-1][0] == "walking"
    assert taken.class_names[-1] == "cat"


def segmented(split: str | None, *objects: AnnotatedObject, within: str = "") -> CountedImage:
    other = Split(within or split) if split else None
    return replace(counted(split, *objects), is_segmented=True, segmented_split=other)


def test_table_2_counts_the_images_with_masks_in_their_own_sets() -> None:
    images = [
        *RELEASED,
        segmented("train", CAT, HARD_CAT, WALKER),
        segmented("train", CAT, within="val"),
        segmented("test"),
    ]
    table = kit.count_segmentation(images, VOC2012.class_names, all_objects=False)
    assert row(table, "cat") == [(1, 1), (1, 1), (2, 2), (0, 0)]
    assert row(table, "person") == [(1, 1), (0, 0), (1, 1), (0, 0)]
    assert table.total == (Count(1, 2), Count(1, 1), Count(2, 3), Count(1, 0))
    everything = kit.count_segmentation(images, VOC2012.class_names, all_objects=True)
    assert row(everything, "cat") == [(1, 2), (1, 1), (2, 3), (0, 0)]
    assert "table2" in list_pictures(take_statistics(images, VOC2012, subject="VOC2026"))
    alone = kit.count_segmentation([segmented(None, CAT)], VOC2012.class_names, all_objects=False)
    assert row(alone, "cat") == [(1, 1)]


def test_tables_3_and_4_count_people_with_parts_and_actions() -> None:
    assert row(kit.count_layout(RELEASED, VOC2012), "person") == [(1, 1), (1, 1), (2, 2), (1, 1)]
    actions = kit.count_actions(RELEASED, VOC2012)
    assert row(actions, "phoning") == [(1, 1), (1, 1), (2, 2), (1, 1)]
    assert row(actions, "other") == [(0, 0), (1, 1), (1, 1), (0, 0)]
    assert actions.total == (Count(1, 1), Count(1, 2), Count(2, 3), Count(1, 1))


def test_sizes_and_aspects_are_counted_in_their_bins() -> None:
    images = [counted(None, CAT, WALKER)]
    sizes = {spread.name: spread for spread in kit.spread_sizes(images, VOC2012.class_names)}
    assert sizes["cat"].quantiles[2] == pytest.approx(0.5**0.5)
    assert sizes["cat"].counts.index(1) == 7
    aspects = {spread.name: spread for spread in kit.spread_aspects(images, VOC2012.class_names)}
    assert aspects["person"].quantiles[2] == pytest.approx(0.5)
    assert aspects["person"].counts.index(1) == 2
    assert "dog" not in sizes


def test_class_pairs_are_counted_by_image() -> None:
    together = kit.count_together(RELEASED, ["cat", "person", "dog"])
    assert np.array_equal(together, [[3, 1, 0], [1, 3, 0], [0, 0, 0]])


def invoke(party: Party, *arguments: str) -> tuple[int, str, str]:
    group = CommandGroup(commands={"statistics": statistics})
    words = ["statistics", "--party", str(party.folder), *arguments]
    result = CliRunner().invoke(group, words)
    return result.exit_code, result.stdout, result.stderr


def release_of(party: Party) -> None:
    """A release of two images, both drawn once more since."""
    ann = add_person(party)
    placed = {}
    for split in (Split.TRAIN, Split.TEST):
        image_id = add_image(party, ImageState.RELEASED)
        placed[image_id] = add_revision(party, image_id, ann, CAR), split
        add_revision(party, image_id, ann, CAR, CAR)
    writing(party, add_release, "VOC2026", NOON, placed)


def test_a_release_is_counted_as_it_was_released(any_party: Party) -> None:
    release_of(any_party)
    status, output, _ = invoke(any_party, "--release", "VOC2026", "--format", "json")
    document = json.loads(output)
    assert (status, document["of"]) == (0, "VOC2026")
    cars = document["tables"]["table1"]["rows"]["car"]
    assert [count["objects"] for count in cars] == [1, 0, 1, 1]
    _, output, _ = invoke(any_party, "--format", "json")
    assert json.loads(output)["tables"]["table1"]["rows"]["car"] == [{"images": 2, "objects": 4}]


MASKED = {"masks": {"SegmentationClass": "a" * 64}, "sets": {"ImageSets/Main": [1]}}


@pytest.mark.parametrize(
    ("form", "sets"),
    [
        (MASKED, [1, 0, 1, 0]),
        ({"is_segmented": True}, [1, 0, 1, 0]),
        (
            {"sets": {"ImageSets/Segmentation": []}, "splits": {"ImageSets/Segmentation": "val"}},
            [0, 1, 1, 0],
        ),
        ({"style": "voc2012"}, None),
    ],
)
def test_imported_images_with_masks_count_as_segmented(
    party: Party, form: dict[str, object], sets: list[int] | None
) -> None:
    release_of(party)
    with party.catalogue.writing() as session:
        session.scalars(select(ReleaseImage).order_by(ReleaseImage.id)).first().form = form  # type: ignore[union-attr]
    _, output, _ = invoke(party, "--release", "VOC2026", "--format", "json")
    cars = json.loads(output)["tables"]["table2"]["rows"].get("car")
    assert (cars and [count["objects"] for count in cars]) == sets
    _, output, _ = invoke(party, "--format", "json")
    cars = json.loads(output)["tables"]["table2"]["rows"].get("car")
    assert cars == (None if sets is None else [{"images": 1, "objects": 2}])


def test_an_unknown_release_is_refused_with_a_list_of_releases(party: Party) -> None:
    release_of(party)
    status, output, errors = invoke(party, "--release", "VOC2027")
    assert (status, output) == (2, "")
    assert errors.strip().endswith("There is no release VOC2027; the releases are: VOC2026.")


def test_all_tables_and_figures_are_written_to_a_folder(party: Party, tmp_path: Path) -> None:
    release_of(party)
    status, output, _ = invoke(party, "--out", str(tmp_path / "statistics"))
    assert status == 0
    there = {path.name for path in (tmp_path / "statistics").iterdir()}
    written = there - {".vocparty-tables.json"}  # it lists them
    assert len(there) == len(written) + 1
    assert "table1.csv" in written
    assert output == f"Wrote {len(written)} files to {tmp_path / 'statistics'}.\n"


def test_numbers_beside_an_axis_are_written_out() -> None:
    counted = take_statistics(RELEASED, VOC2012, subject="VOC2026")
    values = (2_500_000, 10, 0.25, 1 / 3)
    assert [*map(counted.format_number, values)] == ["2,500,000", "10", "0.25", "0.333"]


def test_without_a_release_all_images_form_one_set() -> None:
    images = [counted(None, CAT), counted(None, CAT, WALKER)]
    table = kit.count_main(images, VOC2012.class_names, all_objects=False)
    assert (table.sets, row(table, "cat")) == (("all",), [(2, 2)])


def test_objects_of_an_image_their_scale_and_chance_stand_beside_those_of_voc() -> None:
    halves = (thing("cat", (1, 1, 250, 375)), thing("cat", (251, 1, 500, 375)))
    images = [counted(None, *halves), counted(None, halves[0], HARD_CAT), counted(None, WALKER)]
    table = take_statistics(images, VOC2012, subject="zoo").localization
    rows = {str(row[0]): row[1:] for row in table.rows}
    assert list(rows) == ["cat", "person", "mean", "VOC2012, published"]
    voc = pytest.approx(1217 / 1082)
    assert rows["cat"] == (2, 3, 1.5, pytest.approx(0.5), pytest.approx(1 / 3), voc)
    assert rows["person"][:5] == (1, 1, 1.0, pytest.approx(100 * 200 / (500 * 375)), None)
    assert rows["mean"][:3] == (3, 4, 1.25)
    assert rows["VOC2012, published"][:2] == (11_540, 27_450)
    assert take_statistics([], VOC2012, subject="zoo").localization.rows == []


@pytest.mark.parametrize(("form", "holds"), [("text", "Table 1"), ("csv", "all_img")])
def test_the_requested_format_is_printed(party: Party, form: str, holds: str) -> None:
    release_of(party)
    status, output, _ = invoke(party, "--format", form)
    assert status == 0
    assert holds in output


def test_statistics_name_how_many_objects_are_groups() -> None:
    crowd = thing("person", (1, 1, 200, 90), difficult=True, group_of=True)
    groups = take_statistics(
        [counted(None, CAT, crowd), counted(None, crowd)], VOC2012, subject="x"
    )
    assert format_document(groups)["groups"] == 2
    assert "2 are boxes around a group" in format_all_text(groups)
    none = take_statistics(RELEASED, VOC2012, subject="x")
    assert format_document(none)["groups"] == 0
    assert "around a group" not in format_all_text(none)
