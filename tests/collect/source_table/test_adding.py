"""`vocparty source add`: forms of tables, what is sampled, what is refused."""

import csv
import gzip
import json
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.tables import BlockedOwner, TablePass
from collect.results import FoundPhoto
from collect.source_table.errors import TableError
from collect.source_table.job import AddedTable, TableOrder, add_table
from collect.source_table.keeping import find_changed
from collect.source_table.rows import find_copy, parse_licence
from collect.source_table.sample_file import Sample, digest_of_file
from collect.strata import Window
from tests.collect.flickrs import with_collect
from vockit.errors import SettingsError

from .made import NOON, make_row, write_sqlite, write_text


def add(party: Party, source: Path, **order: Any) -> AddedTable:
    return add_table(party, TableOrder(source, **order), now=lambda: NOON)


def search(added: AddedTable, query: str = "cat", window: Window | None = None) -> list[FoundPhoto]:
    with closing(Sample(added.sample)) as sample:
        return sample.search(query, window)


@pytest.mark.parametrize(
    "form", ["yfcc.sql", "yfcc.tsv", "yfcc-0.bz2", "whole.bz2", "yfcc100m_dataset"]
)
def test_each_form_of_yfcc100m_gives_the_same_photographs(
    party: Party, tmp_path: Path, form: str
) -> None:
    rows = [make_row(number) for number in range(1, 31)]
    if form == "yfcc.sql":
        table = write_sqlite(tmp_path / form, rows)
    else:
        table = write_text(tmp_path / form, rows, is_whole=form == "whole.bz2")
    added = add(party, table)
    assert (added.about.name, added.about.format) == ("yfcc100m", "yfcc100m")
    assert (added.about.rows, added.about.answers) == (30, 30)
    photos = search(added)
    assert sorted(int(photo.source_id) for photo in photos) == list(range(1, 31))
    photo = next(photo for photo in photos if photo.source_id == "7")
    assert photo.image_url == "https://live.staticflickr.com/22/7_abc123.jpg"
    assert photo.page_url == "https://www.flickr.com/photos/7@N00/7"
    assert (photo.owner_id, photo.owner_name) == ("7@N00", "Ann & Bo")
    assert (photo.title, photo.tags) == ("My cat", "pet, our home")
    assert photo.taken_at_text == "2008-06-20 17:37:55"
    assert photo.uploaded_at == datetime.fromtimestamp(1_200_000_000 + 7 * 86_400, UTC)
    assert photo.place == "48.1 11.6"
    assert photo.licence is not None
    assert photo.licence.id == "4"
    assert photo.second_url is not None


def test_a_query_is_answered_by_title_description_and_tags_as_whole_words(
    party: Party, tmp_path: Path
) -> None:
    rows = [
        make_row(1, title="CAT%21", description="", usertags=""),
        make_row(2, title="", description="a+%3Cb%3ECat%3C%2Fb%3E", usertags=""),
        make_row(3, title="", description="", usertags="house,black+cat"),
        make_row(4, title="caterpillar", description="concatenate", usertags="cats"),
        make_row(5, title="null", description="null", usertags="null"),
        make_row(6, title="caf%C3%A9+cat", description="", usertags=""),
        make_row(7, title="bird", description="on+a+table", usertags=""),
        make_row(8, title="bird", description="", usertags=""),
        make_row(9, title="%E2%80%9CCat%E2%80%9D", description="", usertags=""),
    ]
    added = add(party, write_sqlite(tmp_path / "yfcc.db", rows))
    assert {photo.source_id for photo in search(added)} >= {"1", "2", "3", "6", "9"}
    assert not {photo.source_id for photo in search(added)} & {"4", "5", "7", "8"}
    assert [photo.source_id for photo in search(added, "bird table")] == ["7"]
    assert {photo.source_id for photo in search(added, "bird")} == {"7", "8"}


