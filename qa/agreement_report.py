"""All that is measured of people's agreement and errors, as tables for people and one document."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vockit.format.class_counts import Cell, Table, format_columns
from vockit.format.plural import format_count
from vockit.report.intervals import Interval

from . import agreement
from .corrections import LEAST_PEOPLE, ErrorRates, Slip
from .gold import GoldRecord
from .lacking import subtract_added
from .recapture import ASSUMED, ASSUMPTIONS, Missed
from .suggestion_effect import Arm, SuggestionEffect, describe_effect

JUDGED = "if the second checker, or the gold image, is right"
MISSING = "labels missing in an image"
DISCARD_HEADS = ("reason", "one or both", "both", "share")
_SHOWN_CONFUSIONS = 12


@dataclass(frozen=True)
class AgreementReport:
    """How people agree where two annotated an image blind, and what checkers fixed."""

    names: dict[int, str]
    everybody: agreement.GroupAgreement
    pairs: Sequence[agreement.GroupAgreement]
    classes: Sequence[agreement.GroupAgreement]
    pairs_by_class: Sequence[agreement.GroupAgreement]
    boxes: Sequence[agreement.BoxAgreement]
    errors: ErrorRates
    errors_of_people: ErrorRates | None
    errors_by_person: Sequence[ErrorRates]
    errors_by_class: Sequence[ErrorRates]
    errors_by_day: Sequence[ErrorRates]
    errors_of_checkers: ErrorRates
    errors_by_checker: Sequence[ErrorRates]
    gold: Sequence[GoldRecord]
    discards: Sequence[tuple[str | None, str | None]]
    suggestions: SuggestionEffect | None = None


def format_agreement(report: AgreementReport) -> Iterator[str]:
    """The lines of the report."""
    if not report.everybody.images:
        yield "No image was annotated twice yet; qa.double_share says how many should be."
    else:
        yield from _format_blind(report)
    if report.errors.images:
        yield from _format_errors(report)
        if checked := report.errors_of_checkers.images:
            images = format_count(checked, "image")
            yield f"What was wrong in {images} that a checker had passed, {JUDGED}"
            rates = [report.errors_of_checkers, *report.errors_by_checker]
            yield from _format_rates("checker", rates)
        else:
            yield "No check was repeated blind yet; qa.repeat_share says how many should be."
    if report.gold:
        rows = [
            (
                report.names[record.person_id],
                record.images,
                _show(record.recall),
                _show(record.precision),
                record.passed,
            )
            for record in report.gold
        ]
        yield "Gold images"
        yield from _format_table(("person", "images", "found", "right", "passed"), rows)
    if discards := measure_discards(report.discards):
        yield "Discarded or not, by two people blind"
        yield from _format_table(DISCARD_HEADS, discards)
    if report.suggestions:
        yield from _format_suggestions(report.suggestions, report.names)


def measure_discards(
    pairs: Sequence[tuple[str | None, str | None]],
) -> list[tuple[str, int, int, float]]:
    """Of discarding at all, then of each reason: images of one person or both, of both, share."""
    reasons = sorted({reason for pair in pairs for reason in pair if reason})
    rows = [("all", [(bool(first), bool(second)) for first, second in pairs])] if reasons else []
    rows += [
        (word, [(first == word, second == word) for first, second in pairs]) for word in reasons
    ]
    counts = [(name, sum(map(any, said)), sum(map(all, said))) for name, said in rows]
    return [(name, either, both, both / either) for name, either, both in counts]


def summarise(report: AgreementReport) -> dict[str, Any]:
    """What a datasheet tells of it: a few numbers with their intervals, by what they are."""
    everybody = report.everybody
    errors = report.errors
    checkers = report.errors_of_checkers
    summary: dict[str, Any] = {"images annotated twice, blind": everybody.images}
    if everybody.images:
        summary |= {
            "objects found by both": _show(everybody.both),
            "overlap of their boxes, mean": _show(everybody.mean_overlap),
            "objects that both missed": describe_missed(everybody.missed),
            MISSING: expect_missing(report) | {"assumption": ASSUMED},
        }
        summary |= {f"same {field.field}": _show(field.share) for field in everybody.fields}
    summary["images that a checker went through"] = errors.images
    summary["checks repeated blind or on gold images"] = checkers.images
    if checkers.images:
        said = ", ".join(f"{slip.value} {_percent(checkers.rates[slip])}" for slip in Slip)
        summary[f"errors in objects that a checker had passed, {JUDGED}"] = said
    if report.suggestions:
        summary |= _summarise_suggestions(report.suggestions)
    return summary


def _summarise_suggestions(effect: SuggestionEffect) -> dict[str, str]:
    arms = (("with suggestions", effect.shown), ("without", effect.withheld))
    summary = {f"images annotated {name}": str(arm.images) for name, arm in arms}
    for what, show in _ARM_FIGURES.items():
        summary[f"{what}, with suggestions and without"] = " and ".join(
            show(arm) for _, arm in arms
        )
    return summary | {"share of the time that suggestions save": _percent(effect.saved)}


def expect_missing(report: AgreementReport) -> dict[str, list[float | None]]:
    """Labels that an image lacks, with the interval of 95 %, before checking and after it.

    Before checking: of all objects, those found and those that both missed, what one person's work
    does not have. After checking: less the labels that checkers add to an image.
    """
    lacking = report.everybody.lacking
    errors = report.errors
    if math.isnan(lacking.value):
        return {}
    expected = {"before checking": lacking}
    if errors.images:
        expected["after checking"] = subtract_added(lacking, find_added(errors))
    return {
        name: [
            round(number, 4) if math.isfinite(number) else None
            for number in (labels.value, labels.low, labels.high)
        ]
        for name, labels in expected.items()
    }


def find_added(errors: ErrorRates) -> Interval:
    """The labels that checkers added, per checked image, of at least one image."""
    rate = errors.rates[Slip.MISSED]
    each = errors.objects / errors.images
    return Interval(rate.value * each, rate.low * each, rate.high * each, errors.images)


def describe_missed(missed: Missed) -> str:
    """The estimate in words, with its assumption."""
    if not missed.seen:
        return "nothing was found, so nothing can be said"
    most = "any number" if math.isinf(missed.high) else f"{missed.high:.0f}"
    return (
        f"about {missed.missed:.1f} ({missed.low:.0f} to {most}) in addition to "
        f"{missed.seen} that either found, {missed.share:.1%} of all, {ASSUMED}"
    )


Group = tuple[str, agreement.GroupAgreement]
"""The agreement of a pair of people, of everybody or about a class, and its name."""


def _format_blind(report: AgreementReport) -> Iterator[str]:
    everybody = report.everybody
    pairs = [(_name_pair(report, pair), pair) for pair in report.pairs]
    classes = [(group.class_name or "", group) for group in report.classes]
    images = format_count(everybody.images, "image")
    yield f"Annotated twice, blind: {images}. Intervals hold with 95 %."
    yield ""
    yield from _format_overlaps("people", [("all", everybody), *pairs])
    yield from _format_overlaps("class", classes)
    yield from _format_boxes(report)
    yield from _format_fields(everybody, pairs)
    yield from _format_confusions(everybody)
    yield from _format_missed(report)


def _name_pair(report: AgreementReport, pair: agreement.GroupAgreement) -> str:
    return ", ".join(report.names[person_id] for person_id in pair.people or ())


def _format_overlaps(head: str, groups: Sequence[Group]) -> list[str]:
    rows: list[list[Cell]] = []
    for name, group in groups:
        objects = group.first_objects + group.second_objects - group.both_objects
        shares = (group.mean_overlap, group.over_50, group.over_70, group.over_90)
        rows.append([name, group.images, objects, _show(group.both), *map(_plain, shares)])
    heads = (head, "images", "objects", "both have", "overlap", ">=0.5", ">=0.7", ">=0.9")
    return _format_table(heads, rows)


def _format_boxes(report: AgreementReport) -> list[str]:
    rows: list[list[Cell]] = []
    for box in report.boxes:
        quantiles = [f"{quantile:.2f}" for quantile in box.quantiles]
        rows.append([box.size, box.objects, *quantiles, _show(box.over_90)])
    heads = ("overlap of boxes", "objects", "5 % below", "25 % below", "median", ">=0.9")
    return _format_table(heads, rows)


def _format_fields(everybody: agreement.GroupAgreement, pairs: Sequence[Group]) -> Iterator[str]:
    fields = [(item.field, _show(item.share), _show(item.alpha)) for item in everybody.fields]
    yield from _format_table(("field", "same", "alpha"), fields)
    kappas = [
        (name, *(_plain(item.kappa) for item in pair.fields if item.kappa is not None))
        for name, pair in pairs
    ]
    yield from _format_table(("kappa", *agreement.FIELDS), kappas)[:-1]
    yield "  By pair and class, with intervals: `vocparty agreement --json`, under pairs_by_class."
    yield ""


def _format_confusions(everybody: agreement.GroupAgreement) -> list[str]:
    if not everybody.confusions:
        return []
    rows = [
        (f"{pair.first_class}, {pair.second_class}", pair.objects, f"{pair.share:.1%}")
        for pair in everybody.confusions[:_SHOWN_CONFUSIONS]
    ]
    return _format_table(("one object, two classes", "objects", "of the two"), rows)


def _format_missed(report: AgreementReport) -> Iterator[str]:
    yield f"Objects that both missed: {describe_missed(report.everybody.missed)}."
    yield "  This holds if:"
    yield from (f"  - {line}" for line in ASSUMPTIONS)
    for when, (lacks, low, high) in expect_missing(report).items():
        most = "any number" if high is None else f"{100 * high:.0f}"
        estimate = f"{100 * (lacks or 0):.0f} ({100 * (low or 0):.0f} to {most})"
        yield f"Labels missing in 100 images {when}: {estimate}, {ASSUMED}."
    yield ""


def _format_errors(report: AgreementReport) -> Iterator[str]:
    images = format_count(report.errors.images, "image")
    objects = format_count(report.errors.objects, "object")
    yield f"What checkers fixed, in {images} with {objects}, as shares of the objects"
    others = report.errors_of_people
    shares = [
        (slip.value, _show(report.errors.rates[slip]), _show(others.rates[slip]) if others else "-")
        for slip in Slip
    ]
    yield from _format_table(("error", "of these people", "of people like them"), shares)
    if not others:
        yield f"  Fewer than {LEAST_PEOPLE} people say nothing of others."
        yield ""
    yield from _format_rates("person", report.errors_by_person)
    yield from _format_rates("class", report.errors_by_class)
    yield from _format_rates("day (local)", report.errors_by_day)


def _format_rates(head: str, rates: Sequence[ErrorRates]) -> list[str]:
    rows: list[list[Cell]] = [
        [rate.label, rate.objects, *(_percent(rate.rates[slip]) for slip in Slip)] for rate in rates
    ]
    return _format_table((head, "objects", *(slip.value for slip in Slip)), rows)


def _format_table(heads: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[str]:
    return [*(f"  {line}" for line in format_columns(Table("", "", "", heads, rows))), ""]


def _format_suggestions(effect: SuggestionEffect, names: Mapping[int, str]) -> Iterator[str]:
    arms = (("shown", effect.shown), ("withheld", effect.withheld))
    yield "Suggestions, by lottery: figures of the first annotation of each image"
    rows: list[list[Cell]] = [
        [name, arm.images, *(show(arm) for show in _ARM_FIGURES.values()), arm.compared]
        for name, arm in arms
    ]
    yield from _format_table(("suggestions", "images", *_ARM_FIGURES, "images drawn twice"), rows)
    missed = _percent(effect.missed_more)
    extra = _percent(effect.extra_more)
    yield f"  Time saved: {_percent(effect.saved)}."
    yield f"  Difference of missed objects: {missed}, of extra objects: {extra}."
    yield from (f"  {line}" for line in describe_effect(effect, names))
    yield ""


_ARM_FIGURES: Mapping[str, Callable[[Arm], str]] = {
    "seconds an object": lambda arm: _show_ratio(arm.secs),
    "inputs an object": lambda arm: _show_ratio(arm.inputs),
    "missed": lambda arm: _percent(arm.missed),
    "extra": lambda arm: _percent(arm.extra),
    "wrong class": lambda arm: _percent(arm.wrong_class),
    "overlap": lambda arm: _show(arm.overlap),
}


def _show_ratio(interval: Interval) -> str:
    if math.isnan(interval.value):
        return "-"
    spread = "" if math.isnan(interval.low) else f" ({interval.low:.1f}-{interval.high:.1f})"
    return f"{interval.value:.1f}{spread}"


def _percent(interval: Interval) -> str:
    if math.isnan(interval.value):
        return "-"
    share = f"{interval.value:.1%}"
    return (
        share
        if math.isnan(interval.low)
        else f"{share} ({100 * interval.low:.0f}-{100 * interval.high:.0f})"
    )


def _plain(interval: Interval) -> str:
    return "-" if math.isnan(interval.value) else f"{interval.value:.3f}"


def _show(interval: Interval) -> str:
    if math.isnan(interval.low):
        return _plain(interval)
    return f"{interval.value:.3f} ({interval.low:.2f}-{interval.high:.2f})"
