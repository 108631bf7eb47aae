"""Applying a fault to a response that was good: a function from response to response."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from functools import cache
from io import BytesIO

from PIL import Image, ImageOps

from .api import format_failure
from .commons import answer_lag, change_first_file
from .faults import Fault, FaultKind
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
_HTML = b"<!DOCTYPE html><html><head><title>Flickr</title></head><body>Hold on.</body></html>"


def spoil(response: Response, fault: Fault, request: Request) -> Response:
    """What the client gets instead of the response."""
    here, value = f"{request.base_url}{request.path}", fault.value or 0
    match fault.kind:
        case FaultKind.LATENCY:
            return replace(response, delay_secs=value / 1000)
        case FaultKind.STATUS:
            return _fail_http(fault)
        case FaultKind.HTML:
            return Response(body=_HTML)
        case FaultKind.TRUNCATED | FaultKind.ENDLESS | FaultKind.DRIP | FaultKind.RESET:
            delivery = Delivery(fault.kind.value)
            return replace(response, delivery=delivery, byte_every_secs=value / 1000)
        case FaultKind.REDIRECT:
            return redirect(f"{here}?{LANDED}=1")
        case FaultKind.REDIRECT_ELSEWHERE:
            port = request.base_url.rpartition(":")[2]
            return redirect(f"http://{ELSEWHERE}:{port}{request.path}?{LANDED}=1")
        case FaultKind.REDIRECT_LINK_LOCAL:
            return redirect(LINK_LOCAL_URL)
        case FaultKind.REDIRECT_LOOP:
            return redirect(f"{here}?{TURN}={(parse_number(request.args.get(TURN)) or 0) + 1}")
        case FaultKind.FAIL:
            return format_failure(int(value))
        case FaultKind.UNDERCOUNT:
            return _undercount(response)
        case FaultKind.MAXLAG:
            return answer_lag(value)
        case FaultKind.GONE:
            return redirect(request.base_url + choose_placeholder(500))
        case FaultKind.BOMB:
            return replace(response, body=make_bomb())
        case _ if response.content_type.startswith("image/"):
            return replace(response, body=_redraw(response.body, fault.kind))
        case _:  # the first file of an answer of Commons' is not as the others
            return change_first_file(response, fault.name)


def _fail_http(fault: Fault) -> Response:
    text = f"<html><body><h1>{fault.status}</h1><p>Please come back later.</p></body></html>"
    headers = () if fault.value is None else (("Retry-After", f"{fault.value:g}"),)
    return Response(status=fault.status, body=text.encode(), headers=headers)


def _undercount(response: Response) -> Response:
    """A search that claims a tenth fewer results than it gives (seen by Openverse)."""
    is_json = response.content_type.startswith("application/json")
    shape = json.loads(response.body) if is_json else {}
    if "photos" not in shape:
        return response
    shape["photos"]["total"] = int(shape["photos"]["total"]) * 9 // 10
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
    packer, row = zlib.compressobj(9), bytes(1 + (BOMB_SIDE_PX + 7) // 8)
    data = b"".join(packer.compress(row) for _ in range(BOMB_SIDE_PX)) + packer.flush()
    chunks = [b"IHDR" + header, b"IDAT" + data, b"IEND"]
    sizes = [(len(chunk) - 4).to_bytes(4, "big") for chunk in chunks]
    sums = [zlib.crc32(chunk).to_bytes(4, "big") for chunk in chunks]
    sealed = map(b"".join, zip(sizes, chunks, sums, strict=True))
    return b"\x89PNG\r\n\x1a\n" + b"".join(sealed)