def test_the_same_table_and_seed_give_the_same_bytes_in_any_order(
    party: Party, tmp_path: Path
) -> None:
    party = replace(
        party,
        settings=replace(party.settings, table=replace(party.settings.table, photos_per_month=5)),
    )
    rows = [make_row(number, dateuploaded=1_200_000_000 + number) for number in range(1, 400)]
    first = digest_of_file(add(party, write_sqlite(tmp_path / "a.db", rows), name="t").sample)
    again = add(party, tmp_path / "a.db", name="t")
    assert digest_of_file(again.sample) == first
    ids = [photo.source_id for photo in search(again)]
    assert not again.replaces
    backwards = add(party, write_sqlite(tmp_path / "b.db", rows[::-1]), name="t")
    assert [photo.source_id for photo in search(backwards)] == ids
    assert len(ids) == 5
    assert backwards.replaces
    other = add(party, tmp_path / "a.db", name="t", seed=7)
    assert digest_of_file(other.sample) != first
    with party.catalogue.reading() as session:
        passes = session.scalars(select(TablePass).order_by(TablePass.id)).all()
    assert [row.ended_at is None for row in passes] == [False, False, False, True]
    assert [path.name for path in other.sample.parent.glob("*.db")] == [other.sample.name]


def test_an_owner_has_no_more_in_a_month_than_the_caps_allow(party: Party, tmp_path: Path) -> None:
    party = with_collect(party, photos_per_owner=3, photos_per_owner_and_day=2)
    secs = int(datetime(2010, 5, 1, tzinfo=UTC).timestamp())
    rows = [
        make_row(number, uid=f"{number % 2}@N00", dateuploaded=secs + number % 20 * 86_400)
        for number in range(1, 200)
    ]
    added = add(party, write_sqlite(tmp_path / "a.db", rows))
    assert Counter(photo.owner_id for photo in search(added)) == {"0@N00": 3, "1@N00": 3}
    one_day = [make_row(number, uid="5@N00", dateuploaded=secs) for number in range(1, 50)]
    added = add(party, write_sqlite(tmp_path / "b.db", one_day))
    assert len(search(added)) == 2


def test_rows_that_cannot_be_collected_are_counted_by_reason(party: Party, tmp_path: Path) -> None:
    with party.catalogue.writing() as session:
        session.add(BlockedOwner(owner_id="9@N00", reason="takedown: x", blocked_at=NOON))
    rows = [
        make_row(1),
        make_row(2, marker=1),
        make_row(3, dateuploaded="null"),
        make_row(4, dateuploaded=0),
        make_row(5, dateuploaded=2**31 - 1),
        make_row(12, dateuploaded=86_400),  # 1970
        make_row(13, dateuploaded=2**31 + 86_400),  # 2038
        make_row(14, dateuploaded="yesterday"),
        make_row(6, licenseurl="http://creativecommons.org/licenses/by-nd/2.0/"),
        make_row(7, secret="null"),
        make_row(8, photoid="null"),
        make_row(9),
        make_row(10, title=b"cat \xff", description="", usertags=""),
        make_row(11, licenseurl="", licensename=None),
    ]
    added = add(party, write_sqlite(tmp_path / "a.db", rows))
    assert [photo.source_id for photo in search(added)] == ["1"]
    assert added.about.left_out == {
        "a video, not a photograph": 1,
        "no date by which it can be drawn": 6,
        "its licence CC BY-ND 2.0 is not among collect.licences": 1,
        "no address of a picture": 1,
        "no id of a photograph": 1,
        "its owner is excluded": 1,
        "its text is not UTF-8": 1,
        "no licence is named": 1,
    }


