"""What a source says of many photographs at once is done only when it says so again."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select, update

from catalog.licences import LICENCES, Licence
from catalog.party import Party, make_party, open_party
from catalog.states import ImageState, PhotoState, Source
from catalog.tables import Image, Photo
from collect import recheck
from collect.asking import Asker, CallRefusedError
from collect.changes import GONE
from collect.commons import Commons
from simulate.flickr.server import StandIn
from tests.rows import load_rows, make_image
from vocparty import main

from .flickrs import at_flickr, leading_to, make_pictures, with_collect
from .rows import NOON, TestClock
from .test_recheck import flickr_after, keep_all

HOUR = timedelta(hours=1)
KEPT = LICENCES["4"]
STRANGE = Licence("77", "licence 77", "")
Answer = Licence | None


class Saying:
    """A source that answers what the test wants, and counts what it is asked."""

    def __init__(self, answer: Callable[[str], Answer]) -> None:
        self.answer = answer
        self.asked: list[int] = []

    kind = Source.FLICKR
    name = "Flickr"
    id_form = Asker.id_form

    def recheck(self, photo_ids: Sequence[str]) -> dict[str, Answer]:
        self.asked.append(len(photo_ids))
        return {photo_id: self.answer(photo_id) for photo_id in photo_ids}

    def close(self) -> None:
        """Nothing is open."""


class Recheck:
    """Rechecks of one party, with a clock and with sources that the test moves."""

    def __init__(self, party: Party, monkeypatch: pytest.MonkeyPatch) -> None:
        self.party = party
        self.time = TestClock()
        self.sources: dict[Source, Saying] = {}
        monkeypatch.setattr(recheck, "check_source", lambda *_given: None)
        monkeypatch.setattr(recheck, "open_source", lambda *given: self.sources[given[-1]])

    def add_photos(self, count: int, source: Source = Source.FLICKR) -> None:
        terms = {f"licence_{name}": text for name, text in vars(KEPT).items()}
        with self.party.catalogue.writing() as session:
            for number in range(count):
                image = make_image(f"{source.value:0>30}{number:034}", NOON, state=ImageState.POOL)
                known = {"state": PhotoState.FETCHED, "found_at": NOON, "image": image, **terms}
                session.add(Photo(source=source, source_id=str(number), **known))

    def run(
        self, answer: Callable[[str], Answer], source: Source = Source.FLICKR
    ) -> Mapping[str, int]:
        self.sources[source] = Saying(answer)
        return +recheck.recheck_photos(self.party, clock=self.time.clock)

    def wait(self, wait: timedelta) -> None:
        self.time.moment += wait

    def photos(self) -> list[Photo]:
        return load_rows(self.party, select(Photo).order_by(Photo.id))

    def count(self, state: PhotoState) -> int:
        return sum(photo.state is state for photo in self.photos())

    def marks(self) -> list[tuple[str | None, datetime | None]]:
        return [(photo.doubt, photo.doubted_at) for photo in self.photos() if photo.doubt]


@pytest.fixture
def rechecking(any_party: Party, monkeypatch: pytest.MonkeyPatch) -> Recheck:
    return Recheck(any_party, monkeypatch)


@pytest.fixture
def at_sqlite(party: Party, monkeypatch: pytest.MonkeyPatch) -> Recheck:
    return Recheck(party, monkeypatch)


def well(_photo_id: str) -> Answer:
    return KEPT


def gone(_photo_id: str) -> Answer:
    return None


def gone_of(*numbers: int) -> Callable[[str], Answer]:
    return lambda photo_id: None if int(photo_id) in numbers else KEPT


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, GONE),
        (LICENCES["0"], "licence: changed to All Rights Reserved"),
        (LICENCES["1"], f"licence: changed to {LICENCES['1'].name}"),  # not one that is kept
        (LICENCES["5"], "licence: changed to CC BY-SA 2.0"),  # kept, and the owner's words change
        (STRANGE, "licence: changed to licence 77"),
    ],
)
@pytest.mark.parametrize("source", [Source.FLICKR, Source.COMMONS])
def test_the_same_answer_for_all_photos_marks_them_and_changes_nothing(
    at_sqlite: Recheck, source: Source, answer: Answer, said: str
) -> None:
    at_sqlite.party = with_collect(at_sqlite.party, licences=("4", "5"))
    at_sqlite.add_photos(15, source)
    assert at_sqlite.run(lambda _id: answer, source) == {"asked": 15, "doubted": 15}
    assert at_sqlite.marks() == [(said, NOON)] * 15
    assert {photo.state for photo in at_sqlite.photos()} == {PhotoState.FETCHED}
    assert {photo.licence_id for photo in at_sqlite.photos()} == {"4"}
    assert set(load_rows(at_sqlite.party, select(Image.state))) == {ImageState.POOL}
    sentences = recheck.describe_doubts(at_sqlite.party)
    assert sentences.startswith("Nothing was done about 15 photographs (")
    assert f"{source} says of 15: {said}. " in sentences
    assert "again after 2024-06-01 13:00 UTC" in sentences


@pytest.mark.parametrize(
    ("count", "changed", "is_believed"),
    [
        (1, 1, True),
        (2, 1, True),
        (2, 2, False),
        (10, 1, True),
        (19, 2, False),
        (21, 2, True),
        (50, 4, True),
        (50, 5, False),
    ],
)
def test_one_change_or_fewer_than_a_tenth_of_a_batch_is_believed_at_once(
    at_sqlite: Recheck, count: int, changed: int, is_believed: bool
) -> None:
    at_sqlite.add_photos(count)
    counts = at_sqlite.run(gone_of(*range(changed)))
    name = "gone" if is_believed else "doubted"
    assert (counts["asked"], counts[name]) == (count, changed)
    assert at_sqlite.count(PhotoState.WITHDRAWN) == changed * is_believed
    assert bool(recheck.describe_doubts(at_sqlite.party)) is not is_believed


def test_changes_of_several_kinds_are_doubted_together(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(10)
    answers: dict[str, Answer] = {"0": None, "1": LICENCES["0"], "2": STRANGE}
    counts = at_sqlite.run(lambda photo_id: answers.get(photo_id, KEPT))
    assert counts == {"asked": 10, "doubted": 3}
    assert len(at_sqlite.marks()) == 3


@pytest.mark.parametrize("count", [51, 101, 103])
def test_no_small_last_batch_is_believed_of_a_source_that_says_all_are_gone(
    at_sqlite: Recheck, count: int
) -> None:
    at_sqlite.add_photos(count)
    assert at_sqlite.run(gone) == {"asked": count, "doubted": count}
    asked = at_sqlite.sources[Source.FLICKR].asked
    assert max(asked) - min(asked) <= 1
    assert max(asked) <= recheck.BATCH_PHOTOS
    assert at_sqlite.count(PhotoState.WITHDRAWN) == 0


def test_photos_in_doubt_wait_for_their_hour_among_many_that_are_well(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(3)
    at_sqlite.run(gone)
    at_sqlite.add_photos(40, Source.COMMONS)
    moved = update(Photo).where(Photo.source == Source.COMMONS)
    with at_sqlite.party.catalogue.writing() as session:
        session.execute(moved.values(source=Source.FLICKR, source_id=Photo.id + 1000))
    ids = {photo.source_id for photo in at_sqlite.photos() if photo.doubt}
    counts = at_sqlite.run(lambda photo_id: None if photo_id in ids else KEPT)
    assert (counts["asked"], counts["doubted"]) == (43, 3)
    at_sqlite.wait(HOUR)
    assert at_sqlite.run(lambda photo_id: None if photo_id in ids else KEPT)["gone"] == 3


def test_the_same_answer_an_hour_later_withdraws_the_photos(rechecking: Recheck) -> None:
    rechecking.add_photos(15)
    rechecking.run(gone)
    rechecking.wait(HOUR - timedelta(seconds=1))
    assert rechecking.run(gone) == {"asked": 15, "doubted": 15}  # too early, and the hour runs on
    assert rechecking.marks() == [(GONE, NOON)] * 15
    rechecking.wait(timedelta(seconds=1))
    assert rechecking.run(gone) == {"asked": 15, "gone": 15, "images_taken_down": 15}
    assert {(photo.state, photo.reason) for photo in rechecking.photos()} == {
        (PhotoState.WITHDRAWN, GONE)
    }
    assert rechecking.marks() == []
    assert recheck.describe_doubts(rechecking.party) == ""


def test_a_mark_goes_when_the_source_says_well_again(rechecking: Recheck) -> None:
    rechecking.add_photos(15)
    rechecking.run(gone)
    rechecking.wait(timedelta(minutes=5))
    assert rechecking.run(well) == {"asked": 15, "cleared": 15}
    assert rechecking.marks() == []
    assert recheck.describe_doubts(rechecking.party) == ""
    rechecking.wait(2 * HOUR)
    assert rechecking.run(well) == {}  # they are not due again
    rechecking.wait(timedelta(days=8))
    assert rechecking.run(gone) == {"asked": 15, "doubted": 15}  # nothing is left of the first time
    assert rechecking.count(PhotoState.WITHDRAWN) == 0


def test_only_photos_of_which_the_same_is_said_again_are_withdrawn(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(15)
    at_sqlite.run(gone)
    at_sqlite.wait(HOUR)
    answers: dict[str, Answer] = {str(number): LICENCES["0"] for number in range(3)}
    answers |= {str(number): None for number in range(3, 9)}
    counts = at_sqlite.run(lambda photo_id: answers.get(photo_id, KEPT))
    assert counts == {"asked": 15, "gone": 6, "images_taken_down": 6, "doubted": 3, "cleared": 6}
    said = "licence: changed to All Rights Reserved"
    assert at_sqlite.marks() == [(said, NOON + HOUR)] * 3  # another answer: its hour begins now
    at_sqlite.wait(HOUR)
    assert at_sqlite.run(lambda photo_id: answers.get(photo_id, KEPT))["refused"] == 3
    assert at_sqlite.count(PhotoState.FETCHED) == 6


def test_a_clock_set_back_makes_no_answer_an_hour_old_and_hides_no_photo(
    at_sqlite: Recheck,
) -> None:
    at_sqlite.add_photos(15)
    at_sqlite.run(gone)
    at_sqlite.wait(-400 * timedelta(days=1))
    assert at_sqlite.run(gone) == {"asked": 15, "doubted": 15}
    assert at_sqlite.marks() == [(GONE, at_sqlite.time.moment)] * 15
    at_sqlite.wait(HOUR)
    assert at_sqlite.run(gone)["gone"] == 15


def test_photos_checked_by_a_clock_that_was_ahead_are_asked_for(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(15)
    at_sqlite.run(well)
    at_sqlite.wait(-400 * timedelta(days=1))
    assert at_sqlite.run(well) == {"asked": 15}
    assert at_sqlite.run(well) == {}


def test_a_clock_set_back_while_a_recheck_runs_asks_for_no_photo_twice(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(120)

    def answer(photo_id: str) -> Answer:
        at_sqlite.wait(-timedelta(days=1))
        return well(photo_id)

    assert at_sqlite.run(answer) == {"asked": 120}


def test_one_source_that_fails_costs_the_other_nothing(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(15)
    at_sqlite.add_photos(20, Source.COMMONS)
    at_sqlite.sources[Source.COMMONS] = Saying(gone_of(3))
    counts = at_sqlite.run(gone)
    assert counts == {"asked": 35, "doubted": 15, "gone": 1, "images_taken_down": 1}
    withdrawn = [
        photo.source for photo in at_sqlite.photos() if photo.state is PhotoState.WITHDRAWN
    ]
    assert withdrawn == [Source.COMMONS]


def refuse(*numbers: int) -> Callable[[str], Answer]:
    def answer(photo_id: str) -> Answer:
        if int(photo_id) in numbers:
            raise CallRefusedError("HTTP 400; is flickr.api_url in party.toml right?")
        return KEPT

    return answer


def refuse_all(asked: list[str], photo_id: str) -> Answer:
    """Refuse a photo, whichever it is, and note that it was asked for."""
    asked.append(photo_id)
    raise CallRefusedError("HTTP 400; is flickr.api_url in party.toml right?")


def test_one_row_never_stops_the_others(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(15)
    with at_sqlite.party.catalogue.writing() as session:
        session.execute(update(Photo).where(Photo.source_id == "3").values(source_id="lake.jpg"))
    at_sqlite.sources[Source.FLICKR] = Saying(refuse(7))
    passed_over = dict[str, str]()
    counts = recheck.recheck_photos(
        at_sqlite.party, clock=at_sqlite.time.clock, passed_over=passed_over
    )
    assert +counts == {"asked": 13}
    assert passed_over == {
        "flickr:lake.jpg": "this is no id of Flickr",
        "flickr:7": "Flickr refuses it (HTTP 400)",
    }
    sentence = recheck.compare_checked(counts, passed_over).sentence
    assert sentence.startswith("13 of 15 photographs are checked; passed over 1 (flickr:lake.jpg)")


def test_a_source_that_refuses_every_photo_is_at_fault_itself(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(15)
    with pytest.raises(CallRefusedError):
        at_sqlite.run(refuse(*range(15)))


def test_photos_that_a_source_refuses_at_every_run_do_not_stop_the_others(
    at_sqlite: Recheck,
) -> None:
    at_sqlite.add_photos(120)
    at_sqlite.sources[Source.FLICKR] = Saying(refuse(*range(60)))
    passed_over = dict[str, str]()
    counts = recheck.recheck_photos(
        at_sqlite.party, clock=at_sqlite.time.clock, passed_over=passed_over
    )
    assert +counts == {"asked": 60}
    assert sorted(passed_over) == sorted(f"flickr:{number}" for number in range(60))


def test_a_source_that_refuses_everything_is_asked_for_few_photos(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(500)
    asked = list[str]()
    with pytest.raises(CallRefusedError):
        at_sqlite.run(partial(refuse_all, asked))
    assert len(asked) <= 1 + recheck.BATCH_PHOTOS + recheck.MOST_WITNESSES


def test_a_source_that_refuses_everything_after_a_batch_is_asked_for_few_photos(
    at_sqlite: Recheck,
) -> None:
    at_sqlite.add_photos(500)
    answered = list[str]()

    def answer_first(photo_id: str) -> Answer:
        if len(answered) == recheck.BATCH_PHOTOS:
            raise CallRefusedError("HTTP 403; is the key revoked?")
        answered.append(photo_id)
        return KEPT

    with pytest.raises(CallRefusedError):
        at_sqlite.run(answer_first)
    calls = len(at_sqlite.sources[Source.FLICKR].asked)
    assert calls <= 2 + recheck.BATCH_PHOTOS + recheck.MOST_WITNESSES


def test_no_source_is_asked_for_an_id_that_is_none_of_its_own(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(60)
    with at_sqlite.party.catalogue.writing() as session:  # the first of all is a witness
        session.execute(update(Photo).where(Photo.source_id == "0").values(source_id="lake.jpg"))
    asked = list[str]()
    with pytest.raises(CallRefusedError):
        at_sqlite.run(partial(refuse_all, asked))
    assert "lake.jpg" not in asked


def test_a_source_that_does_not_answer_costs_the_others_no_check(
    at_sqlite: Recheck, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("collect.cli.show_log", lambda _level: None)
    at_sqlite.add_photos(15)
    at_sqlite.add_photos(20, Source.COMMONS)
    at_sqlite.sources[Source.FLICKR] = Saying(refuse(*range(15)))
    at_sqlite.sources[Source.COMMONS] = Saying(gone_of(3))
    words = ["collect", "--recheck", "--party", str(at_sqlite.party.folder)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 1
    assert "Checked 20; withdrawn 1 gone" in done.output
    assert "is flickr.api_url in party.toml right?" in done.output


def test_a_takedown_of_a_marked_photo_settles_its_mark(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(2)
    at_sqlite.run(gone)
    words = ["takedown", "flickr:0", "--reason", "it is gone indeed"]
    done = CliRunner().invoke(main, [*words, "--party", str(at_sqlite.party.folder)])
    assert done.exit_code == 0, done.output
    first, second = at_sqlite.photos()
    assert (first.state, first.doubt, first.doubted_at) == (PhotoState.WITHDRAWN, None, None)
    assert (second.state, second.doubt) == (PhotoState.FETCHED, GONE)


def test_a_stopped_recheck_keeps_its_marks_and_the_next_one_goes_on(at_sqlite: Recheck) -> None:
    at_sqlite.add_photos(100)
    asked: list[str] = []

    def stop_in_the_second_batch(photo_id: str) -> Answer:
        asked.append(photo_id)
        if len(asked) > recheck.BATCH_PHOTOS:
            raise KeyboardInterrupt
        return None

    with pytest.raises(KeyboardInterrupt):
        at_sqlite.run(stop_in_the_second_batch)
    assert at_sqlite.marks() == [(GONE, NOON)] * 50
    at_sqlite.wait(HOUR)
    assert at_sqlite.run(gone) == {"asked": 100, "gone": 50, "images_taken_down": 50, "doubted": 50}
    assert at_sqlite.marks() == [(GONE, NOON + HOUR)] * 50


@contextmanager
def collected(tmp_path: Path, count: int) -> Iterator[tuple[Path, Path]]:
    """The folders of a party and of the photographs that it has from Flickr."""
    folder = make_pictures(tmp_path / "pictures", count, size_wh=(32, 24))
    with flickr_after(folder, {}) as flickr:
        make_party(tmp_path / "party", name="P", preset="voc2012", values=leading_to(flickr))
    with open_party(tmp_path / "party") as party:
        keep_all(party, folder)
    yield tmp_path / "party", folder


def call(party: Path, flickr: StandIn) -> Result:
    settings = (party / "party.toml").read_text().splitlines()
    changed = [
        f'api_url = "{flickr.api_url}"' if line.startswith("api_url") else line for line in settings
    ]
    (party / "party.toml").write_text("\n".join(changed) + "\n")
    return CliRunner().invoke(main, ["collect", "--recheck", "--party", str(party)])


@pytest.mark.parametrize("change", [{"licence": "0"}, {"state": "deleted"}, {"state": "private"}])
def test_the_command_says_what_it_doubts_and_exits_with_1(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: dict[str, str]
) -> None:
    monkeypatch.setattr("collect.cli.show_log", lambda _level: None)
    with collected(tmp_path, 12) as (party, folder):
        with flickr_after(folder, dict.fromkeys(range(12), change)) as flickr:
            done = call(party, flickr)
        assert done.exit_code == 1
        assert done.stdout.startswith("Checked 12; withdrawn 0 gone, 0 because of their licence;")
        assert "Error: Nothing was done about 12 photographs (flickr:9" in done.stderr
        assert "run `vocparty collect --recheck` again after 20" in done.stderr
        with open_party(party) as opened:
            assert set(load_rows(opened, select(Photo.state))) == {PhotoState.FETCHED}
        back: dict[int, dict[str, str]] = {
            number: {"licence": "4", "state": ""} for number in range(12)
        }
        with flickr_after(folder, back) as flickr:
            again = call(party, flickr)
        assert again.exit_code == 0, again.output
        assert "no longer in doubt 12." in again.stdout
        assert "Error" not in again.stderr


def test_commons_that_misses_all_pages_withdraws_none(party: Party, tmp_path: Path) -> None:
    folder = make_pictures(tmp_path / "pictures", 12, size_wh=(32, 24))
    keep_all(party, folder)
    with party.catalogue.writing() as session:
        for photo in session.scalars(select(Photo)):
            photo.source = Source.COMMONS
            photo.licence_id = "cc-by-2.0"
    with flickr_after(folder, {number: {"state": "deleted"} for number in range(12)}) as commons:
        counts = recheck.recheck_photos(at_flickr(party, commons), clock=TestClock().clock)
        assert +counts == {"asked": 12, "doubted": 12}
        assert commons.requests["commons pages"] == 1
    assert set(load_rows(party, select(Photo.state))) == {PhotoState.FETCHED}


def test_a_commons_answer_in_parts_is_read_to_its_end() -> None:
    licence = {"License": {"value": "cc-by-2.0"}, "LicenseShortName": {"value": "CC BY 2.0"}}
    info = {"imageinfo": [{"extmetadata": licence}]}
    gone_page = {"pageid": 3, "missing": True}
    parts: list[dict[str, Any]] = [
        {
            "query": {"pages": [{"pageid": 1, **info}, {"pageid": 2}, gone_page]},
            "continue": {"iicontinue": "B.jpg|1", "continue": "||"},
        },
        {"query": {"pages": [{"pageid": 1}, {"pageid": 2, **info}, gone_page]}},
    ]
    asked: list[dict[str, str]] = []
    commons = Commons.__new__(Commons)

    def call_part(arguments: dict[str, str], read: Callable[[Any], Any]) -> Any:
        asked.append(arguments)
        return read(parts[len(asked) - 1])

    commons._call = call_part  # type: ignore[method-assign, assignment]
    licences = commons.recheck(["1", "2", "3"])
    assert {name: licence and licence.id for name, licence in licences.items()} == {
        "1": "cc-by-2.0",
        "2": "cc-by-2.0",
        "3": None,
    }
    assert "iicontinue" not in asked[0]
    assert asked[1]["iicontinue"] == "B.jpg|1"
