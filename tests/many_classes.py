"""A preset of made-up classes, for pages and commands that have to stand a thousand of them."""

from collections.abc import Iterator
from itertools import product

SYLLABLES = ("ba", "de", "fi", "go", "ku", "la", "me", "ni", "po", "ru")
IN_A_GROUP = 25


def list_names(count: int) -> list[str]:
    """So many different made-up names: "bababa", "babade" and so on, at most a thousand."""
    return ["".join(syllables) for syllables in product(SYLLABLES, repeat=3)][:count]


def write_preset(count: int) -> str:
    """The TOML text of a preset with so many classes, 25 in each group, none with views."""
    return "\n".join(['name = "many"', "year = 2026", "", *_write_classes(count)])


def _write_classes(count: int) -> Iterator[str]:
    for number, name in enumerate(list_names(count)):
        yield "[[classes]]"
        yield f'name = "{name}"'
        yield f'display = "the {name}"'
        yield f'groups = ["Group {number // IN_A_GROUP + 1}"]'
        yield f'short_rule = "Every {name}, number {number + 1}; not what only looks like one."'
        yield f'queries = ["{name}", "{name[::-1]}"]'
        yield "has_views = false"
        yield ""
