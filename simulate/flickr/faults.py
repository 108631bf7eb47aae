"""Which requests go wrong, and how: rules with rates, drawn from a seed, and what replies become.

A draw depends on the seed, the rule, what is asked for and how often it was asked for before;
so a run can be repeated, whatever the order in which threads come.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from io import BytesIO
from itertools import cycle
from typing import Any

from PIL import Image, ImageOps

from vockit.errors import SettingsError

from .api import format_failure
from .commons import answer_lag, change_first_file
from .folder import Inventor
from .images import choose_placeholder, encode_jpeg, is_image_path
from .messages import Delivery, Request, Response, name_otherwise, redirect
from .table import parse_number


class Host(StrEnum):
    """Where a fault strikes."""

    API = "api"
    IMAGE = "image"


class FaultKind(StrEnum):
    """What goes wrong. `value` is what follows the @ in a rule's text."""

    LATENCY = "latency"  # value: milliseconds
    STATUS = "status"  # written as the status itself; value: seconds of Retry-After
    TRUNCATED = "truncated"
    HTML = "html"
    ENDLESS = "endless"
    DRIP = "drip"  # value: milliseconds between two bytes
    RESET = "reset"
    REDIRECT = "redirect"
    REDIRECT_ELSEWHERE = "redirect-elsewhere"
    REDIRECT_LINK_LOCAL = "redirect-link-local"
    REDIRECT_LOOP = "redirect-loop"
    FAIL = "fail"  # API only; value: Flickr's code
    UNDERCOUNT = "undercount"  # API only
    OTHER_DATES = "other-dates"
    ODD_TYPES = "odd-types"
    REPEATS = "repeats"
    ONE_OWNER = "one-owner"
    MANY_MORE = "many-more"
    OTHER_PHOTO = "other-photo"
    ODD_IDS = "odd-ids"
    NO_RESULTS = "no-results"
    MAXLAG = "maxlag"  # API of Commons only, as those that follow; value: seconds
    NO_LICENCE = "no-licence"
    TIFF = "tiff"
    SVG = "svg"
    VIDEO = "video"
    MOVED = "moved"
    GONE = "gone"  # the rest: image host only
    WRONG_SIZE = "wrong-size"
    ONE_PIXEL = "one-pixel"
    GIF = "gif"
    PNG = "png"
    BOMB = "bomb"


_KINDS = list(FaultKind)
_FAIL = _KINDS.index(FaultKind.FAIL)
_GONE = _KINDS.index(FaultKind.GONE)
API_ONLY = frozenset(_KINDS[_FAIL:_GONE])
IMAGE_ONLY = frozenset(_KINDS[_GONE:])
DEFAULT_VALUES = {
    FaultKind.LATENCY: 500.0,
    FaultKind.DRIP: 1000.0,
    FaultKind.FAIL: 105.0,
    FaultKind.MAXLAG: 6.0,
}

