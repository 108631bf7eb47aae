import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import requests

from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.folder import read_library
from simulate.flickr.search import Library
from simulate.flickr.server import StandIn
from vockit.errors import SettingsError

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


def call(standin: StandIn, method: str, **args: str) -> Any:
    form = {"method": method, "api_key": "key", "format": "json", **args}
    return requests.post(standin.api_url, form, timeout=60).json()


def find_image_url(standin: StandIn) -> str:
    reply = call(standin, "flickr.photos.search", text="cat", extras="url_m")
    return str(reply["photos"]["photo"][0]["url_m"])


def test_calls_are_answered_in_json(standin: StandIn) -> None:
    reply = call(standin, "flickr.photos.search", text="cat", per_page="2")
    assert [len(reply["photos"]["photo"]), reply["photos"]["total"]] == [2, 3]
    photo_id = reply["photos"]["photo"][0]["id"]
    assert call(standin, "flickr.photos.getInfo", photo_id=photo_id)["photo"]["id"] == photo_id
    echo = call(standin, "flickr.test.echo", word="é & <b>")
    assert echo["word"]["_content"] == "é & <b>"
    assert standin.requests["flickr.photos.search"] == 1


def test_images_come_with_type_and_length(standin: StandIn, http: requests.Session) -> None:
    url = find_image_url(standin)
    assert url.startswith(f"http://{standin.image_host}/")
    first = http.get(url)
    second = http.get(url)
    assert first.content == second.content
    assert first.headers["Content-Type"] == "image/jpeg"
    assert http.head(url).headers["Content-Length"] == str(len(first.content))
    assert standin.requests["image"] == 3


def test_closing_the_server_ends_waiting_requests(library: Library) -> None:
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


def test_a_port_in_use_is_reported_in_a_sentence(standin: StandIn, library: Library) -> None:
    port = int(standin.image_host.split(":")[1])
    with pytest.raises(SettingsError, match="Cannot serve at"):
        StandIn(library, port=port).start()


def test_search_and_pictures_are_on_different_hosts(standin: StandIn) -> None:
    api_host = standin.api_url.split("/")[2]
    assert find_image_url(standin).split("/")[2] == standin.image_host != api_host
    asked = {"action": "query", "formatversion": "2", "generator": "search", "gsrsearch": "cat"}
    asked |= {"gsrlimit": "50", "gsroffset": "0"}
    reply = requests.get(standin.commons_url, params=asked, timeout=60).json()
    for page in reply.get("query", {}).get("pages", []):
        assert page["imageinfo"][0]["thumburl"].split("/")[2] == standin.image_host
