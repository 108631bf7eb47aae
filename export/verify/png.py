"""The header of a PNG file (PNG specification, section 11.2.2), as masks need it."""

from __future__ import annotations

from dataclasses import dataclass

_SIGNATURE = b"\x89PNG\r\n\x1a\n\x00\x00\x00\x0dIHDR"
_END = b"\x00\x00\x00\x00IEND\xaeB`\x82"
HEADER_BYTES = len(_SIGNATURE) + 10
_PALETTE = 3


class PngError(ValueError):
    """The bytes are not a whole PNG."""


@dataclass(frozen=True)
class PngHeader:
    """Pixels, bits of each, and whether they are numbers of a palette."""

    size_wh: tuple[int, int]
    bits: int
    has_palette: bool


def read_png_header(data: bytes) -> PngHeader:
    """The header of a PNG that has an end; raises PngError. Pixels are not decoded."""
    if not data.startswith(_SIGNATURE) or len(data) < HEADER_BYTES:
        raise PngError("it is no PNG")
    if not data.endswith(_END):
        raise PngError("it is cut off")
    place = len(_SIGNATURE)
    return PngHeader(
        size_wh=(
            int.from_bytes(data[place : place + 4]),
            int.from_bytes(data[place + 4 : place + 8]),
        ),
        bits=data[place + 8],
        has_palette=data[place + 9] == _PALETTE,
    )
