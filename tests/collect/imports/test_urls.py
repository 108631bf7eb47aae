"""Photographs at addresses come through the collector's own downloader."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.errors import SettingsError
from catalog.party import Party
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.imports.job import ImportCount
from collect.imports.urls import UrlsOrder, import_urls, load_urls
from tests.collect.clocks import TestClock
from tests.collect.loopback import Handler, Loopback
from tests.collect.pictures import jpeg_bytes
from vocparty import main


def run(party: Party, table: Path, *hosts: str, clock: TestClock | None = None) -> ImportCount:
    order, count = UrlsOrder(table, hosts), ImportCount()
    turned = clock or TestClock()
    import_urls(party, order, load_urls(party, order), count, clock=turned.clock)
    return count


def quick(party: Party) -> Party:
    collect = replace(party.settings.collect, attempts=3)
    return replace(party, settings=replace(party.settings, collect=collect))


def load_photos(party: Party) -> dict[str, Photo]:
    with party.catalogue.reading() as session:
        return {photo.source_id: photo for photo in session.scalars(select(Photo))}


def serve(loopback: Loopback, path: str, data: bytes) -> str:
    loopback.answers[path] = lambda handler: handler.send(200, data)
    return loopback.url(path)


def write(folder: Path, *lines: str) -> Path:
    path = folder / "museum.csv"
    path.write_text("\n".join(("id,url,owner,licence,class", *lines)) + "\n")
    return path


def test_each_address_becomes_a_photo(any_party: Party, tmp_path: Path, loopback: Loopback) -> None:
    first = serve(loopback, "/a.jpg", jpeg_bytes(300, 200))
    second = serve(loopback, "/b.jpg", jpeg_bytes(300, 200, tint=9))
    table = write(tmp_path, f"m-1,{first},ann,4,cat", f",{second},,,")
    count = run(any_party, table, loopback.host)
    assert count.tally.fetched == 2
    photos = load_photos(any_party)
    assert set(photos) == {"m-1", second}
    photo = photos["m-1"]
    assert (photo.source, photo.state) == (Source.URLS, PhotoState.FETCHED)
    assert (photo.owner_id, photo.licence_name, photo.image_url) == ("ann", "CC BY 2.0", first)
    with any_party.catalogue.reading() as session:
        found = session.get_one(Photo, photo.id).query
        assert found is not None
        assert (found.source, found.class_name, found.keyword) == (Source.URLS, "cat", "museum")


def test_the_same_table_again_asks_nobody(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    table = write(tmp_path, f",{serve(loopback, '/a.jpg', jpeg_bytes(300, 200))},,,")
    run(party, table, loopback.host)
    count = run(party, table, loopback.host)
    assert count.known == 1
    assert loopback.server.paths == ["/a.jpg"]


def test_hosts_that_nobody_allowed_are_named_before_anything_is_asked(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    table = write(tmp_path, f",{loopback.url('/a.jpg')},,,", ",https://museum.example/b.jpg,,,")
    says = rf"{loopback.host} \(1\), museum.example \(1\); allow each with --host"
    with pytest.raises(SettingsError, match=says):
        run(party, table)
    assert loopback.server.paths == []


def test_a_redirect_to_a_host_that_nobody_allowed_is_not_followed(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    elsewhere = loopback.url("/b.jpg").replace("127.0.0.1", "localhost")
    loopback.answers["/a.jpg"] = lambda handler: handler.send(302, Location=elsewhere)
    count = run(party, write(tmp_path, f"a,{loopback.url('/a.jpg')},,,"), loopback.host)
    assert dict(count.tally.broken) == {"foreign_address": 1}
    assert loopback.server.paths == ["/a.jpg"]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (",ftp://x.example/a.jpg,,,", "'ftp://x.example/a.jpg' is not a web address"),
        (",,,,", "'' is not a web address"),
        (",https://ann:pw@x.example/a.jpg,,,", "is not a web address"),
        (",https://live.staticflickr.com/a.jpg,,0,", "All Rights Reserved is not among"),
    ],
)
def test_a_line_that_says_nothing_useful_is_left_out_by_name(
    party: Party, tmp_path: Path, line: str, says: str
) -> None:
    (refusal,) = run(party, write(tmp_path, line)).refusals
    assert refusal.where == "line 2"
    assert says in refusal.reason
    assert load_photos(party) == {}


def test_where_a_licence_is_required_nobody_is_asked_for_those_without(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    table = write(tmp_path, f"m-1,{serve(loopback, '/a.jpg', jpeg_bytes(300, 200))},ann,,cat")
    words = ["import", "urls", str(table), "--party", str(party.folder), "--host", loopback.host]
    done = CliRunner().invoke(main, [*words, "--require-licence"])
    assert done.exit_code == 0, done.output
    assert "Skipped line 2: it has no licence, and this import requires one." in done.stderr
    assert loopback.server.paths == []
    assert load_photos(party) == {}


def test_what_is_lost_keeps_its_reason(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    loopback.answers["/gone.jpg"] = lambda handler: handler.send(404)
    table = write(
        tmp_path,
        f"g,{loopback.url('/gone.jpg')},,,",
        f"b,{serve(loopback, '/b.jpg', jpeg_bytes(300, 200)[:-100])},,,",
        f"c,{serve(loopback, '/c.jpg', jpeg_bytes(300, 200))},,,",
    )
    count = run(party, table, loopback.host)
    assert (count.tally.fetched, sum(count.tally.gone.values())) == (1, 1)
    photos = load_photos(party)
    assert photos["g"].state is PhotoState.GONE
    assert photos["b"].state is PhotoState.BROKEN


def test_a_passing_fault_is_waited_out(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    data, left = jpeg_bytes(300, 200), [2]

    def answer(handler: Handler) -> None:
        left[0] -= 1
        if left[0] >= 0:
            handler.send(429, Retry_After="7")
        else:
            handler.send(200, data)

    loopback.answers["/a.jpg"] = answer
    clock = TestClock()
    table = write(tmp_path, f",{loopback.url('/a.jpg')},,,")
    assert run(quick(party), table, loopback.host, clock=clock).tally.fetched == 1
    assert clock.waits_secs == [7.0, 7.0]


def test_a_host_that_stays_busy_leaves_the_photograph_for_the_next_run(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    loopback.answers["/a.jpg"] = lambda handler: handler.send(503)
    table = write(tmp_path, f",{loopback.url('/a.jpg')},,,")
    count = run(quick(party), table, loopback.host)
    assert "its host was busy" in count.refusals[0].reason
    assert load_photos(party) == {}
    serve(loopback, "/a.jpg", jpeg_bytes(300, 200))
    assert run(quick(party), table, loopback.host).tally.fetched == 1


def test_a_host_that_is_given_up_ends_the_command_with_the_cause(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collect.pauses.real_clock", lambda _stopping: TestClock().clock)
    table = write(tmp_path, ",http://127.0.0.1:9/a.jpg,,,")
    words = ["import", "urls", str(table), "--host", "127.0.0.1:9"]
    done = CliRunner().invoke(main, [*words, "--party", str(party.folder)])
    assert done.exit_code == 1
    assert "no connection: refused" in done.output.splitlines()[-1]


def test_a_table_may_say_source_and_dates(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    urls = [serve(loopback, f"/{n}.jpg", jpeg_bytes(300, 200, tint=n)) for n in range(4)]
    table = tmp_path / "found.csv"
    lines = (
        "id,url,source,query,uploaded",
        f"123,{urls[0]},Commons,zebra crossing,2015-05-06T07:08:09+02:00",
        f",{urls[1]},Museum of Ann,zebra,2014-01-02",
        f",{urls[2]},flickr,zebra,",
        f",{urls[3]},,,yesterday",
    )
    table.write_text("\n".join(lines) + "\n")
    count = run(party, table, loopback.host)
    assert [one.reason for one in count.refusals] == [
        "it is of flickr, and there is no id of it there",
        "uploaded is 'yesterday', not a date like 2024-05-31",
    ]
    with party.catalogue.reading() as session:
        rows = session.execute(
            select(Photo.source, Photo.source_id, Query.keyword, Photo.uploaded_at)
            .join(Photo.query)
            .order_by(Photo.uploaded_at.desc())
        ).all()
    assert [tuple(row) for row in rows] == [
        (Source.COMMONS, "123", "zebra crossing", datetime(2015, 5, 6, 5, 8, 9, tzinfo=UTC)),
        (Source.URLS, urls[1], "Museum of Ann: zebra", datetime(2014, 1, 2, tzinfo=UTC)),
    ]
    assert run(party, table, loopback.host).known == 2
