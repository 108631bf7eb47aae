"""The server as a process: what it prints, how it ends, what survives a kill."""

import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from select import select
from typing import Any
from wsgiref.types import StartResponse, WSGIEnvironment

import psutil
import pytest
import requests
from sqlalchemy import Connection, create_engine
from waitress import wasyncore

from annotate_ui.app import SAVE_WITHIN_SECS
from annotate_ui.serving import (
    ServeOptions,
    describe_reach,
    find_address_in_network,
    serve,
    serving,
    trust_proxy,
)
from catalog.party import Party, make_party, open_party
from catalog.states import Role
from catalog.tables import Annotation
from tests.postgres import running_server
from tests.warm import Main, Warm, run_command
from vockit.browse.serving import listen
from vockit.errors import ServeError, SettingsError
from web import receiving as serving_limits
from web.operation import ACCESS, write_access_log
from web.receiving import PartyServer

from .house import API, House, Json, find_csrf_token, revision, thing
from .serve_commands import run_afresh, run_patiently, run_until_all_is_answered

ROOT = Path(__file__).parents[2]
LOCKS = {"sqlite": "BEGIN IMMEDIATE", "postgresql": "BEGIN; LOCK TABLE lease IN EXCLUSIVE MODE"}


ROOM = 80
"""People; more than `signins_per_minute` allows of one address to guess."""


@contextmanager
def running(folder: Path, *options: str, main: Main = run_command) -> Iterator[tuple[Warm, str]]:
    """`vocparty serve` in another process, and its base URL; killed when the block ends."""
    process = Warm(["serve", "--party", str(folder), *options], main=main)
    try:
        # The address stands in a line, behind which more is said.
        yield process, process.read_output(r"http://[\d.]+:\d+(?=\D)")
    except BaseException:
        process.kill()
        print(*process.communicate())  # what the server said is shown beside what failed
        raise
    finally:
        process.kill()
        process.communicate()


class PageSession(requests.Session):
    """A session whose JSON says for whom the page was opened, as pages do."""

    opened_for: Json | None = None

    def post(self, url: Any, data: Any = None, json: Any = None, **more: Any) -> requests.Response:
        sent = json if json is None else {"opened_for": self.opened_for} | json
        return super().post(url, data=data, json=sent, **more)


def sign_in(base_url: str, token: str) -> PageSession:
    http = PageSession()
    form = {"csrf_token": find_csrf_token(http.get(f"{base_url}/enter/{token}").text)}
    answer = http.post(f"{base_url}/enter/{token}", data=form, allow_redirects=False)
    assert answer.status_code == 303
    session = http.get(f"{base_url}{API}/session").json()
    http.headers["X-CSRFToken"] = session["csrf_token"]
    http.opened_for = {"person_id": session["person"]["id"], "party_id": session["party_id"]}
    return http


def test_the_server_prints_its_address_and_stops_cleanly(house: House) -> None:
    with running(house.party.folder, "--port", "0") as (process, base_url):
        with urllib.request.urlopen(f"{base_url}/static/site.css") as answer:
            assert answer.status == 200
        process.send_signal(signal.SIGTERM)
        text = _read_to_end(process)
    assert process.returncode == 0
    assert "vocparty people add" in text
    assert "Stopped" in text
    assert "Traceback" not in text


def test_clients_that_keep_asking_do_not_keep_the_server_from_stopping(house: House) -> None:
    options = ("--threads", "2", "--port", "0")
    main = run_until_all_is_answered
    with (
        running(house.party.folder, *options, main=main) as (process, base_url),
        ThreadPoolExecutor(30) as clients,
    ):
        _wait_until_open(base_url)
        have_asked = [threading.Event() for _ in range(30)]
        answers = [clients.submit(_ask_again_and_again, base_url, asked) for asked in have_asked]
        assert all(asked.wait(timeout=300) for asked in have_asked)
        process.send_signal(signal.SIGTERM)
        text = _read_to_end(process)
        assert {status for client in answers for status in client.result()} == {200}
    assert process.returncode == 0
    assert "Stopped" in text
    assert "Traceback" not in text


