"""A party: a folder with party.toml, its catalogue and its image store."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.orm import Session

from vockit.errors import SettingsError
from vockit.extras import require_module
from vockit.format.own_files import refuse_in_tree

from .errors import CatalogueError, PartyNotFoundError, StoreAwayError
from .image_store import ImageStore, open_image_store, write_whole
from .migrate import current_revision, require_current, upgrade_catalogue
from .present_words import load_present_words
from .preset import ClassSpec, Preset, WordSpec, load_preset
from .preset_edits import refuse_edits
from .session import Catalogue, open_catalogue
from .settings import FILE_NAME, Settings, make_settings, read_settings
from .states import WordKind
from .store_owner import begin_store, refuse_filled, seal_store
from .validation import read_text
from .words import NO_WORDS, NamesOfKinds, Words, WordsOfKinds, load_classes_number, register_words

MOVING_FILE = "moving.toml"  # stands for party.toml until a move into the folder is complete
MOVED_FILE = "moved.txt"  # where a party went, as operate/move.py leaves it in the old folder
SESSION_KEY = "session.key"  # signs sessions; annotate_ui makes the file at the first start
LOOKS_FOLDER = "looks"  # pages of what detectors find in some photographs
OUTLINES_FOLDER = "outlines"  # the files of the model that outlines what people click on

_HEADER = """\
# The settings of this party. docs/manual/party-toml.md describes every key; what is not here has
# its default. The Flickr key may also come from the environment variable VOCPARTY_FLICKR_KEY.
"""


@dataclass(frozen=True)
class PartyData:
    """A party without its preset, opened: what needs no class works also while that is edited."""

    folder: Path
    settings: Settings
    catalogue: Catalogue
    store: ImageStore


@dataclass(frozen=True)
class Party(PartyData):
    """Everything a stage needs, opened.

    `preset` and `settings` have the words as they are after the change `classes_number`, which
    `words` describes; `file_preset` and `file_targets` are as the files have them.
    """

    preset: Preset
    file_preset: Preset
    file_targets: Mapping[str, int]
    words: WordsOfKinds = field(default_factory=lambda: NO_WORDS)
    classes_number: int = 0

    @property
    def classes(self) -> Words:
        """What the ids and names of classes mean today."""
        return self.words[WordKind.CLASS]

    def find_word(self, kind: WordKind, word: str) -> WordSpec | None:
        """The word that a person means: by its name, a name that it had, or its id; or None."""
        named = self.preset.find_named(kind, word)
        return named or self.find_word_today(kind, self.words[kind].ids.get(word, word))

    def find_word_today(self, kind: WordKind, word_id: str) -> WordSpec | None:
        """The word that an id counts as today, as pages send it; None where there is none."""
        return self.preset.find(kind, self.words[kind].today(word_id))

    def find_class(self, word: str) -> ClassSpec | None:
        """The class that a person means, as find_word has it."""
        named = self.preset.find_class(word)
        return named or self.find_class_today(self.classes.ids.get(word, word))

    def find_class_today(self, class_id: str) -> ClassSpec | None:
        """The class that an id counts as today, as find_word_today has it."""
        return self.preset.find_class_of(self.classes.today(class_id))

    def name_today(self, words: Iterable[str]) -> tuple[str, ...]:
        """Today's names of the classes that a person means, each once; other words as they are."""
        specs = ((word, self.find_class(word)) for word in words)
        return tuple(dict.fromkeys(spec.name if spec else word for word, spec in specs))

    def list_ids(self) -> NamesOfKinds:
        """The id of each word by its name; a present name wins over a former one."""
        return {
            kind: {
                **self.words[kind].ids,
                **{spec.name: spec.key for spec in self.preset.list_words(kind)},
            }
            for kind in WordKind
        }


def find_party_folder(start: Path) -> Path:
    """The nearest folder with a party.toml, from `start` upwards, or PartyNotFoundError."""
    for folder in (start, *start.parents):
        if (folder / FILE_NAME).is_file():
            return folder
    raise PartyNotFoundError(
        f"No {FILE_NAME} in {start} or above it; make a party with `vocparty init DIR`, "
        "or name one with --party DIR."
    )


