import json
import os
import re
import shutil
import socket
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import text, update

from catalog.image_store import MARK_FILE, digest_of
from catalog.party import OUTLINES_FOLDER, Party, make_party
from catalog.settings import FILE_NAME
from catalog.states import SuggestionKind
from catalog.tables import HostPause, Object, Release, Segment, Segmentation
from operate.stored_files_checks import SET_ASIDE
from tests.annotate_ui.house import House
from vocparty import main
from work.detectors.limits import Limits
from work.detectors.outline_files import keep_pair
from work.suggest.values import SetInfo

from .conftest import dump


def examine(house: House, *more: str) -> dict[str, dict[str, Any]]:
    """The checks by their names."""
    done = house.run("doctor", "--json", "--port", "0", *more)
    report = json.loads(done.stdout)
    checks = {check["name"]: check for check in report["checks"]}
    has_error = any(check["state"] == "error" for check in checks.values())
    assert done.exit_code == int(has_error), done.output
    return checks


def is_sqlite(house: House) -> bool:
    return house.party.catalogue.engine.dialect.name == "sqlite"


def make_old(path: Path) -> None:
    os.utime(path, (time.time() - 7_200,) * 2)


def test_doctor_finds_no_error_in_a_sound_party(worked: House) -> None:
    checks = examine(worked)
    values = checks.pop("values", None)
    if values is not None:  # PostgreSQL takes no value of another type
        assert values["state"] == "ok"
        assert values["compared"]["equal"] > 50
    assert (values is not None) == is_sqlite(worked)
    assert {check["state"] for check in checks.values()} <= {"ok", "warning"}
    expected = {"settings", "collecting", "secrets", "disk", "port", "catalogue", "clock", "work"}
    assert checks.keys() == expected | {
        "classes",
        "counts",
        "indexes",
        "numbers",
        "people",
        "photos",
        "store",
        "verdicts",
        "images",
        "orphans",
        "leftovers",
    }
    assert checks["collecting"]["state"] == "warning"
    assert "No Flickr key" in checks["collecting"]["text"]
    least_compared = {
        "images": 3,
        "work": 3,
        "counts": 2,
        "classes": 1,
        "clock": 10,
        "numbers": 20,
        "photos": 6,
        "verdicts": 1,
    }
    for name, least in least_compared.items():
        compared = checks[name]["compared"]
        assert compared["compared"] == compared["equal"] >= least, name


def test_files_of_an_outline_model_that_are_not_here_are_reported(
    small: House, tmp_path: Path
) -> None:
    models = tmp_path / "encoder.onnx", tmp_path / "decoder.onnx"
    for path in models:
        path.write_bytes(b"a model")
    info = SetInfo(model="sam", version="1", sha256=digest_of(b"both"), kind=SuggestionKind.OUTLINE)
    keep_pair(small.party, models, info, Limits(), datetime.now(UTC))
    assert examine(small)["outlines"]["state"] == "ok"
    shutil.rmtree(small.party.folder / OUTLINES_FOLDER)
    check = examine(small)["outlines"]
    assert check["state"] == "warning"
    assert "a backup does not hold them" in check["text"]


def test_words_without_a_row_are_reported(worked: House) -> None:
    with worked.party.catalogue.writing() as session:
        session.execute(update(Object).values(view="Top", actions=["running", "flying"]))
        count = session.query(Object).count()
    comparison = examine(worked)["classes"]["compared"]
    assert comparison["different"] == [
        f"action flying of {count} rows",
        f"view Top of {count} rows",
    ]


def test_actions_that_are_no_list_are_reported(worked: House) -> None:
    change_row(worked, "UPDATE object SET actions = 'null'")
    with worked.party.catalogue.reading() as session:
        count = session.query(Object.id).count()
    comparison = examine(worked)["classes"]["compared"]
    assert comparison["different"] == [f"action null of {count} rows"]


def test_repair_makes_readable_secrets_private(small: House) -> None:
    settings = small.party.folder / "party.toml"
    settings.chmod(0o644)
    assert examine(small)["secrets"]["state"] == "warning"
    assert examine(small, "--repair")["secrets"]["state"] == "repaired"
    assert settings.stat().st_mode & 0o777 == 0o600


