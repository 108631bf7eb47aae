"""The wheel in the participants' kit is valid and needs what the project needs."""

from __future__ import annotations

import hashlib
import io
import re
import tomllib
import zipfile
from base64 import urlsafe_b64encode
from email import message_from_bytes

from vockit.foreign.own_wheel import ROOT, pack_wheel


def test_the_wheel_is_a_valid_one_and_has_every_file_of_the_package() -> None:
    name, data = pack_wheel()
    assert pack_wheel() == (name, data)
    assert re.fullmatch(r"vockit-[0-9.]+-py3-none-any\.whl", name)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        contents = {entry: archive.read(entry) for entry in archive.namelist()}
    (record,) = (entry for entry in contents if entry.endswith("RECORD"))
    for line in contents[record].decode().splitlines():
        entry, digest, size = line.rsplit(",", 2)
        if entry != record:
            shown = urlsafe_b64encode(hashlib.sha256(contents[entry]).digest()).rstrip(b"=")
            assert digest == f"sha256={shown.decode()}"
            assert int(size) == len(contents[entry])
    assert "vockit/viewers/viewer.js" in contents
    assert "vockit/manual/python.md" in contents
    assert "vockit/pyproject.toml" not in contents
    assert not [entry for entry in contents if "__pycache__" in entry]


def test_the_wheel_needs_what_the_project_file_of_the_checkout_says_today() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    _name, data = pack_wheel()
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        (path,) = (entry for entry in archive.namelist() if entry.endswith("METADATA"))
        metadata = message_from_bytes(archive.read(path))
    extras = project["optional-dependencies"]
    assert metadata.get_all("Provides-Extra") == list(extras)
    assert metadata.get_all("Requires-Dist") == [
        *project["dependencies"],
        *(f"{need}; extra == '{name}'" for name, needs in extras.items() for need in needs),
    ]
    assert metadata["Version"] == project["version"]
