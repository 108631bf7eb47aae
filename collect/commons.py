"""Wikimedia Commons, which needs no key: its search (CirrusSearch) and its records of files.

Sources: mediawiki.org/wiki/API:Search, API:Imageinfo, Help:CirrusSearch (`creationdate` has a
precision of days), API:Etiquette, Manual:Maxlag_parameter.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any

from catalog.licences import LICENCES, Licence
from catalog.states import Source

from .asking import Answer, Asker, CallRefusedError, parse_object, refuse_unreadable
from .errors import QueryRefusedError, SourceUnavailableError, clean_text
from .results import FoundPhoto, Question, Results, parse_whole, read_place

PER_PAGE = 250
MAX_LAG_SECS = 5
_WIDTHS_PX = (250, 330, 500, 960, 1280, 1920)
"""The widths that thumbnails come in (w.wiki/GHai); others are refused."""
_TOLD = (
    "License",
    "LicenseShortName",
    "LicenseUrl",
    "Artist",
    "DateTimeOriginal",
    "Categories",
    "GPSLatitude",
    "GPSLongitude",
)
_PASSING = ("maxlag", "ratelimited", "readonly", "internal_api_error")
_BUSY_SEARCH = ("cirrussearch-backend-error", "cirrussearch-too-busy-error")
_HTML = re.compile(r"<(style|script)\b.*?</\1>|<[^>]*>", re.DOTALL | re.IGNORECASE)
_MOMENT = re.compile(r"\b(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d(?::\d\d)?))?")
_PUBLIC_DOMAIN = {"pd": LICENCES["10"].url, "no restrictions": LICENCES["7"].url}
_MOST_CHARS = 10_000


def search_arguments(question: Question) -> dict[str, str]:
    """What is sent for one page of one search; the second search only counts the matches."""
    words = [question.keyword, "filetype:bitmap"]
    if question.window is not None:
        first = question.window.start
        last = question.window.end - timedelta(seconds=1)
        words += [f"creationdate:>={first:%Y-%m-%d}", f"creationdate:<={last:%Y-%m-%d}"]
    width = next(
        (width_px for width_px in _WIDTHS_PX if width_px >= question.longest_side_px),
        _WIDTHS_PX[-1],
    )
    return {
        "generator": "search",
        "gsrsearch": " ".join(words),
        "gsrnamespace": "6",
        "gsrsort": "create_timestamp_desc",
        "gsrlimit": str(PER_PAGE),
        "gsroffset": str((question.page - 1) * PER_PAGE),
        "list": "search",
        "srsearch": " ".join(words),
        "srnamespace": "6",
        "srlimit": "1",
        "srinfo": "totalhits",
        "srprop": "",
        "prop": "imageinfo",
        "iiprop": "url|size|mime|mediatype|user|timestamp|extmetadata",
        "iiurlwidth": str(width),
        "iiextmetadatafilter": "|".join(_TOLD),
    }


def parse_reply(body: bytes) -> dict[str, Any]:
    """The JSON object of a good reply; raises the SourceError that a bad one stands for."""
    reply = parse_object(body, "Wikimedia")
    fault = reply.get("error")
    if not isinstance(fault, dict):
        return reply
    code = clean_text(fault.get("code"), 100)
    info = clean_text(fault.get("info"), 200).rstrip(".")
    said = f"Wikimedia says: {info or 'no reason'} (code {code})"
    if code == "maxlag":
        lag = fault.get("lag")
        secs = lag if isinstance(lag, int | float) else 0
        raise SourceUnavailableError(said, max(float(MAX_LAG_SECS), min(secs, 3600.0)))
    if code.startswith(_PASSING) or code in _BUSY_SEARCH:
        raise SourceUnavailableError(said)
    if code.startswith(("cirrussearch", "search")):
        raise QueryRefusedError(f"{said}.")
    raise CallRefusedError(f"{said}; is commons.api_url in party.toml right?")


def read_pages(reply: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The pages of a reply in the order of the search; none where it matches nothing."""
    pages = _list_pages(reply)
    readable = [
        page for page in pages if isinstance(page, dict) and type(page.get("pageid")) is int
    ]
    refuse_unreadable("Wikimedia", len(pages), len(readable))
    return sorted(readable, key=lambda page: parse_whole(page.get("index")) or 0)