def test_missing_and_damaged_images_are_reported_and_moved_away(small: House) -> None:
    first, second, _third = small.party.store.digests()
    paths = [small.party.store.local_path(digest) for digest in (first, second)]
    assert paths[0] is not None
    assert paths[1] is not None
    paths[0].unlink()
    paths[1].write_bytes(b"half")
    sentence = examine(small)["images"]["text"]
    counts = "1 of 3 image files is there with the bytes that were stored, 2 missing or damaged"
    assert sentence.startswith(f"{counts} ({first} is missing, {second} is damaged).")
    assert paths[1].exists()
    examine(small, "--repair")
    assert (small.party.folder / SET_ASIDE / second).read_bytes() == b"half"
    assert not paths[1].exists()


@pytest.mark.parametrize(("hours", "state"), [(0.2, "ok"), (24, "error")])
def test_a_pause_of_a_host_that_a_clock_left_which_was_ahead_is_told(
    small: House, hours: float, state: str
) -> None:
    until_at = datetime.now(UTC) + timedelta(hours=hours)
    with small.party.catalogue.writing() as session:
        session.add(HostPause(host="i.example", until_at=until_at, reason="HTTP 429"))
    clock = examine(small)["clock"]
    assert clock["state"] == state
    assert ("host_pause.until_at" in clock["text"]) is (state == "error")


def test_a_file_that_cannot_be_read_stops_no_check_of_the_others(small: House) -> None:
    first, *_others = small.party.store.digests()
    path = small.party.store.local_path(first)
    assert path is not None
    path.unlink()
    path.symlink_to(path)  # which no account can read
    for orders in ((), ("--repair",)):
        checks = examine(small, *orders)
        assert checks["images"]["text"].startswith(
            "2 of 3 image files are there with the bytes that were stored, 1 missing, damaged or "
            f"unreadable ({first} cannot be read)."
        )
        assert "orphans" in checks
    assert path.is_symlink()


def test_the_disk_of_the_image_folder_is_looked_at_too(small: House) -> None:
    settings = small.party.folder / FILE_NAME
    settings.write_text(f'images = "/proc/self"\n{settings.read_text()}')
    disk = examine(small)["disk"]
    assert disk["state"] == "error"
    assert "0.0 GB are free at /proc/self. Make room" in disk["text"]


def test_files_of_a_release_are_counted_and_missed_like_those_of_images(small: House) -> None:
    store = small.party.store
    copy, readme = (store.put(data) for data in (b"copy", b"readme"))
    image = next(digest for digest in store.digests() if digest not in (copy, readme))
    small.release(1)
    settings = {"encoded": {image: copy}, "notes": {"kept": {"README.md": readme}}}
    with small.party.catalogue.writing() as session:
        session.execute(update(Release).values(settings=settings))
    whole = "2 of 2 release files are there with the bytes that were stored."
    assert examine(small)["releases"]["text"] == whole
    store.delete(copy)
    checks = examine(small)
    check = checks["releases"]
    assert (checks["images"]["state"], check["state"]) == ("ok", "error")
    assert check["text"].startswith("1 of 2 release files is there")
    assert check["compared"]["different"] == [f"{copy} is missing"]


def test_what_was_set_aside_stays_when_the_same_file_is_damaged_again(small: House) -> None:
    digest = next(small.party.store.digests())
    path = small.party.store.local_path(digest)
    data = small.party.store.get(digest)
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
    store = small.party.store
    folder = small.party.folder
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
    sentence = examine(small, "--repair")["catalogue"]["text"]
    assert "refers to no row of object" in sentence


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


def change_row(house: House, statement: str, **values: object) -> None:
    """Change rows as a damaged disk or another program does; no rule of ours is asked."""
    with house.party.catalogue.writing() as session:
        session.execute(text(statement), values)


