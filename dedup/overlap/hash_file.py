"""The file of hashes that a participant hands over instead of pictures: text, a line an image.

docs/manual/hashes.md describes every field; a change that a reader would notice gets a new number.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO
from urllib.parse import quote, unquote

import numpy as np

from dedup.signature.hashes import MAX_BOXES, TURNS, Hashes
from dedup.signature.layout import Rectangle
from dedup.signature.picture import LEVELS_SIDE_PX
from dedup.signature.signature import RECIPE, Layout

from .details import CODE_BYTES, DETAIL_BITS, MIDDLE, MOST_CODED, CodedFeatures, Detail
from .theirs import HashFileError, TheirImage, Theirs, Unreadable

MAGIC = "vocparty-hashes"
VERSION = 4
FIELDS = 8
MOST_LINE_BYTES = 100_000
IMAGE, BROKEN, END = "image", "broken", "end"
_VIEW = re.compile(r"[0-9a-f]{16}")
_DETAIL = re.compile(rf"([\d,]+)=([0-9a-f]{{{DETAIL_BITS // 4}}})")
_DIGESTS = re.compile(r"file=([0-9a-f]{64})(?: levels=([0-9a-f]{64}))?")
_FEATURE_BYTES = 4 + CODE_BYTES


def format_hashes(found: Iterable[TheirImage | Unreadable]) -> Iterator[str]:
    """The lines of the file, each with its end; the last one counts, so that a cut is noticed."""
    yield f"{MAGIC} {VERSION}\n"
    yield f"recipe\t{RECIPE}\n"
    images = unreadable = 0
    for one in found:
        if isinstance(one, Unreadable):
            unreadable += 1
            yield f"{BROKEN}\t{_encode(one.name)}\t{_encode(one.reason)}\n"
        else:
            images += 1
            yield _format_image(one)
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
            _check_end(fields, len(images), len(unreadable), f"{origin}, line {number}")
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
    layout, views, levels = image.layout, image.views, image.levels_sha256
    fields = (
        IMAGE,
        _encode(image.name),
        f"file={image.sha256}" + (f" levels={levels}" if levels else ""),
        f"{layout.aspect:.5f}",
        f"{image.quality:.2f}",
        " ".join(f"{value:016x}" for value in views.tolist()),
        " ".join(f"{','.join(map(str, it.box))}={it.bits.tobytes().hex()}" for it in image.details),
        _format_features(image.features),
    )
    return "\t".join(fields) + "\n"


def _format_features(features: CodedFeatures) -> str:
    words = features.words.astype("<u2").view(np.uint8).reshape(-1, 2)
    rows = np.concatenate([features.points, words, features.codes], axis=1)
    return base64.b64encode(rows.tobytes()).decode("ascii")


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
    found = [_parse_detail(word) for word in details.split()]
    boxes = [it.box for it in found if it.box != MIDDLE]
    if not 1 <= len(boxes) <= MAX_BOXES:
        raise ValueError(f"expected 1 to {MAX_BOXES} rectangles besides the middle")
    layout = Layout(_parse_number("shape", aspect, 1e-5, 1e5), boxes)
    return TheirImage(
        unquote(name),
        *_parse_digests(digests),
        _parse_number("quality", quality, 0, 100),
        layout,
        _parse_views(views, len(TURNS) + len(layout.boxes) - 1),
        found,
        _parse_features(features),
    )


def _parse_digests(words: str) -> tuple[str, str | None]:
    found = _DIGESTS.fullmatch(words)
    if found is None:
        raise ValueError("expected file=SHA256 and perhaps levels=SHA256, of 64 hexadecimal digits")
    return found[1], found[2]


def _parse_number(what: str, word: str, least: float, most: float) -> float:
    number = float(word)
    if not least <= number <= most:
        raise ValueError(f"expected a {what} between {least:g} and {most:g}, got {word[:20]}")
    return number


def _parse_views(words: str, count: int) -> Hashes:
    hashes = words.split()
    if len(hashes) != count or not all(_VIEW.fullmatch(it) for it in hashes):
        raise ValueError(f"expected {count} hashes of 16 hexadecimal digits")
    return np.array([int(it, 16) for it in hashes], np.uint64)


def _parse_detail(word: str) -> Detail:
    found = _DETAIL.fullmatch(word)
    if found is None:
        raise ValueError(f"a detail is not L,T,R,B=HASH with {DETAIL_BITS // 4} hexadecimal digits")
    return Detail(_parse_box(found[1]), np.frombuffer(bytes.fromhex(found[2]), np.uint8))


def _parse_box(text: str) -> Rectangle:
    edges = [int(word) for word in text.split(",") if word.isdecimal() and len(word) <= 3]
    if len(edges) != 4 or not (
        edges[0] < edges[2] <= LEVELS_SIDE_PX and edges[1] < edges[3] <= LEVELS_SIDE_PX
    ):
        raise ValueError(f"expected a rectangle in {LEVELS_SIDE_PX}ths, got “{text[:40]}”")
    return edges[0], edges[1], edges[2], edges[3]


def _encode(text: str) -> str:
    return quote(text, safe=" /()[]+,;'!&@=~", errors="surrogateescape")


def _number_lines(file: BinaryIO, origin: str) -> Iterator[tuple[int, str]]:
    """The lines with their numbers from 1; raises HashFileError for what is no text."""
    lines = iter(lambda: file.readline(MOST_LINE_BYTES), b"")
    for number, line in enumerate(lines, 1):
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


def _check_end(fields: list[str], images: int, unreadable: int, place: str) -> None:
    if fields[1:] != [str(images), str(unreadable)]:
        raise HashFileError(
            f"{place} counts {' and '.join(fields[1:])[:40]}, but {images} images and "
            f"{unreadable} broken files stand above; send the file as it was made."
        )
