"""Findings as a table for people and as one document for machines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

from .findings import Finding, Severity
from .subjects import CheckedImage


@dataclass(frozen=True)
class Report:
    """All findings about some images, the gravest first."""

    images: tuple[CheckedImage, ...]
    findings: tuple[Finding, ...]
    switched_off: tuple[str, ...] = ()

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
    """The lines of a table for each severity, and a last line that counts."""
    width = max((len(found.check) for found in report.findings), default=0)
    for severity, findings in groupby(report.findings, key=lambda found: found.severity):
        yield f"{severity.value}s"
        yield f"  {'image':>7}  {'object':>6}  {'check':<{width}}  finding"
        yield from (_format_finding(found, width) for found in findings)
        yield ""
    counts = ", ".join(_format_count(report.count(word), word.value) for word in Severity)
    looked_at = f"{_format_count(len(report.images), 'image')}, "
    yield f"{looked_at}{_format_count(report.objects, 'object')}: {counts}."


def format_document(report: Report) -> dict[str, Any]:
    """The report as plain values, ready for JSON."""
    return {
        "images": len(report.images),
        "objects": report.objects,
        "counts": {severity.value: report.count(severity) for severity in Severity},
        "switched_off": list(report.switched_off),
        "findings": [asdict(found) for found in report.findings],
    }


def _format_finding(found: Finding, width: int) -> str:
    number = "-" if found.object_number is None else str(found.object_number)
    return f"  {found.image_id:>7}  {number:>6}  {found.check:<{width}}  {found.message}"


def _format_count(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"
