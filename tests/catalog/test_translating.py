"""Answers of an earlier plan in today's classes and groups."""

from catalog.hierarchy import Hierarchy, make_hierarchy
from catalog.translating import Translator
from tests.work.presence.outlines import CLASSES, GROUPS, HIERARCHY, heard


def translate(
    words: str,
    today: Hierarchy,
    *,
    moved: dict[str, str] | None = None,
    wholes: dict[str, str] | None = None,
) -> set[str]:
    translator = Translator(HIERARCHY, today, moved or {}, wholes or {})
    said = [item for answer in heard(words) for item in translator.translate(answer)]
    return {f"{'+' if item.is_yes else '-'}{item.node.key}" for item in said}


def test_the_same_hierarchy_leaves_answers_as_they_are() -> None:
    assert translate("-animal +cat", make_hierarchy(CLASSES, GROUPS)) == {"-animal", "+cat"}


def test_a_no_to_a_group_is_none_to_a_class_that_came_later() -> None:
    today = make_hierarchy({**CLASSES, "parrot": ["pet"]}, GROUPS)
    assert translate("-pet", today) == {"-cat", "-dog"}
    assert translate("+pet", today) == {"+pet"}


def test_a_class_that_left_a_group_is_closed_by_the_no_that_it_was_below_of() -> None:
    today = make_hierarchy({**CLASSES, "dog": []}, GROUPS)
    assert translate("-pet", today) == {"-pet", "-dog"}
    assert translate("+pet", today) == set()  # it may have been the dog


def test_a_group_that_is_gone_leaves_what_was_said_of_its_classes() -> None:
    classes = {**CLASSES, "cat": ["animal"], "dog": ["animal"]}
    today = make_hierarchy(classes, {key: GROUPS[key] for key in ("animal", "food", "seafood")})
    assert translate("-pet", today) == {"-cat", "-dog"}
    assert translate("+pet", today) == set()


def test_a_class_that_is_gone_says_nothing() -> None:
    today = make_hierarchy({key: CLASSES[key] for key in CLASSES if key != "cat"}, GROUPS)
    assert translate("+cat -cat", today) == set()


def test_a_merged_class_is_there_where_one_was_and_absent_where_both_were_said_to_be() -> None:
    today = make_hierarchy({key: CLASSES[key] for key in CLASSES if key != "cat"}, GROUPS)
    moved = {"cat": "dog"}
    assert translate("+cat", today, moved=moved) == {"+dog"}
    assert translate("-dog", today, moved=moved) == set()
    assert translate("-pet", today, moved=moved) == {"-pet"}


def test_a_split_class_leaves_its_no_to_each_part_and_no_yes() -> None:
    rest = {key: CLASSES[key] for key in CLASSES if key != "cat"}
    today = make_hierarchy({**rest, "lynx": ["pet"], "tabby": ["pet"]}, GROUPS)
    wholes = {"lynx": "cat", "tabby": "cat"}
    moved = {"cat": "lynx"}
    assert translate("-cat", today, moved=moved, wholes=wholes) == {"-lynx", "-tabby"}
    assert translate("+cat", today, moved=moved, wholes=wholes) == set()
    assert translate("+pet", today, moved=moved, wholes=wholes) == {"+pet"}