def test_an_id_that_comes_twice_counts_once(party: Party, tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    write_text(folder / "yfcc100m_dataset-0.bz2", [make_row(1), make_row(2)])
    write_text(folder / "yfcc100m_dataset-1.bz2", [make_row(2), make_row(3)])
    added = add(party, folder)
    assert [photo.source_id for photo in search(added)] == ["1", "2", "3"]
    assert list(added.about.files) == ["yfcc100m_dataset-0.bz2", "yfcc100m_dataset-1.bz2"]


MUSEUM = [
    ["Bild", "Name", "Von", "Am", "Rechte"],
    ["https://img.example/1.jpg", "A cat\nin two lines", "Museum", "2011-03-04", "CC BY 4.0"],
    ["https://img.example/2.jpg", "A dog", "Museum", "2012-03-04", "CC-BY-SA"],
    ["http://127.0.0.1/3.jpg", "A cat", "Museum", "2013-03-04", "CC BY 4.0"],
    ["no address", "A cat", "Museum", "2013-03-04", "CC BY 4.0"],
    ["https://img.example/4.jpg", "A cat", "Museum"],
]
MAPPED = {"url": "Bild", "title": "Name", "owner": "Von", "uploaded": "Am", "licence": "Rechte"}


def write_csv(path: Path, rows: list[list[str]]) -> Path:
    opener: Any = gzip.open if path.suffix == ".gz" else open
    with opener(path, "wt", newline="", encoding="utf-8") as lines:
        csv.writer(lines, delimiter="\t" if ".tsv" in path.name else ",").writerows(rows)
    return path


@pytest.mark.parametrize(
    "form", ["museum.csv", "museum.csv.gz", "museum.tsv", "m.jsonl", "m.parquet"]
)
def test_any_table_with_addresses_is_a_source_once_its_columns_are_named(
    party: Party, tmp_path: Path, form: str
) -> None:
    objects = [dict(zip(MUSEUM[0], row, strict=False)) for row in MUSEUM[1:]]
    if form == "m.jsonl":
        (tmp_path / form).write_text("".join(json.dumps(value) + "\n" for value in objects))
    elif form == "m.parquet":
        import pyarrow
        import pyarrow.parquet

        pyarrow.parquet.write_table(pyarrow.Table.from_pylist(objects), tmp_path / form)
    else:
        write_csv(tmp_path / form, MUSEUM)
    added = add(party, tmp_path / form, columns=MAPPED)
    assert added.about.name == form.partition(".")[0]
    cats = search(added)
    assert cats[0].image_url == "https://img.example/1.jpg"
    assert [photo.licence and photo.licence.kind for photo in search(added, "dog")] == ["by-sa"]
    assert added.foreign_hosts == ("img.example",)
    assert added.about.left_out["its address leads to a private host"] == 1
    assert added.about.left_out["its address is no web address"] == 1


def test_a_missing_column_costs_only_what_depends_on_it(party: Party, tmp_path: Path) -> None:
    table = write_csv(tmp_path / "list.csv", [["url", "title"], ["https://i.example/1.jpg", "cat"]])
    about = add(party, table).about
    assert (about.dates, about.has_licences, about.has_owners) == ("none", False, False)
    rows = [["url", "title"], *([f"https://i.example/{n}.jpg", "cat"] for n in range(300))]
    added = add(party, write_csv(tmp_path / "many.csv", rows), licence="CC BY 4.0")
    photos = search(added)
    assert len(photos) == 300  # no owner is known, so no cap holds
    assert {photo.licence and photo.licence.id for photo in photos} == {"11"}


def test_a_sample_of_another_party_is_taken_as_it_is(party: Party, tmp_path: Path) -> None:
    added = add(party, write_sqlite(tmp_path / "a.db", [make_row(1)]))
    given = tmp_path / "given.db"
    given.write_bytes(added.sample.read_bytes())
    again = add(party, given)
    assert again.sample == added.sample
    assert again.about == added.about


def test_a_sample_of_another_party_has_no_owner_who_is_excluded_here(
    party: Party, tmp_path: Path
) -> None:
    added = add(party, write_sqlite(tmp_path / "a.db", [make_row(1), make_row(2)]))
    given = tmp_path / "given.db"
    given.write_bytes(added.sample.read_bytes())
    with party.catalogue.writing() as session:
        session.add(BlockedOwner(owner_id="2@N00", reason="takedown: x", blocked_at=NOON))
    again = add(party, given)
    assert [photo.source_id for photo in search(again)] == ["1"]
    assert b"2@N00" not in again.sample.read_bytes()


def test_an_option_that_would_change_nothing_is_refused(party: Party, tmp_path: Path) -> None:
    table = write_sqlite(tmp_path / "a.db", [make_row(1)])
    given = tmp_path / "given.db"
    given.write_bytes(add(party, table).sample.read_bytes())
    for choice, option in (
        ({"name": "other"}, "--name"),
        ({"seed": 0}, "--seed"),
        ({"licence": "CC0"}, "--licence"),
        ({"format": "yfcc100m"}, "--format"),
        ({"columns": {"url": "a"}}, "--column"),
    ):
        with pytest.raises(SettingsError, match=f"taken as it is; leave out {option}"):
            add(party, given, **choice)
    with pytest.raises(SettingsError, match="columns are known; leave out --column"):
        add(party, table, columns={"title": "description"})
    with pytest.raises(SettingsError, match="leave out --format"):
        add(party, table, format="csv")
    import pyarrow
    import pyarrow.parquet

    rows = pyarrow.Table.from_pylist([{"url": "https://i.example/1.jpg", "title": "cat"}])
    pyarrow.parquet.write_table(rows, tmp_path / "m.parquet")
    with pytest.raises(SettingsError, match="no table of YFCC100M; leave out --format"):
        add(party, tmp_path / "m.parquet", format="yfcc100m")
    assert add(party, tmp_path / "m.parquet", format="csv").photos == 1


def test_a_licence_that_only_some_objects_or_files_name_is_not_lost(
    party: Party, tmp_path: Path
) -> None:
    at = with_collect(party, licences=("11",))
    objects = [
        {"url": "https://i.example/1.jpg", "title": "cat"},
        {"url": "https://i.example/2.jpg", "title": "cat", "licence": "All rights reserved"},
        {"url": "https://i.example/3.jpg", "title": "cat", "licence": "CC BY 4.0"},
    ]
    lines = [json.dumps(value) + "\n" for value in objects]
    (tmp_path / "a.jsonl").write_text("".join(lines))
    folder = tmp_path / "parts"
    folder.mkdir()
    (folder / "1.jsonl").write_text(lines[0])
    (folder / "2.jsonl").write_text("".join(lines[1:]))
    for table in (tmp_path / "a.jsonl", folder):
        added = add(at, table)
        assert [photo.image_url for photo in search(added)] == ["https://i.example/3.jpg"]
        assert added.about.left_out == {
            "its licence All Rights Reserved is not among collect.licences": 1,
            "no licence is named": 1,
        }


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("CC BY-SA 3.0", "CC BY-SA 3.0"),
        ("CC-BY-SA-3.0", "CC BY-SA 3.0"),
        ("cc by-nc", "CC BY-NC"),
        ("CC-BY-4.0", "CC BY 4.0"),
        ("CC0-1.0", "Public Domain Dedication (CC0)"),
        ("CC BY-SB 3.0", "CC BY-SB 3.0"),
    ],
)
def test_a_licence_is_known_by_the_names_that_tables_give_it(text: str, licence: str) -> None:
    known = parse_licence(text)
    assert known is not None
    assert known.name == licence
    assert bool(known.url) == ("SB" not in text)