def _list_pages(reply: Mapping[str, Any]) -> list[object]:
    query = reply.get("query", {})
    pages = query.get("pages", []) if isinstance(query, dict) else None
    if not isinstance(pages, list):
        raise SourceUnavailableError("Wikimedia's answer holds no list of pages.")
    return pages


def parse_photo(page: Mapping[str, Any]) -> FoundPhoto:
    """The photo of one page; what keeps it from being taken is in `unfit`."""
    info, metadata = _read_info(page)
    taken = _MOMENT.search(_text(metadata, "DateTimeOriginal"))
    has_thumb = bool(info.get("thumburl"))
    number = str(page["pageid"])
    return FoundPhoto(
        source_id=number,
        owner_id=f"User:{clean_text(info.get('user'), 190) or 'unknown'}",
        owner_name=_text(metadata, "Artist") or clean_text(info.get("user"), _MOST_CHARS),
        title=clean_text(page.get("title"), _MOST_CHARS).removeprefix("File:"),
        tags=_text(metadata, "Categories").replace("|", ", "),
        licence=parse_licence(metadata),
        taken_at_text=" ".join(filter(None, taken.groups())) if taken else None,
        taken_at_unknown=taken is None,
        uploaded_at=_parse_moment(info.get("timestamp")),
        image_url=clean_text(info.get("thumburl") or info.get("url"), 2_000) or None,
        promised_width=parse_whole(info.get("thumbwidth" if has_thumb else "width")) or None,
        promised_height=parse_whole(info.get("thumbheight" if has_thumb else "height")) or None,
        page_url=f"https://commons.wikimedia.org/?curid={number}",  # stays when a file is moved
        place=read_place(_text(metadata, "GPSLatitude"), _text(metadata, "GPSLongitude")),
        unfit=_find_unfit(info),
    )


def parse_licence(metadata: Mapping[str, Any]) -> Licence | None:
    """The licence that the metadata name, or None."""
    code = _text(metadata, "License").lower()
    name = _text(metadata, "LicenseShortName")
    if not (code or name):
        return None
    url = _text(metadata, "LicenseUrl") or _PUBLIC_DOMAIN.get(code or name.lower(), "")
    if url and not url.startswith("http"):
        url = f"https:{url}" if url.startswith("//") else ""
    return Licence((code or name)[:100], name or code, url)


def strip_html(text: str) -> str:
    """The words of a piece of HTML, in one line."""
    return " ".join(html.unescape(_HTML.sub(" ", text)).split())


