from __future__ import annotations

import pytest

from catalog.errors import SettingsError
from simulate.flickr.faults import Fault, FaultKind, Faults, Host, Rule, parse_rule

TIMEOUT = Fault(FaultKind.STATUS, status=503)
SLOW = Fault(FaultKind.LATENCY, 20.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("429=0.1", Rule(Fault(FaultKind.STATUS, None, 429), 0.1)),
        ("image:429@30=.5", Rule(Fault(FaultKind.STATUS, 30.0, 429), 0.5, Host.IMAGE)),
        ("api:503=1", Rule(TIMEOUT, 1.0, Host.API)),
        ("latency=1", Rule(Fault(FaultKind.LATENCY, 500.0), 1.0)),
        ("latency@20=0.25", Rule(SLOW, 0.25)),
        ("fail@10=1", Rule(Fault(FaultKind.FAIL, 10.0), 1.0, Host.API)),
        ("one-pixel=0.01", Rule(Fault(FaultKind.ONE_PIXEL), 0.01, Host.IMAGE)),
        ("redirect-loop=1", Rule(Fault(FaultKind.REDIRECT_LOOP), 1.0)),
    ],
)
def test_a_rule_is_written_in_a_few_characters(text: str, expected: Rule) -> None:
    assert parse_rule(text) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("429", "must be written"),
        ("429=", "must be written"),
        ("web:429=1", "must be written"),
        ("429=1.5", "from 0 to 1"),
        ("200=1", "400 to 599"),
        ("fire=1", "There is no fault 'fire'"),
        ("status=1", "There is no fault 'status'"),
        ("image:fail@10=1", "api host alone"),
        ("api:gif=1", "image host alone"),
    ],
)
def test_a_wrong_rule_is_told_in_a_sentence(text: str, told: str) -> None:
    with pytest.raises(SettingsError, match=told):
        parse_rule(text)


def test_a_rule_may_be_for_one_host_some_targets_or_the_first_attempts() -> None:
    rules = (Rule(TIMEOUT, 1.0, Host.API, only="getInfo", first=2),)
    faults = Faults(rules)
    assert faults.draw(Host.API, "flickr.photos.getInfo", 1) == (TIMEOUT,)
    assert faults.draw(Host.API, "flickr.photos.getInfo", 2) == ()
    assert faults.draw(Host.API, "flickr.photos.search", 0) == ()
    assert faults.draw(Host.IMAGE, "getInfo", 0) == ()


def test_latency_adds_to_another_fault_and_of_two_others_the_earlier_wins() -> None:
    html = Rule(Fault(FaultKind.HTML), 1.0)
    faults = Faults((Rule(TIMEOUT, 1.0), html, Rule(SLOW, 1.0), Rule(SLOW, 1.0)))
    assert faults.draw(Host.API, "x", 0) == (SLOW, TIMEOUT)
