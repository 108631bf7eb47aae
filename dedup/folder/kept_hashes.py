"""What the files of one folder hash to, kept in a file, so that a second run decodes new ones only.

The file lies in the user's cache and may be deleted at any time; nothing is written to the folder.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    Row,
    Table,
    Text,
    delete,
    exc,
    insert,
    select,
)

from catalog.session import Catalogue, in_parts, open_catalogue
from dedup.candidates import Rows, ViewTable, make_view_table
from dedup.errors import DedupError
from dedup.matching import Source
from dedup.signature.features import Words, unpack_features
from dedup.signature.signature import (
    RECIPE,
    Shown,
    unpack_layout,
    unpack_views,
    unpack_words,
)

_SOME = 500  # pictures of one statement
_TABLES = MetaData()
_IMAGE = Table(
    "image",
    _TABLES,
    Column("sha256", Text, primary_key=True),
    Column("recipe", Text, nullable=False),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("quality", Float, nullable=False),
    Column("real_px", Integer, nullable=False),
    Column("jpeg_quality", Float, nullable=False),
    Column("views", LargeBinary, nullable=False),
    Column("words", LargeBinary, nullable=False),
    Column("features", LargeBinary, nullable=False),
    Column("luma", LargeBinary, nullable=False),
    Column("shown", LargeBinary, nullable=False),
)
_FILE = Table(
    "file",
    _TABLES,
    Column("path", LargeBinary, primary_key=True),
    Column("bytes", BigInteger, nullable=False),
    Column("changed_ns", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False, index=True),
)


@dataclass(frozen=True)
class FileStamp:
    """How a file looked when it was read: its size, and when it or its entry changed last."""

    bytes: int
    changed_ns: int


@dataclass(frozen=True)
class FileHashes:
    """One file of the folder and what its picture hashes to."""

    path: str
    stamp: FileStamp
    sha256: str
    image: FolderImage
    signature: dict[str, Any]
    """Its columns, but those that decide."""


@dataclass(frozen=True)
class FolderImage:
    """What decides which of several copies is kept: size in pixels, real pixels, qualities."""

    width: int
    height: int
    quality: float
    real_px: int
    jpeg_quality: float


_DECIDES = tuple(_IMAGE.c[field.name] for field in fields(FolderImage))


class KeptHashes:
    """The hashes of a folder's files; threads may read them at the same time."""

    def __init__(self, database: Catalogue) -> None:
        self._database = database

    def list_files(self) -> dict[str, tuple[FileStamp, str]]:
        """The stamp and the digest of each file that is known, by its path."""
        with self._database.reading() as session:
            rows = session.execute(select(_FILE))
            return {
                os.fsdecode(row.path): (FileStamp(row.bytes, row.changed_ns), row.sha256)
                for row in rows
            }

    def save(self, files: Collection[FileHashes]) -> None:
        """Keep these, durably; what was kept of the same paths is replaced."""
        if not files:
            return
        images = [
            {"sha256": hashed.sha256, **asdict(hashed.image), **hashed.signature}
            for hashed in files
        ]
        rows = [
            {"path": os.fsencode(hashed.path), "sha256": hashed.sha256, **asdict(hashed.stamp)}
            for hashed in files
        ]
        with self._database.writing() as session:
            session.execute(insert(_IMAGE).prefix_with("OR REPLACE"), images)
            session.execute(insert(_FILE).prefix_with("OR REPLACE"), rows)

    def forget(self, paths: Iterable[str]) -> None:
        """Forget files that are gone, and the pictures that no file has any more."""
        with self._database.writing() as session:
            for some in in_parts([os.fsencode(path) for path in paths], _SOME):
                session.execute(delete(_FILE).where(_FILE.c.path.in_(some)))
            session.execute(delete(_IMAGE).where(_IMAGE.c.sha256.not_in(select(_FILE.c.sha256))))

    def load_images(self, digests: Sequence[str]) -> list[FolderImage]:
        """What decides about each of these pictures, in their order."""
        rows = {row.sha256: FolderImage(*row[1:]) for row in self._load(digests, *_DECIDES)}
        return [rows[sha256] for sha256 in digests]

    def make_source(self, digests: Sequence[str]) -> Source:
        """Where the signatures of these pictures are, whose ids are their places from 1 on."""

        def read(image_ids: Rows, *columns: Column[Any]) -> dict[int, Row[Any]]:
            places = {digests[image_id - 1]: image_id for image_id in np.unique(image_ids).tolist()}
            return {places[row.sha256]: row for row in self._load(list(places), *columns)}

        def load_views(image_ids: Rows) -> ViewTable:
            rows = read(image_ids, _IMAGE.c.views)
            ids = sorted(rows)
            return make_view_table(ids, [unpack_views(rows[image_id].views) for image_id in ids])

        def load_words(image_ids: Rows) -> list[Words]:
            rows = read(image_ids, _IMAGE.c.words)
            return [unpack_words(rows[image_id].words) for image_id in image_ids.tolist()]

        def load_known(image_ids: Rows) -> dict[int, Shown]:
            columns = _IMAGE.c.luma, _IMAGE.c.shown, _IMAGE.c.views, _IMAGE.c.features
            return {
                image_id: Shown(
                    row.luma, row.shown, unpack_layout(row.views), unpack_features(row.features)
                )
                for image_id, row in read(image_ids, *columns).items()
            }

        return Source(load_views, load_words, load_known)

    def _load(self, digests: Sequence[str], *columns: Column[Any]) -> Iterator[Row[Any]]:
        for part in in_parts(digests, _SOME):
            with self._database.reading() as session:
                statement = select(_IMAGE.c.sha256, *columns).where(_IMAGE.c.sha256.in_(part))
                rows = session.execute(statement).all()
            if len(rows) != len(part):
                raise DedupError(
                    "Another run over this folder was at work at the same time; run this again "
                    "once it has ended."
                )
            yield from rows


