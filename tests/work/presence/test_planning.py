"""Which question comes next."""

from catalog.hierarchy import ROOT, Node
from catalog.translating import Heard
from work.presence.beliefs import Beliefs
from work.presence.planning import find_next
from work.presence.rules import Rules
from work.presence.settling import settle

from .outlines import SEVERAL, heard, node_of

ONE = Rules(agree=1)


def ask(words: str, rules: Rules = ONE, likely: dict[Node, float] | None = None) -> Node | None:
    answers = heard(words)
    hints = likely or {}
    beliefs = Beliefs(SEVERAL, answers, rules.wrong_share, hints)
    settled = settle(SEVERAL, rules, answers, beliefs)
    return find_next(SEVERAL, rules, answers, beliefs, settled, hints)


def test_the_group_that_closes_most_is_asked_first() -> None:
    assert ask("") in {node_of("animal"), node_of("food")}
    assert ask("-animal") == node_of("food")


def test_a_question_is_asked_to_its_end_before_the_next_one() -> None:
    assert ask("-animal", Rules(agree=2)) == node_of("animal")


def test_nothing_below_a_no_is_asked() -> None:
    words = "-animal -food"
    assert ask(words) == node_of("person")
    assert ask(words + " -person") is None


def test_a_group_with_one_open_class_is_not_asked() -> None:
    node = ask("+pet -cat -food -person -seafood")
    assert node == node_of("dog")


def test_a_likely_class_is_asked_before_its_group() -> None:
    hint = {node_of("lobster"): 0.95}
    asked = list[Node]()
    words = ""
    while (node := ask(words, likely=hint)) is not None and len(asked) < 20:
        asked.append(node)
        words += f" {'+' if node == node_of('lobster') else '-'}{node.key}"
    assert node_of("lobster") in asked
    assert not {node_of("seafood"), node_of("animal")} & set(asked)


def test_every_path_of_answers_ends_and_never_asks_the_root() -> None:
    for truth in SEVERAL.hierarchy.classes_below[ROOT]:
        answers = list[Heard]()
        while True:
            beliefs = Beliefs(SEVERAL, answers, 0.02, {})
            settled = settle(SEVERAL, ONE, answers, beliefs)
            node = find_next(SEVERAL, ONE, answers, beliefs, settled, {})
            if node is None:
                break
            assert node != ROOT
            assert node not in {item.node for item in answers}
            is_shown = truth in SEVERAL.hierarchy.classes_below[node]
            answers.append(Heard(node, is_shown))
        assert settled.present == SEVERAL.bits[truth]
