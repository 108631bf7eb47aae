"""Findings as a table for people and as one document for machines."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from catalog.plural import format_count

from .finding_rows import NOTHING_KEPT, CheckRecord, Kept
from .findings import Finding, Severity
from .subjects import CheckedImage


@dataclass(frozen=True)
class Report:
    """All open findings about some images, the gravest first, and what became of others.

    `kept` says what the run changed in the queue; `judged_wrong` counts findings that are made
    still but were judged wrong, and are left out of `findings`.
    """

    images: tuple[CheckedImage, ...]
    findings: tuple[Finding, ...]
    switched_off: tuple[str, ...] = ()
    records: tuple[CheckRecord, ...] = ()
    kept: Kept = NOTHING_KEPT
    judged_wrong: int = 0

    @property
    def objects(self) -> int:
        """How many objects the images hold."""
        return sum(len(image.objects) for image in self.images)

    @property
    def has_errors(self) -> bool:
        """Whether anything is surely wrong."""
        return any(found.severity is Severity.ERROR for found in self.findings)

    def count(self, severity: Severity) -> int:
        """How many findings are of this severity."""
        return sum(found.severity is severity for found in self.findings)


def format_report(report: Report) -> Iterator[str]:
    """The lines of a table for each severity, of one for judged checks, and a line that counts."""
    width = max((len(found.check) for found in report.findings), default=0)
    for severity, findings in groupby(report.findings, key=lambda found: found.severity):
        yield f"{severity.value}s"
        yield f"  {'image':>7}  {'object':>6}  {'check':<{width}}  finding"
        yield from (_format_finding(found, width) for found in findings)
        yield ""
    yield from _format_records(report)
    yield format_counts(report)


def format_counts(report: Report) -> str:
    """What was looked at and what is open, in one line."""
    counts = ", ".join(format_count(report.count(word), word.value) for word in Severity)
    looked_at = f"{format_count(len(report.images), 'image')}, "
    wrong = f" ({report.judged_wrong} more judged wrong)" if report.judged_wrong else ""
    return f"{looked_at}{format_count(report.objects, 'object')}: {counts}{wrong}."


def format_document(report: Report) -> dict[str, Any]:
    """The report as plain values, ready for JSON."""
    return {
        "images": len(report.images),
        "objects": report.objects,
        "counts": {severity.value: report.count(severity) for severity in Severity},
        "switched_off": list(report.switched_off),
        "judged_wrong": report.judged_wrong,
        "queue": {
            "new": report.kept.new,
            "reopened": report.kept.reopened,
            "mended": report.kept.mended,
        },
        "checks": [_record_document(record) for record in report.records],
        "findings": [_finding_document(found) for found in report.findings],
    }


def _format_finding(found: Finding, width: int) -> str:
    number = "-" if found.object_number is None else str(found.object_number)
    image = "-" if found.image_id is None else str(found.image_id)
    return f"  {image:>7}  {number:>6}  {found.check:<{width}}  {found.message}"


def _format_records(report: Report) -> Iterator[str]:
    judged = [record for record in report.records if record.precision.count]
    if not judged:
        return
    width = max(len(record.check) for record in judged)
    yield "checks whose findings were judged or mended"
    yield f"  {'check':<{width}}  {'right':>6}  {'mended':>6}  {'wrong':>6}  precision"
    for record in judged:
        share = record.precision
        yield (
            f"  {record.check:<{width}}  {record.right:>6}  {record.mended:>6}  "
            f"{record.wrong:>6}  {share.value:.2f} ({share.low:.2f} to {share.high:.2f})"
        )
    yield ""


def _record_document(record: CheckRecord) -> dict[str, Any]:
    share = record.precision
    values = (share.value, share.low, share.high)
    precision, low, high = (None if math.isnan(value) else value for value in values)
    return {
        "check": record.check,
        "open": record.open,
        "right": record.right,
        "wrong": record.wrong,
        "mended": record.mended,
        "precision": precision,
        "precision_low": low,
        "precision_high": high,
    }


def _finding_document(found: Finding) -> dict[str, Any]:
    return {
        "image_id": found.image_id,
        "check": found.check,
        "severity": found.severity,
        "object_number": found.object_number,
        "object_key": found.object_key,
        "person_id": found.person_id,
        "message": found.message,
    }
