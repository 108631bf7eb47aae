"""A model in a process of its own, whose memory and time are limited."""

from __future__ import annotations

import multiprocessing
import os
import resource
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from collect.interrupts import serve_parent
from vockit.format.threads import starting_deaf

from .errors import ModelEndedError, ModelError
from .kinds import Detections, Kind, Layout
from .limits import GIGABYTE, Limits
from .preparation import Pixels

_END_SECS = 5.0
_NICENESS = 10


class OpenModel(Protocol):
    """A model as its process has it."""

    def outline(self) -> Any:
        """What it takes and gives; raises ModelError."""

    def run(self, given: Any, /) -> Any:
        """Its outputs; raises ModelError."""


class ModelProcess:
    """The process, for use in a `with` block; it ends with it, or with this process.

    `open_model` opens the model there; it is sent to the process, so it is a function of a module.
    A process that `yields` gives way to all others, as to the server for which people wait.
    """

    def __init__(
        self,
        path: Path,
        limits: Limits,
        open_model: Callable[[], OpenModel],
        *,
        yields: bool = False,
    ) -> None:
        self._path = path
        self._limits = limits
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(
            target=_serve,
            args=(theirs, path, limits.memory_bytes, open_model, yields),
            daemon=True,
        )
        self._theirs = theirs

    def __enter__(self) -> Self:
        with starting_deaf():
            self._process.start()
        self._theirs.close()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._pipe.close()
        self._process.join(0.0 if _error else _END_SECS)
        self._process.kill()
        self._process.join()

    def read_outline(self) -> Any:
        """What the model says of itself; raises ModelError."""
        return self._receive("opening it")

    def run(self, given: Any, *, most_secs: float | None = None) -> Any:
        """What the model gives for one picture; raises ModelError.

        `most_secs` may be less than the limit, where a person waits for it.
        """
        try:
            self._pipe.send(given)
        except OSError as error:
            raise self._describe_end() from error
        return self._receive("one picture", most_secs)

    def _receive(self, task: str, most_secs: float | None = None) -> Any:
        limit_secs = self._limits.secs
        secs = limit_secs if most_secs is None else min(most_secs, limit_secs)
        try:
            if not self._pipe.poll(secs):
                advice = "raise --seconds if it is only slow"
                if secs < limit_secs:
                    advice = "nobody waits longer for that"
                raise ModelError(
                    f"{self._path.name} took more than {secs:g} s for {task} and was ended; "
                    f"{advice}."
                )
            answer = self._pipe.recv()
        except (EOFError, OSError) as error:
            raise self._describe_end() from error
        if isinstance(answer, ModelError):
            raise answer
        return answer

    def _describe_end(self) -> ModelEndedError:
        """What is known of a process that ended without an answer."""
        self._process.join(_END_SECS)
        return ModelEndedError(
            f"The process that ran {self._path.name} ended by itself (status "
            f"{self._process.exitcode}), as for want of memory: it may have "
            f"{self._limits.memory_bytes / GIGABYTE:g} GB, which --memory sets."
        )


class Child(ModelProcess):
    """The process of a detector.

    With `frees_size` the sizes that the file names for the input are ignored.
    """

    def __init__(
        self, path: Path, limits: Limits, size_px: int | None = None, *, frees_size: bool = False
    ) -> None:
        open_network = partial(_open_network, path, size_px, frees_size=frees_size)
        super().__init__(path, limits, open_network, yields=True)

    def find(self, pixels: Pixels, kind: Kind, layout: Layout, min_confidence: float) -> Detections:
        """What the model finds in a picture, in the picture's pixels; raises ModelError."""
        prepared, placing = kind.preparation.prepare(pixels, layout.size_wh)
        outputs = self.run(prepared)
        _require_same(self._path.name, outputs, layout, kind)
        detections = kind.read(outputs, layout, min_confidence)
        return Detections(
            placing.restore(detections.edges), detections.confidences, detections.labels
        )


def _open_network(path: Path, size_px: int | None, *, frees_size: bool) -> OpenModel:
    from .network import Network

    return Network(path, size_px, frees_size=frees_size)


def _require_same(name: str, outputs: Sequence[Any], layout: Layout, kind: Kind) -> None:
    """Raises ModelError where the outputs of a picture are not of the kind."""
    shapes = [tuple(output.shape) for output in outputs]
    if not kind.fits(Layout(shapes, layout.classes, layout.size_wh)):
        given = ", ".join(str(list(shape)) for shape in shapes)
        raise ModelError(
            f"{name} gave {given} for a picture, which is not of the kind {kind.name}."
        )


def _serve(
    pipe: Connection,
    path: Path,
    memory_bytes: int,
    open_model: Callable[[], OpenModel],
    yields: bool,
) -> None:
    """Open the model, answer with its outline, then with the outputs for each input."""
    serve_parent()
    if yields:
        os.nice(_NICENESS)
    _limit_memory(memory_bytes)
    try:
        model = open_model()
        pipe.send(model.outline())
        while True:
            pipe.send(model.run(pipe.recv()))
    except ModelError as error:
        pipe.send(error)
    except MemoryError:
        pipe.send(ModelError(f"{path.name} needs more memory than --memory allows; raise it."))
    except (EOFError, BrokenPipeError):
        pass  # the parent has all it wants


def _limit_memory(memory_bytes: int) -> None:
    """Allow that much beyond what libraries have reserved by now, where the system limits it."""
    import onnxruntime  # noqa: F401  # reserves memory

    sizes = Path("/proc/self/statm")  # proc(5): the first is that of the whole address space
    pages = int(sizes.read_text().split()[0]) if sizes.exists() else 0
    reserved = pages * resource.getpagesize()
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = reserved + memory_bytes
    if hard != resource.RLIM_INFINITY:
        wanted = min(wanted, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
