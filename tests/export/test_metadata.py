"""What pictures carry is read from their files, told, and stripped in an edition where asked."""

import io
from pathlib import Path

import pytest
from click.testing import CliRunner
from PIL import Image

from catalog.party import Party
from export.errors import ReleaseNameError
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.order import ReleaseOrder
from export.planning import plan_release
from tests.exporting import contents, export_release, manifest_of, verify_tree
from tests.party_rows import NOW, jpeg_bytes
from tests.trees import make_tree, write
from vockit.format import metadata
from vockit.format.jpeg import pad_jpeg, strip_jpeg
from vockit.format.metadata import find_metadata, list_naming
from vocparty import main

from .importing.test_blind_trees import correct_one
from .pictures import GPS, pixels, with_comment, with_exif, with_iptc, with_segment, with_xmp

CORRECTS = ReleaseOrder(corrects="VOC2012")
STRIPS = ReleaseOrder(corrects="VOC2012", is_stripped=True)
CASES = [
    (with_exif(1, {}, GPS), metadata.POSITION),
    (with_exif(1, {0x013B: "Ann Author"}), metadata.NAME),
    (with_exif(1, {0x8298: "(c) Ann"}), metadata.NAME),
    (with_exif(1, {0xA430: "Ann Owner"}), metadata.NAME),
    (with_exif(1, {0x9C9D: "Ann".encode("utf-16-le")}), metadata.NAME),
    (with_exif(1, {0xA431: "1234567"}), metadata.SERIAL),
    (with_exif(1, {0x9286: b"ASCII\0\0\0at Ann's"}), metadata.TEXT),
    (with_exif(1, {0x010E: "Ann at home"}), metadata.TEXT),
    (with_exif(1, {0x927C: b"NIKON No=1234567"}), metadata.MAKER),
    (with_comment(1, b"taken by Ann"), metadata.TEXT),
    (
        with_xmp(1, b"<dc:creator><rdf:Seq><rdf:li>Ann</rdf:li></rdf:Seq></dc:creator>"),
        metadata.NAME,
    ),
    (with_xmp(1, b"<photoshop:City>Graz</photoshop:City>"), metadata.PLACE),
    (with_xmp(1, b"<exif:GPSLatitude>47,4N</exif:GPSLatitude>"), metadata.POSITION),
    (with_xmp(1, b"<aux:SerialNumber>1234567</aux:SerialNumber>"), metadata.SERIAL),
    (with_xmp(1, b"<Iptc4xmpExt:PersonInImage>Ann</Iptc4xmpExt:PersonInImage>"), metadata.NAME),
    (with_iptc(1, 80, b"Ann Author"), metadata.NAME),
    (with_iptc(1, 90, b"Graz"), metadata.PLACE),
    (with_iptc(1, 120, b"Ann at home"), metadata.TEXT),
    (with_segment(1, 0xEC, b"Ducky\0\x03\0\x04\0\0Ann"), metadata.NAME),
    (with_segment(1, 0xEB, b"JP\0\1 a manifest of another kind"), metadata.UNREAD),
    (jpeg_bytes(1) + b"a second picture", metadata.UNREAD),
    (with_segment(1, 0xE1, b"Exif\0\0no TIFF at all"), metadata.UNREAD),
]


@pytest.mark.parametrize(("data", "kind"), CASES)
def test_what_may_name_people_or_places_is_found(data: bytes, kind: str) -> None:
    assert kind in list_naming(find_metadata(data))
    assert find_metadata(strip_jpeg(data)) == ()
    assert pixels(strip_jpeg(data)) == pixels(data)


@pytest.mark.parametrize(
    "data",
    [
        jpeg_bytes(1),
        pad_jpeg(jpeg_bytes(1), 65_536),
        with_exif(1, {0x0110: "Camera 1", 0x9286: b"ASCII\0\0\0     "}, {0: b"\2\2\0\0"}),
        with_exif(1, {0x0132: "2020:01:01 10:00:00", 0x013B: "  "}),
        with_xmp(1, b"<xmp:CreatorTool>GIMP</xmp:CreatorTool>"),
        with_segment(1, 0xEC, b"Ducky\0\x01\0\x04\0\0\0<"),
        with_comment(1, b"\0\0  "),
    ],
)
def test_what_names_nobody_is_not_told_as_if_it_did(data: bytes) -> None:
    assert list_naming(find_metadata(data)) == ()


