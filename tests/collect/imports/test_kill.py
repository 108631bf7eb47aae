"""An import that is killed at any moment resumes with the same command, without duplicates."""

import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from threading import Event

import pytest
from sqlalchemy import func, select

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.tables import Annotation, Image, Photo, Release, ReleaseImage
from export.importing.reading import IMAGES_AT_ONCE
from tests.collect.loopback import Handler, Loopback
from tests.collect.pictures import jpeg_bytes
from tests.party_rows import jpeg_bytes as small_jpeg
from tests.rows import load_rows
from tests.trees import CAT, annotation, write
from tests.warm import Warm, run_command_to_transaction
from vockit.format.image_sets import format_images

COUNT = 60
KILLED_AT = (10, 30)
LOOK_EVERY_SECS = 0.02
VOC_COUNT = 2 * IMAGES_AT_ONCE + 100
TRANSACTIONS = {"folder": (2, 5), "dataset": (2, 3)}
"""The transactions in which an import is killed; images of a tree are recorded in batches."""


def make_folder(root: Path) -> Path:
    for number in range(COUNT):
        write(root / f"{number}.jpg", jpeg_bytes(200, 150, tint=number * 7))
    return root


def make_voc(root: Path) -> Path:
    ids = [f"2012_{number:06}" for number in range(1, VOC_COUNT + 1)]
    for number, image_id in enumerate(ids):
        write(root / f"Annotations/{image_id}.xml", annotation(image_id, (CAT,)))
        write(root / f"JPEGImages/{image_id}.jpg", small_jpeg(number))
    write(root / "ImageSets/Main/train.txt", format_images(ids))
    return root


def count(party: Party, table: type) -> int:
    with party.catalogue.reading() as session:
        return session.scalar(select(func.count()).select_from(table)) or 0


def start(party: Party, kind: str, source: Path, *more: str) -> Warm:
    words = ["import", kind, str(source), "--party", str(party.folder), *more]
    return Warm(words, {"NO_PROXY": "127.0.0.1,localhost"})


def kill_at(party: Party, process: Warm, photos: int) -> bool:
    """Kill the process once there are this many photos; return whether it was still at work."""
    while process.poll() is None and count(party, Photo) < photos:
        with suppress(TimeoutExpired):
            process.wait(LOOK_EVERY_SECS)
    process.kill()
    process.communicate()
    return process.returncode == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["folder", "dataset"])
def test_a_killed_import_of_files_resumes_in_place(party: Party, tmp_path: Path, kind: str) -> None:
    is_voc = kind == "dataset"
    source = (make_voc if is_voc else make_folder)(tmp_path / "in" / "VOC2012")
    total = VOC_COUNT if is_voc else COUNT
    for number in TRANSACTIONS[kind]:
        words = ["import", kind, str(source), "--party", str(party.folder)]
        Warm(words, {"COUNT": str(number)}, run_command_to_transaction).kill_when_stopped()
    assert 0 < count(party, Photo) < total
    process = start(party, kind, source)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert (count(party, Photo), count(party, Image)) == (total, total)
    if is_voc:
        assert (count(party, Annotation), count(party, Release)) == (total, 1)
        assert count(party, ReleaseImage) == total
    check_files(party)


def send(tint: int, may_answer: Event) -> Callable[[Handler], None]:
    def answer(handler: Handler) -> None:
        may_answer.wait()
        handler.send(200, jpeg_bytes(200, 150, tint=tint))

    return answer


@pytest.mark.slow
def test_a_killed_url_import_resumes(any_party: Party, tmp_path: Path, loopback: Loopback) -> None:
    always = Event()
    once_killed = Event()
    always.set()
    for number in range(COUNT):
        may_answer = always if number < COUNT - 10 else once_killed
        loopback.answers[f"/{number}.jpg"] = send(number * 7, may_answer)
    table = tmp_path / "museum.csv"
    workers = 3
    urls = [loopback.url(f"/{number}.jpg") for number in range(COUNT)]
    write(table, "\n".join(["id,url", *(f"m-{n},{url}" for n, url in enumerate(urls))]).encode())
    more = ("--host", loopback.host, "--workers", str(workers))
    killed = [
        kill_at(any_party, start(any_party, "urls", table, *more), photos) for photos in KILLED_AT
    ]
    once_killed.set()
    assert all(killed)
    while loopback.server.open:  # what the killed ones asked for is counted
        Event().wait(0.01)
    recorded = count(any_party, Photo)
    asked = len(loopback.server.paths)
    process = start(any_party, "urls", table, *more)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    assert f"Already known {recorded}; skipped 0." in output
    assert len(loopback.server.paths) - asked == COUNT - recorded  # only what had no row
    assert (count(any_party, Photo), count(any_party, Image)) == (COUNT, COUNT)
    assert len(loopback.server.paths) <= COUNT + len(KILLED_AT) * workers  # those in their hands
    assert len(list(any_party.store.digests())) == COUNT
    check_files(any_party)


def check_files(party: Party) -> None:
    """Check that every image has its file, and that its bytes match the digest."""
    for sha256 in load_rows(party, select(Image.sha256)):
        assert digest_of(party.store.get(sha256)) == sha256
