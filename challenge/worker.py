"""The process that scores what is queued, and the keeper that starts it again if it ends."""

from __future__ import annotations

from pathlib import Path


class Keeper:
    """Runs the worker of a challenge as a child process, for use in a `with` block of serve.

    The process ends with the block, or with this process; one that was killed is started again.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Keeper:
        raise NotImplementedError

    def __exit__(self, *_exception: object) -> None:
        raise NotImplementedError
