"""When photographs are from can be checked from a release alone, without the catalogue."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow.parquet as pq

from catalog.party import Party
from catalog.tables import Photo, Search
from export.release import export_release

from .rows import NOW

WINDOW = {"window_start_at": NOW - timedelta(days=30), "window_end_at": NOW}


def test_a_release_has_the_dates_and_the_sampling_of_each_photograph(
    any_stocked: Party, tmp_path: Path
) -> None:
    """Seven were drawn by upload, the fourth without dates, and the eighth was imported."""
    with any_stocked.catalogue.writing() as session:
        for photo in session.query(Photo):
            photo.result_page = 1
            photo.uploaded_at = datetime(2004 + photo.id, 3, 1, tzinfo=UTC)
            photo.taken_at_text = f"{2000 + photo.id}-02-03 04:05:06"
            photo.taken_at_unknown = photo.id == 2
        undated, imported = session.get_one(Photo, 4), session.get_one(Photo, 8)
        undated.window_start_at = undated.window_end_at = None
        imported.query_id = imported.uploaded_at = None
        told = {"licence_ids": "4", "page": 1, "matches": 9, "returned": 9, "fresh": 9}
        session.add(Search(query_id=1, dates="upload", searched_at=NOW, **told, **WINDOW))
    export_release(any_stocked, tmp_path / "out", year=2026, at=NOW)
    document = json.loads((tmp_path / "out" / "release.json").read_text())
    photos = {it["photos"][0]["source_id"]: it["photos"][0] for it in document["images"]}
    assert photos["5001"]["uploaded_at"] == "2005-03-01T00:00:00Z"
    assert photos["5001"]["taken_at"] == "2001-02-03 04:05:06"
    assert photos["5002"]["taken_at"] is None
    samplings = {source_id: it["sampling"] for source_id, it in photos.items()}
    expected = {f"500{n}": "upload" for n in range(1, 8)} | {"5004": "none", "5008": None}
    assert samplings == expected
    table = pq.read_table(tmp_path / "out" / "data" / "images.parquet").to_pylist()
    for row in table:
        photo = photos[row["source_id"]]
        at = photo["uploaded_at"] and datetime.fromisoformat(photo["uploaded_at"])
        assert (row["uploaded_at"], row["taken_at"], row["sampling"]) == (
            *(at, photo["taken_at"], photo["sampling"]),
        )
    text = (tmp_path / "out" / "DATASHEET.md").read_text()
    assert "1 of 8 photographs were imported" in text
    assert "By year of upload: 2005 1, 2006 1, 2007 1, 2008 1," in text
    assert "uploaded in each year from 2005-01-01 to 2026-05-04." in text
    assert document["sampling"] == {
        "dates": "upload", "first_date": "2005-01-01", "last_date": "2026-05-04"
    }  # fmt: skip
