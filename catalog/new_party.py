"""Making a party: its folder, party.toml, empty tables and image store."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .errors import SettingsError
from .image_store import write_whole
from .migrate import upgrade_catalogue
from .party import open_party
from .preset import load_preset
from .settings import FILE_NAME, make_settings

_HEADER = """\
# The settings of this party. docs/manual/party-toml.md describes every key; what is not here has
# its default. The Flickr key may also come from the environment variable VOCPARTY_FLICKR_KEY.
"""


def make_party(
    folder: Path, *, name: str, preset: str, values: Mapping[str, Any] | None = None
) -> bool:
    """Whether a new party was made; an existing one only has its tables brought up.

    `values` are further settings by key. Raises SettingsError before anything is written where the
    settings are wrong or the folder is something else's.
    """
    if (folder / FILE_NAME).is_file():
        _set_up_tables(folder)
        return False
    if folder.is_file() or (folder.is_dir() and any(folder.iterdir())):
        raise SettingsError(f"{folder} is not empty; name a new folder for the party.")
    load_preset(preset, folder)
    settings = {"name": name, "preset": preset, **(values or {})}
    settings.setdefault("flickr", {"key": ""})
    make_settings(settings)
    try:
        write_whole(folder / FILE_NAME, (_HEADER + format_toml(settings)).encode())
    except OSError as error:
        raise SettingsError(f"No party can be made in {folder}: {error.strerror}.") from error
    _set_up_tables(folder)
    return True


def _set_up_tables(folder: Path) -> None:
    with open_party(folder, is_new=True) as party:
        upgrade_catalogue(party.catalogue)


def format_toml(values: Mapping[str, Any]) -> str:
    """TOML text of a mapping of plain values and of one level of tables."""
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    tables = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    text = "".join(f"{key} = {_format_value(value)}\n" for key, value in plain.items())
    return text + "".join(f"\n[{key}]\n{format_toml(table)}" for key, table in tables.items())


def _format_value(value: object) -> str:
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_format_value, value))}]"
    if isinstance(value, bool | str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return str(value)
