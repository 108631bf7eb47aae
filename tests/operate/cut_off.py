"""A move that is killed, for processes that tests fork."""

import os
import signal
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

from catalog.image_store import ImageStore
from operate import rows
from tests.warm import run_command


def move_until_killed() -> None:
    """Run `vocparty`, killed at the step of rows or files whose number is in STEPS."""
    left = int(os.environ["STEPS"])

    def count(step: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*args: Any, **kwargs: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return step(*args, **kwargs)

        return counted

    with (
        patch.dict(rows._IN_BATCHES, yield_per=1),
        patch.object(rows, "_execute", count(rows._execute)),
        patch.object(ImageStore, "put", count(ImageStore.put)),
    ):
        run_command()
