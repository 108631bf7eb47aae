"""An image store belongs to one catalogue; copies, other parties and unmounted disks are told."""

import os
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import func, select

from catalog.errors import ImageStoreError, StoreOwnerError
from catalog.image_store import MARK_FILE
from catalog.party import MOVED_FILE, Party, make_party, open_party
from catalog.session import open_catalogue
from catalog.settings import FILE_NAME
from catalog.store_owner import read_token
from catalog.tables import Image
from operate.stored_files_checks import SET_ASIDE
from tests.annotate_ui.house import make_jpeg
from vocparty import main

COLOURS = ("navy", "green", "grey", "red")


def make(folder: Path, **values: object) -> Path:
    make_party(folder, name=folder.name, preset="voc2012", values=values)
    return folder


def name_store(folder: Path, store: Path | str) -> None:
    """Have party.toml name another image store."""
    path = folder / FILE_NAME
    lines = path.read_text().splitlines()
    kept = [line for line in lines if not line.startswith("images =")]
    path.write_text("\n".join([f'images = "{store}"', *kept]) + "\n")


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--party", str(folder)])


def photographs(folder: Path, *colours: str) -> str:
    folder.mkdir()
    for colour in colours:
        (folder / f"{colour}.jpg").write_bytes(make_jpeg(colour))
    return str(folder)


def list_files(folder: Path) -> set[str]:
    """Everything in a folder but notes, which last until rows are seen."""
    paths = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".new")
    return {str(path.relative_to(folder)) for path in paths}


def age(folder: Path) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (time.time() - 7_200,) * 2)


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """A store outside all parties, filled by the party `first`."""
    store = tmp_path / "shared"
    first = make(tmp_path / "first", images=str(store))
    done = run(first, "import", "folder", photographs(tmp_path / "own", *COLOURS[:3]))
    assert done.exit_code == 0, done.output
    age(store)
    return store


def test_a_second_party_on_one_image_folder_is_refused_and_deletes_nothing(
    tmp_path: Path, shared: Path
) -> None:
    second = make(tmp_path / "second")
    name_store(second, shared)
    before = list_files(shared)
    source = photographs(tmp_path / "others", COLOURS[3])
    for words in (("import", "folder", source), ("collect",), ("takedown", "--erase"), ("dedup",)):
        done = run(second, *words)
        assert done.exit_code == 1, words
        assert "is another party's" in done.output
        assert str(tmp_path / "first") in done.output
        assert list_files(shared) == before
    assert run(tmp_path / "first", "progress").exit_code == 0


def test_a_new_party_cannot_be_made_on_the_store_of_another(tmp_path: Path, shared: Path) -> None:
    before = list_files(shared)
    with pytest.raises(ImageStoreError, match="is another party's"):
        make(tmp_path / "second", images=str(shared))
    assert list_files(shared) == before


def test_a_copied_party_is_refused_on_the_originals_store(tmp_path: Path, shared: Path) -> None:
    first = tmp_path / "first"
    copy = tmp_path / "copy"
    shutil.copytree(first, copy)
    before = list_files(shared)
    done = run(copy, "import", "folder", photographs(tmp_path / "others", COLOURS[3]))
    assert done.exit_code == 1
    assert "was copied or moved" in done.output
    assert list_files(shared) == before
    assert run(first, "progress").exit_code == 0


def test_a_copy_where_the_original_was_before_is_refused_and_the_moved_one_works(
    tmp_path: Path, shared: Path
) -> None:
    place = tmp_path / "first"
    moved = tmp_path / "moved"
    before = list_files(shared)
    place.rename(moved)
    shutil.copytree(moved, place)
    done = run(place, "import", "folder", photographs(tmp_path / "others", COLOURS[3]))
    assert done.exit_code == 1
    assert "was copied or moved" in done.output
    assert run(moved, "progress").exit_code == 0
    assert list_files(shared) == before


def test_a_copy_that_claims_the_store_deletes_nothing_that_the_original_stored(
    tmp_path: Path, shared: Path
) -> None:
    first = tmp_path / "first"
    copy = tmp_path / "copy"
    shutil.copytree(first, copy)
    done = run(first, "import", "folder", photographs(tmp_path / "more", COLOURS[3]))
    assert done.exit_code == 0, done.output
    with open_party(first) as party:
        pending = party.store.put(b"stored, and not recorded yet")
    age(shared)
    before = list_files(shared)
    claimed = run(copy, "doctor", "--claim-store", "--repair")
    assert "repaired store" in claimed.output
    assert "were not stored by this party" in claimed.output
    done = run(copy, "import", "folder", photographs(tmp_path / "others", COLOURS[0]))
    assert done.exit_code == 0, done.output
    assert before <= list_files(shared)
    assert any(pending in name for name in list_files(shared))
    done = run(first, "progress")
    assert (done.exit_code, "is another party's" in done.output) == (1, True)


