"""How far a run has come, in a line."""

from __future__ import annotations

from collect.snapshots import ClassProgress, Snapshot, as_document, format_line

SNAPSHOT = Snapshot(
    fetched=1200,
    target=5000,
    images_per_sec=31.234,
    secs_to_go=3725.4,
    calls_left=87,
    calls_per_hour=3600,
    gone={"deleted": 3},
    broken={"html": 2, "too_small": 1},
    classes={"aeroplane": ClassProgress(0, 250.0), "cat": ClassProgress(300, 250.0),
             "dog": ClassProgress(0, 0)},
)  # fmt: skip


def test_the_line_says_all_that_an_organiser_wants_to_know() -> None:
    assert format_line(SNAPSHOT) == (
        "1200 of 5000 images, 31.2/s, 1:02:05 to go; calls left 87 (of 3600 an hour); "
        "gone 3, broken 3 (html 2, too_small 1)  aer▁ cat█ dog█"
    )


def test_the_document_holds_the_same() -> None:
    document = as_document(SNAPSHOT)
    assert document["images_per_sec"] == 31.23
    assert document["secs_to_go"] == 3725
    assert document["broken"] == {"html": 2, "too_small": 1}
    assert document["classes"]["cat"] == {"images": 300, "target": 250.0}
