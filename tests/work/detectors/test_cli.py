"""`vocparty suggest run`, `train` and `carry` as an organiser calls them."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image as Picture
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState, SuggestionKind
from catalog.tables import Image, Suggestion, SuggestionSet
from tests.party_rows import NOW, Drawn, add_people, add_revision
from tests.rows import load_rows, make_image
from vockit.errors import UserError
from vocparty import main
from work.detectors import learning, trained
from work.detectors.kinds import Detections
from work.detectors.preparation import Pixels

from .drawn import SIDE_PX, draw_figure, draw_wheel
from .models import make_model, write_model


def _add(party: Party, pixels: Pixels, state: ImageState = ImageState.POOL) -> int:
    """The id of a new image with these pixels."""
    target = io.BytesIO()
    Picture.fromarray(pixels).save(target, "JPEG", quality=95)
    height, width = pixels.shape[:2]
    with party.catalogue.writing() as session:
        image = make_image(
            party.store.put(target.getvalue()), NOW, width=width, height=height, state=state
        )
        session.add(image)
        session.flush()
        return image.id


def _run(party: Party, *words: str | Path, answer: str | None = None) -> Result:
    given = ["suggest", *map(str, words), "--party", str(party.folder)]
    return CliRunner().invoke(main, given, input=answer)


def _load_boxes(party: Party) -> list[tuple[int, str]]:
    rows = load_rows(party, select(Suggestion).order_by(Suggestion.id))
    return [(row.image_id, row.class_id) for row in rows]


def test_people_are_suggested_once_the_pictures_were_seen(party: Party, tmp_path: Path) -> None:
    image_id = _add(party, draw_figure())
    look = tmp_path / "look"
    asked = _run(party, "run", "--kind", "people", "--min-confidence", "0.9", "--look", look)
    assert asked.exit_code == 0
    assert "Found 1 box in the first 1 image. Look at" in asked.output
    assert "Nothing was stored" in asked.output
    assert (look / "index.html").is_file()
    assert _load_boxes(party) == []
    stored = _run(
        party, "run", "--kind", "people", "--min-confidence", "0.9", "--look", look, "--yes"
    )
    assert stored.exit_code == 0, stored.output
    assert "1 suggestion for 1 photograph" in stored.output
    assert _load_boxes(party) == [(image_id, "person")]
    again = _run(party, "run", "--kind", "people", "--yes")
    assert again.exit_code == 1
    assert "No image waits that OpenCV people detector has not looked at." in again.output


def test_a_model_of_ones_own_suggests_under_the_partys_names(party: Party, tmp_path: Path) -> None:
    image_id = _add(party, draw_figure())
    table = np.zeros((1, 30, 6), np.float32)
    table[0, 0] = [32, 16, 64, 48, 0.9, 1]
    table[0, 1] = [1, 1, 20, 20, 0.8, 0]
    table[0, 2] = [1, 1, 20, 20, 0.7, 2]
    model = write_model(tmp_path / "finder.onnx", make_model({"found": table}))
    (tmp_path / "classes.txt").write_text("lamp\nkitty\n\ndog\n")
    done = _run(
        party,
        "run",
        model,
        "--classes",
        tmp_path / "classes.txt",
        "--map",
        "kitty=cat",
        "--look",
        tmp_path / "look",
        "--yes",
    )
    assert done.exit_code == 0, done.output
    assert "a class that the party does not have (lamp 1, without a name 1)" in done.output
    assert _load_boxes(party) == [(image_id, "cat")]
    [of_model] = load_rows(party, select(SuggestionSet))
    assert (of_model.model, of_model.kind) == ("finder", SuggestionKind.MODEL)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--kind", "people", "--map", "person=unicorn"), "has no class unicorn, to which --map"),
        (("--kind", "people", "--model", "x" * 201), "The model must have 1 to 200 characters"),
        (("--kind", "people", "--licence", " "), "The licence must have 1 to 200 characters"),
        (("--kind", "people", "--version", "1\n2"), "The version must be one line of printable"),
        ((), "Name a model, or OpenCV's people detector alone"),
        (("m.onnx", "--kind", "people"), "Name a model, or OpenCV's people detector alone"),
        (("m.onnx",), "--classes is missing"),
        (("m.onnx", "--classes", "none.txt"), "none.txt cannot be read: No such file"),
    ],
)
def test_a_call_without_what_it_needs_is_told(
    party: Party, words: tuple[str, ...], sentence: str
) -> None:
    done = _run(party, "run", *words)
    assert done.exit_code == 2
    assert sentence in done.output


def test_the_partys_own_detector_takes_the_place_of_the_one_before(
    party: Party, tmp_path: Path
) -> None:
    too_few = _run(party, "train", "--yes")
    assert too_few.exit_code == 1
    assert "No class has 10 checked objects" in too_few.output
    with party.catalogue.writing() as session:
        add_people(session)
    for seed in range(12):
        _add_checked_wheel(party, seed)
    waiting_id = _add(party, draw_wheel(100)[0])
    for seed in (12, 13):
        _add_checked_wheel(party, seed)
        done = _run(party, "train", "--look", tmp_path / "look", "--yes")
        assert done.exit_code == 0, done.output
    first, second = load_rows(party, select(SuggestionSet).order_by(SuggestionSet.id))
    assert (first.kind, second.kind) == (SuggestionKind.PARTY, SuggestionKind.PARTY)
    assert (first.is_shown, second.is_shown) == (False, True)
    assert second.version == "of 14 checked images"
    assert set(_load_boxes(party)) == {(waiting_id, "bicycle")}


def _add_checked_wheel(party: Party, seed: int) -> None:
    pixels, (left, top) = draw_wheel(seed)
    image_id = _add(party, pixels, ImageState.CHECKED)
    wheel = Drawn("bicycle", (left + 1, top + 1, left + SIDE_PX, top + SIDE_PX))
    with party.catalogue.writing() as session:
        add_revision(session, session.get_one(Image, image_id), [wheel], person_id=1)


class _Corner:
    """Finds one object in the corner of each picture; learned from what `weights` says."""

    classes = ("bicycle",)

    def __init__(self, weights: bytes) -> None:
        self._weights = weights

    def pack(self) -> bytes:
        return self._weights

    def find(self, _pixels: Pixels, _min_confidence: float) -> Detections:
        return Detections(np.array([[0.0, 0, 60, 60]]), np.array([0.9]), np.zeros(1, np.int64))


@pytest.fixture
def lessons(monkeypatch: pytest.MonkeyPatch) -> list[bytes | UserError]:
    """What the party's detector learns each time it is trained; Ctrl-C comes after the last."""
    given = list[bytes | UserError]()

    def learn(*_: object) -> _Corner:
        lesson = given.pop(0)
        if isinstance(lesson, UserError):
            raise lesson
        return _Corner(lesson)

    def wait(*_: object) -> None:
        if not given:
            raise KeyboardInterrupt

    monkeypatch.setattr(trained, "train", learn)
    monkeypatch.setattr(learning, "wait_for_more", wait)
    return given


