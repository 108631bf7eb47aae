from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.states import BlindKind, FindingVerdict, ImageState, PhotoState, Role, Source, Verdict
from catalog.tables import Finding, Image, Person, Photo
from qa.check_list import check_names
from qa.checks import is_for_organiser, may_check
from qa.finding_rows import (
    CheckRecord,
    Kept,
    count_open,
    find_place,
    judge_finding,
    keep_findings,
    list_findings,
    load_check_records,
)
from qa.findings import Severity
from qa.jobs import check_party
from tests.rows import load_rows, reading, writing

from .making import VOC2012, settings_with
from .rows import (
    CAR,
    DOG,
    NOON,
    add_double,
    add_image,
    add_person,
    add_review,
    add_revision,
    check_submission,
)

OUTSIDE = {**CAR, "xmax": 501, "truncated": True}
INSIDE = {**CAR, "xmax": 400}


def check_one(party: Party, *objects: dict[str, Any]) -> tuple[int, int]:
    """Ann, and the checked image with these objects that she drew."""
    ann = add_person(party)
    image_id = add_image(party)
    add_revision(party, image_id, ann, *objects)
    check_party(party, NOON)
    return ann, image_id


def draw_at_border(party: Party, person_id: int, images: int, *, boxes: int = 1) -> None:
    """Images with equal boxes at the border, which no other image has."""
    for number in range(images):
        box = {**CAR, "xmin": 1, "ymax": 200 + number}
        add_revision(party, add_image(party), person_id, *[box] * boxes)


def rows(party: Party) -> list[Finding]:
    return reading(party, list_findings)


def judge(party: Party, finding_id: int, verdict: FindingVerdict, person_id: int) -> None:
    writing(party, judge_finding, finding_id, verdict, person_id=person_id, at=NOON)


def record_of(party: Party, check: str) -> CheckRecord:
    return reading(party, load_check_records, [check])[0]


def test_a_second_run_keeps_the_rows_of_findings(any_party: Party) -> None:
    ann = add_person(any_party)
    for objects in ([OUTSIDE], [CAR, CAR, CAR]):
        add_revision(any_party, add_image(any_party), ann, *objects)
    first = check_party(any_party, NOON)
    before = [(row.id, row.finding_key) for row in rows(any_party)]
    second = check_party(any_party, NOON + timedelta(hours=1))
    assert [(row.id, row.finding_key) for row in rows(any_party)] == before
    assert len(before) == len(first.findings) == first.kept.new
    assert second.kept == Kept(0, 0, 0)


def test_the_worst_findings_come_first_and_pages_do_not_overlap(any_party: Party) -> None:
    ann = add_person(any_party)
    add_revision(any_party, add_image(any_party), ann, CAR, CAR, CAR)
    add_revision(any_party, add_image(any_party), ann, OUTSIDE)
    check_party(any_party, NOON)
    with any_party.catalogue.reading() as session:
        all_rows = list_findings(session)
        pages = list_findings(session, limit=2)
        pages += list_findings(session, past=find_place(pages[-1]))
        assert [row.id for row in pages] == [row.id for row in all_rows]
        assert all_rows[0].check_name == "outside_image"
        assert count_open(session, check_names())[Severity.ERROR] == 1
        only = list_findings(session, checks=["same_class_overlap"])
        assert {row.check_name for row in only} == {"same_class_overlap"}
        assert len(only) == count_open(session, check_names())[Severity.WARNING] == 3


def test_a_fixed_finding_is_closed_and_reopened_if_it_recurs(any_party: Party) -> None:
    ann, image_id = check_one(any_party, OUTSIDE)
    add_revision(any_party, image_id, ann, INSIDE)
    report = check_party(any_party, NOON)
    assert (report.kept.fixed, report.has_errors) == (1, False)
    assert record_of(any_party, "outside_image").fixed == 1
    add_revision(any_party, image_id, ann, OUTSIDE)
    report = check_party(any_party, NOON)
    assert (report.kept.new, report.kept.reopened, report.has_errors) == (0, 1, True)


def test_a_false_alarm_stays_hidden_until_its_object_changes(any_party: Party) -> None:
    border = {**CAR, "xmin": 1, "view": "Left"}
    ann, image_id = check_one(any_party, border)
    [row] = rows(any_party)
    judge(any_party, row.id, FindingVerdict.WRONG, ann)
    report = check_party(any_party, NOON)
    assert (report.findings, report.judged_wrong, rows(any_party)) == ((), 1, [])
    add_revision(any_party, image_id, ann, {**border, "ymax": 260})
    report = check_party(any_party, NOON)
    assert (report.kept.reopened, len(report.findings)) == (1, 1)


