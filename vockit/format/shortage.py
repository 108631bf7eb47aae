"""Telling a machine that is short of memory from a file that is damaged.

A decoder raises for both. What it raises for want of memory says nothing of the file, so no file
may be called broken, cut off or unreadable for it.
"""

from __future__ import annotations

import errno
import mmap

_EXHAUSTED = frozenset({errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN})
"""What the system says when it has no more memory, open files or processes to give."""
_PHRASES = ("out of memory", "cannot allocate memory", "insufficient memory", "start new thread")
"""Pillow's codecs, the loader of libraries, OpenCV and threading, in their own errors' texts."""
_SPARE_BYTES = 32 * 1024**2
_BYTES_A_PIXEL = 10
"""Four of the picture, and six of the coefficients that libjpeg keeps of a progressive file."""
_MOST_BYTES = 1024**3


class ShortageError(MemoryError):
    """The machine, and no file, is at fault; the message is for the user."""


def describe_shortage(error: BaseException) -> str | None:
    """One sentence where the error is one of a machine that is short of something; else None."""
    if isinstance(error, ShortageError):
        return str(error)
    is_exhausted = isinstance(error, OSError) and error.errno in _EXHAUSTED
    is_said = any(phrase in str(error).lower() for phrase in _PHRASES)
    if not (isinstance(error, MemoryError) or is_exhausted or is_said):
        return None
    reason = str(error).partition("\n")[0].strip().rstrip(".") or "no memory is left"
    return (
        f"This machine is short of memory, open files or processes: {reason}. No image was "
        "changed by that; close other programs, or use fewer --workers, and run the same command "
        "again."
    )


def refuse_shortage(error: BaseException, pixels: int = 0) -> None:
    """Raise ShortageError where the error may come of want of memory; return where it cannot.

    Decoders call a file damaged, too, when they get no memory: libjpeg's errors all look the same.
    So the memory that decoding `pixels` takes has to be there before such an error is believed.
    """
    sentence = describe_shortage(error)
    if sentence is None and not has_room(min(_SPARE_BYTES + pixels * _BYTES_A_PIXEL, _MOST_BYTES)):
        sentence = describe_shortage(MemoryError(f"decoding ended with {str(error)[:100]!r}"))
    if sentence is not None:
        raise ShortageError(sentence) from error


def has_room(size_bytes: int) -> bool:
    """Whether so much memory can be had; none of it is touched."""
    try:
        mmap.mmap(-1, size_bytes).close()
    except OSError:
        return False
    return True
