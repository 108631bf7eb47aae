"""A takedown is final: on the pages, in later releases and in dedup."""

import json
import os
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image as Picture
from sqlalchemy import delete, select, update

from catalog.image_store import ImageStore, digest_of
from catalog.party import LOOKS_FOLDER, Party, open_party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import (
    Annotation,
    Image,
    Photo,
    Release,
    ReleaseImage,
    Signature,
    Suggestion,
)
from collect.claims import Claim, Outcome, record_kept
from collect.fetching import Fetching
from collect.job import Order, run_collect
from collect.picture import Picture as CollectedPicture
from collect.picture import StoredPicture
from collect.takedown import job
from collect.takedown.erase import MANY_ORPHANS, tidy_store
from dedup.jobs import remove_duplicates
from simulate.flickr.server import StandIn
from tests.annotate_ui.house import House
from tests.dedup.overlap.folders import write_files
from tests.exporting import export_release, verify_tree
from tests.party_rows import Drawn, add_image, add_people
from tests.qa.rows import add_person, add_revision
from tests.rows import add_release, load_rows, make_image, writing
from tests.suggesting import suggest
from vockit.format.image_sets import Split
from vocparty import main

from .flickrs import CLASSES, at_flickr
from .pictures import jpeg_bytes
from .rows import NOON, claim_photo
from .test_job import QUICK

PAGE = "https://www.flickr.com/photos/ann/77"
FILE = "https://live.staticflickr.com/65535/77_abcdef12_c.jpg"
HELD: dict[str, Any] = {
    "state": PhotoState.FOUND,
    "claimed_by": "me",
    "claimed_until_at": NOON + timedelta(minutes=3),
    "attempts": 1,
}
BEFORE_DELETING_SECS = 0.2
"""Long enough to record a picture if nothing prevented it."""


def add_photo(
    party: Party,
    source_id: str,
    *,
    image: str | None = None,
    image_state: ImageState = ImageState.POOL,
    **values: Any,
) -> int:
    """The id of a photo whose image, where it has one, is named after the text."""
    with party.catalogue.writing() as session:
        photo = Photo(
            **{"source": Source.FLICKR, "state": PhotoState.FETCHED, **values},
            source_id=source_id,
            found_at=NOON,
        )
        if image is not None:
            sha256 = image.ljust(64, "0")
            photo.image = session.query(Image).filter_by(sha256=sha256).one_or_none() or make_image(
                sha256, NOON, width=50, height=50, state=image_state
            )
        session.add(photo)
        session.flush()
        return photo.id


def withdraw(
    party: Party, *targets: str, owners: Sequence[str] = (), erase: bool = False
) -> job.TakedownPlan:
    order = job.TakedownOrder(targets, tuple(owners), "he asked", erase)
    return job.run_order(party, order, now=lambda: NOON)


erase = partial(withdraw, erase=True)


def states(party: Party) -> list[tuple[PhotoState, ImageState | None]]:
    with party.catalogue.reading() as session:
        photos = session.query(Photo).order_by(Photo.id)
        return [(photo.state, photo.image.state if photo.image else None) for photo in photos]


@pytest.mark.parametrize(
    "state", [state for state in ImageState if state is not ImageState.TAKEN_DOWN]
)
def test_an_image_can_be_taken_down_from_every_state(party: Party, state: ImageState) -> None:
    add_photo(party, "77", image="a", image_state=state)
    plan = withdraw(party, "flickr:77")
    assert states(party) == [(PhotoState.WITHDRAWN, ImageState.TAKEN_DOWN)]
    assert plan.images_taken_down == (1,)
    with party.catalogue.reading() as session:
        photo = session.get_one(Photo, 1)
        assert photo.image is not None
        assert photo.reason == photo.image.reason == "takedown: he asked"
        assert photo.image.state_at == NOON


