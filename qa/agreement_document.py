"""The measurements of agreement as a JSON document."""

from __future__ import annotations

import math
from dataclasses import is_dataclass
from typing import Any

from vockit.report.intervals import Interval

from . import agreement
from .agreement_report import DISCARD_HEADS, AgreementReport, expect_missing, measure_discards
from .recapture import ASSUMED, ASSUMPTIONS, Missed


def format_document(report: AgreementReport) -> dict[str, Any]:
    """The report as plain values, ready for JSON."""
    groups = {name: getattr(report, name) for name in ("pairs", "classes", "pairs_by_class")}
    errors = ("by_person", "by_class", "by_day", "by_checker")
    document: dict[str, Any] = _make_plain(
        {
            "everybody": _group_document(report, report.everybody),
            **{
                name: [_group_document(report, group) for group in them]
                for name, them in groups.items()
            },
            "confusions": report.everybody.confusions,
            "boxes": report.boxes,
            "assumptions": ASSUMPTIONS,
            "missing_in_an_image": expect_missing(report) | {"assumption": ASSUMED},
            "errors": {
                "all": report.errors,
                "of_people_like_these": report.errors_of_people,
                "of_checkers": report.errors_of_checkers,
                **{name: getattr(report, f"errors_{name}") for name in errors},
            },
            "gold": [
                {
                    "person": report.names[record.person_id],
                    "images": record.images,
                    "passed": record.passed,
                }
                | {"found": record.recall, "right": record.precision}
                for record in report.gold
            ],
            "discards": [
                dict(zip(DISCARD_HEADS, row, strict=True))
                for row in measure_discards(report.discards)
            ],
            "suggestions": _suggestions_document(report),
        }
    )
    return document


def _suggestions_document(report: AgreementReport) -> dict[str, Any] | None:
    effect = report.suggestions
    if effect is None:
        return None
    lines = [{"person": report.names[line.person_id], **vars(line)} for line in effect.anchoring]
    return vars(effect) | {"advice": effect.advice.value, "anchoring": lines}


def _group_document(report: AgreementReport, group: agreement.GroupAgreement) -> dict[str, Any]:
    document = vars(group) | {
        "people": None
        if group.people is None
        else [report.names[person] for person in group.people],
        "class": group.class_name,
        "fields": {
            field.field: {"same": field.share, "kappa": field.kappa, "alpha": field.alpha}
            for field in group.fields
        },
        "missed": _missed_document(group.missed),
    }
    del document["class_name"]
    return document


def _missed_document(missed: Missed) -> dict[str, Any]:
    numbers = {"missed": missed.missed, "low": missed.low, "high": missed.high}
    return {"found": missed.seen, **numbers, "assumption": ASSUMED}


def _make_plain(value: Any) -> Any:
    """The value as JSON has it: a dataclass as an object, NaN and infinity as null."""
    if isinstance(value, Interval):
        value = {"value": value.value, "low": value.low, "high": value.high}
    elif is_dataclass(value):
        value = vars(value)
    if isinstance(value, dict):
        return {name: _make_plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_make_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
