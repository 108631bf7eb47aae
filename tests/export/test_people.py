"""The method people, computed again from the catalogue by SQL and plain loops."""

import json
import shutil
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.party import Party
from catalog.states import Taster, Verdict
from catalog.stored_files import load_kept, load_named_digests, outlasts
from catalog.tables import Annotation, Image, Release, ReleaseImage
from export.accompanying_files.people import settle_people
from export.order import ReleaseOrder
from export.planning import plan_release
from export.release import write_release
from tests.catalog.classes import change as make_change
from tests.exporting import contents, export_release, run, take_down
from tests.party_rows import HEIGHT, NOW, WIDTH, add_review, add_revision
from tests.rows import load_rows, reading
from vockit.command import main as vockit
from vockit.foreign.devkit import write_devkit
from vockit.format.masks import read_mask
from vockit.format.rings import fill
from vockit.report.intervals import estimate_share_by_image

from .conftest import draw_nothing
from .people_party import (
    CAT,
    DRAWN_AGAIN,
    MASKED,
    copy_party,
    has_cat,
    is_doubled,
    make_people_party,
    misses_cat,
    open_allowing,
    says_dog,
    sees_more,
)

PEOPLE = Path("VOCdevkit/results/people")
Box = tuple[int, int, int, int]
Json = dict[str, Any]


@dataclass(frozen=True)
class Made:
    """The party's folder, its release, and what `evaluate --json` tells of it."""

    party: Path
    release: Path
    document: Json


