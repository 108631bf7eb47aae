"""A release has the same bytes at any place and time, and from any later version."""

import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from catalog.party import Party
from export.order import ReleaseOrder
from export.planning import plan_release
from export.release import write_release
from tests.exporting import contents, export_release, take_down
from tests.party_rows import NOW

pytestmark = pytest.mark.slow

EXPORT = """
import os, sys
from datetime import UTC, datetime
from pathlib import Path
from catalog.party import open_party
from tests.exporting import export_release
os.umask(int(sys.argv[1], 8))
with open_party(Path(sys.argv[2])) as party:
    export_release(party, Path(sys.argv[3]), year=2026, at=datetime.now(UTC))
"""
ROOT = Path(__file__).parents[2]
PLACES = {
    "far": {
        "TZ": "Pacific/Kiritimati",
        "LC_ALL": "tr_TR.UTF-8",
        "PYTHONHASHSEED": "7",
        "COLUMNS": "20",
    },
    "old": {
        "TZ": "America/St_Johns",
        "LC_ALL": "C",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    },
}
UMASK_OF = {"far": "077", "old": "002"}


def export_at(place: str, party: Path, out: Path, python: str = sys.executable) -> dict[str, bytes]:
    """The files of VOC2026 as a process in that place writes them."""
    command = [python, "-c", EXPORT, UMASK_OF[place], str(party), str(out)]
    environment = os.environ | PLACES[place] | {"PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, env=environment, cwd=out.parent, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return contents(out)


def test_a_release_has_the_same_bytes_in_another_place(stocked: Party, tmp_path: Path) -> None:
    moved = tmp_path / "moved" / "somewhere else" / "party"
    shutil.copytree(stocked.folder, moved)
    export_release(stocked, tmp_path / "here", year=2026, at=NOW)
    made = contents(tmp_path / "here")
    assert export_at("far", moved, tmp_path / "moved" / "out") == made
    assert export_at("old", moved, tmp_path / "moved" / "again") == made


PYTHONS = [path for path in os.environ.get("VOCPARTY_PYTHONS", "").split(os.pathsep) if path]
"""Other interpreters with the locked dependencies, separated as in PATH."""


@pytest.mark.skipif(not PYTHONS, reason="VOCPARTY_PYTHONS names no other interpreter.")
def test_other_python_versions_write_the_same_release(stocked: Party, tmp_path: Path) -> None:
    shutil.copytree(stocked.folder, tmp_path / "new")
    export_release(stocked, tmp_path / "here", year=2026, at=NOW)
    made = contents(tmp_path / "here")
    for number, python in enumerate(PYTHONS):
        new = shutil.copytree(tmp_path / "new", tmp_path / f"new {number}")
        for place, party in (("again", stocked.folder), ("anew", new)):
            out = tmp_path / f"{place} {number}"
            assert export_at("far", party, out, python) == made


LATER = {
    "datasheet.format_card": "a card of a later version",
    "datasheet.format_datasheet": "a datasheet of a later version",
    "texts.render": "a citation of a later version",
    "texts.format_croissant": "metadata of a later version",
    "texts.format_changes": "changes of a later version",
    "format_images": b"tables of a later version",
    "format_objects": b"tables of a later version",
    "datasheet.format_files": {"statistics/tables.tex": b"statistics of a later version"},
    "texts.format_credits_csv": "credits of a later version",
}


def test_files_of_an_earlier_version_stay_until_a_photo_is_withdrawn(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        made = {"OLD.html": b"a name", "README.md": b"a card"}
        patch.setattr("export.accompanying_files.pack._make", lambda *_: made)
        plan = export_release(stocked, tmp_path / "one", year=2026, at=NOW)
    export_release(stocked, tmp_path / "two", year=2026, at=NOW)
    assert contents(tmp_path / "two") == contents(tmp_path / "one")
    take_down(stocked, plan.images[0].row.id)
    export_release(stocked, tmp_path / "without", year=2026, at=NOW)
    assert {"CREDITS.csv", "CHANGELOG.md"} <= contents(tmp_path / "without").keys()
    assert "OLD.html" not in contents(tmp_path / "without")


@pytest.mark.parametrize("is_blind", [False, True])
def test_a_later_version_does_not_change_the_accompanying_files(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_blind: bool
) -> None:
    order = ReleaseOrder(is_blind=is_blind)
    export_release(stocked, tmp_path / "one", year=2026, at=NOW, order=order)
    opened = replace(plan_release(stocked, year=2026), is_blind=False)
    write_release(stocked, opened, tmp_path / "opened", at=NOW)
    with monkeypatch.context() as patch:
        for name, made in LATER.items():
            target = f"export.accompanying_files.pack.{name}"
            patch.setattr(target, lambda *_, made=made, **_options: made)
        export_release(stocked, tmp_path / "two", year=2026, at=NOW)
        write_release(stocked, opened, tmp_path / "opened again", at=NOW)
        take_down(stocked, opened.images[0].row.id)
        export_release(stocked, tmp_path / "without", year=2026, at=NOW)
    assert contents(tmp_path / "two") == contents(tmp_path / "one")
    assert contents(tmp_path / "opened again") == contents(tmp_path / "opened")
    assert contents(tmp_path / "without")["README.md"] == b"a card of a later version"
