"""What the metadata of a JPEG may tell of people and places, read from the segments of its file.

The tags are those of EXIF 3.0, IPTC-IIM 4.2 and the XMP schemas of Adobe, IPTC and MWG.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from PIL import ExifTags, Image

from .jpeg import (
    ADOBE,
    APP0,
    APP2,
    APP14,
    APPS,
    COMMENT,
    ICC,
    JFIF,
    JFIF_BYTES,
    UNDECODABLE,
    JpegError,
    iterate_segments,
)

POSITION = "a position (GPS)"
PLACE = "the name of a place"
NAME = "the name of an author or owner"
SERIAL = "a serial number"
TEXT = "a title, caption, keyword or comment"
MAKER = "a maker's note, which often has serial numbers"
UNREAD = "metadata of a kind that is not read here"
TIME = "a time"
THUMBNAIL = "a thumbnail"
OTHER = "other metadata, such as camera settings"
NAMING = (POSITION, PLACE, NAME, SERIAL, TEXT, MAKER, UNREAD)
"""The kinds that may name or lead to people or places; the other three do not."""
KINDS = (*NAMING, TIME, THUMBNAIL, OTHER)

_EXIF = b"Exif\0"
_PHOTOSHOP = b"Photoshop 3.0\0"
_XMP = (b"http://ns.adobe.com/xap/1.0/\0", b"http://ns.adobe.com/xmp/extension/\0")
_APP1 = 0xE1
_APP12 = 0xEC
_APP13 = 0xED
_HARMLESS = (b"MPF\0", b"Adobe_CM", b"FPXR\0")
_ENCODER = re.compile(
    rb"CREATOR: gd-jpeg v[\d.]+ \(using IJG JPEG v\d+\), (?:default quality|quality = \d+)\s*"
)
"""The comment of PHP's GD in each JPEG that it writes (gd_jpeg.c); pictures of VOC2010 have it."""
_SHORTEST_NAME_BYTES = 3
"""Cameras leave a byte or two behind the end of a picture, which are no name."""
_BLANKS = b"\0 \t\r\n"
_BROKEN = (*UNDECODABLE, KeyError, TypeError, OverflowError)


def find_metadata(data: bytes) -> tuple[str, ...]:
    """The kinds of metadata in the file, in the order of KINDS; empty in one that is stripped.

    Colour profiles and Adobe's note on the colour transform are no metadata: pixels need them. What
    cannot be read counts as something that may name people.
    """
    kinds: set[str] = set()
    place = 0
    resources = b""
    try:
        for segment in iterate_segments(data):
            place = segment.scan_end
            if segment.marker == _APP13 and segment.content.startswith(_PHOTOSHOP):
                resources += segment.content.removeprefix(_PHOTOSHOP)
            elif segment.marker in APPS or segment.marker == COMMENT:
                kinds.update(_read_segment(segment.marker, segment.content))
    except JpegError:
        kinds.add(UNREAD)
    kinds.update(_read_resources(resources))
    if rest := data[place:].strip(_BLANKS):  # behind the end of the picture
        kinds.add(UNREAD if len(rest) >= _SHORTEST_NAME_BYTES else OTHER)
    return tuple(kind for kind in KINDS if kind in kinds)


