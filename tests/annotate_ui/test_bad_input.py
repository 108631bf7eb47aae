"""Values that no database can store are refused in a sentence, not as a server error."""

import json

from .house import API, House, error_of


def test_a_date_outside_the_calendar_is_refused(any_house: House) -> None:
    any_house.ann()
    olga = any_house.olga()
    for name, word in (
        ("until", "9999-12-31"),
        ("until", "9999-12-31T23:59:59"),
        ("since", "0001-01-01T00:00:00+14:00"),
        ("since", "9999-12-31T23:59:59-14:00"),
    ):
        refused = olga.get(f"{API}/images", query_string={name: word})
        assert error_of(refused) == (422, "invalid", name), word
    path = f"{API}/people/{any_house.person('ann').id}/undo"
    for is_dry in (True, False):
        body = {"since": "0001-01-01T00:00:00+14:00", "dry_run": is_dry}
        assert error_of(olga.post(path, body)) == (422, "invalid", "since")


def test_a_number_too_large_for_the_database_is_refused(any_house: House) -> None:
    olga = any_house.olga()
    for numbers in (
        "1~99999999999999999999~same_class_overlap~1.0~5",
        "1~0~same_class_overlap~1.0~-99999999999999999999",
    ):
        refused = olga.get(f"{API}/findings", query_string={"past": numbers})
        assert error_of(refused) == (422, "invalid", "past")
    opened_for = json.dumps(olga.opened_for)
    body = f'{{"opened_for": {opened_for}, "preferences": {{"zoom": 1e400}}}}'
    headers = {"X-CSRFToken": olga.csrf_token, "Content-Type": "application/json"}
    refused = olga.http.put(f"{API}/me/preferences", data=body, headers=headers)
    assert error_of(refused) == (422, "invalid", "preferences")
    assert olga.get(f"{API}/me/preferences").get_json() == {"preferences": {}}


def test_an_address_with_a_nul_character_is_not_found(any_house: House) -> None:
    olga = any_house.olga()
    for path in ("images/campaigns/a%00b/end", "difficult/a%00/judgements"):
        assert error_of(olga.post(f"{API}/{path}", {"objects": []}))[:2] == (404, "not_found")
    for name, word in (("check", "a\x00"), ("past", "1~0~a\x00~1.0~5")):
        refused = olga.get(f"{API}/findings", query_string={name: word})
        assert error_of(refused) == (422, "invalid", name)
