"""All that is measured of people's agreement and errors, as tables for people and one document."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .agreement_groups import GroupAgreement
from .error_rates import ErrorRates
from .gold import GoldRecord
from .intervals import Interval
from .matched import FIELDS
from .mends import Slip
from .recapture import ASSUMPTIONS, Missed

_SHOWN_CONFUSIONS = 12


@dataclass(frozen=True)
class AgreementReport:
    """How people agree where two annotated an image blind, and what checkers mended."""

    names: dict[int, str]
    everybody: GroupAgreement
    pairs: tuple[GroupAgreement, ...]
    classes: tuple[GroupAgreement, ...]
    pairs_by_class: tuple[GroupAgreement, ...]
    errors: ErrorRates
    errors_by_person: tuple[ErrorRates, ...]
    errors_by_class: tuple[ErrorRates, ...]
    errors_by_day: tuple[ErrorRates, ...]
    gold: tuple[GoldRecord, ...]

    def name(self, person_id: int) -> str:
        """The person's name."""
        return self.names.get(person_id, f"person {person_id}")


def format_agreement(report: AgreementReport) -> Iterator[str]:
    """The lines of the report."""
    if not report.everybody.images:
        yield "No image was annotated twice yet; qa.double_share says how many should be."
    else:
        yield from _format_blind(report)
    if report.errors.images:
        yield from _format_errors(report)
    if report.gold:
        yield ""
        yield "Gold images"
        yield f"  {'person':<20}{'images':>7}  found              right              passed"
        for record in report.gold:
            yield (
                f"  {report.name(record.person_id):<20}{record.images:>7}  "
                f"{_show(record.found):<18} {_show(record.right):<18} {record.passed}"
            )


def format_document(report: AgreementReport) -> dict[str, Any]:
    """The report as plain values, ready for JSON."""
    return {
        "everybody": _group_document(report, report.everybody),
        "pairs": [_group_document(report, one) for one in report.pairs],
        "classes": [_group_document(report, one) for one in report.classes],
        "pairs_by_class": [_group_document(report, one) for one in report.pairs_by_class],
        "confusions": [vars(one) for one in report.everybody.confusions],
        "assumptions": list(ASSUMPTIONS),
        "errors": {
            "all": _errors_document(report.errors),
            "by_person": [_errors_document(one) for one in report.errors_by_person],
            "by_class": [_errors_document(one) for one in report.errors_by_class],
            "by_day": [_errors_document(one) for one in report.errors_by_day],
        },
        "gold": [
            {
                "person": report.name(one.person_id),
                "images": one.images,
                "passed": one.passed,
                "found": _interval_document(one.found),
                "right": _interval_document(one.right),
            }
            for one in report.gold
        ],
    }


def summarise(report: AgreementReport) -> dict[str, Any]:
    """What a datasheet tells of it: a few numbers with their intervals, by what they are."""
    everybody, errors = report.everybody, report.errors
    summary: dict[str, Any] = {"images annotated twice, blind": everybody.images}
    if everybody.images:
        summary |= {
            "objects found by both": _show(everybody.both),
            "overlap of their boxes, mean": _show(everybody.mean_overlap),
            "objects that both missed": describe_missed(everybody.missed),
        }
        summary |= {f"same {it.field}": _show(it.share) for it in everybody.fields}
    summary["images that a checker went through"] = errors.images
    return summary


def _format_blind(report: AgreementReport) -> Iterator[str]:
    everybody = report.everybody
    yield f"Annotated twice, blind: {everybody.images} images. Intervals hold with 95 %."
    yield ""
    yield from _format_groups("people", [("all", everybody), *_name_pairs(report)])
    yield ""
    yield from _format_groups("class", [(one.class_name or "", one) for one in report.classes])
    yield ""
    yield "  field       same               alpha"
    for field in everybody.fields:
        yield f"  {field.field:<12}{_show(field.share):<19}{_show(field.alpha)}"
    yield ""
    yield from _format_kappas(_name_pairs(report))
    if everybody.confusions:
        yield ""
        yield "  one object, two classes"
        for one in everybody.confusions[:_SHOWN_CONFUSIONS]:
            names = f"{one.first_class}, {one.second_class}"
            yield f"  {names:<30}{one.objects:>5}  {one.share:.1%} of the two"
    yield ""
    yield f"Objects that both missed: {describe_missed(everybody.missed)}. This holds if:"
    yield from (f"  - {line}" for line in ASSUMPTIONS)


