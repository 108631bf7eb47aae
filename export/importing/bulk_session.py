"""A transaction that writes many rows."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from sqlalchemy.orm import Session

from catalog.session import PAGE_CACHE_KB, Catalogue

BULK_CACHE_KB = 65_536
"""SQLite keeps so much of the file in memory meanwhile: rows with digests go all over its indices,
and with the small cache of other connections each of their pages is written many times."""
BULK_CHECKPOINT_PAGES, CHECKPOINT_PAGES = 8_000, 1_000
"""And after so many pages in its journal it moves them to the file; 1,000 is SQLite's own."""


@contextmanager
def writing_much(catalogue: Catalogue) -> Iterator[Session]:
    """As `Catalogue.writing`, as durable, with room for many pages while it lasts."""
    driver: Any = None
    try:
        with catalogue.writing() as session:
            if session.get_bind().dialect.name == "sqlite":
                driver = session.connection().connection.driver_connection
                _set(driver, BULK_CACHE_KB, BULK_CHECKPOINT_PAGES)
            yield session
    finally:
        if driver is not None:
            with suppress(sqlite3.ProgrammingError):  # it is closed where Ctrl-C met a statement
                _set(driver, PAGE_CACHE_KB, CHECKPOINT_PAGES)


def _set(driver: Any, cache_kb: int, checkpoint_pages: int) -> None:
    driver.execute(f"PRAGMA cache_size = {-cache_kb}").close()
    driver.execute(f"PRAGMA wal_autocheckpoint = {checkpoint_pages}").close()
