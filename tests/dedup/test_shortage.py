"""A machine that is short of memory breaks no image; only a file's content does."""

from __future__ import annotations

import io
import itertools
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import pytest
from PIL import Image, ImageFile, UnidentifiedImageError
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Image as ImageRow
from dedup import executors, hashing, jobs
from dedup.errors import (
    BrokenImageError,
    DecoderError,
    UnknownFormatError,
    WorkersEndedError,
)
from dedup.executors import run_batches
from dedup.hashing import HashOutcome, HashTask, call_waiting
from dedup.jobs import DedupSummary
from dedup.overlap.files import read_folder
from dedup.report.page import embed_small
from dedup.signature.picture import read_picture
from vockit.format.shortage import ShortageError

from .images import NOON, add_file, load_states
from .photographs import jpeg, originals, resize
from .poison import die, hash_but_die_of_poison
from .test_cli import invoke

ROOT = Path(__file__).parents[2]
LIMITED = """
import resource, sys
from pathlib import Path
from click.testing import CliRunner
from catalog.command import CommandGroup
from dedup import comparison, jobs  # all that a run imports
from dedup.cli import dedup
from dedup.signature.picture import read_picture
import vockit.report.progress

read_picture(Path(sys.argv[3]).read_bytes())
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[2]) * 2**20,) * 2)
sys.argv[1:] = ["dedup", "--party", sys.argv[1], "--workers", "1"]
CommandGroup(commands={"dedup": dedup})()
"""


def run_limited(party: Party, small: Path, spare_mb: int) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", LIMITED, str(party.folder), str(spare_mb), str(small)]
    one_thread = {"OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    return subprocess.run(
        command, env=os.environ | one_thread, capture_output=True, text=True, timeout=120
    )


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["JPEG", "progressive", "WEBP"])
def test_a_process_of_little_memory_stops_in_a_sentence_and_breaks_no_image(
    party: Party, tmp_path: Path, kind: str
) -> None:
    """libjpeg says "broken data stream", libwebp "could not create decoder object"."""
    how = {"progressive": True} if kind == "progressive" else {}
    file = io.BytesIO()
    large = originals()["rocket"].resize((3000, 2200))
    large.save(file, "WEBP" if kind == "WEBP" else "JPEG", **how)
    image_id = add_file(party, file.getvalue(), size_wh=large.size)
    (tmp_path / "small").write_bytes(jpeg(originals()["rocket"]))
    for spare_mb in (12, 32):
        done = run_limited(party, tmp_path / "small", spare_mb)
        assert done.returncode == 1, done
        assert "Traceback" not in done.stderr
        assert "No image was changed by that" in " ".join(done.stderr.split())
        assert load_states(party) == {image_id: "fetched"}
    status, output, _errors = invoke(party.folder)
    assert (status, output.split(",")[0]) == (0, "1 hashed")
    assert load_states(party) == {image_id: "pool"}