def describe_missed(missed: Missed) -> str:
    """The estimate in words."""
    if not missed.found:
        return "nothing was found, so nothing can be said"
    most = "any number" if math.isinf(missed.high) else f"{missed.high:.0f}"
    return (
        f"about {missed.missed:.1f} ({missed.low:.0f} to {most}) besides "
        f"{missed.found} that somebody found, {missed.share:.1%} of all"
    )


def _name_pairs(report: AgreementReport) -> list[tuple[str, GroupAgreement]]:
    return [
        (f"{report.name(one.people[0])}, {report.name(one.people[1])}", one)
        for one in report.pairs
        if one.people is not None
    ]


def _format_groups(head: str, groups: Sequence[tuple[str, GroupAgreement]]) -> Iterator[str]:
    width = max([len(head), *(len(name) for name, _ in groups)])
    yield f"  {head:<{width}}  images objects  both have          overlap  >=0.5  >=0.7"
    for name, one in groups:
        objects = one.first_objects + one.second_objects - one.both_objects
        yield (
            f"  {name:<{width}}{one.images:>8}{objects:>8}  {_show(one.both):<18} "
            f"{_plain(one.mean_overlap):>7}  {_plain(one.over_50):>5}  {_plain(one.over_70):>5}"
        )


def _format_kappas(pairs: Sequence[tuple[str, GroupAgreement]]) -> Iterator[str]:
    width = max(len("kappa"), *(len(name) for name, _ in pairs))
    yield f"  {'kappa':<{width}}" + "".join(f"{field:>11}" for field in FIELDS)
    for name, one in pairs:
        kappas = [_plain(field.kappa) for field in one.fields if field.kappa is not None]
        yield f"  {name:<{width}}" + "".join(f"{kappa:>11}" for kappa in kappas)
    yield "  By pair and class, with intervals: `vocparty agreement --json`, under pairs_by_class."


def _format_errors(report: AgreementReport) -> Iterator[str]:
    yield ""
    yield (
        f"What checkers mended, in {report.errors.images} images with "
        f"{report.errors.objects} objects, as shares of the objects"
    )
    yield from _format_rates("", [report.errors])
    yield from _format_rates("person", report.errors_by_person)
    yield from _format_rates("class", report.errors_by_class)
    yield from _format_rates("day (local)", report.errors_by_day)


def _format_rates(head: str, groups: Sequence[ErrorRates]) -> Iterator[str]:
    width = max([16, *(len(one.label) for one in groups)])
    yield ""
    yield f"  {head:<{width}} objects" + "".join(f"{slip.value:>10}" for slip in Slip)
    for one in groups:
        rates = "".join(f"{_percent(one.rates[slip].value):>10}" for slip in Slip)
        yield f"  {one.label:<{width}}{one.objects:>8}{rates}"


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{share:.1%}"


def _plain(interval: Interval) -> str:
    return "-" if math.isnan(interval.value) else f"{interval.value:.3f}"


def _show(interval: Interval) -> str:
    if math.isnan(interval.low):
        return _plain(interval)
    return f"{interval.value:.3f} ({interval.low:.2f}-{interval.high:.2f})"


def _group_document(report: AgreementReport, one: GroupAgreement) -> dict[str, Any]:
    return {
        "people": None if one.people is None else [report.name(person) for person in one.people],
        "class": one.class_name,
        "images": one.images,
        "first_objects": one.first_objects,
        "second_objects": one.second_objects,
        "both_objects": one.both_objects,
        "both": _interval_document(one.both),
        "mean_overlap": _interval_document(one.mean_overlap),
        "over_50": _interval_document(one.over_50),
        "over_70": _interval_document(one.over_70),
        "fields": {
            field.field: {
                "same": _interval_document(field.share),
                "kappa": None if field.kappa is None else _interval_document(field.kappa),
                "alpha": _interval_document(field.alpha),
            }
            for field in one.fields
        },
        "missed": {
            "found": one.missed.found,
            "missed": one.missed.missed,
            "low": one.missed.low,
            "high": None if math.isinf(one.missed.high) else one.missed.high,
        },
        "confusions": [vars(it) for it in one.confusions],
    }


def _errors_document(one: ErrorRates) -> dict[str, Any]:
    return {
        "label": one.label,
        "images": one.images,
        "objects": one.objects,
        "counts": {slip.value: one.counts[slip] for slip in Slip},
        "rates": {slip.value: _interval_document(one.rates[slip]) for slip in Slip},
    }


def _interval_document(interval: Interval) -> dict[str, float | None]:
    values = {"value": interval.value, "low": interval.low, "high": interval.high}
    return {name: None if math.isnan(value) else value for name, value in values.items()}
