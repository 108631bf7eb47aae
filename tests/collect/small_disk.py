"""A small disk that only one forked process sees, and the command on it, without and with room."""

import ctypes
import multiprocessing
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.warm import run_command, run_main

_FORKING = multiprocessing.get_context("fork")

NEW_MOUNTS = 0x00020000  # CLONE_NEWNS and CLONE_NEWUSER of <sched.h>
NEW_USERS = 0x10000000
SIZE = "6m"


def have_own_mounts() -> None:
    """From here on this process mounts what no other sees; OSError where that is not allowed."""
    user_id = os.getuid()
    group_id = os.getgid()
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(NEW_USERS | NEW_MOUNTS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    # Only one's own ids may be mapped, and the group's once no others can be dropped.
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"0 {user_id} 1")
    Path("/proc/self/gid_map").write_text(f"0 {group_id} 1")


def mount_disk(folder: str | Path) -> None:
    command = ["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", str(folder)]
    subprocess.run(command, check=True)


def try_to_mount() -> None:
    """End with 0 where this machine allows a disk that only one process sees."""
    have_own_mounts()
    mount_disk("/mnt")


def collect_twice() -> None:
    """Collect on a disk of which LEFT_KB are free, and again when there is room.

    The disk replaces the folder DISK, whose files at the end are put into SAVED. OUT gets what was
    printed, and the exit status of the first run; that of the second is this process's own.
    """
    words = sys.argv[1:]
    disk, saved, out = (Path(os.environ[name]) for name in ("DISK", "SAVED", "OUT"))
    have_own_mounts()
    shutil.copytree(disk, saved)
    mount_disk(disk)
    shutil.copytree(saved, disk, dirs_exist_ok=True)
    # The files on the small disk are copies, which a party does not take for its own by itself.
    party = words[words.index("--party") : words.index("--party") + 2]
    _run(["doctor", "--claim-store", *party], out / "claim")
    free_kb = shutil.disk_usage(disk).free // 1024
    ballast = disk / "ballast"
    ballast.write_bytes(bytes((free_kb - int(os.environ["LEFT_KB"])) * 1024))
    (out / "status").write_text(str(_run(words, out / "full")))
    ballast.unlink()
    status = _run(words, out / "free")
    shutil.copytree(disk, saved, dirs_exist_ok=True)
    sys.exit(status)


def _run(words: Sequence[str], printed: Path) -> int | None:
    """The exit status of `vocparty` with these words, in a process of its own."""
    printed.touch()
    files = str(printed), str(printed)
    process = _FORKING.Process(target=run_main, args=(run_command, list(words), files, {}))
    process.start()
    process.join()
    return process.exitcode
