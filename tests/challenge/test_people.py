"""People as a method on the board: figures on their own images, and no entry beside them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from challenge import board, editions, people
from challenge.folder import Challenge, open_challenge
from challenge.making import make_challenge
from challenge.pages.board_files import format_json
from challenge.values import People
from vockit.evaluate.people import find_people
from vockit.evaluate.people_comparison import compare_people
from vockit.evaluate.truth import Truth, open_truth
from vocparty import main

from .contests import (
    AFTER,
    CLASSES,
    IDS,
    LATER,
    OPEN,
    ORDER,
    TRAINING,
    make_box,
    make_release,
    shows,
    write,
)

HAD = IDS[2:8]
"""The images that people had a second time."""


def add_people(root: Path) -> None:
    """What two people drew on some images: each object, but for one box that is elsewhere."""
    folder = root.parent / "results/people"
    numbers = {image_id: 1 + place % 2 for place, image_id in enumerate(HAD)}
    about = {
        "format": 1,
        "tree": root.name,
        "discarded": 0,
        "sets": {"test": {"images": numbers, "masks": {}}},
    }
    write(folder / "people.json", json.dumps(about))
    for word in CLASSES:
        rated = detected = ""
        for number, image_id in enumerate(IDS):
            if image_id not in HAD:
                continue
            rated += f"{image_id} {1 if shows(number, word) else 0}\n"
            if shows(number, word):
                box = make_box(number + (60 if image_id == HAD[0] else 0))
                detected += f"{image_id} 1 {box.xmin} {box.ymin} {box.xmax} {box.ymax}\n"
        write(folder / f"Main/comp2_cls_test_{word}.txt", rated)
        write(folder / f"Main/comp4_det_test_{word}.txt", detected)


@pytest.fixture(scope="module")
def people_release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = make_release(tmp_path_factory.mktemp("people"))
    add_people(root)
    return root


@pytest.fixture
def contest(people_release: Path, tmp_path: Path) -> Iterator[Challenge]:
    make_challenge(tmp_path / "challenge", people_release, ORDER, TRAINING)
    with open_challenge(tmp_path / "challenge") as opened:
        yield opened


def open_sealed(challenge: Challenge) -> tuple[Truth, Any]:
    truth = open_truth(challenge.truth_folder("1"), "test")
    return truth, find_people(truth)


def load(challenge: Challenge, competition: str, now: Any = AFTER) -> People | None:
    with challenge.catalogue.reading() as session:
        return board.load_board(session, challenge, competition, now).people


def test_people_are_shown_as_evaluate_shows_them(contest: Challenge, people_release: Path) -> None:
    words = ["evaluate", str(people_release), "--set", "test", "--json"]
    said = json.loads(CliRunner().invoke(main, words).stdout)["people"]
    tasks = {"comp2": "classification", "comp3": "detection", "comp4": "detection"}
    for competition, task in tasks.items():
        people = load(contest, competition)
        assert people is not None
        assert (people.images, people.people) == (len(HAD), 2)
        assert people.rows[0].name == ""
        expected = said["tasks"][task]["people"]
        for row in people.rows:
            figures = expected[row.name or "all"]
            for name in ("precision", "recall", "ap"):
                shown = getattr(row, name).score
                assert shown == round(100 * figures[name][0], 1), (competition, row.name)


def test_no_phase_shows_people_before_scores(contest: Challenge) -> None:
    assert load(contest, "comp3", OPEN) is None
    assert load(contest, "comp3") is not None
    assert load(contest, "comp5") is None


def test_with_a_public_part_people_wait_for_the_end(people_release: Path, tmp_path: Path) -> None:
    order = replace(ORDER, public_share=0.5)
    make_challenge(tmp_path / "challenge", people_release, order, TRAINING)
    with open_challenge(tmp_path / "challenge") as opened:
        assert load(opened, "comp3", OPEN) is None
        assert load(opened, "comp3", LATER) is None
        assert load(opened, "comp3", AFTER) is not None


def test_the_file_of_the_board_has_people_without_any_image(contest: Challenge) -> None:
    with contest.catalogue.reading() as session:
        text = format_json(board.load_board(session, contest, "comp3", AFTER))
    document = json.loads(text)
    assert document["people"]["images"] == len(HAD)
    assert set(document["people"]["classes"]) == {"all", *CLASSES}
    assert "2012_" not in text


def test_a_corrected_truth_has_people_of_its_own(contest: Challenge, people_release: Path) -> None:
    folder = contest.folder.parent / "corrected"
    root = Path(shutil.copytree(people_release.parent.parent, folder)) / "VOCdevkit/VOC2012"
    shutil.rmtree(root.parent / "results")
    editions.rescore(contest, "without people", AFTER, root)
    assert load(contest, "comp3") is None


def test_another_evaluator_measures_people_again_and_keeps_what_was(
    contest: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = load(contest, "comp3")
    assert before is not None
    newer = replace(compare_people(*open_sealed(contest), {}), people=7)
    monkeypatch.setattr(people, "compare_people", lambda *_: newer)
    monkeypatch.setattr(editions, "name_evaluator", lambda: "vockit 9.0")
    assert editions.rescore_for_evaluator(contest, AFTER) == 2
    after = load(contest, "comp3")
    assert after is not None
    assert (before.people, after.people) == (2, 7)
    with contest.catalogue.reading() as session:
        assert board.load_board(session, contest, "comp3", AFTER, edition=1).people == before


def test_people_whom_another_evaluator_refuses_do_not_keep_it_from_scoring(
    contest: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in contest.truth_folder("1").rglob("people.json"):
        path.write_text("{}")
    monkeypatch.setattr(editions, "name_evaluator", lambda: "vockit 9.0")
    assert editions.rescore_for_evaluator(contest, AFTER) == 2
    assert load(contest, "comp3") is None


def test_a_release_without_people_says_nothing_of_them(challenge: Challenge) -> None:
    assert load(challenge, "comp3") is None