def _ask_again_and_again(base_url: str, has_asked: threading.Event) -> set[int]:
    """The statuses of answers on connections that are kept, until there is no server."""
    statuses = set[int]()
    with requests.Session() as http:
        while True:
            try:
                answer = http.get(f"{base_url}/join", timeout=300)
            except requests.exceptions.ConnectionError as error:
                if "refused" in str(error):
                    return statuses
                continue  # it was not answered yet, and is asked again
            finally:
                has_asked.set()
            statuses.add(answer.status_code)


@pytest.mark.parametrize("way", ["by the party code", "by links"])
def test_a_room_of_80_walks_in_at_once_from_one_address(house: House, way: str) -> None:
    links = [house.add_person(f"ann {number}") for number in range(ROOM)]
    olga_link = house.add_person("olga", Role.ORGANISER)
    together = threading.Barrier(ROOM)

    def come(base_url: str, code: str, number: int) -> set[int]:
        """The statuses of all answers, until the person is signed in and sees the guidelines."""
        together.wait(timeout=300)
        is_new = way == "by the party code"
        with (
            _walk_in(base_url, code, f"ben {number}")
            if is_new
            else sign_in(base_url, links[number])
        ) as http:
            pages = (f"{API}/session", "/guidelines")
            return {http.get(f"{base_url}{page}").status_code for page in pages}

    with (
        running(house.party.folder, "--port", "0", main=run_patiently) as (_process, base_url),
        ThreadPoolExecutor(ROOM) as room,
    ):
        _wait_until_open(base_url)
        with sign_in(base_url, olga_link) as olga:
            body = {"hours": 2, "most_people": ROOM}
            opened = olga.post(f"{base_url}{API}/party-codes", json=body).json()
        code = opened["code"]["code"]
        come_in = [room.submit(come, base_url, code, number) for number in range(ROOM)]
        assert [person.result() for person in come_in] == [{200}] * ROOM


def _walk_in(base_url: str, code: str, name: str) -> requests.Session:
    """The session of a new person, who is shown their link."""
    http = requests.Session()
    token = find_csrf_token(http.get(f"{base_url}/join").text)
    form = {"csrf_token": token, "code": code, "name": name}
    answer = http.post(f"{base_url}/join", data=form)
    assert (answer.status_code, answer.url) == (200, f"{base_url}/welcome"), answer.text
    return http


def test_a_party_is_not_moved_while_it_is_served(house: House, tmp_path: Path) -> None:
    def move(name: str) -> str:
        new = str(tmp_path / name)
        return house.run("move", "--to", "sqlite:///new.db", "--folder", new).output

    with running(house.party.folder, "--port", "0") as (process, base_url):
        requests.get(f"{base_url}/static/site.css", timeout=30).raise_for_status()
        assert "is at work with this party" in move("while")
        process.send_signal(signal.SIGTERM)
        _read_to_end(process)
    assert "is ready" in move("after")


def test_acknowledged_saves_survive_a_kill(house: House) -> None:
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


def test_several_processes_share_sessions_and_stop_on_ctrl_c(house: House) -> None:
    house.add_image()
    token = house.add_person("ann")
    options = ("--workers", "2", "--threads", "2", "--port", "0")
    with running(house.party.folder, *options, main=run_afresh) as (process, base_url):
        assert not base_url.endswith(":0")
        _wait_until_open(base_url)
        with sign_in(base_url, token) as http:
            for _ in range(10):
                http.close()  # a new connection may meet the other process
                assert http.get(f"{base_url}{API}/session").status_code == 200
        metrics = requests.get(f"{base_url}/metrics", timeout=60).text
        assert f'route="{API}/session",status="200"}} 11.0' in metrics
        process.send_signal(signal.SIGINT)
        text = _read_to_end(process)
    assert process.returncode == 0, text
    assert text.count("Stopped") == 1, text
    assert "Traceback" not in text


def test_a_process_that_serves_is_given_no_connection_of_the_one_that_began_it(
    house: House,
) -> None:
    with running(house.party.folder, "--port", "0") as (process, base_url):
        _wait_until_open(base_url)
        assert requests.get(f"{base_url}/readyz", timeout=60).status_code == 200
        first = psutil.Process(process.process_id)
        (server,) = first.children()
        opened = [Path(file.path).name for file in server.open_files()]
        assert "catalogue.db" in opened
        opened = [Path(file.path).name for file in first.open_files()]
        assert "catalogue.db" not in opened


