from datetime import timedelta

import pytest
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.party import Party
from catalog.states import ImageState, Role
from catalog.tables import Duplicate, PairLabel, Person
from dedup.errors import LabelError
from dedup.jobs import DedupSummary
from dedup.labels import Verdict, keep_instead, label_pair, undo_label
from dedup.pairs import BY_PERSON
from dedup.report.figures import load_agreement
from tests.rows import load_rows, make_person, reading, writing

from .images import NOON, add_hashed, load_duplicates, load_states, run, set_state

LATER = NOON + timedelta(hours=1)
SMALL_WH = (250, 188)


def add_organiser(session: Session) -> int:
    person = make_person("olga", NOON, Role.ORGANISER)
    session.add(person)
    session.flush()
    return person.id


def split(party: Party, image_id: int, other: int) -> int:
    return say(party, image_id, other, Verdict.DIFFERENT)


def say(party: Party, image_id: int, other: int, verdict: Verdict) -> int:
    with party.catalogue.writing() as session:
        person_id = session.scalar(select(Person.id)) or add_organiser(session)
        return label_pair(session, image_id, other, verdict, person_id=person_id, at=LATER).id


def undo(party: Party, label_id: int) -> bool:
    return writing(party, undo_label, label_id, at=LATER)


def test_splitting_a_pair_returns_the_image_for_good(any_party: Party) -> None:
    large = add_hashed(any_party, 0)
    small = add_hashed(any_party, 0, size_wh=SMALL_WH)
    run(any_party)
    assert load_duplicates(any_party) == {small: large}
    split(any_party, small, large)
    assert load_duplicates(any_party) == {}
    assert load_states(any_party)[small] == "hashed"
    assert run(any_party) == DedupSummary(pool=1)
    assert load_duplicates(any_party) == {}


def test_an_image_split_from_one_can_still_be_a_copy_of_another(party: Party) -> None:
    large = add_hashed(party, 0, size_wh=(900, 900))
    small = add_hashed(party, 0, size_wh=SMALL_WH)
    run(party)
    split(party, large, small)
    middle = add_hashed(party, 0, size_wh=(500, 500))
    run(party)
    assert load_duplicates(party) == {middle: large}
    assert load_states(party)[small] == "pool"


def test_undoing_a_split_restores_the_decision_with_its_evidence(any_party: Party) -> None:
    large = add_hashed(any_party, 1)
    small = add_hashed(any_party, 1, size_wh=SMALL_WH, share=0.8)
    run(any_party)
    [before] = load_rows(any_party, select(Duplicate))
    label_id = split(any_party, large, small)
    run(any_party)
    assert undo(any_party, label_id)
    assert load_duplicates(any_party) == {small: large}
    assert load_states(any_party)[small] == "duplicate"
    [after] = load_rows(any_party, select(Duplicate))
    assert (after.id, after.doubt, after.evidence) == (before.id, before.doubt, before.evidence)
    assert not undo(any_party, label_id)


def test_undoing_a_split_removes_no_image_that_was_annotated_since(party: Party) -> None:
    large = add_hashed(party, 0)
    small = add_hashed(party, 0, size_wh=SMALL_WH)
    run(party)
    label_id = split(party, large, small)
    set_state(party, small, ImageState.ANNOTATED)
    assert undo(party, label_id)
    assert load_states(party)[small] == "annotated"
    assert load_duplicates(party) == {}


def test_a_person_can_mark_a_duplicate_that_the_rules_missed(any_party: Party) -> None:
    large = add_hashed(any_party, 1)
    other = add_hashed(any_party, 2, size_wh=SMALL_WH)
    run(any_party)
    label_id = say(any_party, other, large, Verdict.DUPLICATE)
    assert load_duplicates(any_party) == {other: large}
    with any_party.catalogue.reading() as session:
        [row] = session.scalars(select(Duplicate))
        assert (row.decided_how, row.doubt) == (BY_PERSON, 0.0)
        assert row.person_id is not None
    undo(any_party, label_id)
    assert load_states(any_party)[other] == "hashed"
    run(any_party)
    assert load_states(any_party) == {large: "pool", other: "pool"}


def test_a_person_can_turn_duplicates_into_one_event(any_party: Party) -> None:
    large = add_hashed(any_party, 0)
    small = add_hashed(any_party, 0, size_wh=SMALL_WH)
    run(any_party)
    say(any_party, large, small, Verdict.SAME_EVENT)
    run(any_party)
    assert load_duplicates(any_party) == {}
    assert load_duplicates(any_party, "same_event") == {small: large}
    assert load_states(any_party) == {large: "pool", small: "pool"}


def test_a_label_on_a_taken_down_image_does_not_stop_a_run(party: Party) -> None:
    large = add_hashed(party, 1)
    other = add_hashed(party, 2, size_wh=SMALL_WH)
    run(party)
    say(party, large, other, Verdict.DUPLICATE)
    set_state(party, large, ImageState.TAKEN_DOWN)
    assert run(party) == DedupSummary(pool=1)
    assert load_states(party)[other] == "pool"


def test_precision_counts_peoples_labels_on_the_rules_decisions(party: Party) -> None:
    pairs = []
    for scene in range(4):
        large = add_hashed(party, scene)
        pairs.append((large, add_hashed(party, scene, size_wh=SMALL_WH)))
    run(party)
    for pair in pairs[:3]:
        say(party, *pair, Verdict.DUPLICATE)
    split(party, *pairs[2])
    split(party, *pairs[3])
    say(party, pairs[0][0], pairs[1][0], Verdict.DIFFERENT)  # of these the rules said nothing
    [agreement] = reading(party, load_agreement)
    assert (agreement.relation, agreement.confirmed, agreement.looked_at) == ("duplicate", 2, 4)


