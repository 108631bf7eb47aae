"""What answers settle: by count, by confidence, and what follows above and below."""

import pytest

from work.presence.beliefs import Beliefs
from work.presence.rules import Rules
from work.presence.settling import Settled, list_classes, settle

from .outlines import SEVERAL, heard, node_of

TWO = Rules(agree=2)


def settle_words(words: str, rules: Rules = TWO) -> Settled:
    answers = heard(words)
    beliefs = Beliefs(SEVERAL, answers, rules.wrong_share, {})
    return settle(SEVERAL, rules, answers, beliefs)


def name_classes(bits: int) -> set[str]:
    return {node.key for node in list_classes(SEVERAL, bits)}


@pytest.mark.parametrize(
    ("words", "present", "done"),
    [
        ("", "", ""),
        ("-pet", "", ""),
        ("-pet -pet", "", "cat dog"),
        ("+cat", "", ""),
        ("+cat +cat", "cat", "cat"),
        ("+cat -cat", "", ""),
        ("+cat -cat +cat", "cat", "cat"),
        ("+cat -cat -cat", "", "cat"),
        ("-animal -animal", "", "cat dog lobster shrimp"),
        ("-food -food", "", "lobster shrimp bread cake"),
        ("-animal -animal +lobster +lobster", "lobster", "lobster"),
        ("-food -food +cat +cat", "cat", "cat lobster shrimp bread cake"),
        ("-cat -cat +cat +cat", "", "cat"),
    ],
)
def test_two_who_agree_first_settle_a_question(words: str, present: str, done: str) -> None:
    settled = settle_words(words)
    assert name_classes(settled.present) == set(present.split())
    assert name_classes(settled.done) == set(done.split())


def test_a_yes_to_a_class_is_one_to_all_groups_above() -> None:
    settled = settle_words("+lobster +lobster")
    assert {node.key for node in settled.yes} == {"lobster", "seafood", "animal", "food", ""}


def test_only_the_highest_no_is_kept() -> None:
    settled = settle_words("-pet -pet -animal -animal")
    assert settled.no == {node_of("animal")}


def test_the_number_of_people_is_set_by_class() -> None:
    rules = Rules(agree=1, agree_of={node_of("cat"): 3})
    assert name_classes(settle_words("-dog +cat +cat", rules).done) == {"dog"}
    assert name_classes(settle_words("-dog +cat +cat +cat", rules).done) == {"dog", "cat"}


def test_with_a_confidence_a_rare_class_takes_one_no_and_two_yes() -> None:
    rules = Rules(confidence=0.99)
    assert name_classes(settle_words("-person", rules).done) == {"person"}
    assert settle_words("+person", rules).done == 0
    assert name_classes(settle_words("+person +person", rules).present) == {"person"}


def test_a_group_that_is_there_lets_a_no_to_each_of_its_classes_be_doubted() -> None:
    rules = Rules(confidence=0.98)
    assert name_classes(settle_words("-cat -dog", rules).done) == {"cat", "dog"}
    assert settle_words("+pet +pet -cat -dog", rules).done == 0


def test_nothing_is_settled_that_nobody_said() -> None:
    rules = Rules(confidence=0.5)
    assert settle_words("", rules).done == 0


def test_an_answer_about_what_is_gone_settles_nothing() -> None:
    assert settle_words("-cat -cat").done == settle_words("-unicorn -unicorn -cat -cat").done