@pytest.mark.parametrize(
    "fault",
    [
        MemoryError(),
        OSError("out of memory error when reading image file"),
        OSError(24, "Too many open files"),
    ],
)
def test_a_decoder_without_memory_says_nothing_of_the_file(
    party: Party, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    def load(*_: object) -> None:
        raise fault

    share = 0.7 + len(str(fault)) / 200  # another file each time
    image_id = add_file(party, jpeg(resize(originals()["coffee"], share)))
    with monkeypatch.context() as patched:
        patched.setattr(ImageFile.ImageFile, "load", load)
        status, output, errors = invoke(party.folder, "--workers", "2")
        with pytest.raises(ShortageError):
            embed_small(jpeg(originals()["rocket"]))
    assert (status, output) == (1, "")
    assert "Error: This machine is short of memory, open files or processes: " in errors
    assert load_states(party) == {image_id: "fetched"}
    assert invoke(party.folder)[0] == 0
    assert load_states(party) == {image_id: "pool"}


def test_opencv_without_memory_stops_the_run_too(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_data: bytes) -> None:
        raise RuntimeError("OpenCV(4.12.0) alloc.cpp:73: error: (-4:Insufficient memory) Failed")

    monkeypatch.setattr(hashing, "hash_image", fail)
    image_id = add_file(party, jpeg(originals()["rocket"]))
    status, _output, errors = invoke(party.folder)
    assert (status, "short of memory" in errors) == (1, True)
    assert load_states(party) == {image_id: "fetched"}


def test_a_file_that_is_cut_off_is_broken_with_a_reason() -> None:
    data = jpeg(originals()["rocket"])
    with pytest.raises(BrokenImageError, match=r"cannot be decoded: .*truncated"):
        read_picture(data[: len(data) // 2])


def test_an_error_without_words_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(ImageFile.ImageFile, "load", load)
    with pytest.raises(BrokenImageError, match="cannot be decoded: AssertionError"):
        read_picture(jpeg(originals()["rocket"]))


def run_at(party: Party, at: datetime) -> DedupSummary:
    return jobs.remove_duplicates(party, workers=1, clock=lambda: at)


def refuse(_data: bytes) -> None:
    raise UnknownFormatError("expected an image, got b'\\xff\\xd8\\xff'...")


@pytest.mark.parametrize("files", [1, 3, 12])
def test_a_decoder_that_fails_for_all_files_breaks_none_until_it_says_so_again(
    party: Party, files: int
) -> None:
    ids = [add_file(party, f"{number} is no image".encode()) for number in range(files)]
    waiting = dict.fromkeys(ids, "fetched")
    for minutes in (0, 59):
        assert run_at(party, NOON + timedelta(minutes=minutes)) == DedupSummary(doubted=files)
        assert load_states(party) == waiting
    assert run_at(party, NOON + timedelta(minutes=60)) == DedupSummary(broken=files)
    assert load_states(party) == dict.fromkeys(ids, "broken")


def test_a_decoder_that_works_again_takes_all_files(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_file(party, jpeg(originals()["rocket"]))
    add_file(party, jpeg(originals()["coffee"]))
    with monkeypatch.context() as patched:
        patched.setattr(hashing, "hash_image", refuse)
        status, _output, errors = invoke(party.folder)
        assert status == 1
        assert "2 images could not be decoded" in " ".join(errors.split())
    assert invoke(party.folder)[0] == 0
    assert set(load_states(party).values()) == {"pool"}
    with party.catalogue.reading() as session:
        assert set(session.scalars(select(ImageRow.doubt))) == {None}


def test_many_files_that_cannot_be_decoded_among_others_wait_too(party: Party) -> None:
    whole = add_file(party, jpeg(originals()["rocket"]))
    for number in range(8):
        add_file(party, f"{number} is no image".encode())
    assert run_at(party, NOON) == DedupSummary(hashed=1, pool=1, doubted=8)
    assert load_states(party)[whole] == "pool"


def test_an_annotated_image_that_cannot_be_decoded_stays_and_stops_no_later_run(
    party: Party,
) -> None:
    image_id = add_file(party, b"no image")
    with party.catalogue.writing() as session:
        session.get_one(ImageRow, image_id).state = ImageState.ANNOTATED
    runs = [run_at(party, NOON + timedelta(minutes=minutes)) for minutes in (0, 60, 61, 180)]
    assert runs == [DedupSummary(doubted=1), *[DedupSummary()] * 3]
    assert load_states(party) == {image_id: "annotated"}


def test_a_clock_that_jumps_ahead_during_a_run_confirms_no_doubt(party: Party) -> None:
    add_file(party, b"no image")
    hours = itertools.count()
    done = jobs.remove_duplicates(
        party, workers=1, clock=lambda: NOON + timedelta(hours=5 * next(hours))
    )
    assert done == DedupSummary(doubted=1)


def test_a_machine_that_cannot_read_its_own_jpeg_stops_in_a_sentence(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_(*_args: object, **_options: object) -> Image.Image:
        raise UnidentifiedImageError("cannot identify image file")

    image_id = add_file(party, jpeg(resize(originals()["coffee"], 0.63)))
    for _run in range(2):
        with monkeypatch.context() as patched:
            patched.setattr(Image, "open", open_)
            with pytest.raises(DecoderError, match="Install Pillow again"):
                run_at(party, NOON)
    assert load_states(party) == {image_id: "fetched"}


@pytest.mark.slow
def test_a_file_that_ends_its_process_waits_and_is_named(
    party: Party, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(executors, "PROCESSES_FROM_IMAGES", 1)
    monkeypatch.setattr(jobs, "hash_batch", hash_but_die_of_poison)
    for share in (0.5, 0.7, 0.9):  # the second one is the poison
        add_file(party, jpeg(resize(originals()["rocket"], share)))
    status, _output, errors = invoke(party.folder, "--workers", "2")
    assert status == 1
    assert load_states(party)[2] == "fetched"
    assert "image 2 cannot be hashed: decoding the file ended the process" in caplog.text
    assert "1 image, named above with the reason, is left as it is" in " ".join(errors.split())
    monkeypatch.undo()
    invoke(party.folder)
    assert "fetched" not in load_states(party).values()


@pytest.mark.slow
def test_processes_that_are_killed_one_after_another_stop_the_run(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executors, "PROCESSES_FROM_IMAGES", 1)
    monkeypatch.setattr(jobs, "hash_batch", _die)
    for share in (0.5, 0.6, 0.7, 0.8):
        add_file(party, jpeg(resize(originals()["rocket"], share)))
    status, output, errors = invoke(party.folder, "--workers", "2")
    assert (status, output) == (1, "")
    assert "ended one after another, perhaps for want of memory" in " ".join(errors.split())
    assert set(load_states(party).values()) == {"fetched"}


def test_three_ended_processes_in_a_row_are_the_machines_fault() -> None:
    ended = partial(executors.open_processes, 1)
    batch = [HashTask(image_id, "") for image_id in range(5)]
    work = partial(_die, None)
    done = run_batches(ended, ended, work, [batch], call_waiting, ahead=1)
    outcomes = list[HashOutcome]()
    with pytest.raises(WorkersEndedError):
        for results in done:
            outcomes += results
    assert [outcome.is_waiting for outcome in outcomes] == [True] * (executors.MOST_ENDED - 1)


def test_overlap_stops_where_memory_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def open_(*_args: object, **_options: object) -> Image.Image:
        raise MemoryError

    (tmp_path / "a.jpg").write_bytes(jpeg(originals()["rocket"]))
    monkeypatch.setattr(Image, "open", open_)
    with pytest.raises(ShortageError, match="short of memory"):
        list(read_folder(tmp_path))


def _die(_store: object, batch: Sequence[HashTask]) -> list[HashOutcome]:
    die(batch)
    return []