@pytest.mark.parametrize(
    "target",
    [
        "77",
        "flickr:77",
        "id:1",
        PAGE,
        f"{PAGE}/",
        f"{PAGE}/in/album-5/lightbox/",
        PAGE.replace("https", "http"),
        "https://flickr.com/photos/another-owner/77?x=1#y",
        FILE,
        FILE.replace("_c.jpg", ".jpg"),
        "https://farm66.staticflickr.com/65535/77_abcdef12_b.jpg",
        "https://www.flickr.com/photo.gne?id=77",
        "https://flic.kr/p/2k",
        "www.flickr.com/photos/ann/77/in/photostream",
        "https://m.flickr.com/photos/ann/77",
    ],
)
def test_a_photo_is_found_by_id_page_or_file_address(any_party: Party, target: str) -> None:
    add_photo(any_party, "77", page_url=PAGE, image_url=FILE)
    add_photo(any_party, "777", page_url=f"{PAGE}7", image_url=FILE.replace("77_", "777_"))
    assert [photo.source_id for photo in withdraw(any_party, target).photos] == ["77"]


COMMONS_FILE = (
    "https://thumb.wikimedia.org/wikipedia/commons/thumb/4/4b/My_cat_%28%C3%A9%29.jpg/500px"
)


@pytest.mark.parametrize("is_imported", [False, True])
@pytest.mark.parametrize(
    "target",
    [
        "https://commons.wikimedia.org/wiki/File:My_cat_(%C3%A9).jpg",
        "https://commons.wikimedia.org/wiki/File:my cat (é).jpg",
        "commons.wikimedia.org/wiki/File:My_cat_(e\u0301).jpg?uselang=de",
        "https://commons.m.wikimedia.org/wiki/Image:My_cat_(é).jpg",
        "https://commons.wikimedia.org/w/index.php?title=File:My_cat_(%C3%A9).jpg&action=history",
        "https://commons.wikimedia.org/wiki/Category:Cats#/media/File:My_cat_(%C3%A9).jpg",
        "https://upload.wikimedia.org/wikipedia/commons/4/4b/My_cat_%28%C3%A9%29.jpg",
        f"{COMMONS_FILE}-My_cat_(é).jpg",
    ],
)
def test_a_photo_of_commons_is_found_by_the_address_of_its_page_or_any_picture(
    party: Party, target: str, is_imported: bool
) -> None:
    source = Source.URLS if is_imported else Source.COMMONS
    title = "from a table" if is_imported else "My cat (é).jpg"
    image_url = f"{COMMONS_FILE}-cat.jpg" if is_imported else "https://upload.wikimedia.org/x.jpg"
    add_photo(party, "77", source=source, title=title, image_url=image_url)
    add_photo(party, "78", source=source, title="My cat (e).jpg", page_url=PAGE)
    assert [photo.source_id for photo in withdraw(party, target).photos] == ["77"]


def test_a_photo_of_commons_is_found_by_the_number_of_its_page(party: Party) -> None:
    add_photo(party, "77", source=Source.COMMONS)
    add_photo(party, "77", source=Source.FLICKR)
    plan = withdraw(party, "https://commons.wikimedia.org/w/index.php?curid=77&uselang=en")
    assert [photo.source for photo in plan.photos] == [Source.COMMONS]


@pytest.mark.parametrize("target", ["File:", "File:_%00_"])
def test_a_page_of_commons_without_a_name_is_no_photo(any_party: Party, target: str) -> None:
    add_photo(any_party, "77", source=Source.COMMONS, title="")
    with pytest.raises(job.TakedownError, match="no photo with the address"):
        withdraw(any_party, f"https://commons.wikimedia.org/wiki/{target}")


def test_a_row_of_a_table_with_the_number_of_another_photo_of_flickr_stays(
    any_party: Party,
) -> None:
    add_photo(any_party, "museum:77", source=Source.TABLE, page_url=f"{PAGE}77")
    add_photo(any_party, "museum:1", source=Source.TABLE, image_url=FILE)
    assert [photo.source_id for photo in withdraw(any_party, PAGE).photos] == ["museum:1"]


def test_a_file_of_a_folder_whose_name_looks_like_an_address_is_an_id(party: Party) -> None:
    add_photo(party, "2012.old/7.jpg", source=Source.FOLDER)
    assert [photo.source_id for photo in withdraw(party, "2012.old/7.jpg").photos] == [
        "2012.old/7.jpg"
    ]