CONTRADICTIONS = {
    "a newest revision of another image": (
        "UPDATE image SET annotation_id = "
        "(SELECT max(annotation_id) FROM image WHERE annotation_id IS NOT NULL) "
        "WHERE id = (SELECT min(id) FROM image WHERE annotation_id IS NOT NULL)",
        "its newest revision, ",
    ),
    "in use and held by no person": ("DELETE FROM lease", "no person holds it"),
    "held and not in use": (
        "UPDATE image SET state = 'pool' WHERE id IN (SELECT image_id FROM lease)",
        "a person holds it, but it is not in use",
    ),
    "a state that no decision led to": (
        "UPDATE image SET state = 'released' WHERE state IN ('annotated', 'checked', 'discarded')",
        "by what was decided it is",
    ),
    "a revision made from one of another image": (
        "UPDATE annotation SET parent_id = (SELECT max(id) FROM annotation) WHERE id = 1",
        "revision 1 cannot have been made from revision",
    ),
    "a box outside the picture": (
        "UPDATE object SET box_xmax = 501 WHERE id = 1",
        "is not in the picture",
    ),
    "two newest revisions": (
        "UPDATE annotation SET parent_id = NULL WHERE parent_id IS NOT NULL",
        "it has 2 newest revisions",
    ),
}


@pytest.mark.parametrize("kind", CONTRADICTIONS)
def test_rows_that_contradict_one_another_are_named_and_not_changed(
    worked: House, kind: str
) -> None:
    damage, sentence = CONTRADICTIONS[kind]
    change_row(worked, damage)
    before = dump(worked.party.catalogue)
    check = examine(worked, "--repair")["work"]
    assert check["state"] == "error"
    assert sentence in check["text"]
    assert "Nothing was changed" in check["text"]
    assert all(name.startswith("image ") for name in check["compared"]["different"])
    assert dump(worked.party.catalogue) == before


NOT_OURS = {
    "seconds below zero": (
        "UPDATE annotation SET active_secs = -5 WHERE id = 1",
        "numbers",
        "annotation.active_secs: -5",
    ),
    "a counter below zero": (
        "UPDATE photo SET attempts = -1",
        "numbers",
        "photo.attempts: -1",
    ),
    "a photo that was found, with an image": (
        "UPDATE photo SET state = 'found' WHERE id = 1",
        "photos",
        "photo 1: it is found, and has image 1",
    ),
    "a photo that was fetched, without an image": (
        "UPDATE photo SET image_id = NULL WHERE id = 1",
        "photos",
        "photo 1: it is fetched, and has no image",
    ),
    "an image whose photos were lost": (
        "DELETE FROM photo WHERE image_id = 1",
        "photos",
        "image 1: it has no photo",
    ),
    "a check by the person who drew": (
        "UPDATE review SET person_id = "
        "(SELECT person_id FROM annotation WHERE annotation.id = review.annotation_id)",
        "verdicts",
        "its person drew revision",
    ),
    "a reason to discard that there is not": (
        "UPDATE annotation SET discard_reason = 'no_such_word' WHERE id = 1",
        "verdicts",
        "discards as 'no_such_word', which is no reason of the preset",
    ),
}


@pytest.mark.parametrize("kind", NOT_OURS)
def test_values_that_no_command_writes_are_named_and_not_changed(worked: House, kind: str) -> None:
    damage, name, sentence = NOT_OURS[kind]
    change_row(worked, damage)
    before = dump(worked.party.catalogue)
    check = examine(worked, "--repair")[name]
    assert check["state"] == "error"
    assert sentence in check["text"]
    assert "Nothing was changed" in check["text"]
    assert dump(worked.party.catalogue) == before


def test_a_reason_to_discard_that_is_not_its_decision_s_is_named(worked: House) -> None:
    image_id = worked.add_image()
    assert worked.olga().act("discard", "poor_quality", ids=[image_id]).status_code == 200
    assert examine(worked)["verdicts"]["state"] == "ok"
    change_row(
        worked,
        "UPDATE annotation SET discard_reason = 'collage' WHERE discard_reason IS NOT NULL",
    )
    sentence = examine(worked)["verdicts"]["text"]
    assert "discards as 'collage', by its decision as 'poor_quality'" in sentence


def test_a_blind_discard_for_a_reason_that_left_the_preset_is_no_fault(any_party: Party) -> None:
    house = House(any_party)
    image_id = house.add_image()
    ann = house.ann()
    chris = house.chris()
    ann.save(ann.take())
    chris.review(chris.take("check"))
    house.set_qa(double_share=1.0, gold_share=0.0)
    bob = house.enter(house.add_person("bob"))
    task = bob.take()
    assert (task["image_id"], task["annotation"]) == (image_id, None)
    assert bob.save(task, [], discard_reason="collage").status_code == 201
    lost = 'discard_reasons = [{ key = "dark", display = "too dark", short_rule = "No light." }]'
    (any_party.folder / "zoo.toml").write_text(f'{lost}\n[[classes]]\nname = "person"\n')
    settings = any_party.folder / FILE_NAME
    settings.write_text(settings.read_text().replace('"voc2012"', '"zoo.toml"'))
    check = examine(house)["verdicts"]
    assert check["state"] == "ok"
    [names] = check["compared"]["passed_over"].values()
    assert names == [f"revision 2 of image {image_id} discards as 'collage'"]


