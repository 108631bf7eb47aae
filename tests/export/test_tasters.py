"""Images for Layout or Action alone, from the catalogue to the lists, the tables and the scores."""

import csv
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import select, update

from catalog.party import Party
from catalog.states import Taster, Verdict
from catalog.tables import Annotation, Image
from export.order import ReleaseOrder
from export.plan import ReleasePlan
from export.planning import plan_release
from export.release import write_release
from tests.exporting import contents, export_release, manifest_of, verify_tree
from tests.kit_reader import read_record
from tests.party_rows import CAT, NOW, Drawn, add_image, add_review, add_revision, fill, link
from vockit.evaluate.curves import Rules
from vockit.evaluate.errors import SubmissionError
from vockit.evaluate.layout import LayoutResult
from vockit.evaluate.truth import open_truth
from vockit.foreign.devkit import write_devkit
from vockit.foreign.given_persons import list_given_files
from vockit.foreign.tree_images import load_tree
from vockit.kit import open_release
from vockit.verify.opening import check_opening

HEAD = (("head", (3, 3, 10, 10)),)
WALKER = Drawn("person", actions=("walking",), point_xy=(5, 6))
STANDING = Drawn("person", parts=HEAD)
PLAIN = Drawn("person", (10, 10, 20, 20))
TASTERS = {
    **dict.fromkeys(range(9, 15), Taster.ACTION),
    **dict.fromkeys(range(15, 19), Taster.LAYOUT),
}
"""By image, from 1, the task that it is annotated for alone."""


def move(item: Drawn, number: int) -> Drawn:
    """The object with a box as no other image has it."""
    return replace(item, box=(2 + number, 3, 50, 30))


def mark(party: Party, tasters: dict[int, Taster]) -> None:
    """Let these images have been annotated for one task alone."""
    with party.catalogue.writing() as session:
        for image_id, taster in tasters.items():
            for table, key in ((Image, Image.id), (Annotation, Annotation.image_id)):
                session.execute(update(table).where(key == image_id).values(taster=taster))


@pytest.fixture
def mixed(party: Party) -> Party:
    """Eight images annotated in full, six for Action alone, four for Layout alone."""
    images = [*[[CAT, PLAIN], [CAT]] * 4, *[[WALKER]] * 6, *[[STANDING]] * 4]
    fill(party, [[move(item, number) for item in drawn] for number, drawn in enumerate(images)])
    mark(party, TASTERS)
    return party


def list_names(root: Path, folder: str) -> set[str]:
    """The images that the lists of the folder name."""
    paths = [root / "ImageSets" / folder / f"{name}.txt" for name in ("train", "val", "test")]
    there = [path for path in paths if path.is_file()]
    return {line.split()[0] for path in there for line in path.read_text().splitlines()}


def name_tasters(plan: ReleasePlan, *tasters: Taster) -> set[str]:
    return {image.public_id for image in plan.images if image.row.taster in tasters}


def release(party: Party, out: Path, **more: Any) -> tuple[ReleasePlan, Path]:
    """A valid release, and its tree."""
    plan = export_release(party, out, year=2026, at=NOW, **more)
    assert verify_tree(out) == []
    return plan, out / "VOCdevkit/VOC2026"


def test_tasters_stand_in_their_own_lists_alone(mixed: Party, tmp_path: Path) -> None:
    plan, root = release(mixed, tmp_path / "out")
    action, layout = (name_tasters(plan, taster) for taster in (Taster.ACTION, Taster.LAYOUT))
    assert (len(action), len(layout)) == (6, 4)
    assert list_names(root, "Action") == action
    assert list_names(root, "Layout") == layout
    assert len(list_names(root, "Main")) == 8
    assert list_names(root, "Main").isdisjoint(action | layout)
    cats = (root / "ImageSets/Main/cat_trainval.txt").read_text().split()[::2]
    assert action.isdisjoint(cats)
    assert {*(path.stem for path in (root / "Annotations").iterdir())} >= action | layout
    for task in (action, layout):  # each is split by itself
        assert {image.split for image in plan.images if image.public_id in task} == {
            "train",
            "val",
            "test",
        }