def test_a_copy_with_its_own_store_and_a_moved_party_work_on(tmp_path: Path, shared: Path) -> None:
    whole = make(tmp_path / "whole")
    run(whole, "import", "folder", str(tmp_path / "own"))
    shutil.copytree(whole, tmp_path / "second")
    source = photographs(tmp_path / "others", COLOURS[3])
    for folder in (whole, tmp_path / "second"):
        assert run(folder, "import", "folder", source).exit_code == 0
    (tmp_path / "first").rename(tmp_path / "renamed")
    assert run(tmp_path / "renamed", "progress").exit_code == 0
    assert list_files(shared)


@pytest.mark.parametrize("is_there", [True, False], ids=["empty mount point", "no folder"])
def test_a_store_that_is_not_mounted_is_told_and_not_begun_anew(
    tmp_path: Path, shared: Path, is_there: bool
) -> None:
    first = tmp_path / "first"
    away = tmp_path / "away"
    shared.rename(away)
    if is_there:
        shared.mkdir()
    source = photographs(tmp_path / "others", COLOURS[3])
    for words in (("import", "folder", source), ("collect",), ("dedup",), ("takedown", "--erase")):
        done = run(first, *words)
        assert done.exit_code == 1, words
        assert "The image store of this party is not here" in done.output
    claimed = run(first, "doctor", "--claim-store", "--repair")
    assert claimed.exit_code == 1
    assert "none of the 3 files" in claimed.output
    assert list(shared.rglob("*")) == []
    assert shared.exists() == is_there
    if is_there:
        shared.rmdir()
    away.rename(shared)
    assert run(first, "import", "folder", source).exit_code == 0


def test_a_disk_that_goes_away_during_a_run_gets_no_files(tmp_path: Path, shared: Path) -> None:
    with open_party(tmp_path / "first") as party:
        stored = next(party.store.digests())
        shared.rename(tmp_path / "away")
        shared.mkdir()
        for call in (
            lambda: party.store.put(b"new"),
            lambda: party.store.delete(stored),
            lambda: party.store.get(stored),
            lambda: party.store.has(stored),
            lambda: list(party.store.digests()),
        ):
            with pytest.raises(StoreOwnerError, match="is not here"):
                call()
        assert list(shared.iterdir()) == []
        shared.rmdir()
        (tmp_path / "away").rename(shared)
        assert party.store.get(party.store.put(b"new")) == b"new"


def test_a_run_ends_where_another_party_claims_its_store(tmp_path: Path, shared: Path) -> None:
    second = Path(shutil.copytree(tmp_path / "first", tmp_path / "second"))
    with open_party(tmp_path / "first") as party:
        before = list_files(shared)
        assert "repaired store" in run(second, "doctor", "--claim-store").output
        with pytest.raises(StoreOwnerError, match="another party claimed it"):
            party.store.put(b"new")
        assert list_files(shared) == before


def test_a_party_without_photographs_claims_no_store_with_files(
    tmp_path: Path, shared: Path
) -> None:
    second = make(tmp_path / "second")
    name_store(second, shared)
    before = {name: (shared / name).read_bytes() for name in list_files(shared)}
    done = run(second, "doctor", "--claim-store")
    assert done.exit_code == 1
    assert "it has 3 files, and this party names none" in done.output
    assert {name: (shared / name).read_bytes() for name in list_files(shared)} == before
    assert run(tmp_path / "first", "progress").exit_code == 0


def test_a_party_inside_the_store_of_another_has_files_of_its_own(
    tmp_path: Path, shared: Path
) -> None:
    first = tmp_path / "first"
    inner = make(shared / "inner")
    done = run(inner, "import", "folder", photographs(tmp_path / "others", COLOURS[3]))
    assert done.exit_code == 0, done.output
    age(shared)
    with open_party(first) as party, open_party(inner) as other:
        assert [len(list(each.store.digests())) for each in (party, other)] == [3, 1]
    checks = run(first, "doctor", "--port", "0").output
    assert "Every stored file belongs to an image or a release." in checks
    assert "Images: 3 of 3 files" in run(first, "backup", str(tmp_path / "first.tar")).output


def test_a_damaged_or_lost_mark_is_claimed_again_without_loss(tmp_path: Path, shared: Path) -> None:
    first = tmp_path / "first"
    mark = shared / MARK_FILE
    before = list_files(shared)
    for data in (b"", b"[1]", b'{"token": 3}', b"\xff"):
        mark.write_bytes(data)
        assert run(first, "progress").exit_code == 1
    mark.unlink()
    assert run(first, "progress").exit_code == 1
    with closing(open_catalogue(f"sqlite:///{first / 'catalogue.db'}")) as catalogue:
        token = read_token(catalogue)
    assert run(first, "doctor", "--claim-store").exit_code == 0
    (copy,) = (first / SET_ASIDE).glob("*-store-token.txt")
    assert copy.read_text() == f"{token}\n"
    assert list_files(shared) == before
    assert run(first, "progress").exit_code == 0


