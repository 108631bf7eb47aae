"""Connections: steps that take too long are cut off, and certificates are checked."""

from __future__ import annotations

import json
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from catalog.party import Party
from catalog.settings import CollectSettings, FlickrSettings
from collect.asking import CallBudget
from collect.download import Downloader
from collect.errors import HostBusyError, HostRefusesError, PhotoBrokenError, PhotoUnreachableError
from collect.flickr import Flickr
from collect.pauses import Backoff, Pauses
from collect.transport import Endpoint, ImageHosts, cut_off_after

from .clocks import TestClock
from .loopback import Handler, Loopback, running_loopback
from .pictures import jpeg_bytes


def test_a_step_that_takes_too_long_is_cut_off() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs, pytest.raises(TimeoutError, match="did not come"), cut_off_after(0.05, ours):
        assert ours.recv(1) == b""  # nothing is ever sent: only the cut ends the wait


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl here"),
]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate of 127.0.0.1, with its key in the same file, that nobody signed."""
    folder = tmp_path_factory.mktemp("tls")
    key, made, both = folder / "key.pem", folder / "made.pem", folder / "both.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
            *("-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", made),
            *("-addext", "subjectAltName=IP:127.0.0.1"),
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


def make_downloader(secure: Loopback, total_timeout_secs: float = 30.0) -> Downloader:
    settings = CollectSettings(
        connect_timeout_secs=30.0, read_timeout_secs=30.0, total_timeout_secs=total_timeout_secs
    )
    return Downloader(ImageHosts((secure.host,)), settings)


def test_photographs_come_over_one_trusted_connection(secure: Loopback) -> None:
    data = [jpeg_bytes(300, 200, tint=tint) for tint in range(3)]
    for number, one in enumerate(data):
        secure.answers[f"/{number}.jpg"] = partial(Handler.send, status=200, body=one)
    with closing(make_downloader(secure)) as downloader:
        assert [downloader.fetch(url_of(secure, f"/{number}.jpg")) for number in range(3)] == data
    assert len(secure.server.connections) == 1


def test_a_host_that_nobody_vouches_for_is_sent_nothing(
    secure: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with (
        closing(make_downloader(secure)) as downloader,
        pytest.raises(HostBusyError, match="no secure connection"),
    ):
        downloader.fetch(url_of(secure, "/0.jpg"))
    assert secure.server.paths == []


def test_a_host_whose_name_leads_to_a_private_address_is_not_even_greeted(
    secure: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Name(ImageHosts):
        """As if the host were known by its name alone, which somebody now leads elsewhere."""

        def check_peer(self, endpoint: Endpoint, address: str) -> None:
            ImageHosts(("name.example",)).check_peer(endpoint, address)

    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with (
        closing(Downloader(Name((secure.host,)), CollectSettings())) as downloader,
        pytest.raises(PhotoBrokenError, match=r"leads to the private address 127\.0\.0\.1"),
    ):
        downloader.fetch(url_of(secure, "/0.jpg"))
    assert secure.server.paths == []


def test_headers_that_drip_are_left_after_the_total_timeout(secure: Loopback) -> None:
    def drip(handler: Handler) -> None:
        for letter in b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 200:
            handler.wfile.write(bytes([letter]))
            handler.wfile.flush()
            if handler.server.release.wait(0.05):
                return

    secure.answers["/0.jpg"] = drip
    with (
        closing(make_downloader(secure, total_timeout_secs=0.3)) as downloader,
        pytest.raises(PhotoUnreachableError),
    ):
        downloader.fetch(url_of(secure, "/0.jpg"))


def make_flickr(party: Party, secure: Loopback) -> Flickr:
    time = TestClock()
    settings = FlickrSettings(key="k3y", api_url=url_of(secure, "/rest/"), timeout_secs=30.0)
    budget = CallBudget(party.catalogue, "k3y", 3600, time.clock)
    pauses = Pauses(time.clock, Backoff(1, 2, 60), most_in_a_row=2)
    return Flickr(settings, budget, pauses)


def test_searches_go_over_a_trusted_connection_alone(
    party: Party, secure: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    reply = {"stat": "ok", "photos": {"page": 1, "total": "0", "photo": []}}
    secure.answers["/rest/"] = lambda handler: handler.send(200, json.dumps(reply).encode())
    with closing(make_flickr(party, secure)) as flickr:
        assert flickr.call_search({"text": "cat"}, 500).total == 0
    assert secure.server.paths == ["/rest/"]
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")
    with (
        closing(make_flickr(party, secure)) as flickr,
        pytest.raises(HostRefusesError, match="no connection"),
    ):
        flickr.call_search({"text": "cat"}, 500)
    assert secure.server.paths == ["/rest/"]  # the key went nowhere