def list_naming(kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the kinds that may name people or places."""
    return tuple(kind for kind in kinds if kind in NAMING)


def has_profile(data: bytes) -> bool:
    """Whether the file has a colour profile."""
    if ICC not in data:  # which is quick to see
        return False
    try:
        segments = list(iterate_segments(data))
    except JpegError:
        return False
    return any(segment.marker == APP2 and segment.content.startswith(ICC) for segment in segments)


def _read_segment(marker: int, content: bytes) -> Iterator[str]:
    """The kinds in one segment of an application, or in a comment."""
    if marker == COMMENT:
        yield from _read_comment(content)
    elif marker == APP0:
        yield from _read_jfif(content)
    elif marker == _APP1 and content.startswith(_EXIF):
        yield from _read_exif(content)
    elif marker == _APP1 and content.startswith(_XMP):
        yield from _read_xmp(content)
    elif marker == _APP12 and content.startswith(b"Ducky"):
        yield from _read_ducky(content.removeprefix(b"Ducky"))
    elif content.startswith(_HARMLESS):
        yield OTHER
    elif (marker, content[: len(ADOBE)]) != (APP14, ADOBE) and (
        marker != APP2 or not content.startswith(ICC)
    ):
        yield UNREAD


def _read_comment(content: bytes) -> Iterator[str]:
    if _ENCODER.fullmatch(content.rstrip(_BLANKS)):
        yield OTHER
    elif content.strip(_BLANKS):
        yield TEXT


def _read_jfif(content: bytes) -> Iterator[str]:
    if not content.startswith(JFIF):
        yield THUMBNAIL if content.startswith(b"JFXX\0") else UNREAD
    elif len(content) > JFIF_BYTES:
        yield THUMBNAIL


def _read_ducky(content: bytes) -> Iterator[str]:
    """What Photoshop writes for the web: tag 1 is the quality, 2 a comment, 3 a copyright."""
    yield OTHER
    kinds = {2: TEXT, 3: NAME}
    while len(content) >= 4:
        tag = int.from_bytes(content[:2])
        length = int.from_bytes(content[2:4])
        if tag in kinds and content[4 : 4 + length].strip(_BLANKS):
            yield kinds[tag]
        content = content[4 + length :]


_TAGS: Mapping[int, str] = {
    **dict.fromkeys((0x013B, 0x8298, 0x9C9D, 0xA430, 0xA437, 0xA438), NAME),
    **dict.fromkeys((0xA420, 0xA431, 0xA435, 0xC62F), SERIAL),
    **dict.fromkeys((0x010D, 0x010E, 0x013C, 0x9213, 0x9286, 0xA436), TEXT),
    **dict.fromkeys((0x9C9B, 0x9C9C, 0x9C9E, 0x9C9F), TEXT),
    **dict.fromkeys((0x927C, 0xC634), MAKER),
    **dict.fromkeys((0x0132, 0x9003, 0x9004), TIME),
}
_XMP_TAG = 0x02BC
_IPTC_TAG = 0x83BB
_RESOURCES_TAG = 0x8649
_GPS_VERSION = 0
_USER_COMMENT = 0x9286
_CODE_BYTES = 8
"""Its first bytes name the encoding of the text behind them."""


def _read_exif(content: bytes) -> Iterator[str]:
    yield OTHER
    exif = Image.Exif()
    try:
        exif.load(content)
        folders = [dict(exif), dict(exif.get_ifd(ExifTags.IFD.Exif))]
        position = dict(exif.get_ifd(ExifTags.IFD.GPSInfo))
        thumbnail = dict(exif.get_ifd(ExifTags.IFD.IFD1))
    except _BROKEN:
        yield UNREAD
        return
    if any(tag != _GPS_VERSION for tag in position):
        yield POSITION
    if thumbnail:
        yield THUMBNAIL
    for folder in (*folders, thumbnail):
        for tag, value in folder.items():
            yield from _read_tag(tag, value)


def _read_tag(tag: int, value: Any) -> Iterator[str]:
    data = _to_bytes(value)
    if tag == _USER_COMMENT:
        data = data[_CODE_BYTES:]
    if not data.strip(_BLANKS):
        return
    if tag in _TAGS:
        yield _TAGS[tag]
    elif tag == _XMP_TAG:
        yield from _read_xmp(data)
    elif tag == _IPTC_TAG:
        yield from _read_iptc(data)
    elif tag == _RESOURCES_TAG:
        yield from _read_resources(data)


def _to_bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, tuple) and all(
        isinstance(number, int) and 0 <= number < 256 for number in value
    ):
        return bytes(value)
    return str(value).encode("utf-8", "replace")


_PROPERTIES = {
    kind: re.compile(rb"(?<!rdf):(?:" + words + rb")\b", re.IGNORECASE)
    for kind, words in {
        POSITION: rb"gps(?!version)\w*|latitude|longitude",
        PLACE: rb"city|country\w*|state|province\w*|location\w*|sublocation|worldregion",
        NAME: (
            rb"creator|creatorcontactinfo|ciad\w*|ciemail\w*|citel\w*|ciurl\w*|author\w*|artist|"
            rb"owner\w*|cameraownername|\w*rights\w*|copyright\w*|credit\w*|photographer|by-?line\w*|"
            rb"personinimage\w*|\w*writer|contributor|publisher|source|imagesupplier\w*|"
            rb"imagecreator\w*|licensor\w*|usageterms|webstatement|name|persondisplayname|modelname"
        ),
        SERIAL: rb"\w*serialnumber|imageuniqueid|lensid",
        TEXT: (
            rb"title|description|headline|subject\w*|caption\w*|instructions|usercomment|\w*keywords|"
            rb"imagedescription|hierarchicalsubject|comment|label|event|transmissionreference"
        ),
        TIME: rb"\w*date\w*",
    }.items()
}
"""The names of properties, as elements or as attributes; values are not looked at."""


def _read_xmp(content: bytes) -> Iterator[str]:
    yield OTHER
    text = content.replace(b"\0", b"")  # also in UTF-16
    for kind, pattern in _PROPERTIES.items():
        if pattern.search(text):
            yield kind


_RESOURCE = re.compile(rb"8BIM(..)", re.DOTALL)
_IPTC = 0x0404
_EXIF_RESOURCE = 0x0422
_XMP_RESOURCE = 0x0424
_THUMBNAILS = (0x0409, 0x040C)


def _read_resources(content: bytes) -> Iterator[str]:
    """Photoshop's image resources: 8BIM, an id, a name and the bytes, each padded to be even."""
    place = 0
    while match := _RESOURCE.match(content, place):
        yield OTHER
        kind = int.from_bytes(match[1])
        place = match.end() + (content[match.end() : match.end() + 1] or b"\0")[0] + 1
        place += (place - match.end()) % 2
        length = int.from_bytes(content[place : place + 4])
        data = content[place + 4 : place + 4 + length]
        place += 4 + length + length % 2
        if kind == _IPTC:
            yield from _read_iptc(data)
        elif kind == _EXIF_RESOURCE:
            yield from _read_exif(_EXIF + b"\0" + data)
        elif kind == _XMP_RESOURCE:
            yield from _read_xmp(data)
        elif kind in _THUMBNAILS and data:
            yield THUMBNAIL
    if content[place:].strip(_BLANKS):
        yield UNREAD


_DATASET = re.compile(rb"\x1c\x02(.)(..)", re.DOTALL)
_DATASETS: Mapping[int, str] = {
    **dict.fromkeys((80, 85, 110, 115, 116, 118, 122), NAME),
    **dict.fromkeys((26, 27, 90, 92, 95, 100, 101), PLACE),
    **dict.fromkeys((5, 7, 20, 25, 40, 103, 105, 120), TEXT),
    **dict.fromkeys((30, 35, 37, 38, 55, 60, 62, 63), TIME),
}


def _read_iptc(content: bytes) -> Iterator[str]:
    yield OTHER
    for match in _DATASET.finditer(content):
        if match[1][0] in _DATASETS and match[2] != b"\0\0":
            yield _DATASETS[match[1][0]]
