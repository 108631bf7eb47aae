"""A disk that is full or read-only is told as such, loses nothing, and needs no restart."""

import resource
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import pytest
from sqlalchemy import Connection, Engine, event

from tests.annotate_ui.house import House, thing
from tests.dedup.images import add_file
from tests.dedup.photographs import jpeg, originals


@dataclass
class Disk:
    """What SQLite is told of its disk at the begin of each transaction, in all catalogues."""

    pragma: str = ""

    def tell(self, connection: Connection) -> None:
        if self.pragma and connection.dialect.name == "sqlite":
            connection.exec_driver_sql(f"PRAGMA {self.pragma}")


@pytest.fixture
def disk() -> Iterator[Disk]:
    disk = Disk()
    event.listen(Engine, "begin", disk.tell)
    try:
        yield disk
    finally:
        event.remove(Engine, "begin", disk.tell)


FAULTS = {
    "full": ("max_page_count = 1", "max_page_count = 1073741823"),
    "read-only": ("query_only = ON", "query_only = OFF"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_people_are_told_and_go_on_once_the_disk_is_well(
    small: House, disk: Disk, fault: str
) -> None:
    zoe = small.enter(small.add_person("zoe"))
    task = zoe.take()
    ill, well = FAULTS[fault]
    disk.pragma = ill
    objects = [thing(key=f"k{at}", box=[1, 1, 50 + at, 60]) for at in range(200)]
    answers = [zoe.save(task, finish=False, objects=objects) for _ in range(2)]
    for answer in answers:
        assert answer.status_code == 503
        assert f"The server's disk is {fault}; nothing was saved." in answer.text
        assert "busy" not in answer.text
    assert zoe.get("/annotate").status_code == 200
    disk.pragma = well
    assert zoe.save(task).status_code == 201


@pytest.mark.parametrize("fault", FAULTS)
def test_a_command_ends_in_a_sentence_and_continues_later(
    small: House, disk: Disk, fault: str
) -> None:
    for name in ("rocket", "coffee", "astronaut"):
        add_file(small.party, jpeg(originals()[name]))
    disk.pragma, well = FAULTS[fault]
    done = small.run("dedup")
    assert done.exit_code == 1
    assert f"Error: The disk of the catalogue is {fault}. Nothing is lost." in done.output
    disk.pragma = well
    assert small.run("dedup").exit_code == 0


@contextmanager
def no_room() -> Iterator[None]:
    """No file of this process grows beyond a kilobyte, as on a disk without a free block."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_disk_on_which_sqlite_cannot_even_open_a_catalogue_is_told_as_full(
    small: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite needs a file beside it, and says "disk I/O error" where there is no room for one."""
    small.party.catalogue.close()
    real = shutil.disk_usage
    monkeypatch.setattr(shutil, "disk_usage", lambda path: real(path)._replace(free=0))
    for words in (("progress",), ("doctor", "--port", "0"), ("dedup",)):
        with no_room():
            done = small.run(*words)
        assert done.exit_code == 1
        assert "The disk of the catalogue is full. Nothing is lost. Make room" in done.output
        assert "amaged" not in done.output
    monkeypatch.undo()
    assert small.run("progress").exit_code == 0
