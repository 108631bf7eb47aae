"""A table's photographs after they were collected: recheck, takedown, removal, reports, backups."""

import errno
import json
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from catalog.party import Party, open_party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Annotation, BlockedOwner, Photo, TablePass
from collect.errors import HostRefusesError
from collect.pauses import Backoff
from collect.recheck import recheck_photos
from collect.report.load import load_report
from collect.source_table import keeping
from collect.source_table.errors import TableError
from collect.source_table.job import TableOrder, add_table
from collect.source_table.keeping import alone, compare_samples, list_samples, remove_table
from collect.source_table.sample_file import Sample, digest_of_file
from operate.backup import restore_backup, write_backup
from tests.collect.loopback import Handler, Loopback, running_loopback
from tests.collect.rows import TestClock
from tests.rows import load_rows, make_image, make_person
from vocparty import main

from .made import NOON, make_row, write_sqlite
from .test_collecting import add

BY = {"licence_id": "4", "licence_name": "CC BY 2.0", "licence_url": "https://cc.example/by"}


SAVED: dict[str, Any] = {"saved_at": NOON, "active_secs": 1.0, "save_key": "k"}


def keep(party: Party, urls: Sequence[str], **values: Any) -> list[int]:
    """Store the rows of photographs of a table, as a collection does; return their ids."""
    known = {"source": Source.TABLE, "state": PhotoState.FETCHED, "found_at": NOON, **BY, **values}
    with party.catalogue.writing() as session:
        photos = []
        for number, url in enumerate(urls, start=1):
            image = make_image(f"{number:064}", NOON, state=ImageState.POOL)
            source_id = f"yfcc100m:{number}"
            photos.append(Photo(source_id=source_id, image=image, image_url=url, **known))
        session.add_all(photos)
    return [photo.id for photo in photos]


def answer(status: int, **headers: str) -> Any:
    def send(handler: Handler) -> None:
        handler.send(status, b"", **headers)

    return send