def test_a_detector_that_learned_nothing_new_switches_nothing_off(
    party: Party, lessons: list[bytes | UserError]
) -> None:
    lessons += [b"same", b"same"]
    for seed in range(2):
        _add(party, draw_wheel(seed)[0])
        assert _run(party, "train", "--yes").exit_code == 0
    assert [row.is_shown for row in load_rows(party, select(SuggestionSet))] == [True, True]
    assert len(_load_boxes(party)) == 2


def test_what_keeps_a_later_training_from_its_work_is_told_and_it_goes_on(
    party: Party, lessons: list[bytes | UserError]
) -> None:
    _add(party, draw_figure())
    lessons += [b"first", UserError("Today nothing is learned."), b"third"]
    done = _run(party, "train", "--keep-up", "--yes")
    assert "Today nothing is learned." in done.output
    shown = [row.is_shown for row in load_rows(party, select(SuggestionSet))]
    assert shown == [False, True]
    assert done.output.count("Waiting until another tenth is checked") == 3


def test_keeping_up_ends_where_nobody_found_the_first_boxes_right(
    party: Party, lessons: list[bytes | UserError]
) -> None:
    _add(party, draw_figure())
    lessons += [b"first", b"second"]
    done = _run(party, "train", "--keep-up")
    assert done.exit_code == 0
    assert "Nothing was stored." in done.output
    assert (_load_boxes(party), lessons) == ([], [b"second"])
