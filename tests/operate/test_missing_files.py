"""Image files that rows name and the store lacks are counted, named and recorded as they are."""

import json
import shutil
import tarfile
from collections.abc import Callable
from pathlib import Path

import fsspec
import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select, update

from catalog.image_store import MARK_FILE, ImageStore, open_image_store
from catalog.party import Party, open_party
from catalog.states import ImageState, PhotoState
from catalog.tables import Image, Photo, Release, ReleaseImage
from operate.backup import restore_backup
from operate.move import MISSING_LIST
from tests.annotate_ui.house import House
from tests.rows import load_rows
from vocparty import main

from .conftest import dump, dump_moved, dump_restored


@pytest.fixture(params=["folder", "s3"])
def anywhere(request: pytest.FixtureRequest, small: House) -> House:
    """The party with its images in a folder, and in an object store."""
    if request.param == "folder":
        return small
    bucket: str = request.getfixturevalue("bucket")
    far = open_image_store(bucket)
    for sha256 in small.party.store.digests():
        far.put(small.party.store.get(sha256))
    settings = small.party.folder / "party.toml"
    settings.write_text(f'images = "{bucket}"\n{settings.read_text()}')
    shutil.rmtree(small.party.folder / "images")
    assert small.run("doctor", "--claim-store").exit_code == 0
    return small


def open_store(house: House) -> ImageStore:
    with open_party(house.party.folder) as party:
        return party.store


def lose_files(house: House, count: int) -> list[str]:
    """The digests of files that were deleted by hand, the first of all."""
    store = open_store(house)
    lost = list(store.digests())[:count]
    for sha256 in lost:
        store.delete(sha256)
    return lost


def read_list(file: Path) -> dict[str, object]:
    """What a backup says that it holds."""
    with tarfile.open(file) as archive:
        member = archive.extractfile("backup.json")
        assert member is not None
        document: dict[str, object] = json.loads(member.read())
    return document


def restore(file: Path, folder: Path) -> Result:
    return CliRunner().invoke(main, ["restore", str(file), str(folder)])


def test_a_backup_names_missing_files_and_holds_all_others(anywhere: House, tmp_path: Path) -> None:
    lost = lose_files(anywhere, 2)
    done = anywhere.run("backup", str(tmp_path / "zoo.tar"))
    assert done.exit_code == 1
    named = ", ".join(sorted(lost))
    assert f"Error: 2 damaged or missing files are not in the backup ({named}): " in done.stderr
    assert "0 damaged, 2 missing. Their rows are in it." in done.stderr
    document = read_list(tmp_path / "zoo.tar")
    assert (document["files"], document["missing"], document["left_out"]) == (1, sorted(lost), [])
    again = restore(tmp_path / "zoo.tar", tmp_path / "again")
    assert again.exit_code == 1
    assert f"2 damaged or missing files were not in the backup ({named}): " in again.stderr
    listed = (tmp_path / "again" / MISSING_LIST).read_text()
    assert listed == "".join(f"{sha256}\n" for sha256 in sorted(lost))
    with open_party(tmp_path / "again") as party:
        assert dump_restored(party.catalogue) == dump(anywhere.party.catalogue)
        assert len(list(party.store.digests())) == 1


def test_a_backup_without_the_images_folder_holds_the_rows_and_says_so(
    small: House, tmp_path: Path
) -> None:
    digests = sorted(small.party.store.digests())
    shutil.rmtree(small.party.folder / "images")
    done = small.run("backup", str(tmp_path / "zoo.tar"))
    assert done.exit_code == 1
    assert "Error: 3 damaged or missing files are not in the backup" in done.stderr
    assert "Mount the disk of the image store" in done.stderr
    assert read_list(tmp_path / "zoo.tar")["missing"] == digests
    assert not (small.party.folder / "images").exists()
    assert restore(tmp_path / "zoo.tar", tmp_path / "again").exit_code == 1
    with open_party(tmp_path / "again") as party:
        assert dump_restored(party.catalogue) == dump(small.party.catalogue)


def test_a_backup_without_missing_files_names_none(anywhere: House, tmp_path: Path) -> None:
    done = anywhere.run("backup", str(tmp_path / "zoo.tar"))
    assert done.exit_code == 0, done.output
    assert read_list(tmp_path / "zoo.tar")["missing"] == []
    assert restore(tmp_path / "zoo.tar", tmp_path / "again").exit_code == 0
    inside = {path.name for path in (tmp_path / "again").iterdir()}
    assert MISSING_LIST not in inside
    assert not {name for name in inside if name.endswith(("-wal", "-shm"))}


