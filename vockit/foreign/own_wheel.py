"""vockit's own wheel, packed from the package that runs: no network, no build tool, same bytes.

Source: packaging.python.org, "Binary distribution format".
"""

from __future__ import annotations

import hashlib
import io
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from vockit.errors import NothingWrittenError

ROOT = Path(__file__).parents[1]
_PROJECT = "pyproject.toml"
_NOT_INSTALLED = (_PROJECT, "README.md")
"""Files of the checkout beside the package's own."""
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip archive can hold."""
_WHEEL = "Wheel-Version: 1.0\nGenerator: vockit\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def pack_wheel() -> tuple[str, bytes]:
    """The name and the bytes of the wheel; raises NothingWrittenError where it is not installed."""
    try:
        installed = distribution("vockit")
    except PackageNotFoundError as error:
        raise NothingWrittenError(
            "vockit is not installed here, so its wheel cannot be packed; install it first."
        ) from error
    name = f"vockit-{installed.version}"
    files = {f"vockit/{path.relative_to(ROOT).as_posix()}": path for path in _list_files()}
    contents = {place: path.read_bytes() for place, path in sorted(files.items())}
    contents |= {
        f"{name}.dist-info/METADATA": _make_metadata(installed),
        f"{name}.dist-info/WHEEL": _WHEEL.encode(),
        f"{name}.dist-info/entry_points.txt": _read(installed, "entry_points.txt"),
    }
    record = f"{name}.dist-info/RECORD"
    lines = [f"{place},sha256={_digest(data)},{len(data)}\n" for place, data in contents.items()]
    contents[record] = "".join([*lines, f"{record},,\n"]).encode()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for place, data in contents.items():
            entry = zipfile.ZipInfo(place, _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, data)
    return f"{name}-py3-none-any.whl", buffer.getvalue()


def _list_files() -> list[Path]:
    """The package's files, without what Python or an editor left there."""
    paths = (path for path in ROOT.rglob("*") if path.is_file())
    return [
        path
        for path in paths
        if path.suffix != ".pyc"
        and not any(part.startswith((".", "__pycache__")) for part in path.relative_to(ROOT).parts)
        and path.relative_to(ROOT).as_posix() not in _NOT_INSTALLED
    ]


def _make_metadata(installed: Distribution) -> bytes:
    """What the wheel needs: in a checkout what its project file says, which may be newer."""
    metadata = _read(installed, "METADATA")
    place = ROOT / _PROJECT
    if not place.is_file():
        return metadata
    project = tomllib.loads(place.read_text("utf-8"))["project"]
    head, _, description = metadata.decode().partition("\n\n")
    needs = ("Requires-Dist:", "Provides-Extra:")
    lines = [line for line in head.split("\n") if not line.startswith(needs)]
    lines += [f"Requires-Dist: {need}" for need in project["dependencies"]]
    for extra, packages in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f"Requires-Dist: {need}; extra == '{extra}'" for need in packages]
    return "\n".join([*lines, "", description]).encode()


def _read(installed: Distribution, name: str) -> bytes:
    return (installed.read_text(name) or "").encode()


def _digest(data: bytes) -> str:
    """The digest as RECORD has it."""
    return urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