def test_a_confirmed_finding_stays_open_until_it_is_fixed(any_party: Party) -> None:
    ann, image_id = check_one(any_party, OUTSIDE)
    [row] = rows(any_party)
    judge(any_party, row.id, FindingVerdict.RIGHT, ann)
    assert check_party(any_party, NOON).has_errors
    add_revision(any_party, image_id, ann, INSIDE)
    assert not check_party(any_party, NOON).has_errors
    with any_party.catalogue.reading() as session:
        closed = session.get_one(Finding, row.id)
        assert (closed.verdict, closed.person_id) == (FindingVerdict.FIXED, ann)


def test_the_precision_of_a_check_is_its_share_of_real_problems(any_party: Party) -> None:
    ann = add_person(any_party)
    draw_at_border(any_party, ann, 4)
    check_party(any_party, NOON)
    queue = [row for row in rows(any_party) if row.check_name == "border_not_truncated"]
    for row, verdict in zip(queue, ("right", "wrong", "right"), strict=False):
        judge(any_party, row.id, FindingVerdict(verdict), ann)
    record = record_of(any_party, "border_not_truncated")
    assert (record.right, record.wrong, record.fixed, record.open) == (2, 1, 0, 3)
    assert record.precision.value == pytest.approx(2 / 3)
    assert record.precision.count == 3


def test_findings_of_unfinished_images_are_hidden(any_party: Party) -> None:
    _, image_id = check_one(any_party, OUTSIDE)
    with any_party.catalogue.writing() as session:
        session.get_one(Image, image_id).state = ImageState.TAKEN_DOWN
    report = check_party(any_party, NOON)
    assert (rows(any_party), report.kept.fixed, report.has_errors) == ([], 0, False)


def test_a_switched_off_check_leaves_its_findings_unchanged(party: Party) -> None:
    check_one(party, OUTSIDE)
    with party.catalogue.writing() as session:
        ran = [name for name in check_names() if name != "outside_image"]
        assert keep_findings(session, [], ran=ran, at=NOON) == Kept(0, 0, 0)
    assert [row.check_name for row in rows(party)] == ["outside_image"]


def test_a_submission_updates_the_findings_of_its_image_only(any_party: Party) -> None:
    ann = add_person(any_party)
    first = add_image(any_party)
    second = add_image(any_party)
    add_revision(any_party, first, ann, OUTSIDE)
    add_revision(any_party, second, ann, OUTSIDE)
    check_party(any_party, NOON)
    add_revision(any_party, first, ann, INSIDE)
    findings = writing(any_party, check_submission, first, VOC2012, settings_with(), at=NOON)
    assert findings == []
    left = [row for row in rows(any_party) if row.severity == "error"]
    assert [row.image_id for row in left] == [second]


@pytest.mark.slow
def test_two_concurrent_runs_store_every_finding_once(any_party: Party) -> None:
    ann = add_person(any_party)
    draw_at_border(any_party, ann, 30, boxes=2)
    with ThreadPoolExecutor(2) as pool:
        runs = [pool.submit(check_party, any_party, NOON) for _ in range(2)]
        counts = {len(run.result().findings) for run in runs}
    kept = load_rows(any_party, select(Finding.finding_key))
    assert counts == {len(kept)}
    assert len(kept) == len(set(kept)) > 30


def test_the_queue_continues_after_findings_judged_meanwhile(any_party: Party) -> None:
    ann = add_person(any_party)
    draw_at_border(any_party, ann, 5)
    check_party(any_party, NOON)
    with any_party.catalogue.reading() as session:
        whole = list_findings(session, checks=["border_not_truncated"])
        place = find_place(whole[1])
    judge(any_party, whole[0].id, FindingVerdict.RIGHT, ann)  # goes behind those to be judged
    judge(any_party, whole[1].id, FindingVerdict.WRONG, ann)  # goes
    rest = reading(any_party, list_findings, checks=["border_not_truncated"], past=place)
    assert [row.id for row in rest] == [row.id for row in (*whole[2:], whole[0])]


