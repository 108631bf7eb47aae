import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select, text

from catalog.instances import note_serving
from catalog.party import MOVED_FILE, MOVING_FILE, make_party, open_party
from catalog.tables import EndedLease, Lease
from operate import move as move_module
from operate import rows
from tests.annotate_ui.house import House
from tests.postgres import Server
from tests.warm import Warm
from vocparty import main

from .conftest import dump, dump_files, dump_moved
from .cut_off import move_until_killed

pytestmark = [pytest.mark.postgres, pytest.mark.usefixtures("moved_at")]


@pytest.fixture
def empty_url(postgres_server: Server) -> Iterator[str]:
    """A database without tables, addressed as users write it."""
    name = postgres_server.make_database()
    yield postgres_server.url(name).replace("+psycopg", "")
    postgres_server.drop_database(name)


def move(house: House, folder: Path, url: str, *more: str) -> Result:
    return house.run("move", "--to", url, "--folder", str(folder), *more)


def test_a_move_keeps_all_rows_and_files(small: House, tmp_path: Path, empty_url: str) -> None:
    before = dump_files(small.party.folder)
    done = move(small, tmp_path / "new", empty_url)
    assert done.exit_code == 0, done.output
    assert "Copied and compared" in done.output
    after = dump_files(small.party.folder)
    assert after.pop(MOVED_FILE)
    assert after == before
    with open_party(tmp_path / "new") as party:
        assert party.catalogue.engine.dialect.name == "postgresql"
        assert dump(party.catalogue) == dump_moved(small.party.catalogue)
        assert list(party.store.digests()) == list(small.party.store.digests())
    assert dump_files(tmp_path / "new").keys() == before.keys() - {"catalogue.db"}


def test_a_move_keeps_sessions_not_last_ids(small: House, tmp_path: Path, empty_url: str) -> None:
    zoe = small.enter(small.add_person("zoe"))
    task = zoe.take()
    with small.party.catalogue.reading() as session:
        highest = session.scalar(text("SELECT max(id) FROM lease"))
    zoe.post(f"/api/v1/leases/{task['lease']['id']}/give-back")  # the highest number is free now
    cookie = zoe.http.get_cookie("vocparty")
    assert cookie is not None
    move(small, tmp_path / "new", empty_url)
    with open_party(tmp_path / "new") as party:
        new = House(party)
        same = new.stranger()
        same.http.set_cookie("vocparty", cookie.value)
        same.fetch_token()
        again = same.take()
        with party.catalogue.reading() as session:
            assert session.scalar(text("SELECT max(id) FROM lease")) > highest
        assert same.save(again).status_code == 201


def test_null_and_json_null_stay_different(small: House, tmp_path: Path, empty_url: str) -> None:
    with small.party.catalogue.writing() as session:
        session.execute(text("UPDATE person SET preferences = 'null' WHERE name = 'ann'"))
        session.execute(text("UPDATE person SET preferences = NULL WHERE name = 'chris'"))
    move(small, tmp_path / "new", empty_url)
    with open_party(tmp_path / "new") as party, party.catalogue.reading() as session:
        rows = session.execute(text("SELECT name, preferences IS NULL FROM person")).tuples()
        assert dict(rows.all()) == {"ann": False, "chris": True}


def test_a_party_can_be_moved_back_to_sqlite(worked: House, tmp_path: Path) -> None:
    done = move(worked, tmp_path / "new", "sqlite:///small.db")
    assert done.exit_code == 0, done.output
    assert (tmp_path / "new/small.db").stat().st_mode & 0o777 == 0o600
    with open_party(tmp_path / "new") as party:
        assert dump(party.catalogue) == dump_moved(worked.party.catalogue)


@pytest.mark.parametrize("steps", [1, 9, 22])
def test_a_killed_move_is_resumed(small: House, tmp_path: Path, empty_url: str, steps: int) -> None:
    new = tmp_path / "new"
    party = str(small.party.folder)
    command = ["move", "--to", empty_url, "--folder", str(new), "--party", party]
    killed = Warm(command, {"STEPS": str(steps)}, move_until_killed)
    _out, err = killed.communicate()
    assert killed.returncode == -signal.SIGKILL, err
    assert (new / MOVING_FILE).exists()
    outside = CliRunner().invoke(main, ["progress", "--party", str(new)])
    assert "is not complete. Run the `vocparty move` again" in outside.output
    done = move(small, new, empty_url)
    assert done.exit_code == 0, done.output
    with open_party(new) as moved:
        assert dump(moved.catalogue) == dump_moved(small.party.catalogue)
        assert list(moved.store.digests()) == list(small.party.store.digests())


def test_work_done_after_a_killed_move_is_moved_too(
    small: House, tmp_path: Path, empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_arguments: Any) -> None:
        raise KeyboardInterrupt

    zoe = small.enter(small.add_person("zoe"))
    for name, url in (("postgresql", empty_url), ("sqlite", "sqlite:///small.db")):
        with monkeypatch.context() as patch:
            patch.setattr(rows, "_last_numbers", fail)
            assert move(small, tmp_path / name, url).exit_code == 130
        zoe.save(zoe.take(), finish=False)
        assert move(small, tmp_path / name, url).exit_code == 0
        with open_party(tmp_path / name) as party:
            assert dump(party.catalogue) == dump_moved(small.party.catalogue)
        (small.party.folder / MOVED_FILE).unlink()


