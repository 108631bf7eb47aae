"""The import directions are contracts, and the contracts bite."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = (
    "catalog", "collect", "dedup", "annotate_ui", "qa", "segment", "voc", "export", "evaluate",
    "operate", "simulate",
)  # fmt: skip


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


WRONG = [
    ("collect.errors", "import simulate.flickr", "simulate.flickr"),
    ("catalog.box", "import collect.errors", "collect.errors"),
    ("export.errors", "import dedup.pairs", "dedup.pairs"),
    ("qa.findings", "import flask", "flask"),
    ("annotate_ui.errors", "import dedup.jobs", "dedup.jobs"),
    ("voc.text", "import catalog.box", "catalog.box"),
    ("evaluate.curves", "import catalog.states", "catalog.states"),
    ("simulate.habits", "import vocparty", "vocparty"),
    ("collect.searches", "import flickrapi", "flickrapi"),
    ("simulate.habits", "from flickrapi.exceptions import FlickrError", "flickrapi"),
]
"""A module, a line that it may not have, and what it imports by that."""


@pytest.mark.slow
def test_an_import_in_a_wrong_direction_breaks_a_contract(copy_of_the_house: Path) -> None:
    """All are planted at once, since a look at the house takes seconds; each is told by itself."""
    expected = set()
    for module, line, imported in WRONG:
        path = copy_of_the_house / f"{module.replace('.', '/')}.py"
        lines = [*path.read_text().splitlines(), line]
        path.write_text("\n".join(lines) + "\n")
        expected.add(f"{module} -> {imported} (l.{len(lines)})")
    done = lint(copy_of_the_house)
    assert done.returncode == 1, done.stdout
    assert "0 kept" in done.stdout
    direct = re.findall(r"^- +(.*)\n(?! )", done.stdout, re.MULTILINE)
    assert set(direct) == expected