class Commons(Asker):
    """One thread's way to Wikimedia Commons."""

    kind = Source.COMMONS
    name = "Wikimedia Commons"
    per_page = PER_PAGE
    reachable = 10_000
    shortest_secs = 86_400

    def search(self, question: Question) -> Results:
        """One page of files, all described; what was uploaded anew is left to its own window."""
        pages = dict[int, dict[str, Any]]()
        total = unreadable = 0
        asked = search_arguments(question)
        for reply, read in self._ask_in_parts(
            asked, lambda reply: (reply, read_pages(reply)), PER_PAGE
        ):
            unreadable = max(unreadable, len(_list_pages(reply)) - len(read))
            for page in read:
                if "imageinfo" in page or page["pageid"] not in pages:
                    pages[page["pageid"]] = page
            info = reply.get("query", {}).get("searchinfo")
            total = (parse_whole(info.get("totalhits")) or 0) if isinstance(info, dict) else 0
        photos = tuple(map(parse_photo, pages.values()))
        kept = photos
        window = question.window
        if window is not None:
            kept = tuple(
                photo
                for photo in photos
                if not photo.uploaded_at or window.holds(photo.uploaded_at)
            )
        returned = len(photos) + unreadable
        return Results(max(total, returned), kept, returned, unreadable)

    def recheck(self, photo_ids: Sequence[str]) -> dict[str, Licence | None]:
        """The licences of fifty files at most, None for a page that was deleted or has no file.

        One call, and more where the answer comes in parts: a page has its file in one of them.
        """
        asked = {"pageids": "|".join(photo_ids), "prop": "imageinfo", "iiprop": "extmetadata"}
        asked["iiextmetadatafilter"] = "|".join(_TOLD)
        licences = dict[str, Licence | None]()
        read = partial(_read_licences, photo_ids)
        for _reply, part in self._ask_in_parts(asked, read, len(photo_ids)):
            licences = part | {name: licence for name, licence in licences.items() if licence}
        return licences

    def _ask_in_parts(
        self,
        arguments: Mapping[str, str],
        read: Callable[[dict[str, Any]], tuple[dict[str, Any], Answer]],
        most_files: int,
    ) -> Iterator[tuple[dict[str, Any], Answer]]:
        """Each part of an answer about so many files at most, with what `read` makes of it.

        Raises SourceUnavailableError where more parts follow than there can be files.
        """
        more = dict[str, str]()
        for _part in range(most_files + 1):
            reply, part = self._call({**arguments, **more}, read)
            yield reply, part
            following = reply.get("continue")
            if not isinstance(following, dict) or "iicontinue" not in following:
                return
            more = {name: str(value) for name, value in following.items() if name != "gsroffset"}
        raise SourceUnavailableError("Wikimedia's answer has no end.")

    def _call(
        self, arguments: Mapping[str, str], read: Callable[[dict[str, Any]], Answer]
    ) -> Answer:
        fixed = {"action": "query", "format": "json", "formatversion": "2"}
        form = {**fixed, "maxlag": str(MAX_LAG_SECS), **arguments}
        send = partial(self.send, self._url, form)
        return self.ask(send, lambda body: read(parse_reply(body)))


def _read_licences(
    photo_ids: Sequence[str], reply: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Licence | None]]:
    """The reply and the licence of each file in it; raises SourceUnavailableError for no page."""
    licences = dict[str, Licence | None]()
    for page in read_pages(reply):
        info, metadata = _read_info(page)
        today = parse_licence(metadata) or Licence("none", "no licence", "")
        licences[str(page["pageid"])] = None if page.get("missing") or not info else today
    if missing := [photo_id for photo_id in photo_ids if photo_id not in licences]:
        raise SourceUnavailableError(f"Wikimedia's answer lacks page {missing[0]}.")
    return reply, licences


def _read_info(page: Mapping[str, Any]) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The newest version of a page's file and its metadata; both empty where there is none."""
    infos = page.get("imageinfo")
    info = infos[0] if isinstance(infos, list) and infos and isinstance(infos[0], dict) else {}
    metadata = info.get("extmetadata")
    return info, metadata if isinstance(metadata, dict) else {}


def _find_unfit(info: Mapping[str, Any]) -> str:
    mime, media = (clean_text(info.get(name), 100) for name in ("mime", "mediatype"))
    if not info:
        return "the page has no file"
    if media in ("VIDEO", "AUDIO") or mime.startswith(("video/", "audio/")):
        return "a video or sound, not a photograph"
    if mime == "image/svg+xml" or media == "DRAWING":
        return "a drawing (SVG), not a photograph"
    if mime == "image/jpeg":
        return ""
    kind = mime.removeprefix("image/").upper() or "file of an unknown kind"
    return f"a {kind}; only JPEG photographs are taken"


def _text(metadata: Mapping[str, Any], name: str) -> str:
    item = metadata.get(name)
    return strip_html(clean_text(item.get("value"), _MOST_CHARS)) if isinstance(item, dict) else ""


def _parse_moment(value: object) -> datetime | None:
    try:
        return datetime.strptime(clean_text(value, 40), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    except ValueError:
        return None
