"""Photos for tests: records without files, and small real files."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from simulate.flickr.folder import LAST_ID, Inventor, invent_licence, invent_owner, invent_upload
from simulate.flickr.messages import Request
from simulate.flickr.photos import Owner, Photo, PictureFile, Taken
from simulate.flickr.table import format_mysql

DAY_SECS = 86_400
START_SECS = 1_400_000_000
BASE_URL = "http://127.0.0.1:1"


def make_file(width_px: int = 1200, height_px: int = 900) -> PictureFile:
    return PictureFile(Path("nowhere"), "nowhere", "0" * 64, width_px, height_px)


def make_photo(number: int = 1, **known: Any) -> Photo:
    uploaded_secs = known.get("uploaded_secs", START_SECS + number * DAY_SECS)
    defaults: dict[str, Any] = {
        "id": 90_000_000_000 + number,
        "file": make_file(),
        "title": f"Photo {number}",
        "description": "",
        "tags": (),
        "owner": Owner("11111111@N99", "ines"),
        "licence_id": 4,
        "uploaded_secs": uploaded_secs,
        "taken": Taken(format_mysql(uploaded_secs - DAY_SECS)),
    }
    return Photo(**{**defaults, **known})


def make_call(method: str, args: Mapping[str, str] | None = None, **more: str) -> Request:
    known = {"method": method, "api_key": "key", "format": "json", "nojsoncallback": "1"}
    path = "/services/rest/"
    return Request(path, {**known, **(args or {}), **more}, "POST", base_url=BASE_URL)


def write_picture(path: Path, size_wh: tuple[int, int] = (640, 480), **options: Any) -> Path:
    image = Image.linear_gradient("L").resize(size_wh).convert("RGB")
    path.parent.mkdir(parents=True, exist_ok=True)
    image.save(path, **options)
    return path


def make_copy(photo: Photo, number: int, seed: int = 0) -> Photo:
    """The photograph under another id, owner, licence and date."""
    draw = Inventor(seed, f"copy {number}")
    uploaded_secs = invent_upload(draw)
    return replace(
        photo,
        id=LAST_ID + number,
        owner=invent_owner(draw),
        licence_id=invent_licence(draw),
        uploaded_secs=uploaded_secs,
        taken=Taken(format_mysql(uploaded_secs - draw.whole("taken", 60, 400 * DAY_SECS))),
    )
