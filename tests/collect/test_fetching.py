"""Decoding elsewhere: the same answers, and a file that kills its process costs only itself."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import forkserver

import pytest

from catalog.settings import CollectSettings
from collect.errors import PhotoBrokenError, Reason
from collect.fetching import Decoders
from collect.picture import PictureLimits, read_picture
from tests.warm import _read_parents

from .pictures import jpeg_bytes, png_bytes

SETTINGS = CollectSettings(workers=2)
LIMITS = PictureLimits(SETTINGS.longest_side_px, SETTINGS.min_side_px, SETTINGS.max_pixels)
JPEG = jpeg_bytes(400, 300)
HUGE = jpeg_bytes(7200, 5500)  # takes half a second


@pytest.fixture
def decoders() -> Iterator[Decoders]:
    made = Decoders(SETTINGS)
    yield made
    made.close()


def find_process_ids() -> set[int]:
    """The processes that decode: those that the one which forks them has started."""
    parent = forkserver._forkserver._forkserver_pid  # type: ignore[attr-defined]
    return {process_id for process_id, its_parent in _read_parents() if its_parent == parent}


def test_a_picture_comes_back_as_if_it_were_decoded_here(decoders: Decoders) -> None:
    for data in (JPEG, jpeg_bytes(900, 600), jpeg_bytes(300, 400, turned_by=6)):
        assert decoders.read(data) == read_picture(data, LIMITS)
    with pytest.raises(PhotoBrokenError, match="PNG") as broken:
        decoders.read(png_bytes(300, 300))
    assert broken.value.reason is Reason.NOT_JPEG
    with pytest.raises(PhotoBrokenError) as differs:
        decoders.read(JPEG, (500, 333))
    assert differs.value.reason is Reason.SIZE_DIFFERS


def test_a_file_that_ends_its_process_twice_is_broken_and_costs_no_other() -> None:
    """It takes longer than it may, and the system ends its process for that."""
    decoders = Decoders(SETTINGS, most_secs=0.3)
    try:
        with ThreadPoolExecutor(4) as threads:
            huge = threads.submit(decoders.read, HUGE)
            others = [threads.submit(decoders.read, JPEG) for _ in range(20)]
            assert {one.result().width for one in others} == {400}
            with pytest.raises(PhotoBrokenError, match="ended over it twice") as fault:
                huge.result()
        assert fault.value.reason is Reason.DECODER_ENDED
        assert decoders.read(JPEG).width == 400
    finally:
        decoders.close()


def test_a_file_whose_process_is_killed_once_is_decoded_by_another(decoders: Decoders) -> None:
    before = find_process_ids()
    decoders.read(JPEG)
    (process_id,) = find_process_ids() - before
    os.kill(process_id, signal.SIGSTOP)  # so that it dies while it holds the picture
    killer = threading.Timer(0.1, os.kill, (process_id, signal.SIGKILL))
    killer.start()
    assert decoders.read(JPEG).width == 400
    killer.join()


def test_closing_leaves_no_process(decoders: Decoders) -> None:
    before = find_process_ids()
    decoders.read(JPEG)
    decoders.close()
    assert find_process_ids() <= before
