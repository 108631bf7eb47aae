"""The files of a party's folder that go with it, and party.toml with other places."""

from __future__ import annotations

import re
from pathlib import Path

from catalog.errors import SettingsError
from catalog.party import SESSION_KEY, Party, format_toml
from catalog.settings import FILE_NAME, parse_settings

CATALOGUE_FILE = "catalogue.db"
IMAGES_FOLDER = "images"
_PLACE = re.compile(r"(?m)^(catalogue|images)\s*=.*\n?")
_TABLE = re.compile(r"(?m)^\s*\[")


def list_small_files(party: Party) -> list[Path]:
    """What the party has besides catalogue and images: its key, presets and guidelines.

    Raises SettingsError where the preset is not in the party's folder.
    """
    preset = Path(party.settings.preset)
    if preset.is_absolute() or ".." in preset.parts:
        raise SettingsError(f"Copy the preset {preset} into {party.folder} and name it so, first.")
    found = {party.folder / SESSION_KEY, party.folder / preset}
    found |= {*party.folder.glob("*.toml"), *party.folder.glob("*.md")}
    return sorted(path for path in found if path.name != FILE_NAME and path.is_file())


def change_places(text: str, *, catalogue: str, images: str) -> str:
    """The text of party.toml with these places and all else as it is, comments too.

    Raises SettingsError where the text says them in a way that is not understood here.
    """
    first_table = _TABLE.search(text)
    end = first_table.start() if first_table else len(text)
    head, tail = _PLACE.sub("", text[:end]).rstrip("\n"), text[end:].lstrip()
    places = format_toml({"catalogue": catalogue, "images": images})
    changed = f"{head}\n{places}\n{tail}"
    settings = parse_settings(changed)
    if (settings.catalogue, settings.images) != (catalogue, images):
        raise SettingsError(
            f"Write catalogue and images in {FILE_NAME} on a line each, above the first [table]."
        )
    return changed
