"""Findings as lines, as one document for machines, and as a page with pictures."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from io import BytesIO
from itertools import groupby
from typing import Any

from markupsafe import Markup
from PIL import Image as Pictures
from PIL import ImageDraw

from catalog.errors import ImageStoreError
from catalog.party import Party
from catalog.tables import Image
from vockit.format.class_counts import Table, format_columns
from vockit.format.plural import format_count
from vockit.format.shortage import refuse_shortage
from vockit.report.report_page import Figure, Picture, Section, embed, link
from vockit.report.report_page import format_page as format_sections

from .check_list import CHECKS
from .finding_rows import CheckRecord, Kept
from .findings import CheckedImage, Finding, Severity

PICTURES_PER_CHECK = 8
MOST_PICTURES = 96
LONGEST_SIDE_PX = 360
_ABOUT = (255, 255, 0)
_OTHERS = (194, 202, 255)
_SHADE = (16, 18, 22)
_PRECISE = (
    "Precision is the share of judged findings that were right, with its interval of 95 %. A check "
    "with little of it costs more attention than it saves."
)
_log = logging.getLogger(__name__)


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
    kept: Kept = field(default_factory=Kept)
    judged_wrong: int = 0

    @property
    def objects(self) -> int:
        """How many objects the images hold."""
        return sum(len(image.objects) for image in self.images)

    @property
    def has_errors(self) -> bool:
        """Whether anything is surely wrong."""
        return any(finding.severity is Severity.ERROR for finding in self.findings)

    def count(self, severity: Severity) -> int:
        """How many findings are of this severity."""
        return sum(finding.severity is severity for finding in self.findings)


def format_report(report: Report) -> Iterator[str]:
    """The lines of a table for each severity, of one for judged checks, and a line that counts."""
    width = max((len(finding.check) for finding in report.findings), default=0)
    for severity, findings in groupby(report.findings, key=lambda finding: finding.severity):
        yield f"{severity.value}s"
        yield f"  {'image':>7}  {'object':>6}  {'check':<{width}}  finding"
        for finding in findings:
            number = "-" if finding.object_number is None else finding.object_number
            image = "-" if finding.image_id is None else finding.image_id
            yield f"  {image:>7}  {number:>6}  {finding.check:<{width}}  {finding.message}"
        yield ""
    if (judged := _list_judged(report)).rows:
        yield "checks whose findings were judged or fixed"
        yield from (f"  {line}" for line in format_columns(judged))
        yield ""
    yield format_counts(report)


def format_counts(report: Report) -> str:
    """What was looked at and what is open, in one line."""
    counts = ", ".join(format_count(report.count(word), word.value) for word in Severity)
    looked_at = f"{format_count(len(report.images), 'image')}, "
    wrong = f" ({report.judged_wrong} more judged wrong)" if report.judged_wrong else ""
    return f"{looked_at}{format_count(report.objects, 'object')}: {counts}{wrong}."


def format_document(report: Report) -> dict[str, Any]:
    """The report as plain values, ready for JSON."""
    keys = ("image_id", "check", "severity", "object_number", "object_key", "person_id", "message")
    return {
        "images": len(report.images),
        "objects": report.objects,
        "counts": {severity.value: report.count(severity) for severity in Severity},
        "switched_off": list(report.switched_off),
        "judged_wrong": report.judged_wrong,
        "queue": asdict(report.kept),
        "checks": [_record_document(record) for record in report.records],
        "findings": [{key: getattr(finding, key) for key in keys} for finding in report.findings],
    }


def format_page(report: Report, party: Party) -> str:
    """The page: counts, the worst findings of each check with pictures, precision of checks."""
    serve = party.settings.serve
    severities = [(f"{word.value}s", [report.count(word)]) for word in Severity]
    tiles = [("images", [len(report.images)]), ("objects", [report.objects]), *severities]
    text = [] if report.findings else ["The checks found nothing."]
    top = Section(text=text, tiles=[*tiles, ("judged wrong", [report.judged_wrong])])
    sections = [top, *_show_checks(report, party)]
    if (judged := _list_judged(report)).rows:
        sections.append(Section("What people said of the checks", text=[_PRECISE], tables=[judged]))
    sections.append(Section(note=serve.how_to_open))
    return format_sections(f"Checks of {party.settings.name}", sections)


def _list_judged(report: Report) -> Table:
    rows = [
        (_title(record.check), record.open, record.right, record.fixed, record.wrong, precision)
        for record in report.records
        if (share := record.precision).count
        for precision in [f"{share.value:.2f} ({share.low:.2f} to {share.high:.2f})"]
    ]
    heads = ("check", "open", "right", "fixed", "wrong", "precision")
    return Table("checks", "", "", heads, rows)


def _record_document(record: CheckRecord) -> dict[str, Any]:
    precision = record.precision
    shares = {
        "precision": precision.value,
        "precision_low": precision.low,
        "precision_high": precision.high,
    }
    return vars(record) | {
        name: None if math.isnan(number) else number for name, number in shares.items()
    }


def _show_checks(report: Report, party: Party) -> Iterator[Section]:
    images = {image.image_id: image for image in report.images}
    explanations = {check.name: check.explanation for check in CHECKS}
    left = MOST_PICTURES
    for check, group in groupby(report.findings, key=lambda finding: finding.check):
        findings = list(group)
        shown = findings[: min(PICTURES_PER_CHECK, max(left, 1))]
        left -= len(shown)
        count = f"Findings: {len(findings):,}"
        if len(findings) > len(shown):
            count += f", here the worst {len(shown)}"
        yield Section(
            _title(check),
            tag=findings[0].severity.value,
            text=[f"{explanations[check]} {count}."],
            figures=[_show_finding(item, images, party) for item in shown],
            shape="cards",
        )


def _title(check: str) -> str:
    """A check in words, as the page where findings are judged has it."""
    return check.replace("_", " ").capitalize()


def _show_finding(finding: Finding, images: dict[int, CheckedImage], party: Party) -> Figure:
    if finding.image_id is None:
        return Figure(lines=[finding.message])
    of_object = "" if finding.object_number is None else f", object {finding.object_number}"
    name = link(party.settings.serve.images_url(finding.image_id), f"Image {finding.image_id}")
    place = Markup("<b>{}{}</b>").format(name, of_object)
    with party.catalogue.reading() as session:
        sha256 = session.get_one(Image, finding.image_id).sha256
    pictures = list[Picture]()
    text = f"Image {finding.image_id} with its boxes"
    try:
        jpeg = draw_boxes(party.store.get(sha256), images[finding.image_id], finding.object_key)
        pictures.append(Picture(embed(jpeg, "image/jpeg"), text))
    except ImageStoreError as error:
        _log.warning("No picture of image %d: %s", finding.image_id, error)
    except OSError as error:  # no image
        refuse_shortage(error)
    return Figure(pictures, [place, finding.message])


def draw_boxes(data: bytes, image: CheckedImage, object_key: str | None) -> bytes:
    """A small JPEG of the image with every box; raises OSError where the bytes are no image."""
    with Pictures.open(BytesIO(data)) as opened:
        picture = opened.convert("RGB")
    scale = min(LONGEST_SIDE_PX / max(picture.size), 1.0)
    size = (max(round(picture.width * scale), 1), max(round(picture.height * scale), 1))
    picture = picture.resize(size, Pictures.Resampling.LANCZOS)
    draw = ImageDraw.Draw(picture)
    for item in sorted(image.objects, key=lambda item: item.key == object_key):
        xmin, ymin, xmax, ymax = item.box.xyxy
        left, right = (min(max(int((x - 1) * scale), 0), size[0] - 1) for x in (xmin, xmax))
        top, bottom = (min(max(int((y - 1) * scale), 0), size[1] - 1) for y in (ymin, ymax))
        if item.key == object_key:  # a dark frame, so that the light one shows on every photograph
            draw.rectangle((left - 1, top - 1, right + 1, bottom + 1), outline=_SHADE, width=5)
            draw.rectangle((left, top, right, bottom), outline=_ABOUT, width=3)
        else:
            draw.rectangle((left, top, right, bottom), outline=_OTHERS)
    buffer = BytesIO()
    picture.save(buffer, "JPEG", quality=82)
    return buffer.getvalue()
