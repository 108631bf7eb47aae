"""What is done when a piece of work ends, however it ended."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

log = logging.getLogger(__name__)


@contextmanager
def finishing(*steps: Callable[[], object]) -> Iterator[None]:
    """Take the steps, in their order, when the block ends.

    Where the block raises, that is what is raised: what a step raises then is told in the log, and
    the next one is taken.
    """
    try:
        yield
    except BaseException:
        for step in steps:
            _take(step)
        raise
    for step in steps:
        step()


def _take(step: Callable[[], object]) -> None:
    try:
        step()
    except Exception as error:
        log.warning("what ends the work could not be done as well: %s", error)
