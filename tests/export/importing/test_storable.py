"""Nothing of an imported tree is stored that a takedown could not find again."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import ImageState
from collect.takedown.erase import erase_files
from collect.takedown.job import TakedownOrder, run_order
from export.importing.job import ImportReport, TreeOrder, import_tree
from tests.export.rows import jpeg_bytes
from tests.export.trees import CAT, annotation, make_tree, mask_bytes, write
from tests.rows import make_image

NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
MASKED = "2012_000001"
FOLDERS = ("SegmentationClass", "SegmentationObject")


def run(party: Party, folder: Path) -> ImportReport:
    return import_tree(party, TreeOrder(folder), at=NOW)


def unlist(root: Path, image_id: str) -> None:
    for path in (root / "ImageSets").rglob("*.txt"):
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not line.startswith(image_id)))


def list_left_behind(report: ImportReport) -> set[str]:
    return {Path(mend.file).parent.name for mend in report.mends if "left behind" in mend.message}


def test_masks_of_an_image_that_no_set_lists_are_told_and_not_stored(
    party: Party, tmp_path: Path
) -> None:
    root = make_tree(tmp_path)
    unlist(root, MASKED)
    report = run(party, root)
    assert (report.imported, report.unreleased, report.masks) == (6, (MASKED,), 0)
    assert list_left_behind(report) == set(FOLDERS)
    stored = set(party.store.digests())
    assert digest_of(mask_bytes()) not in stored
    assert stored == {digest_of(jpeg_bytes(number)) for number in range(6)}


def test_masks_that_come_after_the_release_was_recorded_are_not_stored(
    any_party: Party, tmp_path: Path
) -> None:
    root = make_tree(tmp_path)
    run(any_party, root)
    late = "2012_000007"
    write(root / f"Annotations/{late}.xml", annotation(late, (CAT,)))
    write(root / f"JPEGImages/{late}.jpg", jpeg_bytes(99))
    write(root / "ImageSets/Main/test.txt", f"2012_000004\n{late}\n")
    for folder in FOLDERS:
        write(root / folder / f"{late}.png", mask_bytes(border_px=7))
    report = run(any_party, root)
    assert (report.imported, report.were_there, report.unreleased) == (1, 6, (late,))
    assert digest_of(mask_bytes(border_px=7)) not in set(any_party.store.digests())


def test_what_was_erased_is_not_stored_again_by_the_same_command(
    any_party: Party, tmp_path: Path
) -> None:
    root = make_tree(tmp_path)
    run(any_party, root)
    order = TakedownOrder((f"voc:{MASKED}",), (), "the owner asked", erase=True)
    run_order(any_party, order, now=lambda: NOW)
    left = set(any_party.store.digests())
    assert not left & {digest_of(jpeg_bytes(0)), digest_of(mask_bytes())}
    report = run(any_party, root)
    assert [(it.image_id, it.reason) for it in report.skipped] == [(MASKED, "it was taken down")]
    assert set(any_party.store.digests()) == left
    assert erase_files(any_party, None, at=NOW) == ()


def test_the_bytes_of_an_image_that_was_taken_down_are_not_stored_under_another_name(
    any_party: Party, tmp_path: Path
) -> None:
    with any_party.catalogue.writing() as session:
        session.add(
            make_image(
                digest_of(jpeg_bytes(0)),
                NOW,
                width=60,
                height=40,
                state=ImageState.TAKEN_DOWN,
                erased_at=NOW,
            )
        )
    report = run(any_party, make_tree(tmp_path))
    ((skipped, reason),) = [(it.image_id, it.reason) for it in report.skipped]
    assert skipped == MASKED
    assert reason == "its file is that of image 1 of the party, which is taken_down"
    assert not {digest_of(jpeg_bytes(0)), digest_of(mask_bytes())} & set(any_party.store.digests())