def test_a_restore_names_files_that_the_list_of_its_backup_lacks(
    small: House, tmp_path: Path
) -> None:
    """As a backup of an earlier vocparty, which passed over missing files in silence."""
    (lost,) = lose_files(small, 1)
    assert small.run("backup", str(tmp_path / "new.tar")).exit_code == 1
    with tarfile.open(tmp_path / "new.tar") as new, tarfile.open(tmp_path / "old.tar", "w") as old:
        for member in new:
            data = new.extractfile(member)
            assert data is not None
            if member.name == "backup.json":
                document = json.loads(data.read())
                del document["missing"]
                (tmp_path / "backup.json").write_text(json.dumps(document))
                old.add(tmp_path / "backup.json", "backup.json")
            else:
                old.addfile(member, data)
    assert restore_backup(tmp_path / "old.tar", tmp_path / "again").missing == (lost,)


def test_files_of_a_release_that_are_missing_are_named_and_those_of_erased_images_are_not(
    small: House, tmp_path: Path
) -> None:
    first, second, _third = load_rows(small.party, select(Image.sha256).order_by(Image.id))
    copy, gone_copy, mask, rules, gone_mask, credits = (f"{digit}" * 64 for digit in "abcdef")
    small.release(1)
    with small.party.catalogue.writing() as session:
        settings = {
            "encoded": {first: copy, second: gone_copy},
            "notes": {"kept": {"GUIDELINES.md": rules, "CREDITS.html": credits}},
        }
        session.execute(update(Release).values(settings=settings))
        session.execute(update(ReleaseImage).values(form={"masks": {"SegmentationClass": mask}}))
        frozen = session.scalars(select(ReleaseImage)).one()
        gone = ReleaseImage(
            release_id=frozen.release_id,
            annotation_id=frozen.annotation_id,
            image_id=2,
            public_id="2026_000002",
            split=frozen.split,
            form={"masks": {"SegmentationClass": gone_mask}},
        )
        session.add(gone)
        erased = {"erased_at": small.clock.at, "state": ImageState.TAKEN_DOWN}
        session.execute(update(Image).where(Image.id == 2).values(erased))
    small.party.store.delete(second)
    assert small.run("backup", str(tmp_path / "zoo.tar")).exit_code == 1
    assert read_list(tmp_path / "zoo.tar")["missing"] == [copy, mask, rules]