@pytest.fixture(scope="module")
def people_template(party_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(shutil.copytree(party_template, tmp_path_factory.mktemp("people") / "party"))
    make_people_party(folder)
    return folder


@pytest.fixture(scope="module")
def made(people_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("made")
    copy = copy_party(people_template, folder / "party")
    with open_allowing(copy) as party, pytest.MonkeyPatch.context() as patch:
        draw_nothing(patch)
        export_release(party, folder / "out", year=2026, at=NOW)
    write_method(copy, folder / "ours")
    output = evaluate(folder / "out", "--json", f"ours={folder / 'ours'}")
    return Made(copy, folder / "out", json.loads(output)["people"])


@pytest.fixture
def party(people_template: Path, tmp_path: Path) -> Iterator[Party]:
    with open_allowing(copy_party(people_template, tmp_path / "party")) as opened:
        yield opened


def evaluate(release: Path, *options: str) -> str:
    others = [option for option in options if option.startswith("--")]
    methods = [f"--method={option}" for option in options if option not in others]
    arguments = ["evaluate", str(release / "VOCdevkit"), "--set", "test", *methods, *others]
    result = CliRunner().invoke(vockit, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def query(party: Path, statement: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(party / "catalogue.db")) as catalogue:
        return catalogue.execute(statement, values).fetchall()


def load_test_images(party: Path) -> dict[int, tuple[str, int]]:
    """By image its public id and its released revision."""
    rows = query(
        party, "SELECT image_id, public_id, annotation_id FROM release_image WHERE split = 'test'"
    )
    return {image_id: (public_id, revision) for image_id, public_id, revision in rows}


def load_drawn(party: Path, revision: int) -> dict[str, list[Box]]:
    rows = query(
        party,
        "SELECT class_id, box_xmin, box_ymin, box_xmax, box_ymax FROM object"
        " WHERE annotation_id = ?",
        revision,
    )
    boxes = defaultdict[str, list[Box]](list)
    for name, *box in rows:
        boxes[name].append((box[0], box[1], box[2], box[3]))
    return boxes


def load_second(party: Path) -> dict[int, int]:
    """By test image the revision of who annotated it blind, where that counts."""
    images = load_test_images(party)
    rows = query(
        party,
        "SELECT t.image_id, t.annotation_id FROM blind_task t JOIN annotation a"
        " ON a.id = t.annotation_id WHERE t.kind = 'double' AND t.finished_at IS NOT NULL"
        " AND a.set_aside_at IS NULL AND a.discard_reason IS NULL",
    )
    return {image_id: revision for image_id, revision in rows if image_id in images}


def write_method(party: Path, folder: Path) -> None:
    """Cats found exactly where people had the image, and nothing but mistakes elsewhere."""
    second = load_second(party)
    lines = []
    for image_id, (public_id, revision) in load_test_images(party).items():
        cats = load_drawn(party, revision)["cat"]
        for box in cats if image_id in second else [(50, 30, 59, 39)]:
            lines.append(f"{public_id} {0.5 + image_id / 100} {' '.join(map(str, box))}\n")
    (folder / "Main").mkdir(parents=True)
    (folder / "Main/comp3_det_test_cat.txt").write_text("".join(lines))


def overlap(first: Box, second: Box) -> float:
    """The IoU of two boxes, pixel by pixel."""
    pixels = [
        {(x, y) for x in range(box[0], box[2] + 1) for y in range(box[1], box[3] + 1)}
        for box in (first, second)
    ]
    return len(pixels[0] & pixels[1]) / len(pixels[0] | pixels[1])


def test_people_agree_with_the_truth_as_the_catalogue_says(made: Made) -> None:
    images = load_test_images(made.party)
    second = load_second(made.party)
    assert len(second) >= 20
    for name in ("cat", "person", "dog"):
        right: list[float] = []
        said: list[float] = []
        objects: list[float] = []
        overlaps: list[float] = []
        for image_id, revision in second.items():
            drawn = load_drawn(made.party, revision)[name]
            true = load_drawn(made.party, images[image_id][1])[name]
            hits = [overlap(box, other) for box in drawn for other in true]
            hits = [value for value in hits if value >= 0.5]
            right.append(len(hits))
            overlaps.append(sum(hits))
            said.append(len(drawn))
            objects.append(len(true))
        figures = made.document["tasks"]["detection"]["people"][name]
        assert figures["objects"] == sum(objects)
        for key, hits_of, counts in (
            ("precision", right, said),
            ("recall", right, objects),
            ("overlap", overlaps, right),
        ):
            expected = estimate_share_by_image(hits_of, counts)
            if not expected.count:
                assert key not in figures
                continue
            assert figures[key] == pytest.approx([expected.value, expected.low, expected.high])
            assert figures[key][0] == pytest.approx(sum(hits_of) / sum(counts))
        if sum(objects):  # the best order has all right rows first: the area is the recall
            value, low, high = figures["ap"]
            assert value == pytest.approx(sum(right) / sum(objects))
            assert low < value <= high


def test_known_error_rates_come_out(made: Made) -> None:
    numbers = [image_id - 1 for image_id in load_test_images(made.party)]
    doubled = [number for number in numbers if is_doubled(number)]
    count = len(doubled)
    cats = sum(map(has_cat, doubled))
    detection = made.document["tasks"]["detection"]["people"]
    missed = sum(map(misses_cat, doubled))
    mistaken = sum(map(says_dog, doubled))
    more = sum(map(sees_more, doubled))
    assert missed > 0
    assert mistaken > 0
    assert more > 0
    assert made.document["images"] == count
    assert made.document["people"] == 2
    assert detection["cat"]["recall"][0] == pytest.approx(1 - missed / cats)
    assert detection["cat"]["precision"][0] == 1
    assert detection["person"]["recall"][0] == pytest.approx(1 - mistaken / count)
    assert detection["dog"]["precision"][0] == 0
    assert made.document["kinds"]["class"] == mistaken
    assert len(made.document["lacking"]) == made.document["kinds"]["background"] == more
    lacking = {box["image_id"] for box in made.document["lacking"]}
    images = load_test_images(made.party)
    assert lacking == {images[number + 1][0] for number in doubled if sees_more(number)}
    assert {tuple(box["box"]) for box in made.document["lacking"]} == {(1, 33, 10, 40)}
    presence = made.document["tasks"]["classification"]["people"]
    assert presence["cat"]["recall"][0] == pytest.approx(1 - missed / cats)
    assert presence["person"]["recall"][0] == pytest.approx(1 - mistaken / count)


def test_actions_are_those_of_persons_that_both_drew(made: Made) -> None:
    images = load_test_images(made.party)
    statement = "SELECT actions FROM object WHERE annotation_id = ? AND class_id = 'person'"
    pairs = []
    for image_id, revision in load_second(made.party).items():
        if has_cat(image_id - 1):  # Action lists images of persons alone
            continue
        for (given,) in query(made.party, statement, revision):
            ((true,),) = query(made.party, statement, images[image_id][1])
            pairs.append((json.loads(true), json.loads(given)))
    assert any(true != given for true, given in pairs)
    for action in ("running", "jumping"):
        figures = made.document["tasks"]["action"]["people"][action]
        both = sum(action in true and action in given for true, given in pairs)
        assert figures["objects"] == sum(action in true for true, _ in pairs)
        assert figures["recall"][0] == pytest.approx(both / figures["objects"])
        assert figures["precision"][0] == pytest.approx(
            both / sum(action in given for _, given in pairs)
        )


def test_masks_of_a_second_drawing_have_their_overlap(made: Made) -> None:
    listed = (made.release / "VOCdevkit/VOC2026/ImageSets/Segmentation/test.txt").read_text()
    assert made.document["masks"] == len(listed.split()) > 0
    again = fill([DRAWN_AGAIN], WIDTH, HEIGHT)
    hits = true = given = 0
    for name in listed.split():
        path = made.release / f"VOCdevkit/VOC2026/SegmentationClass/{name}.png"
        labels = read_mask(path.read_bytes(), (WIDTH, HEIGHT))
        cat = 8  # the place of cat among VOC's classes
        hits += int(((labels == cat) & again).sum())
        true += int((labels == cat).sum())
        given += int((again & (labels != 255)).sum())
    figures = made.document["tasks"]["segmentation"]["people"]["cat"]
    assert figures["iou"][0] == pytest.approx(hits / (true + given - hits))
    assert made.document["tasks"]["segmentation"]["people"]["person"]["iou"][0] == 0


def test_methods_are_scored_on_the_images_that_people_had(made: Made) -> None:
    ours = made.document["tasks"]["detection"]["ours, comp3"]["cat"]
    people = made.document["tasks"]["detection"]["people"]
    assert ours["objects"] == people["cat"]["objects"] > 10
    assert [ours[key][0] for key in ("ap", "precision", "recall", "overlap")] == [1, 1, 1, 1]
    assert people["all"]["objects"] == ours["objects"], "all has the classes in common alone"


def test_text_and_page_say_who_stands_behind_it_and_what_is_measured(
    made: Made, tmp_path: Path
) -> None:
    people = f"people={made.release / PEOPLE}"
    text = evaluate(made.release, people)
    evaluate(made.release, people, f"--report={tmp_path / 'report'}")
    page = (tmp_path / "report/people.html").read_text()
    for sentence in (
        f"2 people who annotated {made.document['images']} images without seeing the truth",
        "1 image of the test sets that the second person would have discarded is left out",
        "how far they agree, not how right they are",
        "What the second annotators saw that the truth lacks",
    ):
        assert sentence in text
        assert sentence in page
    assert "data:image/jpeg" in page, "what the truth lacks is shown"
    assert (tmp_path / "report/tables/people-detection.csv").read_text().count("\n") > 3
    scores = json.loads((tmp_path / "report/scores.json").read_text())
    assert scores["people"]["kinds"] == made.document["kinds"]


def test_people_alone_can_be_named(made: Made) -> None:
    document = json.loads(evaluate(made.release, "--json", f"x={made.release / PEOPLE}"))
    assert document["methods"] == {}
    assert document["people"]["tasks"]["detection"].keys() == {"people"}


def test_people_alone_are_shown_where_nobody_entered_anything(made: Made, tmp_path: Path) -> None:
    assert not (made.release / "VOCdevkit/results/VOC2026").exists()
    document = json.loads(evaluate(made.release, "--json"))
    assert document["methods"] == {}
    assert document["people"]["images"] == made.document["images"]
    shown = evaluate(made.release, "--report=" + str(tmp_path / "report"))
    assert "The method people is" in shown
    assert (tmp_path / "report/index.html").is_file()


def copy_people(made: Made, folder: Path) -> tuple[Path, Json]:
    """The folder of people in a copy of the release, and what people.json says."""
    people = Path(shutil.copytree(made.release, folder / "out")) / PEOPLE
    return people, json.loads((people / "people.json").read_text())


def tell(people: Path, **said: object) -> str:
    """The output of evaluating people of whom the file says this of test."""
    about = {"format": 1, "tree": "VOC2026", "discarded": 0, "sets": {"test": said}}
    (people / "people.json").write_text(json.dumps(about))
    arguments = ["evaluate", str(people.parents[1]), "--set", "test", "--results", str(people)]
    result = CliRunner().invoke(vockit, arguments)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output


def test_people_of_one_image_and_of_masks_alone_are_shown(made: Made, tmp_path: Path) -> None:
    people, about = copy_people(made, tmp_path)
    listed = about["sets"]["test"]
    image_id = next(iter(listed["images"]))
    shown = tell(people, images={image_id: 1}, masks={})
    assert "The method people is 1 person who annotated 1 image without" in shown
    assert "drew the masks" not in shown
    shown = tell(people, images={}, masks=listed["masks"])
    assert "The method people is 1 person who drew the masks of" in shown
    assert "0 images" not in shown


@pytest.mark.parametrize(
    "said", [{}, {"images": ["a"], "masks": {}}, {"images": {}, "masks": {"a": "b"}}]
)
def test_a_file_of_people_that_cannot_be_read_is_told(
    made: Made, tmp_path: Path, said: Json
) -> None:
    people, _ = copy_people(made, tmp_path)
    assert "cannot be read as people's results of a release" in tell(people, **said)


def test_people_of_images_that_the_set_does_not_list_are_told(made: Made, tmp_path: Path) -> None:
    people, _ = copy_people(made, tmp_path)
    for said in ({"images": {"other": 1}, "masks": {}}, {"images": {}, "masks": {"other": 1}}):
        assert "names other, which VOC2026 test does not list" in tell(people, **said)


def test_people_of_another_set_are_refused(made: Made) -> None:
    people = str(made.release / PEOPLE)
    arguments = ["evaluate", str(made.release), "--set", "val", "--results", people]
    result = CliRunner().invoke(vockit, arguments)
    assert result.exit_code == 2
    assert "nothing of VOC2026 val; choose with --set" in result.output


def test_of_two_folders_of_people_the_one_of_this_set_counts(made: Made, tmp_path: Path) -> None:
    """Whichever comes first; where both are of this set, neither is passed over in silence."""
    people = made.release / PEOPLE
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(people, elsewhere)
    options = ["evaluate", str(made.release), "--set", "test"]
    options += [f"--method=a={elsewhere}", f"--method=b={people}"]
    refused = CliRunner().invoke(vockit, options)
    assert refused.exit_code == 2
    assert f"{elsewhere} and {people} hold what people gave of VOC2026 test" in refused.output
    about = (elsewhere / "people.json").read_text()
    (elsewhere / "people.json").write_text(about.replace("VOC2026", "VOC2025"))
    both = evaluate(made.release, "--json", f"a={elsewhere}", f"b={people}")
    assert both == evaluate(made.release, "--json", f"b={people}")


def test_nothing_is_written_that_the_settings_do_not_allow(
    people_template: Path, tmp_path: Path
) -> None:
    with open_allowing(copy_party(people_template, tmp_path / "party"), allows=False) as party:
        export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert not (tmp_path / "out" / PEOPLE).exists()


def test_answers_that_are_compared_with_something_else_are_left_out(party: Party) -> None:
    def list_people(*without: int) -> set[int]:
        plan = plan_release(party, year=2026, order=ReleaseOrder())
        ids = {image.public_id: image.row.id for image in plan.images if image.split == "test"}
        doubled = {key for key in ids.values() if is_doubled(key - 1)}
        facts, _ = reading(party, settle_people, party, plan)
        shown = {ids[public_id] for public_id in facts["images"]}
        assert shown == doubled - {*without}
        return shown

    own_id, taster_id, late_id, *_ = sorted(list_people())
    answers = dict(query(party.folder, "SELECT image_id, annotation_id FROM blind_task"))
    with party.catalogue.writing() as session:
        image = session.get_one(Image, own_id)
        answer = session.get_one(Annotation, answers[own_id])
        answer.save_key = "answer"
        session.flush()
        first = image.annotation_id
        annotation = add_revision(
            session, image, [CAT], person_id=answer.person_id, parent_id=first
        )
        add_review(session, annotation, Verdict.ACCEPT)
        head = session.get_one(Annotation, session.get_one(Image, taster_id).annotation_id)
        head.taster = Taster.ACTION
        for item in list(head.objects):
            if item.class_name != "person":
                session.delete(item)
        session.get_one(Annotation, answers[late_id]).saved_at = NOW - timedelta(days=2)
        added = make_change("add", "dog", dog="dog")
        added.made_at = NOW - timedelta(days=1)
        session.add(added)
    list_people(own_id, taster_id, late_id)


def test_a_blind_release_has_people_only_when_it_is_opened(party: Party, tmp_path: Path) -> None:
    blind = plan_release(party, year=2026, order=ReleaseOrder(is_blind=True))
    write_release(party, blind, tmp_path / "blind", at=NOW)
    assert not (tmp_path / "blind/VOCdevkit/results").exists()
    assert "discarded" not in (tmp_path / "blind/release.json").read_text()
    options = ("--open", "--party", party.folder, "--year", 2026)
    assert run("export", tmp_path / "open", *options).exit_code == 0
    about = json.loads((tmp_path / "open" / PEOPLE / "people.json").read_text())
    assert len(about["sets"]["test"]["images"]) >= 20
    assert len(about["sets"]["test"]["masks"]) > 0
    assert list((tmp_path / "open" / PEOPLE).rglob("*.png"))
    question = "How well do people do on the test images?"
    assert question not in (tmp_path / "blind/DATASHEET.md").read_text()
    datasheet = (tmp_path / "open/DATASHEET.md").read_text()
    assert question in datasheet
    assert f"drew on {len(about['sets']['test']['images'])} test images" in datasheet
    assert f"`{PEOPLE}`" in (tmp_path / "open/README.md").read_text()
    write_devkit(tmp_path / "open", tmp_path / "kit")
    assert not list((tmp_path / "kit").rglob("*people*"))


def test_what_is_withdrawn_leaves_the_results_of_people_too(made: Made, tmp_path: Path) -> None:
    folder = copy_party(made.party, tmp_path / "party")
    images = load_test_images(folder)
    gone = next(image_id for image_id in load_second(folder) if image_id - 1 in MASKED)
    with open_allowing(folder) as party:
        take_down(party, gone)
        export_release(party, tmp_path / "out", year=2026, at=NOW)
    files = contents(tmp_path / "out" / PEOPLE)
    before = contents(made.release / PEOPLE)
    name = images[gone][0]
    assert any(name.encode() in data for data in before.values())
    assert not any(name.encode() in data or name in path for path, data in files.items())
    masks = {path for path in before if path.endswith(".png") and name not in path}
    assert {path for path in files if path.endswith(".png")} == masks
    for release in (tmp_path / "out", made.release):  # what was published before is read, too
        document = json.loads(evaluate(tmp_path / "out", "--json", f"x={release / PEOPLE}"))
        assert document["people"]["images"] == made.document["images"] - 1


def test_masks_of_people_are_kept_when_another_image_is_erased(made: Made, tmp_path: Path) -> None:
    with open_allowing(copy_party(made.party, tmp_path / "party")) as party:
        (settings,) = load_rows(party, select(Release.settings))
        kept = load_kept(settings)
        paths = {Path(path).stem: path for path in kept if path.endswith(".png")}
        erased, *others = sorted(paths)
        (image_id,) = load_rows(party, select(ReleaseImage.image_id).filter_by(public_id=erased))
        with party.catalogue.writing() as session:
            session.get_one(Image, image_id).erased_at = NOW
        named = reading(party, load_named_digests)
    assert others
    assert {kept[paths[other]] for other in others} <= named
    assert not outlasts(paths[erased], {erased})
    assert outlasts(f"open/{paths[erased]}", set(others))
