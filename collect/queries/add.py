"""Further queries of a class, written into party.toml, whose other lines stay as they are."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

from catalog.errors import SettingsError
from catalog.party import Party
from catalog.settings import FILE_NAME, parse_settings
from catalog.whole_file import write_whole

_HEAD = "[collect.queries]"


def add_queries(party: Party, class_name: str, keywords: Sequence[str]) -> tuple[str, ...]:
    """The keywords that the class did not have, which party.toml holds now.

    Raises SettingsError for an unknown class, or where the file is written otherwise.
    """
    spec = party.preset.find_class(class_name)
    if spec is None:
        known = ", ".join(party.preset.class_names)
        raise SettingsError(f"There is no class {class_name!r}; the preset has: {known}.")
    new = tuple(dict.fromkeys(word for word in keywords if word and word not in spec.queries))
    path = party.folder / FILE_NAME
    text = path.read_text(encoding="utf-8")
    before = dict(tomllib.loads(text).get("collect", {}).get("queries", {}))
    wanted = {**before, class_name: [*before.get(class_name, []), *new]}
    changed = _put_line(text, class_name, wanted[class_name])
    _check(path, changed, wanted)
    write_whole(path, changed.encode(), mode=0o600)
    return new


def _put_line(text: str, class_name: str, keywords: Sequence[str]) -> str:
    """The file with the line of the class, in its table, which is made where there is none."""
    line = f"{json.dumps(class_name)} = {json.dumps(list(keywords), ensure_ascii=False)}"
    if _HEAD not in text:
        return f"{text.rstrip()}\n\n{_HEAD}\n{line}\n"
    head, _, rest = text.partition(_HEAD)
    table, bracket, more = rest.partition("\n[")
    old = re.compile(rf"^[ \t]*\"?{re.escape(class_name)}\"?[ \t]*=.*\n?", re.MULTILINE)
    table = f"{old.sub('', table).rstrip()}\n{line}\n"
    return f"{head}{_HEAD}{table}{bracket}{more}"


def _check(path: Path, text: str, wanted: dict[str, list[str]]) -> None:
    """Raise SettingsError unless the file now says what it shall; it may be written otherwise."""
    try:
        found = parse_settings(text, origin=str(path)).collect.queries
        is_right = {name: list(words) for name, words in found.items()} == wanted
    except SettingsError:
        is_right = False
    if not is_right:
        raise SettingsError(f"{path} cannot be changed safely; add them under {_HEAD} by hand.")
