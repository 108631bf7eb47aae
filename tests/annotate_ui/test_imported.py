"""What came with the labels of other tools is checked by people and released."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.decisions import list_wrong_states
from catalog.party import Party
from catalog.states import ImageState, Role
from catalog.tables import Image
from dedup.executors import Workforce
from dedup.jobs import hash_images
from export.importing.dataset_image import DatasetOrder
from export.importing.dataset_job import import_dataset
from export.order import ReleaseOrder
from export.planning import plan_release
from export.release import write_release
from tests.exporting import contents, export_release, read_croissant, verify_tree
from tests.party_rows import jpeg_bytes
from tests.vockit.foreign.datasets.cocos import LABELS, box, make_coco
from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import load_tree
from vocparty import main as main_command

from .house import API, Browser, House, Json, thing

CAT = {"attributes": {"hue": "red <b>", "seen": 3}}
PLACE = f"{LABELS}, annotation"


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    """Three images with a cat each; of the first two something else is said."""
    rows = [
        box(1, [9, 4, 20, 10], **CAT),
        box(2, [9, 4, 20, 10], 2, **CAT),
        box(3, [9, 4, 20, 10], 3),
    ]
    return make_coco(tmp_path / "labels", rows, images=3)


def import_labels(house: House, labels: Path) -> None:
    report = import_dataset(house.party, DatasetOrder(labels), at=house.clock.at)
    assert (report.imported, report.attributed) == (3, 2)


def plain(key: str, xyxy: list[int]) -> Json:
    more: dict[str, Any] = {"class": "cat", "view": "Unspecified", "actions": [], "parts": []}
    return thing(key, box=xyxy, occluded=False) | more


def judge(chris: Browser, task: Json, objects: list[Json] | None = None) -> None:
    """Chris accepts the image, or leaves these objects."""
    verdict = "accept" if objects is None else "fixed"
    keys = [item["key"] for item in task["annotation"]["objects"]]
    said = {"verdict": "accept", "comment": "", "judged": objects is not None}
    judged = [{"key": key} | said for key in keys]
    fixed = objects and {"objects": objects, "active_secs": 2.0}
    answer = chris.review(task, verdict, objects=judged, fixed=fixed)
    assert answer.status_code == 201, answer.text


def read_lines(release: Path) -> list[Json]:
    path = release / "data/attributes.jsonl"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def test_attributes_stay_with_the_objects_that_people_keep(
    any_house: House, labels: Path, tmp_path: Path
) -> None:
    import_labels(any_house, labels)
    chris = any_house.chris()
    for number in (1, 2, 3):
        task = chris.take("check", image_id=number)
        said = {"hue": "red <b>", "seen": "3"} if number < 3 else {}
        origin = {"form": "COCO", "place": f"{PLACE} {number}", "attributes": said}
        assert task["origins"] == {f"coco-{number}": origin}
        new = plain("new", [30, 20, 40, 30])
        moved = plain(f"coco-{number}", [9, 6, 30, 15])
        fixes = {1: [new, moved], 2: [new], 3: None}
        judge(chris, task, fixes[number])
        assert any_house.state(number) is ImageState.CHECKED
    at = any_house.clock.at
    plan = export_release(any_house.party, tmp_path / "out", year=2026, at=at)
    (line,) = read_lines(tmp_path / "out")
    image = next(image for image in plan.images if image.row.id == 1)
    assert line == {
        "image_id": image.public_id,
        "set": image.split.value,
        "object_number": 2,
        "class": "cat",
        "attributes": {"hue": "red <b>", "seen": "3"},
        "source": {"tool": "COCO", "place": f"{PLACE} 1"},
    }
    sentence = "1 object has attributes of an imported dataset that VOC has no field for"
    for name in ("README.md", "DATASHEET.md"):
        assert sentence in (tmp_path / "out" / name).read_text()
    table = pq.read_table(tmp_path / "out/data/objects.parquet").to_pylist()
    written = {(row["image_id"], row["object_number"]): row["attributes"] for row in table}
    assert json.loads(written.pop((image.public_id, 2))) == line["attributes"]
    assert set(written.values()) == {None}
    (objects,) = read_croissant(tmp_path / "out", "objects")
    assert sum(row["objects/attributes"] is not None for row in objects) == 1
    assert verify_tree(tmp_path / "out") == []
    recorded = tmp_path / "again"
    export_release(any_house.party, recorded, year=2026, at=at)
    assert read_lines(recorded) == [line]


def test_an_object_that_was_deleted_and_restored_has_its_attributes_again(
    house: House, labels: Path
) -> None:
    import_labels(house, labels)
    chris = house.chris()
    task = chris.take("check", image_id=1)
    judge(chris, task, [plain("new", [30, 20, 40, 30])])
    olga = house.olga()
    shown = olga.get("/api/v1/images/1/revisions").get_json()
    first, head = (shown["revisions"][place]["id"] for place in (-1, 0))
    body = {"head_id": head, "verdict_id": shown["verdict_id"], "save_key": "restored-1"}
    answer = olga.post(f"/api/v1/images/1/revisions/{first}/restore", body)
    assert answer.status_code == 201, answer.text
    task = house.enter(house.add_person("carl", Role.CHECKER)).take("check", image_id=1)
    assert task["origins"]["coco-1"]["attributes"] == {"hue": "red <b>", "seen": "3"}


def test_a_blind_release_withholds_attributes_of_test(
    house: House, labels: Path, tmp_path: Path
) -> None:
    import_labels(house, labels)
    chris = house.chris()
    for number in (1, 2, 3):
        judge(chris, chris.take("check", image_id=number))
    at = house.clock.at
    order = ReleaseOrder(is_blind=True)
    plan = export_release(house.party, tmp_path / "blind", year=2026, at=at, order=order)
    shown = {image.public_id for image in plan.images if plan.shows(image) and image.row.id < 3}
    assert {line["image_id"] for line in read_lines(tmp_path / "blind")} == shown
    assert len(shown) < 2  # each set has one of the three images
    opened = replace(plan_release(house.party, year=2026), is_blind=False)
    write_release(house.party, opened, tmp_path / "open", at=at)
    assert len(read_lines(tmp_path / "open")) == 2


def test_images_without_objects_are_negatives_where_the_party_keeps_them(
    party: Party, tmp_path: Path
) -> None:
    export = replace(party.settings.export, negatives=True)
    house = House(replace(party, settings=replace(party.settings, export=export)))
    rows = [box(1, [9, 4, 20, 10]), box(2, [9, 4, 20, 10], 2, 2), box(3, [0, 0, 0, 0], 3)]
    labels = make_coco(tmp_path / "labels", rows, images=5)
    order = DatasetOrder(labels, words={"dog": ""})
    report = import_dataset(house.party, order, at=house.clock.at)
    assert (report.imported, report.negatives) == (4, 3)
    (skipped,) = report.skipped
    assert skipped == (f"{LABELS}, image 3", "none of its objects could be taken")
    chris = house.chris()
    for number in range(1, 5):
        task = chris.take("check", image_id=number)
        assert len(task["annotation"]["objects"]) == (number == 1)
        judge(chris, task)
    out = tmp_path / "out"
    plan = export_release(house.party, out, year=2026, at=house.clock.at)
    assert len(plan.images) == 4
    lists = out / "VOCdevkit/VOC2026/ImageSets/Main"
    texts = [(lists / f"cat_{name}.txt").read_text() for name in ("trainval", "test")]
    labelled = [line.split() for text in texts for line in text.splitlines()]
    assert sorted(label for _image_id, label in labelled) == ["-1", "-1", "-1", "1"]
    sentence = "3 of 4 images show no object of the classes"
    assert sentence in (out / "DATASHEET.md").read_text()
    assert [(rule.rule, rule.is_warning) for rule in verify_tree(out)] == [("no-object", True)] * 3
    again = export_release(house.party, tmp_path / "again", year=2026, at=house.clock.at)
    assert again.is_recorded
    assert contents(tmp_path / "again") == contents(out)


def test_an_image_of_which_nothing_is_said_is_no_negative(party: Party, tmp_path: Path) -> None:
    export = replace(party.settings.export, negatives=True)
    party = replace(party, settings=replace(party.settings, export=export))
    labels = tmp_path / "yolo"
    for number, text in enumerate(("0 0.5 0.5 0.5 0.5\n", "", None), start=1):
        for folder in ("images", "labels"):
            (labels / folder).mkdir(parents=True, exist_ok=True)
        (labels / f"images/{number}.jpg").write_bytes(jpeg_bytes(number))
        if text is not None:
            (labels / f"labels/{number}.txt").write_text(text)
    (labels / "data.yaml").write_text("train: images\nnames: [cat]\n")
    report = import_dataset(party, DatasetOrder(labels))
    assert (report.imported, report.negatives) == (2, 1)
    reason = "nothing says what it shows, not even that it has no object"
    assert report.skipped == [("images/3.jpg", reason)]


def test_images_of_a_file_without_any_annotation_are_no_negatives(
    party: Party, tmp_path: Path
) -> None:
    """As COCO lists the pictures of its test sets, image_info_test2017.json."""
    export = replace(party.settings.export, negatives=True)
    party = replace(party, settings=replace(party.settings, export=export))
    report = import_dataset(party, DatasetOrder(make_coco(tmp_path / "labels")))
    assert report.imported == 0
    reason = "nothing says what it shows, not even that it has no object"
    assert {skipped for _place, skipped in report.skipped} == {reason}


def test_a_flag_that_the_file_does_not_have_counts_as_not_decided(
    house: House, tmp_path: Path
) -> None:
    said = {"occluded": False, "truncated": True, "pose": "Left"}
    rows = [
        box(1, [9, 4, 20, 10], attributes=said),
        box(2, [9, 4, 20, 10], 2),
        box(3, [9, 4, 9, 9]),
    ]
    labels = make_coco(tmp_path / "labels", rows, images=2)
    import_dataset(house.party, DatasetOrder(labels), at=house.clock.at)
    chris = house.chris()
    judge(chris, chris.take("check", image_id=1), None)
    judge(chris, chris.take("check", image_id=2), None)
    export_release(house.party, tmp_path / "out", year=2026, at=house.clock.at)
    datasheet = (tmp_path / "out/DATASHEET.md").read_text()
    for line in (
        "| view | 0 | 1 | 3 |",
        "| truncated | 0 | 1 | 3 |",
        "| occluded | 0 | 1 | 3 |",
        "| difficult | 0 | 0 | 3 |",
    ):
        assert f"\n{line}\n" in datasheet


def test_a_party_says_what_becomes_of_imported_annotations_and_the_release_counts_it(
    any_party: Party, tmp_path: Path
) -> None:
    """One is accepted by a person, one corrected, one taken as it came; two are drawn again."""
    party = with_qa(any_party, imported_share=1.0)
    house = House(party)
    first = [box(1, [9, 4, 20, 10]), box(2, [9, 4, 20, 10], 2)]
    make_coco(tmp_path / "first", first, images=2)
    import_dataset(party, DatasetOrder(tmp_path / "first"), at=house.clock.at)
    assert house.state(1) is ImageState.ANNOTATED
    accepting = with_qa(party, imported="accept")
    rows = [box(number, [9, 4, 20, 10], number) for number in (3, 4, 5)]
    make_coco(tmp_path / "second", rows, images=5)
    report = import_dataset(accepting, DatasetOrder(tmp_path / "second"), at=house.clock.at)
    assert (report.is_accepted, report.imported) == (True, 3)
    assert [house.state(number) for number in (3, 4, 5)] == [ImageState.CHECKED] * 3
    with party.catalogue.reading() as session:
        assert list(list_wrong_states(session)) == []
    ann = house.ann()
    for _ in range(2):
        task = ann.take()
        assert task["annotation"] is None
        assert "origins" not in task
        assert ann.save(task, [plain("mine", [10, 5, 29, 14])]).status_code == 201
    chris = house.chris()
    judge(chris, chris.take("check", image_id=1))
    judge(chris, chris.take("check", image_id=2), [plain("coco-2", [9, 6, 30, 15])])
    export_release(party, tmp_path / "out", year=2026, at=house.clock.at)
    datasheet = (tmp_path / "out/DATASHEET.md").read_text()
    assert (
        "Of 5 annotations that came with labels of other tools, 1 was accepted by a person here as "
        "they came, 1 changed here, and 3 taken as they came without a check; 2 of the 5 were also "
        "annotated by another person who did not see them."
    ) in datasheet
    readme = (tmp_path / "out/README.md").read_text()
    assert "2 of 5 annotations were checked by a second person, others imported" in readme


def test_a_release_says_nothing_of_classes_that_labels_lack_until_a_person_looked(
    party: Party, tmp_path: Path
) -> None:
    """The labels have cats, and dogs in their list alone, and count as checked as they came."""
    house = House(party)
    accepting = with_qa(party, imported="accept")
    rows = [box(number, [9, 4, 20, 10], number) for number in range(1, 13)]
    labels = make_coco(tmp_path / "labels", rows, images=12)
    import_dataset(accepting, DatasetOrder(labels), at=house.clock.at)
    export_release(party, tmp_path / "out", year=2026, at=house.clock.at)
    manifest = json.loads((tmp_path / "out/release.json").read_text())
    assert [image["asked"] for image in manifest["images"]] == [["cat", "dog"]] * 12
    main = tmp_path / "out/VOCdevkit/VOC2026/ImageSets/Main"
    tested = [line.split()[0] for line in (main / "test.txt").read_text().splitlines()]
    assert len(tested) > 2
    assert len((main / "cat_test.txt").read_text().splitlines()) == len(tested)
    lines = (main / "dog_test.txt").read_text().splitlines()
    assert [line.split() for line in lines] == [[image_id, "-1"] for image_id in tested]
    assert (main / "bird_test.txt").read_text() == ""
    assert_documents_say_what_was_asked(tmp_path / "out")
    assert list_coco_negatives(tmp_path / "out", tmp_path / "coco") == [["dog"]] * len(tested)
    bird, dog = score(tmp_path / "out", tmp_path, tested[0])
    assert (bird["left_out"], bird["unasked"], bird["precision"]) == (1, len(tested), [])
    assert dog["precision"] == [0.0]  # wrong, since no file says that one is there
    assert verify_tree(tmp_path / "out") == []
    looked_at = manifest["images"][0]["stored_sha256"]
    with party.catalogue.reading() as session:
        image_id = session.scalars(select(Image.id).where(Image.sha256 == looked_at)).one()
    assert house.olga().act("reopen", ids=[image_id]).status_code == 200
    chris = house.chris()
    task = chris.take("check", image_id=image_id)
    judge(chris, task, [plain(task["annotation"]["objects"][0]["key"], [9, 4, 28, 15])])
    order = ReleaseOrder(corrects="VOC2026")
    export_release(party, tmp_path / "edition", year=None, order=order, at=house.clock.at)
    edition = json.loads((tmp_path / "edition/release.json").read_text())
    assert [image.get("asked") for image in edition["images"]] == [None, *[["cat", "dog"]] * 11]


def assert_documents_say_what_was_asked(out: Path) -> None:
    sentence = "12 of 12 images were not asked about every class"
    assert sentence in (out / "README.md").read_text()
    datasheet = (out / "DATASHEET.md").read_text()
    assert "\n| dog | 0 | 12 | 0 |\n" in datasheet
    assert "\n| bird | 0 | 0 | 12 |\n" in datasheet


def list_coco_negatives(release: Path, out: Path) -> list[list[str]]:
    """The names of the negative categories of each test image."""
    convert_tree(load_tree(release), out, "coco", with_difficult=True)
    coco = json.loads((out / "annotations/instances_test.json").read_text())
    names = {entry["id"]: entry["name"] for entry in coco["categories"]}
    return [[names[number] for number in image["neg_category_ids"]] for image in coco["images"]]


def score(release: Path, scratch: Path, image_id: str) -> tuple[Json, Json]:
    """What evaluate makes of a bird and a dog that are found in the image, with its cat."""
    folder = scratch / "results"
    (folder / "Main").mkdir(parents=True)
    for name in ("bird", "cat", "dog"):
        (folder / f"Main/comp3_det_test_{name}.txt").write_text(f"{image_id} 0.9 10 5 29 14\n")
    words = ["evaluate", str(release), "--results", str(folder), "--set", "test", "--json"]
    done = CliRunner().invoke(main_command, words)
    assert done.exit_code == 0, done.output
    scores = json.loads(done.stdout)["tasks"]["detection"]["comp3"]["classes"]
    return scores["bird"], scores["dog"]


def with_qa(party: Party, **values: Any) -> Party:
    """The party with these settings of [qa], and nothing else given out blind."""
    none = {"double_share": 0.0, "discard_share": 0.0, "gold_share": 0.0, "repeat_share": 0.0}
    qa = replace(party.settings.qa, **(none | values))
    return replace(party, settings=replace(party.settings, qa=qa))


def test_the_history_says_in_the_language_of_the_page_how_an_import_was_accepted(
    house: House, labels: Path
) -> None:
    accepting = with_qa(house.party, imported="accept")
    import_dataset(accepting, DatasetOrder(labels), at=house.clock.at)
    olga = house.olga()
    for language, text in {
        "en": "accepted as it came with labels; no one here looked at it",
        "de": "angenommen, wie es mit labels kam; hier hat es niemand angesehen",
    }.items():
        headers = {"Accept-Language": language}
        history = olga.get(f"{API}/images/1/revisions", headers=headers).get_json()
        assert history["revisions"][0]["reviews"][0]["comment"] == text


def test_a_withdrawn_import_leaves_what_people_changed_and_names_it(
    any_house: House, labels: Path, tmp_path: Path
) -> None:
    accepting = with_qa(any_house.party, imported="accept")
    rows = [box(4, [9, 4, 20, 10], 4)]
    make_coco(tmp_path / "accepted", rows, images=4)
    import_labels(any_house, labels)
    import_dataset(accepting, DatasetOrder(tmp_path / "accepted"), at=any_house.clock.at)
    chris = any_house.chris()
    fixed = [plain("coco-1", [9, 6, 30, 15])]
    judge(chris, chris.take("check", image_id=1), fixed)
    judge(chris, chris.take("check", image_id=2))
    done = any_house.run("people", "undo", "import labels")
    assert "Unchanged, because others drew on them later: images 1." in done.output
    assert any_house.state(4) is ImageState.CHECKED  # of another import
    assert "1 revision and 1 review" in any_house.run("people", "undo", "import accepted").output
    after = [any_house.state(number) for number in range(1, 5)]
    assert after == [ImageState.CHECKED, *[ImageState.POOL] * 3]
    with any_house.party.catalogue.reading() as session:
        assert list(list_wrong_states(session)) == []
    ann = any_house.ann()
    task = ann.take(image_id=None)
    assert (task["annotation"], "origins" in task) == (None, False)
    export_release(any_house.party, tmp_path / "out", year=2026, at=any_house.clock.at)
    (line,) = read_lines(tmp_path / "out")
    assert line["source"]["place"] == f"{PLACE} 1"


def test_every_imported_object_is_traced_to_tool_file_place_person_and_time(
    house: House, labels: Path
) -> None:
    import_labels(house, labels)
    (row,) = json.loads(house.run("images", "--id", "1", "--json").output)
    assert row["imported"] == {
        "person": "import labels",
        "at": house.clock.at.isoformat(),
        "revision": 1,
        "tool": "COCO",
        "place": f"{LABELS}, image 1",
        "objects": {
            "coco-1": {
                "place": f"{PLACE} 1",
                "attributes": {"hue": "red <b>", "seen": "3"},
            }
        },
    }
    assert f"by import labels, from COCO: {LABELS}, image 1" in house.run("images").output
    house.add_image()
    rows = json.loads(house.run("images", "--json").output)
    assert [row["imported"] is None for row in rows] == [True, False, False, False]


def test_the_board_counts_imported_images_until_dedup_compared_them(
    house: House, labels: Path
) -> None:
    import_labels(house, labels)
    house.add_image(ImageState.BROKEN)
    house.add_image(ImageState.TAKEN_DOWN)
    olga = house.olga()

    def read() -> tuple[int, int, int]:
        jobs = olga.get(f"{API}/board").get_json()["jobs"]
        assert (jobs["photos"]["fetched"], jobs["imported"], jobs["usable"]) == (0, 3, 3)
        return jobs["images"], jobs["to_hash"], jobs["to_compare"]

    assert read() == (3, 3, 0)
    hash_images(house.party, Workforce(1), house.clock.at)
    assert read() == (3, 0, 3)
    assert house.run("dedup").exit_code == 0
    assert read() == (3, 0, 0)
