"""`vocparty collect` from a table: pictures of the stand-in, drawn as from Flickr."""

import shutil
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from catalog.party import Party, open_party
from catalog.states import PhotoState, Source
from catalog.tables import Image, Photo, Query, Search
from collect.errors import Reason, SearchesDryError
from collect.job import Order, Patience, load_forecast, open_source, run_collect
from collect.pauses import Pauses
from collect.probe import probe_source
from collect.source_table.job import AddedTable, TableOrder, add_table
from collect.source_table.rows import COPIES_URL, YFCC_COLUMNS, find_copy
from collect.tally import Tally
from simulate.flickr.search import Library
from simulate.flickr.server import StandIn
from simulate.flickr.yfcc import write_yfcc
from tests.collect.flickrs import CLASSES, at_flickr
from tests.collect.loopback import Handler, Loopback
from tests.collect.pictures import jpeg_bytes
from tests.collect.rows import TestClock
from tests.rows import load_rows
from vockit.errors import SettingsError

from .made import NOON, make_row, write_sqlite


def at_tables(party: Party, flickr: StandIn, **collect: Any) -> Party:
    """The party with settings that collect from tables, whose pictures the stand-in has."""
    values = {"last_date": date(2017, 12, 31), "photos_per_owner_and_day": 5, **collect}
    at = at_flickr(party, flickr, source="table", **values)
    table = replace(at.settings.table, pictures_url=f"http://{flickr.image_host}/")
    return replace(at, settings=replace(at.settings, table=table))


def add(party: Party, source: Path, **order: Any) -> AddedTable:
    return add_table(party, TableOrder(source, **order), now=lambda: NOON)


@pytest.fixture
def listed(party: Party, flickr: StandIn, library: Library, tmp_path: Path) -> Party:
    """A party whose one table has the forty photographs of the stand-in among 500 rows."""
    at = at_tables(party, flickr)
    assert write_yfcc(library, tmp_path / "yfcc.db", 500) == 40
    add(at, tmp_path / "yfcc.db")
    return at


def test_photographs_are_collected_from_a_table_as_from_flickr(
    listed: Party, flickr: StandIn
) -> None:
    tally = run_collect(listed, Order(target=12, classes=CLASSES))
    assert tally.fetched == 12
    photos = load_rows(listed, select(Photo).where(Photo.state == PhotoState.FETCHED))
    assert len(photos) >= 12
    for photo in photos:
        assert photo.source is Source.TABLE
        assert photo.source_id.startswith("yfcc100m:")
        assert photo.licence_id == "4"
        assert photo.uploaded_at is not None
        assert photo.window_start_at is not None
        assert photo.window_end_at is not None
        assert photo.window_start_at <= photo.uploaded_at < photo.window_end_at
    assert {query.source for query in load_rows(listed, select(Query))} == {Source.TABLE}
    searches = load_rows(listed, select(Search))
    assert searches
    assert {search.dates for search in searches} == {"upload"}
    assert not any(name.startswith("flickr.") for name in flickr.requests)


def test_two_tables_with_the_same_ids_give_each_picture_once(listed: Party, tmp_path: Path) -> None:
    added = add(listed, tmp_path / "yfcc.db", name="again")
    assert not added.replaces
    run_collect(listed, Order(target=15, classes=CLASSES, workers=1, seed=3))
    photos = load_rows(listed, select(Photo).where(Photo.state == PhotoState.FETCHED))
    assert {photo.source_id.partition(":")[0] for photo in photos} == {"yfcc100m", "again"}
    images = load_rows(listed, select(Image))
    assert len({image.sha256 for image in images}) == len(images) >= 15
    assert {photo.image_id for photo in photos} == {image.id for image in images}