def test_a_colour_profile_is_no_metadata() -> None:
    target = io.BytesIO()
    Image.new("RGB", (8, 8)).save(target, "JPEG", icc_profile=b"a profile")
    assert find_metadata(target.getvalue()) == ()
    assert metadata.has_profile(target.getvalue())


PICTURES = {
    "2012_000001": with_exif(11, {0x013B: "Ann Author", 0x0132: "2020:01:01 10:00:00"}, GPS),
    "2012_000003": with_comment(13, b"taken at Bob's"),
    "2012_000004": with_iptc(14, 80, b"Ann Author"),
}
NAMED = {
    "2012_000001": (metadata.POSITION, metadata.NAME),
    "2012_000003": (metadata.TEXT,),
    "2012_000004": (metadata.NAME,),
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree, of whose six pictures three carry names or places."""
    root = make_tree(tmp_path / "in")
    for image_id, data in PICTURES.items():
        write(root / f"JPEGImages/{image_id}.jpg", data)
    return root


def picture_of(folder: Path, image_id: str) -> bytes:
    return (folder / f"VOCdevkit/VOC2012/JPEGImages/{image_id}.jpg").read_bytes()


def read_warnings(folder: Path) -> set[str]:
    violations = verify_tree(folder)
    assert {(violation.rule, violation.is_warning) for violation in violations} <= {
        ("metadata", True)
    }
    return {Path(violation.file).stem for violation in violations}


def test_a_tree_whose_pictures_name_people_or_places_has_warnings(root: Path) -> None:
    violations = verify_tree(root)
    assert {(violation.rule, violation.is_warning) for violation in violations} == {
        ("metadata", True)
    }
    assert len({violation.file for violation in violations}) == 3


def test_import_verify_and_export_name_the_pictures_with_names_and_places(
    party: Party, root: Path, tmp_path: Path
) -> None:
    said = CliRunner().invoke(main, ["import", "dataset", str(root), "--party", str(party.folder)])
    assert said.exit_code == 0, said.output
    assert "3 pictures may name people or places:" in said.stderr
    assert f"  {metadata.POSITION}: 1 image (2012_000001)" in said.stderr
    assert f"  {metadata.NAME}: 2 images (2012_000001, 2012_000004)" in said.stderr
    assert "--corrects VOC2012 --strip-metadata" in said.stderr
    assert read_warnings(root) == NAMED.keys()
    words = ["export", str(tmp_path / "again"), "--year", "2012", "--party", str(party.folder)]
    said = CliRunner().invoke(main, words)
    assert f"  {metadata.TEXT}: 1 image (2012_000003)" in said.stderr
    assert contents(tmp_path / "again/VOCdevkit/VOC2012") == contents(root)


def test_an_import_reports_metadata_as_values(party: Party, root: Path) -> None:
    assert import_tree(party, DatasetOrder(root), at=NOW).metadata == NAMED


def test_the_datasheet_of_an_edition_says_what_its_pictures_carry(
    party: Party, root: Path, tmp_path: Path
) -> None:
    import_tree(party, DatasetOrder(root), at=NOW)
    correct_one(party)
    export_release(party, tmp_path / "out", year=None, at=NOW, order=CORRECTS)
    sheet = (tmp_path / "out/DATASHEET.md").read_text()
    assert "Pictures with metadata that may name people or places: 3 of 6 pictures." in sheet
    assert "Pictures with other metadata: a time 1, other metadata" in sheet
    assert f"- {metadata.NAME}: 2 (2012\\_000001, 2012\\_000004)" in sheet
    for claim in ("stripped", "were removed", "orientation was applied"):
        assert claim not in sheet
    kinds_of = {
        image["id"]: image.get("metadata", []) for image in manifest_of(tmp_path / "out")["images"]
    }
    assert {
        image_id: list_naming(tuple(kinds)) for image_id, kinds in kinds_of.items() if kinds
    } == NAMED


def test_an_edition_is_made_without_metadata_and_with_every_pixel(
    any_party: Party, root: Path, tmp_path: Path
) -> None:
    import_tree(any_party, DatasetOrder(root), at=NOW)
    words = ["export", str(tmp_path / "out"), "--corrects", "VOC2012", "--strip-metadata"]
    said = CliRunner().invoke(main, [*words, "--party", str(any_party.folder)])
    assert said.exit_code == 0, said.output
    assert "Without metadata since VOC2012: 3 pictures." in said.stderr
    assert "may name people or places" not in said.output
    assert read_warnings(tmp_path / "out") == set()
    for image_id, data in PICTURES.items():
        released = picture_of(tmp_path / "out", image_id)
        assert (released, find_metadata(released)) == (strip_jpeg(data), ())
        assert pixels(released) == pixels(data)
    sheet, changes = (
        (tmp_path / "out" / file).read_text() for file in ("DATASHEET.md", "CHANGELOG.md")
    )
    assert "No picture has metadata that may name people or places" in sheet
    assert "pictures without the metadata that they had, every pixel kept: 3" in changes
    assert "corrected annotation" not in changes
    export_release(any_party, tmp_path / "first", year=2012, at=NOW)
    assert contents(tmp_path / "first/VOCdevkit/VOC2012") == contents(root)
    export_release(any_party, tmp_path / "same", year=None, at=NOW, order=STRIPS)
    assert contents(tmp_path / "same") == contents(tmp_path / "out")


def test_an_extension_can_be_made_without_metadata_too(
    party: Party, root: Path, tmp_path: Path
) -> None:
    import_tree(party, DatasetOrder(root), at=NOW)
    for is_stripped, named in ((False, NAMED.keys()), (True, set[str]())):
        order = ReleaseOrder(extends="VOC2012", is_stripped=is_stripped)
        folder = tmp_path / f"{is_stripped}"
        export_release(party, folder, year=2013, name=f"x{is_stripped}", at=NOW, order=order)
        assert read_warnings(folder) == named


def test_a_recorded_edition_with_metadata_is_not_taken_for_one_without(
    party: Party, root: Path, tmp_path: Path
) -> None:
    import_tree(party, DatasetOrder(root), at=NOW)
    correct_one(party)
    export_release(party, tmp_path / "out", year=None, at=NOW, order=CORRECTS)
    with pytest.raises(ReleaseNameError, match="recorded with metadata in 3 pictures"):
        plan_release(party, year=None, name="VOC2012.1", order=STRIPS)
    plan = export_release(party, tmp_path / "next", year=None, at=NOW, order=STRIPS)
    assert (plan.name, plan.notes.corrects) == ("VOC2012.2", "VOC2012.1")
    assert read_warnings(tmp_path / "next") == set()


def test_a_new_release_of_an_imported_tree_carries_nothing(
    party: Party, root: Path, tmp_path: Path
) -> None:
    import_tree(party, DatasetOrder(root), at=NOW)
    export_release(party, tmp_path / "out", year=2014, at=NOW)
    assert read_warnings(tmp_path / "out") == set()
    assert "No picture has metadata" in (tmp_path / "out/DATASHEET.md").read_text()
    result = CliRunner().invoke(
        main, ["export", "x", "--year", "2014", "--strip-metadata", "--party", str(party.folder)]
    )
    assert (result.exit_code, "with --corrects or --extend" in result.stderr) == (2, True)


def test_the_datasheet_counts_the_pictures_that_were_encoded_anew(
    party: Party, tmp_path: Path
) -> None:
    root = make_tree(tmp_path / "in")
    write(root / "JPEGImages/2012_000002.jpg", jpeg_bytes(2, "L"))
    import_tree(party, DatasetOrder(root), at=NOW)
    correct_one(party)
    export_release(party, tmp_path / "out", year=None, at=NOW, order=CORRECTS)
    sheet = (tmp_path / "out/DATASHEET.md").read_text()
    assert "or scaled down): 0 of 6 pictures." in sheet
    assert "Encoded anew for the release, from what is no JPEG of 8-bit colour: 1." in sheet
    assert "With a colour profile: 0." in sheet
