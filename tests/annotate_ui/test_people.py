"""People as rows."""

from __future__ import annotations

import pytest

from annotate_ui.errors import PersonError
from annotate_ui.people import (
    add_person,
    clean_name,
    display_name,
    end_link,
    find_link_owner,
    get_person,
    list_people,
    renew_link,
)
from catalog.party import Party
from catalog.states import Role

from .house import Clock

NOW = Clock().at


def test_a_person_is_found_by_their_token(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        add_person(session, " ann  lee ", Role.ANNOTATOR, token="one", at=NOW)
    with any_party.catalogue.reading() as session:
        person = find_link_owner(session, "one")
        assert person is not None
        assert (person.name, person.role, person.created_at) == ("ann lee", "annotator", NOW)
        assert find_link_owner(session, "two") is None


def test_a_name_is_taken_once(any_party: Party) -> None:
    with any_party.catalogue.writing() as session:
        add_person(session, "ann", Role.ANNOTATOR, token="one", at=NOW)
        with pytest.raises(PersonError, match="The name ann is taken"):
            add_person(session, "ann", Role.CHECKER, token="two", at=NOW)
        add_person(session, "chris", Role.CHECKER, token="three", at=NOW)
    with any_party.catalogue.reading() as session:
        assert [person.name for person in list_people(session)] == ["ann", "chris"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\x00b", "a\u202eb", "\ud800"])
def test_what_cannot_be_a_name_is_refused(name: str) -> None:
    with pytest.raises(PersonError, match="expected a name"):
        clean_name(name)


def test_nobody_of_a_name_is_told(party: Party) -> None:
    with party.catalogue.writing() as session:
        with pytest.raises(PersonError, match="nobody called sam"):
            get_person(session, "sam")
        with pytest.raises(PersonError, match="nobody called sam"):
            renew_link(session, "sam", token="x")
        with pytest.raises(PersonError, match="nobody called sam"):
            end_link(session, "sam", at=NOW)


def test_ending_twice_keeps_the_first_time(party: Party) -> None:
    with party.catalogue.writing() as session:
        add_person(session, "ann", Role.ANNOTATOR, token="one", at=NOW)
        end_link(session, "ann", at=NOW)
        later = Clock()
        later.advance(60)
        assert end_link(session, "ann", at=later.at).ended_at == NOW


def test_only_a_simulated_person_is_shown_as_one(party: Party) -> None:
    with party.catalogue.writing() as session:
        ann = add_person(session, "ann", Role.ANNOTATOR, token="one", at=NOW)
        bot = add_person(session, "bot", Role.ANNOTATOR, token="two", at=NOW, is_simulated=True)
        assert (display_name(ann), display_name(bot)) == ("ann", "bot (simulated)")