def test_a_process_that_dies_is_replaced_although_the_preset_is_being_edited(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "zoo"
    make_party(folder, name="zoo", preset="zoo.toml", preset_text='classes = [{ name = "cat" }]')
    with running(folder, "--port", "0") as (process, base_url):
        _wait_until_open(base_url)
        (folder / "zoo.toml").write_text("classes = [{ name = ")
        (dead,) = psutil.Process(process.process_id).children()
        dead.kill()
        dead.wait(timeout=60)
        _wait_until_open(base_url)
        process.send_signal(signal.SIGTERM)
        text = _read_to_end(process)
    assert process.returncode == 0, text
    assert "Traceback" not in text


def test_silent_or_slow_connections_do_not_block_other_people(house: House) -> None:
    options = ("--threads", "2", "--port", "0")
    body = b"POST /join HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\ncode="
    with running(house.party.folder, *options) as (process, base_url), ExitStack() as stack:
        address = ("127.0.0.1", int(base_url.rpartition(":")[2]))
        _wait_until_open(base_url)
        strangers = []
        for begun in (b"", b"GET / HTTP/1.1\r\nHost: x\r\n", body) * 100:
            stranger = stack.enter_context(socket.create_connection(address))
            stranger.sendall(begun)
            strangers.append(stranger)
        assert requests.get(f"{base_url}/join", timeout=60).status_code == 200
        _assert_open(strangers[2::3])
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


def test_600_idle_connections_and_40_slow_senders_delay_nobody(house: House) -> None:
    options = ("--threads", "2", "--port", "0")
    begun = b"POST /join HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n"
    with running(house.party.folder, *options) as (process, base_url), ExitStack() as stack:
        address = ("127.0.0.1", int(base_url.rpartition(":")[2]))
        _wait_until_open(base_url)
        senders = [stack.enter_context(socket.create_connection(address)) for _ in range(40)]
        for sender in senders:
            sender.sendall(begun)
        idle = [stack.enter_context(socket.create_connection(address)) for _ in range(600)]
        for client in idle:
            client.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        assert all(client.recv(1000).startswith(b"HTTP/1.1 200") for client in idle)
        for _ in range(10):
            for sender in senders:
                sender.sendall(b"x")
            assert requests.get(f"{base_url}/join", timeout=60).status_code == 200
            _assert_open(senders)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0


def _assert_open(senders: list[socket.socket]) -> None:
    """Each request is still being received: no other one waited for its end."""
    assert select(senders, [], [], 0)[0] == []


@pytest.mark.parametrize(
    ("limit", "sent"),
    [
        ("UNUSED_SECS", b""),
        ("HEAD_SECS", b"GET / HTTP/1.1\r\nHost: x"),
        ("BODY_SECS", b"POST / HTTP/1.1\r\nContent-Length: 7000000\r\n\r\n"),
    ],
)
def test_a_header_or_body_that_drips_is_cut_off_in_time(
    monkeypatch: pytest.MonkeyPatch, limit: str, sent: bytes
) -> None:
    monkeypatch.setattr(serving_limits, limit, 0.5)
    listening = socket.create_server(("127.0.0.1", 0))
    server = PartyServer(_answer_nothing, listening, 1)
    with socket.create_connection(listening.getsockname()) as client:
        client.sendall(sent)
        while not select([client], [], [], 0)[0]:
            server.poll(0.05)
            with suppress(OSError):
                client.send(b"x" if sent else b"")
            time.sleep(0.01)  # each byte wakes the server at once
        with suppress(ConnectionResetError):
            assert client.recv(100) == b""
    server.finish()


def test_saves_are_answered_while_all_that_compute_are_busy() -> None:
    is_over = threading.Event()

    def answer(environ: dict[str, Any], start_response: Any) -> list[bytes]:
        if environ["PATH_INFO"].endswith("/proposals"):
            is_over.wait()
        start_response("200 OK", [("Content-Length", "0")])
        return []

    listening = socket.create_server(("127.0.0.1", 0))
    server = PartyServer(answer, listening, 1, ("/proposals",))
    ask = b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"
    with ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(listening.getsockname()))
            for _ in range(serving_limits.COMPUTING_THREADS + 2)
        ]
        for client in clients[1:]:
            client.sendall(ask % b"/images/1/proposals")
        while len(server.active_channels) < len(clients):
            server.poll(0.05)
        clients[0].sendall(ask % b"/images/1/revisions")
        while not select([clients[0]], [], [], 0)[0]:
            server.poll(0.05)
        assert b"200 OK" in clients[0].recv(1000)
        is_over.set()
    server.finish()