@pytest.mark.parametrize(
    ("target", "says"),
    [
        ("flickr:5", "Unknown photo flickr:5"),
        ("https://x.example/5", "with the address https://x.example/5"),
        ("https://flic.kr/p/2k", "address https://flic.kr/p/2k, nor flickr:77. Nothing was"),
        ("commons.wikimedia.org/wiki/File:a_b.jpg", "nor File:A b.jpg of Wikimedia Commons"),
        ("2", r"may be any of flickr:2 \(id:1\), folder:b \(id:2\)"),
        ("9" * 40, "Unknown photo"),
        ("9" * 5000, "Unknown photo"),
        (f"id:{'9' * 5000}", "Unknown photo"),
    ],
)
def test_an_unknown_photo_keeps_all_others_in(party: Party, target: str, says: str) -> None:
    add_photo(party, "2", image="a")
    add_photo(party, "b", image="b", source=Source.FOLDER)
    with pytest.raises(job.TakedownError, match=says):
        withdraw(party, "folder:b", target)
    assert states(party) == [(PhotoState.FETCHED, ImageState.POOL)] * 2


def test_taking_down_an_owner_withdraws_all_their_photos(any_party: Party) -> None:
    add_photo(any_party, "1", image="a", owner_id="ann", owner_name="Ann")
    add_photo(any_party, "3", image="c", owner_id="bob")
    with pytest.raises(job.TakedownError, match="Ann is the name of ann"):
        withdraw(any_party, owners=["Ann"])
    withdraw(any_party, owners=["ann"])
    left = [state for state, _image in states(any_party)]
    assert left == [PhotoState.WITHDRAWN, PhotoState.FETCHED]


def test_photos_of_a_blocked_owner_are_not_collected(party: Party, flickr: StandIn) -> None:
    party = at_flickr(party, flickr)
    run_collect(party, Order(4, CLASSES), patience=QUICK)
    (owner_id,) = load_rows(party, select(Photo.owner_id).limit(1))
    assert owner_id
    withdraw(party, owners=[owner_id])
    run_collect(party, Order(8, CLASSES), patience=QUICK)
    theirs = load_rows(party, select(Photo.state).where(Photo.owner_id == owner_id))
    assert theirs
    assert set(theirs) == {PhotoState.WITHDRAWN}


