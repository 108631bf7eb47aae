"""Calls to Flickr through flickrapi, whose faults stay in this module."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

import flickrapi

from catalog.licences import LICENCES, Licence
from catalog.settings import KEY_VARIABLE, FlickrSettings
from catalog.states import Source
from vockit.errors import SettingsError

from . import errors
from .asking import Asker, CallBudget, CallRefusedError, parse_object, refuse_unreadable
from .errors import clean_text
from .pauses import Pauses
from .results import FoundPhoto, Question, Results, parse_whole, read_place

PER_PAGE = 500
_SIZES = "snmzclhk"
"""The suffixes of url_*: longest sides of 240 to 2,048 pixels. The original is left out: it may be
a PNG, and its owner may withhold it."""
_MAX_TEXT_CHARS = 10_000
_MAX_URL_CHARS = 2_000
_MAX_SIDE_PX = 1_000_000
_MAX_TOTAL = 10**11
_PHOTO_ID = re.compile(r"[0-9]{1,20}")
_OWNER_ID = re.compile(r"[A-Za-z0-9@_.-]{1,100}")
_MAX_SECS = 253_402_300_799  # the end of the year 9999
_EXTRAS = (
    "content_type",
    "date_taken",
    "date_upload",
    "geo",
    "license",
    "media",
    "owner_name",
    "tags",
)
_KEY_CODES = frozenset({96, 97, 98, 99, 100})
_QUERY_CODES = frozenset({1, 2, 3, 4, 5, 11, 12, 17, 18, 77})
_CALL_CODES = frozenset({111, 112, 114, 115, 116})
_NOT_FOUND = "1"  # flickr.photos.getInfo, error codes
KEY_HELP = "set flickr.key in party.toml or VOCPARTY_FLICKR_KEY to a valid key"


def parse_reply(body: bytes) -> dict[str, Any]:
    """The JSON object of a good reply; raises the SourceError that a bad one stands for."""
    reply = parse_object(body, "Flickr")
    if reply.get("stat") == "ok":
        return reply
    code = clean_text(reply.get("code"), 20)
    message = clean_text(reply.get("message"), 200) or "no reason"
    number = int(code) if code.isascii() and code.isdigit() else -1
    said = f"Flickr says: {message} (code {code})"
    if number in _KEY_CODES:
        raise errors.KeyRefusedError(f"{said}; {KEY_HELP}.")
    if number in _QUERY_CODES:
        raise errors.QueryRefusedError(f"{said}.")
    if number in _CALL_CODES:
        raise CallRefusedError(f"{said}; is flickr.api_url in party.toml right?")
    raise errors.SourceUnavailableError(f"{said}.")  # as all codes that are not documented


def parse_info(photo_id: str, body: bytes) -> str | None:
    """The licence's id in an answer to flickr.photos.getInfo, None where there is no such photo.

    Raises SourceUnavailableError for an answer about another photo.
    """
    reply = parse_object(body, "Flickr")
    if reply.get("stat") == "fail" and clean_text(reply.get("code"), 20) == _NOT_FOUND:
        return None
    photo = parse_reply(body).get("photo")
    if isinstance(photo, dict) and clean_text(photo.get("id"), 50) != photo_id:
        raise errors.SourceUnavailableError("Flickr's answer is about another photo.")
    licence_id = clean_text(photo.get("license"), 100) if isinstance(photo, dict) else ""
    if not licence_id:
        raise errors.SourceUnavailableError("Flickr's answer tells no licence.")
    return licence_id


def search_arguments(question: Question) -> dict[str, str]:
    """What is sent for one page of one search; without a window it has no dates."""
    arguments = {
        "text": question.keyword,
        "media": "photos",
        "safe_search": "1",
        "sort": "date-posted-desc",
        "license": ",".join(question.licence_ids),
        "extras": ",".join([*_EXTRAS, *(f"url_{size}" for size in _SIZES)]),
        "per_page": str(PER_PAGE),
        "page": str(question.page),
    }
    if question.window is None:
        return arguments
    # Flickr's dates include both ends; taken dates are the owner's local time, as they stand.
    first = question.window.start
    last = question.window.end - timedelta(seconds=1)
    if question.dates == "taken":
        dates = {"min": f"{first:%Y-%m-%d %H:%M:%S}", "max": f"{last:%Y-%m-%d %H:%M:%S}"}
    else:
        dates = {"min": str(int(first.timestamp())), "max": str(int(last.timestamp()))}
    return arguments | {f"{end}_{question.dates}_date": date for end, date in dates.items()}


def parse_results(reply: Mapping[str, Any], longest_side_px: int) -> Results:
    """The results in a search's reply; raises SourceUnavailableError where it is none.

    So it is where no record of many can be read.
    """
    page = reply.get("photos")
    records = page.get("photo") if isinstance(page, dict) else None
    if not isinstance(page, dict) or not isinstance(records, list):
        raise errors.SourceUnavailableError("Flickr's answer to a search holds no list of photos.")
    total = max(parse_whole(page.get("total"), _MAX_TOTAL) or 0, len(records))
    parsed = (parse_photo(record, longest_side_px) for record in records)
    photos = tuple(photo for photo in parsed if photo is not None)
    refuse_unreadable("Flickr", len(records), len(photos))
    return Results(total, photos, len(records), unreadable=len(records) - len(photos))


def parse_photo(record: object, longest_side_px: int) -> FoundPhoto | None:
    """The photo of one record, or None where its ids are not Flickr's."""
    if not isinstance(record, dict):
        return None
    source_id = clean_text(record.get("id"), 50)
    owner_id = clean_text(record.get("owner"), 200)
    if not _PHOTO_ID.fullmatch(source_id) or not _OWNER_ID.fullmatch(owner_id):
        return None
    url, width, height = find_size(record, longest_side_px) or (None, None, None)
    secs = parse_whole(record.get("dateupload"), _MAX_SECS)
    is_video = clean_text(record.get("media", "photo"), 20) == "video"
    kind = clean_text(record.get("content_type", "0"), 20)  # 1: a screenshot, 3: other
    return FoundPhoto(
        source_id=source_id,
        owner_id=owner_id,
        owner_name=clean_text(record.get("ownername"), _MAX_TEXT_CHARS),
        title=clean_text(record.get("title"), _MAX_TEXT_CHARS),
        tags=clean_text(record.get("tags"), _MAX_TEXT_CHARS),
        licence=LICENCES.get(clean_text(record.get("license"), 100)),
        taken_at_text=clean_text(record.get("datetaken"), 40) or None,
        taken_at_unknown=parse_whole(record.get("datetakenunknown"), 1) == 1,
        uploaded_at=None if secs is None else datetime.fromtimestamp(secs, UTC),
        image_url=url,
        promised_width=width,
        promised_height=height,
        page_url=f"https://www.flickr.com/photos/{owner_id}/{source_id}",
        place=read_place(record.get("latitude"), record.get("longitude")),
        unfit="not a photograph" if is_video or kind not in ("", "0") else "",
    )


