"""Layout and action in a challenge: the people are given, and nothing else of them."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from PIL import Image

from challenge import board, editions, submissions
from challenge.folder import Challenge, open_challenge
from challenge.making import choose_competitions, make_challenge
from challenge.tables import Scoring
from challenge.values import COMPETITIONS, ScoringState, State
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.truth import find_root, open_truth
from vockit.format.image_sets import format_images, format_labels, format_object_labels
from vockit.format.records import (
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocPart,
    VocPoint,
    VocSize,
    VocSource,
)
from vockit.format.write import STYLE_2012, format_annotation
from vocparty import main

from .contests import (
    AFTER,
    HEIGHT,
    ORDER,
    TRAINING,
    WIDTH,
    enter,
    join,
    make_release,
    pack,
    send,
    write,
)
from .contests import score_all as score_queued

PEOPLE = tuple(f"2012_{number:06}" for number in range(101, 113))
LAID_OUT = PEOPLE[:6]
ACTING = PEOPLE[6:]
ACTIONS = ("running", "walking")
HEAD = VocBox(12, 12, 30, 30)


def make_person(number: int, *, acts: bool) -> VocObject:
    parts = () if acts else (VocPart("head", HEAD), VocPart("foot", VocBox(20, 60, 40, 70)))
    done = tuple(VocAction(name, (number + place) % 2 == 0) for place, name in enumerate(ACTIONS))
    return VocObject(
        "person",
        VocBox(10, 10, 60 + number, 75),
        "Left",
        False,
        False,
        False,
        parts,
        done if acts else None,
        VocPoint(30, 40) if acts else None,
    )


def add_people(root: Path) -> None:
    """Images for Layout and for Action alone, in the test set."""
    for number, image_id in enumerate(PEOPLE):
        item = make_person(number, acts=image_id in ACTING)
        source = VocSource("The Test Database", "Test", "flickr")
        size = VocSize(WIDTH, HEIGHT, 3)
        image = VocImage(f"{image_id}.jpg", (item,), "VOC2012", source, size=size, segmented=False)
        write(root / f"Annotations/{image_id}.xml", format_annotation(image, STYLE_2012))
        picture = io.BytesIO()
        Image.new("RGB", (WIDTH, HEIGHT), (0, number, 0)).save(picture, "JPEG")
        write(root / f"JPEGImages/{image_id}.jpg", picture.getvalue())
    listed = format_labels((image_id, 1) for image_id in LAID_OUT)
    write(root / "ImageSets/Layout/test.txt", listed)
    write(root / "ImageSets/Action/test.txt", format_images(ACTING))
    for place, name in enumerate(ACTIONS):
        labels = [
            (image_id, 1, 1 if (number + place) % 2 == 0 else -1)
            for number, image_id in enumerate(PEOPLE)
            if image_id in ACTING
        ]
        write(root / f"ImageSets/Action/{name}_test.txt", format_object_labels(labels))
        write(root / f"ImageSets/Action/{name}_train.txt", "")


def make_people_results(shift: int = 0) -> dict[str, bytes]:
    """Results of comp7, comp9 and comp11; layouts of later persons are moved by `shift`."""
    layouts = ""
    for number, image_id in enumerate(LAID_OUT):
        left = 12 + shift * number
        layouts += (
            f"<layout><image>{image_id}</image><object>1</object>"
            f"<confidence>0.{9 - number}</confidence><part><class>head</class><bndbox>"
            f"<xmin>{left}</xmin><ymin>12</ymin><xmax>{left + 18}</xmax><ymax>30</ymax>"
            "</bndbox></part></layout>\n"
        )
    files = {"Layout/comp7_layout_test.xml": f"<results>\n{layouts}</results>\n".encode()}
    for competition in ("comp9", "comp11"):
        for name in ACTIONS:
            rows = "".join(f"{image_id} 1 0.{at}\n" for at, image_id in enumerate(ACTING))
            files[f"Action/{competition}_action_test_{name}.txt"] = rows.encode()
    return files


@pytest.fixture(scope="module")
def people_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_release(tmp_path_factory.mktemp("people"))
    add_people(root)
    return root


@pytest.fixture(scope="module")
def people_template(people_release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("template") / "challenge"
    assert make_challenge(folder, people_release, ORDER, TRAINING) == COMPETITIONS
    return folder


@pytest.fixture
def contest(people_template: Path, tmp_path: Path, score_here: None) -> Iterator[Challenge]:
    """A challenge of all twelve competitions, without teams."""
    with open_challenge(Path(shutil.copytree(people_template, tmp_path / "challenge"))) as opened:
        yield opened


def load_results(challenge: Challenge, submission_id: int) -> Any:
    with challenge.catalogue.reading() as session:
        scoring = session.query(Scoring).filter_by(submission_id=submission_id).one()
        return (scoring.results or {})["parts"]["whole"]


@pytest.mark.parametrize("shift", [0, 6])
def test_people_are_scored_as_the_command_scores_them(
    contest: Challenge, people_release: Path, tmp_path: Path, shift: int
) -> None:
    files = make_people_results(shift)
    submission_id = enter(contest, join(contest), files)
    score_queued(contest)
    shown = load_results(contest, submission_id)
    archive = tmp_path / "results.tar.gz"
    archive.write_bytes(pack(files))
    words = ["evaluate", str(people_release), "--set", "test", "--results", str(archive), "--json"]
    tasks = json.loads(CliRunner().invoke(main, words).stdout)["tasks"]
    compared = []
    for task, competition in (("layout", "comp7"), ("action", "comp9"), ("action", "comp11")):
        for name, score in tasks[task][competition]["classes"].items():
            compared.append(name)
            expected = None if score["ap"] is None else round(100 * score["ap"], 1)
            assert shown[competition]["classes"][name][0] == expected, name
    assert compared == ["head", "hand", "foot", *ACTIONS, *ACTIONS]
    assert shown["comp7"]["classes"]["head"][0] == (100.0 if not shift else pytest.approx(20, 30))


def test_the_lists_of_a_verdict_have_boxes_and_points_alone(contest: Challenge) -> None:
    folder = contest.list_folder("1")
    root = find_root(folder)
    assert not list(root.rglob("*.xml"))
    assert not list((root / "ImageSets/Action").glob("*_test.txt"))
    given = open_truth(folder, "test").given_persons
    assert {image_id for image_id, _ in given} == set(PEOPLE)
    for (image_id, number), person in given.items():
        item = make_person(PEOPLE.index(image_id), acts=image_id in ACTING)
        assert number == 1
        assert (person.box, person.point) == (item.box, item.point)
    texts = [path.read_text() for path in root.rglob("*.csv")]
    assert not any(word in text for text in texts for word in ("head", *ACTIONS))


def test_a_wrong_row_and_a_wrong_part_are_told_by_file_and_line(contest: Challenge) -> None:
    files = make_people_results()
    rows = files["Action/comp9_action_test_walking.txt"] + f"{ACTING[0]} 2 0.5\n".encode()
    files["Action/comp9_action_test_walking.txt"] = rows
    layouts = files["Layout/comp7_layout_test.xml"].replace(b"head", b"nose", 1)
    files["Layout/comp7_layout_test.xml"] = layouts
    _, verdict = send(contest, join(contest), files)
    assert not verdict.is_good
    assert [(problem.file, problem.line) for problem in verdict.problems] == [
        ("Action/comp9_action_test_walking.txt", len(ACTING) + 1),
        ("Layout/comp7_layout_test.xml", 2),
    ]
    assert "expected head, hand or foot" in verdict.problems[1].message


def test_a_person_outside_of_the_list_and_one_of_the_truth_get_the_same_words(
    contest: Challenge,
) -> None:
    said = []
    for image_id in (LAID_OUT[0], "2012_999999"):  # known for its layout alone, and not at all
        files = make_people_results()
        row = f"{image_id} 1 0.5\n".encode()
        files["Action/comp9_action_test_walking.txt"] += row
        _, verdict = send(contest, join(contest, image_id), files)
        said.append([p.message.replace(image_id, "ID") for p in verdict.problems])
    assert said[0] == said[1] != []


def test_the_board_of_each_task_shows_its_published_entries(contest: Challenge) -> None:
    entrants = [join(contest, name) for name in ("ann", "ben")]
    for number, entrant in enumerate(entrants):
        submission_id = enter(contest, entrant, make_people_results(shift=6 * number))
        score_queued(contest)
        with contest.catalogue.writing() as session:
            assert submissions.get(session, entrant[0], submission_id).state is State.SCORED
            board.publish(session, entrant[0], submission_id, AFTER)
    with contest.catalogue.reading() as session:
        for competition, classes in (
            ("comp7", ["head", "hand", "foot"]),
            ("comp9", list(ACTIONS)),
            ("comp11", list(ACTIONS)),
        ):
            shown = board.load_board(session, contest, competition, AFTER)
            assert [row.team for row in shown.rows] == ["ann", "ben"], competition
            assert shown.classes == classes
            assert all(row.ranks for row in shown.rows)
        assert board.load_board(session, contest, "comp10", AFTER).rows == []


def test_a_public_part_has_people_too(
    people_release: Path, tmp_path: Path, score_here: None
) -> None:
    folder = tmp_path / "challenge"
    make_challenge(folder, people_release, replace(ORDER, public_share=0.5), TRAINING)
    with open_challenge(folder) as opened:
        submission_id = enter(opened, join(opened), make_people_results())
        score_queued(opened)
        with opened.catalogue.reading() as session:
            scoring = session.query(Scoring).filter_by(submission_id=submission_id).one()
            parts = (scoring.results or {})["parts"]
    assert parts["public"]["comp7"]["classes"]["head"][0] == 100.0
    assert parts["whole"]["comp7"]["classes"]["head"][0] == 100.0


def test_people_of_images_of_main_are_not_asked_about(people_release: Path, tmp_path: Path) -> None:
    root = Path(shutil.copytree(people_release.parent.parent, tmp_path / "release"))
    listed = root / "VOCdevkit/VOC2012/ImageSets/Main/test.txt"
    listed.write_text(listed.read_text() + f"{LAID_OUT[0]}\n")
    truth = open_truth(find_root(root), "test")
    assert choose_competitions(truth, ()) == (*COMPETITIONS[:6], *COMPETITIONS[8:])
    with pytest.raises(EvaluateError, match=f"1 persons in images .* such as {LAID_OUT[0]}"):
        choose_competitions(truth, ["comp7"])


def leave_out(people_release: Path, folder: Path, image_id: str) -> Path:
    """A copy of the release whose lists do not have this image."""
    root = Path(shutil.copytree(people_release, folder / "VOCdevkit/VOC2012"))
    for path in root.glob("ImageSets/*/*test.txt"):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if line.split()[0] != image_id))
    return root


@pytest.mark.parametrize("image_id", [LAID_OUT[0], ACTING[0]])
def test_a_corrected_release_asks_about_the_same_people_but_for_withdrawn_images(
    contest: Challenge, people_release: Path, tmp_path: Path, image_id: str
) -> None:
    submission_id = enter(contest, join(contest), make_people_results())
    score_queued(contest)
    root = leave_out(people_release, tmp_path, image_id)
    with pytest.raises(EvaluateError, match=f"such as person 1 of {image_id}"):
        editions.rescore(contest, "a person less", AFTER, root)
    manifest = {"year": 2012, "digest": "0" * 64, "withdrawn": [image_id], "images": []}
    (tmp_path / "release.json").write_text(json.dumps(manifest))
    number = editions.rescore(contest, "an image was withdrawn", AFTER, root)
    score_queued(contest)
    with contest.catalogue.reading() as session:
        scorings = session.query(Scoring).filter_by(submission_id=submission_id)
        states = {scoring.edition_id: scoring.state for scoring in scorings}
    assert states == {1: ScoringState.DONE, number: ScoringState.DONE}
