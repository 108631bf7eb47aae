"""The list of all checks: when each runs, what the manual says of it, and its settings."""

from operator import attrgetter
from pathlib import Path

from qa.check_list import CHECKS, check_names
from qa.checks import (
    ADDED_TOGETHER,
    ANSWERED_ALONE,
    SETTLED_TOGETHER,
)
from qa.findings import Check, ImageCheck

from .making import settings_with
from .test_box_checks import CASES as BOX_CASES
from .test_label_checks import CASES as LABEL_CASES

SETTINGS = settings_with()


MANUAL = Path(__file__).parents[2] / "docs/manual/qa.md"


def moments_of(check: Check) -> tuple[bool, bool]:
    """Whether the check runs at a save, and at submission; on demand and before export all do."""
    is_alone = isinstance(check, ImageCheck)
    return (
        is_alone or check.name in ANSWERED_ALONE,
        is_alone or check.name in (*SETTLED_TOGETHER, *ADDED_TOGETHER),
    )


def test_the_manual_says_when_each_check_runs() -> None:
    lines = MANUAL.read_text().partition("| check | at a save |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines.splitlines()[2:]]
    moments = {
        row[0].strip("`"): tuple(cell.partition(" ")[0] != "no" for cell in row[1:]) for row in rows
    }
    assert moments == {check.name: (*moments_of(check), True, True) for check in CHECKS}


def test_the_manual_explains_every_check_and_its_settings() -> None:
    text = " ".join(MANUAL.read_text(encoding="utf-8").split())
    assert len(set(check_names())) == len(CHECKS)
    for check in CHECKS:
        assert check.explanation.endswith(".")
        assert f"| `{check.name}` | {check.severity.value} | {check.explanation} |" in text
        for key in check.settings:
            assert f"`{key}`" in text
            assert attrgetter(key)(SETTINGS) is not None


IN_SETS = (
    "identical_box",
    "actions_missing",
    "same_hour_labels",
    "seen_by_another",
    "suggested_otherwise",
)


OF_PEOPLE = ("box_size_bias", "class_never_marked")


def test_every_check_has_cases_with_and_without_findings() -> None:
    assert sorted([*BOX_CASES, *LABEL_CASES, *IN_SETS, *OF_PEOPLE]) == sorted(check_names())
    for cases in (*BOX_CASES.values(), *LABEL_CASES.values()):
        assert {bool(case.objects) for case in cases} == {True, False}
