"""Whose an image store is: that of one catalogue, and of no copy of it.

The catalogue and the store's mark hold the same token. A copy of the catalogue holds it too, so the
mark also says where the catalogue is, and a copy is somewhere else. A store in the folder of its
SQLite file is copied and moved together with it, and stays its own.
"""

from __future__ import annotations

import json
import os
import platform
import secrets
from pathlib import Path
from typing import Any

from sqlalchemy import Engine, delete, insert, select

from vockit.format.plural import format_count

from .errors import StoreAwayError, StoreOwnerError
from .image_store import MARK_FILE, ImageStore, Seal
from .session import Catalogue
from .stored_files import load_named_digests
from .tables import StoreOwner

Place = dict[str, str | int]

_TO_CLAIM = "`vocparty doctor --claim-store`"
_NOTHING = "Nothing was changed."
_ANOTHERS = (
    "The image store {place} is another party's. Name a new folder as `images` in party.toml; or, "
    "if it is this party's and its catalogue is lost, bring that back with `vocparty restore`. "
    f"{_NOTHING}"
)


def seal_store(catalogue: Catalogue, store: ImageStore) -> ImageStore:
    """The store, sealed for the party of the catalogue; StoreOwnerError where it is not its own."""
    token = read_token(catalogue)
    mark = store.read_mark()
    if token is None:
        raise StoreOwnerError(
            f"The image store {store.place} was not made yet. Make it with `vocparty init DIR`."
        )
    if mark is None:
        raise StoreAwayError(
            f"The image store of this party is not here: {store.place} has no {MARK_FILE}. Mount "
            f"its disk, or correct `images` in party.toml. {_NOTHING} To begin a new store there, "
            f"run {_TO_CLAIM}."
        )
    if fault := _find_fault(catalogue, store, token, mark):
        raise StoreOwnerError(f"{fault} {_NOTHING}")
    return store.sealed(Seal(token, mark))


def begin_store(catalogue: Catalogue, store: ImageStore, folder: Path) -> None:
    """Give a new catalogue its token and its store the mark; those that are there stay.

    An empty store in the party's `folder` is taken over from the catalogue that the party had
    before. Raises StoreOwnerError where the store is another party's.
    """
    if read_token(catalogue) is not None:
        return
    refuse_filled(store)
    mark = store.read_mark()
    token = _parse_mark(mark).get("token", "") if mark else ""
    if not token or not _is_at(_parse_mark(mark), catalogue, store):  # else init was killed here
        if mark and (store.folder is None or folder not in store.folder.parents):
            raise StoreOwnerError(_ANOTHERS.format(place=store.place))
        token = _make_token()
        store.write_mark(_format_mark(token, catalogue, store))
    _save_token(catalogue, token)


def refuse_filled(store: ImageStore) -> None:
    """Raise StoreOwnerError where a new catalogue would get a store with files."""
    if next(store.digests(), None) is not None:
        raise StoreOwnerError(_ANOTHERS.format(place=store.place))


def claim_store(catalogue: Catalogue, store: ImageStore) -> ImageStore:
    """The store, now this catalogue's own; the one that had it is refused from now on.

    Raises StoreOwnerError where the store has none of the files that the catalogue names, or files
    though the catalogue names none: they are another party's. The token is a new one, so what
    another copy stored and did not record is not taken for one's own.
    """
    with catalogue.reading() as session:
        wanted = load_named_digests(session)
    stored = set(store.digests())
    if wanted and wanted.isdisjoint(stored):
        raise StoreOwnerError(
            f"{store.place} was not claimed: it has none of the {len(wanted):,} files that this "
            "party names. Mount its disk, or copy the files there first."
        )
    if stored and not wanted:
        raise StoreOwnerError(
            f"{store.place} was not claimed: it has {format_count(len(stored), 'file')}, and this "
            "party names none. Name a new folder as `images` in party.toml."
        )
    token = _make_token()
    store.write_mark(_format_mark(token, catalogue, store))
    _save_token(catalogue, token)
    return seal_store(catalogue, store)


def hand_over_store(catalogue: Catalogue, store: ImageStore) -> None:
    """Mark a store for a catalogue to which all rows of its party were moved."""
    store.write_mark(_format_mark(read_token(catalogue) or "", catalogue, store))


def refuse_foreign(store: ImageStore, *owners: Catalogue) -> None:
    """Raise StoreOwnerError where the store is not of one of these catalogues, which are one party.

    A copy of a store is nobody's yet, if its mark is that of a catalogue beside it and there is
    none.
    """
    mark = store.read_mark()
    if mark is None:
        return
    says = _parse_mark(mark)
    if says.get("token") not in map(read_token, owners):
        raise StoreOwnerError(f"The image store {store.place} is another party's. {_NOTHING}")
    if not any(_is_at(says, owner, store) for owner in owners) and not _is_copy(says, store):
        raise StoreOwnerError(
            f"The image store {store.place} is in use by the original of this party, or by a copy "
            f"of it{_describe(says)}. Name another place with --images. {_NOTHING}"
        )


def read_token(catalogue: Catalogue) -> str | None:
    """The party's token, None as long as it has none."""
    with catalogue.reading() as session:
        return session.scalar(select(StoreOwner.token).limit(1))


