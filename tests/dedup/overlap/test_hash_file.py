import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import ImageOps

from dedup.constants import GRADIENTS_PER_POINT
from dedup.overlap.details import MIDDLE
from dedup.overlap.files import gather, read_folder
from dedup.overlap.hash_file import format_hashes, read_hashes
from dedup.overlap.theirs import HashFileError, TheirImage
from tests.dedup.photographs import jpeg, originals

from .folders import write_files


def write_text(folder: Path) -> str:
    page = originals()["page"]
    framed = ImageOps.expand(page, (round(page.width * 0.35), round(page.height * 0.35)), "white")
    files = {
        "ä b\tc\n%.jpg": jpeg(originals()["rocket"]),
        "page.jpg": jpeg(framed),  # what is within its frame is its middle
        "broken.jpg": b"\xff\xd8\xff no more",
    }
    return "".join(format_hashes(read_folder(write_files(folder, files))))


def read_text(text: str | bytes) -> list[TheirImage]:
    data = text if isinstance(text, bytes) else text.encode()
    return list(read_hashes(io.BytesIO(data), "hashes.txt").images)


def test_a_hash_file_is_read_back_as_written_without_pictures(tmp_path: Path) -> None:
    text = write_text(tmp_path)
    written = gather("folder", read_folder(tmp_path))
    read = read_hashes(io.BytesIO(text.encode()), "hashes.txt")
    assert read.unreadable == written.unreadable
    assert [image.name for image in read.unreadable] == ["broken.jpg"]
    assert [image.name for image in read.images] == ["page.jpg", "ä b\tc\n%.jpg"]
    assert read.images[0].layout.boxes == [(0, 0, 128, 128), MIDDLE]
    for theirs, ours in zip(read.images, written.images, strict=True):
        assert theirs.signature is None
        assert (theirs.sha256, theirs.levels_sha256) == (ours.sha256, ours.levels_sha256)
        assert theirs.layout.aspect == pytest.approx(ours.layout.aspect, abs=1e-5)
        assert theirs.quality == pytest.approx(ours.quality, abs=0.005)
        assert theirs.layout.boxes == ours.layout.boxes
        np.testing.assert_array_equal(theirs.views, ours.views)
        assert [detail.box for detail in theirs.details] == [detail.box for detail in ours.details]
        for their_detail, our_detail in zip(theirs.details, ours.details, strict=True):
            np.testing.assert_array_equal(their_detail.bits, our_detail.bits)
        for part in ("points", "words", "codes"):
            here, there = (getattr(image.features, part) for image in (theirs, ours))
            np.testing.assert_array_equal(here, there)


def test_rounding_in_the_file_never_makes_a_plain_image_rich(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"a.jpg": jpeg(originals()["rocket"])})
    (image,) = gather("folder", read_folder(folder)).images
    plain = replace(image, quality=1.0 - 1 / GRADIENTS_PER_POINT)
    (read,) = read_text("".join(format_hashes([plain])))
    assert read.quality < 1.0  # the usual min_quality


def test_each_image_is_one_line_whatever_its_name_holds(tmp_path: Path) -> None:
    lines = write_text(tmp_path).splitlines()
    assert lines[0] == "vocparty-hashes 4"
    assert lines[1].startswith("recipe\t")
    assert [line.split("\t")[0] for line in lines[2:]] == ["broken", "image", "image", "end"]
    assert lines[-1] == "end\t2\t1"
    assert all(line.isascii() for line in lines)


def test_the_number_of_workers_does_not_change_the_hash_file(tmp_path: Path) -> None:
    write_text(tmp_path)
    texts = {"".join(format_hashes(read_folder(tmp_path, workers=n))) for n in (1, 3)}
    assert len(texts) == 1


def test_a_truncated_hash_file_is_refused(tmp_path: Path) -> None:
    text = write_text(tmp_path)
    shares = [int(len(text) * share) for share in (0.1, 0.5, 0.9, 0.99)]
    for end in (*shares, *range(len(text) - 12, len(text))):
        with pytest.raises(HashFileError, match=r"^hashes\.txt"):
            read_text(text[:end])


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (("vocparty-hashes 4", "vocparty-hashes 5"), "is of version 5, and this program reads"),
        (("vocparty-hashes 4", "<html>"), "is no file of hashes"),
        (("recipe\t", "recipe\tanother "), "was made by another recipe"),
        (("end\t2\t1", "end\t3\t1"), "counts 3 and 1, but 2 images and 1 broken files"),
        (("\tfile=", "\tfile=0"), "expected file=SHA256"),
        (("0,0,128,128=", "0,0,128,129="), "expected a rectangle in 128ths"),
        (("image\t", "picture\t"), "expected 8 fields that begin with “image”"),
    ],
)
def test_each_mistake_is_explained(tmp_path: Path, change: tuple[str, str], sentence: str) -> None:
    text = write_text(tmp_path)
    assert change[0] in text
    with pytest.raises(HashFileError) as caught:
        read_text(text.replace(*change, 1))
    message = str(caught.value)
    assert sentence in message
    assert message.startswith("hashes.txt")
    assert message.endswith(".")
    assert "\n" not in message


@pytest.mark.parametrize(
    "data",
    [b"", b"\n", bytes(range(256)), b"\xff" * 300_000, b"x" * 300_000, b"vocparty-hashes 4\n"],
    ids=["empty", "blank", "bytes", "long bytes", "long line", "head alone"],
)
def test_other_bytes_are_refused_as_a_hash_file(data: bytes) -> None:
    with pytest.raises(HashFileError):
        read_text(data)


SPOILT = {3: ("nan", "0", "inf"), 4: ("-1", "101", "much", "nan"), 6: ("12",), 8: ("?", "AAAA")}


@pytest.mark.parametrize(
    ("place", "word"), [(place, word) for place in SPOILT for word in SPOILT[place]]
)
def test_a_hash_file_field_out_of_range_is_refused(tmp_path: Path, place: int, word: str) -> None:
    text = write_text(tmp_path)
    line = next(line for line in text.splitlines() if line.startswith("image"))
    fields = line.split("\t")
    spoilt = "\t".join([*fields[:place], word, *fields[place + 1 :]])
    with pytest.raises(HashFileError, match="line 4"):
        read_text(text.replace(line, spoilt))
