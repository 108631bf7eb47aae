from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from dedup.search import kernels

RUN = """
import numpy as np
from kernels import fill_parts
parts = np.empty(3, np.int64)
fill_parts(np.array([[1, 2, 1]], np.uint64), parts, 1000)
assert parts[0] == parts[2] != parts[1]
print(sum(fill_parts.stats.cache_hits.values()))
"""


def run_from(folder: Path, caches: Path) -> int:
    """How many kernels came out of a cache in a process that runs a copy of the module."""
    environment = {**os.environ, "HOME": str(caches), "XDG_CACHE_HOME": str(caches)}
    environment.pop("NUMBA_CACHE_DIR", None)
    command = [sys.executable, "-c", RUN]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


@pytest.fixture
def read_only(tmp_path: Path) -> Path:
    """A folder with the module where no folder for a cache can be made, not even by root."""
    folder = tmp_path / "installed"
    folder.mkdir()
    shutil.copy(kernels.__file__, folder / "kernels.py")
    (folder / "__pycache__").touch()
    return folder


@pytest.mark.slow
def test_a_read_only_installation_keeps_its_cache_with_the_user(
    read_only: Path, tmp_path: Path
) -> None:
    caches = tmp_path / "caches"
    caches.mkdir()
    assert run_from(read_only, caches) == 0
    assert run_from(read_only, caches) == 1
    assert list(caches.rglob("*.nbi"))


@pytest.mark.slow
def test_with_nowhere_to_keep_a_cache_the_search_works_all_the_same(
    read_only: Path, tmp_path: Path
) -> None:
    nowhere = tmp_path / "nowhere"
    nowhere.touch()
    assert run_from(read_only, nowhere) == 0


def test_equal_hashes_are_of_one_part_and_others_spread() -> None:
    random = np.random.default_rng(4)
    hashes = np.repeat(random.integers(0, 2**64, (4, 3000), dtype=np.uint64), 2, axis=1)
    parts = np.empty(6000, np.int64)
    kernels.fill_parts(hashes, parts, 3)
    assert np.array_equal(parts[::2], parts[1::2])
    assert np.bincount(parts, minlength=3).min() > 1700