@contextmanager
def open_kept_hashes(folder: Path) -> Iterator[KeptHashes]:
    """The hashes that are kept of a folder, without those of another recipe.

    Raises DedupError where they cannot be kept.
    """
    with open_hashes_in(name_kept_file(folder)) as kept:
        yield kept


@contextmanager
def open_hashes_in(place: Path) -> Iterator[KeptHashes]:
    """The hashes that are kept in a file, as `open_kept_hashes` keeps them; raises DedupError."""
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _refuse(place, error.strerror) from error
    database = open_catalogue(f"sqlite:///{place}")
    try:
        with database.writing() as session:
            _TABLES.create_all(session.connection())
            stale = select(_IMAGE.c.sha256).where(_IMAGE.c.recipe != RECIPE)
            session.execute(delete(_FILE).where(_FILE.c.sha256.in_(stale)))
        yield KeptHashes(database)
    except exc.DatabaseError as error:
        raise _refuse(place, error.orig) from error
    finally:
        database.close()


def name_kept_file(folder: Path) -> Path:
    """Where the hashes of a folder are kept: below XDG_CACHE_HOME, or ~/.cache without it.

    Raises DedupError where there is no such place.
    """
    whole = folder.resolve()
    name = re.sub(r"[^\w.-]+", "_", whole.name)[:60]
    digest = hashlib.sha256(os.fsencode(whole)).hexdigest()[:16]
    cache = os.environ.get("XDG_CACHE_HOME")
    try:
        below = Path(cache) if cache else Path("~/.cache").expanduser()
    except RuntimeError as error:
        raise DedupError(
            "There is no home folder in which hashes could be kept; set XDG_CACHE_HOME to a folder "
            "for them."
        ) from error
    return below / "vocparty" / "hashes" / f"{name}-{digest}.sqlite"


def _refuse(place: Path, reason: object) -> DedupError:
    return DedupError(
        f"The hashes of this folder cannot be kept in {place}: {reason}. Make room there or delete "
        "the file, or set XDG_CACHE_HOME to another folder; then run this again."
    )
