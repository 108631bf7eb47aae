"""Tables of photographs from other sources, fetched by the collector's downloader."""

import io
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.licences import LICENCES, find_licence, get_licences
from catalog.party import Party
from catalog.states import PhotoState, Source
from catalog.tables import Photo, Query
from collect.imports.count import ImportCount
from collect.imports.table import DetailError, LicenceRules, TableRow, make_details, read_table
from collect.imports.urls import UrlsOrder, import_urls, load_urls
from tests.collect.flickrs import with_collect
from tests.collect.loopback import Handler, Loopback
from tests.collect.pictures import draw_picture, gif_bytes, jpeg_bytes
from tests.collect.rows import TestClock
from tests.rows import load_rows
from vockit.errors import SettingsError
from vocparty import main


def run(
    party: Party,
    table: Path,
    *hosts: str,
    clock: TestClock | None = None,
    workers: int | None = None,
) -> ImportCount:
    order = UrlsOrder(table, hosts, workers=workers)
    count = ImportCount()
    turned = clock or TestClock()
    import_urls(party, order, load_urls(party, order), count, clock=turned.clock)
    return count


def load_photos(party: Party) -> dict[str, Photo]:
    return {photo.source_id: photo for photo in load_rows(party, select(Photo))}


def serve(loopback: Loopback, path: str, data: bytes) -> str:
    loopback.answers[path] = lambda handler: handler.send(200, data)
    return loopback.url(path)


def write(folder: Path, *lines: str) -> Path:
    path = folder / "museum.csv"
    path.write_text("\n".join(("id,url,owner,licence,class", *lines)) + "\n")
    return path


def test_each_url_becomes_a_photo(any_party: Party, tmp_path: Path, loopback: Loopback) -> None:
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
        query = session.get_one(Photo, photo.id).query
        assert query is not None
        assert (query.source, query.class_name, query.keyword) == (Source.URLS, "cat", "museum")


def test_pictures_of_other_formats_become_jpeg_as_those_of_a_folder(
    party: Party, tmp_path: Path, loopback: Loopback
) -> None:
    picture = draw_picture(300, 200)
    lines = []
    for kind in ("PNG", "WEBP", "TIFF", "BMP", "GIF", "AVIF"):
        file = io.BytesIO()
        picture.save(file, kind)
        lines.append(f"{kind},{serve(loopback, f'/{kind}', file.getvalue())},,,")
        picture = draw_picture(300, 200, tint=len(lines) * 9)
    lines.append(f"moving,{serve(loopback, '/moving', gif_bytes(300, 200, frames=2))},,,")
    count = run(party, write(tmp_path, *lines), loopback.host)
    converted = {"PNG": 1, "WebP": 1, "TIFF": 1, "BMP": 1, "GIF": 1, "AVIF": 1}
    assert (count.tally.fetched, count.converted) == (6, converted)
    assert dict(count.tally.broken) == {"not_jpeg": 1}