RULE = re.compile(r"(?:(api|image):)?([a-z-]+|\d{3})(?:@(\d+(?:\.\d+)?))?=(\d*\.?\d+)")


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong; `status` is that of FaultKind.STATUS."""

    kind: FaultKind
    value: float | None = None
    status: int = 0

    @property
    def name(self) -> str:
        """The kind as it is written in a rule."""
        return str(self.status) if self.kind is FaultKind.STATUS else self.kind.value


@dataclass(frozen=True)
class Rule:
    """How often a fault strikes; only there, only where `only` occurs, only the `first` times."""

    fault: Fault
    rate: float
    host: Host | None = None
    only: str = ""
    first: int | None = None


@dataclass(frozen=True)
class Faults:
    """All rules together; the earlier of two that strike wins, but latency adds to either."""

    rules: tuple[Rule, ...] = ()
    seed: int = 0

    def draw(self, host: Host, target: str, attempt: int) -> tuple[Fault, ...]:
        """What goes wrong with the attempt, the first being 0: at most one latency, one other."""
        struck = [
            rule.fault
            for number, rule in enumerate(self.rules)
            if rule.host in (None, host) and rule.only in target
            if rule.first is None or attempt < rule.first
            if Inventor(self.seed, f"{number}/{target}").happens(f"{attempt}", rule.rate)
        ]
        slow = [fault for fault in struck if fault.kind is FaultKind.LATENCY]
        other = [fault for fault in struck if fault.kind is not FaultKind.LATENCY]
        return (*slow[:1], *other[:1])


NO_FAULTS = Faults()


def parse_rule(text: str) -> Rule:
    """The rule written as [api:|image:]KIND[@VALUE]=RATE; raises SettingsError for other text."""
    match = RULE.fullmatch(text.strip())
    if match is None:
        raise SettingsError(
            f"The fault {text!r} must be written [api:|image:]KIND[@VALUE]=RATE, "
            "for example image:429@30=0.1."
        )
    host, kind, value, rate = match.groups()
    if not 0 <= float(rate) <= 1:
        raise SettingsError(f"The rate of the fault {text!r} must be from 0 to 1.")
    fault = _make_fault(kind, float(value) if value else None)
    only = Host.API if fault.kind in API_ONLY else Host.IMAGE if fault.kind in IMAGE_ONLY else None
    if host is not None and only not in (None, Host(host)):
        raise SettingsError(f"The fault {text!r} is one of the {only} host alone.")
    return Rule(fault, float(rate), only if host is None else Host(host))


def _make_fault(kind: str, value: float | None) -> Fault:
    if kind.isdecimal():
        if not 400 <= int(kind) <= 599:
            raise SettingsError(f"The fault {kind} must be a status from 400 to 599.")
        return Fault(FaultKind.STATUS, value, int(kind))
    names = [known.value for known in FaultKind if known is not FaultKind.STATUS]
    if kind not in names:
        raise SettingsError(
            f"There is no fault {kind!r}; there are {', '.join(names)} "
            "and the statuses from 400 to 599."
        )
    known = FaultKind(kind)
    return Fault(known, DEFAULT_VALUES.get(known) if value is None else value)


LANDED = "landed"  # argument of an address to which a fault redirected; there nothing goes wrong
TURN = "turn"  # argument of an address that a loop of redirects goes through
BOMB_SIDE_PX = 25_000
_LATER = "<html><body><h1>{}</h1><p>Please come back later.</p></body></html>"
_HTML = b"<!DOCTYPE html><html><head><title>Flickr</title></head><body>Hold on.</body></html>"


_REDIRECTS = (
    FaultKind.REDIRECT,
    FaultKind.REDIRECT_ELSEWHERE,
    FaultKind.REDIRECT_LINK_LOCAL,
    FaultKind.REDIRECT_LOOP,
    FaultKind.GONE,
)


def spoil(response: Response, fault: Fault, request: Request) -> Response:
    """What the client gets instead of the response."""
    if fault.kind in _REDIRECTS:
        return redirect(_choose_target(fault.kind, request))
    if fault.kind in (FaultKind.FAIL, FaultKind.MAXLAG, FaultKind.STATUS, FaultKind.HTML):
        return _refuse(fault)
    return _damage(response, fault)


def _choose_target(kind: FaultKind, request: Request) -> str:
    """The address to which a fault sends the client."""
    root = request.images_url if is_image_path(request.path) else request.base_url
    match kind:
        case FaultKind.REDIRECT_ELSEWHERE:
            return f"{name_otherwise(root)}{request.path}?{LANDED}=1"
        case FaultKind.REDIRECT_LINK_LOCAL:
            return "http://169.254.169.254/latest/meta-data/"
        case FaultKind.REDIRECT_LOOP:
            turn = (parse_number(request.args.get(TURN)) or 0) + 1
            return f"{root}{request.path}?{TURN}={turn}"
        case FaultKind.GONE:
            return request.images_url + choose_placeholder(500)
        case _:
            return f"{root}{request.path}?{LANDED}=1"


def _refuse(fault: Fault) -> Response:
    """An answer that has nothing of what was asked for."""
    value = fault.value or 0
    match fault.kind:
        case FaultKind.FAIL:
            return format_failure(int(value))
        case FaultKind.MAXLAG:
            return answer_lag(value)
        case FaultKind.HTML:
            return Response(body=_HTML)
        case _:
            body = _LATER.format(fault.status).encode()
            wait = () if fault.value is None else (("Retry-After", f"{value:g}"),)
            return Response(status=fault.status, body=body, headers=wait)


def _damage(response: Response, fault: Fault) -> Response:
    """The answer, late, incomplete or with another content."""
    value = fault.value or 0
    match fault.kind:
        case FaultKind.LATENCY:
            return replace(response, delay_secs=value / 1000)
        case FaultKind.TRUNCATED | FaultKind.ENDLESS | FaultKind.DRIP | FaultKind.RESET:
            delivery = Delivery(fault.kind.value)
            return replace(response, delivery=delivery, byte_every_secs=value / 1000)
        case kind if kind in _DISTORTIONS:
            return _distort(response, _DISTORTIONS[kind])
        case FaultKind.BOMB:
            return replace(response, body=make_bomb())
        case _ if response.content_type.startswith("image/"):
            return replace(response, body=_redraw(response.body, fault.kind))
        case _:  # the first file of an answer of Commons' is not as the others
            return change_first_file(response, fault.name)


Shape = dict[str, Any]


def _undercount(shape: Shape) -> None:
    """A search that claims a tenth fewer results than it gives (seen by Openverse)."""
    shape["photos"]["total"] = int(shape["photos"]["total"]) * 9 // 10


def _ignore_dates(shape: Shape) -> None:
    """Photographs of twenty years earlier than they are."""
    for record in shape["photos"]["photo"]:
        record["dateupload"] = str(int(record["dateupload"]) - 20 * 31_557_600)


def _mix_types(shape: Shape) -> None:
    """Every second record has lists, objects and nothing in the place of its values."""
    for record in shape["photos"]["photo"][::2]:
        odd = cycle((["a"], {"_content": "a"}, None, -1, 1e400, True))
        record.update(zip(record, odd, strict=False))


def _repeat(shape: Shape) -> None:
    """One photograph for all."""
    photos = shape["photos"]["photo"]
    shape["photos"]["photo"] = photos[:1] * 500 if photos else []


def _give_one_owner(shape: Shape) -> None:
    for record in shape["photos"]["photo"]:
        record["owner"] = "10000001@N99"


def _claim_many(shape: Shape) -> None:
    """A total that changes from page to page, and is never right."""
    shape["photos"]["total"] = len(str(shape)) ** 3


def _change_ids(shape: Shape) -> None:
    """Every second record has an id that is no number, or longer than there are."""
    for number, record in enumerate(shape["photos"]["photo"][::2]):
        record["id"] = f"p{record['id']}" if number % 2 else int(record["id"]) * 10**40


def _find_nothing(shape: Shape) -> None:
    """A good answer without a result, whatever was searched for."""
    shape["photos"] |= {"photo": [], "total": 0}


def _mistake_photo(shape: Shape) -> None:
    """The record of another photograph, with another licence."""
    shape["photo"] |= {"id": str(int(shape["photo"]["id"]) + 1), "license": "0"}


_DISTORTIONS: dict[FaultKind, Callable[[Shape], None]] = {
    FaultKind.UNDERCOUNT: _undercount,
    FaultKind.OTHER_DATES: _ignore_dates,
    FaultKind.ODD_TYPES: _mix_types,
    FaultKind.REPEATS: _repeat,
    FaultKind.ONE_OWNER: _give_one_owner,
    FaultKind.MANY_MORE: _claim_many,
    FaultKind.OTHER_PHOTO: _mistake_photo,
    FaultKind.ODD_IDS: _change_ids,
    FaultKind.NO_RESULTS: _find_nothing,
}


def _distort(response: Response, change: Callable[[Shape], None]) -> Response:
    """The answer of Flickr's with other content; one without such content stays."""
    is_json = response.content_type.startswith("application/json")
    shape = json.loads(response.body) if is_json else {}
    if ("photo" if change is _mistake_photo else "photos") not in shape:
        return response
    change(shape)
    return replace(response, body=json.dumps(shape, separators=(",", ":")).encode())


