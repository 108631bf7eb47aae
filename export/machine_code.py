"""The compiled loops as machine code, kept in a file: LLVM loads them without the compiler.

The compiler's import and cache take 0.7 s and 100 MB, which is more than the loops themselves take.
It runs once per installation, in a process of its own.
"""

from __future__ import annotations

import ctypes
import hashlib
import logging
import os
import re
import subprocess
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import llvmlite  # type: ignore[import-untyped]
import llvmlite.binding as llvm  # type: ignore[import-untyped]

from catalog.whole_file import write_whole

log = logging.getLogger(__name__)

SOURCE = Path(__file__).with_name("settle_loops.py")
POINTERS, NUMBERS = 9, 7
_NAME = "vocparty_settle"
_DEFINITION = re.compile(r"^define [^@\n]*@(\w+)\(", re.MULTILINE)
_RESULT_POINTERS = 2  # numba's convention: where the result and an error would be written
_SCALAR = {"NUMBA_LOOP_VECTORIZE": "0", "NUMBA_SLP_VECTORIZE": "0"}
"""The loops over what one group holds are short; vectors take twice as long."""


@lru_cache(maxsize=1)
def load_settle() -> Callable[..., None]:
    """`settle_loops.settle` for addresses of integers of 64 bits and integers.

    Raises CalledProcessError where the compiler fails.
    """
    machine = _describe_machine()
    path = _find_place(machine)
    try:
        code = path.read_bytes()
    except OSError:
        code = _compile()
        _keep(path, code)
    return _load(code)


def _describe_machine() -> str:
    """What the code depends on besides its source."""
    features = llvm.get_host_cpu_features().flatten()
    return f"{llvmlite.__version__} {llvm.get_host_cpu_name()} {features} {sys.platform}"


def _find_place(machine: str) -> Path:
    """Where the code of this source and machine is kept: beside the program, or with the user."""
    key = hashlib.sha256(SOURCE.read_bytes() + machine.encode()).hexdigest()[:16]
    folder = SOURCE.with_name("__pycache__")
    if not os.access(folder if folder.is_dir() else folder.parent, os.W_OK):
        home = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        folder = Path(home) / "vocparty"
    return folder / f"{SOURCE.stem}.{key}.o"


def _compile() -> bytes:
    run = subprocess.run(  # noqa: S603  a module of ours and nothing else
        [sys.executable, "-P", "-m", f"{__package__}.{SOURCE.stem}"],
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        env={**os.environ, **_SCALAR, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    found = _DEFINITION.search(run.stdout)
    assert found is not None, "the compiler defines one function"
    code = run.stdout.replace(f"@{found[1]}(", f"@{_NAME}(")
    object_code: bytes = _make_target().emit_object(llvm.parse_assembly(code))
    return object_code


def _keep(path: Path, code: bytes) -> None:
    try:
        write_whole(path, code)
    except OSError as error:  # the next process compiles once more
        log.info("the compiled loops cannot be kept in %s: %s", path, error.strerror)


def _make_target() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        jit=True,
        codemodel="jitdefault",
        reloc="default",
    )


def _load(code: bytes) -> Callable[..., None]:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _make_target())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    addresses = [ctypes.c_void_p] * (_RESULT_POINTERS + POINTERS)
    kind = ctypes.CFUNCTYPE(ctypes.c_int32, *addresses, *[ctypes.c_int64] * NUMBERS)
    function = kind(engine.get_function_address(_NAME))
    unused = ctypes.c_int64()

    def settle(*arguments: int) -> None:
        assert engine, "the code lives as long as its engine"
        place = ctypes.addressof(unused)
        function(place, place, *arguments)

    return settle