def test_overlaps_of_confusable_classes_come_before_larger_ones(any_party: Party) -> None:
    ann = add_person(any_party)
    bus, boat = ({**CAR, "class_id": name} for name in ("bus", "boat"))
    alike = [{**bus, "xmax": 300 + more} for more in (20, 10)]
    for other in (boat, *alike):  # the boat lies exactly on the car
        add_revision(any_party, add_image(any_party), ann, CAR, other)
    findings = check_party(any_party, NOON).findings
    expected = [("confusable_overlap", 3), ("confusable_overlap", 2), ("other_class_overlap", 1)]
    checks = [name for name, _ in expected]
    said = [(finding.check, finding.image_id) for finding in findings if finding.check in checks]
    assert said == expected
    with any_party.catalogue.reading() as session:
        first = list_findings(session, checks=checks, limit=1)
        rest = list_findings(session, checks=checks, past=find_place(first[0]))
    assert [(row.check_name, row.image_id) for row in (*first, *rest)] == expected


SEEN = ("seen_by_another",)


def test_what_a_second_person_found_waits_until_it_is_drawn_or_judged(any_party: Party) -> None:
    ann = add_person(any_party)
    bob = add_person(any_party, "bob")
    image_id = add_image(any_party)
    first = add_revision(any_party, image_id, ann, CAR)
    bottle = {**DOG, "class_id": "bottle"}
    small = {**bottle, "xmax": 340, "ymax": 40}
    added = add_revision(any_party, image_id, bob, CAR, bottle, small, is_head=False)
    add_double(any_party, image_id, bob, first, added)
    assert submit(any_party, image_id, SEEN) == [*SEEN, *SEEN]
    large_id, small_id = (row.id for row in rows(any_party) if row.check_name == SEEN[0])
    judge(any_party, small_id, FindingVerdict.WRONG, ann)
    add_revision(any_party, image_id, ann, CAR, {**bottle, "xmax": 470})
    check_party(any_party, NOON)
    with any_party.catalogue.reading() as session:
        verdicts = [session.get_one(Finding, row_id).verdict for row_id in (large_id, small_id)]
    assert verdicts == [FindingVerdict.FIXED, FindingVerdict.WRONG]


def test_discards_and_answers_on_gold_name_nothing_that_is_lacking(
    any_party: Party,
) -> None:
    ann = add_person(any_party)
    bob = add_person(any_party, "bob")
    of_gold = add_image(any_party)
    of_discard = add_image(any_party)
    for image_id, kind, values in (
        (of_gold, BlindKind.GOLD, {}),
        (of_discard, BlindKind.DOUBLE, {"discard_reason": "poor"}),
    ):
        first = add_revision(any_party, image_id, ann, CAR)
        added = add_revision(any_party, image_id, bob, DOG, is_head=False, **values)
        add_double(any_party, image_id, bob, first, added, kind)
    check_party(any_party, NOON)
    assert stored(any_party, SEEN) == []


CAT = {**CAR, "class_id": "cat"}
LEFT_DOG = {**CAR, "class_id": "dog", "xmin": 90}
TOGETHER = ("identical_box", "same_hour_labels")
ACTIONS = ("actions_missing",)


def submit(party: Party, image_id: int, checks: Sequence[str] = TOGETHER) -> list[str]:
    """The checks that find something in the image when it is submitted."""
    findings = writing(party, check_submission, image_id, VOC2012, settings_with(), at=NOON)
    assert {finding.image_id for finding in findings} <= {image_id}
    return [finding.check for finding in findings if finding.check in checks]


def stored(
    party: Party, checks: Sequence[str] = TOGETHER
) -> list[tuple[str, int | None, str | None]]:
    with party.catalogue.reading() as session:
        rows = session.scalars(select(Finding).order_by(Finding.id))
        return [(r.check_name, r.image_id, r.verdict) for r in rows if r.check_name in checks]


def add_photo(
    party: Party, image_id: int, owner: str = "o", taken: str = "2026-01-31 12:05:00"
) -> None:
    with party.catalogue.writing() as session:
        origin = {"source": Source.FLICKR, "source_id": f"photo-{image_id}", "found_at": NOON}
        values = {"image_id": image_id, "owner_id": owner, "taken_at_text": taken}
        session.add(Photo(state=PhotoState.FETCHED, **origin, **values))


def test_a_box_copied_from_the_previous_image_is_found_at_submission(any_party: Party) -> None:
    ann = add_person(any_party)
    first = add_image(any_party)
    second = add_image(any_party)
    add_revision(any_party, first, ann, CAR)
    assert submit(any_party, first) == []
    add_revision(any_party, second, ann, CAR)
    assert submit(any_party, second) == ["identical_box"]
    check_party(any_party, NOON)
    assert stored(any_party) == [("identical_box", second, None)]


