"""Many images are worked on in processes, with the same results and without a trace left."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from catalog.party import Party
from export.errors import DamagedImageError, ExportError
from export.importing.job import TreeOrder, import_tree
from export.planning import plan_release
from export.portions import map_images
from export.release import export_release, write_release

from .outcome import contents
from .rows import NOW
from .trees import make_tree


@pytest.fixture
def in_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("export.portions.FEWEST_IN_PROCESSES", 1)
    monkeypatch.setattr("export.portions.IMAGES_AT_ONCE", 3)


def test_processes_write_the_same_release(
    stocked: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, in_processes: None
) -> None:
    done: list[int] = []
    plan = plan_release(stocked, year=2026)
    write_release(stocked, plan, tmp_path / "out", at=NOW, advance=done.append)
    assert sum(done) == 8
    monkeypatch.undo()
    export_release(stocked, tmp_path / "again", year=2026, at=NOW)
    assert contents(tmp_path / "out") == contents(tmp_path / "again")


def test_processes_read_the_same_tree(party: Party, tmp_path: Path, in_processes: None) -> None:
    root = make_tree(tmp_path / "in")
    report = import_tree(party, TreeOrder(root), at=NOW)
    assert (report.imported, report.skipped, report.corrections) == (6, (), ())
    export_release(party, tmp_path / "out", year=2012, at=NOW)
    assert contents(tmp_path / "out" / "VOCdevkit" / "VOC2012") == contents(root)


def test_what_a_process_refuses_stops_the_release(
    stocked: Party, tmp_path: Path, in_processes: None
) -> None:
    plan = plan_release(stocked, year=2026)
    stocked.store.delete(plan.images[3].jpeg_sha256)
    with pytest.raises(DamagedImageError, match="is not in the image store"):
        write_release(stocked, plan, tmp_path / "out", at=NOW)
    assert [path.name for path in tmp_path.iterdir()] == ["party"]


def end_process(_item: int) -> None:
    os._exit(9)


def test_a_process_that_the_system_ends_is_told_in_a_sentence(in_processes: None) -> None:
    with pytest.raises(ExportError, match="ended from outside"):
        list(map_images(end_process, [1, 2, 3, 4]))


def tell_process(_item: int) -> int:
    return os.getpid()


def test_processes_end_with_a_command_that_is_killed() -> None:
    script = (
        "import os, signal\n"
        "from export import portions\n"
        "from tests.export.test_portions import tell_process\n"
        "portions.FEWEST_IN_PROCESSES = 1\n"
        "results = portions.map_images(tell_process, [1, 2])\n"
        "print(next(results), flush=True)\n"
        "input()\n"
    )
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        ended = os.pidfd_open(int(parent.stdout.readline()))
        parent.kill()
    try:
        assert select.select([ended], [], [], 30)[0], "the process outlived its command"
    finally:
        os.close(ended)


def test_processes_import_nothing_from_the_current_folder(tmp_path: Path) -> None:
    (tmp_path / "export.py").write_text("raise SystemExit('a file of the user')")
    script = (
        "import sys\n"
        "del sys.path[0]\n"
        "import vocparty\n"
        "vocparty.main(['stats', '--help'], standalone_mode=False)\n"
        "from export import portions\n"
        "portions.FEWEST_IN_PROCESSES = 1\n"
        "print(list(portions.map_images(str, [1, 2, 3])))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["['1', '2', '3']"], done.stderr
