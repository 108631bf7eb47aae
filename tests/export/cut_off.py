"""Exports and imports that are killed, or find no room, for processes that tests fork."""

import os
import resource
import signal
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from unittest.mock import patch

from catalog.party import open_party
from export.importing import dataset_job
from export.importing.dataset_rows import store_dataset_images
from export.planning import plan_release
from export.release import write_release
from tests.exporting import export_release
from tests.warm import run_command
from vockit.errors import UserError

AT = datetime(2026, 5, 4, tzinfo=UTC)
DRAWN = "export.accompanying_files.datasheet.draw_class_histogram"


def release_until_killed() -> None:
    """Release the party in a folder, killed at the step of this name."""
    folder = Path(sys.argv[1])
    step = sys.argv[2]
    killing = patch(f"export.release.{step}", _kill)
    with killing, patch(DRAWN, _draw_nothing), open_party(folder / "party") as party:
        write_release(party, plan_release(party, year=2026), folder / "out", at=AT)


def release_onto_full_disk() -> None:
    """Release the party in a folder, where no file may grow beyond a number of bytes."""
    folder = Path(sys.argv[1])
    most_bytes = int(sys.argv[2])
    with patch(DRAWN, _draw_nothing), open_party(folder / "party") as party:
        no_limit = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, no_limit[1]))
        try:
            export_release(party, folder / "out", year=2026, at=AT)
        except UserError as error:
            resource.setrlimit(resource.RLIMIT_FSIZE, no_limit)  # the message goes to a file, too
            sys.exit(str(error))


def run_onto_full_disk() -> None:
    """Run `vocparty`, where no file may grow beyond 3,000 bytes."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000, 3_000))
    run_command()


def import_until_killed() -> None:
    """Run `vocparty`, killed where it is to store the second image of a dataset."""
    given: list[tuple[Any, ...]] = []

    def store_once(*images: Any) -> None:
        given.append(images)
        if len(given) == 2:
            _kill()
        store_dataset_images(*images)

    with (
        patch.object(dataset_job, "IMAGES_AT_ONCE", 1),
        patch.object(dataset_job, "store_dataset_images", store_once),
    ):
        run_command()


def _kill(*_args: object, **_kwargs: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _draw_nothing(*_args: object) -> bytes:
    return b"<svg/>"
