"""Many rows into one table, by few statements."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from catalog.party import Party
from catalog.states import ImageState, Source
from catalog.tables import Image, Query, Search, as_table
from export.importing.bulk_insert import MOST_VALUES, bulk_insert, is_any_of

AT = datetime(2026, 6, 1, tzinfo=UTC)
COLUMNS = ("sha256", "width", "original_sha256", "height", "bytes")
AT_ONCE = (MOST_VALUES - 3) // len(COLUMNS)
"""Three values are shared."""


@pytest.mark.parametrize("count", [0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 3])
def test_every_row_is_there_with_its_own_values_and_the_shared_ones(
    any_party: Party, count: int
) -> None:
    insert(any_party, count)
    columns = Image.sha256, Image.width, Image.original_sha256, Image.height, Image.bytes
    shared = Image.state, Image.state_at, Image.stored_at
    with any_party.catalogue.reading() as session:
        found = session.execute(select(*columns, *shared).order_by(Image.bytes)).tuples().all()
    assert [row[:5] for row in found] == [make_row(number) for number in range(count)]
    assert {row[5:] for row in found} <= {(ImageState.CHECKED, AT, AT)}


def test_rows_that_are_all_alike_are_all_there(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        query = Query(source=Source.VOC, class_name="", keyword="VOC2012")
        session.add(query)
        session.flush()
        shared = {"dates": "taken", "licence_ids": "", "matches": 0, "returned": 0, "fresh": 0}
        rows = [(query.id, 1, AT)] * 3
        columns = ("query_id", "page", "searched_at")
        bulk_insert(session.connection(), as_table(Search), shared, columns, rows)
    with any_party.catalogue.reading() as session:
        found = session.execute(select(Search.page, Search.searched_at)).tuples().all()
    assert list(found) == [(1, AT)] * 3


@pytest.mark.parametrize("twice", [0, AT_ONCE, AT_ONCE + 1])
def test_a_row_that_may_not_be_there_leaves_none_of_them(any_party: Party, twice: int) -> None:
    with pytest.raises(IntegrityError):
        insert(any_party, AT_ONCE + 2, twice=twice)
    with any_party.catalogue.reading() as session:
        assert session.scalar(select(func.count()).select_from(Image)) == 0


@pytest.mark.parametrize("wanted", [[], [2], [1, 2, 3], [1, 3], [2, 4, 5]])
def test_rows_are_found_by_their_numbers_with_gaps_and_without(
    any_party: Party, wanted: list[int]
) -> None:
    insert(any_party, 5)
    statement = select(Image.id).where(is_any_of(as_table(Image).c.id, wanted))
    with any_party.catalogue.reading() as session:
        assert session.scalars(statement.order_by(Image.id)).all() == wanted


def insert(party: Party, count: int, twice: int | None = None) -> None:
    """So many images, one of them twice where it is said which."""
    numbers = [*range(count), *([] if twice is None else [twice])]
    shared = {"stored_at": AT, "state": ImageState.CHECKED, "state_at": AT}
    with party.catalogue.writing() as session:
        rows = map(make_row, numbers)
        bulk_insert(session.connection(), as_table(Image), shared, COLUMNS, rows)


def make_row(number: int) -> tuple[str, int, str | None, int, int]:
    """Values of which none is that of its neighbours."""
    original = f"{number:064}" if number % 3 else None
    return f"{number:064x}", 10 + number % 7, original, 20 + number % 11, number