def test_the_release_says_that_nothing_else_was_asked(mixed: Party, tmp_path: Path) -> None:
    plan, _ = release(mixed, tmp_path / "out")
    tasters = name_tasters(plan, *Taster)
    out = tmp_path / "out"
    asked = {
        image["id"]: image["asked"] for image in manifest_of(out)["images"] if "asked" in image
    }
    assert asked == {name: [] for name in tasters}
    lists = dict.fromkeys(name_tasters(plan, Taster.ACTION), "Action")
    lists |= dict.fromkeys(name_tasters(plan, Taster.LAYOUT), "Layout")
    rows = {row["image_id"]: row for row in pq.read_table(out / "data/images.parquet").to_pylist()}
    classes = set(mixed.preset.class_names)
    for image_id, row in rows.items():
        is_taster = image_id in tasters
        assert (row["set"] == "unlisted") is is_taster
        assert set(row["not_asked"]) == (classes if is_taster else set())
        assert row["lists"] == [lists.get(image_id, "Main")]
    sheet = (out / "DATASHEET.md").read_text()
    assert "10 of 18 images are in the lists of Layout or Action alone" in sheet
    assert "| person | 4 | 4 | 0 |" in sheet
    splits = json.loads((out / "splits.json").read_text())
    (person,) = [row for row in splits["classes"] if row["class"] == "person"]
    assert sum(person["images"].values()) == 4


def test_other_formats_and_the_truth_leave_tasters_out(mixed: Party, tmp_path: Path) -> None:
    plan, root = release(mixed, tmp_path / "out")
    tasters = name_tasters(plan, *Taster)
    content = load_tree(root)
    assert {image.image_id for image in content.images if image.set_name == "unlisted"} == tasters
    assert {image.image_id for image in content.images if image.is_taster} == tasters
    truths = [open_truth(root.parent, name, Rules.VOC2012) for name in ("trainval", "test")]
    assert frozenset().union(*(truth.tasters for truth in truths)) == tasters
    assert sum(len(truth.objects("person").images) for truth in truths) == 4
    walking = [truth.action_labels("walking")[0] for truth in truths]
    assert {image_id for keys in walking for image_id, _ in keys} == name_tasters(
        plan, Taster.ACTION
    )


def test_the_kits_reader_has_what_each_task_reads(mixed: Party, tmp_path: Path) -> None:
    plan, root = release(mixed, tmp_path / "out")
    for image in plan.images:
        record = read_record((root / f"Annotations/{image.public_id}.xml").read_bytes())
        if image.row.taster is Taster.ACTION:
            assert all(item.actions and item.point and not item.parts for item in record.objects)
        elif image.row.taster is Taster.LAYOUT:
            assert all(item.parts and not item.point for item in record.objects)


def test_images_that_are_annotated_in_full_still_join_the_tasks(
    mixed: Party, tmp_path: Path
) -> None:
    with mixed.catalogue.writing() as session:
        add_image(session, mixed, 19, [move(WALKER, 19)])
        add_image(session, mixed, 20, [move(CAT, 20), move(STANDING, 20)])
    plan, root = release(mixed, tmp_path / "out")
    both = list_names(root, "Main") & (list_names(root, "Action") | list_names(root, "Layout"))
    assert len(both) == 2
    assert both.isdisjoint(name_tasters(plan, *Taster))


@dataclass(frozen=True)
class Opened:
    """A blind release and the one that opens it: their folders, their trees, their images."""

    plan: ReleasePlan
    blind: Path
    folder: Path

    @property
    def blind_root(self) -> Path:
        return self.blind / "VOCdevkit/VOC2026"

    @property
    def root(self) -> Path:
        return self.folder / "VOCdevkit/VOC2026"

    def list_hidden(self, taster: Taster) -> set[str]:
        return {
            image.public_id
            for image in self.plan.images
            if image.row.taster is taster and image.split.is_test
        }


