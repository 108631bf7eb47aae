from collections.abc import Sequence

import pytest
from sqlalchemy import select

from catalog.party import Party
from catalog.states import FindingVerdict, PhotoState, Role, Source, Verdict
from catalog.tables import Finding, Image, Person, Photo
from qa.jobs import check_party
from qa.submission import check_submission, is_for_organiser, may_check
from tests.rows import writing

from .making import VOC2012, settings_with
from .rows import CAR, NOON, add_image, add_person, add_review, add_revision

CAT = {**CAR, "class_name": "cat"}
DOG = {**CAR, "class_name": "dog", "xmin": 90}


TOGETHER = ("identical_box", "same_hour_labels")
ACTIONS = ("actions_missing",)


def submit(party: Party, image_id: int, checks: Sequence[str] = TOGETHER) -> list[str]:
    """The checks that find something in the image when it is submitted."""
    found = writing(party, check_submission, image_id, VOC2012, settings_with(), at=NOON)
    assert {one.image_id for one in found} <= {image_id}
    return [one.check for one in found if one.check in checks]


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
        found = {"source": Source.FLICKR, "source_id": f"photo-{image_id}", "found_at": NOON}
        values = {"image_id": image_id, "owner_id": owner, "taken_at_text": taken}
        session.add(Photo(state=PhotoState.FETCHED, **found, **values))


def test_a_box_copied_from_the_previous_image_is_found_at_submission(any_party: Party) -> None:
    ann, first, second = add_person(any_party), add_image(any_party), add_image(any_party)
    add_revision(any_party, first, ann, CAR)
    assert submit(any_party, first) == []
    add_revision(any_party, second, ann, CAR)
    assert submit(any_party, second) == ["identical_box"]
    check_party(any_party, NOON)
    assert stored(any_party) == [("identical_box", second, None)]


def test_a_submission_keeps_findings_about_other_peoples_images(any_party: Party) -> None:
    ann, bob = add_person(any_party), add_person(any_party, "bob")
    first, second = add_image(any_party), add_image(any_party)
    add_revision(any_party, first, ann, CAR)
    add_revision(any_party, second, bob, CAR)
    check_party(any_party, NOON)
    assert submit(any_party, second) == []  # only the author's own are looked through
    assert stored(any_party) == [("identical_box", second, None)]


def test_a_missing_action_is_found_once_another_image_has_one(any_party: Party) -> None:
    person = {**CAR, "class_name": "person"}
    ann = add_person(any_party)
    first, second = add_image(any_party), add_image(any_party)
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
    ("owner", "taken", "found"),
    [
        ("o", "2026-01-31 12:59:59", ["same_hour_labels"] * 2),  # alike, and nothing in common
        ("o", "2026-01-31 13:00:00", []),
        ("p", "2026-01-31 12:59:59", []),
    ],
)
def test_images_of_one_owner_and_hour_are_compared_at_submission(
    any_party: Party, owner: str, taken: str, found: list[str]
) -> None:
    ann, first, second = add_person(any_party), add_image(any_party), add_image(any_party)
    add_photo(any_party, first)
    add_photo(any_party, second, owner, taken)
    add_revision(any_party, first, ann, CAT)
    add_revision(any_party, second, ann, DOG)
    assert submit(any_party, second) == found
    add_revision(any_party, second, ann, {**DOG, "class_name": "cat"})
    assert submit(any_party, second) == []
    assert all(verdict == "mended" for _, _, verdict in stored(any_party))


BACK, BACK_BY_OLGA, GOOD = ("chris", "returned"), ("olga", "returned"), ("chris", "accept")


HISTORIES: list[tuple[list[tuple[str, str]], bool]] = [
    ([], False),
    ([BACK], False),
    ([BACK, BACK], True),
    ([BACK, GOOD, BACK], True),
    ([BACK, BACK, BACK_BY_OLGA], False),
    ([BACK, BACK, BACK_BY_OLGA, BACK], False),
    ([BACK, BACK, BACK_BY_OLGA, BACK, BACK], True),
    ([GOOD, GOOD], False),
    ([BACK, BACK_BY_OLGA, BACK, ("chris", "mended")], False),
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
