import io
import json
import os
import shutil
import tarfile
import threading
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.image_store import MARK_FILE
from catalog.party import open_party
from catalog.suggested import is_confirmed
from catalog.tables import Suggestion
from operate.backup import BackupError, restore_backup, write_backup
from tests.annotate_ui.house import House
from vockit.format.whole_file import digest_of
from vocparty import main

from .conftest import dump, dump_files


def back_up(house: House, target: Path) -> Path:
    write_backup(house.party, target, lambda _count: None)
    return target


def test_a_restored_party_has_all_rows_files_and_its_key(worked: House, tmp_path: Path) -> None:
    file = back_up(worked, tmp_path / "zoo.tar")
    restore_backup(file, tmp_path / "again")
    with open_party(tmp_path / "again") as party:
        with party.catalogue.reading() as session:
            assert session.scalars(select(Suggestion.id).where(is_confirmed())).all() == [1]
        rows = dump(party.catalogue)
        before = dump(worked.party.catalogue)
    *lives, restored = rows.pop("instance")  # the restore is recorded, and nothing else is new
    assert (lives, restored[2]) == (before.pop("instance"), True)
    assert rows == before
    old = dump_files(worked.party.folder)
    new = dump_files(tmp_path / "again")
    assert new.keys() == {*old, "catalogue.db"}
    changed = {name for name in old if old[name] != new[name]}
    assert changed <= {"party.toml", "catalogue.db", f"images/{MARK_FILE}"}


def test_people_can_continue_in_a_restored_party(worked: House, tmp_path: Path) -> None:
    held = {lease.id for lease in worked.leases()}
    restore_backup(back_up(worked, tmp_path / "zoo.tar"), tmp_path / "again")
    with open_party(tmp_path / "again") as party:
        again = House(party)
        again.clock.advance(7 * 24 * 3600)
        ben = again.enter(again.add_person("ben"))
        task = ben.take()
        assert ben.save(task).status_code == 201
        assert not held & {lease.id for lease in again.leases() if lease.person_id != 1}


def test_a_backup_while_people_save_is_one_snapshot(small: House, tmp_path: Path) -> None:
    ann = small.enter(small.add_person("zoe"))
    stop = threading.Event()
    saved: list[int] = []

    def work() -> None:
        task = ann.take()
        while not stop.is_set():
            answer = ann.save(task, finish=False)
            task["annotation"] = answer.get_json()["annotation"]
            saved.append(task["annotation"]["id"])

    thread = threading.Thread(target=work)
    thread.start()
    try:
        while len(saved) < 3:
            pass
        acknowledged = list(saved)
        file = back_up(small, tmp_path / "zoo.tar")
    finally:
        stop.set()
        thread.join()
    restore_backup(file, tmp_path / "again")
    with open_party(tmp_path / "again") as party:
        assert set(acknowledged) <= {row[0] for row in dump(party.catalogue)["annotation"]}


def test_a_backup_overwrites_no_file_and_leaves_no_failed_one(small: House, tmp_path: Path) -> None:
    (tmp_path / "zoo.tar").write_text("precious")
    with pytest.raises(BackupError, match="already exists"):
        back_up(small, tmp_path / "zoo.tar")
    with pytest.raises(BackupError, match="cannot be written"):
        back_up(small, tmp_path / "nowhere" / "zoo.tar")
    with pytest.raises(BackupError, match="is not empty"):
        restore_backup(tmp_path / "zoo.tar", small.party.folder)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["party", "zoo.tar"]


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5, 0.95])
def test_a_truncated_backup_restores_nothing(small: House, tmp_path: Path, share: float) -> None:
    file = back_up(small, tmp_path / "zoo.tar")
    os.truncate(file, int(share * file.stat().st_size))
    with pytest.raises(BackupError, match="is no whole backup"):
        restore_backup(file, tmp_path / "again")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["party", "zoo.tar"]


def test_a_changed_byte_in_a_backup_is_found(small: House, tmp_path: Path) -> None:
    file = back_up(small, tmp_path / "zoo.tar")
    with tarfile.open(file) as archive:
        places = {member.name: member.offset_data for member in archive}
    for name, place in places.items():
        if name in ("contents.json", "backup.json"):
            continue
        copy = Path(shutil.copy(file, tmp_path / "copy.tar"))
        with copy.open("r+b") as opened:
            opened.seek(place + 50)
            opened.write(b"\xff\x00\xff")
        with pytest.raises(BackupError, match="is damaged"):
            restore_backup(copy, tmp_path / "again")
        assert not (tmp_path / "again").exists()


def test_a_preset_in_a_folder_of_its_own_comes_back(small: House, tmp_path: Path) -> None:
    folder = small.party.folder
    preset = "presets/zoo.toml"
    (folder / preset).parent.mkdir()
    assert CliRunner().invoke(main, ["preset", "new", str(folder / preset)]).exit_code == 0
    settings = folder / "party.toml"
    settings.write_text(settings.read_text().replace("voc2012", preset))
    assert small.run("classes", "apply", "--yes").exit_code == 0
    with open_party(folder) as party:
        write_backup(party, tmp_path / "zoo.tar", lambda _count: None)
    restore_backup(tmp_path / "zoo.tar", tmp_path / "again")
    with open_party(tmp_path / "again") as party:
        assert party.preset.class_names == ("zebra", "lion")
    settings.write_text(settings.read_text().replace(preset, "../zoo.toml"))
    (folder / preset).rename(tmp_path / "zoo.toml")
    done = small.run("backup", str(tmp_path / "again.tar"))
    assert (done.exit_code, (tmp_path / "again.tar").exists()) == (2, False)
    assert "Copy the preset ../zoo.toml into" in done.output


