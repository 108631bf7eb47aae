"""Each number of the board is counted again by SQL."""

import math
from collections import Counter
from collections.abc import Iterator
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from tests.annotate_ui.house import API

from .parties import CLASS_NAME, IS_FINISHED_WORK, NOT_IMPORTED, OPENED_AT, AwkwardParty

Json = dict[str, Any]
COUNTS = "a.is_finished AND a.beside IS NULL AND a.set_aside_at IS NULL"
SEARCHED = "source IN ('flickr', 'commons', 'table')"
IS_LABELLED = (
    "(i.state NOT IN ('fetched', 'hashed', 'broken', 'taken_down') AND EXISTS"
    " (SELECT 1 FROM photo WHERE image_id = i.id AND source IN ('voc', 'dataset')))"
)
DONE = ("annotated", "discarded", "checked", "returned")


@pytest.fixture
def board(awkward: AwkwardParty) -> Json:
    with awkward.open() as house:
        answer: Json = house.enter(awkward.token).get(f"{API}/board").get_json()
    return answer


def list_done(awkward: AwkwardParty) -> Iterator[tuple[str, str]]:
    """The moment of each thing that people finished, and what it was; imports are nobody's."""
    drawn = awkward.rows(
        "SELECT a.saved_at, a.discard_reason, p.name FROM annotation AS a"
        f" JOIN person AS p ON p.id = a.person_id WHERE {COUNTS} AND {NOT_IMPORTED} AND NOT EXISTS"
        f" (SELECT 1 FROM annotation AS e WHERE {COUNTS.replace('a.', 'e.')}"
        "  AND e.image_id = a.image_id AND e.id < a.id)"
    )
    for saved_at, reason, _ in drawn:
        yield saved_at, "discarded" if reason else "annotated"
    judged = awkward.rows(
        "SELECT r.reviewed_at, r.verdict FROM review AS r JOIN person AS p ON p.id = r.person_id"
        f" WHERE r.set_aside_at IS NULL AND {NOT_IMPORTED}"
    )
    for reviewed_at, verdict in judged:
        yield reviewed_at, "returned" if verdict == "returned" else "checked"


def count_done(awkward: AwkwardParty, length: int) -> dict[str, Counter[str]]:
    """What was finished by the first letters of its moment."""
    bins: dict[str, Counter[str]] = {}
    for moment, what in list_done(awkward):
        bins.setdefault(moment[:length], Counter())[what] += 1
    return dict(sorted(bins.items()))


def measure_pace(awkward: AwkwardParty, what: str) -> float:
    """Of all its moments, the latest at OPENED_AT: half an hour of rest ends a spell of work."""
    minutes = sorted(moment[:16] for moment, kind in list_done(awkward) if kind == what)
    moments = [*map(datetime.fromisoformat, minutes), OPENED_AT.replace(tzinfo=None)]
    gaps = [(later - at).total_seconds() / 60 for at, later in pairwise(moments)]
    assert sum(gap for gap in gaps if gap <= 30) < 24 * 60, "all of it counts"
    worked = sum(gap if gap <= 30 else 5 for gap in gaps)
    return len(minutes) / max(worked, 5) * 60


def test_states_and_reasons_are_counted_again(awkward: AwkwardParty, board: Json) -> None:
    states = awkward.pairs("SELECT state, count(*) FROM image GROUP BY state")
    assert {state: count for state, count in board["images"].items() if count} == states
    reasons = awkward.pairs(
        "SELECT coalesce(reason, ''), count(*) FROM image WHERE state = 'discarded' GROUP BY reason"
    )
    assert {line["reason"]: line["images"] for line in board["discarded"]} == reasons
    held = awkward.rows(
        "SELECT image_id, person_id FROM lease WHERE expires_at > ?",
        f"{OPENED_AT:%Y-%m-%d %H:%M:%S}",
    )
    assert [(hold["image_id"], hold["person_id"]) for hold in board["holds"]] == [*map(tuple, held)]


def test_the_hours_and_the_pace_are_counted_again(awkward: AwkwardParty, board: Json) -> None:
    hours = count_done(awkward, len("2026-01-31 12"))
    assert [[line["hour"], *(line[what] for what in DONE)] for line in board["hours"]] == [
        [hour, *(counts[what] for what in DONE)] for hour, counts in hours.items()
    ]
    assert board["per_hour"] == pytest.approx(measure_pace(awkward, "annotated"))
    assert board["checks_per_hour"] == pytest.approx(measure_pace(awkward, "checked"))
    bins = board["progress"]["bins"]
    starts = [datetime.fromisoformat(line["start_at"]) for line in bins]
    assert [
        [f"{at:%Y-%m-%d}", *(line[what] for what in DONE)]
        for at, line in zip(starts, bins, strict=True)
    ] == [
        [day, *(counts[what] for what in DONE)]
        for day, counts in count_done(awkward, len("2026-01-31")).items()
    ]