def test_a_restored_party_is_refused_on_the_originals_store(tmp_path: Path, shared: Path) -> None:
    first = tmp_path / "first"
    again = tmp_path / "again"
    assert run(first, "backup", str(tmp_path / "zoo.tar")).exit_code == 0
    restored = CliRunner().invoke(main, ["restore", str(tmp_path / "zoo.tar"), str(again)])
    assert restored.exit_code == 0, restored.output
    assert run(again, "progress").exit_code == 0
    name_store(again, shared)
    assert "was copied or moved" in run(again, "progress").output


def test_a_copy_that_is_moved_takes_no_store_from_the_original(
    tmp_path: Path, shared: Path
) -> None:
    first = tmp_path / "first"
    again = tmp_path / "again"
    new = tmp_path / "new"
    assert run(first, "backup", str(tmp_path / "zoo.tar")).exit_code == 0
    CliRunner().invoke(main, ["restore", str(tmp_path / "zoo.tar"), str(again)])
    words = ("move", "--to", "sqlite:///new.db", "--folder", str(new), "--images")
    done = run(again, *words, str(shared))
    assert (done.exit_code, "in use by the original" in done.output) == (1, True), done.output
    assert not new.exists()
    assert run(first, "progress").exit_code == 0
    filled = shutil.copytree(again / "images", tmp_path / "filled")  # to have less to move
    assert run(again, *words, str(filled)).exit_code == 0
    assert run(new, "progress").exit_code == 0


def test_a_moved_party_takes_over_a_store_that_both_name(tmp_path: Path, shared: Path) -> None:
    first = tmp_path / "first"
    new = tmp_path / "new"
    words = ("move", "--to", "sqlite:///new.db", "--images", str(shared), "--folder", str(new))
    done = run(first, *words)
    assert done.exit_code == 0, done.output
    assert run(new, "progress").exit_code == 0
    assert f"was moved to {new} on" in run(first, "progress").output
    (first / MOVED_FILE).unlink()
    assert "was copied or moved" in run(first, "progress").output


def test_a_move_into_the_store_of_another_party_is_refused(tmp_path: Path, shared: Path) -> None:
    second = make(tmp_path / "second")
    new = tmp_path / "new"
    before = list_files(shared)
    words = ("move", "--to", "sqlite:///new.db", "--images", str(shared), "--folder", str(new))
    done = run(second, *words)
    assert (done.exit_code, "is another party's" in done.output) == (1, True)
    assert list_files(shared) == before
    assert not new.exists()


@pytest.fixture
def on_postgres(tmp_path: Path, postgres_url: str) -> Iterator[Party]:
    """A party with its rows in PostgreSQL and its images in a folder of its own."""
    folder = make(tmp_path / "party", catalogue=postgres_url)
    with open_party(folder) as party:
        yield party


@pytest.mark.postgres
def test_two_machines_share_one_database_and_one_object_store(
    tmp_path: Path, postgres_url: str
) -> None:
    store = f"memory://{uuid.uuid4()}/images"
    first = make(tmp_path / "first", catalogue=postgres_url, images=store)
    second = tmp_path / "second"
    second.mkdir()
    shutil.copy(first / FILE_NAME, second)
    with ExitStack() as opened:
        party, other = (opened.enter_context(open_party(folder)) for folder in (first, second))
        assert other.store.get(party.store.put(b"ours")) == b"ours"
    assert run(second, "doctor").exit_code == 0


@pytest.mark.postgres
def test_a_copy_of_a_folder_whose_rows_are_in_one_database_is_told(
    tmp_path: Path, on_postgres: Party
) -> None:
    copy = shutil.copytree(on_postgres.folder, tmp_path / "copy")
    done = run(copy, "progress")
    assert (done.exit_code, "is a copy of this party's image store" in done.output) == (1, True)
    name_store(copy, on_postgres.folder / "images")
    assert run(copy, "progress").exit_code == 0
    on_postgres.folder.rename(tmp_path / "renamed")
    assert run(tmp_path / "renamed", "progress").exit_code == 0


@pytest.mark.postgres
def test_a_copy_of_a_database_is_refused_on_the_originals_store(
    tmp_path: Path, on_postgres: Party, postgres_server: object
) -> None:
    url = on_postgres.catalogue.engine.url
    on_postgres.catalogue.close()
    name = postgres_server.make_database(url.database)  # type: ignore[attr-defined]
    folder = tmp_path / "second"
    folder.mkdir()
    text = (on_postgres.folder / FILE_NAME).read_text()
    (folder / FILE_NAME).write_text(text.replace(str(url.database), name))
    name_store(folder, on_postgres.folder / "images")
    assert "was copied or moved" in run(folder, "progress").output
    with on_postgres.catalogue.reading() as session:
        assert session.scalar(select(func.count(Image.id))) == 0
