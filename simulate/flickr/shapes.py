"""Photos in the shapes of Flickr's JSON, with its drifting types.

Modelled on recorded replies (Openverse's and the Flickr Foundation's test fixtures): numbers are
sometimes numbers and sometimes strings, and what an owner hides is absent, not empty.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .photos import ContentType, Photo
from .search import Page
from .sizes import BY_SUFFIX, ORIGINAL, Size, exists, find_sizes, format_url, measure

Shape = dict[str, Any]

SIZES_BY_EXTRA = {f"url_{size.extra}": size for size in BY_SUFFIX.values()}
CONTENT_CODES = {ContentType.PHOTO: "0", ContentType.SCREENSHOT: "1", ContentType.OTHER: "3"}


def shape_page(page: Page, photos: list[Shape]) -> Shape:
    """The reply to flickr.photos.search."""
    total: int | str = page.total if page.total % 2 else str(page.total)
    return {
        "photos": {
            "page": page.page,
            "pages": page.pages,
            "perpage": page.per_page,
            "total": total,
            "photo": photos,
        }
    }


def shape_result(photo: Photo, extras: frozenset[str], base_url: str) -> Shape:
    """One photo among search results, with the extras asked for; unknown extras add nothing."""
    shape: Shape = {
        "id": str(photo.id),
        "owner": photo.owner.nsid,
        "secret": photo.secret,
        "server": photo.server,
        "farm": photo.farm,
        "title": photo.title,
        "ispublic": 1,
        "isfriend": 0,
        "isfamily": 0,
    }
    for extra, add in EXTRAS.items():
        if extra in extras:
            shape |= add(photo)
    for extra, size in SIZES_BY_EXTRA.items():
        if extra in extras:
            shape |= _shape_url(photo, size, base_url)
    return shape


def shape_info(photo: Photo, base_url: str) -> Shape:
    """The reply to flickr.photos.getInfo."""
    shape: Shape = {
        "id": str(photo.id),
        "secret": photo.secret,
        "server": photo.server,
        "farm": photo.farm,
        "dateuploaded": str(photo.uploaded_secs),
        "isfavorite": 0,
        "license": str(photo.licence_id),
        "safety_level": "0",
        "rotation": 0,
        **({} if photo.is_original_hidden else _original_format(photo)),
        "owner": _shape_owner(photo),
        "title": {"_content": photo.title},
        "description": {"_content": photo.description},
        "visibility": {"ispublic": 1, "isfriend": 0, "isfamily": 0},
        "dates": _shape_dates(photo),
        "views": str(photo.views),
        "editability": {"cancomment": 0, "canaddmeta": 0},
        "publiceditability": {"cancomment": 1, "canaddmeta": 0},
        "usage": _shape_usage(photo),
        "comments": {"_content": "0"},
        "notes": {"note": []},
        "people": {"haspeople": 0},
        "tags": {"tag": _shape_tags(photo)},
    }
    if photo.place:
        shape |= {"location": _shape_place(photo), "geoperms": GEO_PERMISSIONS}
    page = format_page_url(base_url, photo)
    shape |= {"urls": {"url": [{"type": "photopage", "_content": page}]}, "media": "photo"}
    return {"photo": shape}


def shape_sizes(photo: Photo, base_url: str) -> Shape:
    """The reply to flickr.photos.getSizes."""
    sizes = [_shape_size(photo, size, base_url) for size in find_sizes(photo)]
    return {
        "sizes": {
            "canblog": 0,
            "canprint": 0,
            "candownload": int(not photo.is_original_hidden),
            "size": sizes,
        }
    }


def format_page_url(base_url: str, photo: Photo) -> str:
    """The address of the photo's page; the stand-in's own, since these photos are not Flickr's."""
    return f"{base_url}/photos/{photo.owner.path_alias or photo.owner.nsid}/{photo.id}/"


GEO_PERMISSIONS = {"ispublic": 1, "iscontact": 0, "isfriend": 0, "isfamily": 0}


def _shape_taken(photo: Photo) -> Shape:
    unknown = photo.taken.is_unknown
    granularity: int | str = 0 if unknown else str(photo.taken.granularity)
    return {
        "datetaken": photo.taken.at,
        "datetakengranularity": granularity,
        "datetakenunknown": "1" if unknown else "0",
    }


