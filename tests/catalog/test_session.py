import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from sqlalchemy import create_engine, exc, func, insert, select, text

from catalog.command import PartyCommandGroup
from catalog.party import Party
from catalog.session import LEAST_WAIT_MS, describe_loss, open_catalogue
from catalog.states import Role, Source
from catalog.tables import Person, Photo, Query
from tests.postgres import Server
from tests.rows import at_once, load_rows, make_person

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


def count_people(party: Party) -> int:
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(Person)) or 0


def test_sqlite_uses_wal_full_sync_and_foreign_keys(party: Party) -> None:
    with party.catalogue.reading() as session:
        assert session.scalar(text("PRAGMA journal_mode")) == "wal"
        assert session.scalar(text("PRAGMA synchronous")) == 2
        assert session.scalar(text("PRAGMA foreign_keys")) == 1


def test_a_failed_writing_block_and_a_reading_block_leave_nothing(any_party: Party) -> None:
    with pytest.raises(RuntimeError), any_party.catalogue.writing() as session:
        session.add(make_person("ann", NOW))
        session.flush()
        raise RuntimeError
    assert count_people(any_party) == 0
    with any_party.catalogue.reading() as session:
        session.add(make_person("ann", NOW))
        session.flush()
    assert count_people(any_party) == 0


def test_a_reading_block_sees_one_snapshot(any_party: Party) -> None:
    with any_party.catalogue.reading() as session:
        count = select(func.count()).select_from(Person)
        assert session.scalar(count) == 0
        with any_party.catalogue.writing() as other:
            other.add(make_person("ann", NOW))
        assert session.scalar(count) == 0
    assert count_people(any_party) == 1


def test_a_write_waits_in_full_though_another_waited_in_vain_before_it(party: Party) -> None:
    """Only those who were waiting at the same time give up with the first of them."""
    catalogue = party.catalogue
    impatient = replace(catalogue, patience_secs=0.1)
    elsewhere = create_engine(catalogue.engine.url, isolation_level="AUTOCOMMIT")
    with elsewhere.connect() as other:
        other.exec_driver_sql("BEGIN IMMEDIATE")
        with pytest.raises(exc.OperationalError), impatient.writing():
            raise AssertionError("the other one holds the write lock")
        unlocking = threading.Timer(4 * LEAST_WAIT_MS / 1000, other.exec_driver_sql, ["ROLLBACK"])
        unlocking.start()
        with catalogue.writing() as session:
            session.add(make_person("ann", NOW))
        unlocking.join()
    elsewhere.dispose()
    assert count_people(party) == 1


@pytest.mark.postgres
def test_a_session_that_waited_for_a_lock_sees_the_committed_rows(postgres_url: str) -> None:
    """Also on a server whose default isolation level is serializable."""
    url = f"{postgres_url}&options=-c%20default_transaction_isolation%3Dserializable"
    catalogue = open_catalogue(url)
    count = select(func.count()).select_from(Person)
    everybody = select(Person.id).with_for_update()
    with catalogue.writing() as session:
        session.add(make_person("ann", NOW))
    with catalogue.writing() as session:
        assert session.scalar(count) == 1
        with catalogue.writing() as other:
            other.add(make_person("ben", NOW))
        assert len(session.scalars(everybody).all()) == session.scalar(count) == 2
    catalogue.close()


def test_a_row_with_a_broken_reference_or_a_duplicate_key_is_refused(any_party: Party) -> None:
    photo = Photo(source=Source.FLICKR, source_id="1", query_id=99, found_at=NOW)
    with pytest.raises(exc.IntegrityError), any_party.catalogue.writing() as session:
        session.add(photo)

    def add() -> None:
        with any_party.catalogue.writing() as session:
            session.add(Photo(source=Source.FLICKR, source_id="7", found_at=NOW))

    add()
    with pytest.raises(exc.IntegrityError):
        add()


def test_times_are_read_back_in_utc_and_need_a_time_zone(any_party: Party) -> None:
    eastern = timezone(timedelta(hours=-5))
    with any_party.catalogue.writing() as session:
        person = make_person("ann", NOW)
        person.seen_at = datetime(2026, 1, 1, 7, tzinfo=eastern)
        session.add(person)
    assert load_rows(any_party, select(Person.seen_at)) == [NOW]
    person = make_person("ann", NOW)
    person.seen_at = datetime(2026, 1, 1)  # noqa: DTZ001
    with (
        pytest.raises(exc.StatementError, match="time zone"),
        any_party.catalogue.writing() as session,
    ):
        session.add(person)


