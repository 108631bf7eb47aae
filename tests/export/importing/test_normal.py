"""Whatever an annotation file said, what is imported can be released, and comes back the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from catalog.new_party import make_party
from catalog.party import Party, open_party
from export.importing.job import ImportReport, TreeOrder, import_tree
from export.importing.normal import Normaliser, is_release_folder
from export.release import export_release
from export.verify.check import verify_tree
from export.voc.read import read_annotation
from export.voc.records import VocAction, VocImage, VocObject, VocPart, VocPoint, VocSource
from tests.export.importing.test_picture import make_jpeg
from tests.export.outcome import contents
from tests.export.trees import BOX, write
from tests.export.voc.test_read import IMAGE, PLANTED, VALID

pytestmark = pytest.mark.slow

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
FOREIGN = Path(__file__).parents[4] / "shared" / "samples" / "foreign_writers"


def make_tree(root: Path, files: list[bytes]) -> Path:
    """A tree of one set with these annotation files, each with a picture of the size it gives."""
    ids = [f"2012_{number:06}" for number in range(1, len(files) + 1)]
    for image_id, data in zip(ids, files, strict=True):
        image = read_annotation(data).image
        size = (int(image.size.width), int(image.size.height)) if image and image.size else (9, 9)
        write(root / f"Annotations/{image_id}.xml", data)
        picture = make_jpeg(*size) + int(image_id[5:]).to_bytes(2)
        write(root / f"JPEGImages/{image_id}.jpg", picture)
    for name in ("train", "trainval"):
        write(root / f"ImageSets/Main/{name}.txt", "".join(f"{it}\n" for it in ids))
    return root


@pytest.fixture
def other_party(tmp_path: Path) -> Iterator[Party]:
    make_party(tmp_path / "other", name="Other", preset="voc2012")
    with open_party(tmp_path / "other") as other:
        yield other


def bring(party: Party, tree: Path, out: Path) -> tuple[ImportReport, Path]:
    """What the import told, and the tree of the release that was made of it."""
    report = import_tree(party, TreeOrder(tree, only_known=True), at=NOW)
    export_release(party, out, year=2012, at=NOW)
    return report, out / "VOCdevkit" / "VOC2012"


def test_every_fault_of_an_annotation_is_mended_or_keeps_the_image_out(
    party: Party, other_party: Party, tmp_path: Path
) -> None:
    files = [text if isinstance(text, bytes) else str(text).encode() for text, _ in PLANTED]
    tree = make_tree(tmp_path / "in" / "VOC2012", files)
    report, again = bring(party, tree, tmp_path / "out")
    told = {Path(it.file).stem for it in report.mends} | {it.image_id for it in report.skipped}
    assert told >= {f"2012_{number:06}" for number in range(1, len(files) + 1)}
    assert report.imported + len(report.skipped) == len(files)
    assert report.imported > 30
    assert verify_tree(tmp_path / "out") == []
    report, once_more = bring(other_party, again, tmp_path / "once more")
    assert report.mends == ()
    assert contents(once_more) == contents(again)


@pytest.mark.skipif(not FOREIGN.is_dir(), reason="the files of other programs are not here")
def test_files_of_other_programs_can_be_released(
    party: Party, other_party: Party, tmp_path: Path
) -> None:
    files = [path.read_bytes() for path in sorted(FOREIGN.glob("*.xml"))]
    report, again = bring(party, make_tree(tmp_path / "in" / "VOC2012", files), tmp_path / "out")
    assert [it.reason[:19] for it in report.skipped] == ["it has no object, a"]
    assert report.imported == len(files) - 1
    assert verify_tree(tmp_path / "out") == []
    report, once_more = bring(other_party, again, tmp_path / "once more")
    assert report.mends == ()
    assert contents(once_more) == contents(again)


def normalise(record: VocImage, year: int = 2012) -> tuple[VocImage, list[tuple[int, str]]]:
    reading = read_annotation(VALID.replace("\t<", "<").encode())  # not as releases have it
    normaliser = Normaliser("a.xml", year, reading)
    made = normaliser.normalise(record)
    return made, [(it.line, it.rule) for it in normaliser.mends]


def test_a_record_that_a_release_may_hold_stays_as_it_is() -> None:
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
def test_a_folder_is_that_of_the_release_or_of_an_earlier_year(
    folder: str, year: int, is_kept: bool
) -> None:
    assert is_release_folder(folder, year) is is_kept
    made, told = normalise(replace(IMAGE, folder=folder), year)
    assert made.folder == (folder if is_kept else f"VOC{year}")
    assert told == ([] if is_kept else [(2, "folder")])


def test_a_source_that_nobody_named_is_unknown() -> None:
    made, told = normalise(replace(IMAGE, source=VocSource(database="Tom & Jerry <b>")))
    assert made.source == VocSource("Tom and Jerry (b)", "Unknown", "Unknown")
    assert told == [(4, "source")] * 3


def test_actions_points_and_parts_are_made_to_fit_all_objects() -> None:
    head = VocPart("head", BOX)
    dancer = VocObject(
        "person",
        BOX,
        parts=(head, head),
        actions=(VocAction("jumping", True), VocAction("other", True)),
        point=VocPoint(3, 4),
    )
    made, told = normalise(replace(IMAGE, objects=(dancer,)))
    assert made.objects[0].actions == (VocAction("jumping", True), VocAction("other", False))
    assert made.objects[0].parts == (head,)
    assert made.objects[0].point == VocPoint(3, 4)
    assert told == [(15, "part-count"), (15, "actions")]