def _shape_geo(photo: Photo) -> Shape:
    if photo.place is None:
        return {"latitude": 0, "longitude": 0, "accuracy": 0, "context": 0}
    return {
        "latitude": f"{photo.place.latitude:.6f}",
        "longitude": f"{photo.place.longitude:.6f}",
        "accuracy": "16",
        "context": 0,
        "place_id": "",
        "woeid": str(photo.id % 10_000_000),
        "geo_is_family": 0,
        "geo_is_friend": 0,
        "geo_is_contact": 0,
        "geo_is_public": 1,
    }


def _original_format(photo: Photo) -> Shape:
    return {"originalsecret": photo.original_secret, "originalformat": photo.file.extension}


def _if_original_shown(shape: Callable[[Photo], Shape]) -> Callable[[Photo], Shape]:
    return lambda photo: {} if photo.is_original_hidden else shape(photo)


EXTRAS: dict[str, Callable[[Photo], Shape]] = {
    "license": lambda photo: {"license": str(photo.licence_id)},
    "description": lambda photo: {"description": {"_content": photo.description}},
    "o_dims": _if_original_shown(
        lambda photo: {
            "o_width": str(photo.file.width_px),
            "o_height": str(photo.file.height_px),
        }
    ),
    "date_upload": lambda photo: {"dateupload": str(photo.uploaded_secs)},
    "last_update": lambda photo: {"lastupdate": str(photo.updated_secs)},
    "date_taken": _shape_taken,
    "owner_name": lambda photo: {"ownername": photo.owner.username},
    "original_format": _if_original_shown(_original_format),
    "views": lambda photo: {"views": str(photo.views)},
    "tags": lambda photo: {"tags": " ".join(photo.normalised_tags)},
    "machine_tags": lambda photo: {"machine_tags": ""},
    "geo": _shape_geo,
    "media": lambda photo: {"media": "photo", "media_status": "ready"},
    "path_alias": lambda photo: {"pathalias": photo.owner.path_alias},
    "content_type": lambda photo: {"content_type": CONTENT_CODES[photo.content_type]},
    "safety_level": lambda photo: {"safety_level": "0"},
}


def _shape_url(photo: Photo, size: Size, base_url: str) -> Shape:
    if not exists(photo, size):
        return {}
    width, height = measure(photo.file, size)
    is_text = size is ORIGINAL
    return {
        f"url_{size.extra}": format_url(base_url, photo, size),
        f"height_{size.extra}": str(height) if is_text else height,
        f"width_{size.extra}": str(width) if is_text else width,
    }


def _shape_owner(photo: Photo) -> Shape:
    return {
        "nsid": photo.owner.nsid,
        "username": photo.owner.username,
        "realname": photo.owner.real_name,
        "location": None,
        "iconserver": "0",
        "iconfarm": 0,
        "path_alias": photo.owner.path_alias,
    }


def _shape_dates(photo: Photo) -> Shape:
    taken = _shape_taken(photo)
    return {
        "posted": str(photo.uploaded_secs),
        "taken": taken["datetaken"],
        "takengranularity": taken["datetakengranularity"],
        "takenunknown": taken["datetakenunknown"],
        "lastupdate": str(photo.updated_secs),
    }


def _shape_usage(photo: Photo) -> Shape:
    shown = int(not photo.is_original_hidden)
    return {"candownload": shown, "canblog": 0, "canprint": 0, "canshare": 1}


def _shape_tags(photo: Photo) -> list[Shape]:
    pairs = zip(photo.tags, photo.normalised_tags, strict=False)
    return [
        {
            "id": f"{photo.owner.nsid.split('@')[0]}-{photo.id}-{number}",
            "author": photo.owner.nsid,
            "authorname": photo.owner.username,
            "raw": raw,
            "_content": tag,
            "machine_tag": 0,
        }
        for number, (raw, tag) in enumerate(pairs, start=1)
    ]


def _shape_place(photo: Photo) -> Shape:
    geo = _shape_geo(photo)
    return {key: geo[key] for key in ("latitude", "longitude", "accuracy", "context")}


def _shape_size(photo: Photo, size: Size, base_url: str) -> Shape:
    width, height = measure(photo.file, size)
    as_text = size.label not in {"Square", "Thumbnail"}
    return {
        "label": size.label,
        "width": str(width) if as_text else width,
        "height": str(height) if as_text else height,
        "source": format_url(base_url, photo, size),
        "url": f"{format_page_url(base_url, photo)}sizes/{size.extra}/",
        "media": "photo",
    }
