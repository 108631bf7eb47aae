"""A disk that is really full: a small file system of the test's own, in a namespace of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from catalog.party import open_party
from collect.job import load_progress
from simulate.flickr.server import StandIn

from .test_job import check_that_totals_add_up
from .test_kill import ROOT, make

ALONE = ("unshare", "--user", "--map-root-user", "--mount")
SCRIPT = """
cp -a "$DISK" "$SAVED"
mount -t tmpfs -o size=6m tmpfs "$DISK"
cp -a "$SAVED/." "$DISK"
cd "$ROOT"
free=$(df -k --output=avail "$DISK" | tail -1)
head -c "$(( (free - LEFT_KB) * 1024 ))" /dev/zero > "$DISK/ballast"
status=0; "$@" > "$OUT/full" 2>&1 || status=$?
echo $status > "$OUT/status"
rm "$DISK/ballast"
status=0; "$@" > "$OUT/free" 2>&1 || status=$?
cp -a "$DISK/." "$SAVED"
exit $status
"""


@pytest.fixture(scope="module")
def namespaces() -> None:
    """Skips where this machine lets nobody make a file system of their own."""
    if shutil.which(ALONE[0]) is None:
        pytest.skip("no unshare here")
    tried = subprocess.run([*ALONE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False)
    if tried.returncode:
        pytest.skip("no mount namespaces here")


def collect_twice(
    folder: Path, disk: Path, out: Path, left_kb: int
) -> subprocess.CompletedProcess[str]:
    """The same command on a disk that fills up, and once there is room again."""
    saved = out / "saved"
    out.mkdir()
    command = [sys.executable, "-m", "vocparty", "collect", "--party", str(folder)]
    classes = [word for name in ("cat", "sheep", "sofa") for word in ("--class", name)]
    done = subprocess.run(
        [*ALONE, "sh", "-euc", SCRIPT, "sh", *command, *classes],
        env={
            **os.environ,
            "NO_PROXY": "127.0.0.1",
            "DISK": str(disk),
            "SAVED": str(saved),
            "OUT": str(out),
            "ROOT": str(ROOT),
            "LEFT_KB": str(left_kb),
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    shutil.copytree(saved, disk, dirs_exist_ok=True)
    return done


@pytest.mark.usefixtures("namespaces")
@pytest.mark.parametrize(
    ("part", "left_kb", "says"),
    [
        ("images", 60, "Error: The image store did not take a file: [Errno 28] No space left"),
        ("rows", 250, "Error: Cannot use the catalogue: database or disk is full."),
    ],
)
def test_a_full_disk_ends_with_one_sentence_and_the_same_command_goes_on(
    tmp_path: Path, large_flickr: StandIn, part: str, left_kb: int, says: str
) -> None:
    disks, out = tmp_path / "disks", tmp_path / "out"
    for name in ("images", "rows"):
        (disks / name).mkdir(parents=True)
    images, catalogue = str(disks / "images"), f"sqlite:///{disks}/rows/catalogue.db"
    folder = make(tmp_path / "party", large_flickr, images=images, catalogue=catalogue)
    done = collect_twice(folder, disks / part, out, left_kb)
    full, free = (out / "full").read_text(), (out / "free").read_text()
    assert done.returncode == 0, done.stderr + free
    assert (out / "status").read_text() == "1\n"
    assert says in full
    assert "Traceback" not in full
    with open_party(folder) as party:
        assert load_progress(party) == 40
        check_that_totals_add_up(party)
        unfinished = [path for path in (disks / "images").rglob("*") if path.suffix == ".part"]
        assert unfinished == []
    fetched_before = int(full.partition("Fetched ")[2].partition(";")[0])
    fetched_after = int(free.partition("Fetched ")[2].partition(";")[0])
    assert fetched_before + fetched_after == 40  # nothing that was stored came twice