KILLED = """
import os, signal, sys
from datetime import UTC, datetime
from pathlib import Path
from catalog.party import open_party
from catalog.states import Source
from catalog.tables import Query

with open_party(Path(sys.argv[1])) as party:
    for number in range(1000):
        with party.catalogue.writing() as session:
            session.add(Query(source=Source.FLICKR, class_id="cat", keyword=str(number)))
        print(number, flush=True)
        if number == 20:
            os.kill(os.getpid(), signal.SIGKILL)
"""


def test_commits_acknowledged_before_a_kill_are_kept(party: Party) -> None:
    command = [sys.executable, "-c", KILLED, str(party.folder)]
    root = Path(__file__).parents[2]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    assert done.returncode == -9, done.stderr
    acknowledged = done.stdout.split()
    assert len(acknowledged) == 21
    assert load_rows(party, select(Query.keyword).order_by(Query.id)) == acknowledged


def test_writing_threads_wait_for_each_other_and_lose_no_update(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        session.add(make_person("ann", NOW))

    def add_letters() -> None:
        for _ in range(5):
            with any_party.catalogue.writing() as session:
                person = session.scalars(select(Person).with_for_update()).one()
                person.name += "n"

    at_once(*[add_letters] * 6)
    assert load_rows(any_party, select(Person.name)) == ["ann" + "n" * 30]


class _DatabaseError(Exception):
    pass


def full(says: str = "database or disk is full") -> exc.OperationalError:
    return exc.OperationalError("INSERT", {}, _DatabaseError(says))


@pytest.mark.parametrize(
    ("says", "fault"),
    [
        ("database or disk is full", "full"),
        ("could not extend file: No space left on device", "full"),
        ("attempt to write a readonly database", "read-only"),
        ("could not open file: Read-only file system", "read-only"),
    ],
)
def test_a_disk_that_takes_nothing_is_described_as_such(says: str, fault: str) -> None:
    """As SQLite words it, and as PostgreSQL does."""
    sentence = describe_loss(full(says))
    assert sentence is not None
    assert sentence.startswith(f"The disk of the catalogue is {fault}. Nothing is lost. M")
    assert sentence.endswith("run the same command again.")
    assert describe_loss(exc.PendingRollbackError("roll back first")) is not None


def test_a_fault_that_ended_a_transaction_is_told_and_not_its_lost_savepoints(
    party: Party,
) -> None:
    """SQLite ends the whole transaction where the disk is full."""
    people = [{"name": f"ann {number}" * 99, "name_key": f"{number}"} for number in range(999)]
    same = {"role": Role.ANNOTATOR, "created_at": NOW}
    rows = [row | same | {"credential_sha256": row["name_key"]} for row in people]
    with (
        pytest.raises(exc.OperationalError, match="database or disk is full"),
        party.catalogue.writing() as session,
        session.begin_nested(),
        session.begin_nested(),
    ):
        session.execute(text("PRAGMA max_page_count = 1"))
        session.execute(insert(Person), rows)
    assert count_people(party) == 0


@pytest.mark.parametrize(
    "error",
    [
        exc.OperationalError("SELECT", {}, _DatabaseError("no such table: photos")),
        exc.ProgrammingError("SELECT", {}, _DatabaseError("syntax error")),
        ValueError("disk is full"),
    ],
)
def test_a_bug_is_not_described_as_a_lost_catalogue(error: Exception) -> None:
    assert describe_loss(error) is None


@pytest.mark.postgres
def test_a_cut_connection_is_described_as_a_lost_catalogue(postgres_server: Server) -> None:
    name = postgres_server.make_database()
    catalogue = open_catalogue(postgres_server.url(name))
    try:
        with pytest.raises(exc.OperationalError) as caught, catalogue.reading() as session:
            session.execute(text("SELECT 1"))
            postgres_server.cut_connections(name)
            session.execute(text("SELECT 1"))
    finally:
        catalogue.close()
    assert (describe_loss(caught.value) or "").startswith("Cannot use the catalogue: ")


def test_an_unreachable_server_is_described_as_a_lost_catalogue() -> None:
    catalogue = open_catalogue("postgresql+psycopg://nobody@127.0.0.1:1/none")
    with pytest.raises(exc.OperationalError) as caught, catalogue.reading() as session:
        session.execute(text("SELECT 1"))
    catalogue.close()
    assert (describe_loss(caught.value) or "").startswith("Cannot use the catalogue: ")


def test_a_command_that_loses_the_catalogue_ends_with_one_sentence() -> None:
    @click.group(cls=PartyCommandGroup)
    def group() -> None:
        pass

    @group.command()
    def work() -> None:
        raise full()

    done = CliRunner().invoke(group, ["work"])
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: The disk of the catalogue is full. Nothing is lost.")
