"""The manual's page on verify names every rule."""

from __future__ import annotations

import re
from pathlib import Path

import export

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


def test_every_rule_in_the_manual_is_in_the_code() -> None:
    package = Path(export.__file__).parent
    words = {word for path in package.rglob("*.py") for word in RULE.findall(path.read_text())}
    built = {"actions-in-all", "point-in-all"}
    assert documented() - words == built
