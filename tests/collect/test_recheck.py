"""Photos that Flickr no longer offers are withdrawn, but faults of Flickr withdraw none."""

import csv
import signal
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import TimeoutExpired

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.licences import Licence, get_licences
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Photo
from collect import recheck
from collect.errors import KeyRefusedError, SourceUnavailableError
from collect.flickr import parse_info
from simulate.flickr.faults import Faults, Host, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.server import StandIn
from simulate.flickr.table import FILE_NAME, write_table
from tests.rows import make_image
from tests.warm import Warm
from vocparty import main

from .flickrs import Holding, at_flickr, leading_to, make_pictures
from .rows import NOON, TestClock

COUNT = 12


@contextmanager
def flickr_after(folder: Path, changes: dict[int, dict[str, str]]) -> Iterator[StandIn]:
    """Flickr after owners changed some photos, which are given by their number in the folder."""
    with (folder / FILE_NAME).open(newline="") as file:
        rows = list(csv.DictReader(file))
    for number, change in changes.items():
        rows[number].update(change)
    write_table(folder, rows)
    with StandIn(read_library(folder)) as flickr:
        yield flickr


def keep_all(party: Party, folder: Path) -> list[int]:
    """Store the rows of all photos of the folder, as a collection does; return their ids."""
    licence = get_licences(["4"])["4"]
    terms = {"licence_id": licence.id, "licence_name": licence.name, "licence_url": licence.url}
    known = {"source": Source.FLICKR, "state": PhotoState.FETCHED, "found_at": NOON}
    with party.catalogue.writing() as session:
        photos = []
        for number, photo in enumerate(read_library(folder).photos):
            image = make_image(f"{number:064}", NOON, width=320, height=240, state=ImageState.POOL)
            photos.append(Photo(source_id=str(photo.id), image=image, **known, **terms))
        session.add_all(photos)
    return [photo.id for photo in photos]


def load(party: Party) -> list[Photo]:
    with party.catalogue.reading() as session:
        photos = list(session.scalars(select(Photo).order_by(Photo.id)))
        for photo in photos:
            assert photo.image is not None
        return photos


def by_file(folder: Path, photos: list[Photo]) -> dict[str, Photo]:
    names = {str(photo.id): photo.file.path.name for photo in read_library(folder).photos}
    return {names[photo.source_id]: photo for photo in photos}


def test_deleted_photos_are_withdrawn_and_licences_noted(any_party: Party, tmp_path: Path) -> None:
    count = 42  # of which four are fewer than a tenth
    folder = make_pictures(tmp_path / "pictures", count, size_wh=(32, 24))
    keep_all(any_party, folder)
    gone = {1: {"state": "deleted"}, 2: {"state": "private"}}
    changes = gone | {3: {"licence": "0"}, 4: {"licence": "5"}}
    asked: list[int] = []
    with flickr_after(folder, changes) as flickr:
        party = at_flickr(any_party, flickr)
        assert recheck.count_due(party, NOON) == count
        counts = recheck.recheck_photos(party, on_asked=asked.append, clock=TestClock().clock)
    expected = {"asked": count, "gone": 2, "refused": 1, "relicensed": 1, "images_taken_down": 3}
    assert +counts == expected
    assert sum(asked) == count
    photos = by_file(folder, load(any_party))
    assert (photos["0001.jpg"].reason or "").startswith("gone: deleted or made private")
    assert photos["0003.jpg"].reason == "licence: changed to All Rights Reserved"
    for number in (1, 2, 3):
        photo = photos[f"{number:04}.jpg"]
        assert photo.state is PhotoState.WITHDRAWN
        assert photo.image is not None
        assert photo.image.state is ImageState.TAKEN_DOWN
    noted = photos["0004.jpg"]
    assert noted.state is PhotoState.FETCHED
    assert (noted.licence_id, noted.licence_name) == ("5", "CC BY-SA 2.0")
    assert noted.licence_url == "https://creativecommons.org/licenses/by-sa/2.0/"
    assert photos["0000.jpg"].licence_id == "4"


def test_a_photo_is_not_rechecked_before_it_is_due(any_party: Party, tmp_path: Path) -> None:
    folder = make_pictures(tmp_path / "pictures", COUNT)
    clock = TestClock()
    keep_all(any_party, folder)
    with flickr_after(folder, {1: {"state": "deleted"}}) as flickr:
        party = at_flickr(any_party, flickr)
        recheck.recheck_photos(party, clock=clock.clock)
        assert recheck.recheck_photos(party, clock=clock.clock) == Counter()
        clock.moment += timedelta(days=party.settings.collect.recheck_days, seconds=1)
        again = recheck.recheck_photos(party, clock=clock.clock)
    assert +again == Counter(asked=COUNT - 1)


