"""What every process of the tests needs before it loads anything else."""

import os
import tempfile
from pathlib import Path

# Several processes of tests share the processors already; idle threads of BLAS wait in a loop.
os.environ |= {"OPENBLAS_NUM_THREADS": "1", "OPENCV_FOR_THREADS_NUM": "1"}

# A disk lets each commit wait, and takes five times as long to copy a database as memory does.
MEMORY = Path("/dev/shm")
LEAST_FREE_BYTES = 4 << 30
if "TMPDIR" not in os.environ and MEMORY.is_dir():
    volume = os.statvfs(MEMORY)
    if volume.f_bavail * volume.f_frsize > LEAST_FREE_BYTES and not volume.f_flag & os.ST_NOEXEC:
        os.environ["TMPDIR"] = tempfile.tempdir = str(MEMORY)
