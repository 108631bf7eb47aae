"""The server as a process: what it prints, how it ends, what survives a kill."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
import requests

from annotate_ui.serving import ServeOptions, serve, serving, trust_proxy
from catalog.errors import ServeError
from catalog.tables import Annotation

from .house import API, House, find_csrf_token, revision, thing

ROOT = Path(__file__).parents[2]


@contextmanager
def running(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`vocparty serve` in a process of its own, and its base URL; killed with the block."""
    command = [sys.executable, "-m", "vocparty", "serve", "--party", str(folder), *options]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=ROOT,
        env=environment,
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            found = re.search(r"http://[\d.]+:\d+", line)
            assert found, line + process.stdout.read()
            yield process, found[0]
        finally:
            process.kill()


def sign_in(base_url: str, token: str) -> requests.Session:
    http = requests.Session()
    form = {"csrf_token": find_csrf_token(http.get(f"{base_url}/enter/{token}").text)}
    answer = http.post(f"{base_url}/enter/{token}", data=form, allow_redirects=False)
    assert answer.status_code == 303
    http.headers["X-CSRFToken"] = http.get(f"{base_url}{API}/session").json()["csrf_token"]
    return http


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_server_says_where_it_is_and_stops_cleanly(house: House, number: int) -> None:
    with running(house.party.folder, "--port", "0") as (process, base_url):
        with urllib.request.urlopen(f"{base_url}/static/site.css") as answer:
            assert answer.status == 200
        process.send_signal(number)
        text = _read_to_end(process)
    assert process.returncode == 0
    assert "vocparty people add" in text
    assert "Stopped" in text
    assert "Traceback" not in text


def test_what_was_acknowledged_survives_a_kill(house: House) -> None:
    """Drafts are posted one after another until the server is killed in the middle of them."""
    house.add_image()
    token = house.add_person("ann")
    acknowledged: list[int] = []
    with running(house.party.folder, "--port", "0") as (process, base_url):
        with sign_in(base_url, token) as http:
            task = http.post(f"{base_url}{API}/tasks/annotate", json={}).json()["task"]
            path = f"{base_url}{API}/images/{task['image_id']}/revisions"
            enough = threading.Event()
            threading.Thread(target=_kill_after, args=(enough, process)).start()
            try:
                while len(acknowledged) < 500:
                    parent = acknowledged[-1] if acknowledged else None
                    objects = [thing(str(len(acknowledged)))]
                    answer = http.post(path, json=revision(parent, objects, finish=False))
                    acknowledged.append(answer.json()["annotation"]["id"])
                    if len(acknowledged) == 20:
                        enough.set()
            except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError):
                pass
            finally:
                enough.set()
        assert process.wait(timeout=120) == -signal.SIGKILL
    assert 20 <= len(acknowledged) < 500
    with house.party.catalogue.reading() as session:
        for number, annotation_id in enumerate(acknowledged):
            row = session.get_one(Annotation, annotation_id)
            assert (row.is_stale, row.objects[0].object_key) == (False, str(number))


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_several_processes_share_the_sessions(house: House, number: int) -> None:
    house.add_image()
    token = house.add_person("ann")
    options = ("--workers", "2", "--threads", "2", "--port", "0")
    with running(house.party.folder, *options) as (process, base_url):
        assert not base_url.endswith(":0")
        _wait_until_open(base_url)
        with sign_in(base_url, token) as http:
            for _ in range(10):
                http.close()  # a new connection may meet the other process
                assert http.get(f"{base_url}{API}/session").status_code == 200
        process.send_signal(number)
        text = _read_to_end(process)
    assert process.returncode == 0, text
    assert text.count("Stopped") == 1, text
    assert "Traceback" not in text


def test_neither_idle_connections_nor_slow_senders_keep_others_waiting(house: House) -> None:
    options = ("--threads", "2", "--port", "0")
    with running(house.party.folder, *options) as (process, base_url), ExitStack() as stack:
        address = ("127.0.0.1", int(base_url.rpartition(":")[2]))
        _wait_until_open(base_url)
        for number in range(30):
            stranger = stack.enter_context(socket.create_connection(address))
            stranger.sendall(b"GET / HTTP/1.1\r\n" if number == 0 else b"")
        began = time.monotonic()
        assert requests.get(f"{base_url}/join", timeout=60).status_code == 200
        assert time.monotonic() - began < 5  # each of 30 would occupy a thread for 5 seconds
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


def test_an_address_in_use_is_told(house: House) -> None:
    with serving(house.app) as base_url:
        port = int(base_url.rpartition(":")[2])
        with pytest.raises(ServeError, match="choose another with --host and --port"):
            serve(house.party, ServeOptions(port=port), lambda _url: None)


def test_a_party_is_served_in_the_background(house: House) -> None:
    house.add_image()
    token = house.add_person("ann")
    with serving(house.app) as base_url, sign_in(base_url, token) as http:
        task = http.post(f"{base_url}{API}/tasks/annotate", json={}).json()["task"]
        path = f"{base_url}{API}/images/{task['image_id']}/revisions"
        answer = http.post(path, json=revision(None))
        assert answer.status_code == 201
        assert "Server" not in answer.headers
        huge = http.post(path, data=json.dumps(revision(None, comment="x" * 3_000_000)))
        assert (huge.status_code, huge.json()["error"]["code"]) == (413, "too_large")
    with pytest.raises(requests.ConnectionError):
        requests.get(base_url, timeout=60)


def test_only_a_named_proxy_is_believed(house: House) -> None:
    token = house.add_person("ann")
    told = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "10.1.2.3"}
    for proxy, is_secure in (("127.0.0.1", True), ("10.9.9.9", False), (None, False)):
        with serving(trust_proxy(house.app, proxy)) as base_url:
            answer = requests.get(f"{base_url}/enter/{token}", headers=told, timeout=60)
            assert ("Secure" in answer.headers["Set-Cookie"]) is is_secure


def _kill_after(enough: threading.Event, process: subprocess.Popen[str]) -> None:
    enough.wait()
    process.kill()


def _read_to_end(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    text = process.stdout.read()
    process.wait(timeout=120)
    return text


def _wait_until_open(base_url: str) -> None:
    retrying = requests.adapters.HTTPAdapter(
        max_retries=requests.packages.urllib3.util.Retry(connect=30, backoff_factor=0.1)  # type: ignore[attr-defined]
    )
    with requests.Session() as http:
        http.mount("http://", retrying)
        assert http.get(f"{base_url}/static/site.css").status_code == 200
