"""The file of hashes that a participant hands over instead of pictures: text, a line an image.

docs/manual/hashes.md describes every field; a change that a reader would notice gets a new number.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import BinaryIO
from urllib.parse import quote, unquote

import numpy as np

from dedup.constants import LEVELS_SIDE_PX, MOST_CODED
from dedup.signature.hashes import MAX_BOXES, TURNS
from dedup.signature.signature import RECIPE, Layout
from vockit.format.text import NotTextError, decode_text, split_mark

from .details import MIDDLE, CodedFeatures, Detail
from .theirs import HashFileError, TheirImage, Theirs, Unreadable

MAGIC = "vocparty-hashes"
VERSION = 4
FIELDS = 8
MOST_LINE_BYTES = 100_000
IMAGE = "image"
BROKEN = "broken"
END = "end"
_VIEW = re.compile(r"[0-9a-f]{16}")
_DETAIL = re.compile(r"(\d{1,3}),(\d{1,3}),(\d{1,3}),(\d{1,3})=([0-9a-f]{64})")
_DIGESTS = re.compile(r"file=([0-9a-f]{64})(?: levels=([0-9a-f]{64}))?")
_FEATURE_BYTES = 20


def format_hashes(files: Iterable[TheirImage | Unreadable]) -> Iterator[str]:
    """The lines of the file, each with its end; the last one counts, so that a cut is noticed."""
    yield f"{MAGIC} {VERSION}\n"
    yield f"recipe\t{RECIPE}\n"
    images = unreadable = 0
    for file in files:
        if isinstance(file, Unreadable):
            unreadable += 1
            yield f"{BROKEN}\t{_encode(file.name)}\t{_encode(file.reason)}\n"
        else:
            images += 1
            yield _format_image(file)
    yield f"{END}\t{images}\t{unreadable}\n"


def read_hashes(file: BinaryIO, origin: str) -> Theirs:
    """The images that a file of hashes describes.

    Raises HashFileError, which names the line, unless the file is whole and of this version.
    """
    lines = _number_lines(file, origin)
    _check_head(next(lines, (1, ""))[1], next(lines, (2, ""))[1], origin)
    images: list[TheirImage] = []
    unreadable: list[Unreadable] = []
    for number, line in lines:
        fields = line.split("\t")
        if fields[0] == END:
            if fields[1:] != [str(len(images)), str(len(unreadable))]:
                raise HashFileError(
                    f"{origin}, line {number} counts {' and '.join(fields[1:])[:40]}, but "
                    f"{len(images)} images and {len(unreadable)} broken files stand above; send "
                    "the file as it was made."
                )
            return Theirs(origin, images, unreadable)
        try:
            if fields[0] == BROKEN and len(fields) == 3:
                unreadable.append(Unreadable(unquote(fields[1]), unquote(fields[2])))
            else:
                images.append(_parse_image(fields))
        except ValueError as error:
            raise HashFileError(
                f"{origin}, line {number}: {error}; make the file again with `vocparty hashes`."
            ) from error
    raise HashFileError(
        f"{origin} ends in the middle: its last line does not begin with “{END}”; send all of it."
    )


def _format_image(image: TheirImage) -> str:
    layout = image.layout
    views = image.views
    levels = image.levels_sha256
    words = image.features.words.astype("<u2").view(np.uint8).reshape(-1, 2)
    features = np.concatenate([image.features.points, words, image.features.codes], axis=1)
    fields = (
        IMAGE,
        _encode(image.name),
        f"file={image.sha256}" + (f" levels={levels}" if levels else ""),
        f"{layout.aspect:.5f}",
        f"{image.quality:.2f}",
        " ".join(f"{value:016x}" for value in views.tolist()),
        " ".join(
            f"{','.join(map(str, detail.box))}={detail.bits.tobytes().hex()}"
            for detail in image.details
        ),
        base64.b64encode(features.tobytes()).decode("ascii"),
    )
    return "\t".join(fields) + "\n"


def _parse_features(text: str) -> CodedFeatures:
    try:
        data = base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError("the features are not in base64") from error
    if len(data) % _FEATURE_BYTES or len(data) > MOST_CODED * _FEATURE_BYTES:
        raise ValueError(f"expected at most {MOST_CODED} features of {_FEATURE_BYTES} bytes")
    rows = np.frombuffer(data, np.uint8).reshape(-1, _FEATURE_BYTES)
    words = rows[:, 2:4].copy().view("<u2").ravel().astype(np.uint16)
    return CodedFeatures(rows[:, :2], words, rows[:, 4:])


def _parse_image(fields: list[str]) -> TheirImage:
    if fields[0] != IMAGE or len(fields) != FIELDS:
        raise ValueError(
            f"expected {FIELDS} fields that begin with “{IMAGE}”, "
            f"got {len(fields)} that begin with “{fields[0][:20]}”"
        )
    _, name, digests, aspect, quality, views, details, features = fields
    sha256 = _DIGESTS.fullmatch(digests)
    if sha256 is None:
        raise ValueError("expected file=SHA256 and perhaps levels=SHA256, of 64 hexadecimal digits")
    parsed_details = [_parse_detail(word) for word in details.split()]
    boxes = [detail.box for detail in parsed_details]
    if MIDDLE in boxes:
        boxes.remove(MIDDLE)  # once: what is left without a border may lie there as well
    if not 1 <= len(boxes) <= MAX_BOXES:
        raise ValueError(f"expected 1 to {MAX_BOXES} rectangles besides the middle")
    count = len(TURNS) + len(boxes) - 1
    hashes = views.split()
    if len(hashes) != count or not all(_VIEW.fullmatch(digits) for digits in hashes):
        raise ValueError(f"expected {count} hashes of 16 hexadecimal digits")
    return TheirImage(
        unquote(name),
        sha256[1],
        sha256[2],
        _parse_number("quality", quality, 0, 100),
        Layout(_parse_number("shape", aspect, 1e-5, 1e5), boxes),
        np.array([int(digits, 16) for digits in hashes], np.uint64),
        parsed_details,
        _parse_features(features),
    )


def _parse_number(what: str, word: str, least: float, most: float) -> float:
    number = float(word)
    if not least <= number <= most:
        raise ValueError(f"expected a {what} between {least:g} and {most:g}, got {word[:20]}")
    return number


def _parse_detail(word: str) -> Detail:
    match = _DETAIL.fullmatch(word)
    if match is None:
        raise ValueError("a detail is not L,T,R,B=HASH with 64 hexadecimal digits")
    left, top, right, bottom = map(int, match.groups()[:4])
    if not (left < right <= LEVELS_SIDE_PX and top < bottom <= LEVELS_SIDE_PX):
        raise ValueError(f"expected a rectangle in {LEVELS_SIDE_PX}ths, got “{word[:40]}”")
    bits = np.frombuffer(bytes.fromhex(match[5]), np.uint8)
    return Detail((left, top, right, bottom), bits)


def _encode(text: str) -> str:
    return quote(text, safe=" /()[]+,;'!&@=~", errors="surrogateescape")


def _number_lines(file: BinaryIO, origin: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers from 1; raises HashFileError for what is no text."""
    first = file.readline(MOST_LINE_BYTES)
    if split_mark(first)[2]:  # as PowerShell writes what it redirects
        try:
            file = io.BytesIO(decode_text(first + file.read()).encode())
        except NotTextError as error:
            raise HashFileError(f"{origin} is {error}.") from error
        first = file.readline(MOST_LINE_BYTES)
    lines = iter(lambda: file.readline(MOST_LINE_BYTES), b"")
    for number, line in enumerate(chain([first] if first else [], lines), 1):
        is_whole = line.endswith(b"\n")
        if not is_whole and len(line) == MOST_LINE_BYTES:
            raise HashFileError(f"{origin}, line {number} is too long; this is no file of hashes.")
        if not line.isascii():
            raise HashFileError(f"{origin}, line {number} is not plain text of `vocparty hashes`.")
        if is_whole:  # a line that was cut off may read like another one
            yield number, line.decode("ascii").rstrip("\r\n")


def _check_head(first: str, second: str, origin: str) -> None:
    magic, _, version = first.partition(" ")
    if magic != MAGIC:
        raise HashFileError(
            f"{origin} is no file of hashes: it does not begin with “{MAGIC}”; make one with "
            "`vocparty hashes FOLDER`."
        )
    if version != str(VERSION):
        raise HashFileError(
            f"{origin} is of version {version[:20]}, and this program reads version {VERSION}; "
            "make it again with the same vocparty."
        )
    if second != f"recipe\t{RECIPE}":
        raise HashFileError(
            f"{origin} was made by another recipe ({second.partition(chr(9))[2][:80]}); this "
            f"program's is “{RECIPE}”; make it again with the same vocparty."
        )
