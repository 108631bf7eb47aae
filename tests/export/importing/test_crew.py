"""Forked processes that read and store give what one process gives, and are never waited for."""

from __future__ import annotations

import os
import selectors
import shutil
import signal
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import func, select

from catalog.errors import ImageStoreError
from catalog.file_batch import FileBatch
from catalog.image_store import digest_of
from catalog.party import Party, open_party
from catalog.tables import Base, Image, Release
from export.importing import crew, job, share
from export.importing.brought import Brought
from export.importing.errors import ImportStoppedError, UnknownWordsError
from export.importing.job import ImportReport, TreeOrder, import_tree
from export.importing.share import ShareReading
from export.release import export_release
from tests.export.rows import jpeg_bytes
from tests.export.trees import CAT, annotation, make_tree, mask_bytes, write

pytestmark = pytest.mark.slow

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
LONGEST_SECS = 120


@pytest.fixture
def other_party(tmp_path: Path, party_template: Path) -> Iterator[Party]:
    shutil.copytree(party_template, tmp_path / "other")
    with open_party(tmp_path / "other") as other:
        yield other


@pytest.fixture
def forked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Shares of two images, each second one with another process; their ids as they are forked."""
    ids: list[int] = []
    fork = os.fork

    def counted() -> int:
        process_id = fork()
        ids.append(process_id)
        return process_id

    monkeypatch.setattr(crew, "FEWEST_IMAGES", 1)
    monkeypatch.setattr(crew, "can_fork", lambda: True)
    monkeypatch.setattr(crew, "count_processors", lambda: 2)
    monkeypatch.setattr(job, "IMAGES_AT_ONCE", 2)
    monkeypatch.setattr(os, "fork", counted)
    yield ids
    assert ids
    for process_id in ids:
        with pytest.raises(ProcessLookupError):
            os.kill(process_id, 0)


def run(party: Party, folder: Path, **more: object) -> ImportReport:
    return import_tree(party, TreeOrder(folder, **more), at=NOW)  # type: ignore[arg-type]


def dump(party: Party) -> dict[str, list[tuple[object, ...]]]:
    """All rows, but for the person's secret."""
    with party.catalogue.reading() as session:
        return {
            table.name: sorted(
                tuple(repr(value) for key, value in row._mapping.items() if "credential" not in key)
                for row in session.execute(select(table))
            )
            for table in Base.metadata.sorted_tables
        }


def count(party: Party, table: type) -> int:
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def spoil(root: Path) -> None:
    """Something of every kind that an import tells."""
    (root / "JPEGImages/2012_000001.jpg").unlink()
    path = root / "Annotations/2012_000002.xml"
    write(path, path.read_text().replace("<xmin>2<", "<xmin>0<").replace("\t", "  "))
    write(root / "JPEGImages/2012_000003.jpg", jpeg_bytes(2)[:-300])
    write(root / "Annotations/2012_000004.xml", "<annotation>")
    write(root / "README", "hello")


@pytest.mark.parametrize("is_spoilt", [False, True])
def test_processes_bring_in_what_one_process_does(
    any_party: Party, tmp_path: Path, forked: list[int], is_spoilt: bool
) -> None:
    root = make_tree(tmp_path / "in")
    if is_spoilt:
        spoil(root)
    report = run(any_party, root)
    assert len(forked) == 2
    assert report.imported == (3 if is_spoilt else 6)
    assert bool(report.mends) is is_spoilt


