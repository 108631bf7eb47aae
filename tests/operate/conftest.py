"""A party in which people worked: files, drafts, revisions, a review, a lease, a confirmed box."""

import hashlib
import itertools
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import requests
from sqlalchemy import ColumnElement, select, true
from sqlalchemy.orm import Session

from catalog.party import Party, open_party
from catalog.session import Catalogue
from catalog.states import PhotoState, QuestionKind, Said
from catalog.tables import Base, Image, Question, QuestionAnswer
from operate import move as move_module
from tests.annotate_ui.house import House, make_jpeg
from tests.suggesting import XYXY, suggest
from work.lease_endings import Ending, release_leases


@pytest.fixture
def worked(any_party: Party) -> House:
    """The party on SQLite and on PostgreSQL."""
    return fill(any_party)


@pytest.fixture(scope="session")
def filled_template(
    party_template: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, int]:
    """The folder of the filled party on SQLite, and the first number that it leaves free."""
    folder = Path(shutil.copytree(party_template, tmp_path_factory.mktemp("filled") / "party"))
    with open_party(folder) as party:
        return folder, next(fill(party).numbers)


@pytest.fixture
def small(filled_template: tuple[Path, int], tmp_path: Path) -> Iterator[House]:
    """The party on SQLite, a copy."""
    folder, free_number = filled_template
    with open_party(Path(shutil.copytree(folder, tmp_path / "party"))) as party:
        house = House(party)
        house.numbers = itertools.count(free_number)
        yield house


def fill(party: Party) -> House:
    house = House(party)
    for colour in ("navy", "green", "grey"):
        data = make_jpeg(colour)
        image_id = house.add_image(title="Ünïcode 猫")
        digest = party.store.put(data)
        with party.catalogue.writing() as session:
            image = session.get_one(Image, image_id)
            image.sha256 = digest
            image.photos[0].state = PhotoState.FETCHED
    ann = house.ann()
    chris = house.chris()
    ann.save(ann.take())
    ann.save(ann.take(), finish=False)
    chris.review(chris.take("check"), "fixed")
    confirm_box(house, image_id)
    return house


def confirm_box(house: House, image_id: int) -> None:
    """What a model suggested for an image, and that ann and chris called it right."""
    [number] = suggest(house.party, image_id)
    corners = dict(zip(("xmin", "ymin", "xmax", "ymax"), XYXY, strict=True))
    about = {"image_id": image_id, "class_id": "person", "suggestion_id": number, **corners}
    at = house.clock.at
    with house.party.catalogue.writing() as session:
        for person_id in (house.person("ann").id, house.person("chris").id):
            asked = {"kind": QuestionKind.BOX, "person_id": person_id, "asked_at": at}
            question = Question(**about, **asked)
            session.add(question)
            session.flush()
            said = {"said": Said.RIGHT, "answered_at": at, "took_ms": 900}
            session.add(QuestionAnswer(question_id=question.id, **said))


def dump(catalogue: Catalogue) -> dict[str, list[Any]]:
    """Every row of every table, as values that are the same on both databases."""
    with catalogue.reading() as session:
        return dump_of(session)


def dump_of(session: Session) -> dict[str, list[Any]]:
    """The same of what a session sees."""
    return {
        table.name: list(map(tuple, session.execute(select(table).order_by(*table.primary_key))))
        for table in Base.metadata.sorted_tables
    }


def dump_restored(catalogue: Catalogue) -> dict[str, list[Any]]:
    """The rows of a restored party without the one that records the restore, which is checked."""
    rows = dump(catalogue)
    restored = rows["instance"].pop()
    assert restored[2] is True
    return rows


def dump_files(folder: Path) -> dict[str, str]:
    """The digest of every file below a folder, but for what lasts until rows are seen."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-wal", "-shm", ".new"))
    }


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The URL of a folder in an object store that speaks S3, here in this process."""
    import fsspec
    from moto.server import ThreadedMotoServer

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    server = ThreadedMotoServer("127.0.0.1", 0)
    server.start()
    host, port = server.get_host_and_port()
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    # what an earlier test asked at another address is kept for all of this process
    fsspec.get_filesystem_class("s3").clear_instance_cache()
    try:
        # every server of this process has the same buckets, also those of an earlier test
        requests.post(f"http://{host}:{port}/moto-api/reset", timeout=30).raise_for_status()
        requests.put(f"http://{host}:{port}/zoo", timeout=30).raise_for_status()
        yield "s3://zoo/images"
    finally:
        server.stop()
        fsspec.get_filesystem_class("s3").clear_instance_cache()  # the next server has another port


MOVED_AT = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def moved_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leases end at one moment in a moved party, and in the copy that it is compared with."""

    def end(session: Session, chosen: ColumnElement[bool], how: Ending, **_at: datetime) -> int:
        return release_leases(session, chosen, how, at=MOVED_AT)

    monkeypatch.setattr(move_module, "release_leases", end)


def dump_moved(catalogue: Catalogue) -> dict[str, list[Any]]:
    """Every row as a move leaves it: the leases that were left are over."""
    with catalogue.engine.connect() as connection, Session(connection) as session:
        release_leases(session, true(), "taken_back", at=MOVED_AT)
        session.flush()
        rows = dump_of(session)
        session.rollback()
    return rows
