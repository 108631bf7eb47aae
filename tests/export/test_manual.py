"""The manual's page on verify names every rule."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path

import export

from . import test_blind as blind
from . import test_standing as standing
from .verify import test_check as check
from .verify.test_check import PLANTED as PLANTED_IN_TREES
from .voc.test_image_sets import PLANTED as PLANTED_IN_SETS
from .voc.test_read import PLANTED as PLANTED_IN_ANNOTATIONS

PAGE = Path(__file__).parents[2] / "docs" / "manual" / "verify.md"
RULE = re.compile(r'"([a-z]+(?:-[a-z]+)*)"')


def documented() -> set[str]:
    rows = re.findall(r"^\| (`.*?) \|", PAGE.read_text(), re.MULTILINE)
    return {rule for row in rows for rule in re.findall("`([a-z-]+)`", row)}


def test_every_rule_that_is_planted_is_in_the_manual() -> None:
    planted = {rule for _, (_, rule) in PLANTED_IN_ANNOTATIONS}
    planted |= {rule for _, _, (_, rule) in PLANTED_IN_SETS}
    planted |= {rule for _, violations in PLANTED_IN_TREES for _, _, rule in violations}
    assert planted <= documented()
    assert len(planted) > 40


ALONE: dict[str, Callable[..., None]] = {
    "id": check.test_an_id_of_which_the_kit_makes_no_number_is_named,
    "tree-name": check.test_a_folder_of_another_name_is_checked_and_its_name_is_named,
    "unreadable": check.test_a_file_that_cannot_be_read_is_named,
    "near-across-sets": standing.test_near_duplicates_and_owners_across_sets_are_named,
    "owner-across-sets": standing.test_near_duplicates_and_owners_across_sets_are_named,
    "seal": blind.test_whoever_changes_the_truth_is_found_out,
    "seal-picture": blind.test_whoever_changes_the_truth_is_found_out,
}
"""Rules that a test of their own plants, which names the rule."""


def test_every_rule_in_the_manual_is_planted_by_a_test() -> None:
    planted = {rule for _, (_, rule) in PLANTED_IN_ANNOTATIONS}
    planted |= {rule for _, _, (_, rule) in PLANTED_IN_SETS}
    planted |= {rule for _, violations in PLANTED_IN_TREES for _, _, rule in violations}
    assert documented() == planted | ALONE.keys()
    for rule, test in ALONE.items():
        assert f'"{rule}"' in inspect.getsource(test)


def test_every_rule_in_the_manual_is_in_the_code() -> None:
    package = Path(export.__file__).parent
    words = {word for path in package.rglob("*.py") for word in RULE.findall(path.read_text())}
    built = {"actions-in-all", "point-in-all"}
    assert documented() - words == built
