"""Pictures with metadata of every kind, made by hand where no library writes it."""

import io
from collections.abc import Mapping

from PIL import Image

from tests.party_rows import jpeg_bytes
from vockit.format.jpeg import COMMENT, SOI

XMP = b"http://ns.adobe.com/xap/1.0/\0"
GPS = {1: "N", 2: (48.0, 12.0, 0.0), 3: "E", 4: (16.0, 22.0, 0.0)}


def with_exif(
    seed: int, tags: Mapping[int, object], gps: Mapping[int, object] | None = None
) -> bytes:
    """A picture with these EXIF tags, of which those from 0x9000 on are in their own folder."""
    exif = Image.Exif()
    camera = exif.get_ifd(0x8769)
    for tag, value in tags.items():
        is_of_camera = 0x9000 <= tag < 0x9C00 or tag >= 0xA000
        (camera if is_of_camera else exif)[tag] = value
    exif.get_ifd(0x8825).update(gps or {})
    return with_segment(seed, 0xE1, exif.tobytes())


def with_segment(seed: int, marker: int, content: bytes) -> bytes:
    """A picture with one segment more."""
    data = jpeg_bytes(seed)
    segment = bytes((0xFF, marker)) + (len(content) + 2).to_bytes(2) + content
    return SOI + segment + data[len(SOI) :]


def with_comment(seed: int, text: bytes) -> bytes:
    return with_segment(seed, COMMENT, text)


def with_xmp(seed: int, body: bytes) -> bytes:
    packet = b"<x:xmpmeta><rdf:RDF><rdf:Description>" + body + b"</rdf:Description></rdf:RDF>"
    return with_segment(seed, 0xE1, XMP + packet + b"</x:xmpmeta>")


def with_iptc(seed: int, dataset: int, text: bytes) -> bytes:
    record = b"\x1c\x02" + bytes((dataset,)) + len(text).to_bytes(2) + text
    block = b"8BIM\x04\x04\0\0" + len(record).to_bytes(4) + record + b"\0" * (len(record) % 2)
    return with_segment(seed, 0xED, b"Photoshop 3.0\0" + block)


def pixels(data: bytes) -> bytes:
    with Image.open(io.BytesIO(data)) as picture:
        return picture.tobytes()
