from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from catalog.party import Party
from catalog.states import Role, Verdict
from catalog.tables import Image, Person, Review
from qa.rounds import Round, is_for_organiser, load_rounds, may_check, needs_organiser

from .rows import CAR, NOON, add_image, add_person, add_revision

BACK = Round(Verdict.RETURNED, by_organiser=False)
BACK_BY_ORGANISER = Round(Verdict.RETURNED, by_organiser=True)
GOOD = Round(Verdict.ACCEPT, by_organiser=False)


@pytest.mark.parametrize(
    ("rounds", "needed"),
    [
        ([], False),
        ([BACK], False),
        ([BACK, BACK], True),
        ([BACK, GOOD, BACK], True),
        ([BACK, BACK, BACK_BY_ORGANISER], False),
        ([BACK, BACK, BACK_BY_ORGANISER, BACK], False),
        ([BACK, BACK, BACK_BY_ORGANISER, BACK, BACK], True),
        ([GOOD, GOOD], False),
    ],
)
def test_after_two_returns_an_organiser_settles_it(rounds: list[Round], needed: bool) -> None:
    assert needs_organiser(rounds, 2) is needed
    assert may_check(rounds, Role.CHECKER, 2) is not needed
    assert may_check(rounds, Role.ORGANISER, 2)


verdicts = st.lists(st.tuples(st.sampled_from(Verdict), st.booleans()), max_size=6)


@given(verdicts, st.integers(1, 3))
def test_more_rounds_allowed_never_call_an_organiser_sooner(
    drawn: list[tuple[Verdict, bool]], most: int
) -> None:
    rounds = [Round(verdict, by_organiser) for verdict, by_organiser in drawn]
    assert needs_organiser(rounds, most + 1) <= needs_organiser(rounds, most)


@pytest.mark.parametrize(
    "history",
    [
        [],
        [("chris", "returned")],
        [("chris", "returned"), ("chris", "returned")],
        [("chris", "returned"), ("chris", "returned"), ("olga", "returned")],
        [("chris", "returned"), ("olga", "returned"), ("chris", "returned"), ("chris", "mended")],
        [("chris", "returned"), ("olga", "accept"), ("chris", "returned"), ("chris", "returned")],
    ],
)
def test_the_queue_holds_what_the_rule_says(
    any_party: Party, history: list[tuple[str, str]]
) -> None:
    ann, image_id = add_person(any_party), add_image(any_party)
    people = {name: add_person(any_party, name) for name in ("chris", "olga")}
    drawn = add_revision(any_party, image_id, ann, CAR)
    add_revision(any_party, add_image(any_party), ann, CAR)
    with any_party.catalogue.writing() as session:
        session.get_one(Person, people["olga"]).role = Role.ORGANISER
        for number, (name, verdict) in enumerate(history):
            session.add(
                Review(
                    annotation_id=drawn,
                    person_id=people[name],
                    save_key=f"review-{number}",
                    verdict=Verdict(verdict),
                    reviewed_at=NOON,
                )
            )
            session.flush()
    with any_party.catalogue.reading() as session:
        rounds = load_rounds(session, image_id)
        assert [one.verdict for one in rounds] == [verdict for _, verdict in history]
        queue = session.scalars(select(Image.id).where(is_for_organiser(2))).all()
        assert (image_id in queue) is needs_organiser(rounds, 2)
        assert len(queue) <= 1
