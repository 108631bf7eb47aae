"""A transaction that writes many rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy.orm import Session

from catalog.session import PAGE_CACHE_KB, Catalogue

BULK_CACHE_KB = 65_536
"""SQLite keeps so much of the file in memory meanwhile: rows with digests go all over its indices,
and with the small cache of other connections each of their pages is written many times."""


@contextmanager
def writing_much(catalogue: Catalogue) -> Iterator[Session]:
    """As `Catalogue.writing`, as durable, with room for many pages while it lasts."""
    driver: Any = None
    try:
        with catalogue.writing() as session:
            if session.get_bind().dialect.name == "sqlite":
                driver = session.connection().connection.driver_connection
                _set_cache(driver, BULK_CACHE_KB)
            yield session
    finally:
        if driver is not None:
            _set_cache(driver, PAGE_CACHE_KB)


def _set_cache(driver: Any, kilobytes: int) -> None:
    driver.execute(f"PRAGMA cache_size = {-kilobytes}").close()
