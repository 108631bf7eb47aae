"""Our images are found among theirs, by their pictures or by their hashes alone."""

import io
from pathlib import Path

import pytest
from PIL import Image as PILImage

from catalog.party import Party
from catalog.states import ImageState
from dedup import matching
from dedup.overlap.files import gather, list_images, read_folder
from dedup.overlap.hash_file import format_hashes, read_hashes
from dedup.overlap.ours import parse_scope
from dedup.overlap.report import OverlapReport, find_overlap_report
from dedup.overlap.theirs import OverlapError, Theirs
from dedup.pairs import Relation
from tests.dedup.images import add_file, add_hashed, set_state
from tests.dedup.photographs import jpeg, originals, tiles
from vockit.format.image_sets import Split

from .folders import COPIES, OURS, crop, hold_originals, make_theirs, release, write_files

KINDS = ("pictures", "hashes")


def read(folder: Path, kind: str) -> Theirs:
    if kind == "pictures":
        return gather("theirs", read_folder(folder))
    text = "".join(format_hashes(read_folder(folder)))
    return read_hashes(io.BytesIO(text.encode()), "theirs")


def compare(party: Party, folder: Path, kind: str, against: str = "all") -> OverlapReport:
    return find_overlap_report(party, read(folder, kind), parse_scope(against))


def names(report: OverlapReport) -> dict[str, int]:
    return {overlap.name: overlap.image.image_id for overlap in report.near}


@pytest.mark.parametrize("kind", KINDS)
def test_changed_and_partial_copies_are_found_and_nothing_else(
    party: Party, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = hold_originals(party)
    folder = make_theirs(tmp_path / "theirs")
    report = compare(party, folder, kind)
    assert names(report) == {name: ids[ours] for name, ours in COPIES.items()}
    assert {overlap.relation for overlap in report.near} == {Relation.DUPLICATE}
    assert (report.ours, report.theirs, report.unreadable) == (len(OURS), 8, [])
    has_picture = kind == "pictures"
    assert all((overlap.similarity is not None) == has_picture for overlap in report.overlaps)
    assert all((overlap.distance_bits is None) == has_picture for overlap in report.overlaps)
    monkeypatch.setattr(matching, "BYTES_PER_IMAGE", 1 << 40)  # five images at a time
    assert names(compare(party, folder, kind)) == names(report)


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_that_contains_ours_is_found(party: Party, tmp_path: Path, kind: str) -> None:
    part = add_file(party, jpeg(crop(originals()["coffee"], 0.1)))
    hold_originals(party, ("rocket",))
    folder = write_files(tmp_path / "theirs", {"whole.jpg": jpeg(originals()["coffee"])})
    assert names(compare(party, folder, kind)) == {"whole.jpg": part}


@pytest.mark.parametrize("kind", KINDS)
def test_pieces_that_share_no_pixel_do_not_match(party: Party, tmp_path: Path, kind: str) -> None:
    # A painted wheel of colours is left out: its quarters mirror one another but for the colours.
    pieces = {name: jpeg(image) for name, image in sorted(tiles().items()) if "color" not in name}
    held = sorted(pieces)[::2]
    for name in held:
        add_file(party, pieces[name])
    hold_originals(party, ())
    others = {f"{name}.jpg": pieces[name] for name in sorted(pieces)[1::2]}
    assert names(compare(party, write_files(tmp_path / "theirs", others), kind)) == {}


def test_only_the_images_of_the_scope_are_compared(party: Party, tmp_path: Path) -> None:
    ids = hold_originals(party)
    folder = make_theirs(tmp_path / "theirs")
    release(party, "VOC2026", {ids["astronaut"]: Split.TEST, ids["chelsea"]: Split.TRAIN})
    release(party, "VOC2027", {ids["coffee"]: Split.TEST})
    overlapping = {
        against: sorted(names(compare(party, folder, "pictures", against)))
        for against in ("test", "test:VOC2026", "release:VOC2026", "release:VOC2027")
    }
    assert overlapping == {
        "test": ["deep/mirrored.jpg", "recompressed.jpg"],
        "test:VOC2026": ["recompressed.jpg"],
        "release:VOC2026": ["cropped.jpg", "recompressed.jpg"],
        "release:VOC2027": ["deep/mirrored.jpg"],
    }
    (first, *_rest) = compare(party, folder, "pictures", "test:VOC2026").near
    assert (first.image.release, first.image.split) == ("VOC2026", Split.TEST)
    assert first.image.public_id == f"2026_{ids['astronaut']:06d}"


def test_taken_down_images_and_old_hashes_are_not_compared(party: Party, tmp_path: Path) -> None:
    ids = hold_originals(party)
    add_hashed(party, 3, recipe="an older one")
    set_state(party, ids["astronaut"], ImageState.TAKEN_DOWN)
    report = compare(party, make_theirs(tmp_path / "theirs"), "pictures")
    assert "recompressed.jpg" not in names(report)
    assert (report.ours, report.not_hashed, report.is_clear) == (len(OURS), 1, False)


def test_flat_images_match_nothing_and_are_counted(party: Party, tmp_path: Path) -> None:
    hold_originals(party, ("rocket",))
    add_file(party, jpeg(PILImage.new("RGB", (500, 375))))
    hold_originals(party, ())
    folder = write_files(tmp_path / "theirs", {"black.jpg": jpeg(PILImage.new("RGB", (300, 300)))})
    report = compare(party, folder, "pictures")
    assert (names(report), report.plain) == ({}, 1)
    assert report.is_clear


@pytest.mark.parametrize(
    ("against", "sentence"),
    [
        ("test", "release some first"),
        ("release:VOC2026", "There is no release VOC2026; there is none at all."),
        ("test:VOC2026", "There is no release VOC2026"),
        ("all", "collect some first"),
        ("tests", "--against tests is not known"),
        ("release", "is not known"),
        ("all:VOC2026", "is not known"),
    ],
)
def test_an_empty_or_unknown_scope_is_refused_in_a_sentence(
    party: Party, tmp_path: Path, against: str, sentence: str
) -> None:
    folder = write_files(tmp_path / "theirs", {"rocket.jpg": jpeg(originals()["rocket"])})
    with pytest.raises(OverlapError, match=sentence):
        compare(party, folder, "pictures", against)


def test_image_files_are_recognised_by_suffix_or_first_bytes(tmp_path: Path) -> None:
    picture = jpeg(originals()["rocket"])
    write_files(
        tmp_path, {"a.JPG": b"", "b": picture, "c.txt": b"text", "d/e.dat": picture, ".f.jpg": b""}
    )
    (tmp_path / "g.jpg").mkdir()
    (tmp_path / "gone.jpg").symlink_to(tmp_path / "nowhere")
    assert list_images(tmp_path) == ["a.JPG", "b", "d/e.dat"]
