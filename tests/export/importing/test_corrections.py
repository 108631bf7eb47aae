"""Values of annotation files and pictures are corrected to what a release can hold."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from catalog.annotated import AnnotatedObject
from catalog.box import Box
from catalog.image_store import digest_of
from catalog.party import Party, make_party, open_party
from catalog.states import View
from export.importing import corrections
from export.importing.corrections import fit, make_objects
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.importing.reading import TreePicture, read_picture
from export.importing.tree_image import ImportReport, TreeImage
from tests.exporting import contents, export_release, verify_tree
from tests.trees import BOX, write
from tests.vockit.format.test_kit_syntax import BROKEN
from tests.vockit.format.test_nodes import NO_XML
from tests.vockit.format.test_read import IMAGE, PLANTED, VALID
from vockit.foreign.corrections import UncorrectableError
from vockit.format import records
from vockit.format.jpeg import read_jpeg_header
from vockit.format.read import Places, read_annotation
from vockit.format.records import (
    Number,
    VocAction,
    VocBox,
    VocImage,
    VocObject,
    VocPart,
    VocPoint,
    VocSource,
)
from vockit.verify.trees import is_release_folder

WIDTH = 60
HEIGHT = 40
WHOLE = VocBox(2, 3, 50, 30)
Numbers = tuple[Number, Number, Number, Number]


def correct(item: VocObject) -> tuple[AnnotatedObject, list[str]]:
    image = TreeImage("a", places=Places(objects=(7,)))
    (made,) = make_objects(fit(image, VocImage("a.jpg", (item,)), (WIDTH, HEIGHT)))
    assert all(
        (correction.file, correction.line) == ("Annotations/a.xml", 7)
        for correction in image.corrections
    )
    return made, [correction.message for correction in image.corrections]


@pytest.mark.parametrize(
    ("given_box", "becomes", "is_told"),
    [
        ((2, 3, 50, 30), (2, 3, 50, 30), False),
        ((1, 1, WIDTH, HEIGHT), (1, 1, WIDTH, HEIGHT), False),
        ((2, 45.7 - 40, 50, 30), (2, 6, 50, 30), True),
        ((2.5, 3.5, 50.49, 30), (3, 4, 50, 30), True),
        ((0, 0, 59, 39), (1, 1, 59, 39), True),
        ((50, 30, 2, 3), (2, 3, 50, 30), True),
        ((-9, 3, 600, 30), (1, 3, WIDTH, 30), True),
    ],
)
def test_a_box_is_put_on_whole_pixels(given_box: Numbers, becomes: Numbers, is_told: bool) -> None:
    made, messages = correct(VocObject("cat", VocBox(*given_box)))
    assert made.box.xyxy == becomes
    assert bool(messages) == is_told


@pytest.mark.parametrize("outside", [(61, 1, 70, 9), (-5, 1, 0, 9), (1, 41, 9, 50), (1, -3, 9, 0)])
def test_a_box_outside_the_image_is_an_error(outside: Numbers) -> None:
    with pytest.raises(UncorrectableError, match=r"object 1 .* lies outside the 60 x 40 pixels"):
        correct(VocObject("cat", VocBox(*outside)))


@pytest.mark.parametrize(
    ("pose", "view", "is_told"),
    [
        (None, View.UNSPECIFIED, False),
        ("Left", View.LEFT, False),
        ("frontal", View.FRONTAL, True),
        ("SlightlyLeft", View.UNSPECIFIED, True),
    ],
)
def test_a_pose_becomes_a_view(pose: str | None, view: View, is_told: bool) -> None:
    made, messages = correct(VocObject("cat", WHOLE, pose))
    assert made.view == view
    assert bool(messages) == is_told


def test_all_other_fields_are_kept_as_in_the_file() -> None:
    item = VocObject(
        name="person",
        box=WHOLE,
        pose="Rear",
        truncated=True,
        occluded=None,
        difficult=True,
        parts=(VocPart("head", VocBox(1, 1, 5, 5)), VocPart("hand", VocBox(6, 6, 9, 9))),
        actions=(VocAction("walking", True), VocAction("phoning", True), VocAction("other", False)),
        point=VocPoint(12, 13),
    )
    made, messages = correct(item)
    assert messages == []
    assert (made.truncated, made.occluded, made.difficult) == (True, False, True)
    assert [(part.word, part.box) for part in made.parts] == [
        ("head", Box(1, 1, 5, 5)),
        ("hand", Box(6, 6, 9, 9)),
    ]
    assert made.actions == ("phoning", "walking")
    assert made.point_xy == (12, 13)


numbers = st.one_of(
    st.integers(-10_000, 10_000), st.floats(-1e6, 1e6, allow_nan=False, allow_infinity=False)
)


@given(st.tuples(numbers, numbers, numbers, numbers))
def test_a_stored_box_is_always_inside_the_image(given_box: Numbers) -> None:
    try:
        made, messages = correct(VocObject("cat", VocBox(*given_box)))
    except UncorrectableError:
        return
    assert made.box.is_inside(WIDTH, HEIGHT)
    assert bool(messages) == (made.box.xyxy != given_box)


LIMIT = 1_000_000
XMP_SIDEWAYS = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-'
    b'syntax-ns#"><rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" '
    b'tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>'
)


def make_jpeg(
    width: int = 60, height: int = 40, *, orientation: int = 1, mode: str = "RGB"
) -> bytes:
    picture = Image.new("RGB", (width, height), "red")
    picture.paste("blue", (0, 0, width // 2, height // 2))
    exif = Image.Exif()
    exif[0x0112] = orientation
    file = io.BytesIO()
    options = {} if orientation == 1 else {"exif": exif}
    picture.convert(mode).save(file, "JPEG", quality=95, **options)
    return file.getvalue()


def is_blue(data: bytes, place: tuple[int, int]) -> bool:
    with Image.open(io.BytesIO(data)) as image:
        red, _green, blue = image.convert("RGB").getpixel(place)  # type: ignore[misc]
    return bool(blue > red)


@pytest.mark.parametrize("size", [records.VocSize(60, 40, 3), None, records.VocSize(0, 0, 3)])
def test_a_plain_jpeg_is_kept_whatever_size_the_file_states(size: records.VocSize | None) -> None:
    data = make_jpeg()
    assert read_picture(data, size, LIMIT) == TreePicture(data, (60, 40))


def test_a_picture_that_xmp_alone_asks_to_turn_asks_for_nothing_any_more() -> None:
    target = io.BytesIO()
    Image.new("RGB", (60, 40)).save(target, "JPEG", xmp=XMP_SIDEWAYS)
    data = target.getvalue()
    with Image.open(io.BytesIO(data)) as asked:
        assert ImageOps.exif_transpose(asked).size == (40, 60)  # as readers with Pillow see it
    picture = read_picture(data, records.VocSize(60, 40, 3), LIMIT)
    assert picture.original_sha256 == digest_of(data)
    with Image.open(io.BytesIO(picture.data)) as kept:
        assert ImageOps.exif_transpose(kept).size == (60, 40)


@pytest.mark.parametrize("orientation", [2, 3, 6, 8])
def test_a_turned_picture_with_boxes_on_its_raw_pixels_stays_unturned(orientation: int) -> None:
    data = make_jpeg(orientation=orientation)
    picture = read_picture(data, records.VocSize(60, 40, 3), LIMIT)
    assert picture.original_sha256 == digest_of(data)
    assert picture.size_wh == (60, 40)
    with Image.open(io.BytesIO(picture.data)) as stored, Image.open(io.BytesIO(data)) as came:
        assert 0x0112 not in stored.getexif()
        assert stored.tobytes() == came.tobytes()


def test_a_turned_picture_with_boxes_on_the_upright_view_is_turned() -> None:
    data = make_jpeg(orientation=6)
    picture = read_picture(data, records.VocSize(40, 60, 3), LIMIT)
    assert picture.size_wh == (40, 60)
    assert is_blue(picture.data, (35, 5))
    assert not is_blue(picture.data, (5, 5))
    assert picture.original_sha256 == digest_of(data)


def test_a_grey_picture_is_kept_with_a_colour_copy_for_releases() -> None:
    data = make_jpeg(mode="L")
    picture = read_picture(data, None, LIMIT)
    assert picture.data is data
    assert picture.release_data is not None
    assert read_jpeg_header(picture.release_data).fits_voc


@pytest.mark.parametrize(
    ("data", "size", "reason"),
    [
        (b"", None, "no whole JPEG"),
        (b"<html>", None, "no whole JPEG"),
        (make_jpeg()[:-200], None, "no whole JPEG"),
        (
            make_jpeg(),
            records.VocSize(61, 40, 3),
            "says 61 x 40 pixels, but its picture has 60 x 40",
        ),
        (make_jpeg(2000, 2000), None, "2000 x 2000 pixels"),
    ],
)
def test_a_bad_picture_has_a_reason(data: bytes, size: records.VocSize | None, reason: str) -> None:
    with pytest.raises(UncorrectableError, match=reason):
        read_picture(data, size, LIMIT)


NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
FOREIGN = Path(__file__).parents[4] / "shared" / "samples" / "foreign_writers"


def make_tree(root: Path, files: list[bytes]) -> Path:
    """A tree of one set with these annotation files, each with a picture of the stated size."""
    ids = [f"2012_{number:06}" for number in range(1, len(files) + 1)]
    for image_id, data in zip(ids, files, strict=True):
        image = read_annotation(data).image
        size = (int(image.size.width), int(image.size.height)) if image and image.size else (9, 9)
        write(root / f"Annotations/{image_id}.xml", data)
        picture = make_jpeg(*size) + int(image_id[5:]).to_bytes(2)
        write(root / f"JPEGImages/{image_id}.jpg", picture)
    for name in ("train", "trainval"):
        write(root / f"ImageSets/Main/{name}.txt", "".join(f"{image_id}\n" for image_id in ids))
    return root


@pytest.fixture
def other_party(tmp_path: Path) -> Iterator[Party]:
    make_party(tmp_path / "other", name="Other", preset="voc2012")
    with open_party(tmp_path / "other") as other:
        yield other


def bring(party: Party, tree: Path, out: Path) -> tuple[ImportReport, Path]:
    """The report of the import, and the tree of the release made of it."""
    report = import_tree(party, DatasetOrder(tree, only_known=True), at=NOW)
    export_release(party, out, year=2012, at=NOW)
    return report, out / "VOCdevkit" / "VOC2012"


@pytest.mark.slow
def test_every_fault_of_an_annotation_is_corrected_or_skips_the_image(
    party: Party, other_party: Party, tmp_path: Path
) -> None:
    files = [
        text if isinstance(text, bytes) else str(text).encode()
        for text, _ in (*PLANTED, *BROKEN, *NO_XML)
    ]
    tree = make_tree(tmp_path / "in" / "VOC2012", files)
    report, again = bring(party, tree, tmp_path / "out")
    named = {Path(correction.file).stem for correction in report.corrections} | {
        skip.image_id for skip in report.skipped
    }
    assert named >= {f"2012_{number:06}" for number in range(1, len(files) + 1)}
    assert report.imported + len(report.skipped) == len(files)
    assert report.imported > 30
    assert verify_tree(tmp_path / "out") == []
    report, once_more = bring(other_party, again, tmp_path / "once more")
    assert report.corrections == ()
    assert contents(once_more) == contents(again)


@pytest.mark.slow
@pytest.mark.skipif(
    not FOREIGN.is_dir(),
    reason="The files of other programs are not part of the repository, and are not here.",
)
def test_foreign_files_can_be_released(party: Party, other_party: Party, tmp_path: Path) -> None:
    files = [path.read_bytes() for path in sorted(FOREIGN.glob("*.xml"))]
    report, again = bring(party, make_tree(tmp_path / "in" / "VOC2012", files), tmp_path / "out")
    assert [skip.reason[:19] for skip in report.skipped] == ["it has no object, a"]
    assert report.imported == len(files) - 1
    rules = [violation.rule for violation in verify_tree(tmp_path / "out")]
    assert rules == ["annotation-twice"]  # two of the programs wrote the same objects
    report, once_more = bring(other_party, again, tmp_path / "once more")
    assert report.corrections == ()
    assert contents(once_more) == contents(again)


def normalise(record: VocImage, year: int = 2012) -> tuple[VocImage, list[tuple[int, str]]]:
    reading = read_annotation(VALID.replace("\t<", "<").encode())  # not as releases have it
    image = TreeImage("a", places=reading.places)
    is_canonical = reading.style is not None
    made = corrections.normalise(image, record, year, is_canonical=is_canonical)
    return made, [(correction.line, correction.rule) for correction in image.corrections]


def test_a_valid_record_is_not_changed() -> None:
    assert normalise(IMAGE) == (IMAGE, [])


@pytest.mark.parametrize(
    ("folder", "year", "is_kept"),
    [
        ("VOC2012", 2012, True),
        ("VOC2011", 2012, True),
        ("VOC2013", 2012, False),
        ("VOC2004", 2012, False),
        ("VOC1999", 1999, True),
        ("2012", 2012, False),
        ("", 2012, False),
    ],
)
def test_a_folder_element_of_later_is_corrected(folder: str, year: int, is_kept: bool) -> None:
    assert is_release_folder(folder, year) is is_kept
    made, rules = normalise(replace(IMAGE, folder=folder), year)
    assert made.folder == (folder if is_kept else f"VOC{year}")
    assert rules == ([] if is_kept else [(2, "folder")])


def test_missing_source_fields_become_unknown() -> None:
    made, rules = normalise(replace(IMAGE, source=VocSource(database="Tom & Jerry <b>")))
    assert made.source == VocSource("Tom and Jerry (b)", "Unknown", "Unknown")
    assert rules == [(4, "source")] * 3


def test_actions_points_and_parts_are_corrected_for_all_objects() -> None:
    head = VocPart("head", BOX)
    dancer = VocObject(
        "person",
        BOX,
        parts=(head, head),
        actions=(VocAction("jumping", True), VocAction("other", True)),
        point=VocPoint(3, 4),
    )
    made, rules = normalise(replace(IMAGE, objects=(dancer,)))
    assert made.objects[0].actions == (VocAction("jumping", True), VocAction("other", False))
    assert made.objects[0].parts == (head,)
    assert made.objects[0].point == VocPoint(3, 4)
    assert rules == [(15, "part-count"), (15, "actions")]