def format_mark(token: str, place: Place, store_place: Place | None = None) -> bytes:
    """The text of a store's mark."""
    mark: dict[str, Any] = {
        "about": "vocparty: whose image store this is. Do not delete or copy this file.",
        "token": token,
        "catalogue": place,
    }
    if store_place is not None:
        mark["store"] = store_place
    return (json.dumps(mark, indent=2) + "\n").encode()


def _find_fault(catalogue: Catalogue, store: ImageStore, token: str, mark: bytes) -> str:
    """Why the store is not the catalogue's own as one sentence with the way out, or ""."""
    says = _parse_mark(mark)
    if says.get("token") != token:
        return (
            f"The image store {store.place} is another party's{_describe(says)}. Name another "
            f"folder as `images` in party.toml; or, if that party is gone, run {_TO_CLAIM}."
        )
    if not _is_at(says, catalogue, store):
        return (
            f"This party was copied or moved, and the image store {store.place} is the "
            f"original's{_describe(says)}. Name a folder of its own as `images` in party.toml; "
            f"or, if the original is not used any more, run {_TO_CLAIM}."
        )
    if not _is_same(says.get("store"), _find_store_place(catalogue, store)):
        return (
            f"{store.place} is a copy of this party's image store, or was moved: a party with two "
            "stores has half of its files in each. Name the original as `images` in party.toml; "
            f"or, if it is not used any more, run {_TO_CLAIM}."
        )
    return ""


def _format_mark(token: str, catalogue: Catalogue, store: ImageStore) -> bytes:
    if store.folder is not None:
        store.folder.mkdir(parents=True, exist_ok=True)  # so that it has a number
    place = _find_place(catalogue, store)
    return format_mark(token, place, _find_store_place(catalogue, store))


def _is_copy(says: dict[str, Any], store: ImageStore) -> bool:
    """Whether the mark came here with a copy of a store, without the catalogue beside it."""
    place = says.get("catalogue")
    beside = place.get("beside") if isinstance(place, dict) else None
    is_here = store.folder is not None and Path(store.folder, str(beside)).exists()
    return beside is not None and not is_here


def _parse_mark(mark: bytes | None) -> dict[str, Any]:
    """What the mark says; nothing where it is damaged."""
    try:
        content = json.loads(mark or b"")
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}


def _describe(says: dict[str, Any]) -> str:
    """Where the store's catalogue is; nothing where it lay beside the store, as ours may do."""
    place = says.get("catalogue")
    where = place.get("path") if isinstance(place, dict) else None
    return f", whose catalogue is {where}" if where else ""


def _is_at(says: dict[str, Any], catalogue: Catalogue, store: ImageStore) -> bool:
    return _is_same(says.get("catalogue"), _find_place(catalogue, store))


def _is_same(noted: object, place: Place | None) -> bool:
    """Whether two places are one: a file keeps its number where it is renamed, a copy has another.

    The number of its disk may change, as at a mount elsewhere; then machine and path have to agree.
    """
    if not isinstance(noted, dict) or place is None:
        return noted == place
    shared = noted.keys() & place.keys()
    if "file" not in shared:  # one user of a server may ask for less than another
        return bool(shared) and all(noted[key] == place[key] for key in shared)
    noted_disk, _, noted_number = str(noted["file"]).rpartition("/")
    disk, _, number = str(place["file"]).rpartition("/")
    is_there = all(noted.get(key) == place[key] for key in ("machine", "path"))
    return noted_number == number and (noted_disk == disk or is_there)


def _find_place(catalogue: Catalogue, store: ImageStore) -> Place:
    """What the catalogue has and a copy of it lacks."""
    engine = catalogue.engine
    if engine.dialect.name == "postgresql":
        return _find_database(engine)
    file = Path(engine.url.database or "").resolve()
    if _is_beside(file, store):
        return {"beside": os.path.relpath(file, store.folder)}
    return _find_file(file)


def _find_store_place(catalogue: Catalogue, store: ImageStore) -> Place | None:
    """The same of the store; None where it is copied with its catalogue, or has an address."""
    engine = catalogue.engine
    file = Path(engine.url.database or "").resolve()
    if store.folder is None or (engine.dialect.name == "sqlite" and _is_beside(file, store)):
        return None
    return _find_file(store.folder)


def _is_beside(file: Path, store: ImageStore) -> bool:
    return store.folder is not None and file.parent in store.folder.parents


def _find_file(path: Path) -> Place:
    number = f"{os.statvfs(path).f_fsid:x}/{path.stat().st_ino:x}"
    return {"machine": platform.node(), "path": str(path), "file": number}


def _find_database(engine: Engine) -> Place:
    """The numbers that a server gave to itself, the database and our table.

    Where the server may not be asked for its own (PostgreSQL's pg_control_system), two numbers do.
    """
    with engine.connect() as connection:
        ask = connection.exec_driver_sql
        table = ask("SELECT 'store_owner'::regclass::oid::bigint").scalar_one()
        known = "SELECT oid::bigint FROM pg_database WHERE datname = current_database()"
        place: Place = {"database": ask(known).scalar_one(), "table": table}
        may = "SELECT has_function_privilege('pg_control_system()', 'execute')"
        if ask(may).scalar_one():
            server = ask("SELECT system_identifier::text FROM pg_control_system()")
            place["server"] = server.scalar_one()
    return place


def _make_token() -> str:
    return secrets.token_hex(16)


def _save_token(catalogue: Catalogue, token: str) -> None:
    with catalogue.writing() as session:
        session.execute(delete(StoreOwner))
        session.execute(insert(StoreOwner).values(id=1, token=token))
