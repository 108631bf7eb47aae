"""Photographs of a folder become photos and images, each once, whatever else is in it."""

import hashlib
import io
import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image as Picture
from sqlalchemy import select

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore, digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Image, Photo, Query
from collect.errors import DecoderFailsError
from collect.imports.count import ImportCount
from collect.imports.folder import FolderOrder, import_folder, list_folder
from collect.imports.table import find_taken_at
from simulate.flickr.faults import make_bomb
from tests.collect.flickrs import with_collect
from tests.collect.pictures import draw_picture, gif_bytes, jpeg_bytes
from tests.dedup.overlap.folders import write_files as fill
from tests.rows import load_rows
from vockit.errors import SettingsError
from vocparty import main

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)


def run(party: Party, folder: Path, **more: object) -> ImportCount:
    order = FolderOrder(folder, **more)  # type: ignore[arg-type]
    count = ImportCount()
    import_folder(party, order, list_folder(order), count, now=lambda: NOW)
    return count


def load_photos(party: Party) -> dict[str, Photo]:
    """The photos by title, which is the file name where the table gives none."""
    return {photo.title or "": photo for photo in load_rows(party, select(Photo))}


def dated_jpeg(tint: int = 1) -> bytes:
    exif = Picture.Exif()
    exif[0x0132] = "2001:01:01 00:00:00"
    exif.get_ifd(0x8769)[0x9003] = "2010:05:04 12:34:56"
    return jpeg_bytes(300, 200, tint=tint, exif=exif)


def test_a_file_deleted_before_its_row_is_written_is_stored_again(
    any_party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = ImageStore.put
    stored = list[str]()

    def put_and_lose_the_first(store: ImageStore, data: bytes) -> str:
        stored.append(put(store, data))
        if len(stored) == 1:
            store.delete(stored[0])
        return stored[-1]

    monkeypatch.setattr(ImageStore, "put", put_and_lose_the_first)
    count = run(any_party, fill(tmp_path / "holiday", {"a.jpg": jpeg_bytes(300, 200)}))
    assert count.tally.fetched == 1
    assert list(any_party.store.digests()) == stored[1:]


def test_each_file_becomes_a_photo_with_an_image(any_party: Party, tmp_path: Path) -> None:
    files = {"a.jpg": jpeg_bytes(300, 200), "deep/b.JPEG": jpeg_bytes(900, 600, turned_by=6)}
    count = run(any_party, fill(tmp_path / "holiday", files), class_name="boat")
    assert count.tally.fetched == 2
    photos = load_photos(any_party)
    assert set(photos) == {"a.jpg", "deep/b.JPEG"}
    with any_party.catalogue.reading() as session:
        plain = session.get_one(Photo, photos["a.jpg"].id)
        turned = session.get_one(Photo, photos["deep/b.JPEG"].id)
        assert plain.image is not None
        assert turned.image is not None
        assert (plain.source, plain.state) == (Source.FOLDER, PhotoState.FETCHED)
        assert plain.source_id == plain.image.sha256 == digest_of(files["a.jpg"])
        assert any_party.store.get(plain.image.sha256) == files["a.jpg"]
        assert (turned.image.width, turned.image.height) == (500, 333)
        assert turned.image.original_sha256 == turned.source_id
        assert plain.image.state is ImageState.FETCHED
        (query,) = session.scalars(select(Query))
        assert (query.source, query.class_name) == (Source.FOLDER, "boat")
        assert (query.keyword, query.kept) == ("holiday", 2)


def test_the_same_folder_or_bytes_are_imported_once(any_party: Party, tmp_path: Path) -> None:
    data = jpeg_bytes(300, 200)
    folder = fill(tmp_path / "a", {"a.jpg": data, "b.jpg": b"\xff\xd8\xff broken", "c.jpg": data})
    count = run(any_party, folder, workers=1)
    assert (count.known, count.tally.fetched) == (1, 1)
    (folder / "c.jpg").unlink()
    (folder / "a.jpg").rename(folder / "renamed.jpg")
    count = run(any_party, folder.rename(tmp_path / "moved"))
    assert (count.known, count.tally.fetched) == (2, 0)
    assert len(load_photos(any_party)) == 2


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "truncated"),
        (b"<html>", "html"),
        (gif_bytes(300, 200, frames=2), "not_jpeg"),
        (jpeg_bytes(300, 200)[:-200], "truncated"),
        (jpeg_bytes(300, 50), "too_small"),
        (b"\xff\xd8\xff" + bytes(25_000_000), "too_many_bytes"),
        (make_bomb, "too_many_pixels"),  # made where it is used: it takes half a second
        (b"RIFF" + b"x" * 50, "undecodable"),
    ],
)
def test_a_broken_file_does_not_stop_the_others(
    party: Party, tmp_path: Path, data: bytes | Callable[[], bytes], reason: str
) -> None:
    sent = data if isinstance(data, bytes) else data()
    folder = fill(tmp_path / "f", {"a.jpg": sent, "b.jpg": jpeg_bytes(300, 200)})
    count = run(party, folder)
    assert count.tally.fetched == 1
    assert dict(count.tally.broken) == {reason: 1}
    broken = load_photos(party)["a.jpg"]
    assert broken.state is PhotoState.BROKEN
    assert (broken.reason or "").startswith(reason)
    assert broken.claimed_by is None