def test_only_the_newest_label_of_a_pair_holds(party: Party) -> None:
    large = add_hashed(party, 0)
    small = add_hashed(party, 0, size_wh=SMALL_WH)
    run(party)
    split(party, large, small)
    say(party, large, small, Verdict.DUPLICATE)
    with party.catalogue.reading() as session:
        labels = session.scalars(select(PairLabel).order_by(PairLabel.id)).all()
        assert [label.undone_at is None for label in labels] == [False, True]
        assert [label.relation for label in labels] == ["duplicate", "duplicate"]
    assert load_duplicates(party) == {small: large}


def test_a_label_needs_two_existing_images(party: Party) -> None:
    image_id = add_hashed(party, 1)
    run(party)
    with pytest.raises(LabelError, match="named twice"):
        split(party, image_id, image_id)
    with pytest.raises(LabelError, match="Image 99 does not exist"):
        split(party, image_id, 99)


def swap(party: Party, image_id: int, kept_id: int) -> int:
    with party.catalogue.writing() as session:
        person_id = session.scalar(select(Person.id)) or add_organiser(session)
        return keep_instead(session, image_id, kept_id, person_id=person_id, at=NOON).id


def test_after_a_swap_the_other_image_is_kept_for_all_copies(party: Party) -> None:
    first, second, third = (add_hashed(party, 0) for _ in range(3))
    run(party)
    swap(party, second, first)
    assert load_duplicates(party) == {first: second, third: second}
    assert load_states(party)[second] == "pool"
    run(party)
    assert load_duplicates(party) == {first: second, third: second}


def test_an_image_that_people_work_on_cannot_be_swapped(party: Party) -> None:
    first = add_hashed(party, 0)
    second = add_hashed(party, 0)
    run(party)
    set_state(party, first, ImageState.ANNOTATING)
    with pytest.raises(LabelError, match="it stays"):
        swap(party, second, first)


def add_pair(party: Party, *, is_small_first: bool = False) -> tuple[int, int]:
    """Two images, of which the rules keep the first and put the second one aside."""
    large_wh = (500, 376)
    sizes = (SMALL_WH, large_wh) if is_small_first else (large_wh, SMALL_WH)
    ids = {size: add_hashed(party, 0, size_wh=size) for size in sizes}
    run(party)
    assert load_duplicates(party) == {ids[SMALL_WH]: ids[large_wh]}
    return ids[large_wh], ids[SMALL_WH]


@pytest.mark.parametrize("is_small_first", [False, True])
@pytest.mark.parametrize("verdict", [Verdict.DIFFERENT, Verdict.SAME_EVENT])
def test_after_an_undo_the_image_that_a_person_chose_is_kept_again(
    any_party: Party, verdict: Verdict, is_small_first: bool
) -> None:
    large, small = add_pair(any_party, is_small_first=is_small_first)
    swap(any_party, small, large)
    label_id = say(any_party, small, large, verdict)
    assert load_duplicates(any_party) == {}
    assert undo(any_party, label_id)
    assert load_duplicates(any_party) == {large: small}
    assert load_states(any_party) == {large: "duplicate", small: "pool"}


@pytest.mark.parametrize("is_confirmed", [False, True])
@pytest.mark.parametrize("is_small_first", [False, True])
def test_undoing_a_swap_keeps_the_image_again_that_the_rules_kept(
    any_party: Party, is_confirmed: bool, is_small_first: bool
) -> None:
    large, small = add_pair(any_party, is_small_first=is_small_first)
    if is_confirmed:
        say(any_party, large, small, Verdict.DUPLICATE)
    label_id = swap(any_party, small, large)
    assert load_duplicates(any_party) == {large: small}
    assert undo(any_party, label_id)
    assert load_duplicates(any_party) == {small: large}
    run(any_party)
    assert load_states(any_party) == {large: "pool", small: "duplicate"}
    [row] = load_rows(any_party, select(Duplicate).where(Duplicate.undone_at.is_(None)))
    assert row.person_id is None


def test_undoing_the_second_of_two_swaps_leaves_the_first(party: Party) -> None:
    large, small = add_pair(party)
    swap(party, small, large)
    label_id = swap(party, large, small)
    assert load_duplicates(party) == {small: large}
    assert undo(party, label_id)
    assert load_duplicates(party) == {large: small}


@pytest.mark.parametrize("is_confirmed", [False, True])
def test_undoing_the_confirmation_of_a_swap_leaves_the_swap(
    party: Party, is_confirmed: bool
) -> None:
    large, small = add_pair(party)
    if is_confirmed:
        say(party, large, small, Verdict.DUPLICATE)
    swap(party, small, large)
    label_id = say(party, large, small, Verdict.DUPLICATE)
    assert undo(party, label_id)
    assert load_duplicates(party) == {large: small}
    assert load_states(party) == {large: "duplicate", small: "pool"}


def test_keeping_the_other_image_confirms_that_the_rules_saw_a_near_duplicate(
    party: Party,
) -> None:
    large, small = add_pair(party)
    swap(party, small, large)
    [agreement] = reading(party, load_agreement)
    assert (agreement.relation, agreement.confirmed, agreement.looked_at) == ("duplicate", 1, 1)