def _redraw(body: bytes, kind: FaultKind) -> bytes:
    out = BytesIO()
    with Image.open(BytesIO(body)) as opened:
        image = opened.convert("RGB")
    match kind:
        case FaultKind.WRONG_SIZE:
            return encode_jpeg(image.reduce(2))
        case FaultKind.ONE_PIXEL:
            return encode_jpeg(image.resize((1, 1)))
        case FaultKind.GIF:
            second = ImageOps.invert(image)
            image.save(out, "GIF", save_all=True, append_images=[second], duration=200, loop=0)
        case _:
            image.save(out, "PNG")
    return out.getvalue()


@cache
def make_bomb() -> bytes:
    """A small PNG file of 25,000 by 25,000 black pixels."""
    header = BOMB_SIDE_PX.to_bytes(4, "big") * 2 + bytes((1, 0, 0, 0, 0))
    packer = zlib.compressobj(9)
    row = bytes(1 + (BOMB_SIDE_PX + 7) // 8)
    data = b"".join(packer.compress(row) for _ in range(BOMB_SIDE_PX)) + packer.flush()
    chunks = [b"IHDR" + header, b"IDAT" + data, b"IEND"]
    sizes = [(len(chunk) - 4).to_bytes(4, "big") for chunk in chunks]
    sums = [zlib.crc32(chunk).to_bytes(4, "big") for chunk in chunks]
    sealed = map(b"".join, zip(sizes, chunks, sums, strict=True))
    return b"\x89PNG\r\n\x1a\n" + b"".join(sealed)
