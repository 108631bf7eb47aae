"""Fetching elsewhere: the same answers, and a process that dies takes nothing with it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore, digest_of, open_image_store
from catalog.settings import CollectSettings
from collect.errors import (
    HostBusyError,
    PhotoBrokenError,
    PhotoError,
    PhotoGoneError,
    PhotoUnreachableError,
)
from collect.fetch_process import share_evenly
from collect.fetchers import Crew, Fetchers
from collect.picture import PictureLimits, StoredPicture, read_picture
from collect.reasons import Reason
from collect.supplies import choose_crew
from collect.unrecorded import open_notes

from .loopback import Answer, Handler, Loopback
from .pictures import jpeg_bytes
from .test_download import HASTY, SETTINGS
from .test_host_limits import Crowd

IMPATIENT = replace(HASTY, read_timeout_secs=1.5, total_timeout_secs=2.0)
JPEG = jpeg_bytes(400, 300)
LARGE = jpeg_bytes(3600, 2800)
HEAVY = jpeg_bytes(400, 300) + bytes(3_000_000)  # more than waits between two processes
LIMITS = PictureLimits(SETTINGS.longest_side_px, SETTINGS.min_side_px, SETTINGS.max_pixels)
Make = Callable[..., Fetchers]


@pytest.fixture
def store(tmp_path: Path) -> ImageStore:
    return open_image_store(str(tmp_path / "images"))


@pytest.fixture
def make(loopback: Loopback, store: ImageStore, tmp_path: Path) -> Iterator[Make]:
    made: list[Fetchers] = []

    def make(
        store: ImageStore = store,
        count: int = 1,
        downloads: int = 1,
        files: int = 1,
        settings: CollectSettings = SETTINGS,
    ) -> Fetchers:
        crew = Crew(processes=count, downloads=downloads * count, files=files * count)
        notes = open_notes(tmp_path)
        made.append(Fetchers((loopback.host,), settings, store, crew, notes))
        return made[-1]

    yield make
    for fetchers in made:
        fetchers.close()


@pytest.fixture
def make_slow(make: Make) -> Make:
    """Fetchers that hand heavy files over, so that none is done before the test takes it."""
    settings = replace(SETTINGS, max_bytes=2 * len(HEAVY))
    return partial(make, open_image_store("memory://heavy/images"), settings=settings)


def fetch(
    fetchers: Fetchers, url: str, promised_size: tuple[int, int] | None = None
) -> StoredPicture:
    with fetchers.borrow() as fetcher:
        fetcher.fetch(url, promised_size)
        return fetcher.keep()


def first_process_id(fetchers: Fetchers) -> int:
    """The id of the process that forks the others, which are in its group."""
    return os.getpgid(fetchers.process_ids[0])


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("data", "promised_size"),
    [
        (jpeg_bytes(400, 300), (400, 300)),
        (jpeg_bytes(900, 600), None),
        (jpeg_bytes(300, 400, turned_by=6), (400, 300)),
    ],
)
def test_a_picture_is_stored_as_if_it_were_read_here(
    loopback: Loopback,
    make: Make,
    store: ImageStore,
    data: bytes,
    promised_size: tuple[int, int] | None,
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, data)
    stored = fetch(make(), loopback.url("/1.jpg"), promised_size)
    picture = read_picture(data, LIMITS, promised_size)
    assert store.get(stored.sha256) == picture.data
    assert stored == StoredPicture(
        digest_of(picture.data),
        picture.width,
        picture.height,
        len(picture.data),
        picture.original_sha256,
    )


def test_without_a_folder_the_bytes_come_here_and_are_stored_here(
    loopback: Loopback, make: Make
) -> None:
    store = open_image_store("memory://fetched/images")
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, JPEG)
    stored = fetch(make(store), loopback.url("/1.jpg"))
    assert store.get(stored.sha256) == JPEG


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (lambda handler: handler.send(404), PhotoGoneError, Reason.DELETED),
        (lambda handler: handler.send(400), PhotoBrokenError, Reason.HTTP_STATUS),
        (lambda handler: handler.send(500), PhotoUnreachableError, Reason.HTTP_STATUS),
        (lambda handler: handler.hang(), PhotoUnreachableError, Reason.TIMEOUT),
        (lambda handler: handler.send(200, b"GIF89a"), PhotoBrokenError, Reason.NOT_JPEG),
        (lambda handler: handler.send(200, JPEG), PhotoBrokenError, Reason.SIZE_DIFFERS),
    ],
)
def test_a_fault_comes_with_its_reason_and_the_next_file_is_fetched(
    loopback: Loopback, make: Make, answer: Answer, kind: type[PhotoError], reason: Reason
) -> None:
    loopback.answers |= {"/1.jpg": answer, "/2.jpg": lambda handler: handler.send(200, JPEG)}
    fetchers = make(settings=IMPATIENT if reason is Reason.TIMEOUT else SETTINGS)
    with pytest.raises(kind) as caught:
        fetch(fetchers, loopback.url("/1.jpg"), (500, 333))
    assert type(caught.value) is kind
    assert caught.value.reason is reason
    process_ids = fetchers.process_ids
    assert fetch(fetchers, loopback.url("/2.jpg"), (400, 300)).width == 400
    assert fetchers.process_ids == process_ids


def test_a_host_that_wants_rest_says_for_how_long(loopback: Loopback, make: Make) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(429, Retry_After="7")
    with pytest.raises(HostBusyError) as caught:
        fetch(make(), loopback.url("/1.jpg"))
    assert caught.value.retry_after_secs == 7


def test_connections_are_kept_open(loopback: Loopback, make: Make) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, JPEG)
    fetchers = make()
    for _ in range(3):
        fetch(fetchers, loopback.url("/1.jpg"))
    assert len(loopback.server.connections) == 1


def test_a_full_disk_is_no_fault_of_the_photo(
    loopback: Loopback, make: Make, store: ImageStore, tmp_path: Path
) -> None:
    (tmp_path / "images").write_text("a file where the folder should be")
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, JPEG)
    with pytest.raises(ImageStoreError, match="did not take a file"):
        fetch(make(store), loopback.url("/1.jpg"))


def test_a_process_that_is_killed_loses_its_own_file_only(
    loopback: Loopback, make_slow: Make
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, HEAVY)
    fetchers = make_slow(count=2)
    with fetchers.borrow() as one, fetchers.borrow() as other:
        for fetcher in (one, other):
            fetcher.fetch(loopback.url("/1.jpg"), None)
        assert one.process_id is not None
        os.kill(one.process_id, signal.SIGKILL)
        with pytest.raises(PhotoUnreachableError) as fault:
            one.keep()
        assert fault.value.reason is Reason.DECODER_ENDED
        assert not fault.value.permanent
        assert other.keep().bytes == len(HEAVY)
        one.fetch(loopback.url("/1.jpg"), None)
        assert one.keep().bytes == len(HEAVY)


def test_a_process_that_is_killed_while_it_waits_for_the_host_is_started_again(
    loopback: Loopback, make: Make
) -> None:
    def kill(handler: Handler) -> None:
        os.kill(process_id, signal.SIGKILL)
        handler.hang()

    loopback.answers |= {"/1.jpg": lambda handler: handler.send(200, JPEG), "/2.jpg": kill}
    fetchers = make()
    fetch(fetchers, loopback.url("/1.jpg"))
    (process_id,) = fetchers.process_ids
    with pytest.raises(PhotoUnreachableError, match="ended"):
        fetch(fetchers, loopback.url("/2.jpg"))
    assert fetch(fetchers, loopback.url("/1.jpg")).width == 400
    assert fetchers.process_ids != [process_id]


def test_a_process_that_hangs_is_ended(loopback: Loopback, make_slow: Make) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, HEAVY)
    fetchers = make_slow()
    with fetchers.borrow() as fetcher:
        fetcher.fetch(loopback.url("/1.jpg"), None)
        process_id = fetcher.process_id
        assert process_id is not None
        os.kill(process_id, signal.SIGSTOP)
        fetcher.keep_timeout_secs = 0.2
        with pytest.raises(PhotoUnreachableError, match=r"within 0\.2 s"):
            fetcher.keep()
    fetchers.close()
    assert not is_running(process_id)


def test_whoever_leaves_a_file_half_way_leaves_no_answer_to_the_next(
    loopback: Loopback, make: Make
) -> None:
    loopback.answers |= {
        "/1.jpg": lambda handler: handler.send(200, LARGE),
        "/2.jpg": lambda handler: handler.send(200, JPEG),
    }
    fetchers = make()
    with fetchers.borrow() as fetcher:
        fetcher.fetch(loopback.url("/1.jpg"), None)
    assert fetch(fetchers, loopback.url("/2.jpg")).width == 400


def test_one_process_has_several_files_in_hand_and_fetches_some_of_them_at_once(
    loopback: Loopback, make: Make, store: ImageStore
) -> None:
    crowd = Crowd(at_once=2)
    for number in range(8):
        loopback.answers[f"/{number}.jpg"] = crowd.answer(number * 9)
    fetchers = make(downloads=2, files=4)

    def take(number: int) -> StoredPicture:
        with fetchers.borrow() as fetcher:
            return fetcher.take(loopback.url(f"/{number}.jpg"), (200, 150))

    with ThreadPoolExecutor(8) as threads:
        digests = {one.sha256 for one in threads.map(take, range(8))}
    assert digests == set(store.digests())
    assert len(digests) == 8
    assert crowd.most["127.0.0.1"] == 2
    assert len(loopback.server.connections) == 2
    assert len(fetchers.process_ids) == 1


def test_what_a_killed_process_had_in_hand_is_left_and_the_next_has_it_all_again(
    loopback: Loopback, make_slow: Make
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, HEAVY)
    fetchers = make_slow(downloads=2, files=2)
    with fetchers.borrow() as one, fetchers.borrow() as other:
        for fetcher in (one, other):
            fetcher.fetch(loopback.url("/1.jpg"), None)
        (process_id,) = fetchers.process_ids
        os.kill(process_id, signal.SIGKILL)
        for fetcher in (one, other):
            with pytest.raises(PhotoUnreachableError, match="ended over it"):
                fetcher.keep()
        again = [it.take(loopback.url("/1.jpg"), None).bytes for it in (one, other)]
        assert again == [len(HEAVY)] * 2
        assert one.process_id == other.process_id != process_id


def test_a_process_that_was_given_up_ends_although_it_has_idle_connections(
    loopback: Loopback, make: Make
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, JPEG)
    fetchers = make(downloads=2, files=2)
    with fetchers.borrow() as one, fetchers.borrow() as other:
        for fetcher in (one, other):
            fetcher.take(loopback.url("/1.jpg"), None)
    (process_id,) = fetchers.process_ids
    with fetchers.borrow() as fetcher:
        fetcher.fetch(loopback.url("/1.jpg"), None)  # and left half-way
    assert fetchers.process_ids == []
    while is_running(process_id):
        pass


def test_a_picture_that_takes_too_long_to_decode_ends_its_process(
    loopback: Loopback, make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    huge = jpeg_bytes(7200, 5500)  # half a second, and what is not there none at all
    loopback.answers |= {
        "/1.jpg": lambda handler: handler.send(200, huge),
        "/2.jpg": lambda handler: handler.send(404),
    }
    monkeypatch.setattr("collect.fetchers.KEEP_TIMEOUT_SECS", 0.1)
    fetchers = make(settings=replace(SETTINGS, max_bytes=len(huge)))
    for fetcher in fetchers._all:
        fetcher.keep_timeout_secs = 60
    with pytest.raises(PhotoUnreachableError) as fault, fetchers.borrow() as fetcher:
        fetcher.take(loopback.url("/1.jpg"), None)
    assert fault.value.reason is Reason.DECODER_ENDED
    with pytest.raises(PhotoGoneError):
        fetch(fetchers, loopback.url("/2.jpg"))


@pytest.mark.parametrize("workers", [1, 2, 3, 8, 31])
def test_processes_download_together_as_much_as_there_are_workers(workers: int) -> None:
    crew = choose_crew(workers, is_told=False)
    places, files = (share_evenly(it, crew.processes) for it in (crew.downloads, crew.files))
    assert sum(places) == workers
    assert sum(files) <= 4 * workers
    assert all(1 <= of_one <= 4 for of_one in places)
    assert all(fewer <= more for fewer, more in zip(places, files, strict=True))


def test_processes_that_were_started_ahead_are_the_ones_that_fetch(
    loopback: Loopback, make: Make
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, JPEG)
    fetchers = make(count=3)
    fetchers.start(2)
    assert fetchers.process_ids == []
    with fetchers.borrow() as one, fetchers.borrow() as other:
        for fetcher in (one, other):
            assert fetcher.process.is_started
            fetcher.fetch(loopback.url("/1.jpg"), None)
            assert fetcher.keep().width == 400
        with fetchers.borrow() as third:
            assert not third.process.is_started


def test_the_first_process_is_started_again_where_it_ended(loopback: Loopback, make: Make) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, JPEG)
    fetchers = make(count=2)
    with fetchers.borrow() as one, fetchers.borrow() as other:
        one.fetch(loopback.url("/1.jpg"), None)
        os.kill(first_process_id(fetchers), signal.SIGKILL)
        other.fetch(loopback.url("/1.jpg"), None)
        assert (one.keep().width, other.keep().width) == (400, 400)


def test_closing_leaves_no_process(loopback: Loopback, make: Make) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(200, JPEG)
    fetchers = make(count=2)
    with fetchers.borrow() as one, fetchers.borrow() as other:
        one.fetch(loopback.url("/1.jpg"), None)
        other.fetch(loopback.url("/1.jpg"), None)
        process_ids = {*fetchers.process_ids, first_process_id(fetchers)}
    fetchers.close()
    assert len(process_ids) == 3
    assert not any(map(is_running, process_ids))
