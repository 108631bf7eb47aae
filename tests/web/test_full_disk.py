"""A body that the disk does not take is answered in a sentence."""

from __future__ import annotations

import errno
import http.client
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
from waitress.buffers import OverflowableBuffer

from web.serving import serve_in_thread

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


def answer_size(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(len(environ["wsgi.input"].read())).encode()]


def test_a_disk_that_fills_while_a_body_arrives_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    append = OverflowableBuffer.append

    def append_some(buffer: OverflowableBuffer, data: bytes) -> None:
        if len(buffer) > 300_000:
            raise OSError(errno.ENOSPC, "No space left on device")
        append(buffer, data)

    with serve_in_thread(answer_size) as base_url:
        connection = http.client.HTTPConnection(urlsplit(base_url).netloc, timeout=20)
        with monkeypatch.context() as patch:
            patch.setattr(OverflowableBuffer, "append", append_some)
            connection.request("POST", "/", body=b"x" * 4_000_000)
            refused = connection.getresponse()
            assert refused.status == 503
            assert b"The disk of this server is full" in refused.read()
        connection.close()
        connection.request("POST", "/", body=b"x" * 4_000_000)
        assert connection.getresponse().read() == b"4000000"
        connection.close()