def test_what_a_command_writes_during_a_move_does_not_stay_behind(
    small: House, tmp_path: Path, empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    move_files = move_module._move_files

    def add_and_move(*arguments: Any) -> Any:
        assert small.run("people", "add", "late", "--role", "annotator").exit_code == 0
        return move_files(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(move_module, "_move_files", add_and_move)
        done = move(small, tmp_path / "new", empty_url)
    assert done.exit_code == 1
    assert "Another command changed the party during the move" in done.output
    assert not (small.party.folder / MOVED_FILE).exists()
    assert move(small, tmp_path / "new", empty_url).exit_code == 0
    with open_party(tmp_path / "new") as party:
        assert dump(party.catalogue) == dump_moved(small.party.catalogue)


def test_a_move_overwrites_no_party_and_no_folder(
    small: House, tmp_path: Path, empty_url: str, postgres_url: str
) -> None:
    make_party(tmp_path / "other", name="Other", preset="voc2012")
    assert "is a party already" in move(small, tmp_path / "other", empty_url).output
    assert "holds a party already" in move(small, tmp_path / "new", postgres_url).output
    assert "is not empty" in move(small, tmp_path, empty_url).output
    done = move(small, tmp_path / "new", "mysql://db/zoo")
    assert (done.exit_code, "expected sqlite:///FILE" in done.output) == (2, True)
    gone = move(small, tmp_path / "new", "postgresql://nobody@127.0.0.1:1/zoo")
    assert gone.exit_code == 1
    assert "Error: The catalogue cannot be opened" in gone.output


def test_rows_refused_by_postgresql_are_told(small: House, tmp_path: Path, empty_url: str) -> None:
    with small.party.catalogue.writing() as session:
        session.execute(text("UPDATE photo SET owner_id = :long"), {"long": "x" * 300})
    done = move(small, tmp_path / "new", empty_url)
    assert done.exit_code == 1
    assert "The new catalogue refused rows of photo: value too long" in done.output


def test_a_party_can_move_to_s3(small: House, tmp_path: Path, empty_url: str, bucket: str) -> None:
    done = move(small, tmp_path / "new", empty_url, "--images", bucket)
    assert done.exit_code == 0, done.output
    digests = list(small.party.store.digests())
    with open_party(tmp_path / "new") as party:
        assert list(party.store.digests()) == digests
        ann = House(party).enter(House(party).add_person("zoe"))
        assert ann.get(f"/images/{digests[0]}.jpg").status_code == 200
        assert party.store.get(party.store.put(b"new")) == b"new"
    examined = CliRunner().invoke(main, ["doctor", "--party", str(tmp_path / "new")])
    assert "3 of 3 image files are there with the bytes that were stored" in examined.output


def test_an_unreachable_object_store_is_reported_in_one_sentence(
    small: House, tmp_path: Path, empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    done = move(small, tmp_path / "new", empty_url, "--images", "s3://zoo/images")
    assert done.exit_code == 1
    assert "Error: The image store did not list its files" in done.output
    assert not (tmp_path / "new").exists()


def test_a_move_is_refused_while_a_server_is_at_work(worked: House, tmp_path: Path) -> None:
    note_serving(worked.party.catalogue, datetime.now(UTC) - timedelta(seconds=15))
    done = move(worked, tmp_path / "new", "sqlite:///small.db")
    assert done.exit_code == 1
    assert "is at work with this party" in done.output
    assert not (tmp_path / "new").exists()
    # Killed, by a clock that was ahead, or stopped:
    for at in (
        datetime.now(UTC) - timedelta(seconds=90),
        datetime.now(UTC) + timedelta(days=1),
        None,
    ):
        note_serving(worked.party.catalogue, at)
        move_module.refuse_served(worked.party.catalogue)


def test_a_move_names_and_ends_the_leases_that_are_left(small: House, tmp_path: Path) -> None:
    zoe = small.enter(small.add_person("zoe"))
    image_id = zoe.take()["image_id"]
    done = move(small, tmp_path / "new", "sqlite:///small.db")
    assert f"zoe (image {image_id})" in done.output
    with open_party(tmp_path / "new") as party, party.catalogue.reading() as session:
        assert session.scalars(select(Lease)).all() == []
        ended = select(EndedLease.how).where(EndedLease.image_id == image_id)
        assert session.scalars(ended).all() == ["taken_back"]
    with small.party.catalogue.reading() as session:
        assert session.scalar(select(Lease.id).where(Lease.image_id == image_id)) is not None


def test_the_old_folder_says_where_the_party_went(small: House, tmp_path: Path) -> None:
    move(small, tmp_path / "new", "sqlite:///small.db")
    refused = small.run("progress")
    assert refused.exit_code == 2
    assert f"was moved to {tmp_path / 'new'} on" in refused.output
    assert "moved" in small.run("doctor", "--port", "0").output
    (small.party.folder / MOVED_FILE).unlink()
    assert small.run("progress").exit_code == 0
