"""Outlines of what is clicked on: who gets them, when the model is ready, and what it costs."""

import io
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image as Picture
from sqlalchemy import func, select, update
from werkzeug.test import TestResponse

from catalog.image_store import digest_of
from catalog.states import SegmentState, SuggestionKind
from catalog.tables import Image, Lease, Segment, SuggestionSet
from tests.annotate_ui.house import API, Browser, Json, error_of
from tests.suggesting import NOON
from tests.work.detectors.pair_models import RADIUS, run_here, write_pair
from vockit.format.rings import fill, unpack_rings
from vocparty import main
from work.detectors import outlining
from work.detectors.errors import ModelEndedError, ModelError
from work.detectors.limits import Limits
from work.detectors.outline_files import find_pair, keep_pair
from work.detectors.outlining import Embedding, Outliner
from work.detectors.pairs import Click
from work.detectors.preparation import Pixels
from work.segment import pointing
from work.suggest.values import SetInfo

from .conftest import SegmentHouse, review, save, segments

SIZE = (500, 375)
AT = {"x": 60.0, "y": 40.0}
RADIUS_PX = RADIUS * 500 / 256


@pytest.fixture(autouse=True)
def models_here(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Models answer in this process; the desks of a test end with it."""
    monkeypatch.setattr(outlining, "run_pair", run_here)
    yield
    for desk in pointing._desks.values():
        desk.stop()
    pointing._desks.clear()


@pytest.fixture
def pair(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return write_pair(tmp_path_factory.mktemp("pair"))


def keep(house: SegmentHouse, pair: tuple[Path, Path], version: str = "1") -> int:
    info = SetInfo(
        model="sam",
        version=version,
        sha256=digest_of(version.encode()),
        kind=SuggestionKind.OUTLINE,
    )
    return keep_pair(house.party, pair, info, Limits(), NOON)


def tell(browser: Browser, image_id: int) -> Json:
    answer = browser.get(f"{API}/images/{image_id}/outline-model")
    assert answer.status_code == 200, answer.text
    model: Json = answer.get_json()
    return model


def wait_for(browser: Browser, image_id: int, state: str) -> Json:
    """What the page is told once the thread of the encoder has come that far."""
    end = time.monotonic() + 60
    while (model := tell(browser, image_id))["state"] != state:
        assert model["state"] == "preparing", model
        assert time.monotonic() < end
        time.sleep(0.01)
    return model


def click(browser: Browser, image_id: int, *clicks: Json, key: str = "a") -> TestResponse:
    body = {"object_key": key, "clicks": clicks or (AT,)}
    return browser.post(f"{API}/images/{image_id}/proposals", body)


def put_files(house: SegmentHouse) -> None:
    """All images have a file, each its own."""
    with house.party.catalogue.writing() as session:
        for image in session.scalars(select(Image)):
            file = io.BytesIO()
            Picture.new("RGB", SIZE, (20 * image.id, 90, 90)).save(file, "JPEG")
            image.sha256 = house.party.store.put(file.getvalue())


def add_chosen(house: SegmentHouse) -> int:
    image_id = house.add_chosen()
    put_files(house)
    return image_id


def make_ready(house: SegmentHouse, pair: tuple[Path, Path]) -> tuple[int, Browser]:
    """An image that Ann holds and the model has looked at, and Ann."""
    keep(house, pair)
    image_id = add_chosen(house)
    ann = house.ann()
    ann.take("segment")
    wait_for(ann, image_id, "ready")
    return image_id, ann


def test_a_click_gets_an_outline_of_which_nothing_is_stored(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    image_id, ann = make_ready(house, pair)
    answer = click(ann, image_id, AT, {"x": 100.0, "y": 40.0, "is_inside": False})
    assert answer.status_code == 200, answer.text
    proposal = answer.get_json()
    drawn = fill(unpack_rings(proposal["rings"]), *SIZE)
    rows, columns = np.mgrid[0 : SIZE[1], 0 : SIZE[0]] + 0.5
    disc = (columns - AT["x"]) ** 2 + (rows - AT["y"]) ** 2 <= RADIUS_PX**2
    assert (drawn & disc).sum() / (drawn | disc).sum() > 0.9
    assert house.drawings(image_id) == []
    with house.party.catalogue.reading() as session:
        kept = find_pair(session, house.party)
    assert kept is not None
    assert proposal["suggestion_set_id"] == kept.set_id


def test_the_encoder_looks_at_an_image_as_it_is_reserved(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    keep(house, pair)
    house.add_checked()
    house.add_checked()
    first, second = house.choose(2)
    put_files(house)
    ann = house.ann()
    ann.post(f"{API}/tasks/segment", {"ahead": 1})
    [desk] = pointing._desks.values()
    with house.party.catalogue.reading() as session:
        chosen = select(Image.sha256).where(Image.id.in_((first, second)))
        digests = session.scalars(chosen).all()
    for sha256 in digests:
        wait_until(partial(is_ready, desk, sha256))


def is_ready(desk: pointing.Desk, sha256: str) -> bool:
    return desk.tell(sha256).readiness == "ready"


def test_without_a_model_and_with_one_that_is_off_pages_say_nothing(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    image_id = add_chosen(house)
    ann = house.ann()
    assert error_of(ann.get(f"{API}/images/{image_id}/outline-model"))[0] == 409
    ann.take("segment")
    assert tell(ann, image_id)["state"] == "none"
    assert error_of(click(ann, image_id))[:2] == (503, "unavailable")
    set_id = keep(house, pair)
    wait_for(ann, image_id, "ready")
    with house.party.catalogue.writing() as session:
        session.get_one(SuggestionSet, set_id).switched_off_at = NOON
    assert tell(ann, image_id)["state"] == "none"


def test_a_click_does_not_wait_for_the_encoder(
    house: SegmentHouse, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on = threading.Event()

    @contextmanager
    def run_late(encoder: Path, decoder: Path, limits: Limits) -> Iterator[Outliner]:
        may_go_on.wait(60)
        with run_here(encoder, decoder, limits) as outliner:
            yield outliner

    monkeypatch.setattr(outlining, "run_pair", run_late)
    keep(house, pair)
    image_id = add_chosen(house)
    ann = house.ann()
    ann.take("segment")
    assert tell(ann, image_id) == {"state": "preparing", "name": "sam 1", "reason": ""}
    assert error_of(click(ann, image_id))[:2] == (503, "unavailable")
    may_go_on.set()
    wait_for(ann, image_id, "ready")
    assert click(ann, image_id).status_code == 200


def test_only_who_holds_the_image_gets_outlines_of_its_objects(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    image_id, ann = make_ready(house, pair)
    assert error_of(click(house.chris(), image_id))[:2] == (409, "lease_lost")
    assert error_of(click(ann, image_id, key="z")) == (422, "invalid", "object_key")
    for place in ({"x": 501.0, "y": 3.0}, {"x": -1.0, "y": 3.0}):
        assert error_of(click(ann, image_id, place)) == (422, "invalid", "clicks")
    assert error_of(click(ann, image_id, *[AT] * 51))[:2] == (422, "invalid")


def test_who_draws_an_image_a_second_time_has_no_model(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    keep(house, pair)
    image_id = house.add_checked()
    house.choose(twice_share=1.0)
    put_files(house)
    ann = house.ann()
    task = ann.take("segment")
    assert wait_for(ann, image_id, "ready")["name"] == "sam 1"
    save(ann, task)
    bob = house.enter(house.add_person("bob"))
    assert bob.take("segment")["image_id"] == image_id
    assert tell(bob, image_id)["state"] == "none"
    assert error_of(click(bob, image_id))[:2] == (503, "unavailable")


@pytest.mark.parametrize("fails", ["encode", "outline"])
def test_a_model_that_fails_is_told_and_not_tried_again_at_once(
    house: SegmentHouse,
    pair: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    fails: str,
) -> None:
    calls = list[object]()

    def fail(*given: object) -> None:
        calls.append(given)
        raise ModelError("sam.encoder.onnx took more than 60 s for one picture and was ended.")

    monkeypatch.setattr(Outliner, fails, fail)
    keep(house, pair)
    image_id = add_chosen(house)
    ann = house.ann()
    ann.take("segment")
    if fails == "outline":
        wait_for(ann, image_id, "ready")
        assert error_of(click(ann, image_id))[:2] == (503, "unavailable")
    model = wait_for(ann, image_id, "failed")
    assert "took more than 60 s" in model["reason"]
    tell(ann, image_id)
    assert error_of(click(ann, image_id))[:2] == (503, "unavailable")
    assert len(calls) == 1


def end_process(*_given: object) -> None:
    raise ModelEndedError("The process that ran sam.decoder.onnx ended by itself (status -9).")


def test_a_pair_whose_process_ends_is_started_again_and_keeps_what_it_saw(
    house: SegmentHouse,
    pair: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    image_id, ann = make_ready(house, pair)
    with monkeypatch.context() as broken:
        broken.setattr(Outliner, "outline", end_process)
        refused = click(ann, image_id)
    assert error_of(refused)[:2] == (503, "unavailable")
    assert "started again" in refused.text
    monkeypatch.setattr(Outliner, "encode", end_process)  # it need not look at the image again
    wait_for(ann, image_id, "ready")
    assert click(ann, image_id).status_code == 200
    assert "sam.decoder.onnx ended by itself (status -9). It is started again." in caplog.text


@pytest.mark.parametrize("fails", ["encode", "outline"])
def test_a_pair_whose_processes_always_end_is_given_up(
    house: SegmentHouse,
    pair: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    fails: str,
) -> None:
    monkeypatch.setattr(Outliner, fails, end_process)
    keep(house, pair)
    image_id = add_chosen(house)
    ann = house.ann()
    ann.take("segment")
    if fails == "outline":
        for _ in range(pointing._MOST_RESTARTS + 1):
            wait_for(ann, image_id, "ready")
            refused = click(ann, image_id)
        assert "does not work" in refused.text
    assert "ended by itself" in wait_for(ann, image_id, "failed")["reason"]
    assert caplog.text.count("It is started again.") == pointing._MOST_RESTARTS
    assert "There are none for 10 minutes." in caplog.text


def test_files_that_are_not_on_this_machine_are_told(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    image_id, ann = make_ready(house, pair)
    with house.party.catalogue.reading() as session:
        kept = find_pair(session, house.party)
    assert kept is not None
    kept.files[1].unlink()
    model = tell(ann, image_id)
    assert model["state"] == "failed"
    assert "run `vocparty suggest outlines` here" in model["reason"]


def test_an_image_whose_file_is_gone_has_no_outlines_and_the_next_one_has(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    keep(house, pair)
    image_id = house.add_chosen()
    with house.party.catalogue.writing() as session:
        session.execute(update(Image).values(sha256="0" * 64))
    ann = house.ann()
    ann.take("segment")
    assert wait_for(ann, image_id, "failed")["reason"] == "the file cannot be read"
    other_id = add_chosen(house)
    with house.party.catalogue.writing() as session:
        session.query(Lease).update({"image_id": other_id})
    wait_for(ann, other_id, "ready")


def test_another_pair_takes_the_place_of_the_first(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    image_id, ann = make_ready(house, pair)
    keep(house, pair, version="2")
    assert wait_for(ann, image_id, "ready")["name"] == "sam 2"
    with house.party.catalogue.reading() as session:
        rows = session.query(SuggestionSet).order_by(SuggestionSet.id).all()
        assert [row.is_shown for row in rows] == [False, True]
        folders = [path.name for path in (house.party.folder / "outlines").iterdir()]
        assert folders == [rows[1].sha256[:12]]
    assert keep(house, pair, version="2") == rows[1].id


def test_processes_end_when_nobody_asks_and_begin_again(
    house: SegmentHouse, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = list[Path]()

    @contextmanager
    def run_counted(encoder: Path, decoder: Path, limits: Limits) -> Iterator[Outliner]:
        begun.append(encoder)
        with run_here(encoder, decoder, limits) as outliner:
            yield outliner

    monkeypatch.setattr(outlining, "run_pair", run_counted)
    add_chosen(house)
    desk, (sha256,) = make_desk(house, pair, idle_secs=0.01)
    for count in (1, 2):
        desk.want(sha256)
        wait_until(lambda: desk._thread is None)
        assert len(begun) == count
        assert desk.tell(sha256).readiness == "preparing"


def make_desk(
    house: SegmentHouse, pair: tuple[Path, Path], idle_secs: float = 600
) -> tuple[pointing.Desk, list[str]]:
    """A desk, and the images of the party that it can be asked for."""
    keep(house, pair)
    with house.party.catalogue.reading() as session:
        kept = find_pair(session, house.party)
        digests = list(session.scalars(select(Image.sha256).order_by(Image.id)))
    assert kept is not None
    return pointing.Desk(kept, Limits(), house.party.store, idle_secs), digests


def test_a_page_that_asks_while_the_encoder_looks_does_not_make_it_look_twice(
    house: SegmentHouse, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_chosen(house)
    add_chosen(house)
    desk, (first, second) = make_desk(house, pair)
    encode = Outliner.encode
    looked = list[object]()

    def encode_while_asked(outliner: Outliner, pixels: Pixels) -> Embedding:
        looked.append(pixels)
        desk.want(first, is_next=True)
        desk.want(second)
        return encode(outliner, pixels)

    monkeypatch.setattr(Outliner, "encode", encode_while_asked)
    desk.want(first)
    wait_until(lambda: is_ready(desk, first) and is_ready(desk, second))
    assert len(looked) == 2
    desk.stop()


def test_the_images_that_are_clicked_on_stay_in_memory_and_the_others_make_room(
    house: SegmentHouse, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    of_sam_bytes = 4 * 2**20
    monkeypatch.setattr(pointing, "_MOST_KEPT_BYTES", 2 * of_sam_bytes)
    for _ in range(3):
        add_chosen(house)
    desk, (first, second, third) = make_desk(house, pair)
    for sha256 in (first, second):
        desk.want(sha256)
        wait_until(partial(is_ready, desk, sha256))
    desk.outline(first, [Click(60.0, 40.0, is_inside=True)], (0, 0, 100, 100))
    desk.want(third)
    wait_until(partial(is_ready, desk, third))
    assert is_ready(desk, first)
    assert not is_ready(desk, second)
    desk.stop()


def test_processes_stay_as_long_as_an_image_is_asked_for(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    add_chosen(house)
    desk, (sha256,) = make_desk(house, pair, idle_secs=1.0)
    begun = asked_at = 0.0
    while begun == 0.0 or time.monotonic() < begun + 1.5:
        if time.monotonic() - asked_at > 0.5:  # the first time, or this machine stood still
            want_until_ready(desk, sha256)
            begun = time.monotonic()
        asked_at = time.monotonic()
        desk.outline(sha256, [Click(60.0, 40.0, is_inside=True)], (0, 0, 100, 100))
    desk.stop()


def want_until_ready(desk: pointing.Desk, sha256: str) -> None:
    """Ask again and again, as a page does, so that the time of the encoder is no idle time."""

    def is_so() -> bool:
        desk.want(sha256)
        return is_ready(desk, sha256)

    wait_until(is_so)


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def run(house: SegmentHouse, *words: str) -> str:
    """What a command of `vocparty suggest` says."""
    done = CliRunner().invoke(main, ["suggest", *words, "--party", str(house.party.folder)])
    assert done.exit_code == 0, done.output
    return done.output


def draw_with(browser: Browser, image_id: int, suggested: str | None) -> None:
    """Finish a drawing whose first outline is of the model, as it was or corrected."""
    wait_for(browser, image_id, "ready")
    drawn = segments()
    drawn[0] |= click(browser, image_id).get_json() | {"suggested": suggested}
    assert save(browser, browser.take("segment", image_id=image_id), drawn).status_code == 201


def test_outlines_accepted_as_they_were_go_back_with_their_pair(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    first, ann = make_ready(house, pair)
    draw_with(ann, first, "accepted")
    corrected, checked = (add_chosen(house) for _ in range(2))
    for image_id, word in ((corrected, "corrected"), (checked, "accepted")):
        ann.take("segment", image_id=image_id)
        draw_with(ann, image_id, word)
    chris = house.chris()
    assert review(chris, chris.take("check-segment", image_id=checked)).status_code == 201
    [row] = json.loads(run(house, "list", "--json"))
    assert (row["suggestions"], row["accepted"], row["corrected"]) == (None, 2, 1)
    assert run(house, "withdraw", "1") == (
        "Withdrew set 1 (sam 1).\n"
        "1 accepted outline of 1 image went back; 1 corrected and 1 checked stay.\n"
    )
    assert [house.track(image_id) for image_id in (first, corrected, checked)] == [
        SegmentState.RETURNED,
        SegmentState.DRAWN,
        SegmentState.CHECKED,
    ]
    task = ann.take("segment")
    assert task["image_id"] == first
    draft = task["segmentation"]
    assert [item["object_key"] for item in draft["segments"]] == ["b"]
    assert not draft["is_finished"]
    assert "0 accepted outlines went back" in run(house, "withdraw", "1")


def test_who_has_a_drawing_open_keeps_what_they_draw_when_its_pair_is_withdrawn(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    image_id, ann = make_ready(house, pair)
    task = ann.take("segment")
    drawn = segments()
    drawn[0] |= click(ann, image_id).get_json() | {"suggested": "accepted"}
    saved = save(ann, task, drawn, finish=False).get_json()
    run(house, "withdraw", "1")
    late = save(ann, task | {"segmentation": saved["segmentation"]}, drawn)
    assert late.status_code == 409
    counted = select(func.count(Segment.id)).group_by(Segment.segmentation_id)
    with house.party.catalogue.reading() as session:
        assert list(session.scalars(counted.order_by(Segment.segmentation_id))) == [2, 1, 2]


def test_a_new_pair_takes_the_folder_of_one_that_was_withdrawn(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    keep(house, pair)
    run(house, "withdraw", "1")
    keep(house, pair, version="2")
    folders = [path.name for path in (house.party.folder / "outlines").iterdir()]
    assert folders == [digest_of(b"2")[:12]]


def test_a_drawing_says_of_which_model_its_outlines_came(
    house: SegmentHouse, pair: tuple[Path, Path]
) -> None:
    image_id, ann = make_ready(house, pair)
    proposal = click(ann, image_id).get_json()
    drawn = segments()
    drawn[0] |= proposal
    task = ann.take("segment")
    wrong = [drawn[0] | {"suggestion_set_id": 99}, drawn[1]]
    assert error_of(save(ann, task, wrong)) == (422, "invalid", "segments.0.suggestion_set_id")
    draft = save(ann, task, drawn, finish=False).get_json()["segmentation"]
    assert draft["segments"][0]["suggested"] == "corrected"  # a page that does not say
    drawn[0] |= {"suggested": "accepted"}
    task["segmentation"] = draft
    saved = save(ann, task, drawn).get_json()["segmentation"]["segments"]
    assert [item["suggested"] for item in saved] == ["accepted", None]
    assert [item["suggestion_set_id"] for item in saved] == [proposal["suggestion_set_id"], None]
    with house.party.catalogue.reading() as session:
        of_newest = Segment.segmentation_id != draft["id"]
        rows = session.query(Segment).where(of_newest).order_by(Segment.id).all()
        assert [row.suggestion_set_id for row in rows] == [proposal["suggestion_set_id"], None]
