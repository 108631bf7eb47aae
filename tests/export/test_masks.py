"""Outlines become masks: which pixels, which images, and which files describe them."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq
import pytest
from sqlalchemy import select

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.image_store import digest_of
from catalog.party import Party
from catalog.settings import ExportSettings
from catalog.states import SegmentState
from catalog.tables import ReleaseImage, Segment, Segmentation
from export.accompanying_files.datasheet import iterate_tables
from export.drawings import derive_void, find_outlines, make_masks
from export.fields import count_fields
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.order import ReleaseOrder
from export.party_check import iterate_warnings
from export.planning import plan_release
from qa.difficulty import judge_difficulty, list_to_judge
from tests.drawings import CLASS, FRONT, OBJECT, SHAPE, draw, read_masks
from tests.exporting import contents, export_release, manifest_of, read_croissant, run, verify_tree
from tests.party_rows import CAT, DOG, NOW, Drawn, add_image, add_people
from tests.rows import load_rows
from tests.trees import CAT as TREE_CAT
from tests.trees import CAT_LABEL, annotation, make_tree, mask_bytes, write
from vockit.format.masks import VOID, format_mask, make_palette, read_mask
from vockit.format.rings import Outline, Ring, fill
from vockit.verify.opening import check_opening

from .test_editions import CORRECTS, correct, names_of


def masks_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob(f"{OBJECT}/*.png")}


@pytest.mark.parametrize("width_px", [0, 1, 2, 5, 8])
def test_pixels_near_another_label_are_void(width_px: int) -> None:
    rng = np.random.default_rng(width_px)
    for height, width in ((1, 1), (2, 9), (12, 11)):
        labels = rng.integers(0, 3, (height, width)).repeat(3, 0)[:height]
        expected = np.zeros((height, width), np.bool_)
        pixels = list(product(range(height), range(width)))
        for (row, column), (y, x) in product(pixels, pixels):
            steps = (max(2 * abs(distance) - 1, 0) ** 2 for distance in (row - y, column - x))
            if labels[row, column] != labels[y, x] and sum(steps) <= width_px**2:
                expected[row, column] = True
        assert np.array_equal(derive_void(labels, width_px), expected)


def test_front_objects_cover_and_difficult_objects_are_void() -> None:
    names = ("cat", "dog", "cat")
    objects = [
        AnnotatedObject(number, f"o{number}", name, Box(1, 1, 9, 9), difficult=number == 3)
        for number, name in enumerate(names, start=1)
    ]

    def square(left: int, top: int, side: int) -> Ring:
        corners = [(0, 0), (side, 0), (side, side), (0, side)]
        return [(left + x, top + y) for x, y in corners]

    outlines = [
        Outline("o2", 9, [square(20, 10, 20)]),
        Outline("o1", 1, [square(10, 10, 20), square(12, 12, 4)]),
        Outline("o3", 5, [square(60, 10, 10)]),
        Outline(None, 2, [square(60, 30, 10)]),
        Outline("gone", 3, [square(0, 50, 10)]),
    ]
    files = make_masks(outlines, objects, ("bird", "cat", "dog"), (80, 60), ExportSettings())
    classes, labels = (read_mask(files[name], (80, 60)) for name in (CLASS, OBJECT))
    assert np.array_equal(classes == VOID, labels == VOID)
    assert (labels[20, 15], labels[20, 30], labels[55, 5], labels[13, 13]) == (1, 2, 0, VOID)
    assert np.array_equal(np.array([0, 2, 3], np.uint8)[labels % VOID], classes % VOID)
    assert (labels[10:20, 60:70] == VOID).all()
    assert (labels[30:40, 60:70] == VOID).all()
    assert (labels[30:40, 57:60] == VOID).all()
    assert labels[20, 23 + 3] == 2
    settings = ExportSettings(difficult_masks="labelled")
    files = make_masks(outlines, objects, ("bird", "cat", "dog"), (80, 60), settings)
    classes, labels = (read_mask(files[name], (80, 60)) for name in (CLASS, OBJECT))
    assert (labels[14:16, 64:66] == 3).all()
    assert (classes[14:16, 64:66] == 2).all()
    assert (labels[30:40, 60:70] == VOID).all()


def test_outlines_of_masks_fill_to_the_same_masks() -> None:
    labels = np.zeros((60, 80), np.uint8)
    labels[10:40, 10:40] = 1
    labels[10:40, 40:60] = 2
    labels[45:58, 60:78] = 3
    labels[20:24, 20:24] = 0
    border = derive_void(labels, 5)
    labels[(labels == 3) | border] = VOID
    outlines = find_outlines(labels, ["a", "b", "c"])
    assert [outline.object_key for outline in outlines] == ["a", "b", None]
    objects = [AnnotatedObject(n, key, "cat", Box(1, 1, 9, 9)) for n, key in enumerate("ab", 1)]
    again = read_mask(make_masks(outlines, objects, ("cat",), (80, 60), ExportSettings())[OBJECT])
    both = (labels != VOID) & (again != VOID)
    assert np.array_equal(labels[both], again[both])
    assert np.mean((labels == VOID) != (again == VOID)) < 0.01
    for key, number in (("a", 1), ("b", 2)):
        rings = next(outline.rings for outline in outlines if outline.object_key == key)
        assert not (fill(rings, 80, 60) < (labels == number)).any()


def test_only_checked_drawings_become_release_masks(any_stocked: Party, tmp_path: Path) -> None:
    first = draw(any_stocked, 1)
    draw(any_stocked, 5, {"key-1": SHAPE, "key-2": FRONT, None: [(0, 0), (9, 0), (0, 9)]})
    draw(any_stocked, 2, state=SegmentState.DRAWN)
    draw(any_stocked, 3, state=SegmentState.TODO)
    plan = export_release(any_stocked, tmp_path / "out", year=2026, at=NOW)
    assert verify_tree(tmp_path / "out") == []
    names = names_of(any_stocked)
    masked = {names[1], names[5]}
    assert {Path(path).stem for path in masks_of(tmp_path / "out")} == masked
    texts = {path.stem: path.read_text() for path in (tmp_path / "out").rglob("Annotations/*.xml")}
    assert {
        image_id for image_id in texts if "<segmented>1</segmented>" in texts[image_id]
    } == masked
    sets = tmp_path / "out/VOCdevkit/VOC2026/ImageSets"
    for name in ("train", "val", "trainval", "test"):
        listed = (sets / f"Main/{name}.txt").read_text().split()
        expected = [image_id for image_id in listed if image_id in masked]
        assert (sets / f"Segmentation/{name}.txt").read_text().split() == expected
    classes, objects = read_masks(tmp_path / "out", names[5])
    assert np.array_equal(classes == VOID, objects == VOID)
    cat = plan.recipe.classes.index("cat") + 1
    assert (set(np.unique(classes)), set(np.unique(objects))) == ({0, cat, VOID}, {0, 1, VOID})
    assert (objects[12:36, 25:55] == VOID).all()  # the dog is difficult
    images = {image["id"]: image for image in manifest_of(tmp_path / "out")["images"]}
    assert images[names[1]]["segmentation"]["id"] == first
    assert images[names[1]]["segmentation"]["person"]["name"] == "ann"
    efforts = [{"number": 1, "active_secs": 20.0, "inputs": 12}]
    assert images[names[1]]["segmentation"]["objects"] == efforts
    assert images[names[1]]["segmentation"]["reviews"][0]["person"]["name"] == "chris"
    with any_stocked.catalogue.reading() as session:
        frozen = select(ReleaseImage.segmentation_id).where(ReleaseImage.image_id == 1)
        assert session.scalar(frozen) == first

    draw(any_stocked, 1, {"key-1": FRONT})
    export_release(any_stocked, tmp_path / "again", year=2026, at=NOW)
    assert contents(tmp_path / "again") == contents(tmp_path / "out")


@pytest.mark.parametrize(
    ("rings", "drawn", "reason"),
    [
        ({}, [CAT], "expected pixels of object 1 (cat), got none"),
        ({"key-1": [(5, 10), (9, 10), (9, 14), (5, 14)]}, [CAT], "expected pixels of object 1"),
        (None, [Drawn("cat", (4, 5, 40, 30))], "the box of object 1 (cat) changed since"),
        (None, [CAT, Drawn("dog")], "the box of object 2 (dog) changed since it was drawn"),
        ({"key-1": SHAPE}, [CAT] * 255, "there are 255 objects, and masks have labels for 254"),
    ],
    ids=["undrawn", "all void", "moved", "added", "many"],
)
def test_a_drawing_left_out_has_a_reason(
    stocked: Party, rings: Any, drawn: Sequence[Drawn], reason: str
) -> None:
    draw(stocked, 1, rings)
    if drawn != [CAT]:
        correct(stocked, 1, drawn)
    plan = plan_release(stocked, year=2026)
    assert plan.masked == ()
    (warning,) = (warning for warning in iterate_warnings(stocked, plan) if "masks" in warning)
    assert warning.startswith(f"The drawing of image 1 gives no masks: {reason}")


def test_an_extension_keeps_masks_and_adds_missing_ones(stocked: Party, tmp_path: Path) -> None:
    draw(stocked, 1)
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    draw(stocked, 1, {"key-1": FRONT})
    draw(stocked, 2)
    with stocked.catalogue.writing() as session:
        new = add_image(session, stocked, 20, [CAT]).id
    draw(stocked, new)
    order = ReleaseOrder(extends="VOC2026")
    export_release(stocked, tmp_path / "next", year=2027, at=NOW, order=order)
    names = names_of(stocked)
    masks = masks_of(tmp_path / "next")
    assert masks.keys() == {f"{names[image_id]}.png" for image_id in (1, 2, new)}
    assert masks_of(tmp_path / "first").items() <= masks.items()
    changes = (tmp_path / "next" / "CHANGELOG.md").read_text()
    assert f"- {names[2]}: masks added" in changes
    assert f"- {names[1]}" not in changes
    assert verify_tree(tmp_path / "next") == []


def test_an_edition_uses_the_newest_checked_drawing(stocked: Party, tmp_path: Path) -> None:
    for image_id in (1, 2, 3):
        draw(stocked, image_id)
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    draw(stocked, 1, {"key-1": FRONT})
    correct(stocked, 2, [CAT, Drawn("dog")])
    correct(stocked, 3, [CAT, DOG])
    draw(stocked, 3, {"key-1": SHAPE, "key-2": FRONT})
    plan = export_release(stocked, tmp_path / "next", year=None, at=NOW, order=CORRECTS)
    assert [image.image_id for image in plan.kept_back] == [2]
    before = masks_of(tmp_path / "first")
    after = masks_of(tmp_path / "next")
    names = names_of(stocked)
    assert before.keys() == after.keys()
    assert {path for path in before if before[path] != after[path]} == {
        f"{names[image_id]}.png" for image_id in (1, 3)
    }
    assert f"- {names[1]}: masks changed" in (tmp_path / "next/CHANGELOG.md").read_text()
    assert verify_tree(tmp_path / "next") == []


def test_difficulty_is_not_asked_of_released_objects_that_masks_show(
    stocked: Party, tmp_path: Path
) -> None:
    draw(stocked, 1)
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    with stocked.catalogue.reading() as session:
        asked = {item.image_id for item in list_to_judge(session, [])}
    assert asked
    assert 1 not in asked


def label_difficult(party: Party) -> Party:
    """The party with masks in which difficult objects have their label."""
    export = replace(party.settings.export, difficult_masks="labelled")
    return replace(party, settings=replace(party.settings, export=export))


def test_an_edition_takes_judgements_of_objects_that_masks_label_all_the_same(
    any_stocked: Party, tmp_path: Path
) -> None:
    party = label_difficult(any_stocked)
    draw(party, 1)
    plan = export_release(party, tmp_path / "first", year=2026, at=NOW)
    [masked] = plan.masked
    with party.catalogue.writing() as session:
        assert 1 in {item.image_id for item in list_to_judge(session, [])}
        judge_difficulty(
            session, 1, "key-1", True, seen_id=masked.row.annotation_id, person_id=1, at=NOW
        )
    plan = export_release(party, tmp_path / "next", year=None, at=NOW, order=CORRECTS)
    assert plan.kept_back == ()
    assert masks_of(tmp_path / "next") == masks_of(tmp_path / "first")
    [path] = (tmp_path / "next").rglob(f"Annotations/{masked.public_id}.xml")
    assert "<difficult>1</difficult>" in path.read_text()
    assert verify_tree(tmp_path / "next") == []


def test_export_says_of_which_masks_an_edition_takes_no_judgement(stocked: Party) -> None:
    draw(stocked, 1)
    for party, ends in (
        (stocked, "takes it, but not of images whose masks show difficult objects as void."),
        (label_difficult(stocked), "an edition takes it."),
    ):
        plan = plan_release(party, year=2026)
        [line] = (line for line in iterate_warnings(party, plan) if "/difficult" in line)
        assert line.endswith(ends)


def test_an_edition_makes_masks_again_where_a_corrected_object_is_difficult_no_more(
    stocked: Party, tmp_path: Path
) -> None:
    draw(stocked, 5, {"key-1": SHAPE, "key-2": FRONT})
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    correct(stocked, 5, [CAT, replace(DOG, difficult=False)])
    plan = export_release(stocked, tmp_path / "next", year=None, at=NOW, order=CORRECTS)
    assert (plan.kept_back, plan.unmasked) == ((), ())
    name = names_of(stocked)[5]
    for folder, labels in (("first", {0, 1, VOID}), ("next", {0, 1, 2, VOID})):
        _, objects = read_masks(tmp_path / folder, name)
        assert set(np.unique(objects)) == labels
    assert f"- {name}: masks changed" in (tmp_path / "next/CHANGELOG.md").read_text()
    assert verify_tree(tmp_path / "next") == []


def test_imported_masks_stay_where_a_corrected_object_is_difficult(
    party: Party, tmp_path: Path
) -> None:
    tree = make_tree(tmp_path / "in")
    with party.catalogue.writing() as session:
        add_people(session)
    import_tree(party, DatasetOrder(tree), at=NOW)
    image_id = next(key for key, name in names_of(party).items() if name == "2012_000001")
    correct(party, image_id, [replace(CAT, key="voc-1", difficult=True)])
    order = ReleaseOrder(corrects="VOC2012")
    plan = export_release(party, tmp_path / "next", year=None, at=NOW, order=order)
    assert plan.kept_back == ()
    assert masks_of(tmp_path / "next") == masks_of(tree)
    [path] = (tmp_path / "next").rglob("Annotations/2012_000001.xml")
    assert "<difficult>1</difficult>" in path.read_text()


def test_a_blind_release_seals_the_test_masks(stocked: Party, tmp_path: Path) -> None:
    for image_id in range(1, 7):
        draw(stocked, image_id, {"key-1": SHAPE, "key-2": FRONT})
    blind = ReleaseOrder(is_blind=True)
    export_release(stocked, tmp_path / "blind", year=2026, at=NOW, order=blind)
    words = ("export", tmp_path / "open", "--year", 2026, "--open", "--party", stocked.folder)
    assert run(*words).exit_code == 0
    sets = tmp_path / "blind/VOCdevkit/VOC2026/ImageSets"
    hidden = {f"{image_id}.png" for image_id in (sets / "Main/test.txt").read_text().split()}
    held = masks_of(tmp_path / "blind")
    opened = masks_of(tmp_path / "open")
    assert (len(opened), held) == (6, {path: opened[path] for path in opened if path not in hidden})
    assert {
        f"{image_id}.png" for image_id in (sets / "Segmentation/test.txt").read_text().split()
    } == (hidden & opened.keys())
    assert [verify_tree(tmp_path / folder) for folder in ("blind", "open")] == [[], []]
    assert check_opening(tmp_path / "open", tmp_path / "blind").violations == ()
    name = sorted(hidden & opened.keys())[0]
    (path,) = (tmp_path / "open").rglob(f"{OBJECT}/{name}")
    shutil.copy(path.parents[1] / CLASS / name, path)
    (violation,) = check_opening(tmp_path / "open", tmp_path / "blind").violations
    assert violation.rule == "seal"


def test_imported_masks_are_stored_as_outlines(any_party: Party, tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "in")
    with any_party.catalogue.writing() as session:
        add_people(session)
    import_tree(any_party, DatasetOrder(tree), at=NOW)
    image_id = next(key for key, name in names_of(any_party).items() if name == "2012_000001")
    with any_party.catalogue.reading() as session:
        made = session.scalars(select(Segmentation)).one()
        (segment,) = made.segments
        assert (made.image_id, segment.object_key, made.is_finished) == (image_id, "voc-1", True)
        frozen = select(ReleaseImage.segmentation_id).where(ReleaseImage.image_id == image_id)
        assert session.scalar(frozen) == made.id
    drawn: dict[str | None, Ring] = {"voc-1": SHAPE}
    draw(any_party, image_id, drawn, state=SegmentState.TODO)
    for name, state in (("same", SegmentState.TODO), ("other", SegmentState.CHECKED)):
        draw(any_party, image_id, drawn, state=state)
        export_release(any_party, tmp_path / name, year=2030, name=name, at=NOW)
        is_same = masks_of(tmp_path / name) == masks_of(tree)
        assert is_same is (state is SegmentState.TODO)
        assert verify_tree(tmp_path / name) == []


def test_masks_stay_behind_where_the_party_has_more_classes_than_their_palette(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("catalog.group_limits.MOST_SEGMENTED", 19)
    report = import_tree(party, DatasetOrder(make_tree(tmp_path / "in")), at=NOW)
    assert "the mask is left behind: the preset has 20 classes" in report.corrections[0].message
    assert load_rows(party, select(Segment)) == []
    export_release(party, tmp_path / "out", year=2012, at=NOW)
    assert not list((tmp_path / "out").rglob(f"{CLASS}/*.png"))


def test_an_imported_mask_with_too_many_corners_is_kept_and_reported(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("export.importing.reading.MOST_CORNERS", 3)
    tree = make_tree(tmp_path / "in")
    report = import_tree(party, DatasetOrder(tree), at=NOW)
    assert [
        "corners, more than the 3 that" in correction.message for correction in report.corrections
    ] == [True]
    assert load_rows(party, select(Segment)) == []
    export_release(party, tmp_path / "out", year=2012, at=NOW)
    assert masks_of(tmp_path / "out") == masks_of(tree)


def test_masks_of_a_skipped_object_are_not_imported(party: Party, tmp_path: Path) -> None:
    tree = make_tree(tmp_path / "in")
    objects = (replace(TREE_CAT, name="zebra"), TREE_CAT)
    write(tree / "Annotations/2012_000001.xml", annotation("2012_000001", objects))
    report = import_tree(party, DatasetOrder(tree, only_known=True), at=NOW)
    assert report.masks == 0
    messages = [
        correction.message for correction in report.corrections if correction.rule == "mask"
    ]
    assert messages == ["the mask is left behind: its image or objects are not in the release"] * 2
    export_release(party, tmp_path / "out", year=2012, at=NOW)
    assert masks_of(tmp_path / "out") == {}


def test_accompanying_files_describe_the_masks(stocked: Party, tmp_path: Path) -> None:
    draw(stocked, 5, {"key-1": SHAPE, "key-2": FRONT}, overlaps={"key-1": 0.9, "key-2": 0.7})
    draw(stocked, 6, {"key-1": SHAPE, "key-2": FRONT}, overlaps={"key-1": 0.8})
    out = tmp_path / "out"
    export_release(stocked, out, year=2026, at=NOW)
    sheet = (out / "DATASHEET.md").read_text()
    assert "2 of 8 images have segmentation masks." in sheet
    assert "outlines of 4 objects, in 20.5 active seconds and 12.0 inputs each" in sheet
    assert "another person checked them with 2 inputs an image." in sheet
    assert "- IoU of cat in two blind drawings: 0.850 (0.175 to 0.993, with 95 %; 2 ob" in sheet
    assert "- IoU of dog in two blind drawings: 0.700 (one image, no interval; 1 object)" in sheet
    assert "\ncat," in (out / "statistics/segmentation.csv").read_text()
    rows = pq.read_table(out / "data/images.parquet").to_pylist()
    paths = [row["object_mask"] for row in rows if row["object_mask"]]
    assert len(paths) == 2
    assert all((out / path).is_file() for path in paths)
    (masks,) = read_croissant(out, "object_mask")
    assert len(masks) == 2
    first = masks[0]["object_mask/image_id"].decode()
    colours = np.array(make_palette(), np.uint8).reshape(-1, 3)
    _, objects = read_masks(out, first)
    assert np.array_equal(np.asarray(masks[0]["object_mask/mask"]), colours[objects])
    assert "segmentation" in json.loads((out / "release.json").read_text())["images"][4]


def test_difficult_objects_count_as_segmented_where_masks_were_made_with_their_label(
    stocked: Party, tmp_path: Path
) -> None:
    """Each of the two images has a cat and a difficult dog; the setting changes in between."""
    labelled = label_difficult(stocked)
    drawn: dict[str | None, Ring] = {"key-1": SHAPE, "key-2": FRONT}
    draw(stocked, 5, drawn)
    plan = export_release(labelled, tmp_path / "first", year=2026, at=NOW)
    draw(stocked, 6, drawn)
    order = ReleaseOrder(extends="VOC2026")
    extension = export_release(stocked, tmp_path / "next", year=2027, at=NOW, order=order)
    for made, folder, cats, decided in ((plan, "first", 1, 2), (extension, "next", 2, 3)):
        assert verify_tree(tmp_path / folder) == []
        [table] = [table for table in iterate_tables(made) if table.name == "segmentation"]
        of_sets = [dict(zip(table.sets, counts, strict=True)) for _, counts in table.rows]
        objects = {
            name: counts["trainval"].objects + counts["test"].objects
            for (name, _), counts in zip(table.rows, of_sets, strict=True)
        }
        assert (objects["cat"], objects["dog"]) == (cats, 1)
        [masks] = [field for field in count_fields(made) if field.name == "mask"]
        assert (masks.decided, masks.objects) == (decided, 2 * cats)
    sheets = [(tmp_path / folder / "DATASHEET.md").read_text() for folder in ("first", "next")]
    assert "Void is derived: 5 pixels" in sheets[0]
    assert "In new masks, void is derived: 5 pixels wide along each border, difficult" in sheets[1]


def test_imported_masks_get_the_labels_of_the_party(party: Party, tmp_path: Path) -> None:
    """The tree's label map has the cat at 0, its background at 1; the party's cat is at 8."""
    root = make_tree(tmp_path / "in")
    write(root / "labelmap.txt", "cat:1,1,1::\nbackground:0,0,0::\nperson:2,2,2::\n")
    path = root / CLASS / "2012_000001.png"
    labels = read_mask(path.read_bytes())
    numbers = np.arange(256, dtype=np.uint8)
    numbers[[CAT_LABEL, 0]] = 0, 1
    write(path, format_mask(numbers[labels]))
    report = import_tree(party, DatasetOrder(root), at=NOW)
    assert report.masks == 1
    assert "its labels are those of the party's classes now" in {
        correction.message.rpartition(", not")[0] for correction in report.corrections
    }
    export_release(party, tmp_path / "out", year=2012, at=NOW)
    classes, _ = read_masks(tmp_path / "out", "2012_000001")
    assert np.array_equal(classes, labels)


def test_a_mask_of_a_class_that_the_party_lacks_is_left_behind(
    party: Party, tmp_path: Path
) -> None:
    root = make_tree(tmp_path / "in")
    write(root / "labelmap.txt", "background:0,0,0::\ncat:1,1,1::\nperson:2,2,2::\nzebra:3,3,3::\n")
    write(root / CLASS / "2012_000001.png", mask_bytes(label=3))
    report = import_tree(party, DatasetOrder(root), at=NOW)
    assert digest_of(mask_bytes(label=3)) not in set(party.store.digests())
    assert any(
        "the party has no class for its label 3" in correction.message
        for correction in report.corrections
    )
