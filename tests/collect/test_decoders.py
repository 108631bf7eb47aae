"""Decoding elsewhere: the same answers, and a decoder that dies takes nothing with it."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from collect.decoders import Decoders
from collect.decoding import pack, unpack
from collect.errors import PhotoBrokenError, PhotoUnreachableError
from collect.picture import PictureLimits, read_picture
from collect.reasons import Reason

from .pictures import jpeg_bytes, png_bytes

VOC = PictureLimits(longest_side_px=500, min_side_px=100, max_pixels=40_000_000)


@pytest.fixture
def decoders() -> Iterator[Decoders]:
    made = Decoders(1)
    yield made
    made.close()


def test_a_picture_comes_back_as_if_it_were_decoded_here(decoders: Decoders) -> None:
    for data in (jpeg_bytes(400, 300), jpeg_bytes(900, 600), jpeg_bytes(300, 400, turned_by=6)):
        assert decoders.read(data, VOC) == read_picture(data, VOC)
    with pytest.raises(PhotoBrokenError) as broken:
        decoders.read(png_bytes(300, 300), VOC)
    assert broken.value.reason is Reason.NOT_JPEG
    assert "PNG" in str(broken.value)
    with pytest.raises(PhotoBrokenError) as differs:
        decoders.read(jpeg_bytes(400, 300), VOC, (500, 333))
    assert differs.value.reason is Reason.SIZE_DIFFERS


def test_a_decoder_that_is_killed_loses_one_attempt_and_the_next_works(decoders: Decoders) -> None:
    data = jpeg_bytes(400, 300)
    decoders.read(data, VOC)
    (process_id,) = decoders.process_ids
    os.kill(process_id, signal.SIGSTOP)  # so that it dies while it holds the picture
    killer = threading.Timer(0.1, os.kill, (process_id, signal.SIGKILL))
    killer.start()
    with pytest.raises(PhotoUnreachableError) as fault:
        decoders.read(data, VOC)
    killer.join()
    assert fault.value.reason is Reason.DECODER_ENDED
    assert not fault.value.permanent
    assert decoders.read(data, VOC).width == 400
    assert decoders.process_ids != [process_id]


def test_a_decoder_that_hangs_is_ended() -> None:
    decoders = Decoders(1, timeout_secs=0.2)
    try:
        decoders.start()
        os.kill(decoders.process_ids[0], signal.SIGSTOP)
        with pytest.raises(PhotoUnreachableError, match=r"within 0\.2 s"):
            decoders.read(jpeg_bytes(400, 300), VOC)
        assert decoders.process_ids == []
    finally:
        decoders.close()


def test_closing_leaves_no_process(decoders: Decoders) -> None:
    decoders.start()
    (process_id,) = decoders.process_ids
    decoders.close()
    with pytest.raises(ProcessLookupError):
        os.kill(process_id, 0)


def test_a_message_is_what_was_packed() -> None:
    assert unpack(pack({"width": 3, "text": "ü"}, b"\0\1")) == ({"width": 3, "text": "ü"}, b"\0\1")