def test_the_same_seed_draws_the_same_photographs(
    listed: Party, flickr: StandIn, party_template: Path, tmp_path: Path
) -> None:
    shutil.copytree(party_template, tmp_path / "other")
    with open_party(tmp_path / "other") as other:
        add(at_tables(other, flickr), tmp_path / "yfcc.db")
        drawn = []
        for party in (listed, at_tables(other, flickr)):
            run_collect(party, Order(target=8, classes=CLASSES, workers=1, seed=3))
            drawn.append([photo.source_id for photo in load_rows(party, select(Photo))])
    assert drawn[0] == drawn[1]


def test_a_photograph_that_its_owner_withdrew_is_gone(
    party: Party, flickr: StandIn, library: Library, tmp_path: Path
) -> None:
    at = at_tables(party, flickr)
    lost = [make_row(number, dateuploaded=1_400_000_000 + number) for number in range(1, 4)]
    write_yfcc(library, tmp_path / "yfcc.db", 40)
    add(at, tmp_path / "yfcc.db")
    add(at, write_sqlite(tmp_path / "lost.db", lost), name="lost")
    tally = Tally()
    with pytest.raises(SearchesDryError):  # there are eight cats, and these
        run_collect(at, Order(target=9, classes=("cat",)), tally=tally)
    assert (tally.fetched, tally.gone) == (8, {Reason.DELETED: 3})


def test_no_cap_holds_for_owners_that_a_table_does_not_name(
    party: Party, flickr: StandIn, library: Library, tmp_path: Path
) -> None:
    at = at_tables(party, flickr, photos_per_owner=2)
    lines = ["url,title"]
    for photo in library.photos:
        address = f"http://{flickr.image_host}/{photo.server}/{photo.id}_{photo.secret}.jpg"
        lines.append(f"{address},{photo.title}")
    (tmp_path / "museum.csv").write_text("\n".join(lines) + "\n")
    add(at, tmp_path / "museum.csv")
    tally = run_collect(at, Order(target=10, classes=CLASSES))
    assert tally.fetched == 10
    photos = load_rows(at, select(Photo))
    assert {(photo.owner_id, photo.licence_id, photo.window_start_at) for photo in photos} == {
        (None, None, None)
    }
    assert {search.dates for search in load_rows(at, select(Search))} == {"none"}


def test_queries_that_no_row_of_a_table_answers_end_no_run(
    party: Party, flickr: StandIn, library: Library, tmp_path: Path
) -> None:
    at = at_tables(party, flickr)
    cats = [photo for photo in library.photos if "cat" in photo.title.split()]
    lines = ["url,title"]
    for photo in cats:
        address = f"http://{flickr.image_host}/{photo.server}/{photo.id}_{photo.secret}.jpg"
        lines.append(f"{address},{photo.title}")
    (tmp_path / "museum.csv").write_text("\n".join(lines) + "\n")
    add(at, tmp_path / "museum.csv")
    patience = Patience(dry_draws_in_a_row=5)
    tally = run_collect(at, Order(target=len(cats), workers=1, seed=1), patience=patience)
    assert tally.fetched == len(cats) > 1
    searched = load_rows(at, select(Query).where(Query.searches > 0))
    assert len([query for query in searched if not query.matches]) > 5


def test_an_owner_without_dates_is_limited_by_owner_alone(
    party: Party, flickr: StandIn, library: Library, tmp_path: Path
) -> None:
    at = at_tables(party, flickr, photos_per_owner=9, photos_per_owner_and_day=1)
    lines = ["Bild;Name;Von"]
    for photo in library.photos:
        address = f"http://{flickr.image_host}/{photo.server}/{photo.id}_{photo.secret}.jpg"
        lines.append(f"{address};{photo.title};Museum")
    (tmp_path / "museum.csv").write_text("\n".join(lines) + "\n")
    add(at, tmp_path / "museum.csv", columns={"url": "Bild", "title": "Name", "owner": "Von"})
    with pytest.raises(SearchesDryError):
        run_collect(at, Order(target=40, classes=CLASSES))
    assert len(load_rows(at, select(Photo).where(Photo.state == PhotoState.FETCHED))) == 9


