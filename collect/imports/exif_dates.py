"""When a photograph was taken, by its EXIF."""

from __future__ import annotations

import io
import re
import warnings

from PIL import Image

_EXIF_IFD = 0x8769
_ORIGINAL, _DIGITISED, _CHANGED = 0x9003, 0x9004, 0x0132
_MOMENT = re.compile(r"(\d{4}):(\d\d):(\d\d) (\d\d:\d\d:\d\d)")
_NO_DATE = "0000"


def find_taken_at(data: bytes) -> str | None:
    """The camera's local time as `YYYY-MM-DD hh:mm:ss`, or None where there is none to be read.

    DateTimeOriginal, else DateTimeDigitized, else DateTime (EXIF 2.3, sections 4.6.4 and 4.6.5).
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # damaged EXIF is not worth a word here
            with Image.open(io.BytesIO(data), formats=["JPEG"]) as image:
                exif = image.getexif()
                inner = exif.get_ifd(_EXIF_IFD)
    except Exception:
        return None
    values = (inner.get(_ORIGINAL), inner.get(_DIGITISED), exif.get(_CHANGED))
    return next((moment for value in values if (moment := _parse(value))), None)


def _parse(value: object) -> str | None:
    match = _MOMENT.match(value.strip(" \0")) if isinstance(value, str) else None
    if match is None or match[1] == _NO_DATE:
        return None
    return f"{match[1]}-{match[2]}-{match[3]} {match[4]}"
