"""The downloader and its hosts, against a real server that misbehaves, also over TLS."""

import json
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from catalog.party import Party
from catalog.settings import CollectSettings, FlickrSettings
from collect import errors
from collect.fetching import Downloader, Fetching
from collect.results import Question
from collect.transport import Endpoint, ImageHosts, cut_off_after, is_public

from .flickrs import make_flickr
from .loopback import Answer, Handler, Loopback, running_loopback
from .pictures import jpeg_bytes
from .rows import TestClock

JPEG = jpeg_bytes(500, 375)
SETTINGS = CollectSettings(
    max_bytes=200_000, connect_timeout_secs=30, read_timeout_secs=30, total_timeout_secs=30
)
HASTY = replace(SETTINGS, read_timeout_secs=0.3, total_timeout_secs=0.6)


@pytest.fixture
def downloader(loopback: Loopback) -> Iterator[Downloader]:
    with closing(Downloader(ImageHosts([loopback.host]), SETTINGS)) as made:
        yield made


def fault_of(downloader: Downloader, url: str) -> errors.PhotoError:
    with pytest.raises(errors.PhotoError) as caught:
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
def test_flickrs_placeholder_is_recognised_by_its_address_and_not_downloaded(
    loopback: Loopback, downloader: Downloader, location: str
) -> None:
    loopback.answers["/1.jpg"] = redirect(location)
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert isinstance(fault, errors.PhotoGoneError)
    assert fault.reason is errors.Reason.PLACEHOLDER
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
def test_foreign_redirects_fail(loopback: Loopback, downloader: Downloader, location: str) -> None:
    loopback.answers["/1.jpg"] = redirect(location)
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert isinstance(fault, errors.PhotoBrokenError)
    assert fault.reason is errors.Reason.FOREIGN_ADDRESS


def test_the_address_behind_a_host_name_is_checked_after_connecting(loopback: Loopback) -> None:
    seen: list[tuple[str, str]] = []

    class Suspicious(ImageHosts):
        def check_peer(self, endpoint: object, address: str) -> None:
            seen.append((str(endpoint), address))
            raise errors.PhotoBrokenError(errors.Reason.FOREIGN_ADDRESS, "a private address")

    loopback.answers["/1.jpg"] = send_jpeg
    with closing(Downloader(Suspicious([loopback.host]), SETTINGS)) as downloader:
        fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert fault.reason is errors.Reason.FOREIGN_ADDRESS
    assert seen == [(f"http://{loopback.host}", "127.0.0.1")]
    assert loopback.server.paths == []


