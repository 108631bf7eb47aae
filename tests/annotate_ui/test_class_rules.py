"""The guidelines and statistics of a party with many classes, which show a part at a time."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from annotate_ui.api.class_rules import find_rules, split_rules
from catalog.party import Party, make_party, open_party
from catalog.preset import parse_preset
from tests.many_classes import write_preset
from tests.party_rows import Drawn, fill

from .house import House

CLASSES = parse_preset(
    """
    classes = [
        {name = "cat"}, {name = "seat", display = "Sitz"}, {name = "caf", display = "Café table"},
    ]
    """
)
MARKDOWN = """# How to label
General.

### Cat
Not lions.

```
# seat
```

## More
Also general.

#### Sitz ##
Not stools.
"""


@pytest.fixture
def party(tmp_path: Path) -> Iterator[Party]:
    """A new party with 200 classes."""
    folder = tmp_path / "party"
    make_party(folder, name="Many", preset="many.toml", preset_text=write_preset(200))
    with open_party(folder) as party:
        yield party


def test_rules_of_classes_are_cut_out_and_the_rest_stays_in_its_order() -> None:
    general, rules = split_rules(MARKDOWN, CLASSES.classes)
    assert general == "# How to label\nGeneral.\n\n## More\nAlso general.\n"
    assert list(rules) == ["cat", "seat"]
    assert "Not lions." in rules["cat"]
    assert "# seat" in rules["cat"]  # code, no heading
    assert rules["seat"] == "#### Sitz ##\nNot stools."


@pytest.mark.parametrize(
    ("typed", "names"),
    [("CA", ["cat", "caf"]), ("sitz", ["seat"]), ("cafe", ["caf"]), ("at", ["cat", "seat"])],
)
def test_rules_are_found_by_name_and_display(typed: str, names: list[str]) -> None:
    rules = {item.name: item.name for item in CLASSES.classes}
    assert find_rules(rules, CLASSES.classes, typed) == names


def test_the_guidelines_of_many_classes_show_the_rules_that_are_searched_for(house: House) -> None:
    ann = house.ann()
    assert "number 2;" not in ann.get("/guidelines").text
    shown = ann.get("/guidelines?find=babade").text
    assert "Every babade, number 2;" in shown
    assert "Every babafi" not in shown
    assert "No class matches." in ann.get("/guidelines?find=zebra").text


def test_statistics_of_many_classes_show_those_with_most_objects(house: House) -> None:
    fill(house.party, [[Drawn("dedede")] * 2, [Drawn("bababa")]])
    olga = house.olga()
    page = olga.get("/statistics").text
    assert "Shown: 60 of 200 classes" in page
    assert "the dedede" in page
    assert "the deruru" not in page  # it comes last, and has no objects
    searched = olga.get("/statistics?find=deruru").text
    assert "Shown: 1 of 200 classes" in searched
    assert "the deruru" in searched
    assert "No class matches." in olga.get("/statistics?find=zebra").text
    assert "deruru" in olga.get("/statistics/tables.csv").text
