"""The import directions are contracts, and the contracts bite."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("catalog", "collect", "dedup", "annotate_ui", "qa", "export", "simulate")


@pytest.fixture
def copy_of_the_house(tmp_path: Path) -> Path:
    leave_out = shutil.ignore_patterns("__pycache__", "static", "templates")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=leave_out)
    for name in ("vocparty.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """What lint-imports says of the packages in a folder."""
    program = (
        "import sys; sys.path.insert(0, '.'); "
        "from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    )
    return subprocess.run(
        [sys.executable, "-I", "-c", program],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
def test_the_house_keeps_its_contracts(copy_of_the_house: Path) -> None:
    done = lint(copy_of_the_house)
    assert done.returncode == 0, done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "line"),
    [
        ("collect/errors.py", "import simulate.flickr"),
        ("catalog/box.py", "import collect.errors"),
        ("export/errors.py", "import dedup.errors"),
        ("qa/subjects.py", "import flask"),
        ("annotate_ui/errors.py", "import dedup.jobs"),
        ("simulate/habits.py", "import vocparty"),
        ("collect/searches.py", "import flickrapi"),
        ("simulate/habits.py", "from flickrapi.exceptions import FlickrError"),
    ],
)
def test_an_import_in_a_wrong_direction_breaks_a_contract(
    copy_of_the_house: Path, module: str, line: str
) -> None:
    path = copy_of_the_house / module
    path.write_text(f"{path.read_text()}\n{line}\n")
    done = lint(copy_of_the_house)
    assert done.returncode == 1, done.stdout
    assert "BROKEN" in done.stdout