@pytest.fixture
def opened(mixed: Party, tmp_path: Path) -> Opened:
    """Both are valid; Main has people with parts and actions, whom no blind list names."""
    with mixed.catalogue.writing() as session:
        for number in range(19, 25):
            drawn = [move(replace(WALKER, parts=HEAD), number)]
            add_image(session, mixed, number, drawn)
    plan, _ = release(mixed, tmp_path / "blind", order=ReleaseOrder(is_blind=True))
    recorded = plan_release(mixed, year=2026)
    write_release(mixed, replace(recorded, is_blind=False), tmp_path / "open", at=NOW)
    assert verify_tree(tmp_path / "open") == []
    return Opened(plan, tmp_path / "blind", tmp_path / "open")


def test_a_blind_release_gives_the_boxes_of_tasters_and_nothing_else(opened: Opened) -> None:
    image_of = {image.public_id: image for image in opened.plan.images}
    for folder, taster in (("Layout", Taster.LAYOUT), ("Action", Taster.ACTION)):
        hidden = opened.list_hidden(taster)
        assert hidden
        lists = opened.blind_root / "ImageSets" / folder
        keys = [line.split() for line in (lists / "test.txt").read_text().splitlines()]
        assert {image_id for image_id, _ in keys} == hidden
        rows = list(csv.DictReader((lists / "test_boxes.csv").read_text().splitlines()))
        assert [[row["image"], row["object"]] for row in rows] == keys
        for row in rows:
            item = image_of[row["image"]].row.objects[int(row["object"]) - 1]
            sides = tuple(int(row[name]) for name in ("xmin", "ymin", "xmax", "ymax"))
            assert sides == item.box.xyxy
            point = (row["x"], row["y"])
            assert point == (("5", "6") if taster is Taster.ACTION else ("", ""))
        assert {path.name for path in lists.glob("*test*")} == {"test.txt", "test_boxes.csv"}
        for image_id in hidden:
            mentions = {name for name, data in contents(opened.blind).items() if image_id in name}
            assert mentions == {f"VOCdevkit/VOC2026/JPEGImages/{image_id}.jpg"}
            naming = {
                name.rpartition("/")[2]
                for name, data in contents(opened.blind).items()
                if image_id.encode() in data and not name.endswith(".parquet")
            }
            assert naming == {"test.txt", "test_boxes.csv", "release.json", "SHA256SUMS"}


def test_the_tables_of_a_blind_release_say_nothing_of_a_hidden_taster(opened: Opened) -> None:
    hidden = opened.list_hidden(Taster.LAYOUT) | opened.list_hidden(Taster.ACTION)
    names = {"image_id", "set", "file_name", "width", "height"}
    tables = sorted(opened.blind.rglob("*.parquet"))
    values = [
        row[name]
        for path in tables
        for row in pq.read_table(path).to_pylist()
        if row.get("image_id") in hidden
        for name in row.keys() - names
    ]
    assert set(values) == {None}


def test_the_opened_lists_ask_about_the_people_that_were_given(opened: Opened) -> None:
    in_main = set((opened.root / "ImageSets/Main/test.txt").read_text().split())
    truth = open_truth(opened.root, "test")
    given = open_truth(opened.blind_root, "test").given_persons
    assert {image_id for image_id, _ in given}.isdisjoint(in_main)
    assert truth.layout_persons | truth.action_persons == given.keys()
    assert any(image.split.is_test for image in opened.plan.images if image.row.id > 18)


