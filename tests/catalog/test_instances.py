"""Which party a catalogue is, and when it came back of a backup."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

from catalog.instances import (
    WORK_LASTS,
    find_last_restore,
    find_last_served,
    name_party,
    note_restore,
    note_serving,
    was_restored,
)
from catalog.party import Party, make_party, open_party
from tests.rows import at_once, reading, writing

NOON = datetime(2026, 5, 4, 12, tzinfo=UTC)


def test_a_party_has_one_name_however_many_processes_ask_first(any_party: Party) -> None:
    def name() -> str:
        return name_party(any_party.catalogue, at=NOON)

    tokens = set(at_once(*[name] * 4))
    assert len(tokens) == 1
    assert {name_party(any_party.catalogue, at=NOON + timedelta(days=1))} == tokens


def test_two_parties_have_different_names(party: Party, tmp_path: Path) -> None:
    make_party(tmp_path / "other", name="Test party", preset="voc2012")
    with open_party(tmp_path / "other") as other:
        assert name_party(other.catalogue, at=NOON) != name_party(party.catalogue, at=NOON)


def test_a_party_is_served_from_its_last_sign_of_life_until_it_is_stopped(party: Party) -> None:
    name_party(party.catalogue, at=NOON)
    assert reading(party, find_last_served) is None
    note_serving(party.catalogue, NOON)
    assert reading(party, find_last_served) == NOON
    note_serving(party.catalogue, None)
    assert reading(party, find_last_served) is None


def test_a_restored_party_keeps_its_name_and_is_not_served(party: Party) -> None:
    token = name_party(party.catalogue, at=NOON)
    note_serving(party.catalogue, NOON)
    writing(party, note_restore, at=NOON)
    assert name_party(party.catalogue, at=NOON) == token
    assert reading(party, find_last_served) is None


def test_a_party_that_was_never_served_can_be_restored(party: Party) -> None:
    assert reading(party, find_last_restore) == 0
    writing(party, note_restore, at=NOON)
    assert reading(party, find_last_restore) > 1
    assert len(name_party(party.catalogue, at=NOON)) == 32


def test_work_on_lost_rows_may_come_for_some_time_after_a_restore(party: Party) -> None:
    name_party(party.catalogue, at=NOON)
    assert not reading(party, was_restored, at=NOON)
    writing(party, note_restore, at=NOON)
    assert reading(party, was_restored, at=NOON)
    assert reading(party, was_restored, at=NOON + WORK_LASTS - timedelta(seconds=1))
    assert not reading(party, was_restored, at=NOON + WORK_LASTS)


def test_each_restore_has_a_higher_number_than_the_one_before(party: Party) -> None:
    numbers = []
    for _ in range(3):
        writing(party, note_restore, at=NOON)
        numbers.append(reading(party, find_last_restore))
    assert numbers == sorted(set(numbers))
