"""How far a run has come, in a line."""

from __future__ import annotations

from dataclasses import replace

import pytest

from catalog.party import Party
from collect.snapshots import ClassProgress, Snapshot, as_document, fit_line, format_line

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


@pytest.mark.parametrize("columns", range(40, 130, 7))
def test_a_narrow_terminal_loses_names_first_and_then_reasons(columns: int) -> None:
    line = fit_line(SNAPSHOT, columns)
    assert len(line) <= columns
    assert "▁██" in line or line == format_line(SNAPSHOT)
    if columns >= 79:
        assert "31.2/s" in line
        assert "(html" in line


def test_the_bars_of_twenty_classes_fit_eighty_columns(party: Party) -> None:
    classes = {name: ClassProgress(100, 250.0) for name in party.preset.class_names}
    line = fit_line(replace(SNAPSHOT, classes=classes), 79)
    assert line.startswith(f"1200/5000 {'▄' * 20} 31.2/s 1:02:05 left, 87 calls, 3 gone, 3 broken")


def test_the_document_holds_the_same() -> None:
    document = as_document(SNAPSHOT)
    assert document["images_per_sec"] == 31.23
    assert document["secs_to_go"] == 3725
    assert document["broken"] == {"html": 2, "too_small": 1}
    assert document["classes"]["cat"] == {"images": 300, "target": 250.0}
