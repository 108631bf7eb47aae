"""What the demo prints of work that was done: a line for each part, with its numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from collect.forecast import Forecast
from qa.agreement_report import AgreementReport
from qa.report import Report

_LINES = (
    ("Images", {"annotated": "annotated", "discarded": "discarded"}),
    ("Checked", {"accept": "accepted", "mended": "mended", "returned": "returned"}),
    ("Findings judged", {"right": "right", "wrong": "wrong"}),
    ("Objects judged", {"difficult": "difficult", "plain": "not difficult"}),
)


def format_plan(forecast: Forecast) -> str:
    """What collecting will take, as `vocparty collect --plan` says in more lines."""
    if not forecast.missing:
        return f"Planned: nothing, {forecast.images} of {forecast.target} images are there."
    return (
        f"Planned: {forecast.missing} of {forecast.target} images are missing, about "
        f"{forecast.calls} calls, {forecast.hours * 60:.1f} minutes, {forecast.bytes / 1e6:.0f} MB."
    )


def format_outcomes(done: Counter[str]) -> Iterator[str]:
    """A line for each kind of work of the simulated people."""
    for label, words in _LINES:
        yield f"{label}: {', '.join(f'{done[key]} {word}' for key, word in words.items())}."


def format_agreement(report: AgreementReport) -> str:
    """How much people agree, what checkers mended, and how people did on gold, in one line."""
    everybody, mended = report.everybody, report.errors
    passed = sum(one.passed for one in report.gold)
    answers = sum(one.images for one in report.gold)
    return (
        f"{everybody.images} images drawn twice, blind; {everybody.both.value:.0%} of the objects "
        f"found by both; {sum(mended.counts.values())} slips mended in {mended.objects} objects; "
        f"{passed} of {answers} gold answers passed."
    )


def format_precision(report: Report) -> str:
    """How often each check was right where somebody judged or mended what it found."""
    judged = [one for one in report.records if one.precision.count]
    counts = (f"{one.check} {one.right + one.mended} of {one.precision.count}" for one in judged)
    return f"right were {', '.join(counts)}." if judged else "nothing yet."
