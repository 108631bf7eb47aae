from __future__ import annotations

from typing import Any

import pytest

from catalog.errors import SettingsError
from catalog.party import Party
from catalog.tables import LiveSetting
from qa.jobs import check_party
from qa.switches import LIVE_NAME, apply_live_settings, override_settings

from .making import settings_with
from .rows import CAR, NOON, add_image, add_person, add_revision

OUTSIDE = {**CAR, "xmax": 501, "truncated": True}


def set_live(party: Party, number: int, person_id: int, value: dict[str, Any]) -> None:
    with party.catalogue.writing() as session:
        session.add(
            LiveSetting(
                name=LIVE_NAME, number=number, value=value, person_id=person_id, set_at=NOON
            )
        )


def test_the_newest_version_on_the_board_holds_over_party_toml(any_party: Party) -> None:
    olga = add_person(any_party, "olga")
    set_live(any_party, 1, olga, {"double_share": 0.5})
    set_live(any_party, 2, olga, {"double_share": 0.2, "switched_off": ["small_box"]})
    with any_party.catalogue.reading() as session:
        qa = apply_live_settings(session, any_party.settings).qa
    assert (qa.double_share, qa.switched_off) == (0.2, ("small_box",))
    assert qa.gold_share == any_party.settings.qa.gold_share


def test_a_check_that_is_switched_off_on_the_board_is_silent(any_party: Party) -> None:
    olga = add_person(any_party, "olga")
    add_revision(any_party, add_image(any_party), olga, OUTSIDE)
    assert check_party(any_party, NOON).has_errors
    set_live(any_party, 1, olga, {"switched_off": ["outside_image"]})
    report = check_party(any_party, NOON)
    assert (report.has_errors, report.switched_off) == (False, ("outside_image",))
    assert report.kept.mended == 0


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"double_shares": 0.1}, "Unknown setting qa.double_shares."),
        ({"double_share": 1.5}, "qa.double_share is wrong: "),
        ({"double_share": "much"}, "qa.double_share is wrong: "),
        ({"switched_off": ["smal_box"]}, "'smal_box', which is no check"),
    ],
)
def test_what_cannot_be_set_is_refused_with_a_sentence(
    values: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        override_settings(settings_with(), values)