def test_the_same_table_is_loaded_once(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    table = write(tmp_path, f",{serve(loopback, '/a.jpg', jpeg_bytes(300, 200))},,,")
    run(party, table, loopback.host)
    count = run(party, table, loopback.host)
    assert count.known == 1
    assert loopback.server.paths == ["/a.jpg"]


def test_each_host_must_be_allowed_first(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    table = write(tmp_path, f",{loopback.url('/a.jpg')},,,", ",https://museum.example/b.jpg,,,")
    says = rf"{loopback.host} \(1\), museum.example \(1\); allow each with --host"
    with pytest.raises(SettingsError, match=says):
        run(party, table)
    assert loopback.server.paths == []


def test_a_redirect_elsewhere_is_refused(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    elsewhere = loopback.url("/b.jpg").replace("127.0.0.1", "localhost")
    loopback.answers["/a.jpg"] = lambda handler: handler.send(302, Location=elsewhere)
    good = serve(loopback, "/good.jpg", jpeg_bytes(300, 200))
    table = write(tmp_path, f"a,{loopback.url('/a.jpg')},,,", f"good,{good},,,")
    count = run(party, table, loopback.host)
    assert dict(count.tally.broken) == {"foreign_address": 1}
    assert sorted(loopback.server.paths) == ["/a.jpg", "/a.jpg", "/good.jpg"]  # asked twice


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (",ftp://x.example/a.jpg,,,", "'ftp://x.example/a.jpg' is not a web address"),
        (",,,,", "'' is not a web address"),
        (",https://ann:pw@x.example/a.jpg,,,", "is not a web address"),
        (",https://live.staticflickr.com/a.jpg,,0,", "All Rights Reserved is not among"),
    ],
)
def test_a_line_with_an_error_is_skipped_and_named(
    party: Party, tmp_path: Path, line: str, says: str
) -> None:
    (refusal,) = run(party, write(tmp_path, line)).refusals
    assert refusal.where == "line 2"
    assert says in refusal.reason
    assert load_photos(party) == {}


def test_unlicensed_photos_can_be_skipped(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    table = write(tmp_path, f"m-1,{serve(loopback, '/a.jpg', jpeg_bytes(300, 200))},ann,,cat")
    words = ["import", "urls", str(table), "--party", str(party.folder), "--host", loopback.host]
    done = CliRunner().invoke(main, [*words, "--require-licence"])
    assert done.exit_code == 1, done.output
    assert "Skipped line 2: it has no licence, and this import requires one." in done.stderr
    assert loopback.server.paths == []
    assert load_photos(party) == {}


def test_a_lost_photo_keeps_its_reason(party: Party, tmp_path: Path, loopback: Loopback) -> None:
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


def test_a_temporary_fault_is_retried(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    data = jpeg_bytes(300, 200)
    left = [2]

    def answer(handler: Handler) -> None:
        left[0] -= 1
        if left[0] >= 0:
            handler.send(429, Retry_After="7")
        else:
            handler.send(200, data)

    loopback.answers["/a.jpg"] = answer
    clock = TestClock()
    patient = with_collect(party, attempts=3)
    table = write(tmp_path, f",{loopback.url('/a.jpg')},,,")
    assert run(patient, table, loopback.host, clock=clock).tally.fetched == 1
    assert clock.waits_secs == [7.0, 7.0]


def test_photos_of_a_busy_host_stay_due(party: Party, tmp_path: Path, loopback: Loopback) -> None:
    loopback.answers["/a.jpg"] = lambda handler: handler.send(503)
    table = write(tmp_path, f",{loopback.url('/a.jpg')},,,")
    count = run(with_collect(party, attempts=3), table, loopback.host)
    assert "its host was busy" in count.refusals[0].reason
    assert load_photos(party) == {}
    serve(loopback, "/a.jpg", jpeg_bytes(300, 200))
    assert run(with_collect(party, attempts=3), table, loopback.host).tally.fetched == 1


def test_a_host_that_never_answers_ends_the_command_with_the_cause(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collect.pauses.real_clock", lambda _stopping: TestClock().clock)
    table = write(tmp_path, ",http://127.0.0.1:9/a.jpg,,,")
    words = ["import", "urls", str(table), "--host", "127.0.0.1:9"]
    done = CliRunner().invoke(main, [*words, "--party", str(party.folder)])
    assert done.exit_code == 1
    assert "no connection: refused" in done.output.splitlines()[-1]


def test_a_table_may_name_query_and_dates(party: Party, tmp_path: Path, loopback: Loopback) -> None:
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
    assert [refusal.reason for refusal in count.refusals] == [
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


def write_text(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", "file,Owner,License,camera\na.jpg, ann ,4,x\nb.jpg,,,\n"),
        ("t.csv", '\ufefffile,owner,licence,camera\r\n"a.jpg",ann,4,x\r\n\r\nb.jpg,,,\r\n'),
        ("t.csv", 'file;owner;licence;camera\n"a.jpg";ann;4;x\nb.jpg;;;\n'),
        ("t.csv", "file\towner\tlicence\tcamera\na.jpg\tann\t4\tx\nb.jpg\t\t\t\n"),
        (
            "t.json",
            '[{"file": "a.jpg", "owner": "ann", "license": 4, "camera": null},'
            ' {"file": "b.jpg", "owner": null, "title": true}]',
        ),
    ],
)
def test_csv_and_json_tables_are_read_into_rows(tmp_path: Path, name: str, text: str) -> None:
    table = read_table(write_text(tmp_path, name, text), "file")
    assert [dict(row.cells) for row in table.rows] == [
        {"file": "a.jpg", "owner": "ann", "licence": "4"}
        | ({"camera": "x"} if ".csv" in name else {}),
        {"file": "b.jpg"},
    ]
    assert table.ignored == ("camera",)


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("t.csv", "name,owner\na,b\n", "no column 'file'; it has: name, owner"),
        ("t.csv", "file,owner\n", "names no photograph"),
        ("t.csv", "", "names no photograph"),
        ("t.json", "[]", "names no photograph"),
        ("t.csv", "file,owner\na\n", "line 2: expected 2 columns, got 1"),
        ("t.csv", 'file\n"a', "line 2: unexpected end of data"),
        ("t.json", "{", "is not JSON"),
        ("t.json", '{"file": "a"}', "expected a list"),
        ("t.json", '[{"file": "a"}, 7]', "entry 2: expected an object, got 7"),
    ],
)
def test_errors_of_a_table_name_the_line(tmp_path: Path, name: str, text: str, says: str) -> None:
    with pytest.raises(SettingsError, match=says):
        read_table(write_text(tmp_path, name, text), "file")


def test_an_unreadable_table_is_refused_with_the_cause(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="No such file"):
        read_table(tmp_path / "none.csv", "file")
    with pytest.raises(SettingsError, match="not UTF-8"):
        read_table(write_text(tmp_path, "t.csv", "file\nä\n", "latin-1"), "file")


KEPT = LicenceRules(get_licences(["4", "9"]))


@pytest.mark.parametrize(
    ("text", "licence_id"),
    [
        ("4", "4"),
        ("CC BY 2.0", "4"),
        ("cc-by-2.0", "4"),
        ("https://creativecommons.org/licenses/by/2.0/", "4"),
        ("http://www.creativecommons.org/licenses/by/2.0", "4"),
        ("https://creativecommons.org/licenses/by-sa/4.0/deed.en", "12"),
        ("https://creativecommons.org/licenses/by-sa/4.0/legalcode", "12"),
        ("all rights reserved", "0"),
        ("CC0", "9"),
        ("CC-0", "9"),
        ("cc0 1.0", "9"),
        ("CC0 2.0", None),
        ("CC BY", None),
        ("99", None),
        ("", None),
    ],
)
def test_a_licence_is_found_by_id_name_or_url(text: str, licence_id: str | None) -> None:
    licence = find_licence(text)
    assert (licence and licence.id) == licence_id


@pytest.mark.parametrize("licence", LICENCES.values(), ids=lambda licence: licence.id)
def test_each_licence_is_found_by_its_id_its_name_and_its_url(licence: object) -> None:
    known = LICENCES[licence.id]  # type: ignore[attr-defined]
    assert {find_licence(text) for text in (known.id, known.name, known.url or known.id)} == {known}


@pytest.mark.parametrize("text", ["0", "CC BY-SA 2.0", "mine"])
def test_a_photo_with_a_licence_that_is_not_accepted_is_skipped(text: str) -> None:
    with pytest.raises(DetailError, match="its licence"):
        make_details(TableRow(2, {"licence": text}), KEPT)


def test_the_cells_of_a_line_fill_the_columns_of_the_photo() -> None:
    cells = {
        "owner_name": "Ann",
        "licence": "cc by 2.0",
        "page": "https://x.example/1",
        "taken": "2010",
    }
    details = make_details(TableRow(2, cells), KEPT)
    assert details == {
        "owner_id": "Ann",
        "owner_name": "Ann",
        "title": None,
        "image_url": None,
        "tags": None,
        "licence_id": "4",
        "licence_name": "CC BY 2.0",
        "licence_url": "https://creativecommons.org/licenses/by/2.0/",
        "page_url": "https://x.example/1",
        "taken_at_text": "2010",
        "uploaded_at": None,
    }


def test_a_photo_whose_page_is_no_web_address_is_skipped() -> None:
    with pytest.raises(DetailError, match="its page"):
        make_details(TableRow(2, {"page": "javascript:alert(1)"}), KEPT)
