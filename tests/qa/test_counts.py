import math
from datetime import timedelta

import pytest
from sqlalchemy import text

from catalog.party import Party
from catalog.settings import make_settings
from catalog.states import ImageState, Verdict
from qa import counts
from qa.counts import (
    Forecast,
    forecast_target,
    load_class_progress,
    load_class_secs,
    load_people_progress,
    plan_class_targets,
)
from tests.rows import reading
from work.hours import HOUR_SECS, gather_bins, load_minutes

from .rows import CAR, NOON, add_image, add_person, add_review, add_revision

DOG = {"class_id": "dog", "xmin": 320, "ymin": 20, "xmax": 480, "ymax": 200, "drawn_secs": 9.0}
HOUR = timedelta(hours=1)

MET = Forecast(0.0, 0.0, 0.0)


@pytest.fixture
def busy(any_party: Party) -> Party:
    """Two hours: ann draws three images and discards one, chris accepts one and returns one."""
    ann = add_person(any_party)
    chris = add_person(any_party, "chris")
    drawn = []
    for number, objects in enumerate(([CAR, CAR, DOG], [DOG], [CAR])):
        image_id = add_image(any_party)
        at = NOON + HOUR * (number == 2)
        drawn.append(add_revision(any_party, image_id, ann, *objects, saved_at=at))
    gone = add_image(any_party, ImageState.DISCARDED)
    add_revision(any_party, gone, ann, discard_reason="collage")
    for annotation_id, verdict in zip(drawn, (Verdict.ACCEPT, Verdict.RETURNED), strict=False):
        at = NOON + HOUR
        more = {"verdict": verdict, "active_secs": 30.0, "reviewed_at": at}
        add_review(any_party, annotation_id, chris, **more)
    return any_party


def test_classes_are_counted_by_image_and_object_with_targets(busy: Party) -> None:
    with busy.catalogue.reading() as session:
        progress = load_class_progress(session, {"car": 12, "dog": 2, "cat": 5}, per_hour=1.5)
    car, dog, cat = progress
    assert (car.images, car.objects, car.target) == (2, 3, 12)
    # two thirds of 1.5 images an hour show a car
    assert car.forecast.hours == pytest.approx(10 / 1.0)
    assert car.forecast.low_hours < car.forecast.hours < car.forecast.high_hours
    assert (dog.images, dog.forecast) == (2, MET)
    assert cat.forecast.hours == math.inf


def test_each_person_has_a_pace_and_a_share_of_corrections(busy: Party) -> None:
    ann, chris = reading(busy, load_people_progress)
    assert (ann.name, ann.images, ann.checked) == ("ann", 4, 0)
    assert ann.active_secs == 120.0
    assert ann.per_hour == pytest.approx(120.0)
    assert (ann.corrected.value, ann.corrected.count) == (0.5, 2)
    assert (chris.checked, chris.images, chris.corrected.count) == (2, 0, 0)
    assert chris.per_hour == pytest.approx(120.0)


def test_fixed_and_returned_work_counts_as_corrected(any_party: Party) -> None:
    ann = add_person(any_party)
    chris = add_person(any_party, "chris")
    for verdict in Verdict:
        drawn = add_revision(any_party, add_image(any_party), ann, CAR)
        add_review(any_party, drawn, chris, verdict=verdict)
    corrected = reading(any_party, load_people_progress)[0].corrected
    assert corrected.value == pytest.approx(2 / 3)
    assert corrected.count == 3


def test_seconds_per_object_come_from_the_latest_timed_revisions(
    busy: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    [dog] = reading(busy, load_class_secs)  # and none of the cars
    assert (dog.class_id, dog.class_name) == ("dog", "dog")
    assert (dog.objects, dog.median_secs) == (2, 9.0)
    monkeypatch.setattr(counts, "TIMED_REVISIONS", 2)
    for secs in (30.0, 9.0, 7.0):
        add_revision(busy, 1, 1, {**DOG, "drawn_secs": secs})
    [dog] = reading(busy, load_class_secs)
    assert (dog.objects, dog.quarter_secs, dog.three_quarter_secs) == (2, 7.0, 9.0)


def test_each_hour_counts_the_images_finished_in_it(busy: Party) -> None:
    with busy.catalogue.reading() as session:
        if session.get_bind().dialect.name == "postgresql":
            session.execute(text("SET TIME ZONE 'Asia/Tokyo'"))  # as a server's own may be
        hours = gather_bins(load_minutes(session), HOUR_SECS).bins
    expected = [(NOON, 2, 1), (NOON + HOUR, 1, 0)]
    assert [(hour.start_at, hour.annotated, hour.discarded) for hour in hours] == expected
    assert (hours[1].checked, hours[1].returned) == (1, 1)


def test_an_image_that_is_finished_again_counts_once(any_party: Party) -> None:
    image_id = add_image(any_party)
    ann = add_person(any_party)
    draft = add_revision(any_party, image_id, ann, CAR, is_finished=False)
    add_revision(any_party, image_id, ann, CAR, beside="blind", is_head=False)
    add_revision(any_party, image_id, ann, CAR, parent_id=draft, saved_at=NOON + HOUR)
    add_revision(any_party, image_id, ann, CAR, CAR, saved_at=NOON + 3 * HOUR)
    [hour] = gather_bins(reading(any_party, load_minutes), HOUR_SECS).bins
    assert (hour.start_at, hour.annotated) == (NOON + HOUR, 1)


def test_the_wall_lists_the_newest_first_and_continues_by_page(busy: Party) -> None:
    wall = reading(busy, counts.load_wall)
    rest = reading(busy, counts.load_wall, before_id=wall[1].annotation_id)
    assert [item.objects for item in wall] == [0, 1, 1, 3]
    assert [item.is_discarded for item in wall] == [True, False, False, False]
    assert rest == wall[2:]
    assert {item.name for item in wall} == {"ann"}


@pytest.mark.parametrize(
    ("with_class", "target", "finished", "per_hour", "hours"),
    [
        (5, 5, 10, 2.0, 0.0),
        (5, 10, 10, 2.0, 5.0),
        (0, 1, 10, 2.0, math.inf),
        (5, 9, 10, 0, math.inf),
    ],
)
def test_the_forecast_uses_the_share_of_the_class_and_the_pace(
    with_class: int, target: int, finished: int, per_hour: float, hours: float
) -> None:
    forecast = forecast_target(with_class, target, finished, per_hour)
    assert forecast.hours == hours
    assert forecast.low_hours <= forecast.hours <= forecast.high_hours


def test_classes_without_a_target_share_the_remaining_target() -> None:
    collect = {"target_images": 100, "class_targets": {"cat": 40}}
    settings = make_settings({"name": "zoo", "collect": collect})
    targets = plan_class_targets(settings, ["car", "cat", "dog"])
    assert targets == {"car": 30, "cat": 40, "dog": 30}