def test_an_import_skips_a_blocked_owner_and_says_why(party: Party, tmp_path: Path) -> None:
    files = {"a.jpg": jpeg_bytes(200, 150), "b.jpg": jpeg_bytes(200, 150, tint=9)}
    files["photos.csv"] = b"file,owner\na.jpg,ann\nb.jpg,bob\n"
    folder = write_files(tmp_path / "zoo", files)
    add_photo(party, "1", image="a", owner_id="ann")
    withdraw(party, owners=["ann"])
    words = ["import", "folder", str(folder), "--party", str(party.folder)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0
    assert "Skipped a.jpg: its owner ann is excluded (takedown: he asked)." in done.stderr
    rows = load_rows(party, select(Photo.owner_id).where(Photo.source == Source.FOLDER))
    assert rows == ["bob"]
    assert len(list(party.store.digests())) == 1  # nothing of ann's was even stored


def store_images(party: Party, *texts: str) -> list[int]:
    """The ids of photos whose images hold these bytes."""
    ids = []
    for number, text in enumerate(texts):
        sha256 = party.store.put(text.encode())
        ids.append(add_photo(party, str(number), image=sha256))
    return ids


def test_erasing_deletes_the_file_unless_another_photo_uses_it(any_party: Party) -> None:
    store_images(any_party, "mine", "ours", "ours")
    plan = erase(any_party, "flickr:0", "flickr:1")
    assert (plan.images_erased, plan.images_shared) == ((1,), (2,))
    assert list(any_party.store.digests()) == [digest_of(b"ours")]
    assert load_rows(any_party, select(Image.erased_at).order_by(Image.id)) == [NOON, None]
    assert erase(any_party, "flickr:2").images_erased == (2,)
    assert list(any_party.store.digests()) == []


def test_files_of_an_earlier_takedown_can_be_erased_later(party: Party) -> None:
    store_images(party, "a", "b", "c")
    with party.catalogue.writing() as session:  # the small picture of dedup goes along
        parts = dict.fromkeys(("luma", "shown", "views", "features", "words"), b"picture")
        session.add(Signature(image_id=1, recipe="r", real_px=1, jpeg_quality=1, **parts))
    withdraw(party, "flickr:0", "flickr:1")
    assert len(list(party.store.digests())) == 3
    assert erase(party, "flickr:0").images_erased == (1,)
    with party.catalogue.reading() as session:
        assert session.query(Signature).count() == 0
    said = call(party, "--erase").stdout
    assert said.startswith("Deleted the files of 1 image taken down. The catalogue keeps the name")
    assert list(party.store.digests()) == [digest_of(b"c")]


def record_release(party: Party, encoded: dict[str, str], masks: dict[int, dict[str, str]]) -> None:
    """A release of these images, by their masks, and of copies of stored files."""
    ann = add_person(party)
    placed = {image_id: (add_revision(party, image_id, ann), Split.TRAIN) for image_id in masks}
    with party.catalogue.writing() as session:
        add_release(session, "R", NOON, placed)
        session.scalars(select(Release)).one().settings = {"encoded": encoded}
        for row in session.scalars(select(ReleaseImage)):
            row.form = {"masks": masks[row.image_id]}


def test_erasing_deletes_masks_and_copies_that_no_other_image_uses(any_party: Party) -> None:
    store_images(any_party, "one", "two", "stripped")
    put = {
        text: any_party.store.put(text.encode())
        for text in ("mask", "shared mask", "copy", "of no image")
    }
    first, second, stripped = (digest_of(name.encode()) for name in ("one", "two", "stripped"))
    record_release(
        any_party,
        {first: put["copy"], second: stripped},
        {
            1: {"SegmentationClass": put["mask"], "SegmentationObject": put["shared mask"]},
            2: {"SegmentationClass": put["shared mask"]},
        },
    )
    assert erase(any_party, "flickr:0", "flickr:2").images_erased == (1,)
    left = {second, stripped, put["shared mask"], put["of no image"]}
    assert set(any_party.store.digests()) == left
    assert erase(any_party, "flickr:1").images_erased == (2,)
    assert set(any_party.store.digests()) == {put["of no image"]}


def test_masks_of_suggestions_are_erased_with_their_photograph(party: Party) -> None:
    store_images(party, "a", "b")
    numbers = [suggest(party, image_id)[0] for image_id in (1, 2)]
    with party.catalogue.writing() as session:
        session.execute(update(Suggestion).values(mask="mask"))
    assert erase(party, "flickr:0").images_erased == (1,)
    masks = select(Suggestion.mask).where(Suggestion.id.in_(numbers)).order_by(Suggestion.id)
    assert load_rows(party, masks) == [None, "mask"]


def test_pages_of_detectors_with_an_erased_photograph_are_deleted(party: Party) -> None:
    store_images(party, "a", "b")
    looks = [party.folder / LOOKS_FOLDER / name for name in ("of both", "of the other")]
    for folder, image_ids in zip(looks, ((1, 2), (2,)), strict=True):
        folder.mkdir(parents=True)
        for image_id in image_ids:
            (folder / f"{image_id}.jpg").write_bytes(b"")
    erase(party, "flickr:0")
    assert [folder.exists() for folder in looks] == [False, True]


def test_erased_bytes_are_deleted_when_imported_again(party: Party, tmp_path: Path) -> None:
    folder = write_files(tmp_path / "own", {"a.jpg": jpeg_bytes(300, 200)})
    words = ["import", "folder", str(folder), "--party", str(party.folder)]
    assert CliRunner().invoke(main, words).exit_code == 0
    erase(party, "id:1")
    assert list(party.store.digests()) == []
    with party.catalogue.writing() as session:
        session.get_one(Photo, 1).source_id = "another file of the same picture"
    again = CliRunner().invoke(main, words)
    assert "identical files 1." in again.stdout
    assert list(party.store.digests()) == []
    assert {image.state for image in load_rows(party, select(Image))} == {ImageState.TAKEN_DOWN}


def test_an_interrupted_erasure_is_completed(party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
    store_images(party, "a", "b")
    delete = ImageStore.delete

    def stop_at_the_second(store: ImageStore, sha256: str) -> None:
        if sha256 == digest_of(b"b"):
            raise KeyboardInterrupt
        delete(store, sha256)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(ImageStore, "delete", stop_at_the_second)
        erase(party, "flickr:0", "flickr:1")
    assert states(party) == [(PhotoState.WITHDRAWN, ImageState.TAKEN_DOWN)] * 2
    erase(party, "flickr:0", "flickr:1")
    assert list(party.store.digests()) == []
    with party.catalogue.reading() as session:
        assert all(image.erased_at for image in session.query(Image))


def test_a_disk_that_goes_away_during_an_erasure_is_told_with_what_is_left_to_do(
    party: Party, tmp_path: Path
) -> None:
    store_images(party, "a", "b")
    away = tmp_path / "away"
    folder = party.store.folder
    assert folder is not None

    def unmount() -> datetime:  # the clock is read between the withdrawal and the erasure
        moments.append(NOON)
        if len(moments) == 2:
            folder.rename(away)
        return NOON

    moments = list[datetime]()
    plan = job.run_order(party, job.TakedownOrder(("flickr:0",), (), "x", erase=True), now=unmount)
    assert [photo.source_id for photo in plan.photos] == ["0"]
    assert (plan.images_erased, plan.images_absent) == ((), ())
    assert "The image store" in plan.erase_fault
    assert load_rows(party, select(Image.erased_at)) == [None, None]
    away.rename(folder)
    assert "Deleted the files of 1 image taken down." in call(party, "--erase").stdout


def unmount_after(party: Party, away: Path, sha256: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the disk with the store go away once this file is deleted; images go one by one."""
    folder = party.store.folder
    assert folder is not None
    delete = ImageStore.delete

    def delete_and_unmount(store: ImageStore, other: str) -> None:
        delete(store, other)
        if other == sha256:
            folder.rename(away)

    monkeypatch.setattr("collect.takedown.erase._SLICE", 1)
    monkeypatch.setattr(ImageStore, "delete", delete_and_unmount)


def test_what_was_deleted_before_the_disk_went_away_is_told(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_images(party, "a", "b", "c")
    order = job.TakedownOrder(("flickr:0", "flickr:1", "flickr:2"), (), "x", erase=True)
    unmount_after(party, tmp_path / "away", digest_of(b"b"), monkeypatch)
    plan = job.run_order(party, order, now=lambda: NOON)
    assert (plan.images_erased, plan.images_absent) == ((1, 2), ())
    assert "The image store" in plan.erase_fault
    assert load_rows(party, select(Image.erased_at).order_by(Image.id)) == [NOON, NOON, None]


def test_an_erasure_of_everything_tells_what_it_deleted_before_the_disk_went_away(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store_images(party, "a", "b", "c")
    call(party, "flickr:0", "flickr:1", "flickr:2", "--reason", "she asked")
    with monkeypatch.context() as patch:
        unmount_after(party, tmp_path / "away", digest_of(b"b"), patch)
        done = call(party, "--erase")
    assert done.exit_code == 1
    assert "Deleted the files of 2 images taken down." in done.stdout
    assert "The image store" in done.stderr
    again = call(party, "--erase")  # the disk is still away
    assert (again.exit_code, again.stdout) == (1, "")


def test_a_released_image_is_erased_and_stays_as_a_tombstone(party: Party, tmp_path: Path) -> None:
    with party.catalogue.writing() as session:
        add_people(session)
        for number in range(3):
            add_image(session, party, number, [Drawn("cat")])
    before = export_release(party, tmp_path / "before", year=2026, at=NOON)
    plan = erase(party, "flickr:5001")
    (gone,) = plan.images_erased
    assert plan.releases == ("VOC2026",)
    again = export_release(party, tmp_path / "again", year=2026, at=NOON)
    assert list(again.withdrawn) == [
        image.public_id for image in before.images if image.row.id == gone
    ]
    (photo,) = next(image for image in before.images if image.row.id == gone).row.photos
    assert photo.owner_name
    stored = b"".join(party.store.get(digest) for digest in party.store.digests())
    assert photo.owner_name.encode() not in stored, "no file in the store names the owner"
    written = (tmp_path / "again" / "CREDITS.csv").read_text()
    assert photo.owner_name not in written
    assert len(written.splitlines()) == 3
    (tree,) = (tmp_path / "again").rglob("VOC2026")
    assert verify_tree(tree) == []
    with party.catalogue.reading() as session:
        assert session.get_one(Image, gone).annotation_id is not None  # what people drew stays


def test_a_withdrawn_photo_is_not_recorded_after_its_download(party: Party) -> None:
    photo_id = add_photo(party, "1", **HELD)
    withdraw(party, "flickr:1")
    claim = Claim(photo_id, "me", 1, "", None)
    picture = CollectedPicture(b"x", 10, 10)
    with party.catalogue.writing() as session:
        stored = picture.as_stored("a" * 64)
        assert record_kept(session, claim, stored, party.store, NOON) is Outcome.LATE
    assert states(party) == [(PhotoState.WITHDRAWN, None)]


def test_an_image_stays_while_another_photo_uses_it(any_party: Party) -> None:
    for number, image in enumerate("aabb", start=1):
        add_photo(any_party, str(number), image=image)
    plan = withdraw(any_party, "flickr:1")
    assert (plan.images_taken_down, plan.images_shared) == ((), (1,))
    assert states(any_party)[:2] == [
        (PhotoState.WITHDRAWN, ImageState.POOL),
        (PhotoState.FETCHED, ImageState.POOL),
    ]
    assert withdraw(any_party, "flickr:2").images_taken_down == (1,)
    assert withdraw(any_party, "flickr:3", "flickr:4").images_taken_down == (2,)  # both at once
    assert {image for _photo, image in states(any_party)} == {ImageState.TAKEN_DOWN}


def leave_orphan(party: Party, data: bytes, *, age: timedelta = timedelta(hours=2)) -> str:
    """The digest of a file that a killed collector stored and did not record."""
    sha256 = party.store.put(data)
    path = party.store.local_path(sha256)
    at = (NOON - age).timestamp()
    assert path is not None
    os.utime(path, (at, at))
    return sha256


def test_a_file_without_a_row_is_deleted_once_it_is_an_hour_old(any_party: Party) -> None:
    kept = leave_orphan(any_party, b"kept")
    add_photo(any_party, "1", image=kept)
    leave_orphan(any_party, b"old")
    new = leave_orphan(any_party, b"new", age=timedelta(minutes=50))  # another machine's, maybe
    (any_party.store.local_path(kept) or Path()).with_name(".x.part").write_bytes(b"x")
    assert tidy_store(any_party, NOON) == 1
    assert set(any_party.store.digests()) == {kept, new}


def test_a_file_that_the_party_did_not_store_is_never_deleted(any_party: Party) -> None:
    foreign = leave_orphan(any_party, b"of another program")
    any_party.store.drop_note(foreign)
    recorded = leave_orphan(any_party, b"recorded")
    add_photo(any_party, "1", image=recorded)
    assert tidy_store(any_party, NOON) == 0
    assert not any_party.store.has_note(recorded)
    with any_party.catalogue.writing() as session:  # as in an older catalogue that was put back
        session.execute(delete(Photo))
        session.execute(delete(Image))
    assert tidy_store(any_party, NOON) == 0
    assert set(any_party.store.digests()) == {foreign, recorded}


def test_files_that_a_release_names_are_no_orphans(party: Party) -> None:
    copy, noted = (leave_orphan(party, data) for data in (b"copy", b"told"))
    with party.catalogue.writing() as session:
        settings = {"encoded": {"a" * 64: copy}, "notes": {"kept": {"README.md": noted}}}
        session.add(Release(name="VOC2026", year=2026, settings=settings, created_at=NOON))
    assert tidy_store(party, NOON) == 0
    assert set(party.store.digests()) == {copy, noted}


def test_many_files_without_rows_are_kept(party: Party, caplog: pytest.LogCaptureFixture) -> None:
    for number in range(MANY_ORPHANS + 1):
        sha256 = f"ab{number:062x}"
        path = party.store.local_path(sha256)
        assert path is not None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        os.utime(path, (0, 0))
    assert tidy_store(party, NOON) == 0
    assert "is it another party's?" in caplog.text


def test_a_file_is_deleted_if_its_photo_is_withdrawn_during_the_download(
    party: Party, flickr: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch = Fetching.fetch
    stored = list[str]()

    def fetch_and_withdraw_the_first(fetching: Fetching, *given: Any) -> StoredPicture:
        picture = fetch(fetching, *given)
        if not stored:
            (held,) = load_rows(party, select(Photo.id).where(Photo.image_url == given[0]))
            withdraw(party, f"id:{held}")
        stored.append(picture.sha256)
        return picture

    monkeypatch.setattr(Fetching, "fetch", fetch_and_withdraw_the_first)
    run_collect(at_flickr(party, flickr, workers=1), Order(2, CLASSES), patience=QUICK)
    assert set(party.store.digests()) == set(stored[1:])


def before_deleting(monkeypatch: pytest.MonkeyPatch, act: Callable[[ImageStore], object]) -> None:
    """Call a function whenever a file is about to be deleted."""
    delete = ImageStore.delete

    def act_and_delete(store: ImageStore, sha256: str) -> None:
        act(store)
        delete(store, sha256)

    monkeypatch.setattr(ImageStore, "delete", act_and_delete)


def record(party: Party, photo_id: int, sha256: str) -> Outcome:
    """The outcome for a held photo whose file was stored on another machine."""
    claim = Claim(photo_id, "me", 1, "", None)
    with party.catalogue.writing() as session:
        stored = StoredPicture(sha256, 10, 10, 1)
        return record_kept(session, claim, stored, party.store, NOON)


def test_a_photo_whose_file_was_deleted_as_an_orphan_is_fetched_again(any_party: Party) -> None:
    photo_id = add_photo(any_party, "1", **HELD)
    sha256 = leave_orphan(any_party, b"x")
    assert tidy_store(any_party, NOON) == 1
    assert record(any_party, photo_id, sha256) is Outcome.RESTS
    assert states(any_party) == [(PhotoState.FOUND, None)]
    again = writing(any_party, claim_photo, "me", now=NOON, lease=timedelta(minutes=3), attempts=1)
    assert again is not None
    assert again.photo_id == photo_id
    assert record(any_party, photo_id, any_party.store.put(b"x")) is Outcome.FETCHED


def test_a_file_is_not_deleted_as_an_orphan_while_it_is_recorded(
    any_party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    photo_id = add_photo(any_party, "1", **HELD)
    sha256 = leave_orphan(any_party, b"x")
    outcomes: list[Outcome] = []
    with open_party(any_party.folder) as other:
        thread = Thread(target=lambda: outcomes.append(record(other, photo_id, sha256)))

        def begin_to_record(_store: ImageStore) -> None:
            thread.start()
            thread.join(BEFORE_DELETING_SECS)

        before_deleting(monkeypatch, begin_to_record)
        tidy_store(any_party, NOON)
        thread.join()
    assert outcomes == [Outcome.RESTS]


def test_a_second_takedown_changes_nothing(party: Party) -> None:
    add_photo(party, "1", image="a")
    withdraw(party, "flickr:1")
    again = job.run_order(party, job.TakedownOrder(("flickr:1",), (), "another reason"))
    assert (again.photos, again.images_taken_down) == ((), ())
    with party.catalogue.reading() as session:
        assert session.get_one(Photo, 1).reason == "takedown: he asked"


def test_a_person_with_the_image_open_is_told_and_loses_nothing(party: Party) -> None:
    house = House(party)
    image_id = house.add_image(source_id="77")
    ann = house.ann()
    task = ann.take()
    assert task["image_id"] == image_id
    job.run_order(party, job.TakedownOrder(("flickr:77",), (), "he asked"))
    answer = ann.save(task)
    assert answer.status_code == 409
    assert answer.get_json()["error"]["code"] == "lease_lost"
    with party.catalogue.reading() as session:
        (kept,) = session.query(Annotation)
        assert kept.is_stale
    assert house.state(image_id) is ImageState.TAKEN_DOWN
    house.clock.advance(10_000)  # the lease runs out, and nothing comes back by that
    assert ann.post("/api/v1/tasks/annotate", {}).get_json()["task"] is None
    assert house.state(image_id) is ImageState.TAKEN_DOWN
    assert ann.get(f"/images/{house.image(image_id).sha256}.jpg").status_code == 404


def test_dedup_replaces_a_taken_down_image_by_a_near_duplicate(party: Party) -> None:
    noise = np.random.default_rng(5).integers(0, 255, (8, 8, 3), dtype=np.uint8)
    picture = Picture.fromarray(noise).resize((400, 300), Picture.Resampling.BICUBIC)
    for number, size in enumerate(((400, 300), (300, 225)), start=1):
        target = party.folder / "x.jpg"
        picture.resize(size).save(target, quality=95)
        sha256 = party.store.put(target.read_bytes())
        add_photo(party, str(number), image=sha256, image_state=ImageState.FETCHED)
        with party.catalogue.writing() as session:
            image = session.query(Image).filter_by(sha256=sha256).one()
            image.width, image.height = size
    remove_duplicates(party, workers=1)
    assert [image for _photo, image in states(party)] == [ImageState.POOL, ImageState.DUPLICATE]
    withdraw(party, "flickr:1")
    remove_duplicates(party, workers=1)
    assert [image for _photo, image in states(party)] == [ImageState.TAKEN_DOWN, ImageState.POOL]


def call(party: Party, *words: str) -> Result:
    return CliRunner().invoke(main, ["takedown", "--party", str(party.folder), *words])


def test_a_dry_run_previews_what_the_command_then_does(party: Party) -> None:
    add_photo(party, "77", image="a", page_url=PAGE)
    dry = call(party, PAGE, "--reason", "he asked", "--dry-run")
    assert dry.stdout == f"flickr:77 {PAGE}\nWould withdraw 1 photo and take down 1 image.\n"
    assert states(party) == [(PhotoState.FETCHED, ImageState.POOL)]
    done = call(party, PAGE, "--reason", "he asked", "--json")
    document = json.loads(done.stdout)
    assert (document["dry_run"], document["images_taken_down"]) == (False, [1])
    assert states(party) == [(PhotoState.WITHDRAWN, ImageState.TAKEN_DOWN)]


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["flickr:77"], 2, "--reason"),
        (["--reason", "x"], 2, "Name the photographs"),
        (["flickr:77", "--reason", "  "], 2, "--reason: expected"),
        (["flickr:78", "--reason", "x"], 2, "Unknown photo flickr:78. Nothing was changed."),
    ],
)
def test_wrong_usage_is_explained(party: Party, words: list[str], status: int, says: str) -> None:
    add_photo(party, "77", image="a")
    done = call(party, *words)
    assert (done.exit_code, done.stdout) == (status, "")
    assert says in done.stderr
    assert states(party) == [(PhotoState.FETCHED, ImageState.POOL)]


def test_the_command_lists_blocked_owners_with_reasons(party: Party) -> None:
    assert call(party, "--blocked").stdout == "No owner is excluded.\n"
    add_photo(party, "1", image="a", owner_id="ann")
    assert "Leaves out what ann has" in call(party, "--owner", "ann", "--reason", "x").stdout
    assert "ann  since 2" in call(party, "--blocked").stdout
    (block,) = json.loads(call(party, "--blocked", "--json").stdout)["blocked"]
    assert (block["owner"], block["reason"]) == ("ann", "takedown: x")