def test_a_submission_keeps_findings_about_other_peoples_images(any_party: Party) -> None:
    ann = add_person(any_party)
    bob = add_person(any_party, "bob")
    first = add_image(any_party)
    second = add_image(any_party)
    add_revision(any_party, first, ann, CAR)
    add_revision(any_party, second, bob, CAR)
    check_party(any_party, NOON)
    assert submit(any_party, second) == []  # only the author's own are looked through
    assert stored(any_party) == [("identical_box", second, None)]


def test_a_missing_action_is_found_once_another_image_has_one(any_party: Party) -> None:
    person = {**CAR, "class_id": "person"}
    ann = add_person(any_party)
    first = add_image(any_party)
    second = add_image(any_party)
    add_revision(any_party, first, ann, person)
    assert submit(any_party, first, ACTIONS) == []
    add_revision(any_party, second, ann, {**person, "actions": ["walking"]}, CAR)
    assert submit(any_party, second, ACTIONS) == []
    assert submit(any_party, first, ACTIONS) == list(ACTIONS)
    assert stored(any_party, ACTIONS) == [("actions_missing", first, None)]
    add_revision(any_party, first, ann, {**person, "actions": ["running"]})
    assert submit(any_party, first, ACTIONS) == []
    assert stored(any_party, ACTIONS) == [("actions_missing", first, FindingVerdict.FIXED)]


@pytest.mark.parametrize(
    ("owner", "taken", "checks"),
    [
        ("o", "2026-01-31 12:59:59", ["same_hour_labels"] * 2),  # alike, and nothing in common
        ("o", "2026-01-31 13:00:00", []),
        ("p", "2026-01-31 12:59:59", []),
    ],
)
def test_images_of_one_owner_and_hour_are_compared_at_submission(
    any_party: Party, owner: str, taken: str, checks: list[str]
) -> None:
    ann = add_person(any_party)
    first = add_image(any_party)
    second = add_image(any_party)
    add_photo(any_party, first)
    add_photo(any_party, second, owner, taken)
    add_revision(any_party, first, ann, CAT)
    add_revision(any_party, second, ann, LEFT_DOG)
    assert submit(any_party, second) == checks
    add_revision(any_party, second, ann, {**LEFT_DOG, "class_id": "cat"})
    assert submit(any_party, second) == []
    assert all(verdict == "fixed" for _, _, verdict in stored(any_party))


BACK = ("chris", "returned")
BACK_BY_OLGA = ("olga", "returned")
GOOD = ("chris", "accept")


HISTORIES: list[tuple[list[tuple[str, str]], bool]] = [
    ([], False),
    ([BACK], False),
    ([BACK, BACK], True),
    ([BACK, GOOD, BACK], True),
    ([BACK, BACK, BACK_BY_OLGA], False),
    ([BACK, BACK, BACK_BY_OLGA, BACK], False),
    ([BACK, BACK, BACK_BY_OLGA, BACK, BACK], True),
    ([GOOD, GOOD], False),
    ([BACK, BACK_BY_OLGA, BACK, ("chris", "fixed")], False),
    ([BACK, ("olga", "accept"), BACK, BACK], True),
]


def test_an_image_returned_twice_goes_to_an_organiser(any_party: Party) -> None:
    ann = add_person(any_party)
    people = {name: add_person(any_party, name) for name in ("chris", "olga")}
    with any_party.catalogue.writing() as session:
        session.get_one(Person, people["olga"]).role = Role.ORGANISER
    images = {add_image(any_party): case for case in HISTORIES}
    for image_id, (history, _) in images.items():
        drawn = add_revision(any_party, image_id, ann, CAR)
        for name, verdict in history:
            add_review(any_party, drawn, people[name], verdict=Verdict(verdict))
    with any_party.catalogue.reading() as session:
        queue = set(session.scalars(select(Image.id).where(is_for_organiser(2))))
        assert queue == {image_id for image_id, (_, needed) in images.items() if needed}
        for image_id, (history, needed) in images.items():
            assert may_check(session, image_id, Role.CHECKER, 2) is not needed, history
            assert may_check(session, image_id, Role.ORGANISER, 2)
            assert may_check(session, image_id, Role.CHECKER, 3)