@contextmanager
def open_party(folder: Path, *, is_new: bool = False, takes_edits: bool = False) -> Iterator[Party]:
    """The party of a folder with its classes, as open_data has it; closed with the block.

    Raises SettingsError where the classes of the preset's file were edited, unless it
    `takes_edits`: then, and where it `is_new`, the party has the classes as its files have them.
    """
    with open_data(folder, is_new=is_new) as data:
        party = read_preset(data)
        yield party if is_new or takes_edits else load_classes(party)


@contextmanager
def open_data(
    folder: Path, *, is_new: bool = False, needs_store: bool = True
) -> Iterator[PartyData]:
    """The party of a folder without its preset, its catalogue at this program's version.

    Raises StoreOwnerError where the image store is not here, or is another party's. `is_new` leaves
    the version and the store unchecked, since both are about to be made. Without `needs_store` a
    store that is not here is an empty one; what is opened so writes nothing to it.
    """
    folder = folder.resolve()
    if not (folder / FILE_NAME).is_file():
        if (folder / MOVING_FILE).is_file():
            raise PartyNotFoundError(
                f"A move into {folder} is not complete. Run the `vocparty move` again that began "
                "it; until then work with the old party."
            )
        raise PartyNotFoundError(f"{folder} holds no {FILE_NAME}; make one with `vocparty init`.")
    _refuse_moved(folder)
    settings = read_settings(folder / FILE_NAME)
    catalogue = open_catalogue(catalogue_url(settings, folder))
    try:
        store = open_image_store(settings.images, folder)
        revision = _refuse_lost(catalogue, folder, store)
        if not is_new:
            require_current(catalogue, revision)
            try:
                store = seal_store(catalogue, store)
            except StoreAwayError:
                if needs_store:
                    raise
        yield PartyData(folder=folder, settings=settings, catalogue=catalogue, store=store)
    finally:
        catalogue.close()


@contextmanager
def reopen_party(party: Party) -> Iterator[Party]:
    """The party once more, for another process: its files as they were read, not as they are now.

    Raises CatalogueError where the catalogue was lost meanwhile.
    """
    catalogue = open_catalogue(catalogue_url(party.settings, party.folder))
    try:
        store = open_image_store(party.settings.images, party.folder)
        _refuse_lost(catalogue, party.folder, store)
        if party.store.seal is not None:
            store = store.sealed(party.store.seal)
        yield replace(party, catalogue=catalogue, store=store)
    finally:
        catalogue.close()


def read_preset(data: PartyData) -> Party:
    """The party with its words as its files have them; SettingsError where the preset is wrong."""
    preset = load_preset(data.settings.preset, data.folder)
    return Party(
        folder=data.folder,
        settings=data.settings,
        catalogue=data.catalogue,
        store=data.store,
        preset=preset,
        file_preset=preset,
        file_targets=data.settings.collect.class_targets,
    )


def load_classes(party: Party) -> Party:
    """The party with its words as the rows have them, in a transaction of its own."""
    with party.catalogue.reading() as session:
        return complete_party(party, session)


def _refuse_moved(folder: Path) -> None:
    """Raise SettingsError with the new place where `vocparty move` left a note of it."""
    note = folder / MOVED_FILE
    if note.is_file():
        place = read_text(note).strip()
        raise SettingsError(f"{place} To work with this old one again, delete {note}.")


def complete_party(party: Party, session: Session) -> Party:
    """The party with its words as the rows have them, and the queries of party.toml.

    Raises SettingsError, as each command ends, where these do not fit one another.
    """
    refuse_edits(session, party.file_preset, party.settings.preset)
    return read_words(party, session)


def follow_classes(party: Party, session: Session) -> Party:
    """The party with the present classes; the same object if no class has changed."""
    if load_classes_number(session) == party.classes_number:
        return party
    return read_words(party, session)


def read_words(party: Party, session: Session) -> Party:
    """The party whose preset and settings come from its files, updated by the rows of words.

    Raises SettingsError if party.toml gives queries for an unknown class.
    """
    collect = party.settings.collect
    present = load_present_words(session, party.file_preset, party.file_targets, collect.queries)
    collect = replace(collect, class_targets=present.targets)
    return replace(
        party,
        preset=present.preset,
        words=present.words,
        settings=replace(party.settings, collect=collect),
        classes_number=present.number,
    )