def test_a_box_that_was_given_otherwise_breaks_the_seal(opened: Opened) -> None:
    assert check_opening(opened.folder, opened.blind).violations == ()
    path = opened.blind_root / "ImageSets/Layout/test_boxes.csv"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:-1], lines[-1].replace(",3,50,", ",4,50,")]))
    (violation,) = check_opening(opened.folder, opened.blind).violations
    assert (violation.rule, violation.line) == ("people", len(lines))
    path.write_text("".join(lines[:-1]))
    (violation,) = check_opening(opened.folder, opened.blind).violations
    assert "whom the opened release lists" in violation.message
    path.write_text("image,object\n")
    (violation,) = check_opening(opened.folder, opened.blind).violations
    assert "expected the columns" in violation.message


def test_the_kit_of_either_release_gives_the_same_people(opened: Opened) -> None:
    assert list_given_files(opened.root) == list_given_files(opened.blind_root) != {}
    kit = opened.folder.parent / "kit"
    write_devkit(opened.folder, kit)
    for path, data in list_given_files(opened.blind_root).items():
        assert (kit / "VOCdevkit/VOC2026" / path).read_bytes() == data
    hidden = opened.list_hidden(Taster.LAYOUT) | opened.list_hidden(Taster.ACTION)
    for image_id in hidden:
        assert not (kit / f"VOCdevkit/VOC2026/Annotations/{image_id}.xml").exists()
    assert not list((kit / "VOCdevkit/VOC2026/ImageSets/Action").glob("*_test.txt"))


def test_results_on_the_given_people_are_checked_by_line(opened: Opened, tmp_path: Path) -> None:
    release = open_release(opened.blind_root)
    writer = release.write_results(tmp_path / "mine", "test")
    truth = release.truth("test")
    layouts = [LayoutResult(key, 0.5, (("head", (1, 1, 9, 9)),)) for key in truth.layout_persons]
    writer.layout("comp7", layouts)
    persons = list(truth.action_items("walking")[0])
    writer.action("comp9", "walking", persons, [0.5] * len(persons))
    entry = release.check(tmp_path / "mine", "test")
    assert entry.competitions == [("action", "comp9"), ("layout", "comp7")]
    rated = tmp_path / "mine/Action/comp9_action_test_walking.txt"
    rated.write_text(rated.read_text() + f"{persons[0][0]} 7 0.5\n")
    with pytest.raises(SubmissionError) as caught:
        release.check(tmp_path / "mine", "test")
    (problem,) = caught.value.problems
    assert (problem.path.name, problem.line) == (rated.name, len(persons) + 1)


def test_asking_by_query_keeps_tasters_in_their_test_sets(mixed: Party) -> None:
    export = replace(mixed.settings.export, exhaustive="query")
    party = replace(mixed, settings=replace(mixed.settings, export=export))
    plan = plan_release(party, year=2026)
    assert any(image.split.is_test for image in plan.images if image.row.taster is not None)


def add_corrected(
    party: Party, image_id: int, drawn: Iterable[Drawn], taster: Taster | None
) -> None:
    """Ann saves the image anew, as the page asked then, and chris lets it pass."""
    with party.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        drawn = list(drawn)
        newer = add_revision(session, image, drawn, person_id=1, parent_id=image.annotation_id)
        newer.taster = taster
        add_review(session, newer, Verdict.ACCEPT)


def test_editions_and_extensions_keep_tasters_apart(mixed: Party, tmp_path: Path) -> None:
    first, _ = release(mixed, tmp_path / "first")
    add_corrected(mixed, 9, [replace(WALKER, actions=("running",)), WALKER], Taster.ACTION)
    with mixed.catalogue.writing() as session:
        image = add_image(session, mixed, 19, [move(WALKER, 19)])
        newest = select(Annotation).where(Annotation.id == image.annotation_id)
        session.scalars(newest).one().taster = Taster.ACTION
    for name, order in (
        ("MORE", ReleaseOrder(extends="VOC2026")),
        (None, ReleaseOrder(corrects="VOC2026")),
    ):
        out = tmp_path / (name or "edition")
        year = 2026 if name else None
        plan = export_release(mixed, out, year=year, at=NOW, name=name, order=order)
        assert verify_tree(out) == []
        (root,) = (out / "VOCdevkit").iterdir()
        action = name_tasters(plan, Taster.ACTION)
        assert list_names(root, "Action") == action
        assert len(action) == (7 if name else 6)
        assert list_names(root, "Main") == {
            image.public_id for image in first.images if image.row.taster is None
        }
        (changed,) = [image.public_id for image in plan.images if image.row.id == 9]
        lines = [
            line
            for path in (root / "ImageSets/Action").glob("running_*.txt")
            for line in path.read_text().splitlines()
            if line.startswith(changed) and "trainval" not in path.name
        ]
        assert sorted(lines) == [f"{changed}  1  1", f"{changed}  2 -1"]


