"""Helpers: a release in one call, the output of verify and of a command, and exported files."""

import json
import warnings
from datetime import datetime
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from sqlalchemy import func, select

from catalog.party import Party
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Release
from export.cli import export, verify
from export.plan import ReleasePlan
from export.planning import plan_release
from export.release import write_release
from export.release_cli import release
from vockit.command_line import CommandGroup
from vockit.verify.check import check_folder
from vockit.verify.trees import Violation


def export_release(
    party: Party, target: Path, *, year: int | None, at: datetime, **wanted: Any
) -> ReleasePlan:
    plan = plan_release(party, year=year, **wanted)
    write_release(party, plan, target, at=at)
    return plan


def verify_tree(folder: Path) -> list[Violation]:
    return [violation for report in check_folder(folder) for violation in report.violations]


COMMANDS = CommandGroup(
    "vocparty", commands={"export": export, "verify": verify, "release": release}
)
"""Without the checks that `vocparty export` runs first."""


def run(*args: object) -> Result:
    return CliRunner().invoke(COMMANDS, [str(argument) for argument in args])


def manifest_of(folder: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads((folder / "release.json").read_text("utf-8"))
    return manifest


def read_croissant(folder: Path, *names: str) -> list[list[Any]]:
    """The records of these names, as mlcroissant reads the metadata without errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import mlcroissant

        dataset = mlcroissant.Dataset(jsonld=str(folder / "croissant.json"))
        assert not dataset.metadata.ctx.issues.errors
        return [list(dataset.records(name)) for name in names]


def take_down(party: Party, image_id: int) -> None:
    with party.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        image.state = ImageState.TAKEN_DOWN
        for photo in image.photos:
            photo.state = PhotoState.WITHDRAWN


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def states(party: Party) -> dict[ImageState, int]:
    with party.catalogue.reading() as session:
        rows = session.execute(select(Image.state, func.count()).group_by(Image.state))
        return dict(rows.tuples().all())


def count_releases(party: Party) -> int:
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(Release)) or 0
