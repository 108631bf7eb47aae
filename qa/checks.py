"""How the automatic checks are run, and what they say becomes findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import nlargest
from operator import attrgetter

from catalog.annotated import AnnotatedObject
from catalog.image_store import digest_of
from catalog.preset import Preset
from catalog.settings import Settings

from .check_list import CHECKS, enabled_checks
from .findings import (
    Check,
    CheckedImage,
    Complaint,
    Finding,
    Frame,
    ImageCheck,
    PartyWork,
    PersonCheck,
    SetCheck,
)

ANSWERED_ALONE = ("actions_missing",)  # checks of many images that can speak of one by itself
MOST_OF_ONE_CHECK = 50  # three hundred boxes on one another are 44,850 pairs, and tell no more


def run_image_checks(
    images: Iterable[CheckedImage], preset: Preset, settings: Settings
) -> list[Finding]:
    """What the checks of single images say; of one image a check says MOST_OF_ONE_CHECK at most."""
    frame = Frame(preset, settings)
    checks = [check for check in enabled_checks(settings) if isinstance(check, ImageCheck)]
    return sort_findings(
        _make_finding(check, image, complaint)
        for image in images
        for check in checks
        for complaint in nlargest(MOST_OF_ONE_CHECK, check.find(image, frame), key=_badness)
    )


def run_set_checks(
    images: Sequence[CheckedImage],
    preset: Preset,
    settings: Settings,
    *,
    marks_actions: bool = False,
) -> list[Finding]:
    """What the checks of many images say of them together, the gravest first."""
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


def find_revision_findings(
    image: CheckedImage, preset: Preset, settings: Settings, *, marks_actions: bool = False
) -> list[Finding]:
    """All that the checks say of one revision by itself, the gravest first."""
    alone = run_set_checks((image,), preset, settings, marks_actions=marks_actions)
    answered = [found for found in alone if found.check in ANSWERED_ALONE]
    return sort_findings(run_image_checks((image,), preset, settings) + answered)


def sort_findings(findings: Iterable[Finding]) -> list[Finding]:
    """The gravest first, then by check, badness, image and object."""

    def place(it: Finding) -> tuple[object, ...]:
        of_check = it.severity.rank, _RANKS[it.check], -it.badness
        return *of_check, it.image_id or 0, it.object_number or 0, it.message

    return sorted(findings, key=place)


_badness = attrgetter("badness")
_RANKS = {check.name: rank for rank, check in enumerate(CHECKS)}


def _make_finding(check: Check, image: CheckedImage, complaint: Complaint) -> Finding:
    about = complaint.about
    key = None if about is None else about.key
    return Finding(
        *(image.image_id, check.name, check.severity, about.number if about else None, key),
        complaint.message,
        annotation_id=image.annotation_id,
        key=_digest((check.name, "image", image.image_id, key, complaint.detail)),
        subject_sha256=describe_subject(image, about),
        badness=complaint.badness,
    )


def describe_subject(image: CheckedImage, about: AnnotatedObject | None) -> str:
    """The digest of what a check looked at: one object, or all of the image."""
    return _digest(image.objects if about is None else replace(about, number=0))


def _make_person_finding(check: Check, person_id: int, complaint: Complaint) -> Finding:
    return Finding(
        *(None, check.name, check.severity, None, None),
        complaint.message,
        person_id=person_id,
        key=_digest((check.name, "person", person_id, complaint.detail)),
        subject_sha256=_digest(()),
        badness=complaint.badness,
    )


def _digest(value: object) -> str:
    """The SHA-256 of a plain value; the same in every process."""
    return digest_of(repr(value).encode())