ODD_NAMES = (".toml", "notes\\old.md", "Ünïcode 猫.md", "two\nlines.md", " .md", "x" * 240 + ".md")


def test_small_files_of_any_name_come_back(small: House, tmp_path: Path) -> None:
    folder = small.party.folder
    names = [os.fsencode(name) for name in ODD_NAMES] + [b"not utf-8 \xff.md"]
    for number, name in enumerate(names):
        Path(os.fsdecode(os.fsencode(folder) + b"/" + name)).write_text(f"text {number}")
    restore_backup(back_up(small, tmp_path / "zoo.tar"), tmp_path / "again")
    for number, name in enumerate(names):
        again = Path(os.fsdecode(os.fsencode(tmp_path / "again") + b"/" + name))
        assert again.read_text() == f"text {number}", name


def test_a_backup_without_one_of_its_small_files_is_refused(small: House, tmp_path: Path) -> None:
    (small.party.folder / "notes.md").write_text("precious")
    file = back_up(small, tmp_path / "zoo.tar")
    with tarfile.open(file) as whole, tarfile.open(tmp_path / "cut.tar", "w") as cut:
        for member in whole:
            if member.name != "notes.md":
                cut.addfile(member, whole.extractfile(member))
    with pytest.raises(BackupError, match="is no whole backup"):
        restore_backup(tmp_path / "cut.tar", tmp_path / "again")


def test_a_list_that_names_a_file_elsewhere_is_refused(tmp_path: Path) -> None:
    for name in ("../evil.toml", "a/../../evil.toml", "/etc/evil.toml"):
        contents = json.dumps({"format": 2, "files": {name: digest_of(b"")}}).encode()
        with tarfile.open(tmp_path / "zoo.tar", "w") as archive:
            member = tarfile.TarInfo("contents.json")
            member.size = len(contents)
            archive.addfile(member, io.BytesIO(contents))
            archive.addfile(tarfile.TarInfo(name))
        with pytest.raises(BackupError, match="is no backup of a party"):
            restore_backup(tmp_path / "zoo.tar", tmp_path / "again")
    assert [path.name for path in tmp_path.iterdir()] == ["zoo.tar"]


@pytest.mark.parametrize(
    "name", ["../evil.toml", "a/../../evil.toml", "/etc/evil.toml", "images/ab/evil", "run.sh"]
)
def test_an_archive_with_foreign_names_writes_nothing(tmp_path: Path, name: str) -> None:
    with tarfile.open(tmp_path / "zoo.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo(name))
    with pytest.raises(BackupError, match="is no backup of a party"):
        restore_backup(tmp_path / "zoo.tar", tmp_path / "again")
    assert [path.name for path in tmp_path.iterdir()] == ["zoo.tar"]


def test_a_damaged_image_is_reported_and_not_in_the_backup(small: House, tmp_path: Path) -> None:
    digest = next(small.party.store.digests())
    path = small.party.store.local_path(digest)
    assert path is not None
    path.write_bytes(b"half")
    done = small.run("backup", str(tmp_path / "zoo.tar"))
    assert done.exit_code == 1
    assert f"1 damaged or missing files are not in the backup ({digest}" in done.output
    assert restore_backup(tmp_path / "zoo.tar", tmp_path / "again").left_out == (digest,)


def test_what_a_killed_backup_or_restore_left_is_removed_by_the_next_one(
    small: House, tmp_path: Path
) -> None:
    target = tmp_path / "zoo.tar"
    left = [tmp_path / f".{name}.0123456789ab.part" for name in ("zoo.tar", "again")]
    for folder in left:
        folder.mkdir()
        (folder / "catalogue.db").write_bytes(b"half")
    assert small.run("backup", str(target)).exit_code == 0
    restore_backup(target, tmp_path / "again")
    assert not any(folder.exists() for folder in left)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "party", "zoo.tar"]


def test_of_two_backups_of_one_name_the_first_to_end_stays(small: House, tmp_path: Path) -> None:
    target = tmp_path / "zoo.tar"
    others: list[bytes] = []

    def let_another_end(_count: int) -> None:
        if not others:
            back_up(small, tmp_path / "other.tar").rename(target)
            others.append(target.read_bytes())

    with pytest.raises(BackupError, match=r"zoo\.tar already exists"):
        write_backup(small.party, target, let_another_end)
    assert [target.read_bytes()] == others
    assert sorted(path.name for path in tmp_path.iterdir()) == ["party", "zoo.tar"]


def test_a_backup_makes_no_folder_in_place_of_a_disk_that_is_away(
    small: House, tmp_path: Path
) -> None:
    done = small.run("backup", str(tmp_path / "away" / "zoo.tar"))
    assert done.exit_code == 1
    assert f"there is no folder {tmp_path / 'away'}" in done.output
    assert not (tmp_path / "away").exists()
