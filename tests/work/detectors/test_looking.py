"""Looking through waiting images: which, what of it is kept, and what a person sees first."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from catalog.errors import StoreOwnerError
from catalog.party import Party
from catalog.states import ImageState, SuggestionKind, Taster
from catalog.tables import Image
from tests.party_rows import HEIGHT, WIDTH, fill
from tests.suggesting import NOON, find_nothing, suggest
from work.detectors.job import Looked, LookJob
from work.detectors.kinds import Detections
from work.detectors.looking import Look, WaitingImage, choose_shown, list_waiting
from work.detectors.preparation import Pixels
from work.suggest.values import Advance

CLASSES = ("kitty", "hound")


@dataclass
class Oracle:
    """Finds these edges in each picture, with label and confidence, and counts its pictures."""

    answers: list[tuple[tuple[float, float, float, float], int, float]]
    classes: tuple[str, ...] = CLASSES
    pictures: int = 0

    def find(self, pixels: Pixels, min_confidence: float) -> Detections:
        assert pixels.shape == (HEIGHT, WIDTH, 3)
        self.pictures += 1
        rows = [row for row in self.answers if row[2] >= min_confidence]
        return Detections(
            np.array([row[0] for row in rows], np.float64).reshape(-1, 4),
            np.array([row[2] for row in rows], np.float64),
            np.array([row[1] for row in rows], np.int64),
        )


@contextmanager
def _unwatched(_label: str, _total: int, _unit: str) -> Iterator[Advance]:
    yield lambda _count: None


def _run(party: Party, oracle: Oracle, folder: Path, *, answer: bool = True) -> Looked | None:
    with party.catalogue.reading() as session:
        waiting = list_waiting(session, "a" * 64, 0.5)
    job = LookJob(
        store=party.store,
        look=Look(oracle, 0.25),
        title="kitty finder",
        folder=folder,
        watch=_unwatched,
        confirm=lambda _page, _looked: answer,
    )
    return job.run(waiting)


def test_what_is_found_is_named_by_the_image_and_the_models_word(
    party: Party, tmp_path: Path
) -> None:
    (image_id,) = fill(party, [()], state=ImageState.POOL)
    oracle = Oracle([((0.0, 1.5, 10.4, 9.6), 1, 0.9), ((1.0, 1.0, 9.0, 9.0), 0, 0.2)])
    looked = _run(party, oracle, tmp_path / "look")
    assert looked is not None
    assert looked.rows == [(image_id, "hound", (0.0, 1.5, 10.4, 9.6), 0.9, None)]


def test_only_waiting_images_that_the_model_has_not_seen_are_looked_at(
    party: Party,
) -> None:
    waiting_id, has_some_id, others_id, was_withdrawn_id, checked_id, taster_id, *blank_ids = fill(
        party, [()] * 8, state=ImageState.POOL
    )
    blank_id, blank_of_more_sure_id = blank_ids
    suggest(party, has_some_id, sha256="a" * 64)
    suggest(party, others_id, sha256="b" * 64)
    suggest(party, was_withdrawn_id, sha256="a" * 64, withdrawn_at=NOON)
    find_nothing(party, blank_id, sha256="a" * 64, kind=SuggestionKind.MODEL, min_confidence=0.5)
    find_nothing(
        party, blank_of_more_sure_id, sha256="a" * 64, kind=SuggestionKind.MODEL, min_confidence=0.6
    )
    with party.catalogue.writing() as session:
        session.get_one(Image, checked_id).state = ImageState.CHECKED
        session.get_one(Image, taster_id).taster = Taster.ACTION
    with party.catalogue.reading() as session:
        ids = [image.image_id for image in list_waiting(session, "a" * 64, 0.5)]
    assert ids == [waiting_id, others_id, was_withdrawn_id, blank_of_more_sure_id]


def test_twelve_pictures_are_shown_before_the_others_are_looked_at(
    party: Party, tmp_path: Path
) -> None:
    fill(party, [()] * 15, state=ImageState.POOL)
    oracle = Oracle([((1, 1, 20, 20), 0, 0.9)])
    assert _run(party, oracle, tmp_path / "look", answer=False) is None
    assert oracle.pictures == 12
    page = (tmp_path / "look" / "index.html").read_text("utf-8")
    assert page.count('"label":"kitty 0.90"') == 1  # the mark is the same in all
    assert page.count('"marks":[0]') == 12
    assert len(list((tmp_path / "look").glob("*.jpg"))) == 12
    looked = _run(party, oracle, tmp_path / "look")
    assert looked is not None
    assert (len(looked.image_ids), len(looked.rows), oracle.pictures) == (15, 15, 12 + 15)


def test_the_pictures_shown_are_spread_over_all() -> None:
    waiting = [WaitingImage(number, "", (1, 1)) for number in range(100)]
    shown = [image.image_id for image in choose_shown(waiting)]
    assert shown == [0, 9, 18, 27, 36, 45, 54, 63, 72, 81, 90, 99]
    assert choose_shown(waiting[:3]) == waiting[:3]
    assert choose_shown([]) == []


def test_an_image_without_its_file_is_counted_and_the_others_go_on(
    party: Party, tmp_path: Path
) -> None:
    fill(party, [(), (), ()], state=ImageState.POOL)
    with party.catalogue.reading() as session:
        lost, damaged, _ = list_waiting(session, "a" * 64, 0.5)
    for path in (party.folder / "images").rglob(lost.sha256):
        path.unlink()
    for path in (party.folder / "images").rglob(damaged.sha256):
        path.chmod(0o600)
        path.write_bytes(b"something else")
    looked = _run(party, Oracle([((1, 1, 20, 20), 0, 0.9)]), tmp_path / "look")
    assert looked is not None
    assert len(looked.image_ids) == 1
    assert looked.unread == {"the image store has no file": 1, "the file is damaged": 1}


def test_an_image_store_that_is_not_there_ends_the_look(party: Party, tmp_path: Path) -> None:
    fill(party, [(), ()], state=ImageState.POOL)
    (party.folder / "images").rename(party.folder / "elsewhere")
    with pytest.raises(StoreOwnerError):
        _run(party, Oracle([]), tmp_path / "look")
