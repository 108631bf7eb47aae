"""A machine that is short of memory costs no photograph; only a file's content breaks it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import closing
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageFile

from catalog.party import Party
from catalog.settings import CollectSettings
from collect.errors import DecoderFailsError, PhotoBrokenError, Reason
from collect.fetching import Decoders
from collect.imports import folder as importing
from collect.picture import PictureLimits, read_picture
from tests.dedup.overlap.folders import write_files
from vockit.format.shortage import ShortageError

from .imports.test_folder import load_photos, run
from .odd_decoders import Read, read_but_be_killed, read_but_crash, read_without_memory
from .pictures import jpeg_bytes

ROOT = Path(__file__).parents[2]
LIMITS = PictureLimits(longest_side_px=500, min_side_px=100, max_pixels=40_000_000)
JPEG = jpeg_bytes(400, 300)
LIMITED = """
import resource, sys
from pathlib import Path
from PIL import Image
from collect.errors import PhotoBrokenError
from collect.picture import PictureLimits, read_picture
from vockit.format.shortage import ShortageError

large, small = (Path(name).read_bytes() for name in sys.argv[2:])
limits = PictureLimits(500, 100, 40_000_000, makes_jpeg=True)
read_picture(small, limits)
used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + int(sys.argv[1]) * 2**20, resource.RLIM_INFINITY))
try:
    read_picture(large, limits)
except ShortageError as error:
    print("short:", error)
except PhotoBrokenError as error:
    print("broken:", error)
"""


@cache
def make_large_file(kind: str) -> bytes:
    """A picture of 6.6 megapixels, of which little is to be encoded."""
    file = io.BytesIO()
    format_name = "JPEG" if kind == "progressive" else kind
    how: dict[str, Any] = {"progressive": True} if kind == "progressive" else {}
    if kind == "WEBP":
        how = {"method": 0}
    large = Image.effect_noise((30, 22), 80).resize((3000, 2200), Image.Resampling.NEAREST)
    large.convert("RGB").save(file, format_name, **how)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["JPEG", "progressive", "WEBP", "PNG"])
@pytest.mark.parametrize("spare_mb", [12, 24])
def test_a_process_of_little_memory_breaks_no_photograph(
    tmp_path: Path, kind: str, spare_mb: int
) -> None:
    """libjpeg says "broken data stream", libwebp "could not create decoder object"."""
    (tmp_path / "large").write_bytes(make_large_file(kind))
    (tmp_path / "small").write_bytes(JPEG)
    files = str(tmp_path / "large"), str(tmp_path / "small")
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(spare_mb), *files],
        env=os.environ | {"PYTHONPATH": str(ROOT), "OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.stdout.startswith("short: This machine is short of memory"), done


@pytest.mark.parametrize(
    "fault",
    [
        MemoryError(),
        OSError("out of memory error when reading image file"),
        OSError(24, "Too many open files"),
    ],
)
def test_a_decoder_without_memory_says_nothing_of_the_photograph(
    monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    monkeypatch.setattr(ImageFile.ImageFile, "load", partial(_fail, fault))
    with pytest.raises(ShortageError):
        read_picture(JPEG, LIMITS)


def test_a_photograph_that_is_cut_off_is_broken() -> None:
    with pytest.raises(PhotoBrokenError) as broken:
        read_picture(JPEG[: len(JPEG) // 2], LIMITS)
    assert broken.value.reason is Reason.TRUNCATED


def test_want_of_memory_turns_no_photograph(monkeypatch: pytest.MonkeyPatch) -> None:
    """Damaged EXIF is passed over; a picture that stands on its side is not called upright."""
    turned = jpeg_bytes(400, 300, turned_by=6)
    with monkeypatch.context() as patched:
        patched.setattr(Image.Exif, "load", partial(_fail, MemoryError()))
        with pytest.raises(ShortageError):
            read_picture(turned, LIMITS)
    monkeypatch.setattr(Image.Exif, "load", partial(_fail, ValueError("damaged")))
    assert read_picture(turned, LIMITS).data == turned


def test_a_file_whose_decoder_is_killed_twice_stops_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As the system does to whatever it finds when memory is short."""
    monkeypatch.setattr("collect.fetching.read_picture", read_but_be_killed)
    with (
        closing(Decoders(CollectSettings())) as decoders,
        pytest.raises(DecoderFailsError, match="No photograph was marked as broken"),
    ):
        decoders.read(JPEG)


def test_a_file_that_crashes_its_decoder_twice_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("collect.fetching.read_picture", read_but_crash)
    with closing(Decoders(CollectSettings())) as decoders:
        with pytest.raises(PhotoBrokenError) as broken:
            decoders.read(JPEG)
        assert broken.value.reason is Reason.DECODER_ENDED


@pytest.mark.parametrize("read", [read_but_be_killed, read_without_memory])
def test_an_import_stops_in_a_sentence_and_goes_on_where_memory_is_back(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Read
) -> None:
    files = {f"{tint}.jpg": jpeg_bytes(300, 200, tint=tint) for tint in (1, 2, 3)}
    folder = write_files(tmp_path / "f", files)
    with monkeypatch.context() as patched:
        patched.setattr("collect.fetching.read_picture", read)
        with pytest.raises(DecoderFailsError, match=r"short of memory|marked as broken"):
            run(party, folder)
    assert load_photos(party) == {}
    assert run(party, folder).tally.fetched == 3


def test_a_file_that_cannot_be_opened_for_want_of_files_is_not_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(JPEG)
    fault = OSError(24, "Too many open files")
    monkeypatch.setattr(Path, "open", partial(_fail, fault))
    monkeypatch.setattr(Path, "read_bytes", partial(_fail, fault))
    with pytest.raises(ShortageError):
        importing._digest_file(path)
    with pytest.raises(ShortageError):
        importing._read_file(path, 1 << 20)


def _fail(fault: Exception, *_args: object, **_options: object) -> None:
    raise fault
