from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import insert, select, text
from sqlalchemy.exc import IntegrityError

from catalog import migrate
from catalog.errors import CatalogueError
from catalog.party import Party
from catalog.session import Catalogue, open_catalogue
from catalog.tables import Base, Part, Person
from tests.postgres import Server


def test_the_migrations_make_the_tables_of_the_models_and_can_run_twice(any_party: Party) -> None:
    with any_party.catalogue.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []
    migrate.upgrade_catalogue(any_party.catalogue)
    assert migrate.current_revision(any_party.catalogue) == migrate.list_revisions()[-1]


def test_rows_survive_an_upgrade_of_the_catalogue(any_party: Party) -> None:
    person = {"name": "ann", "name_key": "ann", "role": "annotator", "credential_sha256": "0" * 64}
    with any_party.catalogue.writing() as session:
        columns = {**person, "is_simulated": False, "created_at": "2026-01-01 00:00:00"}
        names = ", ".join(columns)
        marks = ", ".join(f":{name}" for name in columns)
        session.execute(text(f"INSERT INTO person ({names}) VALUES ({marks})"), columns)
    migrate.upgrade_catalogue(any_party.catalogue)
    with any_party.catalogue.reading() as session:
        assert session.scalars(select(Person.name)).all() == ["ann"]


@pytest.fixture
def make_url(postgres_server: Server) -> Iterator[Callable[[str], str]]:
    """Makes a database with what is said of it in SQL, without tables."""
    names = list[str]()

    def make(more: str) -> str:
        names.append(postgres_server.make_database(more=more))
        return postgres_server.url(names[-1])

    yield make
    for name in names:
        postgres_server.drop_database(name)


@pytest.mark.postgres
def test_postgresql_sorts_text_as_sqlite_does(make_url: Callable[[str], str]) -> None:
    catalogue = open_catalogue(make_url("LOCALE_PROVIDER icu ICU_LOCALE 'en' LOCALE 'C'"))
    migrate.upgrade_catalogue(catalogue)
    names = ["Zoe", "ann", "bob", "Ämil"]
    row = {
        "role": "annotator",
        "is_simulated": False,
        "created_at": datetime(2026, 1, 1, tzinfo=UTC),
    }
    with catalogue.writing() as session:
        rows = [
            {**row, "name": name, "name_key": name, "credential_sha256": f"{number:064}"}
            for number, name in enumerate(reversed(names))
        ]
        session.execute(insert(Person), rows)
    with catalogue.reading() as session:
        assert session.scalars(select(Person.name).order_by(Person.name)).all() == sorted(names)
    catalogue.close()


@pytest.mark.postgres
@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_hold_each_name_is_refused(
    make_url: Callable[[str], str], encoding: str
) -> None:
    catalogue = open_catalogue(make_url(f"ENCODING '{encoding}' LOCALE 'C'"))
    with pytest.raises(CatalogueError, match=f"has the encoding {encoding}.*createdb"):
        migrate.upgrade_catalogue(catalogue)
    catalogue.close()


def test_an_empty_or_invalid_database_file_is_reported_in_a_sentence(tmp_path: Path) -> None:
    catalogue = open_catalogue(f"sqlite:///{tmp_path}/empty.db")
    with pytest.raises(CatalogueError, match="vocparty init"):
        migrate.require_current(catalogue)
    catalogue.close()
    (tmp_path / "bad.db").write_bytes(b"this is not a database, but it is long enough" * 50)
    catalogue = open_catalogue(f"sqlite:///{tmp_path}/bad.db")
    with pytest.raises(CatalogueError, match="not a database"):
        migrate.upgrade_catalogue(catalogue)
    catalogue.close()


def test_the_database_refuses_an_unknown_role_and_an_invalid_box(any_party: Party) -> None:
    row = "('x', 'x', 'emperor', :digest, false, '2026-01-01 00:00:00')"
    columns = "(name, name_key, role, credential_sha256, is_simulated, created_at)"
    statement = text(f"INSERT INTO person {columns} VALUES {row}")
    with pytest.raises(IntegrityError), any_party.catalogue.writing() as session:
        session.execute(statement, {"digest": "1" * 64})
    part = {"object_id": 1, "number": 1, "word": "head", "ymin": 1, "ymax": 2}
    refused = pytest.raises(IntegrityError, match="x_order")
    with refused, any_party.catalogue.writing() as session:
        session.execute(insert(Part), {**part, "xmin": 9, "xmax": 8})


@pytest.mark.parametrize(
    ("change", "lacking"),
    [
        ("DROP TABLE segmentation_review", "segmentation_review"),
        ("ALTER TABLE release_image RENAME segmentation_id TO other", "release_image"),
    ],
)
def test_tables_older_than_segmentation_are_reported_with_what_to_do(
    any_party: Party, change: str, lacking: str
) -> None:
    with any_party.catalogue.engine.begin() as connection:
        connection.execute(text(change))
    for work in (migrate.require_current, migrate.upgrade_catalogue):
        with pytest.raises(CatalogueError, match=f"lacks {lacking}.*`vocparty import dataset`"):
            work(any_party.catalogue)


@pytest.mark.parametrize("work", [migrate.require_current, migrate.upgrade_catalogue])
def test_a_catalogue_of_an_unknown_version_is_reported_and_unchanged(
    any_party: Party, work: Callable[[Catalogue], None]
) -> None:
    with any_party.catalogue.writing() as session:
        session.execute(text("UPDATE alembic_version SET version_num = '0010'"))
    with pytest.raises(
        CatalogueError, match=r"version 0010; this program knows versions up to 0001"
    ):
        work(any_party.catalogue)
    with any_party.catalogue.reading() as session:
        assert session.scalar(text("SELECT version_num FROM alembic_version")) == "0010"