def find_size(record: Mapping[str, Any], longest_side_px: int) -> tuple[str, int, int] | None:
    """URL, width and height of the smallest rendition that reaches `longest_side_px`."""
    sizes = []
    for suffix in _SIZES:
        url = clean_text(record.get(f"url_{suffix}"), _MAX_URL_CHARS + 1)
        width = parse_whole(record.get(f"width_{suffix}"), _MAX_SIDE_PX)
        height = parse_whole(record.get(f"height_{suffix}"), _MAX_SIDE_PX)
        if url and len(url) <= _MAX_URL_CHARS and width and height:
            sizes.append((url, width, height))
    reaching = [size for size in sizes if max(size[1:]) >= longest_side_px]
    if reaching:
        return min(reaching, key=lambda size: max(size[1:]))
    return max(sizes, key=lambda size: max(size[1:]), default=None)


class Flickr(Asker):
    """One thread's way to Flickr."""

    kind = Source.FLICKR
    name = "Flickr"
    key = "not shown"  # flickrapi writes it to its log
    per_page = PER_PAGE
    reachable = 4000  # it gives at most this many results of one search, whatever it claims
    shortest_secs = 300

    def __init__(
        self, settings: FlickrSettings, budget: CallBudget, pauses: Pauses, contact: str = ""
    ) -> None:
        check_key(settings)
        super().__init__(settings, budget, pauses, contact)
        self._api = flickrapi.FlickrAPI(settings.key, "", format="json", store_token=False)
        self._api.REST_URL = self._url
        self._api.flickr_oauth = self
        self._key = settings.key.strip()

    @classmethod
    def check_status(cls, status: int, retry_after_secs: float | None) -> None:
        """Raise the SourceError that an HTTP status stands for, unless it is 200."""
        if status == 401:
            raise errors.KeyRefusedError(f"Flickr refuses the key (HTTP 401); {KEY_HELP}.")
        super().check_status(status, retry_after_secs)

    def do_request(
        self, url: str, params: Mapping[str, Any], timeout: float | None = None
    ) -> bytes:
        """What flickrapi hands its calls to, in the place of its signing interface."""
        return self.send(url, {**params, "api_key": self._key})

    def search(self, question: Question) -> Results:
        """One page of flickr.photos.search, asked for until it comes."""
        results = self.ask(
            lambda: self._api.photos.search(**search_arguments(question)),
            lambda body: parse_results(parse_reply(body), question.longest_side_px),
        )
        photos = (_check_date(photo, question) for photo in results.photos)
        return replace(results, photos=tuple(photos))

    def recheck(self, photo_ids: Sequence[str]) -> dict[str, Licence | None]:
        """The photos' licences today, None where there is no such photo; a call for each."""
        licences = {}
        for photo_id in photo_ids:
            send = partial(self._api.photos.getInfo, photo_id=photo_id)
            licence_id = self.ask(send, partial(parse_info, photo_id))
            unknown = Licence(licence_id or "", f"licence {licence_id}", "")
            licences[photo_id] = None if licence_id is None else LICENCES.get(licence_id, unknown)
        return licences


def _check_date(photo: FoundPhoto, question: Question) -> FoundPhoto:
    """The photo, unfit where its date is none of those that were asked for."""
    date = photo.find_date(is_by_taken=question.dates == "taken")
    if question.window is None or date is None or question.window.holds(date):
        return photo
    return replace(photo, unfit=photo.unfit or "its date is not one that was asked for")


def check_key(settings: FlickrSettings) -> None:
    """Raise SettingsError where the settings hold no key."""
    if not settings.key.strip():
        raise SettingsError(
            "No Flickr key. Set it in party.toml under [flickr] as key, or in the "
            f"environment variable {KEY_VARIABLE}. Without a key, collect from Wikimedia Commons: "
            'source = "commons" under [collect].'
        )
