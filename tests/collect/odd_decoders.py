"""What decoding processes do in tests in place of decoding; they load no more than decoders do."""

import os
import signal
from collections.abc import Callable

from collect.picture import Picture, PictureLimits, read_picture
from vockit.format.shortage import ShortageError

Read = Callable[[bytes, PictureLimits, tuple[int, int] | None], Picture]


def read_but_be_killed(
    data: bytes, limits: PictureLimits, promised_size: tuple[int, int] | None = None
) -> Picture:
    """Reads the small picture that tells whether a process decodes at all, and no other."""
    if len(data) > 1000:
        os.kill(os.getpid(), signal.SIGKILL)
    return read_picture(data, limits, promised_size)


def read_but_crash(
    data: bytes, limits: PictureLimits, promised_size: tuple[int, int] | None = None
) -> Picture:
    """As a decoder that writes where it must not."""
    if len(data) > 1000:
        os.kill(os.getpid(), signal.SIGSEGV)
    return read_picture(data, limits, promised_size)


def read_without_memory(
    data: bytes, limits: PictureLimits, promised_size: tuple[int, int] | None = None
) -> Picture:
    """As a decoder that gets no memory for a picture of some size."""
    if len(data) > 1000:
        raise ShortageError("This machine is short of memory.")
    return read_picture(data, limits, promised_size)