def test_the_part_of_each_person_is_counted_again(awkward: AwkwardParty, board: Json) -> None:
    people = {
        row["id"]: row for row in awkward.rows(f"SELECT * FROM person AS p WHERE {NOT_IMPORTED}")
    }
    assert sorted(line["id"] for line in board["people"]) == sorted(people)
    for line in board["people"]:
        ((images, drawing),) = awkward.rows(
            "SELECT count(DISTINCT CASE WHEN is_finished THEN image_id END), sum(active_secs)"
            " FROM annotation WHERE person_id = ? AND set_aside_at IS NULL",
            line["id"],
        )
        ((checked, checking),) = awkward.rows(
            "SELECT count(*), sum(active_secs) FROM review"
            " WHERE person_id = ? AND set_aside_at IS NULL",
            line["id"],
        )
        secs = (drawing or 0) + (checking or 0)
        assert (line["images"], line["checked"]) == (images, checked)
        assert line["active_secs"] == pytest.approx(secs)
        expected = (images + checked) / secs * 3600 if secs else None
        assert line["per_hour"] == (expected and pytest.approx(expected))
        verdicts = awkward.pairs(
            "SELECT r.verdict = 'accept', count(*) FROM review AS r"
            " JOIN annotation AS a ON a.id = r.annotation_id WHERE a.person_id = ?"
            " AND r.set_aside_at IS NULL AND a.set_aside_at IS NULL GROUP BY 1",
            line["id"],
        )
        if not verdicts:
            assert line["fixed"] is None
            continue
        assert line["fixed"]["count"] == sum(verdicts.values())
        share = verdicts.get(0, 0) / sum(verdicts.values())
        assert line["fixed"]["value"] == pytest.approx(share)


def test_classes_and_their_forecasts_are_counted_again(awkward: AwkwardParty, board: Json) -> None:
    counts = {
        row["name"]: (row["images"], row["objects"])
        for row in awkward.rows(
            f"SELECT {CLASS_NAME} AS name, count(DISTINCT i.id) AS images, count(*) AS objects"
            " FROM object AS o JOIN image AS i ON i.annotation_id = o.annotation_id"
            f" WHERE {IS_FINISHED_WORK} GROUP BY 1"
        )
    }
    finished = awkward.number(f"SELECT count(*) FROM image AS i WHERE {IS_FINISHED_WORK}")
    lines = {line["name"]: line for line in board["classes"]}
    shown = {name: (line["images"], line["objects"]) for name, line in lines.items()}
    assert {name: pair for name, pair in shown.items() if any(pair)} == counts
    assert sum(line["target"] for line in board["classes"]) == board["jobs"]["target_images"]
    for line in board["classes"]:
        left = line["target"] - line["images"]
        rate = line["images"] / finished * board["per_hour"]
        hours = left / rate if rate else math.inf
        assert left > 0
        assert line["forecast"]["hours"] == (pytest.approx(hours) if rate else None)


def test_the_seconds_of_each_class_are_counted_again(awkward: AwkwardParty, board: Json) -> None:
    secs: dict[str, list[float]] = {}
    for class_id, drawn_secs in awkward.rows(
        "SELECT o.class_id, o.drawn_secs FROM object AS o"
        f" JOIN annotation AS a ON a.id = o.annotation_id WHERE {COUNTS} AND o.drawn_secs > 0"
    ):
        secs.setdefault(class_id, []).append(math.floor(drawn_secs * 10) / 10)
    quarters = ("quarter_secs", "median_secs", "three_quarter_secs")
    assert [
        (line["class"], line["objects"], *(line[name] for name in quarters))
        for line in board["class_secs"]
    ] == [
        (
            name,
            len(some),
            *(sorted(some)[math.ceil(len(some) * part / 4) - 1] for part in (1, 2, 3)),
        )
        for name, some in sorted(secs.items())
    ]


def test_findings_and_jobs_are_counted_again(awkward: AwkwardParty, board: Json) -> None:
    findings = awkward.pairs(
        "SELECT f.severity, count(*) FROM finding AS f JOIN image AS i ON i.id = f.image_id"
        " WHERE (f.verdict IS NULL OR f.verdict = 'right')"
        " AND i.state IN ('annotated', 'checking', 'checked') GROUP BY f.severity"
    )
    assert {word: count for word, count in board["findings"].items() if count} == findings
    jobs = board["jobs"]
    photos = awkward.pairs(f"SELECT state, count(*) FROM photo WHERE {SEARCHED} GROUP BY state")
    assert {state: count for state, count in jobs["photos"].items() if count} == photos
    assert jobs["imported"] == awkward.number(
        f"SELECT count(*) FROM photo WHERE state = 'fetched' AND NOT {SEARCHED}"
    )
    for name, condition in {
        "images": "i.state NOT IN ('broken', 'taken_down')",
        "to_hash": f"i.state = 'fetched' OR {IS_LABELLED} AND i.phash_64 IS NULL",
        "to_compare": f"i.state = 'hashed' OR {IS_LABELLED} AND i.phash_64 IS NOT NULL"
        " AND EXISTS (SELECT 1 FROM signature AS s WHERE s.image_id = i.id AND NOT s.is_compared)",
        "duplicates": "i.state = 'duplicate'",
    }.items():
        counted = awkward.number(f"SELECT count(*) FROM image AS i WHERE {condition}")
        assert jobs[name] == counted, name
    for name, column in {
        "searched_at": "search.searched_at",
        "fetched_at": "photo.fetched_at",
    }.items():
        table, _, _ = column.partition(".")
        last = awkward.number(
            f"SELECT max({column}) FROM {table}" + f" WHERE {SEARCHED}" * (table == "photo")
        )
        assert jobs[name] == (last and f"{datetime.fromisoformat(last):%Y-%m-%dT%H:%M:%SZ}")
