"""The methods of Flickr's API that the stand-in knows: functions from arguments to a shape."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from .criteria import parse_criteria, parse_paging
from .failures import PHOTO_NOT_FOUND, make_failure
from .library import Library
from .licences import LICENCES
from .photos import Availability, Photo
from .search import search
from .shapes import shape_info, shape_page, shape_result, shape_sizes
from .times import parse_number

Args = Mapping[str, str]
Shape = Mapping[str, Any]


def call(library: Library, args: Args, base_url: str) -> Shape:
    """What the method named in the arguments returns; raises FlickrFailure where it refuses."""
    name = args.get("method", "")
    if name not in METHODS:
        raise make_failure(112, f'Method "{name}" not found')
    return METHODS[name](library, args, base_url)


def _search(library: Library, args: Args, base_url: str) -> Shape:
    page = search(library, parse_criteria(args), parse_paging(args))
    extras = frozenset(extra.strip() for extra in args.get("extras", "").split(","))
    photos = (library.photo_at(position) for position in page.positions)
    return shape_page(page, [shape_result(photo, extras, base_url) for photo in photos])


def _get_info(library: Library, args: Args, base_url: str) -> Shape:
    return shape_info(_get_photo(library, args), base_url)


def _get_sizes(library: Library, args: Args, base_url: str) -> Shape:
    return shape_sizes(_get_photo(library, args, "Photo not found"), base_url)


def _get_photo(library: Library, args: Args, refusal: str = "") -> Photo:
    """The photo; one that was deleted or made private is not to be told from one unknown."""
    text = args.get("photo_id", "")
    number = parse_number(text)
    photo = None if number is None else library.find(number)
    if photo is None or photo.availability is not Availability.PUBLIC:
        message = refusal or f'Photo "{text}" not found (invalid ID)'
        raise make_failure(PHOTO_NOT_FOUND, message)
    return photo


def _get_licences(library: Library, args: Args, base_url: str) -> Shape:
    return {"licenses": {"license": [asdict(licence) for licence in LICENCES]}}


def _echo(library: Library, args: Args, base_url: str) -> Shape:
    return {name: {"_content": value} for name, value in args.items()}


METHODS: dict[str, Callable[[Library, Args, str], Shape]] = {
    "flickr.photos.search": _search,
    "flickr.photos.getInfo": _get_info,
    "flickr.photos.getSizes": _get_sizes,
    "flickr.photos.licenses.getInfo": _get_licences,
    "flickr.test.echo": _echo,
}
