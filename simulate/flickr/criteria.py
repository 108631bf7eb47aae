"""What a call of flickr.photos.search asks for, read from its arguments.

Source: flickr.com/services/api/flickr.photos.search.html. Where Flickr would quietly ignore an
argument that it cannot read, the stand-in refuses it (code 18), so that a mistake is seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .failures import ILLOGICAL_ARGUMENTS, make_failure
from .photos import ContentType
from .times import parse_number, parse_time_secs
from .words import split_words

MAX_PER_PAGE = 500
DEFAULT_PER_PAGE = 100
MAX_PAGE = 10_000
MAX_TAGS_IN_ALL = 20

SORTS = frozenset(
    {"date-posted-desc", "date-posted-asc", "date-taken-desc", "date-taken-asc",
     "interestingness-desc", "interestingness-asc", "relevance"}
)  # fmt: skip
CONTENT_TYPES = {"1": "1", "2": "2", "3": "3", "4": "12", "5": "23", "6": "13", "7": "123"}
MEDIA = frozenset({"all", "photos", "videos"})
LIMITING = (
    "text", "tags", "user_id", "license",
    "min_upload_date", "max_upload_date", "min_taken_date", "max_taken_date",
)  # fmt: skip
"""A search needs one of these; without any it is "parameterless"."""

NOT_HERE = (
    "bbox", "lat", "lon", "radius", "radius_units", "place_id", "woe_id", "geo_context",
    "machine_tags", "machine_tag_mode", "group_id", "contacts", "is_commons", "in_gallery",
    "is_getty", "content_types", "video_content_type",
)  # fmt: skip
"""Arguments of the true Flickr that the stand-in refuses rather than ignores."""

Span = tuple[int | None, int | None]


@dataclass(frozen=True)
class Criteria:
    """One search; a span holds both of its ends, None leaves an end open."""

    words: tuple[str, ...] = ()
    words_excluded: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    tags_excluded: tuple[str, ...] = ()
    must_all_tags: bool = False
    uploaded_secs: Span = (None, None)
    taken_secs: Span = (None, None)
    licence_ids: frozenset[int] | None = None
    content_types: frozenset[ContentType] = frozenset(ContentType)
    media: str = "all"
    user_id: str | None = None
    must_have_place: bool | None = None
    sort: str = "date-posted-desc"


@dataclass(frozen=True)
class Paging:
    """Which page of how many results."""

    page: int = 1
    per_page: int = DEFAULT_PER_PAGE


def parse_paging(args: Mapping[str, str]) -> Paging:
    """The page asked for; Flickr caps the page at 10,000 and its length at 500."""
    page = _parse_count(args.get("page"), 1)
    per_page = _parse_count(args.get("per_page"), DEFAULT_PER_PAGE)
    return Paging(min(page, MAX_PAGE), min(per_page, MAX_PER_PAGE))


def parse_criteria(args: Mapping[str, str]) -> Criteria:
    """The search that the arguments ask for; raises FlickrFailure where Flickr would refuse."""
    _check_arguments(args)
    included, excluded = _parse_text(args.get("text", ""))
    tags, tags_excluded = _parse_tags(args.get("tags", ""))
    must_all_tags = _choose(args, "tag_mode", {"any", "all"}, "any") == "all"
    if must_all_tags and len(tags) > MAX_TAGS_IN_ALL:
        raise make_failure(1)
    return Criteria(
        words=included,
        words_excluded=excluded,
        tags=tags,
        tags_excluded=tags_excluded,
        must_all_tags=must_all_tags,
        uploaded_secs=(_parse_time(args, "min_upload_date"), _parse_time(args, "max_upload_date")),
        taken_secs=(_parse_time(args, "min_taken_date"), _parse_time(args, "max_taken_date")),
        licence_ids=_parse_licences(args.get("license", "")),
        content_types=_parse_content_types(args),
        media=_choose(args, "media", MEDIA, "all"),
        user_id=args.get("user_id") or None,
        must_have_place=_parse_place(args),
        sort=_choose(args, "sort", SORTS, "date-posted-desc"),
    )


def _check_arguments(args: Mapping[str, str]) -> None:
    refused = [name for name in NOT_HERE if args.get(name)]
    if refused:
        raise _illogical(f"the stand-in cannot search by {refused[0]}")
    if not any(args.get(name, "").strip() for name in LIMITING):
        raise make_failure(3)
    _choose(args, "safe_search", {"1", "2", "3"}, "1")


def _parse_text(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    included: list[str] = []
    excluded: list[str] = []
    for term in text.split():
        (excluded if term.startswith("-") else included).extend(split_words(term))
    if text.strip() and not included and not excluded:
        included.append(text)  # no word at all: nothing can match
    return tuple(included), tuple(excluded)


def _parse_tags(text: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    terms = [term.strip() for term in text.split(",") if term.strip()]
    excluded = tuple(term[1:] for term in terms if term.startswith("-"))
    return tuple(term for term in terms if not term.startswith("-")), excluded


def _parse_time(args: Mapping[str, str], name: str) -> int | None:
    text = args.get(name, "")
    if not text:
        return None
    try:
        return parse_time_secs(text)
    except ValueError as error:
        raise _illogical(f"{name}: {error}") from error


def _parse_licences(text: str) -> frozenset[int] | None:
    terms = [term.strip() for term in text.split(",") if term.strip()]
    numbers = frozenset(parse_number(term) for term in terms)
    if None in numbers:
        raise _illogical(f"license must be a list of numbers, not {text!r}")
    return frozenset(number for number in numbers if number is not None) if terms else None


def _parse_content_types(args: Mapping[str, str]) -> frozenset[ContentType]:
    code = _choose(args, "content_type", CONTENT_TYPES, "7")
    return frozenset(ContentType(letter) for letter in CONTENT_TYPES[code])


def _parse_place(args: Mapping[str, str]) -> bool | None:
    text = _choose(args, "has_geo", {"0", "1", "true", "false"}, "")
    return None if not text else text in {"1", "true"}


def _choose(
    args: Mapping[str, str], name: str, options: Mapping[str, str] | frozenset[str] | set[str],
    default: str,
) -> str:  # fmt: skip
    text = args.get(name, "")
    if text and text not in options:
        raise _illogical(f"{name} must be one of {', '.join(sorted(options))}, not {text!r}")
    return text or default


def _parse_count(text: str | None, default: int) -> int:
    count = parse_number(text)
    return count if count else default


def _illogical(why: str) -> Exception:
    return make_failure(ILLOGICAL_ARGUMENTS, f"Illogical arguments ({why})")