def test_a_taster_that_was_annotated_in_full_since_is_like_any_other(
    mixed: Party, tmp_path: Path
) -> None:
    release(mixed, tmp_path / "first")
    add_corrected(mixed, 9, [WALKER, CAT], None)
    order = ReleaseOrder(corrects="VOC2026")
    plan = export_release(mixed, tmp_path / "edition", year=None, at=NOW, order=order)
    assert verify_tree(tmp_path / "edition") == []
    (root,) = (tmp_path / "edition/VOCdevkit").iterdir()
    (changed,) = [image.public_id for image in plan.images if image.row.id == 9]
    assert changed in list_names(root, "Main")
    assert changed not in list_names(root, "Action")


def test_a_hidden_image_of_a_blind_release_does_not_become_a_taster(
    mixed: Party, tmp_path: Path
) -> None:
    first, _ = release(mixed, tmp_path / "first", order=ReleaseOrder(is_blind=True))
    hidden = next(
        image for image in first.images if image.split.is_test and image.row.taster is None
    )
    train = next(image for image in first.images if image.split == "train" and image.row.id < 9)
    for number, image in enumerate((hidden, train), start=30):
        add_corrected(mixed, image.row.id, [move(WALKER, number)], Taster.ACTION)
    order = ReleaseOrder(corrects="VOC2026")
    plan = export_release(mixed, tmp_path / "edition", year=None, at=NOW, order=order)
    assert verify_tree(tmp_path / "edition") == []
    assert {item.image_id: item.reason for item in plan.kept_back} == {
        hidden.row.id: "its correction cannot be released: it is for Action alone now, and the "
        "blind release has it in other lists"
    }
    (root,) = (tmp_path / "edition/VOCdevkit").iterdir()
    assert hidden.public_id in list_names(root, "Main")
    assert train.public_id in list_names(root, "Action") - list_names(root, "Main")


def test_a_taster_that_lacks_what_its_task_needs_is_left_out(mixed: Party) -> None:
    mark(mixed, {2: Taster.ACTION, 9: Taster.LAYOUT})
    left_out = {
        omission.image_id: omission.reason for omission in plan_release(mixed, year=2026).left_out
    }
    assert left_out == {
        2: "it is for Action alone, and object 1 is no person",
        9: "it is for Layout alone, and person 1 has nothing that it needs",
    }


@pytest.mark.parametrize("relation", ["duplicate", "same_scene"])
def test_no_given_person_is_of_an_image_that_looks_like_one_of_main(
    mixed: Party, relation: str
) -> None:
    pairs = {1: 9, 2: 10, 3: 11, 4: 12}  # an image annotated in full, and one for Action alone
    with mixed.catalogue.writing() as session:
        session.add_all(link(*pair, relation) for pair in pairs.items())

    def place(*, is_blind: bool) -> set[int]:
        plan = plan_release(mixed, year=2026, order=ReleaseOrder(is_blind=is_blind))
        placed = {image.row.id: image.split for image in plan.images}
        assert {*pairs, *pairs.values()} <= placed.keys()
        return {image_id for image_id, split in placed.items() if split.is_test}

    assert place(is_blind=True).isdisjoint({*pairs, *pairs.values()})
    assert place(is_blind=False) & {*pairs.values()}
