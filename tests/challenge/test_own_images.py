"""Own images of a method are compared with the test images by a file of hashes alone."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from catalog.refusals import InvalidError, NotFoundError
from challenge import board, methods, own_images
from challenge.folder import Challenge, open_challenge
from challenge.making import make_challenge
from challenge.own_images import TEST_IMAGES
from challenge.worker import score_next
from dedup.folder.kept_hashes import open_hashes_in
from tests.dedup.overlap.folders import OURS
from tests.dedup.photographs import jpeg, originals
from vocparty import main

from .contests import AFTER, IDS, OPEN, ORDER, SEGMENTED, TRAINING, enter, join, make_release

PICTURED = IDS[len(SEGMENTED) :]
COPIED = PICTURED[2]


@pytest.fixture(autouse=True)
def _compare_here(
    run_here: Callable[..., Any], score_here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_images, "run_limited", run_here)


@pytest.fixture(scope="module")
def pictured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A challenge whose test images are photographs of many things."""
    root = make_release(tmp_path_factory.mktemp("pictured"))
    for image_id, name in zip(PICTURED, OURS, strict=False):
        (root / f"JPEGImages/{image_id}.jpg").write_bytes(jpeg(originals()[name]))
    folder = tmp_path_factory.mktemp("made") / "challenge"
    make_challenge(folder, root, ORDER, TRAINING)
    return folder


@pytest.fixture
def contest(pictured: Path, tmp_path: Path) -> Iterator[Challenge]:
    with open_challenge(Path(shutil.copytree(pictured, tmp_path / "challenge"))) as opened:
        yield opened