def test_hosts_without_encryption_are_named_with_those_they_redirect_to(
    party: Party, tmp_path: Path
) -> None:
    rows = ["url,title", "http://i.example/1.jpg,cat", "http://j.example:8080/2.jpg,cat"]
    (tmp_path / "a.csv").write_text("\n".join(rows) + "\n")
    added = add(party, tmp_path / "a.csv")
    assert added.foreign_hosts == ("i.example", "i.example:80", "j.example:8080")


def test_an_ending_in_capitals_is_the_same_ending(party: Party, tmp_path: Path) -> None:
    rows = [["url", "title"], ["https://i.example/1.jpg", "cat"]]
    assert add(party, write_csv(tmp_path / "LIST.CSV", rows)).photos == 1


def test_a_sample_cannot_name_a_file_outside_of_the_party(party: Party, tmp_path: Path) -> None:
    given = tmp_path / "given.db"
    given.write_bytes(
        add(party, write_sqlite(tmp_path / "a.db", [make_row(1)])).sample.read_bytes()
    )
    with closing(sqlite3.connect(given)) as connection:
        name = json.dumps("../../out")
        connection.execute("UPDATE about SET value = ? WHERE name = 'name'", (name,))
        connection.commit()
    with pytest.raises(TableError, match="a table has no such name"):
        add(party, given)
    assert not list(party.folder.parent.glob("out*"))


def refused(party: Party, source: Path, **order: Any) -> str:
    """The sentence that refuses a table, of which nothing was kept."""
    with pytest.raises((TableError, SettingsError)) as caught:
        add(party, source, **order)
    with party.catalogue.reading() as session:
        assert session.scalars(select(TablePass)).all() == []
    folder = party.folder / "tables"
    assert [path.name for path in folder.glob("*") if path.name != ".lock"] == []
    return str(caught.value)


