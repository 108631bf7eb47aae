"""The other end of collect/decoders.py: a process that decodes pictures until nobody asks.

It gets a header in JSON and a file, and answers with a header and, where it made a new file, that.
"""

from __future__ import annotations

import json
import struct
import sys
from multiprocessing.connection import Connection
from typing import Any

from .errors import PhotoBrokenError
from .memory_limit import limit_memory
from .picture import Picture, PictureLimits, read_picture

_LENGTH = struct.Struct("<I")


def pack(header: dict[str, Any], payload: bytes) -> bytes:
    """One message."""
    text = json.dumps(header).encode()
    return _LENGTH.pack(len(text)) + text + payload


def unpack(message: bytes) -> tuple[dict[str, Any], bytes]:
    """Header and payload of one message."""
    (length,) = _LENGTH.unpack_from(message)
    end = _LENGTH.size + length
    return json.loads(message[_LENGTH.size : end]), message[end:]


def main() -> None:
    """Answer on the connection that the first argument names until it is closed."""
    is_limited = False
    with Connection(int(sys.argv[1])) as connection:
        while True:
            try:
                message = connection.recv_bytes()
            except EOFError:
                return
            header, data = unpack(message)
            if not is_limited:
                limit_memory(header["limits"]["max_pixels"])
                is_limited = True
            connection.send_bytes(answer(header, data))


def answer(header: dict[str, Any], data: bytes) -> bytes:
    """The message that says what became of a file."""
    promised = header["promised"] and tuple(header["promised"])
    try:
        picture = read_picture(data, PictureLimits(**header["limits"]), promised)
    except PhotoBrokenError as fault:
        return pack({"reason": fault.reason, "detail": fault.detail}, b"")
    is_same = picture.data is data
    return pack(_describe(picture), b"" if is_same else picture.data)


def _describe(picture: Picture) -> dict[str, Any]:
    return {
        "width": picture.width,
        "height": picture.height,
        "original_sha256": picture.original_sha256,
    }


if __name__ == "__main__":
    main()