@pytest.mark.parametrize(
    ("status", "asked"), [(429, "7"), (500, "7"), (502, "7"), (503, "7"), (504, " 7 ")]
)
def test_the_retry_after_of_a_busy_host_is_read(
    loopback: Loopback, downloader: Downloader, status: int, asked: str
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(status, Retry_After=asked)
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert isinstance(fault, errors.HostBusyError)
    assert fault.retry_after_secs == 7


@pytest.mark.parametrize(
    ("status", "kind", "reason"),
    [
        (200, errors.PhotoUnreachableError, errors.Reason.TRUNCATED),  # no bytes
        (500, errors.PhotoUnreachableError, errors.Reason.HTTP_STATUS),
        (502, errors.PhotoUnreachableError, errors.Reason.HTTP_STATUS),
        (400, errors.PhotoBrokenError, errors.Reason.HTTP_STATUS),
        (404, errors.PhotoGoneError, errors.Reason.DELETED),
        (410, errors.PhotoGoneError, errors.Reason.DELETED),
        (403, errors.PhotoGoneError, errors.Reason.PRIVATE),
        (401, errors.PhotoGoneError, errors.Reason.PRIVATE),
    ],
)
def test_each_http_status_maps_to_a_reason_and_to_retry_or_not(
    loopback: Loopback,
    downloader: Downloader,
    status: int,
    kind: type[errors.PhotoError],
    reason: errors.Reason,
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(status)
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert (type(fault), fault.reason) == (kind, reason)
    assert fault.permanent is (kind is not errors.PhotoUnreachableError)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refusal_with_retry_after_may_be_of_this_photo_alone_and_is_tried_again(
    loopback: Loopback, downloader: Downloader, status: int
) -> None:
    loopback.answers["/1.jpg"] = lambda handler: handler.send(status, Retry_After="3600")
    fault = fault_of(downloader, loopback.url("/1.jpg"))
    assert (type(fault), fault.reason) == (errors.PhotoUnreachableError, errors.Reason.HTTP_STATUS)


def test_a_refused_connection_counts_as_a_busy_host() -> None:
    with closing(Downloader(ImageHosts(["127.0.0.1:9"]), SETTINGS)) as downloader:
        fault = fault_of(downloader, "http://127.0.0.1:9/1.jpg")
    assert isinstance(fault, errors.HostBusyError)
    assert str(fault) == "host_busy: no connection: refused"


def test_a_failed_lookup_and_a_refusing_proxy_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "http://nowhere.invalid:80/1.jpg"
    for proxy, cause in (("", "DNS lookup failed"), ("http://127.0.0.1:9", "the proxy")):
        monkeypatch.setenv("http_proxy", proxy)
        with closing(Downloader(ImageHosts(["nowhere.invalid:80"]), SETTINGS)) as downloader:
            fault = fault_of(downloader, url)
        assert isinstance(fault, errors.HostBusyError)
        assert cause in fault.detail


def test_a_silent_host_is_given_up_after_the_timeout(loopback: Loopback) -> None:
    def silent(handler: Handler) -> None:
        handler.start(200, {"Content-Length": str(len(JPEG))})
        handler.wfile.write(JPEG[:500])
        handler.hang()

    loopback.answers["/1.jpg"] = silent
    loopback.answers["/2.jpg"] = Handler.hang
    with closing(Downloader(ImageHosts([loopback.host]), HASTY)) as hasty:
        for path in ("/1.jpg", "/2.jpg"):
            fault = fault_of(hasty, loopback.url(path))
            assert isinstance(fault, errors.PhotoUnreachableError)
            assert fault.reason is errors.Reason.TIMEOUT


@contextmanager
def full_queue() -> Iterator[int]:
    """The port of a server that accepts no connection and whose queue is full."""
    with socket.socket() as server, ExitStack() as waiting:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        for _ in range(4):
            client = waiting.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(server.getsockname())
        yield server.getsockname()[1]


def test_a_chunked_body_is_read_completely(loopback: Loopback, downloader: Downloader) -> None:
    def chunked(handler: Handler) -> None:
        handler.start(200, {"Transfer-Encoding": "chunked"})
        for part in (JPEG[:1000], JPEG[1000:]):
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
        handler.wfile.write(b"0\r\n\r\n")

    loopback.answers["/1.jpg"] = chunked
    assert downloader.fetch(loopback.url("/1.jpg")) == JPEG


def test_a_redirect_to_an_address_that_is_not_ascii_is_encoded_once(
    loopback: Loopback, downloader: Downloader
) -> None:
    raw = "/größe 1.jpg".encode().decode("latin-1")  # as http.server writes bytes
    loopback.answers["/raw.jpg"] = redirect(raw)
    loopback.answers["/encoded.jpg"] = redirect("/gr%C3%B6%C3%9Fe%201.jpg")
    loopback.answers["/gr%C3%B6%C3%9Fe%201.jpg"] = partial(Handler.send, status=200, body=b"data")
    for path in ("/raw.jpg", "/encoded.jpg"):
        assert downloader.fetch(loopback.url(path)) == b"data"


def test_a_redirect_in_latin_1_is_told(loopback: Loopback, downloader: Downloader) -> None:
    loopback.answers["/1.jpg"] = redirect("/größe.jpg")
    with pytest.raises(errors.PhotoBrokenError, match="neither ASCII nor UTF-8") as caught:
        downloader.fetch(loopback.url("/1.jpg"))
    assert caught.value.reason is errors.Reason.FOREIGN_ADDRESS


def test_circular_redirects_are_given_up(loopback: Loopback, downloader: Downloader) -> None:
    loopback.answers["/1.jpg"] = redirect("/1.jpg")
    assert fault_of(downloader, loopback.url("/1.jpg")).reason is errors.Reason.TOO_MANY_REDIRECTS
    assert len(loopback.server.paths) == 4


def test_a_photo_of_max_bytes_is_accepted_and_one_byte_more_is_refused(loopback: Loopback) -> None:
    loopback.answers["/1.jpg"] = send_jpeg
    hosts = ImageHosts([loopback.host])
    with closing(Downloader(hosts, replace(SETTINGS, max_bytes=len(JPEG)))) as enough:
        assert enough.fetch(loopback.url("/1.jpg")) == JPEG
    with closing(Downloader(hosts, replace(SETTINGS, max_bytes=len(JPEG) - 1))) as too_few:
        assert fault_of(too_few, loopback.url("/1.jpg")).reason is errors.Reason.TOO_MANY_BYTES


def test_a_host_that_accepts_no_connection_is_given_up_after_the_connect_timeout() -> None:
    patient = replace(
        SETTINGS, connect_timeout_secs=0.3, read_timeout_secs=250, total_timeout_secs=250
    )
    with full_queue() as port:
        downloader = Downloader(ImageHosts([f"127.0.0.1:{port}"]), patient)
        began_secs = time.monotonic()
        fault = fault_of(downloader, f"http://127.0.0.1:{port}/1.jpg")
        took_secs = time.monotonic() - began_secs
        downloader.close()
    assert isinstance(fault, errors.HostBusyError)
    assert fault.detail == "no connection in time"
    assert 0.3 <= took_secs < 200


def test_a_socket_operation_that_takes_too_long_is_cut_off() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(TimeoutError, match="did not come"), cut_off_after(0.05, ours):
        assert ours.recv(1) == b""  # nothing is ever sent: only the cut ends the wait


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A self-signed certificate of 127.0.0.1, with its key in the same file."""
    if shutil.which("openssl") is None:
        pytest.skip("There is no openssl to make a certificate with: sudo apt-get install openssl.")
    folder = tmp_path_factory.mktemp("tls")
    key = folder / "key.pem"
    made = folder / "made.pem"
    both = folder / "both.pem"
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=127.0.0.1",
            "-keyout",
            key,
            "-out",
            made,
            "-addext",
            "subjectAltName=IP:127.0.0.1",
        ],
        check=True,
        capture_output=True,
    )
    both.write_bytes(key.read_bytes() + made.read_bytes())
    return both


@pytest.fixture
def secure(certificate: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Loopback]:
    """A server that speaks TLS only, and which is trusted."""
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with running_loopback(context) as loopback:
        yield loopback


def url_of(secure: Loopback, path: str) -> str:
    return f"https://{secure.host}{path}"


def make_secure(secure: Loopback, total_timeout_secs: float = 30.0) -> Downloader:
    settings = replace(SETTINGS, total_timeout_secs=total_timeout_secs)
    return Downloader(ImageHosts((secure.host,)), settings)


def test_photographs_of_a_host_share_one_tls_connection(secure: Loopback) -> None:
    data = [jpeg_bytes(300, 200, tint=tint) for tint in range(3)]
    for number, picture in enumerate(data):
        secure.answers[f"/{number}.jpg"] = partial(Handler.send, status=200, body=picture)
    with closing(make_secure(secure)) as downloader:
        assert [downloader.fetch(url_of(secure, f"/{number}.jpg")) for number in range(3)] == data
    assert len(secure.server.connections) == 1


def test_an_untrusted_host_is_not_asked(secure: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with (
        closing(make_secure(secure)) as downloader,
        pytest.raises(errors.HostBusyError, match="no secure connection"),
    ):
        downloader.fetch(url_of(secure, "/0.jpg"))
    assert secure.server.paths == []


def test_a_host_at_a_private_address_gets_no_tls_handshake(
    secure: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Name(ImageHosts):
        """As if the host were known by name only, and that name now led elsewhere."""

        def check_peer(self, endpoint: Endpoint, address: str) -> None:
            ImageHosts(("name.example",)).check_peer(endpoint, address)

    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with (
        closing(Downloader(Name((secure.host,)), CollectSettings())) as downloader,
        pytest.raises(errors.PhotoBrokenError, match=r"leads to the private address 127\.0\.0\.1"),
    ):
        downloader.fetch(url_of(secure, "/0.jpg"))
    assert secure.server.paths == []


@pytest.mark.slow
def test_slowly_dripping_headers_are_given_up_after_the_total_timeout(secure: Loopback) -> None:
    def drip(handler: Handler) -> None:
        for letter in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200:
            handler.wfile.write(bytes([letter]))
            handler.wfile.flush()
            if handler.server.release.wait(0.05):
                return

    secure.answers["/0.jpg"] = drip
    with (
        closing(make_secure(secure, total_timeout_secs=0.3)) as downloader,
        pytest.raises(errors.PhotoUnreachableError),
    ):
        downloader.fetch(url_of(secure, "/0.jpg"))


def test_searches_refuse_an_untrusted_certificate(
    party: Party, secure: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = {"stat": "ok", "photos": {"page": 1, "total": "0", "photo": []}}
    secure.answers["/rest/"] = lambda handler: handler.send(200, json.dumps(reply).encode())
    with closing(make_flickr(party, TestClock(), api_url=url_of(secure, "/rest/"))) as flickr:
        assert flickr.search(Question("cat")).total == 0
    assert secure.server.paths == ["/rest/"]
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with (
        closing(make_flickr(party, TestClock(), api_url=url_of(secure, "/rest/"))) as flickr,
        pytest.raises(errors.HostRefusesError, match="no connection"),
    ):
        flickr.search(Question("cat"))
    assert secure.server.paths == ["/rest/"]  # the key went nowhere


HOSTS = ImageHosts(["live.staticflickr.com", "127.0.0.1:8123", "mirror.example:443"])


@pytest.mark.parametrize(
    "url",
    [
        "https://live.staticflickr.com/65535/1_a.jpg",
        "https://LIVE.staticflickr.com:443/65535/1_a.jpg",
        "http://127.0.0.1:8123/1.jpg",
        "https://mirror.example/1.jpg",
    ],
)
def test_configured_hosts_are_allowed(url: str) -> None:
    HOSTS.check_url(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com/1.jpg",
        "https://live.staticflickr.com.example.com/1.jpg",
        "http://live.staticflickr.com/1.jpg",
        "https://live.staticflickr.com:8443/1.jpg",
        "https://user@live.staticflickr.com/1.jpg",
        "https://live.staticflickr.com@example.com/1.jpg",
        "https://example.com\\@live.staticflickr.com/1.jpg",
        "http://127.0.0.1/1.jpg",
        "http://127.0.0.1:8124/1.jpg",
        "http://localhost:8123/1.jpg",
        "http://169.254.169.254/latest/meta-data",
        "http://[::1]:8123/1.jpg",
        "file:///etc/passwd",
        "ftp://live.staticflickr.com/1.jpg",
        "//live.staticflickr.com/1.jpg",
        "http://[broken",
        "",
    ],
)
def test_urls_of_other_hosts_are_refused_as_foreign(url: str) -> None:
    with pytest.raises(errors.PhotoBrokenError, match="foreign_address"):
        HOSTS.check_url(url)


PUBLIC = "104.16.0.1 2606:4700::1 ::ffff:104.16.0.1"
PRIVATE = (
    "10.0.0.1 172.16.0.1 192.168.1.1 127.0.0.1 169.254.169.254 100.64.0.1 0.0.0.0 224.0.0.1 ::1 "
    "fe80::1%eth0 fec0::1 ::127.0.0.1 ::10.0.0.1 64:ff9b:1::a00:1 5f00::1 fd00::1 "
    "::ffff:10.0.0.1 64:ff9b::10.0.0.1 2002:a00:1::1 nonsense"
)


@pytest.mark.parametrize("address", (PUBLIC + " " + PRIVATE).split())
def test_private_addresses_are_recognised_in_every_notation(address: str) -> None:
    assert is_public(address) is (address in PUBLIC.split())


def test_only_a_host_configured_with_a_port_may_have_a_private_address() -> None:
    with pytest.raises(errors.PhotoBrokenError, match=r"private address 192\.168\.1\.1"):
        HOSTS.check_peer(Endpoint("https", "live.staticflickr.com", 443), "192.168.1.1")
    HOSTS.check_peer(Endpoint("http", "127.0.0.1", 8123), "127.0.0.1")


PATIENCE_SECS = 60


@pytest.mark.slow
def test_open_requests_to_all_hosts_never_exceed_the_workers(
    party: Party, loopback: Loopback
) -> None:
    barrier = threading.Barrier(3)
    lock = threading.Lock()
    inside = [0]
    most = [0]

    def answer(handler: Handler) -> None:
        """Answers only when three requests are open at once."""
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        barrier.wait(PATIENCE_SECS)
        with lock:
            inside[0] -= 1
        handler.send(200, JPEG)

    hosts = [loopback.host.replace("127.0.0.1", name) for name in ("127.0.0.1", "localhost")]
    urls = [f"http://{hosts[number % 2]}/{number}.jpg" for number in range(12)]
    loopback.answers |= {f"/{number}.jpg": answer for number in range(12)}
    patient = CollectSettings(read_timeout_secs=PATIENCE_SECS, total_timeout_secs=PATIENCE_SECS)
    flickr = FlickrSettings(image_hosts=tuple(hosts))
    party = replace(party, settings=replace(party.settings, collect=patient, flickr=flickr))
    fetching = Fetching(party, workers=3, check=lambda: None)
    with closing(fetching), ThreadPoolExecutor(12) as threads:
        ended = wait([threads.submit(fetching.fetch, url, None) for url in urls]).done
    assert all(future.exception() is None for future in ended)
    assert most == [3]
