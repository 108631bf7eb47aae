"""A call in a process of its own, with limits of memory, CPU, files and time; it runs our code."""

from __future__ import annotations

import multiprocessing
import os
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from collect.interrupts import serve_parent
from vockit.errors import UserError, WriteError
from vockit.format.shortage import describe_shortage
from vockit.format.threads import starting_deaf

WAIT = 5
_POLL_SECS = 0.5
_END_SECS = 5.0
_MOST_FILES = 256


@dataclass(frozen=True)
class Limits:
    """What one call may use: seconds of a processor, memory, bytes of one file that it writes.

    A busy machine takes WAIT times as many seconds for it. With `is_patient` pages come first.
    """

    secs: float
    memory_bytes: int
    file_bytes: int
    is_patient: bool = False


class LimitError(UserError):
    """The call took more than it may, or its process ended by itself."""


class RefusedWorkError(UserError):
    """The call itself raised a sentence for the user."""


class MachineError(UserError):
    """The machine lacks memory or room, which is no fault of what was given to it."""


def run_limited(
    call: Callable[..., Any],
    *arguments: Any,
    limits: Limits,
    temporary: Path,
    beat: Callable[[], None] = lambda: None,
) -> Any:
    """What the call returns; its temporary files are in a folder that is gone afterwards.

    `beat` is called every half second. What it raises ends the call. Raises LimitError,
    RefusedWorkError and MachineError.
    """
    with _own_folder(temporary) as folder:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(
            target=_serve, args=(theirs, call, arguments, limits, folder), daemon=True
        )
        with starting_deaf():
            process.start()
        theirs.close()
        try:
            kind, value = _receive(ours, WAIT * limits.secs, beat)
        except EOFError:
            process.join(_END_SECS)
            raise LimitError(_describe_end(process.exitcode, limits)) from None
        finally:
            ours.close()
            process.kill()
            process.join()
    if kind is not None:
        raise kind(value)
    return value


@contextmanager
def _own_folder(temporary: Path) -> Iterator[Path]:
    temporary.mkdir(mode=0o700, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=temporary))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def sweep(temporary: Path) -> None:
    """Delete the folders of calls whose process is gone, as after kill -9."""
    for folder in sorted(temporary.glob("*-*")):
        owner = folder.name.partition("-")[0]
        if not (Path("/proc") / owner).exists():
            shutil.rmtree(folder, ignore_errors=True)


def _receive(pipe: Connection, secs: float, beat: Callable[[], None]) -> Any:
    ends_at = time.monotonic() + secs
    while not pipe.poll(_POLL_SECS):
        beat()
        if time.monotonic() > ends_at:
            raise LimitError(f"It took more than {secs:g} s and was ended.")
    return pipe.recv()


def _describe_end(status: int | None, limits: Limits) -> str:
    return (
        f"Its process ended by itself (status {status}), as for want of memory: it may have "
        f"{limits.memory_bytes / 1024**3:.1f} GB and {limits.secs:g} s."
    )


def _serve(
    pipe: Connection,
    call: Callable[..., Any],
    arguments: tuple[Any, ...],
    limits: Limits,
    folder: Path,
) -> None:
    """Answer with what the call returns, or with a kind of error and its sentence."""
    serve_parent()
    tempfile.tempdir = str(folder)
    os.nice(5 if limits.is_patient else 0)
    _limit(limits)
    try:
        answer: tuple[type[UserError] | None, Any] = None, call(*arguments)
    except WriteError as error:
        answer = MachineError, str(error)
    except UserError as error:
        answer = RefusedWorkError, str(error)
    except (MemoryError, OSError) as error:
        answer = MachineError, describe_shortage(error) or f"The server could not go on: {error}"
    pipe.send(answer)


def _limit(limits: Limits) -> None:
    """Let the process have that much beyond what it has by now."""
    sizes = Path("/proc/self/statm")  # proc(5): the first is that of the whole address space
    pages = int(sizes.read_text().split()[0]) if sizes.exists() else 0
    wanted = {
        resource.RLIMIT_AS: pages * resource.getpagesize() + limits.memory_bytes,
        resource.RLIMIT_CPU: int(limits.secs) + 1,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: _MOST_FILES,
        resource.RLIMIT_CORE: 0,
    }
    for kind, most in wanted.items():
        _soft, hard = resource.getrlimit(kind)
        allowed = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (allowed, hard))
