from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import flickrapi
import pytest
import requests

from catalog.errors import SettingsError
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.library import Library
from simulate.flickr.server import StandIn

from .making import write_picture


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("photos")
    for number in range(3):
        write_picture(folder / f"cat {number}.jpg", (640, 400 + number))
    return read_library(folder)


@pytest.fixture
def standin(library: Library) -> Iterator[StandIn]:
    with StandIn(library) as server:
        yield server


@pytest.fixture
def http() -> Iterator[requests.Session]:
    with requests.Session() as session:
        session.trust_env = False
        yield session


def open_flickr(standin: StandIn) -> Any:
    class Flickr(flickrapi.FlickrAPI):  # type: ignore[misc]
        REST_URL = standin.api_url

    return Flickr("key", "", format="parsed-json", store_token=False, cache=False, timeout=60)


@pytest.fixture(autouse=True)
def _close_the_session_that_flickrapi_shares() -> Iterator[None]:
    yield
    flickrapi.auth.OAuthFlickrInterface.session.close()


def find_image_url(standin: StandIn) -> str:
    found = open_flickr(standin).photos.search(text="cat", extras="url_m")
    url: str = found["photos"]["photo"][0]["url_m"]
    return url


def test_flickrapi_reads_json(standin: StandIn) -> None:
    flickr = open_flickr(standin)
    found = flickr.photos.search(text="cat", per_page=2, extras="url_m,license")
    assert [len(found["photos"]["photo"]), found["photos"]["total"]] == [2, 3]
    photo_id = found["photos"]["photo"][0]["id"]
    assert flickr.photos.getInfo(photo_id=photo_id)["photo"]["id"] == photo_id
    assert flickr.test.echo(word="é & <b>")["word"]["_content"] == "é & <b>"
    assert standin.requests["flickr.photos.search"] == 1


def test_images_come_with_type_and_length(standin: StandIn, http: requests.Session) -> None:
    url = find_image_url(standin)
    assert url.startswith(f"http://{standin.image_host}/")
    first, second = http.get(url), http.get(url)
    assert first.content == second.content
    assert first.headers["Content-Type"] == "image/jpeg"
    assert http.head(url).headers["Content-Length"] == str(len(first.content))
    assert standin.requests["image"] == 3


def test_the_key_may_also_come_in_the_query(standin: StandIn, http: requests.Session) -> None:
    args = {"method": "flickr.test.echo", "format": "json", "nojsoncallback": "1"}
    assert http.get(standin.api_url, params=args).json()["code"] == 100
    assert http.get(standin.api_url, params={**args, "api_key": "k"}).json()["stat"] == "ok"


@pytest.mark.parametrize(
    "head",
    [
        b"POST /services/rest/ HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n",
        b"POST /services/rest/ HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /services/rest/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
    ],
)
def test_a_body_without_measure_is_refused(standin: StandIn, head: bytes) -> None:
    host, port = standin.image_host.split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(head)
        assert b" 413 " in connection.recv(200)


def test_closing_ends_what_is_still_waiting(library: Library) -> None:
    errors: list[Exception] = []

    def wait_for_an_answer(url: str) -> None:
        try:
            requests.get(url, params={"method": "flickr.test.echo"}, timeout=60)
        except requests.ConnectionError as error:
            errors.append(error)

    slow = Faults((parse_rule("latency@3600000=1"),))
    with (
        StandIn(library, faults=slow) as standin,
        socket.create_connection(tuple(standin.image_host.split(":"))),  # type: ignore[arg-type]
    ):
        client = threading.Thread(target=wait_for_an_answer, args=(standin.api_url,))
        client.start()
    client.join(timeout=60)
    assert not client.is_alive()
    assert len(errors) == 1


def test_a_closed_stand_in_leaves_its_port_and_no_thread(library: Library) -> None:
    before = set(threading.enumerate())
    with StandIn(library) as standin:
        port = int(standin.image_host.split(":")[1])
    assert set(threading.enumerate()) <= before
    with StandIn(library, port=port) as again:
        assert again.image_host.endswith(f":{port}")


def test_a_port_in_use_is_told_in_a_sentence(standin: StandIn, library: Library) -> None:
    port = int(standin.image_host.split(":")[1])
    with pytest.raises(SettingsError, match="Cannot serve at"):
        StandIn(library, port=port).start()


def test_hostile_headers_and_paths_harm_nothing(standin: StandIn, tmp_path: Path) -> None:
    host, port = standin.image_host.split(":")
    for line in (
        b"GET /%ff%00/../../x HTTP/1.1",
        b"GET //evil/1 HTTP/1.1",
        b"\x16\x03\x01",
        b"A B",
    ):
        with socket.create_connection((host, int(port)), timeout=60) as connection:
            connection.sendall(line + b"\r\nHost: a\r\nAuthorization: OAuth \xff\r\n\r\n")
            connection.shutdown(socket.SHUT_WR)
            assert b"Traceback" not in connection.recv(4000)
    assert open_flickr(standin).test.echo()["stat"] == "ok"