def test_an_image_erased_while_a_backup_is_written_is_not_missing(
    small: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sha256 = min(small.party.store.digests())
    get = ImageStore.get

    def erase_and_get(store: ImageStore, wanted: str) -> bytes:
        if wanted == sha256 and store.has(sha256):
            store.delete(sha256)
            with small.party.catalogue.writing() as session:
                erased = {"erased_at": small.clock.at, "state": ImageState.TAKEN_DOWN}
                session.execute(update(Image).where(Image.sha256 == sha256).values(erased))
        return get(store, wanted)

    monkeypatch.setattr(ImageStore, "get", erase_and_get)
    done = small.run("backup", str(tmp_path / "zoo.tar"))
    assert done.exit_code == 0, done.output
    assert read_list(tmp_path / "zoo.tar")["missing"] == []


def lose_all(house: House) -> list[str]:
    return lose_files(house, 3)


def test_a_move_without_the_images_folder_begins_nothing(small: House, tmp_path: Path) -> None:
    shutil.rmtree(small.party.folder / "images")
    done = small.run("move", "--to", "sqlite:///new.db", "--folder", str(tmp_path / "new"))
    assert done.exit_code == 1
    assert "Error: The image store of this party is not here" in done.stderr
    assert not (tmp_path / "new").exists()


@pytest.mark.usefixtures("moved_at")
@pytest.mark.parametrize("lose", [lambda house: lose_files(house, 1), lose_all])
def test_a_move_names_missing_files_and_moves_all_others(
    small: House, tmp_path: Path, lose: Callable[[House], list[str]]
) -> None:
    lost = sorted(lose(small))
    words = ["move", "--to", "sqlite:///new.db", "--folder", str(tmp_path / "new")]
    done = small.run(*words)
    assert done.exit_code == 1
    names = ", ".join(lost)
    assert f"Error: {len(lost)} damaged or missing files were not moved ({names}): " in done.stderr
    assert f"and {3 - len(lost)} files; " in done.stdout
    assert (tmp_path / "new" / MISSING_LIST).read_text().split() == lost
    with open_party(tmp_path / "new") as party:
        assert dump(party.catalogue) == dump_moved(small.party.catalogue)
        assert len(list(party.store.digests())) == 3 - len(lost)


def test_a_move_from_an_object_store_names_missing_files(anywhere: House, tmp_path: Path) -> None:
    (lost,) = lose_files(anywhere, 1)
    words = ["move", "--to", "sqlite:///new.db", "--folder", str(tmp_path / "new")]
    done = anywhere.run(*words, "--images", "images")
    assert done.exit_code == 1
    assert f"1 damaged or missing files were not moved ({lost})" in done.stderr
    with open_party(tmp_path / "new") as party:
        assert len(list(party.store.digests())) == 2


def erase(house: House, *photos: str) -> Result:
    reason = ["--reason", "she asked"] if photos else []
    return house.run("takedown", *photos, *reason, "--erase")


def empty_store(house: House) -> None:
    """As an object store at another address, or a folder in which no disk is mounted."""
    store = open_store(house)
    for sha256 in list(store.digests()):
        store.delete(sha256)
    filesystem, root = fsspec.core.url_to_fs(store.place)
    filesystem.rm_file(f"{root}/{MARK_FILE}")
    if store.folder is not None:
        shutil.rmtree(store.folder)
        store.folder.mkdir()
        (store.folder / "lost+found").mkdir()


def load_erased(house: House) -> list[int]:
    return load_rows(house.party, select(Image.id).where(Image.erased_at.is_not(None)))


def test_an_erasure_records_nothing_while_the_image_store_is_away(anywhere: House) -> None:
    assert anywhere.run("takedown", "id:1", "--reason", "she asked").exit_code == 0
    empty_store(anywhere)
    before = dump(anywhere.party.catalogue)
    for photos in ((), ("id:1",), ("id:2",)):
        done = erase(anywhere, *photos)
        assert done.exit_code == 1
        assert "Error: The image store of this party is not here" in done.stderr
        assert done.stdout == ""
        assert dump(anywhere.party.catalogue) == before


def test_an_erasure_without_the_images_folder_records_nothing(small: House) -> None:
    before = dump(small.party.catalogue)
    (small.party.folder / "images").rename(small.party.folder / "elsewhere")
    done = erase(small, "id:1")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "Error: The image store of this party is not here" in done.stderr
    assert dump(small.party.catalogue) == before
    assert not (small.party.folder / "images").exists()
    (small.party.folder / "elsewhere").rename(small.party.folder / "images")
    assert erase(small, "id:1").exit_code == 0
    assert load_erased(small) == [1]


def test_an_erasure_names_images_whose_files_were_not_there(anywhere: House) -> None:
    digests = load_rows(anywhere.party, select(Image.sha256).order_by(Image.id))
    open_store(anywhere).delete(digests[0])
    done = erase(anywhere, "id:1", "id:2")
    assert done.exit_code == 1
    assert "Deleted the files of 1 image." in done.stdout
    assert "Error: Files of 1 image (1) were not in the image store" in done.stderr
    assert load_erased(anywhere) == [1, 2]
    assert list(open_store(anywhere).digests()) == [digests[2]]
    assert set(load_rows(anywhere.party, select(Photo.state).where(Photo.id < 3))) == {
        PhotoState.WITHDRAWN
    }
    again = erase(anywhere)  # what was recorded is not told again
    assert again.exit_code == 0
    assert "Error" not in again.stderr


def test_the_json_of_an_erasure_has_the_images_whose_files_were_not_there(small: House) -> None:
    (sha256,) = load_rows(small.party, select(Image.sha256).where(Image.id == 2))
    small.party.store.delete(sha256)
    assert small.run("takedown", "id:1", "id:2", "--reason", "x").exit_code == 0
    done = small.run("takedown", "--erase", "--json")
    assert done.exit_code == 1
    assert json.loads(done.stdout) == {"images_erased": [1], "images_absent": [2]}


def test_an_owner_without_files_is_left_out_also_in_an_empty_store(party: Party) -> None:
    house = House(party)
    done = house.run("takedown", "--owner", "1@N01", "--reason", "she asked", "--erase")
    assert done.exit_code == 0, done.output
    assert "Leaves out what 1@N01 has" in done.stdout