def test_a_stopping_server_says_that_each_answer_is_the_last() -> None:
    is_over = threading.Event()

    def answer(_environ: dict[str, Any], start_response: Any) -> list[bytes]:
        is_over.wait()
        start_response("200 OK", [("Content-Length", "0")])
        return []

    listening = socket.create_server(("127.0.0.1", 0))
    server = PartyServer(answer, listening, 1)
    with socket.create_connection(listening.getsockname()) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        while not any(channel.requests for channel in server.active_channels.values()):
            server.poll(0.05)
        stopping = threading.Thread(target=server.finish)
        stopping.start()
        while not server.is_stopping:
            time.sleep(0.01)
        is_over.set()
        stopping.join()
        assert b"Connection: close" in client.recv(1000)


def test_a_server_with_few_files_keeps_most_of_them_for_its_work() -> None:
    command = """
import resource
from web.receiving import _make_room
resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
print(_make_room(2000))
"""
    done = subprocess.run(
        [sys.executable, "-c", command], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert int(done.stdout) == 13


def test_a_server_without_files_waits_before_it_accepts_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    server = PartyServer(_answer_nothing, listening, 1)
    refused = list[str]()

    def refuse(_server: object) -> None:
        refused.append("refused")
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(serving_limits, "PAUSE_WITHOUT_FILES_SECS", 3600)
    with monkeypatch.context() as patch, socket.create_connection(listening.getsockname()):
        patch.setattr(wasyncore.dispatcher, "accept", refuse)
        while not refused:
            server.poll(0.05)
        for _ in range(10):
            server.poll(0.0)
    assert len(refused) == 1
    assert "Traceback" not in caplog.text
    server.finish()


def test_the_temporary_file_of_an_incomplete_request_is_closed() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    server = PartyServer(_answer_nothing, listening, 1)
    before = _list_deleted_files()
    with socket.create_connection(listening.getsockname()) as client:
        client.sendall(b"POST / HTTP/1.1\r\nContent-Length: 7000000\r\n\r\n" + b"x" * 200_000)
        while not _list_deleted_files() - before:
            server.poll(0.05)
        (channel,) = server.active_channels.values()
    while channel.connected:
        server.poll(0.05)
    assert _list_deleted_files() == before
    server.finish()


def _list_deleted_files() -> set[Path]:
    """The open files of this process that have no name, as temporary files have none."""
    opened = Path("/proc/self/fd").iterdir()
    return {path for path in opened if path.is_symlink() and "(deleted)" in str(path.readlink())}


def test_silent_connections_of_a_busy_address_are_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    server = PartyServer(_answer_nothing, listening, 1)
    open_ones = server.active_channels
    with ExitStack() as stack:
        asking, *silent = (socket.create_connection(listening.getsockname()) for _ in range(12))
        for client in (asking, *silent):
            stack.enter_context(client)
        asking.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        while len(open_ones) < 12 or not any(channel.has_asked for channel in open_ones.values()):
            server.poll(0.05)
        monkeypatch.setattr(serving_limits, "MOST_OF_ADDRESS", 5)
        while len(open_ones) != 5:
            server.poll(0.05)
        assert asking.recv(100).startswith(b"HTTP/1.1 200")
        assert any(channel.has_asked and channel.connected for channel in open_ones.values())
    server.finish()


@pytest.mark.parametrize("sent", [b"no request", b"GET / HTTP/1.1\r\nno header", b"get / HTTP/1.1"])
def test_an_invalid_request_is_answered_and_ends_its_connection(sent: bytes) -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    server = PartyServer(_answer_nothing, listening, 1)
    with socket.create_connection(listening.getsockname()) as client:
        client.sendall(sent + b"\r\n\r\n")
        while not select([client], [], [], 0)[0]:
            server.poll(0.05)
        assert client.recv(100).startswith(b"HTTP/1.0 400")
    server.finish()


@contextmanager
def held_lock(party: Party) -> Iterator[Connection]:
    """Another process's connection, whose transaction lets nobody write."""
    other = create_engine(party.catalogue.engine.url, isolation_level="AUTOCOMMIT")
    with other.connect() as lock:
        lock.exec_driver_sql(LOCKS[other.dialect.name])
        yield lock
    other.dispose()


LOCKED = ("--threads", "4", "--workers", "2", "--port", "0")


@contextmanager
def saving_people(
    house: House, base_url: str
) -> Iterator[tuple[list[PageSession], Callable[[], list[Future[requests.Response]]]]]:
    """Twelve people who are signed in, and what lets all of them save at once."""
    tokens = [house.add_person(f"ann {number}") for number in range(12)]
    _wait_until_open(base_url)
    with ExitStack() as stack, ThreadPoolExecutor(len(tokens)) as pool:
        people = [stack.enter_context(sign_in(base_url, token)) for token in tokens]
        task = f"{base_url}{API}/tasks/annotate"
        yield people, lambda: [pool.submit(http.post, task, json={}) for http in people]


def test_reading_works_while_another_process_holds_the_write_lock(any_house: House) -> None:
    image_id, _data = any_house.add_file()
    sha256 = any_house.image(image_id).sha256
    read = ("/annotate", f"/images/{sha256}.jpg", "/static/site.css", f"{API}/party")
    with (
        running(any_house.party.folder, *LOCKED, main=run_patiently) as (_process, base_url),
        saving_people(any_house, base_url) as (people, save),
        held_lock(any_house.party) as lock,
    ):
        saving = save()
        answers = [people[0].get(base_url + path, timeout=240) for path in read]
        assert [answer.status_code for answer in answers] == [200] * 4
        assert not any(future.done() for future in saving), "all of them wait for the lock"
        lock.exec_driver_sql("ROLLBACK")
        assert {future.result().status_code for future in saving} == {200}


def test_saves_that_wait_for_the_write_lock_are_refused_together(any_house: House) -> None:
    any_house.add_file()
    with (
        running(any_house.party.folder, *LOCKED) as (_process, base_url),
        saving_people(any_house, base_url) as (people, save),
        held_lock(any_house.party) as lock,
    ):
        began = time.monotonic()
        answers = [future.result() for future in save()]
        took_secs = time.monotonic() - began
        assert {answer.status_code for answer in answers} == {503}
        assert {answer.headers["Retry-After"] for answer in answers} == {"5"}
        one_after_another_secs = len(people) * SAVE_WITHIN_SECS
        assert took_secs < one_after_another_secs
        lock.exec_driver_sql("ROLLBACK")
        assert people[0].post(f"{base_url}{API}/tasks/annotate", json={}).status_code == 200


@pytest.mark.postgres
def test_a_party_continues_when_postgresql_is_back(tmp_path: Path) -> None:
    with running_server() as server:
        catalogue = {"catalogue": server.url(server.make_database())}
        make_party(tmp_path / "party", name="Zoo", preset="voc2012", values=catalogue)
        with open_party(tmp_path / "party") as party:
            house = House(party)
            image_id = house.add_image()
            token = house.add_person("ann")
        with (
            running(party.folder, "--port", "0") as (_process, base_url),
            sign_in(base_url, token) as http,
        ):
            http.post(f"{base_url}{API}/tasks/annotate", json={})
            path = f"{base_url}{API}/images/{image_id}/revisions"
            draft = revision(None)
            server.stop()
            assert http.post(path, json=draft).status_code == 503
            statuses = [
                http.get(f"{base_url}/{route}").status_code for route in ("healthz", "readyz")
            ]
            assert statuses == [200, 503]
            server.start()
            assert [http.post(path, json=draft).status_code for _ in "ab"] == [201, 200]


def test_health_readiness_and_metrics_have_their_own_routes(house: House) -> None:
    http = house.app.test_client()
    assert [http.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 200]
    metrics = http.get("/metrics").text
    assert 'vocparty_answers_total{method="GET",route="/readyz",status="200"}' in metrics
    for number in range(3):
        http.open("/", method=f"MADE-UP-{number}")
    assert "MADE-UP" not in http.get("/metrics").text, "each would take memory for ever"
    elsewhere = http.get("/metrics", environ_base={"REMOTE_ADDR": "10.0.0.7"})
    assert elsewhere.status_code == 404
    house.party.catalogue.close()
    (house.party.folder / "catalogue.db").rename(house.party.folder / "gone.db")
    (house.party.folder / "catalogue.db").mkdir()
    assert [http.get(path).status_code for path in ("/healthz", "/readyz")] == [200, 503]


def test_the_access_log_has_all_requests_but_no_secret(house: House, tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    write_access_log(str(log))
    house.add_image()
    token = house.add_person("ann")
    try:
        assert house.stranger().get(f"/enter/{token}").status_code == 200
        ann = house.enter(token)
        task = ann.take()
        ann.post(f"{API}/leases/{task['lease']['id']}/heartbeat")
        ann.save(task)
        ann.post(f"{API}/tasks/annotate")  # nothing is left: asked again and again
        assert ann.get("/nowhere", headers={"X-Request-ID": "told-by-nginx"}).status_code == 404
    finally:
        while ACCESS.handlers:
            handler = ACCESS.handlers[0]
            ACCESS.removeHandler(handler)
            handler.close()
    lines = [json.loads(line) for line in log.read_text().splitlines()]
    assert [(line["method"], line["route"], line["status"]) for line in lines] == [
        ("GET", "/enter/<token>", 200),
        ("POST", "/enter/<token>", 303),
        ("POST", f"{API}/tasks/annotate", 200),
        ("POST", f"{API}/images/<int:image_id>/revisions", 201),
        ("GET", "none", 404),
    ]
    assert (lines[3]["image_id"], lines[3]["person"]) == (task["image_id"], house.person("ann").id)
    assert lines[4]["id"] == "told-by-nginx"
    assert len({line["id"] for line in lines}) == 5
    assert token not in log.read_text()


def test_serving_below_a_path_is_refused_at_the_start(party: Party) -> None:
    below = replace(party.settings.serve, url="https://example.org/zoo")
    settings = replace(party.settings, serve=below)
    with pytest.raises(SettingsError, match="cannot be served below a path"):
        serve(replace(party, settings=settings), ServeOptions(), print)


def test_a_proxy_that_serves_the_party_below_a_path_is_told_so(house: House) -> None:
    for prefix, status in (("/zoo", 400), ("/", 200), ("", 200)):
        answer = house.app.test_client().get("/join", headers={"X-Forwarded-Prefix": prefix})
        assert answer.status_code == status
        assert ("Give the party a host name" in answer.text) is (status == 400)


def test_an_empty_host_does_not_open_the_server_to_the_network() -> None:
    with pytest.raises(ServeError, match="The host is empty; name one with --host and --port"):
        listen("", 0, flags="--host and --port").close()


def test_a_background_server_works_and_occupies_its_address(house: House) -> None:
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
        options = ServeOptions(port=int(base_url.rpartition(":")[2]))
        with pytest.raises(ServeError, match="choose another with --host and --port"):
            serve(house.party, options, lambda _url: None)
    with pytest.raises(requests.ConnectionError):
        requests.get(base_url, timeout=60)


def test_only_a_configured_proxy_is_trusted(house: House) -> None:
    token = house.add_person("ann")
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-For": "10.1.2.3"}
    for proxy, is_secure in (("127.0.0.1", True), ("10.9.9.9", False), (None, False)):
        with serving(trust_proxy(house.app, proxy)) as base_url:
            answer = requests.get(f"{base_url}/enter/{token}", headers=headers, timeout=60)
            assert ("Secure" in answer.headers["Set-Cookie"]) is is_secure


def _answer_nothing(_environ: WSGIEnvironment, start_response: StartResponse) -> list[bytes]:
    start_response("200 OK", [("Content-Length", "0")])
    return []


@pytest.mark.slow
def test_the_nginx_example_of_the_manual_serves_https(house: House, tmp_path: Path) -> None:
    token = house.add_person("ann")
    certificate = str(tmp_path / "fullchain.pem")
    key = str(tmp_path / "privkey.pem")
    names = ["-subj", "/CN=here", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names]
    made += ["-keyout", key, "-out", certificate]
    subprocess.run(made, check=True, capture_output=True)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    example = (ROOT / "docs/deploy.md").read_text().split("```nginx\n")[1].split("```")[0]
    options = ("--port", "0", "--proxy", "127.0.0.1")
    with running(house.party.folder, *options) as (_process, base_url):
        _wait_until_open(base_url)
        for placeholder, here in (
            ("127.0.0.1:8080", base_url.removeprefix("http://")),
            ("listen 443", f"listen 127.0.0.1:{port}"),
            ("/etc/letsencrypt/live/voc.example", str(tmp_path)),
        ):
            assert placeholder in example
            example = example.replace(placeholder, here)
        below = "proxy_pass http://vocparty/; proxy_set_header X-Forwarded-Prefix /zoo;"
        example = example.replace("location / {", f"location /zoo/ {{ {below} }} location / {{")
        site = tmp_path / "nginx.conf"
        paths = "\n".join(f"{kind}_temp_path {tmp_path};" for kind in ("client_body", "proxy"))
        site.write_text(
            f"daemon off; pid {tmp_path}/pid; error_log stderr; events {{}}\n"
            f"http {{ access_log off; {paths}\n{example}}}"
        )
        path = os.environ["PATH"] + ":/usr/sbin"
        nginx = shutil.which("nginx", path=path)
        if nginx is None and not os.environ.get("CI"):
            pytest.skip("nginx is missing; install it once: sudo apt-get install nginx-light.")
        assert nginx, "install nginx: apt install nginx-light"
        with subprocess.Popen([nginx, "-c", str(site)], stderr=subprocess.PIPE) as process:
            try:
                _ask_nginx(f"https://127.0.0.1:{port}", token, certificate)
            finally:
                process.terminate()


def _ask_nginx(url: str, token: str, certificate: str) -> None:
    with requests.Session() as http:
        http.verify = certificate
        http.trust_env = False
        retrying = requests.packages.urllib3.util.Retry(connect=9, backoff_factor=0.1)  # type: ignore[attr-defined]
        http.mount("https://", requests.adapters.HTTPAdapter(max_retries=retrying))
        page = http.get(f"{url}/enter/{token}", timeout=60)
        assert page.headers["Strict-Transport-Security"]
        form = {"csrf_token": find_csrf_token(page.text)}
        entered = http.post(f"{url}/enter/{token}", data=form, allow_redirects=False, timeout=60)
        assert entered.status_code == 303
        assert entered.headers["Set-Cookie"].startswith("__Host-vocparty=")
        answer = http.get(f"{url}{API}/session", timeout=60)
        assert answer.json()["person"]["name"] == "ann"
        assert len(answer.headers["X-Request-ID"]) == 32  # nginx's
        assert http.get(f"{url}/metrics", timeout=60).status_code == 404
        below = http.get(f"{url}/zoo/join", timeout=60)
        assert (below.status_code, "a port of its own" in below.text) == (400, True)
        assert http.post(f"{url}/join", data=b"x" * 3_000_000, timeout=60).status_code == 413


def _kill_after(enough: threading.Event, process: Warm) -> None:
    enough.wait()
    process.kill()


def _read_to_end(process: Warm) -> str:
    return "".join(process.communicate(timeout=120))


def _wait_until_open(base_url: str) -> None:
    retrying = requests.adapters.HTTPAdapter(
        max_retries=requests.packages.urllib3.util.Retry(connect=30, backoff_factor=0.1)  # type: ignore[attr-defined]
    )
    with requests.Session() as http:
        http.mount("http://", retrying)
        assert http.get(f"{base_url}/static/site.css").status_code == 200


def test_how_others_reach_the_server_is_told_where_no_url_is_set() -> None:
    every = "0.0.0.0"
    port = "http://0.0.0.0:8080"
    assert describe_reach(every, port, "https://zoo.example") is None
    assert describe_reach("127.0.0.1", "http://127.0.0.1:8080", "") is None
    address = find_address_in_network()
    said = describe_reach(every, port, "")
    assert (said is None) == (address is None)
    assert said is None or f"http://{address}:8080;" in said