@pytest.mark.parametrize("is_spoilt", [False, True])
def test_rows_files_and_reports_are_the_same(
    party: Party,
    other_party: Party,
    tmp_path: Path,
    forked: list[int],
    is_spoilt: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    root = make_tree(tmp_path / "in")
    if is_spoilt:
        spoil(root)
    report = run(party, root)
    monkeypatch.setattr(crew, "can_fork", lambda: False)
    assert asdict(run(other_party, root)) == asdict(report)
    assert dump(other_party) == dump(party)
    assert list(other_party.store.digests()) == list(party.store.digests())
    plans = [
        export_release(it, tmp_path / "out" / it.folder.name, year=2012, at=NOW)
        for it in (party, other_party)
    ]
    assert plans[0].images == plans[1].images


def test_unknown_words_end_it_before_anything_is_stored(
    party: Party, tmp_path: Path, forked: list[int]
) -> None:
    root = make_tree(tmp_path)
    zebra = annotation("2012_000006", (replace(CAT, name="zebra"),))
    write(root / "Annotations/2012_000006.xml", zebra)
    with pytest.raises(UnknownWordsError, match=r"class zebra \(1\)"):
        run(party, root)
    assert count(party, Image) == 0
    assert list(party.store.digests()) == []
    assert run(party, root, only_known=True).imported == 5


def test_a_full_disk_is_told_and_the_same_import_goes_on(
    party: Party, tmp_path: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make_tree(tmp_path)
    write_file = FileBatch.write

    def full(batch: FileBatch, path: str, data: bytes) -> None:
        if data == jpeg_bytes(3):
            raise OSError(28, "No space left on device")
        write_file(batch, path, data)

    with monkeypatch.context() as patch:
        patch.setattr(FileBatch, "write", full)
        with pytest.raises(ImageStoreError, match="No space left"):
            run(party, root)
    there = count(party, Image)
    assert (there in (3, 5), count(party, Release)) == (True, 0)  # the last two, if they were begun
    assert_all_files_have_rows(party)
    report = run(party, root)
    assert (report.imported, report.were_there) == (6 - there, there)


def assert_all_files_have_rows(party: Party) -> None:
    """A file that no row leads to could never be found again, and so never be erased.

    Of masks the release tells when it is recorded.
    """
    with party.catalogue.reading() as session:
        files = {digest_of(mask_bytes()), *session.scalars(select(Image.sha256))}
    assert files >= set(party.store.digests())
    assert not list(party.store.folder.glob(".batch*")) if party.store.folder else False


def test_what_other_processes_brought_gets_its_rows_when_the_disk_is_full(
    party: Party, tmp_path: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second process waits for its first share until the first process has done all of its."""
    root = make_tree(tmp_path / "in")
    bring, done = share.Share.bring, tmp_path / "done"
    os.mkfifo(done)

    def in_turn(self: share.Share, *_args: object) -> Brought:
        if "2012_000003" in self._image_ids:
            done.read_bytes()
            return Brought(fault=ImageStoreError("The image store did not take a file: full."))
        brought = bring(self)
        if "2012_000005" in self._image_ids:
            done.write_bytes(b"1")
        return brought

    with monkeypatch.context() as patch:
        patch.setattr(share.Share, "bring", in_turn)
        with pytest.raises(ImageStoreError, match="full"):
            run(party, root)
    assert count(party, Image) == 4
    assert_all_files_have_rows(party)
    assert run(party, root).were_there == 4


@pytest.mark.parametrize("step", ["read", "bring"])
def test_a_process_that_is_killed_is_told_and_the_same_import_goes_on(
    party: Party, tmp_path: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    root = make_tree(tmp_path)
    work = getattr(share.Share, step)
    first = os.getpid()

    def killed(self: share.Share, *args: object) -> object:
        if os.getpid() != first and "2012_000003" in self._image_ids:
            os.kill(os.getpid(), signal.SIGKILL)
        return work(self, *args)

    with monkeypatch.context() as patch:
        patch.setattr(share.Share, step, killed)
        with pytest.raises(ImportStoppedError, match="the same command goes on"):
            run(party, root)
    assert count(party, Release) == 0
    report = run(party, root)
    assert report.imported + report.were_there == 6


def test_where_a_fork_fails_the_first_process_does_it_all(
    party: Party, tmp_path: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    fork = os.fork

    def fork_once() -> int:
        if forked:
            raise BlockingIOError(11, "Resource temporarily unavailable")
        return fork()

    monkeypatch.setattr(os, "fork", fork_once)
    assert run(party, make_tree(tmp_path)).imported == 6
    assert len(forked) == 1


def test_what_a_process_cannot_do_is_raised_here(
    party: Party, tmp_path: Path, forked: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_args: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr(share, "read_drafts", fail)
    with pytest.raises(RecursionError, match="too deep"):
        run(party, make_tree(tmp_path))


class Told:
    """Work that says through a pipe that it was begun."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe

    def read(self) -> ShareReading:
        return ShareReading(1)

    def bring(self, _pool: Executor | None = None) -> Brought:
        os.write(self._pipe, b"1")
        return Brought([])


def test_processes_bring_before_anybody_asks_what_they_brought(forked: list[int]) -> None:
    told, pipe = os.pipe()
    with crew.open_crew([Told(pipe)], 1, is_local=True) as processes:
        assert len(list(processes.read())) == 1
        brought = processes.bring()
        with selectors.DefaultSelector() as selector:
            selector.register(told, selectors.EVENT_READ)
            assert selector.select(LONGEST_SECS)
        assert list(brought) == [Brought([])]
    os.close(told)
    os.close(pipe)


def test_a_system_that_tells_of_no_processors_of_ours_has_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    assert [len(some) for some in job.iterate_portions(["an image"])] == [1]