def test_a_drawing_may_have_a_depth_below_zero(worked: House) -> None:
    with worked.party.catalogue.writing() as session:
        values: dict[str, Any] = {"image_id": 1, "annotation_id": 1, "person_id": 1}
        values |= {"save_key": "drawn", "created_at": worked.clock.at}
        drawn = Segmentation(**values)
        drawn.segments.append(Segment(object_key="a", depth=-1, rings=[]))
        session.add(drawn)
    assert examine(worked)["numbers"]["state"] == "ok"


UNREADABLE = {
    "a time": ("UPDATE annotation SET saved_at = 'junk' WHERE id = 1", "annotation.saved_at"),
    "a digest": ("UPDATE image SET sha256 = 'xyz' WHERE id = 1", "image.sha256"),
    "JSON": (
        "UPDATE annotation SET unsure_classes = '[' WHERE id = 1",
        "annotation.unsure_classes",
    ),
    "a number": ("UPDATE image SET width = 'wide' WHERE id = 1", "image.width"),
    "a text": ("UPDATE person SET name = x'ff00fe' WHERE id = 1", "person.name"),
    "a byte of a text": (
        "UPDATE person SET name = CAST(x'61ff6e61' AS TEXT) WHERE id = 1",
        "person.name",
    ),
    "a byte of JSON": (
        "UPDATE annotation SET unsure_classes = CAST(x'5b22ff225d' AS TEXT) WHERE id = 1",
        "annotation.unsure_classes",
    ),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_a_value_that_no_command_can_read_is_named_with_its_row(small: House, kind: str) -> None:
    """PostgreSQL takes no such value."""
    damage, column = UNREADABLE[kind]
    change_row(small, damage)
    check = examine(small)["values"]
    assert check["state"] == "error"
    assert f"({column} of row 1: " in check["text"]
    assert "were not made" in check["text"]


def test_a_size_that_is_not_the_file_s_is_named(small: House) -> None:
    change_row(small, "UPDATE image SET width = 507 WHERE id = 1")
    check = examine(small, "--repair")["sizes"]
    assert check["state"] == "error"
    assert "is 500 x 375, by its row 507 x 375" in check["text"]


def test_a_name_that_is_not_kept_as_it_looks_is_told(worked: House) -> None:
    change_row(worked, "UPDATE person SET name_key = 'zoe' WHERE id = 1")
    check = examine(worked, "--repair")["people"]
    assert check["state"] == "error"
    assert check["compared"]["different"] == ["person 1"]


def test_tables_without_a_version_are_damage_and_no_new_catalogue(small: House) -> None:
    change_row(small, "DELETE FROM alembic_version")
    check = examine(small, "--repair")["catalogue"]
    assert check["state"] == "error"
    assert "vocparty restore" in check["text"]
    assert "init" not in check["text"]


def test_an_index_that_another_program_dropped_is_named(worked: House) -> None:
    change_row(worked, "DROP INDEX uq_lease_holder")
    check = examine(worked, "--repair")["indexes"]
    assert check["state"] == "error"
    assert check["compared"]["different"] == ["uq_lease_holder"]


def test_a_part_that_was_lost_is_missed_by_its_number(worked: House) -> None:
    change_row(worked, "UPDATE part SET number = 2 WHERE id = (SELECT min(id) FROM part)")
    check = examine(worked)["counts"]
    assert check["state"] == "error"
    assert "parts of object 1: 1 of 2" in check["text"]


def test_a_count_that_is_off_is_named_with_both_numbers(worked: House) -> None:
    change_row(worked, "UPDATE object SET number = 7 WHERE id = (SELECT min(id) FROM object)")
    check = examine(worked, "--repair")["counts"]
    assert check["state"] == "error"
    assert "objects of revision 1: 1 of 7" in check["text"]


def test_any_time_of_the_future_is_named(worked: House) -> None:
    later = datetime.now(UTC) + timedelta(days=1)
    change_row(worked, "UPDATE photo SET found_at = :at", at=later.replace(tzinfo=None))
    check = examine(worked)["clock"]
    assert check["state"] == "error"
    assert check["compared"]["different"] == ["photo.found_at"]
    (secs,) = re.findall(r"(8[56],\d{3}) s", check["text"])
    assert 0 <= 86_400 - int(secs.replace(",", "")) < 1_000


def test_the_end_of_a_lease_may_lie_in_the_future(worked: House) -> None:
    assert "lease.expires_at" not in examine(worked)["clock"]["compared"]["different"]
    assert examine(worked)["clock"]["state"] == "ok"


def test_what_every_command_refuses_is_an_error(small: House) -> None:
    settings = small.party.folder / "party.toml"
    settings.write_text(f"{settings.read_text()}\n[collect]\nqueries = {{zebra = ['zebra']}}\n")
    assert small.run("progress").exit_code == 2
    check = examine(small)["party"]
    assert check["state"] == "error"
    assert "collect.queries names 'zebra', which is no class" in check["text"]


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("[collect]\nlicences = ['77']", "collect.licences = ['77'] is wrong"),
        ("[collect]\nfirst_date = 2031-01-01", "collect.first_date = 2031-01-01 is wrong"),
        ("[collect.class_targets]\ncat = 5000", "collect.class_targets add up to 5000"),
    ],
)
def test_what_collecting_refuses_is_a_warning(small: House, table: str, sentence: str) -> None:
    settings = small.party.folder / "party.toml"
    settings.write_text(settings.read_text().replace('key = ""', 'key = "k"') + f"\n{table}\n")
    check = examine(small)["collecting"]
    assert check["state"] == "warning"
    assert sentence in check["text"]


