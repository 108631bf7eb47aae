"""A folder of photographs as records: what photos.csv says, the rest invented from a seed.

The same seed and file always give the same record. Ids start above all of Flickr's and members
end in @N99, so that nothing invented denotes a real photograph or person.
"""

from __future__ import annotations

import hashlib
import logging
import re
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import TypeVar

from PIL import Image
from PIL.ExifTags import Base

from vockit.errors import SettingsError

from .photos import Availability, ContentType, Owner, Photo, PictureFile, Taken
from .search import Library
from .table import FILE_NAME, TAG_SEPARATOR, Row, format_mysql, parse_time_secs, read_table

log = logging.getLogger(__name__)

T = TypeVar("T")

FIRST_ID = 90_000_000_000
LAST_ID = 99_000_000_000
FIRST_UPLOAD_SECS = 1_262_304_000  # 2010-01-01
LAST_UPLOAD_SECS = 1_735_689_599  # 2024-12-31
DAY_SECS = 86_400

LICENCE_WEIGHTS = {
    0: 40,
    1: 14,
    2: 8,
    3: 9,
    4: 10,
    5: 7,
    6: 3,
    7: 1,
    8: 1,
    9: 3,
    10: 2,
    11: 1,
    15: 1,
}
"""Most of Flickr keeps all rights; of the rest, the old non-commercial licences lead."""

USERNAMES = (
    "lighthouse_ines",
    "Tom on two wheels",
    "mareike.b",
    "nightshift",
    "Old Harbour",
    "p.okafor",
    "greenhouse23",
    "Yuki S",
    "the slow train",
    "carlosvelo",
    "Anna M.",
    "fieldnotes",
    "jgw1954",
    "kitchen table",
    "Sanne",
    "Rooftop",
    "hedgerow",
    "bela k",
    "grandpa Joe",
    "Muddy Boots",
)
WORDS = (
    "street",
    "garden",
    "kitchen",
    "river",
    "family",
    "city",
    "village",
    "beach",
    "party",
    "sea",
    "road",
    "farm",
    "station",
    "dog",
    "cat",
    "bird",
    "horse",
    "boat",
    "bike",
    "car",
    "train",
    "bus",
    "plant",
    "table",
    "chair",
    "sofa",
    "lake",
    "summer",
    "winter",
    "travel",
    "trip",
    "office",
    "plane",
    "sheep",
    "cow",
    "bottle",
    "monitor",
    "people",
    "lunch",
    "yard",
    "trail",
    "water",
)

SUFFIXES = frozenset({".jpg", ".jpeg", ".png", ".gif", ".webp", ".bmp", ".tif", ".tiff"})


def read_library(folder: Path, *, seed: int = 0) -> Library:
    """The photographs of a folder and its sub-folders, as records.

    Raises SettingsError where the folder or its table is not as it should be. A file that is no
    picture is left out and logged.
    """
    if not folder.is_dir():
        raise SettingsError(f"There is no folder {folder}; name a folder of photographs.")
    rows = read_table(folder)
    paths = sorted(path for path in folder.rglob("*") if path.suffix.lower() in SUFFIXES)
    read = (_read_file(path, path.relative_to(folder).as_posix()) for path in paths)
    files = [file for file in read if file is not None]
    if not files:
        raise SettingsError(f"{folder} holds no photograph that can be read (JPEG, PNG, GIF ...).")
    missing = sorted(set(rows) - {file.name for file in files})
    if missing:
        raise SettingsError(
            f"{folder / FILE_NAME} lists {missing[0]!r}, which is not a photograph in the folder."
        )
    return Library(make_photo(file, rows.get(file.name, {}), seed) for file in files)


def _read_file(path: Path, name: str) -> PictureFile | None:
    try:
        content = path.read_bytes()
        with Image.open(path) as image:
            width_px, height_px = image.size
            is_turned = image.getexif().get(Base.Orientation) in (5, 6, 7, 8)
    except (OSError, Image.DecompressionBombError, ValueError) as error:
        log.warning("%s is left out: it cannot be read as a picture (%s)", path, error)
        return None
    if is_turned:
        width_px, height_px = height_px, width_px
    return PictureFile(path, name, hashlib.sha256(content).hexdigest(), width_px, height_px)