def _refuse_lost(catalogue: Catalogue, folder: Path, store: ImageStore) -> str | None:
    """The revision of the catalogue's tables, or None where there are none.

    Raises CatalogueError where an empty catalogue belongs to a party that was in use.
    """
    file = catalogue.engine.url.database if catalogue.engine.dialect.name == "sqlite" else None
    is_empty = file is not None and not (Path(file).exists() and Path(file).stat().st_size)
    revision = None if is_empty else current_revision(catalogue)
    if revision is not None:
        return revision
    is_inside = store.folder is not None and folder in store.folder.parents
    if not is_inside and not (folder / SESSION_KEY).exists():
        refuse_filled(store)
    if (folder / SESSION_KEY).exists() or next(store.digests(), None) is not None:
        raise CatalogueError(
            f"The catalogue of {folder} is missing or empty, though the party was in use. Bring it "
            f"back from a backup with `vocparty restore`, or empty {folder} to begin anew."
        )
    return None


def catalogue_url(settings: Settings, folder: Path) -> str:
    """The catalogue's URL, a relative SQLite file from the party's folder; or SettingsError.

    Raises MissingExtraError for PostgreSQL where its driver is not installed.
    """
    with suppress(ArgumentError, NoSuchModuleError):
        url = make_url(settings.catalogue)
        backend = url.get_backend_name()
        if backend == "postgresql":
            purpose = "A catalogue on PostgreSQL"
            require_module("psycopg", extra="scale", purpose=purpose, package="vocparty")
            return settings.catalogue.replace(url.drivername, "postgresql+psycopg", 1)
        if backend == "sqlite" and url.database not in (None, "", ":memory:"):
            return f"sqlite:///{folder / url.database}"
    shown = re.sub(r":[^:@/]*@", ":***@", settings.catalogue)  # without a password
    raise SettingsError(
        f"{FILE_NAME}: catalogue = {shown!r} is wrong: expected sqlite:///FILE or "
        "postgresql+psycopg://USER:PASSWORD@HOST/NAME."
    )


def make_party(
    folder: Path,
    *,
    name: str,
    preset: str,
    values: Mapping[str, Any] | None = None,
    preset_text: str | None = None,
) -> bool:
    """Whether a new party was made; an existing one only has its tables brought up.

    `values` are further settings; `preset_text` becomes the file that `preset` names. Raises
    SettingsError before anything is written where they are wrong or the folder is not empty.
    """
    is_made = not (folder / FILE_NAME).is_file()
    if is_made:
        refuse_in_tree(folder)
        inside = {path.name for path in folder.iterdir()} if folder.is_dir() else set()
        if folder.is_file() or inside - {preset}:
            raise SettingsError(f"{folder} is not empty. Name a new folder for the party.")
        if preset_text is None:
            load_preset(preset, folder)
        elif preset in inside and read_text(folder / preset) != preset_text:
            raise SettingsError(
                f"{folder} holds another {preset}, which was not overwritten. Name a new folder "
                f"for the party, or make it with --preset {folder / preset}."
            )
        settings = {"name": name, "preset": preset, "flickr": {"key": ""}, **(values or {})}
        make_settings(settings)
        text = _HEADER + format_toml(settings)
        try:
            if preset_text is not None and preset not in inside:
                write_whole(folder / preset, preset_text.encode())
            write_whole(folder / FILE_NAME, text.encode(), mode=0o600)
        except OSError as error:
            raise SettingsError(f"No party can be made in {folder}: {error.strerror}.") from error
    with open_party(folder, is_new=True) as party:
        upgrade_catalogue(party.catalogue)
        begin_store(party.catalogue, party.store, party.folder)
        with party.catalogue.writing() as session:
            register_words(session, party.file_preset)
    return is_made


def format_toml(values: Mapping[str, Any]) -> str:
    """TOML text of a mapping of plain values and of one level of tables."""
    plain = {key: value for key, value in values.items() if not isinstance(value, Mapping)}
    tables = {key: value for key, value in values.items() if isinstance(value, Mapping)}
    text = "".join(f"{key} = {_format_value(value)}\n" for key, value in plain.items())
    return text + "".join(f"\n[{key}]\n{format_toml(table)}" for key, table in tables.items())


def _format_value(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
