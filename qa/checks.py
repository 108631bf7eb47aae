"""How the automatic checks are run, and what they say becomes findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import nlargest

from catalog.image_store import digest_of
from catalog.preset import Preset
from catalog.settings import Settings

from .check_list import CHECKS, enabled_checks
from .findings import (
    Check,
    Complaint,
    Finding,
    Frame,
    ImageCheck,
    PersonCheck,
    SetCheck,
)
from .subjects import CheckedImage, PartyWork

MOST_OF_ONE_CHECK = 50
"""Three hundred boxes on one another are 44,850 pairs, and tell no more than fifty of them."""


def run_checks(image: CheckedImage, preset: Preset, settings: Settings) -> list[Finding]:
    """What the checks of single images say of one image, the gravest first."""
    return run_image_checks((image,), preset, settings)


def run_image_checks(
    images: Iterable[CheckedImage], preset: Preset, settings: Settings
) -> list[Finding]:
    """What the checks of single images say of each image, the gravest first.

    Of one image a check says at most MOST_OF_ONE_CHECK things, the worst.
    """
    frame = Frame(preset, settings)
    checks = [check for check in enabled_checks(settings) if isinstance(check, ImageCheck)]
    return sort_findings(
        _make_finding(check, image, complaint)
        for image in images
        for check in checks
        for complaint in _find_worst(check, image, frame)
    )


def _find_worst(check: ImageCheck, image: CheckedImage, frame: Frame) -> list[Complaint]:
    return nlargest(MOST_OF_ONE_CHECK, check.find(image, frame), key=lambda it: it.badness)


def run_set_checks(
    images: Sequence[CheckedImage],
    preset: Preset,
    settings: Settings,
    *,
    marks_actions: bool = False,
) -> list[Finding]:
    """What the checks of many images say of them together, the gravest first.

    `marks_actions` says that the party has an object with an action, here or elsewhere.
    """
    frame = Frame(preset, settings, marks_actions)
    return sort_findings(
        _make_finding(check, images[place], complaint)
        for check in enabled_checks(settings)
        if isinstance(check, SetCheck)
        for place, complaint in check.find(images, frame)
    )


def run_person_checks(work: PartyWork, preset: Preset, settings: Settings) -> list[Finding]:
    """What the checks of people say of everybody's work, the gravest first."""
    frame = Frame(preset, settings)
    return sort_findings(
        _make_person_finding(check, person_id, complaint)
        for check in enabled_checks(settings)
        if isinstance(check, PersonCheck)
        for person_id, complaint in check.find(work, frame)
    )


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """The gravest first, then by check, badness, image and object."""
    return sorted(
        findings,
        key=lambda found: (
            found.severity.rank,
            _RANKS[found.check],
            -found.badness,
            found.image_id or 0,
            found.object_number or 0,
            found.message,
        ),
    )


_RANKS = {check.name: rank for rank, check in enumerate(CHECKS)}


def _make_finding(check: Check, image: CheckedImage, complaint: Complaint) -> Finding:
    about = complaint.about
    key = None if about is None else about.key
    return Finding(
        image_id=image.image_id,
        check=check.name,
        severity=check.severity,
        object_number=None if about is None else about.number,
        object_key=key,
        message=complaint.message,
        annotation_id=image.annotation_id,
        key=_digest((check.name, "image", image.image_id, key, complaint.beside)),
        subject_sha256=_digest(image.objects if about is None else replace(about, number=0)),
        badness=complaint.badness,
    )


def _make_person_finding(check: Check, person_id: int, complaint: Complaint) -> Finding:
    return Finding(
        image_id=None,
        check=check.name,
        severity=check.severity,
        object_number=None,
        object_key=None,
        message=complaint.message,
        person_id=person_id,
        key=_digest((check.name, "person", person_id, complaint.beside)),
        subject_sha256=_digest(()),
        badness=complaint.badness,
    )


def _digest(value: object) -> str:
    """The SHA-256 of a plain value; the same in every process."""
    return digest_of(repr(value).encode())