def test_a_key_is_asked_for_only_where_flickr_is_the_source(small: House) -> None:
    assert "No Flickr key" in examine(small)["collecting"]["text"]
    settings = small.party.folder / "party.toml"
    settings.write_text(f"{settings.read_text()}\n[collect]\nsource = 'commons'\n")
    assert examine(small)["collecting"]["state"] == "ok"


def test_a_name_that_no_check_has_is_an_error(small: House) -> None:
    settings = small.party.folder / "party.toml"
    settings.write_text(f"{settings.read_text()}\n[qa]\nswitched_off = ['nonsense']\n")
    check = examine(small)["checking"]
    assert check["state"] == "error"
    assert "'nonsense', which is no check" in check["text"]


def test_a_new_catalogue_is_its_owners_and_a_shared_one_stays_shared(
    small: House, tmp_path: Path
) -> None:
    make_party(tmp_path / "new", name="New", preset="voc2012")
    file = tmp_path / "new" / "catalogue.db"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o660)
    done = CliRunner().invoke(main, ["doctor", "--repair", "--party", str(tmp_path / "new")])
    assert "can read catalogue.db" in done.output
    assert file.stat().st_mode & 0o777 == 0o660


def test_a_new_party_is_told_that_there_was_nothing_to_compare(tmp_path: Path) -> None:
    make_party(tmp_path / "new", name="New", preset="voc2012")
    done = CliRunner().invoke(main, ["doctor", "--party", str(tmp_path / "new"), "--port", "0"])
    assert done.exit_code == 0, done.output
    assert "There are no image files, so nothing was compared yet." in done.output
    assert "has failed" not in done.output


def test_a_claim_keeps_the_mark_that_it_replaces(small: House) -> None:
    folder = small.party.folder
    mark = folder / "images" / MARK_FILE
    former = mark.read_bytes()
    mark.write_bytes(former.replace(b'"token": "', b'"token": "ff'))
    text_of_check = examine(small, "--claim-store")["store"]["text"]
    copies = {path.name.partition("-")[2]: path for path in (folder / SET_ASIDE).iterdir()}
    assert copies.keys() == {MARK_FILE, "store-token.txt"}
    assert all(path.name in text_of_check for path in copies.values())
    assert b'"token": "ff' in copies[MARK_FILE].read_bytes()
    assert copies["store-token.txt"].read_text().strip().encode() in former
