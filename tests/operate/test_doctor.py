import json
import os
import socket
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from sqlalchemy import update

from catalog.tables import Release
from operate.doctor import SET_ASIDE
from tests.annotate_ui.house import House


def examine(house: House, *more: str) -> dict[str, dict[str, Any]]:
    """The checks by their names."""
    done = house.run("doctor", "--json", "--port", "0", *more)
    found = json.loads(done.stdout)
    checks = {one["name"]: one for one in found["checks"]}
    has_error = any(one["state"] == "error" for one in checks.values())
    assert done.exit_code == int(has_error), done.output
    return checks


def make_old(path: Path) -> None:
    os.utime(path, (time.time() - 7_200,) * 2)


def test_doctor_finds_no_error_in_a_sound_party(worked: House) -> None:
    checks = examine(worked)
    assert {one["state"] for one in checks.values()} <= {"ok", "warning"}
    expected = {
        "settings",
        "key",
        "secrets",
        "disk",
        "port",
        "catalogue",
        "clock",
        "classes",
        "images",
    }
    assert checks.keys() == expected | {"store", "orphans", "leftovers"}
    assert checks["key"]["state"] == "warning"


def test_repair_makes_readable_secrets_private(small: House) -> None:
    settings = small.party.folder / "party.toml"
    settings.chmod(0o644)
    assert examine(small)["secrets"]["state"] == "warning"
    assert examine(small, "--repair")["secrets"]["state"] == "repaired"
    assert settings.stat().st_mode & 0o777 == 0o600


def test_missing_and_damaged_images_are_reported_and_moved_away(small: House) -> None:
    first, second, _third = small.party.store.digests()
    paths = [small.party.store.local_path(one) for one in (first, second)]
    assert paths[0] is not None
    assert paths[1] is not None
    paths[0].unlink()
    paths[1].write_bytes(b"half")
    told = examine(small)["images"]["text"]
    assert told.startswith(f"1 missing and 1 damaged of 3 files ({first}, {second})")
    assert paths[1].exists()
    examine(small, "--repair")
    assert (small.party.folder / SET_ASIDE / second).read_bytes() == b"half"
    assert not paths[1].exists()


def test_files_of_a_release_are_counted_and_missed_like_those_of_images(small: House) -> None:
    store = small.party.store
    copy, readme = (store.put(data) for data in (b"copy", b"readme"))
    image = next(digest for digest in store.digests() if digest not in (copy, readme))
    small.release(1)
    settings = {"encoded": {image: copy}, "notes": {"kept": {"README.md": readme}}}
    with small.party.catalogue.writing() as session:
        session.execute(update(Release).values(settings=settings))
    whole = "The files of 3 images and 2 files of releases are there and have their digests."
    assert examine(small)["images"]["text"] == whole
    store.delete(copy)
    check = examine(small)["images"]
    assert check["state"] == "error"
    assert check["text"].startswith(f"1 missing and 0 damaged of 5 files ({copy}).")


def test_what_was_set_aside_stays_when_the_same_file_is_damaged_again(small: House) -> None:
    digest = next(small.party.store.digests())
    path, data = small.party.store.local_path(digest), small.party.store.get(digest)
    assert path is not None
    for half in (b"first half", b"second half"):
        path.write_bytes(half)
        examine(small, "--repair")
        assert small.party.store.put(data) == digest
    kept = sorted((small.party.folder / SET_ASIDE).iterdir())
    assert [file.read_bytes() for file in kept] == [b"first half", b"second half"]


def test_files_that_the_party_did_not_store_stay_where_they_are(small: House) -> None:
    foreign = small.party.store.put(b"of another program")
    small.party.store.drop_note(foreign)
    path = small.party.store.local_path(foreign)
    assert path is not None
    make_old(path)
    check = examine(small, "--repair")["orphans"]
    assert check["state"] == "warning"
    assert "were not stored by this party" in check["text"]
    assert path.exists()


def test_only_old_orphans_that_no_release_names_are_moved_away(small: House) -> None:
    store, folder = small.party.store, small.party.folder
    new, kept, orphan = (store.put(word) for word in (b"new", b"kept", b"orphan"))
    small.release(1)
    with small.party.catalogue.writing() as session:
        session.execute(update(Release).values(settings={"notes": {"kept": {"README": kept}}}))
    for digest in (kept, orphan):
        path = store.local_path(digest)
        assert path is not None
        make_old(path)
    assert examine(small)["orphans"]["text"] == "1 file in the image store belong to no image."
    assert examine(small, "--repair")["orphans"]["state"] == "repaired"
    assert [path.name for path in (folder / SET_ASIDE).iterdir()] == [orphan]
    assert store.has(new)
    assert store.has(kept)


def test_old_parts_of_interrupted_writes_are_deleted(small: House) -> None:
    store = small.party.store
    assert store.folder is not None
    assert store.seal is not None
    names = (f".old.{store.seal.token}.1.part", f".new.{store.seal.token}.1.part", ".another.part")
    parts = [store.folder / name for name in names]
    for part in parts:
        part.write_bytes(b"half")
        make_old(part)
    os.utime(parts[1])
    assert examine(small, "--repair")["leftovers"]["state"] == "repaired"
    assert [part.exists() for part in parts] == [False, True, True]


def test_a_wrong_index_is_rebuilt_on_order_and_a_lost_row_reported(small: House) -> None:
    file = small.party.folder / "catalogue.db"
    small.party.catalogue.close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        wanted = "UPDATE sqlite_schema SET sql = replace(sql, '(image_id)', '(active_secs)')"
        connection.execute(f"{wanted} WHERE name = 'ix_annotation_image_id'")
        connection.commit()
    assert "index" in examine(small)["catalogue"]["text"]
    assert examine(small, "--repair")["catalogue"]["state"] == "error"
    assert examine(small, "--trust-rows")["catalogue"]["state"] == "repaired"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("DELETE FROM object")
        connection.commit()
    told = examine(small, "--repair")["catalogue"]["text"]
    assert "refers to no row of object" in told


def test_a_clock_set_back_and_a_used_port_are_reported(worked: House) -> None:
    worked.clock.advance(50 * 365 * 24 * 3600)
    ben = worked.enter(worked.add_person("ben"))
    ben.save(ben.take())
    checks = examine(worked)
    assert checks["clock"]["state"] == "error"
    assert "in the future" in checks["clock"]["text"]
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert "cannot be used" in examine(worked, "--port", port)["port"]["text"]


def test_doctor_reports_wrong_settings(small: House) -> None:
    (small.party.folder / "party.toml").write_text('name = "Zoo"\nnonsense = 1\n')
    checks = examine(small)
    assert checks["settings"]["state"] == "error"
    assert "nonsense" in checks["settings"]["text"]
