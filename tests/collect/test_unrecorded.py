"""Notes of files whose rows are not committed: what is whole is not fetched again."""

from __future__ import annotations

import fcntl
from pathlib import Path

import pytest

from catalog.image_store import ImageStore, digest_of, open_image_store
from collect.picture import StoredPicture
from collect.unrecorded import (
    MOST_NOTES,
    Note,
    NoteWriter,
    Unrecorded,
    find_whole,
    format_note,
    name_source,
    open_notes,
    parse_note,
)

URL = "https://live.staticflickr.com/1/2_3.jpg"
SOURCE = name_source(URL)
DATA = b"the bytes of a picture"
STORED = StoredPicture(digest_of(DATA), 500, 375, len(DATA), None)
TURNED = StoredPicture(digest_of(DATA), 375, 500, len(DATA), "b" * 64)
LARGEST = StoredPicture("f" * 64, 10**6, 10**6, 10**12, "e" * 64)


@pytest.fixture(params=["folder", "memory"])
def store(tmp_path: Path, request: pytest.FixtureRequest) -> ImageStore:
    url = str(tmp_path / "images") if request.param == "folder" else f"memory://{tmp_path}"
    return open_image_store(url)


def left_by_another(folder: Path, *notes: Note) -> Unrecorded:
    """The notes of a process that has ended, as the next one sees them."""
    writer = NoteWriter(str(open_notes(folder).folder))
    for note in notes:
        writer.add(note)
    writer.close()
    return open_notes(folder)


@pytest.mark.parametrize("picture", [STORED, TURNED, LARGEST])
def test_a_note_says_what_the_file_is_and_is_always_as_long(picture: StoredPicture) -> None:
    line = format_note(Note(2**62, SOURCE, picture))
    assert len(line) == len(format_note(Note(1, SOURCE, STORED)))
    assert parse_note(line.removesuffix(b"\n")) == Note(2**62, SOURCE, picture)


@pytest.mark.parametrize("length", [0, 5, 9, 30, 200])
def test_a_torn_note_is_none_whatever_was_there_before(length: int) -> None:
    before, after = format_note(Note(1, SOURCE, STORED)), format_note(Note(2, SOURCE, LARGEST))
    assert parse_note(after[:length]) is None
    assert parse_note((after[:length] + before[length:]).rstrip(b"\n")) in (
        None,
        Note(1, SOURCE, STORED),
    )
    assert parse_note(bytes(length)) is None


def test_what_is_stored_is_found_by_the_next_process(tmp_path: Path, store: ImageStore) -> None:
    notes = left_by_another(tmp_path, Note(7, SOURCE, STORED), Note(8, SOURCE, LARGEST))
    assert find_whole(notes, store, 7, URL, is_tried=False) is None  # it was never stored
    store.put(DATA)
    assert find_whole(notes, store, 7, URL, is_tried=False) == STORED
    assert find_whole(notes, store, 9, URL, is_tried=True) is None


def test_a_photo_of_a_restored_catalogue_is_not_taken_for_another_of_its_number(
    tmp_path: Path, store: ImageStore
) -> None:
    store.put(DATA)
    notes = left_by_another(tmp_path, Note(7, SOURCE, STORED))
    other = "https://live.staticflickr.com/4/5_6.jpg"
    assert find_whole(notes, store, 7, other, is_tried=True) is None
    assert find_whole(notes, store, 7, URL, is_tried=True) == STORED


def test_a_file_that_is_damaged_is_not_found(tmp_path: Path) -> None:
    store = open_image_store(str(tmp_path / "images"))
    path = store.local_path(store.put(DATA))
    assert path is not None
    path.write_bytes(DATA[:-1])
    assert (
        find_whole(left_by_another(tmp_path, Note(7, SOURCE, STORED)), store, 7, URL, is_tried=True)
        is None
    )


def test_what_is_noted_later_is_found_where_a_photo_is_tried_again(tmp_path: Path) -> None:
    notes = open_notes(tmp_path)
    left_by_another(tmp_path, Note(7, SOURCE, STORED))
    assert notes.find(7, URL, is_tried=False) == []
    assert notes.find(7, URL, is_tried=True) == [STORED]


def test_the_oldest_note_makes_room(tmp_path: Path) -> None:
    many = [Note(number, SOURCE, STORED) for number in range(MOST_NOTES + 2)]
    notes = left_by_another(tmp_path, *many)
    assert {note.photo_id for note in notes.load()} == set(range(2, MOST_NOTES + 2))


def test_files_whose_photos_are_settled_are_removed_when_their_process_has_ended(
    tmp_path: Path,
) -> None:
    living = NoteWriter(str(open_notes(tmp_path).folder))
    living.add(Note(1, SOURCE, STORED))
    left_by_another(tmp_path, Note(2, SOURCE, STORED))
    notes = left_by_another(tmp_path, Note(3, SOURCE, STORED), Note(4, SOURCE, STORED))
    notes.remove_settled({1, 2, 4})
    assert {note.photo_id for note in notes.load()} == {1, 3, 4}
    living.close()
    notes.remove_settled({1, 3, 4})
    assert notes.load() == []
    assert not any((tmp_path / "unrecorded").iterdir())


def test_a_new_file_that_somebody_removes_before_it_is_locked_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes, lock = open_notes(tmp_path), fcntl.flock

    def lock_after_another_process_tidied(file: int, how: int) -> None:
        monkeypatch.setattr(fcntl, "flock", lock)
        notes.remove_settled(())
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", lock_after_another_process_tidied)
    writer = NoteWriter(str(notes.folder))
    writer.add(Note(7, SOURCE, STORED))
    notes.remove_settled({7})  # is refused, as this process lives
    assert [note.photo_id for note in notes.load()] == [7]
    writer.close()


@pytest.mark.parametrize("folder", ["nowhere", "a file"])
def test_where_none_can_be_left_nothing_happens(tmp_path: Path, folder: str) -> None:
    (tmp_path / "a file").write_text("")
    NoteWriter(str(tmp_path / folder)).add(Note(7, SOURCE, STORED))
    notes = Unrecorded(tmp_path / folder)
    assert notes.find(7, URL, is_tried=True) == []
    notes.remove_settled(())


def test_what_is_no_note_is_left_alone(tmp_path: Path) -> None:
    notes = open_notes(tmp_path)
    (notes.folder / "a folder").mkdir()
    (notes.folder / "text").write_text("something else\n" * 100)
    assert notes.load() == []