def test_a_bad_table_is_refused_in_one_sentence(party: Party, tmp_path: Path) -> None:
    rows = [make_row(number) for number in range(1, 3000)]
    whole = write_sqlite(tmp_path / "a.db", rows).read_bytes()
    (tmp_path / "cut.db").write_bytes(whole[: len(whole) // 2])
    assert "is damaged or was cut short" in refused(party, tmp_path / "cut.db")
    packed = write_text(tmp_path / "a.bz2", rows).read_bytes()
    (tmp_path / "cut.bz2").write_bytes(packed[: len(packed) // 2])
    assert "ends too early" in refused(party, tmp_path / "cut.bz2")
    (tmp_path / "no.bz2").write_bytes(b"no bz2 at all")
    assert "cannot be read" in refused(party, tmp_path / "no.bz2")
    (tmp_path / "latin.csv").write_bytes(b"url,title\nhttps://i.example/1.jpg,caf\xe9 cat\n")
    assert "is not text in UTF-8" in refused(party, tmp_path / "latin.csv")
    (tmp_path / "utf16.csv").write_bytes("url,title\n".encode("utf-16"))
    assert "is not text in UTF-8" in refused(party, tmp_path / "utf16.csv")
    (tmp_path / "no.csv").write_text("title,owner\ncat,Ann\n")
    assert "--column url=COLUMN" in refused(party, tmp_path / "no.csv")
    assert "no column 'Bild'" in refused(party, tmp_path / "no.csv", columns={"url": "Bild"})
    (tmp_path / "empty.csv").write_text("")
    assert "is empty" in refused(party, tmp_path / "empty.csv")
    assert "is no file" in refused(party, tmp_path / "nothing.csv")
    (tmp_path / "few.tsv").write_text("1\t2\t3\n")
    assert "its first row has 3 columns" in refused(party, tmp_path / "few.tsv", format="yfcc100m")
    (tmp_path / "words.csv").write_text("url,title\nhttps://i.example/1.jpg,nothing\n")
    assert "has no photograph to collect: of 1 row," in refused(party, tmp_path / "words.csv")
    (tmp_path / "image.png").write_bytes(b"\x89PNG")
    assert "is of no kind that is read" in refused(party, tmp_path / "image.png")


def test_a_quote_without_end_is_refused_before_it_fills_the_memory(
    party: Party, tmp_path: Path
) -> None:
    rows = 'url,title\nhttps://i.example/1.jpg,cat\nhttps://i.example/2.jpg,"cat\n'
    (tmp_path / "a.csv").write_text(rows + "x" * 10_000_000)
    assert "field larger than field limit" in refused(party, tmp_path / "a.csv")


def test_owners_that_have_only_a_name_are_limited_and_told_as_owners(
    party: Party, tmp_path: Path
) -> None:
    rows = "".join(f"https://i.example/{number}.jpg,cat,Ann\n" for number in range(50))
    (tmp_path / "a.csv").write_text("url,title,owner_name\n" + rows)
    added = add(party, tmp_path / "a.csv")
    assert added.about.has_owners
    assert len(search(added)) == party.settings.collect.photos_per_owner


def test_many_licences_are_told_as_a_few_and_others(party: Party, tmp_path: Path) -> None:
    urls = [f"https://i.example/{number}.jpg,cat" for number in range(100)]
    licences = ["CC BY 4.0", *["(c) Ann"] * 9, *(f"(c) {number}" for number in range(10, 100))]
    rows = (",".join(cells) + "\n" for cells in zip(urls, licences, strict=True))
    (tmp_path / "a.csv").write_text("url,title,licence\n" + "".join(rows))
    left_out = add(party, tmp_path / "a.csv").about.left_out
    assert left_out["its licence (c) Ann is not among collect.licences"] == 9
    assert left_out["other reasons"] == 71
    assert sum(left_out.values()) == 99


def test_a_query_without_words_is_refused(party: Party, tmp_path: Path) -> None:
    spec = party.preset.classes[0]
    classes = (replace(spec, queries=("!!!",)), *party.preset.classes[1:])
    odd = replace(party, preset=replace(party.preset, classes=classes))
    table = write_sqlite(tmp_path / "a.db", [make_row(1)])
    assert "has no words to look for" in refused(odd, table)


def test_a_row_with_too_few_columns_costs_only_itself(party: Party, tmp_path: Path) -> None:
    table = write_text(tmp_path / "a.tsv", [make_row(1), make_row(2)])
    with table.open("a") as lines:
        lines.write("3\t4\tcat\n")
    added = add(party, table)
    assert len(search(added)) == 2
    assert added.about.left_out == {"too few or too many columns": 1}


def test_a_table_that_changed_since_its_pass_is_known(party: Party, tmp_path: Path) -> None:
    table = write_text(tmp_path / "a.tsv", [make_row(1)])
    add(party, table)
    with party.catalogue.reading() as session:
        row = session.scalars(select(TablePass)).one()
        assert not find_changed(row)
        write_text(table, [make_row(1), make_row(2)])
        assert find_changed(row)
        table.unlink()
        assert not find_changed(row)


def test_what_a_killed_pass_left_is_swept_by_the_next(party: Party, tmp_path: Path) -> None:
    left = party.folder / "tables" / ".pass-killed"
    left.mkdir(parents=True)
    (left / "lots").write_bytes(b"x")
    add(party, write_sqlite(tmp_path / "a.db", [make_row(1)]))
    assert not left.exists()


def test_a_pass_deletes_no_file_of_somebody_else_beside_the_samples(
    party: Party, tmp_path: Path
) -> None:
    first = add(party, write_sqlite(tmp_path / "a.db", [make_row(1)])).sample
    folder = first.parent
    others = [folder / "yfcc.db", folder / "mine-0123456789ab.db", folder / "copy.db"]
    write_sqlite(others[0], [make_row(3)])
    others[1].write_bytes(b"no sample")
    others[2].write_bytes(first.read_bytes())
    second = add(party, write_sqlite(tmp_path / "b.db", [make_row(2)])).sample
    assert set(folder.glob("*.db")) == {second, *others}


def test_a_table_among_the_samples_is_refused_and_stays(party: Party) -> None:
    folder = party.folder / "tables"
    folder.mkdir()
    table = write_sqlite(folder / "yfcc.db", [make_row(1)])
    for source in (table, folder):
        with pytest.raises(TableError, match="where the party keeps its samples; copy it"):
            add(party, source)
    assert table.exists()


def test_the_copy_in_the_bucket_is_named_by_the_digest_of_the_address() -> None:
    url = find_copy("http://farm4.staticflickr.com/3089/2854350230_aa06c1b0b5.jpg")
    assert url is not None
    name = url.rpartition("/")[2]
    assert url.endswith(f"/data/images/{name[:3]}/{name[3:6]}/{name}")
    assert find_copy("", "0123456789abcdef") is not None
    assert find_copy("") is None


NATURALIST = {
    "photos": """
        photo_uuid photo_id observation_uuid observer_id extension license width height position
        a 11 o1 7 jpg CC-BY-NC 900 600 0
        b 12 o2 7 jpeg CC0 900 600 0
        c 13 o3 8 jpg CC-BY 900 600 0
        d 14 o9 8 jpg CC-BY 900 600 0
    """,
    "observations": """
        observation_uuid observer_id latitude longitude positional_accuracy taxon_id observed_on
        o1 7 48.1374 11.5761 5 102 2012-05-04
        o2 7 1.0 2.0 5 103 2013-05-04
        o3 8 1.0 2.0 5 900 2014-05-04
    """,
    "taxa": """
        taxon_id ancestry rank name
        100 1/2 family Felidae
        101 1/2/100 genus Cat
        102 1/2/100/101 species Cat-minor
        103 1/2/100/101/102 subspecies Minor-minor
        900 1/3 species Dog-alone
    """,
}


def test_inaturalist_is_joined_by_taxa_and_their_ancestors(party: Party, tmp_path: Path) -> None:
    folder = tmp_path / "inaturalist"
    folder.mkdir()
    for name, text in NATURALIST.items():
        lines = ["\t".join(line.split()) for line in text.strip().splitlines()]
        (folder / f"{name}.csv.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    party = with_collect(party, dates="taken")
    added = add(party, folder)
    assert (added.about.name, added.about.rows, added.about.answers) == ("inaturalist", 4, 3)
    cats = {photo.source_id: photo for photo in search(added)}
    assert sorted(cats) == ["11", "12"]
    host = "https://inaturalist-open-data.s3.amazonaws.com/photos"
    assert cats["12"].image_url == f"{host}/12/medium.jpeg"
    assert cats["11"].taken_at_text == "2012-05-04"
    assert cats["11"].licence is not None
    assert (cats["11"].licence.kind, cats["11"].place) == ("by-nc", "48.1 11.6")
    assert [photo.source_id for photo in search(added, "dog")] == ["13"]
    assert "no folder of iNaturalist" in refused_folder(party, tmp_path / "party")


def refused_folder(party: Party, folder: Path) -> str:
    with pytest.raises(TableError) as caught:
        add(party, folder, format="inaturalist")
    return str(caught.value)
