"""Versions of what a page shows: they change with what a change from the page depends on."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from catalog.party import Party
from catalog.states import FindingVerdict, ImageState, LeaseKind, Role
from catalog.tables import Annotation, Finding, GoldImage, Image, Lease, Person
from tests.rows import make_image, make_person
from work.shown import (
    describe_version,
    version_of_finding,
    version_of_gold,
    version_of_image,
    version_of_lease,
    version_of_person,
)

NOON = datetime(2026, 1, 31, 12, tzinfo=UTC)
LATER = NOON + timedelta(seconds=1)


def image_with(**values: Any) -> Image:
    image = make_image("ab" * 32, NOON, id=7, state=ImageState.POOL)
    for name, value in values.items():
        setattr(image, name, value)
    return image


def person_with(**values: Any) -> Person:
    person = make_person("ann", NOON)
    for name, value in {"id": 3, **values}.items():
        setattr(person, name, value)
    return person


def finding_with(**values: Any) -> Finding:
    return Finding(**{"id": 5, "message": "A box.", "subject_sha256": "ab", **values})


def test_a_version_is_short_and_tells_its_parts_apart() -> None:
    assert len(describe_version(1, "a")) == 16
    versions = {describe_version(*parts) for parts in [(1, "a"), ("1", "a"), (1,), ("a", 1), ()]}
    assert len(versions) == 5
    assert describe_version(1, "a") == describe_version(1, "a")


@pytest.mark.parametrize(
    ("changed", "is_new"),
    [
        ({}, False),
        ({"state": ImageState.CHECKED}, True),
        ({"state_at": LATER}, True),
        ({"annotation_id": 1}, True),
        ({"id": 8}, True),
        ({"reason": "blurred"}, False),
        ({"width": 501}, False),
    ],
)
def test_an_image_has_a_new_version_with_its_state_and_its_revision(
    changed: dict[str, Any], is_new: bool
) -> None:
    assert (version_of_image(image_with(**changed)) != version_of_image(image_with())) is is_new


@pytest.mark.parametrize(
    ("changed", "is_new"),
    [
        ({}, False),
        ({"name": "bob"}, True),
        ({"role": Role.CHECKER}, True),
        ({"ended_at": NOON}, True),
        ({"trained_at": NOON}, True),
        ({"credential_sha256": "cd"}, True),
        ({"seen_at": LATER}, False),
    ],
)
def test_a_person_has_a_new_version_with_what_the_list_of_people_changes(
    changed: dict[str, Any], is_new: bool
) -> None:
    assert (version_of_person(person_with(**changed)) != version_of_person(person_with())) is is_new


def test_the_end_of_access_is_not_the_end_of_training() -> None:
    ended = person_with(ended_at=NOON)
    trained = person_with(trained_at=NOON)
    assert version_of_person(ended) != version_of_person(trained)


@pytest.mark.parametrize(
    ("changed", "is_new"),
    [
        ({}, False),
        ({"message": "A small box."}, True),
        ({"subject_sha256": "cd"}, True),
        ({"verdict": FindingVerdict.RIGHT}, True),
        ({"badness": 0.5}, False),
    ],
)
def test_a_finding_has_a_new_version_with_what_it_says_and_its_verdict(
    changed: dict[str, Any], is_new: bool
) -> None:
    is_other = version_of_finding(finding_with(**changed)) != version_of_finding(finding_with())
    assert is_other is is_new


def test_each_lease_has_a_version_of_its_own_whatever_becomes_of_it() -> None:
    first = Lease(id=1, kind=LeaseKind.CHECK, heartbeat_at=NOON)
    renewed = Lease(id=1, kind=LeaseKind.CHECK, heartbeat_at=LATER)
    assert version_of_lease(first) == version_of_lease(renewed)
    assert version_of_lease(first) != version_of_lease(Lease(id=2, kind=LeaseKind.CHECK))


def test_gold_has_a_new_version_with_each_choice_and_that_of_no_choice_once_it_ended(
    party: Party,
) -> None:
    with party.catalogue.writing() as session:
        ann = make_person("ann", NOON)
        image = make_image("ab" * 32, NOON, state=ImageState.CHECKED)
        session.add_all([ann, image])
        session.flush()
        revision = Annotation(
            image_id=image.id, person_id=ann.id, save_key="k", is_finished=True, saved_at=NOON
        )
        session.add(revision)
        session.flush()
        image.annotation_id = revision.id
        unchosen = version_of_gold(session, image)
        gold = GoldImage(
            image_id=image.id, annotation_id=revision.id, person_id=ann.id, chosen_at=NOON
        )
        session.add(gold)
        session.flush()
        versions = [unchosen, version_of_gold(session, image)]
        for name, value in {"note": "cats", "is_training": True, "chosen_at": LATER}.items():
            setattr(gold, name, value)
            versions.append(version_of_gold(session, image))
        assert len(set(versions)) == 5
        gold.ended_at = LATER
        assert version_of_gold(session, image) == unchosen
