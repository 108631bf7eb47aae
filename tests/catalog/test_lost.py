"""Which errors of the database mean that it is gone, and which are bugs."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner
from sqlalchemy import text
from sqlalchemy.exc import OperationalError, PendingRollbackError, ProgrammingError

from catalog.command import CommandGroup
from catalog.lost import describe_loss
from catalog.session import open_catalogue
from tests.postgres import Server


class _DatabaseError(Exception):
    pass


def full() -> OperationalError:
    return OperationalError("INSERT", {}, _DatabaseError("database or disk is full"))


def test_a_full_disk_is_a_loss() -> None:
    assert describe_loss(full()) == (
        "The catalogue did not answer: database or disk is full; "
        "run the same command again when it does."
    )


@pytest.mark.parametrize(
    "error",
    [
        OperationalError("SELECT", {}, _DatabaseError("no such table: photos")),
        ProgrammingError("SELECT", {}, _DatabaseError("syntax error")),
        ValueError("disk is full"),
    ],
)
def test_a_bug_is_no_loss(error: Exception) -> None:
    assert describe_loss(error) is None


def test_what_comes_after_a_loss_is_one_too() -> None:
    assert describe_loss(PendingRollbackError("roll back first")) is not None


@pytest.mark.postgres
def test_a_cut_connection_is_a_loss(postgres_server: Server) -> None:
    name = postgres_server.make_database()
    catalogue = open_catalogue(postgres_server.url(name))
    try:
        with pytest.raises(OperationalError) as caught, catalogue.reading() as session:
            session.execute(text("SELECT 1"))
            postgres_server.cut_connections(name)
            session.execute(text("SELECT 1"))
    finally:
        catalogue.close()
    assert (describe_loss(caught.value) or "").startswith("The catalogue did not answer: ")


def test_a_server_that_is_not_there_is_a_loss() -> None:
    catalogue = open_catalogue("postgresql+psycopg://nobody@127.0.0.1:1/none")
    with pytest.raises(OperationalError) as caught, catalogue.reading() as session:
        session.execute(text("SELECT 1"))
    catalogue.close()
    assert (describe_loss(caught.value) or "").startswith("The catalogue did not answer: ")


def test_a_command_ends_with_the_sentence() -> None:
    @click.group(cls=CommandGroup)
    def group() -> None:
        pass

    @group.command()
    def work() -> None:
        raise full()

    done = CliRunner().invoke(group, ["work"])
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: The catalogue did not answer: database or disk is full;")