def test_a_broken_file_that_was_repaired_is_imported(party: Party, tmp_path: Path) -> None:
    whole = jpeg_bytes(300, 200)
    folder = fill(tmp_path / "f", {"a.jpg": whole[:-200]})
    run(party, folder)
    fill(folder, {"a.jpg": whole})
    assert run(party, folder).tally.fetched == 1


def end_at_once(_max_pixels: int) -> None:
    os._exit(1)


def test_a_decoder_that_cannot_start_marks_no_file_as_broken(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{tint}.jpg": jpeg_bytes(300, 200, tint=tint) for tint in (1, 2, 3)}
    folder = fill(tmp_path / "f", files)
    with monkeypatch.context() as patch:
        patch.setattr("collect.fetching.prepare_process", end_at_once)
        with pytest.raises(DecoderFailsError, match="Nothing was marked as broken"):
            run(party, folder)
    assert load_photos(party) == {}
    assert run(party, folder).tally.fetched == 3


def test_broken_photographs_are_retried_on_request(any_party: Party, tmp_path: Path) -> None:
    files = {"a.jpg": jpeg_bytes(300, 200), "b.jpg": b"no picture", "c.jpg": jpeg_bytes(301, 200)}
    folder = fill(tmp_path / "f", files)
    run(any_party, folder)
    with any_party.catalogue.writing() as session:  # as a machine without memory left it once
        photo = session.scalars(select(Photo).where(Photo.title == "c.jpg")).one()
        photo.state = PhotoState.BROKEN
        photo.reason = "decoder_ended"
        photo.image_id = None
    again = run(any_party, folder)
    assert (again.known, again.tally.fetched) == (3, 0)
    retried = run(any_party, folder, retry_broken=True)
    assert (retried.known, dict(retried.tally.broken)) == (1, {"not_jpeg": 1})
    photos = load_photos(any_party)
    assert photos["c.jpg"].image_id is not None
    assert photos["c.jpg"].reason is None
    assert photos["b.jpg"].state is PhotoState.BROKEN


def test_a_table_in_the_folder_gives_owner_title_and_licence(party: Party, tmp_path: Path) -> None:
    folder = fill(
        tmp_path / "f", {f"{number}.jpg": jpeg_bytes(300, 200, tint=number) for number in range(3)}
    )
    (folder / "photos.csv").write_text(
        "file,owner,title,licence,page,url,class,taken\n"
        "0.jpg,ann,A cat,CC BY 2.0,https://x.example/0,https://x.example/0.jpg,cat,2011-02-03\n"
        "1.jpg,ann,Mine,All Rights Reserved,,,,\n"
        "gone.jpg,ann,,,,,,\n"
    )
    count = run(party, folder)
    photos = load_photos(party)
    assert set(photos) == {"A cat", "2.jpg"}
    cat = photos["A cat"]
    assert (cat.owner_id, cat.licence_id, cat.licence_name) == ("ann", "4", "CC BY 2.0")
    assert cat.licence_url == "https://creativecommons.org/licenses/by/2.0/"
    assert (cat.page_url, cat.image_url) == ("https://x.example/0", "https://x.example/0.jpg")
    assert (cat.taken_at_text, cat.taken_at_unknown) == ("2011-02-03", False)
    assert {refusal.where: refusal.reason for refusal in count.refusals} == {
        "line 4": "there is no file gone.jpg",
        "1.jpg": "its licence All Rights Reserved is not among collect.licences",
    }


def test_the_licence_option_applies_where_a_table_names_none(party: Party, tmp_path: Path) -> None:
    fill(tmp_path, {"a.jpg": jpeg_bytes(200, 150), "b.jpg": jpeg_bytes(200, 150, tint=9)})
    (tmp_path / "photos.json").write_text('[{"file": "a.jpg", "licence": "CC BY-SA 4.0"}]')
    run(party, tmp_path, licence="cc by 4.0")
    photos = [photo for _title, photo in sorted(load_photos(party).items())]
    assert [(photo.licence_id, photo.licence_name, photo.licence_url) for photo in photos] == [
        ("12", "CC BY-SA 4.0", "https://creativecommons.org/licenses/by-sa/4.0/"),
        ("11", "CC BY 4.0", "https://creativecommons.org/licenses/by/4.0/"),
    ]


@pytest.mark.parametrize("says", ["order", "settings"])
def test_files_without_required_licence_are_named(party: Party, tmp_path: Path, says: str) -> None:
    fill(tmp_path, {"a.jpg": jpeg_bytes(300, 200), "b.jpg": jpeg_bytes(300, 200, tint=9)})
    (tmp_path / "photos.csv").write_text("file,licence\na.jpg,4\n")
    party = with_collect(party, require_licence=says == "settings")
    count = run(party, tmp_path, require_licence=says == "order")
    assert {refusal.where: refusal.reason for refusal in count.refusals} == {
        "b.jpg": "it has no licence, and this import requires one"
    }
    assert count.unlicensed == 0
    assert [photo.licence_id for photo in load_photos(party).values()] == ["4"]


def test_the_date_taken_comes_from_exif(party: Party, tmp_path: Path) -> None:
    files = {"a.jpg": dated_jpeg(), "b.jpg": jpeg_bytes(300, 200)}
    run(party, fill(tmp_path / "f", files))
    photos = load_photos(party)
    assert photos["a.jpg"].taken_at_text == "2010-05-04 12:34:56"
    assert not photos["a.jpg"].taken_at_unknown
    assert photos["b.jpg"].taken_at_text is None
    assert photos["b.jpg"].taken_at_unknown


def test_other_files_and_hidden_files_are_skipped(party: Party, tmp_path: Path) -> None:
    files = {"a.jpg": jpeg_bytes(300, 200), "notes.txt": b"x", ".b.jpg": b"x", ".c/d.jpg": b"x"}
    order = FolderOrder(fill(tmp_path / "f", files))
    assert list_folder(order).names == ("a.jpg",)


@pytest.mark.parametrize(
    ("table", "says"),
    [("file\nsame.jpg\n", "is the name of 2 files"), ("file\na.jpg\na.jpg\n", "has a.jpg already")],
)
def test_an_ambiguous_or_wrong_table_is_refused(tmp_path: Path, table: str, says: str) -> None:
    names = ("a.jpg", "x/same.jpg", "y/same.jpg")
    folder = fill(tmp_path / "f", dict.fromkeys(names, b"x") | {"photos.csv": table.encode()})
    with pytest.raises(SettingsError, match=says):
        list_folder(FolderOrder(folder))


def test_a_folder_without_pictures_or_known_class_is_refused(party: Party, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="is not a folder"):
        run(party, tmp_path / "none")
    with pytest.raises(SettingsError, match="holds no picture file"):
        run(party, fill(tmp_path / "f", {"a.txt": b"x"}))
    fill(tmp_path / "f", {"a.jpg": jpeg_bytes(300, 200)})
    with pytest.raises(SettingsError, match="Unknown class 'zebra'"):
        run(party, tmp_path / "f", class_name="zebra")
    assert load_photos(party) == {}


def test_a_full_image_store_stops_the_import_without_losing_what_was_stored(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{number}.jpg": jpeg_bytes(300, 200, tint=number) for number in range(4)}
    folder = fill(tmp_path / "f", files)
    put = type(party.store).put
    left = [2]

    def full(_store: object, data: bytes) -> str:
        if not left[0]:
            raise ImageStoreError("The image store did not take a file: no space left.")
        left[0] -= 1
        return put(party.store, data)

    with monkeypatch.context() as patch:
        patch.setattr(type(party.store), "put", full)
        with pytest.raises(ImageStoreError):
            run(party, folder, workers=1)
    assert run(party, folder).tally.fetched == 2
    assert all(party.store.has(sha256) for sha256 in load_rows(party, select(Image.sha256)))


def test_an_import_that_stops_counts_what_it_recorded(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {f"{name}.jpg": jpeg_bytes(300, 200, tint=ord(name)) for name in "abcd"}
    folder = fill(tmp_path / "f", files)
    put = ImageStore.put
    first = digest_of(files["a.jpg"])
    others = threading.Semaphore(0)

    def lose_first(store: ImageStore, data: bytes) -> str:
        if digest_of(data) == first:
            for _other in range(3):
                assert others.acquire(timeout=60)
            raise ImageStoreError("The image store of this party is not here.")
        others.release()
        return put(store, data)

    monkeypatch.setattr(ImageStore, "put", lose_first)
    count = ImportCount()
    order = FolderOrder(folder, workers=4)
    with pytest.raises(ImageStoreError):
        import_folder(party, order, list_folder(order), count, now=lambda: NOW)
    assert count.tally.fetched == len(load_rows(party, select(Image))) == 3


def test_the_command_summarises_the_import_in_one_line(party: Party, tmp_path: Path) -> None:
    files = {"a.jpg": jpeg_bytes(300, 200), "b.jpg": b"%PDF-1.7"}
    folder = fill(tmp_path / "f", files)
    words = ["import", "folder", str(folder), "--class", "cat", "--party", str(party.folder)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert done.stdout == (
        "Fetched 1; gone 0; broken 1 (not jpeg 1); identical files 0. Already known 0; skipped 0.\n"
    )
    assert (
        "1 photograph has no licence. Make sure that you may use it; run the same command with "
        "--licence to set one, or with --require-licence to skip such photographs." in done.stderr
    )
    again = CliRunner().invoke(main, [*words, "--licence", "CC BY 2.0"])
    assert again.exit_code == 0, again.output
    assert "Already known 2, of which 1 got their licence" in again.stdout
    (photo,) = load_rows(party, select(Photo).where(Photo.state == PhotoState.FETCHED))
    assert (photo.licence_id, photo.licence_name) == ("4", "CC BY 2.0")
    other = CliRunner().invoke(main, [*words, "--licence", "CC BY-SA 2.0"])
    assert "Already known 2; skipped 0." in other.stdout


@pytest.mark.parametrize("licence", ["all rights reserved", "mine"])
def test_a_licence_not_accepted_is_refused(party: Party, tmp_path: Path, licence: str) -> None:
    fill(tmp_path, {"a.jpg": jpeg_bytes(200, 150)})
    with pytest.raises(SettingsError, match="--licence: "):
        run(party, tmp_path, licence=licence)
    assert list(party.store.digests()) == []


def test_damaged_exif_loses_only_the_date_taken() -> None:
    data = dated_jpeg()
    damaged = data.replace(b"2010:05:04", b"\xff\xfe\0\0\0\0\0\0\0\0")
    damaged = damaged.replace(b"2001:01:01", b"0000:00:00")
    assert find_taken_at(damaged) is None
    assert find_taken_at(data[:60]) is None
    assert find_taken_at(b"") is None


def test_pictures_of_other_formats_become_jpeg(party: Party, tmp_path: Path) -> None:
    png = io.BytesIO()
    webp = io.BytesIO()
    clear = draw_picture(300, 200)
    clear.putalpha(0)
    clear.save(png, "PNG")
    draw_picture(320, 200).save(webp, "WEBP", quality=90)
    moving = gif_bytes(300, 200, frames=3)
    heic = b"\0\0\0\x18ftypheic" + bytes(100)
    files = {"a.png": png.getvalue(), "b.webp": webp.getvalue(), "c.gif": moving, "d.heic": heic}
    count = run(party, fill(tmp_path / "f", files))
    assert count.converted == {"PNG": 1, "WebP": 1}
    assert [broken.where for broken in count.broken] == ["c.gif", "d.heic"]
    assert count.broken[1].reason == "not jpeg: HEIC, which needs `pip install pillow-heif`"
    photos = load_photos(party)
    with party.catalogue.reading() as session:
        image = session.get_one(Image, photos["a.png"].image_id)
    assert image.original_sha256 == hashlib.sha256(files["a.png"]).hexdigest()
    with Picture.open(io.BytesIO(party.store.get(image.sha256))) as stored:
        assert (stored.format, stored.size) == ("JPEG", (300, 200))
        assert stored.getpixel((5, 5)) == (255, 255, 255)  # what was transparent is white


@pytest.mark.slow
@pytest.mark.parametrize(
    ("form", "kind"), [("AVIF", "AVIF"), ("BMP", "BMP"), ("TIFF", "TIFF"), ("GIF", "GIF")]
)
def test_still_pictures_of_any_format_that_pillow_reads_are_taken(
    party: Party, tmp_path: Path, form: str, kind: str
) -> None:
    target = io.BytesIO()
    draw_picture(300, 200).save(target, form)
    count = run(party, fill(tmp_path / "f", {f"a.{form.lower()}": target.getvalue()}))
    assert (count.tally.fetched, count.converted) == (1, {kind: 1})


def test_a_tiff_that_asks_to_be_turned_is_turned_once(party: Party, tmp_path: Path) -> None:
    exif = Picture.Exif()
    exif[0x0112] = 6
    target = io.BytesIO()
    draw_picture(300, 200).save(target, "TIFF", exif=exif)
    assert run(party, fill(tmp_path / "f", {"a.tif": target.getvalue()})).tally.fetched == 1
    photo = load_photos(party)["a.tif"]
    with party.catalogue.reading() as session:
        image = session.get_one(Image, photo.image_id)
    assert (image.width, image.height) == (200, 300)


def test_what_is_no_photograph_by_its_bytes_is_counted(party: Party, tmp_path: Path) -> None:
    target = io.BytesIO()
    draw_picture(300, 200).save(target, "TGA")
    ppm = b"P6 300 200 255\n" + bytes(180_000)
    files = {"a.tga": target.getvalue(), "b.ppm": ppm, "c.mpo": jpeg_bytes(300, 200)}
    count = run(party, fill(tmp_path / "f", files))
    assert count.tally.fetched == 1
    assert [broken.where for broken in count.broken] == ["a.tga", "b.ppm"]


def test_too_little_memory_stops_the_import_and_marks_no_file_as_broken(tmp_path: Path) -> None:
    values = {"collect": {"max_pixels": 200_000_000}}
    make_party(tmp_path / "party", name="Zoo", preset="voc2012", values=values)
    folder = fill(tmp_path / "f", {f"{n}.jpg": jpeg_bytes(300, 200, tint=n) for n in range(9)})
    Picture.new("RGB", (11_000, 11_000)).save(folder / "huge.jpg")  # 484 MB, decoded
    program = f"ulimit -v 450000; exec {sys.executable} -m vocparty import folder {folder}"
    done = subprocess.run(
        ["bash", "-c", f"{program} --party {tmp_path / 'party'}"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 1
    (said,) = re.findall(r"^Error: (.*)$", done.stderr, re.MULTILINE)  # wherever it ran short
    decoding = "Photographs cannot be decoded: not enough memory"
    assert said.startswith(decoding) or "No image was changed by that; close other programs" in said
    assert "Traceback" not in done.stderr
    with open_party(tmp_path / "party") as party:
        assert {photo.state for photo in load_photos(party).values()} <= {PhotoState.FETCHED}