@dataclass(frozen=True)
class Inventor:
    """Draws that depend only on the seed, the photograph's key and what is drawn."""

    seed: int
    key: str

    def unit(self, what: str) -> float:
        """A number in [0, 1)."""
        return _digest_int(f"{self.seed}/{self.key}/{what}") / 2**64

    def whole(self, what: str, low: int, high: int) -> int:
        """A whole number from low to high, both included."""
        return low + int(self.unit(what) * (high - low + 1))

    def choose(self, what: str, options: Sequence[T], weights: Sequence[float] | None = None) -> T:
        """One of the options."""
        totals = list(accumulate(weights or [1.0] * len(options)))
        return options[bisect(totals, self.unit(what) * totals[-1])]

    def happens(self, what: str, rate: float) -> bool:
        """Whether an event of this rate happens here."""
        return self.unit(what) < rate


def make_photo(file: PictureFile, row: Row, seed: int) -> Photo:
    """The record of a file; the same arguments always give the same record."""
    draw = Inventor(seed, file.sha256)
    uploaded_secs = parse_time_secs(row["uploaded"]) if row.get("uploaded") else invent_upload(draw)
    stem = PurePosixPath(file.name).stem
    tags = (tag.strip() for tag in row.get("tags", "").split(TAG_SEPARATOR) if tag.strip())
    return Photo(
        id=int(row.get("id") or invent_id(f"{file.sha256}/{file.name}")),
        file=file,
        title=row.get("title") or re.sub(r"[\W_]+", " ", stem).strip() or "Untitled",
        description=row.get("description", ""),
        tags=tuple(tags) or _tags(draw, file.name),
        owner=make_owner(row["owner"]) if row.get("owner") else invent_owner(draw),
        licence_id=int(row["licence"]) if row.get("licence") else invent_licence(draw),
        uploaded_secs=uploaded_secs,
        taken=_taken(row, draw, uploaded_secs),
        place=draw.choose("place", (None, (48.14, 11.58), (51.5, -0.13), (-1.29, 36.82))),
        content_type=ContentType(row.get("content_type") or ContentType.PHOTO),
        availability=Availability(row.get("state") or Availability.PUBLIC),
    )


def invent_id(key: str) -> int:
    """A photo id."""
    return FIRST_ID + _digest_int(f"id/{key}") % (LAST_ID - FIRST_ID)


def invent_owner(draw: Inventor) -> Owner:
    """One of a few members; the first ones are prolific."""
    weights = [1 / (rank + 1) for rank in range(len(USERNAMES))]
    return make_owner(draw.choose("owner", USERNAMES, weights))


def make_owner(username: str) -> Owner:
    """The member of this name; the id follows from the name."""
    if re.fullmatch(r"\d+@N\d\d", username):
        return Owner(username, username)
    number = 10_000_000 + _digest_int(f"owner/{username}") % 90_000_000
    return Owner(f"{number}@N99", username)


def invent_upload(draw: Inventor) -> int:
    """A second of the years 2010 to 2024."""
    return draw.whole("uploaded", FIRST_UPLOAD_SECS, LAST_UPLOAD_SECS)


def invent_licence(draw: Inventor) -> int:
    """A licence, in about the shares that Flickr has."""
    return draw.choose("licence", list(LICENCE_WEIGHTS), list(LICENCE_WEIGHTS.values()))


def _taken(row: Row, draw: Inventor, uploaded_secs: int) -> Taken:
    """A time before the upload; sometimes unknown and then the posting time."""
    text = row.get("taken", "")
    if text == "unknown" or (not text and draw.happens("taken unknown", 0.1)):
        return Taken(format_mysql(uploaded_secs), is_unknown=True)
    if text:
        return Taken(text)
    days = draw.whole("taken days", 0, 20) ** 2
    secs = uploaded_secs - days * DAY_SECS - draw.whole("taken secs", 60, DAY_SECS)
    return Taken(format_mysql(secs))


def _tags(draw: Inventor, file_name: str) -> tuple[str, ...]:
    """Tags from the names of the file and its folders, and a few everyday words."""
    path = PurePosixPath(file_name)
    named = re.findall(r"[^\W\d_]{3,}", " ".join((*path.parts[:-1], path.stem)).casefold())
    drawn = [draw.choose(f"tag {number}", WORDS) for number in range(draw.whole("tags", 2, 6))]
    return tuple(dict.fromkeys((*named, *drawn)))


def _digest_int(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