@pytest.fixture(scope="module")
def hashes(pictured: Path, tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What `vocparty hashes` writes of a smaller copy of a test image and of two others."""
    folder = tmp_path_factory.mktemp("own")
    copied = originals()[OURS[PICTURED.index(COPIED)]]
    width, height = copied.size
    copied.resize((width * 3 // 4, height * 3 // 4)).save(folder / "copied.jpg", quality=70)
    for name in ("flower", "retina"):
        (folder / f"{name}.jpg").write_bytes(jpeg(originals()[name]))
    return write_hashes(folder)


def write_hashes(folder: Path) -> bytes:
    done = CliRunner().invoke(main, ["-q", "hashes", str(folder), "--workers", "1"])
    assert done.exit_code == 0, done.output
    return done.stdout.encode()


def load(challenge: Challenge, entrant: tuple[int, int]) -> Any:
    with challenge.catalogue.reading() as session:
        method = methods.get_method(session, *entrant)
        return own_images.load_own_images(challenge, method)


def test_a_copy_of_a_test_image_is_found_and_stands_next_to_the_entry(
    contest: Challenge, hashes: bytes
) -> None:
    entrant = join(contest)
    assert load(contest, entrant) is None
    assert own_images.receive(contest, *entrant, [hashes[:1000], hashes[1000:]], OPEN) == 3
    assert (load(contest, entrant).images, load(contest, entrant).overlaps) == (3, None)
    assert own_images.compare_next(contest)
    assert not own_images.compare_next(contest)
    known = load(contest, entrant)
    assert (known.overlaps, list(known.files)) == (1, [("copied.jpg", COPIED)])
    submission_id = enter(contest, entrant)
    assert score_next(contest, lambda: OPEN)
    with contest.catalogue.writing() as session:
        board.publish(session, entrant[0], submission_id, AFTER)
        (row,) = board.load_board(session, contest, "comp3", AFTER).rows
    assert "Own images that look like test images: 1 of 3." in row.notes
    assert not any("copied" in note or COPIED in note for note in row.notes)


def test_another_file_takes_the_place_of_the_first(
    contest: Challenge, hashes: bytes, tmp_path: Path
) -> None:
    entrant = join(contest)
    own_images.receive(contest, *entrant, [hashes], OPEN)
    own_images.compare_next(contest)
    (tmp_path / "alone").mkdir()
    (tmp_path / "alone/own.jpg").write_bytes(jpeg(originals()["flower"]))
    own_images.receive(contest, *entrant, [write_hashes(tmp_path / "alone")], OPEN)
    assert load(contest, entrant).overlaps is None
    assert own_images.compare_next(contest)
    assert load(contest, entrant).overlaps == 0
    with contest.catalogue.reading() as session:
        method = methods.get_method(session, *entrant)
        words = board.describe_own_images(method)
    assert words == ["Own images that look like test images: 0 of 1."]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: b"", "is no file of hashes"),
        (lambda data: b"\x89PNG\r\n" + data, "is not plain text of"),
        (lambda data: data[: len(data) // 2], "ends in the middle"),
        (lambda data: data.replace(b"hashes 4", b"hashes 3"), "is of version 3"),
        (lambda data: data.replace(b"image\t", b"image\tx\t", 1), "line 3: expected 8 fields"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence_and_leaves_what_was(
    contest: Challenge, hashes: bytes, change: Callable[[bytes], bytes], said: str
) -> None:
    entrant = join(contest)
    own_images.receive(contest, *entrant, [hashes], OPEN)
    own_images.compare_next(contest)
    before = load(contest, entrant)
    with pytest.raises(InvalidError) as caught:
        own_images.receive(contest, *entrant, [change(hashes)], OPEN)
    words = str(caught.value)
    assert said in words
    assert words.startswith("The file of hashes")
    assert "\n" not in words
    assert load(contest, entrant) == before
    assert not list((contest.folder / "own-images").glob("*.part"))


def test_a_method_of_another_team_takes_no_file(contest: Challenge, hashes: bytes) -> None:
    _, method_id = join(contest)
    other, _ = join(contest, "ben")
    with pytest.raises(NotFoundError):
        own_images.receive(contest, other, method_id, [hashes], OPEN)


def test_an_image_that_was_withdrawn_is_compared_with_nothing(
    contest: Challenge, hashes: bytes
) -> None:
    for path in contest.list_folder("1").rglob("ImageSets/*/test.txt"):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if COPIED not in line))
    entrant = join(contest)
    own_images.receive(contest, *entrant, [hashes], OPEN)
    own_images.compare_next(contest)
    assert load(contest, entrant).overlaps == 0


def test_a_file_that_is_gone_is_told_and_not_tried_for_ever(
    contest: Challenge, hashes: bytes
) -> None:
    entrant = join(contest)
    own_images.receive(contest, *entrant, [hashes], OPEN)
    own_images.forget(contest, [entrant[1]])
    assert own_images.compare_next(contest)
    assert "is gone from this server; send it again" in load(contest, entrant).fault
    assert not own_images.compare_next(contest)


def test_a_file_that_no_row_names_counts_for_nothing(contest: Challenge, hashes: bytes) -> None:
    """As after kill -9 between the move of a new file and the end of its transaction."""
    entrant = join(contest)
    own_images.receive(contest, *entrant, [hashes], OPEN)
    (place,) = (contest.folder / "own-images").iterdir()
    place.write_bytes(hashes.replace(b"copied.jpg", b"other.jpg"))
    assert own_images.compare_next(contest)
    assert load(contest, entrant).overlaps is None
    assert "send it again" in load(contest, entrant).fault


def test_an_erased_team_leaves_no_name_of_its_pictures(contest: Challenge, hashes: bytes) -> None:
    entrant = join(contest)
    own_images.receive(contest, *entrant, [hashes], OPEN)
    own_images.compare_next(contest)
    words = ["challenge", "team", "erase", "ann", "--challenge", str(contest.folder)]
    assert CliRunner().invoke(main, words).exit_code == 0
    assert list(load(contest, entrant).files) == []
    assert not list((contest.folder / "own-images").iterdir())


def test_what_broke_off_is_swept_after_a_day(contest: Challenge) -> None:
    part = contest.folder / "own-images" / "1-x.part"
    part.write_bytes(b"vocparty-hashes 4\n")
    own_images.sweep(contest, AFTER.replace(year=2020))
    assert part.exists()
    own_images.sweep(contest, AFTER.replace(year=2100))
    assert not part.exists()


def test_the_hashes_of_the_test_images_are_private_and_of_these_alone(contest: Challenge) -> None:
    place = contest.folder / TEST_IMAGES
    assert place.stat().st_mode & 0o077 == 0
    with open_hashes_in(place) as kept:
        assert sorted(kept.list_files()) == [f"{image_id}.jpg" for image_id in IDS]
