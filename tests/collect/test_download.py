"""The downloader against a real server that does everything wrong."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

import pytest

from catalog.settings import CollectSettings
from collect.download import Downloader
from collect.errors import (
    HostBusyError,
    PhotoBrokenError,
    PhotoError,
    PhotoGoneError,
    PhotoUnreachableError,
    Reason,
)
from collect.transport import ImageHosts

from .loopback import Answer, Handler, Loopback
from .pictures import jpeg_bytes

JPEG = jpeg_bytes(500, 375)
SETTINGS = CollectSettings(
    max_bytes=200_000, connect_timeout_secs=30, read_timeout_secs=30, total_timeout_secs=30
)
HASTY = replace(SETTINGS, read_timeout_secs=0.3, total_timeout_secs=0.6)


@pytest.fixture
def downloader(loopback: Loopback) -> Iterator[Downloader]:
    made = Downloader(ImageHosts([loopback.host]), SETTINGS)
    yield made
    made.close()


@pytest.fixture
def hasty(loopback: Loopback) -> Iterator[Downloader]:
    made = Downloader(ImageHosts([loopback.host]), HASTY)
    yield made
    made.close()


def fault_of(downloader: Downloader, url: str) -> PhotoError:
    with pytest.raises(PhotoError) as caught:
        downloader.fetch(url)
    return caught.value


def send_jpeg(handler: Handler) -> None:
    handler.send(200, JPEG, Content_Type="image/jpeg")


def redirect(location: str) -> Answer:
    return lambda handler: handler.send(302, b"elsewhere", Location=location)


@pytest.mark.parametrize(
    "location",
    [
        "https://s.yimg.com/pw/images/en-us/photo_unavailable.png",
        "https://s.yimg.com/pw/images/en-us/photo_unavailable_l.png",
        "/pw/images/en-us/photo_unavailable.png",
    ],
)
def test_the_placeholder_is_recognised_by_where_it_lies_and_never_fetched(
    loopback: Loopback, downloader: Downloader, location: str
) -> None:
    loopback.answers["/1.jpg"] = redirect(location)
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert isinstance(fault, PhotoGoneError)
    assert fault.reason is Reason.PLACEHOLDER
    assert loopback.server.paths == ["/1.jpg"]


@pytest.mark.parametrize("location", ["/2.jpg", "2.jpg"])
def test_a_redirect_within_the_allowed_hosts_is_followed(
    loopback: Loopback, downloader: Downloader, location: str
) -> None:
    loopback.answers["/1.jpg"] = redirect(location)
    loopback.answers["/2.jpg"] = send_jpeg
    assert downloader.fetch(loopback.url("/1.jpg")) == JPEG


@pytest.mark.parametrize(
    "location",
    [
        "http://example.com/1.jpg",
        "http://169.254.169.254/latest/meta-data",
        "http://127.0.0.1:1/1.jpg",
        "http://localhost/1.jpg",
        "file:///etc/passwd",
        "http://[::1/",
    ],
)
def test_a_redirect_to_anywhere_else_is_refused(
    loopback: Loopback, downloader: Downloader, location: str
) -> None:
    loopback.answers["/1.jpg"] = redirect(location)
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert isinstance(fault, PhotoBrokenError)
    assert fault.reason is Reason.FOREIGN_ADDRESS


def test_a_name_that_leads_to_this_machine_is_found_out_once_connected(loopback: Loopback) -> None:
    seen: list[tuple[str, str]] = []

    class Suspicious(ImageHosts):
        def check_peer(self, endpoint: object, address: str) -> None:
            seen.append((str(endpoint), address))
            raise PhotoBrokenError(Reason.FOREIGN_ADDRESS, "a private address")

    loopback.answers["/1.jpg"] = send_jpeg
    downloader = Downloader(Suspicious([loopback.host]), SETTINGS)
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    downloader.close()
    assert fault.reason is Reason.FOREIGN_ADDRESS
    assert seen == [(f"http://{loopback.host}", "127.0.0.1")]
    assert loopback.server.paths == []


@pytest.mark.parametrize(
    ("status", "asked"), [(429, "7"), (500, "7"), (502, "7"), (503, "7"), (504, " 7 ")]
)
def test_a_busy_host_says_how_long_it_wants_rest(
    loopback: Loopback, downloader: Downloader, status: int, asked: str
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(status, Retry_After=asked)
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert isinstance(fault, HostBusyError)
    assert fault.retry_after_secs == 7


@pytest.mark.parametrize(
    ("status", "kind", "reason"),
    [
        (200, PhotoUnreachableError, Reason.TRUNCATED),  # no bytes
        (500, PhotoUnreachableError, Reason.HTTP_STATUS),
        (502, PhotoUnreachableError, Reason.HTTP_STATUS),
        (400, PhotoBrokenError, Reason.HTTP_STATUS),
        (404, PhotoGoneError, Reason.DELETED),
        (410, PhotoGoneError, Reason.DELETED),
        (403, PhotoGoneError, Reason.PRIVATE),
        (401, PhotoGoneError, Reason.PRIVATE),
    ],
)
def test_another_status_tells_what_is_wrong_and_whether_another_attempt_may_help(
    loopback: Loopback, downloader: Downloader, status: int, kind: type[PhotoError], reason: Reason
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(status)
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert (type(fault), fault.reason) == (kind, reason)
    assert fault.permanent is (kind is not PhotoUnreachableError)


def test_a_host_that_cannot_be_reached_wants_rest() -> None:
    downloader = Downloader(ImageHosts(["127.0.0.1:9"]), SETTINGS)
    fault = fault_of(downloader, "http://127.0.0.1:9/1.jpg")
    downloader.close()
    assert isinstance(fault, HostBusyError)
    assert str(fault) == "host_busy: no connection: refused"


def test_a_name_that_dns_does_not_know_and_a_proxy_that_refuses_are_told_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = "http://nowhere.invalid:80/1.jpg"
    for proxy, told in (("", "DNS lookup failed"), ("http://127.0.0.1:9", "the proxy")):
        monkeypatch.setenv("http_proxy", proxy)
        downloader = Downloader(ImageHosts(["nowhere.invalid:80"]), SETTINGS)
        fault = fault_of(downloader, url)
        downloader.close()
        assert isinstance(fault, HostBusyError)
        assert told in fault.detail


def test_a_host_that_falls_silent_is_left_after_the_read_timeout(
    loopback: Loopback, hasty: Downloader
) -> None:
    def silent(handler: Handler) -> None:
        handler.start(200, {"Content-Length": str(len(JPEG))})
        handler.wfile.write(JPEG[:500])
        handler.hang()

    loopback.answers["/1.jpg"] = silent
    loopback.answers["/2.jpg"] = Handler.hang
    for path in ("/1.jpg", "/2.jpg"):
        fault = fault_of(hasty, loopback.url(path))
        assert isinstance(fault, PhotoUnreachableError)
        assert fault.reason is Reason.TIMEOUT


@contextmanager
def full_queue() -> Iterator[int]:
    """The port of a server that takes no connection, and has no room for one more to wait."""
    with socket.socket() as server, ExitStack() as waiting:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(4):
            one = waiting.enter_context(socket.socket())
            one.setblocking(False)
            one.connect_ex(server.getsockname())
        yield server.getsockname()[1]


def test_a_body_without_a_promised_length_comes_whole(
    loopback: Loopback, downloader: Downloader
) -> None:
    def chunked(handler: Handler) -> None:
        handler.start(200, {"Transfer-Encoding": "chunked"})
        for part in (JPEG[:1000], JPEG[1000:]):
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        handler.wfile.write(b"0\r\n\r\n")

    loopback.answers["/1.jpg"] = chunked
    assert downloader.fetch(loopback.url("/1.jpg")) == JPEG


def test_redirects_in_a_circle_end(loopback: Loopback, downloader: Downloader) -> None:
    loopback.answers["/1.jpg"] = redirect("/1.jpg")
    assert fault_of(downloader, loopback.url("/1.jpg")).reason is Reason.TOO_MANY_REDIRECTS
    assert len(loopback.server.paths) == 4


def test_a_photo_may_have_as_many_bytes_as_are_allowed_and_not_one_more(
    loopback: Loopback,
) -> None:
    loopback.answers["/1.jpg"] = send_jpeg
    hosts = ImageHosts([loopback.host])
    enough = Downloader(hosts, replace(SETTINGS, max_bytes=len(JPEG)))
    too_few = Downloader(hosts, replace(SETTINGS, max_bytes=len(JPEG) - 1))
    assert enough.fetch(loopback.url("/1.jpg")) == JPEG
    assert fault_of(too_few, loopback.url("/1.jpg")).reason is Reason.TOO_MANY_BYTES
    enough.close()
    too_few.close()


def test_a_host_that_takes_no_connection_is_left_when_the_time_to_connect_is_over() -> None:
    patient = replace(
        SETTINGS, connect_timeout_secs=0.3, read_timeout_secs=250, total_timeout_secs=250
    )
    with full_queue() as port:
        downloader = Downloader(ImageHosts([f"127.0.0.1:{port}"]), patient)
        began_secs = time.monotonic()
        fault = fault_of(downloader, f"http://127.0.0.1:{port}/1.jpg")
        took_secs = time.monotonic() - began_secs
        downloader.close()
    assert isinstance(fault, HostBusyError)
    assert fault.detail == "no connection in time"
    assert 0.3 <= took_secs < 200