def test_a_killed_recheck_resumes_with_the_same_command(tmp_path: Path) -> None:
    count = 250
    answered = recheck.BATCH_PHOTOS + 30
    folder = make_pictures(tmp_path / "pictures", count, size_wh=(32, 24))
    last = int(read_library(folder).photos[count - 1].file.path.stem)
    with flickr_after(folder, {last: {"state": "deleted"}}) as flickr:
        flickr.faults = holding = Holding(host=Host.API, answered=answered)
        make_party(tmp_path / "party", name="P", preset="voc2012", values=leading_to(flickr))
        with open_party(tmp_path / "party") as party:
            keep_all(party, folder)
            words = ["collect", "--recheck", "--party", str(party.folder)]
            process = Warm(words, {"NO_PROXY": "127.0.0.1,localhost"})
            while flickr.requests.total() < answered:  # in the middle of the second batch
                assert process.poll() is None
                with suppress(TimeoutExpired):
                    process.wait(0.01)
            process.send_signal(signal.SIGKILL)
            process.communicate()
            holding.release.set()
            left = recheck.count_due(party, datetime.now(UTC))
            again = Warm(words, {"NO_PROXY": "127.0.0.1,localhost"})
            out, err = again.communicate(timeout=240)
            assert again.returncode == 0, err
            assert left == count - recheck.BATCH_PHOTOS
            assert out.startswith(f"Checked {left}; withdrawn 1 gone,")
            assert recheck.count_due(party, datetime.now(UTC)) == 0


@pytest.mark.parametrize(
    "rule", ["api:500=0.5", "api:429@1=0.5", "api:html=0.5", "api:fail@105=0.5"]
)
def test_errors_of_flickr_withdraw_no_photo(party: Party, tmp_path: Path, rule: str) -> None:
    folder = make_pictures(tmp_path / "pictures", COUNT)
    keep_all(party, folder)
    faults = Faults((parse_rule(rule),), seed=3)
    with StandIn(read_library(folder), faults=faults) as flickr:
        counts = recheck.recheck_photos(at_flickr(party, flickr), clock=TestClock().clock)
    assert +counts == Counter(asked=COUNT)
    assert {photo.state for photo in load(party)} == {PhotoState.FETCHED}


def test_an_unknown_licence_changes_nothing(party: Party, tmp_path: Path) -> None:
    (photo_id,) = keep_all(party, make_pictures(tmp_path / "pictures", 1))
    photos = recheck.load_batch(party, [photo_id])
    strange = {photos[0].source_id: Licence("77", "licence 77", "")}
    licences = get_licences(["4"])
    counts = recheck.settle_batch(party, photos, strange, licences, TestClock().clock)
    assert +counts == Counter(asked=1, unknown_licence=1)
    assert load(party)[0].licence_id == "4"
    assert "unknown licences 1" in recheck.format_recheck(counts)


@pytest.mark.parametrize(
    ("body", "licence_id"),
    [
        (b'{"photo": {"id": "1", "license": "4"}, "stat": "ok"}', "4"),
        (b'{"photo": {"id": "1", "license": 11}, "stat": "ok"}', "11"),
        (b'{"stat": "fail", "code": 1, "message": "Photo not found"}', None),
        (b'{"stat": "fail", "code": "1", "message": "Photo not found"}', None),
    ],
)
def test_an_answer_gives_a_licence_or_no_photo(body: bytes, licence_id: str | None) -> None:
    assert parse_info("1", body) == licence_id


@pytest.mark.parametrize(
    ("body", "error"),
    [
        (b"<html>", SourceUnavailableError),
        (b"[]", SourceUnavailableError),
        (b'{"stat": "ok"}', SourceUnavailableError),
        (b'{"stat": "ok", "photo": {}}', SourceUnavailableError),
        (b'{"stat": "fail", "code": 105}', SourceUnavailableError),
        (b'{"stat": "fail", "code": 100}', KeyRefusedError),
    ],
)
def test_other_answers_never_mean_a_photo_is_gone(body: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        parse_info("1", body)


def test_the_command_names_gone_photos(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collect.cli.show_log", lambda _level: None)
    folder = make_pictures(tmp_path / "pictures", COUNT)
    with flickr_after(folder, {1: {"state": "deleted"}}) as flickr:
        make_party(tmp_path / "party", name="P", preset="voc2012", values=leading_to(flickr))
        with open_party(tmp_path / "party") as party:
            keep_all(party, folder)
        words = ["collect", "--party", str(tmp_path / "party"), "--recheck"]
        done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "Checked 12; withdrawn 1 gone, 0 because of their licence; "
        "0 with another licence kept. Images taken down: 1.\n"
    )
    both = CliRunner().invoke(main, [*words, "--plan"])
    assert both.exit_code == 2


def test_photos_that_waited_longest_are_rechecked_first(any_party: Party, tmp_path: Path) -> None:
    ids = keep_all(any_party, make_pictures(tmp_path / "pictures", COUNT))
    with any_party.catalogue.writing() as session:
        for age_days, photo_id in enumerate(ids[2:]):
            session.get_one(Photo, photo_id).checked_at = NOON - timedelta(days=8 + age_days)
    due = recheck.load_due_ids(any_party, NOON, Source.FLICKR)
    assert due == [*ids[:2], *reversed(ids[2:])]  # never asked for: first