def note_heads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of HEAD requests, which grow, once these are answered as those for pictures."""
    paths = list[str]()

    def answer_head(handler: Handler) -> None:
        paths.append(handler.path)
        handler._answer()

    monkeypatch.setattr(Handler, "do_HEAD", answer_head, raising=False)
    return paths


def test_a_recheck_withdraws_what_is_gone_and_fetches_no_picture(
    party: Party, time: TestClock, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = note_heads(monkeypatch)
    urls = [loopback.url(f"/{number}.jpg") for number in range(1, 13)]
    for number in range(1, 13):
        loopback.answers[f"/{number}.jpg"] = answer(200, Content_Type="image/jpeg")
    loopback.answers["/3.jpg"] = answer(302, Location="https://s.yimg.com/photo_unavailable.png")
    keep(at_host(party, loopback), urls)
    counts = recheck_photos(at_host(party, loopback), clock=time.clock)
    assert (counts["asked"], counts["gone"], counts["images_taken_down"]) == (12, 1, 1)
    assert sorted(asked) == sorted(loopback.answers)
    (photo,) = load_rows(party, select(Photo).where(Photo.state == PhotoState.WITHDRAWN))
    assert photo.source_id == "yfcc100m:3"


def test_a_host_that_is_away_withdraws_nothing(
    party: Party, time: TestClock, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Handler, "do_HEAD", Handler.do_GET, raising=False)
    loopback.answers["/1.jpg"] = answer(503)
    keep(party, [loopback.url("/1.jpg")])
    at = at_host(party, loopback)
    with pytest.raises(HostRefusesError):
        recheck_photos(at, clock=time.clock, backoff=Backoff(1, 2, 60))
    assert {photo.state for photo in load_rows(party, select(Photo))} == {PhotoState.FETCHED}


def test_a_host_that_is_away_stops_no_check_of_other_hosts(
    party: Party, time: TestClock, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = note_heads(monkeypatch)
    with running_loopback() as away:
        for number in (1, 2, 3):
            away.answers[f"/{number}.jpg"] = answer(503)
        loopback.answers["/4.jpg"] = answer(200, Content_Type="image/jpeg")
        urls = [*(away.url(f"/{number}.jpg") for number in (1, 2, 3)), loopback.url("/4.jpg")]
        keep(party, urls)
        passed_over = dict[str, str]()
        at = at_host(party, loopback, away)
        counts = recheck_photos(at, clock=time.clock, passed_over=passed_over)
    assert counts["asked"] == 1
    assert sorted(passed_over) == [f"table:yfcc100m:{number}" for number in (1, 2, 3)]
    assert set(asked) == {"/1.jpg", "/4.jpg"}  # the host that is away is left alone then


@pytest.mark.parametrize("status", [405, 501, 403, 404])
def test_a_host_that_refuses_head_is_asked_as_for_the_picture(
    party: Party,
    time: TestClock,
    loopback: Loopback,
    monkeypatch: pytest.MonkeyPatch,
    status: int,
) -> None:
    monkeypatch.setattr(Handler, "do_HEAD", lambda self: self.send(status), raising=False)
    loopback.answers["/1.jpg"] = answer(200, Content_Type="image/jpeg")
    keep(party, [loopback.url("/1.jpg")])
    counts = recheck_photos(at_host(party, loopback), clock=time.clock)
    assert (counts["asked"], counts["gone"]) == (1, 0)


@pytest.mark.parametrize(
    "fault",
    [answer(200, Content_Type="text/html"), answer(500), answer(403, Retry_After="3600")],
)
def test_a_picture_that_its_host_neither_gives_nor_misses_is_passed_over(
    party: Party,
    time: TestClock,
    loopback: Loopback,
    monkeypatch: pytest.MonkeyPatch,
    fault: Any,
) -> None:
    monkeypatch.setattr(Handler, "do_HEAD", Handler.do_GET, raising=False)
    for number in (1, 2, 3):
        loopback.answers[f"/{number}.jpg"] = answer(200, Content_Type="image/jpeg")
    loopback.answers["/2.jpg"] = fault
    keep(party, [loopback.url(f"/{number}.jpg") for number in (1, 2, 3)])
    passed_over = dict[str, str]()
    counts = recheck_photos(at_host(party, loopback), clock=time.clock, passed_over=passed_over)
    assert (counts["asked"], counts["gone"]) == (2, 0)
    assert list(passed_over) == ["table:yfcc100m:2"]


def test_a_disk_that_is_read_only_is_told_in_one_sentence(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_folder: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr(keeping, "make_folder", refuse)
    says = r"cannot be written: Read-only file system\."
    with pytest.raises(TableError, match=says), alone(party.folder):
        pass


def test_a_recheck_says_nothing_of_licences_that_a_table_does_not_name(
    party: Party, time: TestClock, loopback: Loopback, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Handler, "do_HEAD", Handler.do_GET, raising=False)
    loopback.answers["/1.jpg"] = answer(200, Content_Type="image/jpeg")
    keep(party, [loopback.url("/1.jpg")], **dict.fromkeys(BY))
    counts = recheck_photos(at_host(party, loopback), clock=time.clock)
    assert +counts == {"asked": 1}


def at_host(party: Party, *loopbacks: Loopback) -> Party:
    table = replace(
        party.settings.table, image_hosts=tuple(loopback.host for loopback in loopbacks)
    )
    return replace(party, settings=replace(party.settings, table=table))


def run(party: Party, *words: str) -> str:
    done = CliRunner().invoke(main, [*words, "--party", str(party.folder)])
    assert done.exit_code == 0, done.output
    return done.output


def test_a_takedown_of_an_owner_leaves_nothing_of_theirs_in_the_sample(
    party: Party, tmp_path: Path
) -> None:
    rows = [make_row(number, uid=f"{number % 3}@N00") for number in range(1, 10)]
    sample = add(party, write_sqlite(tmp_path / "a.db", rows)).sample
    assert b"1@N00" in sample.read_bytes()
    says = run(party, "takedown", "--owner", "1@N00", "--reason", "she asked")
    assert "Took 3 photographs of theirs out of the samples of tables." in says
    (path,) = list_samples(party)
    assert b"1@N00" not in path.read_bytes()
    assert compare_samples(party).is_passed
    with closing(Sample(path)) as opened:
        assert {photo.owner_id for photo in opened.search("cat", None)} == {"0@N00", "2@N00"}
    added = add(party, tmp_path / "a.db")  # another pass leaves them out, too
    assert added.about.left_out == {"its owner is excluded": 3}


def test_a_takedown_of_an_owner_is_done_also_where_a_sample_is_missing(
    party: Party, tmp_path: Path
) -> None:
    sample = add(party, write_sqlite(tmp_path / "a.db", [make_row(1)])).sample
    sample.unlink()
    keep(party, ["https://i.example/1.jpg"], owner_id="1@N00")
    assert "Withdrew 1 photo " in run(party, "takedown", "--owner", "1@N00", "--reason", "x")
    assert not sample.exists()


def test_an_owner_whom_only_a_table_lists_can_be_left_out(party: Party, tmp_path: Path) -> None:
    rows = ["url,title,owner", *(f"https://i.example/{name}.jpg,cat,{name}" for name in ("a", "b"))]
    (tmp_path / "list.csv").write_text("\n".join(rows) + "\n")
    add(party, tmp_path / "list.csv")
    wanted = ["takedown", "--owner", "a", "--reason", "she asked"]
    assert "Would leave out what a has" in run(party, *wanted, "--dry-run")
    says = run(party, *wanted)
    assert "Took 1 photograph of theirs out of the samples of tables." in says
    (path,) = list_samples(party)
    with closing(Sample(path)) as opened:
        assert [photo.owner_id for photo in opened.search("cat", None)] == ["b"]


def test_a_takedown_while_a_table_is_read_says_what_is_left_to_do(
    party: Party, tmp_path: Path
) -> None:
    add(party, write_sqlite(tmp_path / "a.db", [make_row(1)]))
    keep(party, ["https://i.example/1.jpg"], owner_id="1@N00")
    wanted = ["takedown", "--owner", "1@N00", "--reason", "x", "--party", str(party.folder)]
    with alone(party.folder):
        done = CliRunner().invoke(main, wanted)
    assert done.exit_code == 1
    assert "Withdrew 1 photo " in done.output
    assert "run the same command again" in done.output
    assert "Took 1 photograph" in run(party, *wanted[:-2])


def test_an_owner_who_is_left_out_during_a_pass_is_in_no_sample(
    party: Party, tmp_path: Path
) -> None:
    def block(_rows: int) -> None:
        with party.catalogue.writing() as session:
            session.add(BlockedOwner(owner_id="1@N00", reason="takedown: x", blocked_at=NOON))

    table = write_sqlite(tmp_path / "a.db", [make_row(1), make_row(2)])
    added = add_table(party, TableOrder(table), now=lambda: NOON, advance=block)
    assert added.photos == 1
    assert b"1@N00" not in added.sample.read_bytes()


def test_a_photo_of_a_table_is_named_by_its_id_or_its_page(party: Party) -> None:
    pages = ["https://www.flickr.com/photos/1@N00/1"]
    keep(party, ["https://live.staticflickr.com/22/1_abc.jpg"], page_url=pages[0])
    for name in (
        "table:yfcc100m:1",
        "yfcc100m:1",
        f"{pages[0]}/",
        "https://www.flickr.com/photos/someone/1/in/photostream",
        "https://live.staticflickr.com/22/1_abc_b.jpg",
    ):
        says = run(party, "takedown", name, "--reason", "x", "--dry-run")
        assert "Would withdraw 1 photo " in says


def test_removing_a_table_withdraws_what_nobody_has_annotated(party: Party, tmp_path: Path) -> None:
    add(party, write_sqlite(tmp_path / "a.db", [make_row(1)]))
    ids = keep(party, [f"https://live.staticflickr.com/22/{number}_a.jpg" for number in (1, 2, 3)])
    with party.catalogue.writing() as session:
        person = make_person("ann", NOON)
        session.add(person)
        session.flush()
        image_id = session.get_one(Photo, ids[0]).image_id
        session.add(Annotation(image_id=image_id, person_id=person.id, **SAVED))
    says = run(party, "source", "remove", "yfcc100m", "--dry-run")
    assert "Would withdraw 2 photographs" in says
    assert len(list_samples(party)) == 1
    plan = remove_table(party, "yfcc100m", now=lambda: NOON)
    assert [photo.id for photo in plan.photos] == ids[1:]
    states = [photo.state for photo in load_rows(party, select(Photo).order_by(Photo.id))]
    assert states == [PhotoState.FETCHED, PhotoState.WITHDRAWN, PhotoState.WITHDRAWN]
    assert list((party.folder / "tables").glob("*.db")) == []
    assert "No table was added" in run(party, "source", "list")
    with pytest.raises(TableError, match="There is no table 'yfcc100m'"):
        remove_table(party, "yfcc100m", now=lambda: NOON)


def test_reports_name_the_table_its_digest_and_its_seed(party: Party, tmp_path: Path) -> None:
    table = write_sqlite(tmp_path / "a.db", [make_row(1), make_row(2, marker=1)])
    add(party, table, seed=7)
    (figures,) = load_report(party, NOON).tables
    assert (figures.name, figures.seed, figures.rows, figures.answers) == ("yfcc100m", 7, 2, 1)
    assert figures.sha256 == digest_of_file(table)
    listed = json.loads(run(party, "source", "list", "--json"))["tables"]
    assert [(row["name"], row["seed"], row["is_changed"]) for row in listed] == [
        ("yfcc100m", 7, False)
    ]


def test_a_backup_holds_the_samples_of_tables(party: Party, tmp_path: Path) -> None:
    add(party, write_sqlite(tmp_path / "a.db", [make_row(1)]))
    write_backup(party, tmp_path / "party.tar", lambda _count: None)
    restore_backup(tmp_path / "party.tar", tmp_path / "again")
    with open_party(tmp_path / "again") as again:
        assert compare_samples(again).is_passed
        (row,) = load_rows(again, select(TablePass))
    assert row.name == "yfcc100m"


def test_doctor_names_a_sample_that_is_damaged(party: Party, tmp_path: Path) -> None:
    sample = add(party, write_sqlite(tmp_path / "a.db", [make_row(1)])).sample
    sample.write_bytes(sample.read_bytes()[:-1])
    compared = compare_samples(party)
    assert compared.different == ("yfcc100m",)
    done = CliRunner().invoke(main, ["doctor", "--party", str(party.folder)])
    assert "vocparty source add" in done.output


def test_doctor_says_that_a_table_is_missing(party: Party) -> None:
    file = party.folder / "party.toml"
    file.write_text(file.read_text() + '\n[collect]\nsource = "table"\n')
    done = CliRunner().invoke(main, ["doctor", "--party", str(party.folder)])
    assert "`vocparty collect` will refuse: No table was added" in done.output


def test_the_commands_say_what_a_table_is_and_refuse_in_one_sentence(
    party: Party, tmp_path: Path
) -> None:
    table = write_sqlite(tmp_path / "a.db", [make_row(1), make_row(2, marker=1)])
    says = run(party, "source", "add", str(table))
    assert "Read 2 rows of the table yfcc100m" in says
    assert "1 answers one of 287 queries and may be collected." in says
    assert "Left out: a video, not a photograph 1." in says
    listed = run(party, "source", "list")
    assert listed.startswith("yfcc100m  2 rows, 1 answers the queries, seed 0, read on ")
    assert 'Set source = "table" under [collect] in party.toml.' in says
    (tmp_path / "list.csv").write_text("picture,title\nhttps://i.example/1.jpg,cat\n")
    for words, sentence in (
        ([str(tmp_path / "list.csv")], "name it with --column url=COLUMN"),
        ([str(tmp_path / "list.csv"), "--column", "adress=picture"], "expected FIELD=COLUMN"),
        ([str(table), "--name", "Mine!"], "expected up to 40 of a-z, 0-9 and hyphens"),
        ([str(table), "--licence", "mine"], "is no licence"),
        ([str(tmp_path / "nothing")], "is no file and no folder with files"),
    ):
        done = CliRunner().invoke(main, ["source", "add", *words, "--party", str(party.folder)])
        assert done.exit_code == 2
        assert sentence in done.output.replace("\n", " ")
    hosts = run(party, "source", "add", str(tmp_path / "list.csv"), "--column", "url=picture")
    assert 'image_hosts = ["i.example"]' in hosts
    assert "The table names no licences." in hosts
    assert "drawn without dates" in hosts