def test_a_search_of_a_table_costs_no_call(listed: Party) -> None:
    plan = load_forecast(listed, Order(target=1000))
    assert plan.calls == 0
    assert plan.hours > 0


def test_one_picture_of_a_table_is_tried(listed: Party, time: TestClock) -> None:
    with closing(open_source(listed, time.clock, Pauses(time.clock))) as source:
        probe = probe_source(listed, source)
    assert (probe.width, probe.height) == (320, 240)


def test_without_a_table_nothing_is_collected(party: Party, flickr: StandIn) -> None:
    at = at_tables(party, flickr)
    with pytest.raises(SettingsError, match="vocparty source add FILE"):
        run_collect(at, Order(target=1))
    with pytest.raises(SettingsError, match="vocparty source add FILE"):
        load_forecast(at, Order(target=1))


def test_queries_newer_than_the_pass_are_said(
    listed: Party, caplog: pytest.LogCaptureFixture
) -> None:
    spec = next(spec for spec in listed.preset.classes if spec.name == "cat")
    classes = [
        replace(spec, queries=("cat", "tabby tomcat")) if other is spec else other
        for other in listed.preset.classes
    ]
    newer = replace(listed, preset=replace(listed.preset, classes=tuple(classes)))
    load_forecast(newer, Order(target=2, classes=("cat",)))
    assert caplog.text.count("was not read for 1 of the queries (tabby tomcat)") == 1
    caplog.clear()
    run_collect(newer, Order(target=2, classes=("cat",)))
    assert "was not read for 1 of the queries (tabby tomcat)" in caplog.text
    assert "vocparty source add" in caplog.text


def test_a_table_without_dates_beside_one_with_dates_is_said(
    listed: Party, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "museum.csv").write_text("url,title\nhttps://i.example/1.jpg,cat\n")
    add(listed, tmp_path / "museum.csv")
    run_collect(listed, Order(target=2, classes=("cat",)))
    assert "The table museum was read without dates, so a search by date finds none" in caplog.text
    assert 'Set dates = "none" under [collect]' in caplog.text


def test_a_sample_that_is_damaged_or_missing_is_said(listed: Party) -> None:
    (path,) = (listed.folder / "tables").glob("*.db")
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(Exception, match="is damaged"):
        run_collect(listed, Order(target=1))
    path.unlink()
    with pytest.raises(Exception, match="is missing"):
        run_collect(listed, Order(target=1))


@pytest.mark.parametrize("allowed", [True, False])
def test_a_photograph_that_is_gone_comes_from_its_copy_where_that_is_allowed(
    listed: Party, loopback: Loopback, tmp_path: Path, allowed: bool
) -> None:
    bucket = loopback.url("/bucket/")
    table = replace(listed.settings.table, copies=allowed, copies_url=bucket)
    at = replace(listed, settings=replace(listed.settings, table=table))
    rows = [make_row(number, dateuploaded=1_400_000_000 + number) for number in range(1, 4)]
    for number, row in enumerate(rows):
        copy = find_copy(str(row[YFCC_COLUMNS.index("downloadurl")]))
        assert copy is not None
        loopback.answers[copy.replace(COPIES_URL, "/bucket/")] = answer_picture(number)
    add(at, write_sqlite(tmp_path / "lost.db", rows), name="lost")
    for _run in range(2):  # a run believes at its end that the last ones are gone
        with pytest.raises(SearchesDryError):
            run_collect(at, Order(target=20, classes=("cat",)))
    photos = load_rows(at, select(Photo).where(Photo.source_id.startswith("lost:")))
    assert len(photos) == 3
    assert {photo.state for photo in photos} == {PhotoState.FETCHED if allowed else PhotoState.GONE}
    assert all((bucket in (photo.image_url or "")) is allowed for photo in photos)


def answer_picture(number: int) -> Callable[[Handler], None]:
    picture = jpeg_bytes(320, 240, tint=number * 7)
    return lambda handler: handler.send(200, picture, Content_Type="image/jpeg")
