"""Applying a fault to a response that was good: a function from response to response."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from io import BytesIO

from PIL import Image, ImageOps

from .api import format_failure
from .commons import answer_lag, change_first_file
from .faults import COMMONS_ONLY, Fault, FaultKind
from .images import choose_placeholder, encode_jpeg
from .messages import Delivery, Request, Response, redirect
from .table import parse_number

ELSEWHERE = "localhost"
"""Another name of this machine: another host to a program, and no packet leaves."""

LINK_LOCAL_URL = "http://169.254.169.254/latest/meta-data/"
LANDED = "landed"
"""The argument of an address to which a fault redirected; there nothing goes wrong."""

TURN = "turn"
"""The argument of an address that a loop of redirects goes through."""

BOMB_SIDE_PX = 25_000


def spoil(response: Response, fault: Fault, request: Request) -> Response:
    """What the client gets instead of the response."""
    return SPOILERS[fault.kind](response, fault, request)


def _delay(response: Response, fault: Fault, request: Request) -> Response:
    return replace(response, delay_secs=(fault.value or 0) / 1000)


def _fail_http(response: Response, fault: Fault, request: Request) -> Response:
    text = f"<html><body><h1>{fault.status}</h1><p>Please come back later.</p></body></html>"
    headers = () if fault.value is None else (("Retry-After", f"{fault.value:g}"),)
    return Response(status=fault.status, body=text.encode(), headers=headers)


def _html(response: Response, fault: Fault, request: Request) -> Response:
    body = b"<!DOCTYPE html><html><head><title>Flickr</title></head><body>Hold on.</body></html>"
    return Response(body=body)


def _deliver(delivery: Delivery) -> Callable[[Response, Fault, Request], Response]:
    def spoiled(response: Response, fault: Fault, request: Request) -> Response:
        return replace(response, delivery=delivery, byte_every_secs=(fault.value or 0) / 1000)

    return spoiled


def _redirect(response: Response, fault: Fault, request: Request) -> Response:
    return redirect(f"{request.base_url}{request.path}?{LANDED}=1")


def _redirect_elsewhere(response: Response, fault: Fault, request: Request) -> Response:
    port = request.base_url.rpartition(":")[2]
    return redirect(f"http://{ELSEWHERE}:{port}{request.path}?{LANDED}=1")


def _redirect_link_local(response: Response, fault: Fault, request: Request) -> Response:
    return redirect(LINK_LOCAL_URL)


def _redirect_loop(response: Response, fault: Fault, request: Request) -> Response:
    turn = (parse_number(request.args.get(TURN)) or 0) + 1
    return redirect(f"{request.base_url}{request.path}?{TURN}={turn}")


def _fail_api(response: Response, fault: Fault, request: Request) -> Response:
    return format_failure(int(fault.value or 0))


def _undercount(response: Response, fault: Fault, request: Request) -> Response:
    """A search that claims a tenth fewer results than it gives (seen by Openverse)."""
    if not response.content_type.startswith("application/json"):
        return response
    shape = json.loads(response.body)
    if "photos" not in shape:
        return response
    shape["photos"]["total"] = int(shape["photos"]["total"]) * 9 // 10
    return replace(response, body=json.dumps(shape, separators=(",", ":")).encode())


def _spoil_file(response: Response, fault: Fault, request: Request) -> Response:
    """The first file of an answer of Commons' is not as the others."""
    return change_first_file(response, fault.name)


def _gone(response: Response, fault: Fault, request: Request) -> Response:
    return redirect(request.base_url + choose_placeholder(500))


def _redraw(draw: Callable[[Image.Image], bytes]) -> Callable[[Response, Fault, Request], Response]:
    def spoiled(response: Response, fault: Fault, request: Request) -> Response:
        if not response.content_type.startswith("image/"):
            return response
        with Image.open(BytesIO(response.body)) as image:
            return replace(response, body=draw(image.convert("RGB")))

    return spoiled


def _as_half(image: Image.Image) -> bytes:
    return encode_jpeg(image.resize((max(1, image.width // 2), max(1, image.height // 2))))


def _as_png(image: Image.Image) -> bytes:
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def _as_gif(image: Image.Image) -> bytes:
    out = BytesIO()
    second = ImageOps.invert(image)
    image.save(out, "GIF", save_all=True, append_images=[second], duration=200, loop=0)
    return out.getvalue()


@cache
def make_bomb() -> bytes:
    """A small PNG file of 25,000 by 25,000 black pixels."""
    header = BOMB_SIDE_PX.to_bytes(4, "big") * 2 + bytes((1, 0, 0, 0, 0))
    packer, row = zlib.compressobj(9), bytes(1 + (BOMB_SIDE_PX + 7) // 8)
    data = b"".join(packer.compress(row) for _ in range(BOMB_SIDE_PX)) + packer.flush()
    chunks = [b"IHDR" + header, b"IDAT" + data, b"IEND"]
    sizes = [(len(chunk) - 4).to_bytes(4, "big") for chunk in chunks]
    sums = [zlib.crc32(chunk).to_bytes(4, "big") for chunk in chunks]
    sealed = map(b"".join, zip(sizes, chunks, sums, strict=True))
    return b"\x89PNG\r\n\x1a\n" + b"".join(sealed)


def _bomb(response: Response, fault: Fault, request: Request) -> Response:
    return replace(response, body=make_bomb())


SPOILERS: dict[FaultKind, Callable[[Response, Fault, Request], Response]] = {
    FaultKind.LATENCY: _delay,
    FaultKind.STATUS: _fail_http,
    FaultKind.TRUNCATED: _deliver(Delivery.TRUNCATED),
    FaultKind.HTML: _html,
    FaultKind.ENDLESS: _deliver(Delivery.ENDLESS),
    FaultKind.DRIP: _deliver(Delivery.DRIP),
    FaultKind.RESET: _deliver(Delivery.RESET),
    FaultKind.REDIRECT: _redirect,
    FaultKind.REDIRECT_ELSEWHERE: _redirect_elsewhere,
    FaultKind.REDIRECT_LINK_LOCAL: _redirect_link_local,
    FaultKind.REDIRECT_LOOP: _redirect_loop,
    FaultKind.FAIL: _fail_api,
    FaultKind.UNDERCOUNT: _undercount,
    FaultKind.MAXLAG: lambda response, fault, request: answer_lag(fault.value or 0),
    **dict.fromkeys(COMMONS_ONLY - {FaultKind.MAXLAG}, _spoil_file),
    FaultKind.GONE: _gone,
    FaultKind.WRONG_SIZE: _redraw(_as_half),
    FaultKind.ONE_PIXEL: _redraw(lambda image: encode_jpeg(image.resize((1, 1)))),
    FaultKind.GIF: _redraw(_as_gif),
    FaultKind.PNG: _redraw(_as_png),
    FaultKind.BOMB: _bomb,
}
