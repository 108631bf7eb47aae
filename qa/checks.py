"""All automatic checks by name, and how they are run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import nlargest

from catalog.errors import SettingsError
from catalog.image_store import digest_of
from catalog.preset import Preset
from catalog.settings import Settings

from . import box_checks, label_checks, part_checks, person_checks, set_checks
from .findings import (
    Check,
    Complaint,
    Finding,
    Frame,
    ImageCheck,
    PersonCheck,
    SetCheck,
    Severity,
)
from .subjects import CheckedImage, PartyWork

MOST_OF_ONE_CHECK = 50
"""Three hundred boxes on one another are 44,850 pairs, and tell no more than fifty of them."""

CHECKS: tuple[Check, ...] = (
    ImageCheck(
        "outside_image",
        Severity.ERROR,
        "A box, a part or a point reaches outside the image.",
        box_checks.find_outside_image,
    ),
    ImageCheck(
        "unknown_class",
        Severity.ERROR,
        "An object is of a class that the preset does not have.",
        label_checks.find_unknown_classes,
    ),
    ImageCheck(
        "unknown_view",
        Severity.ERROR,
        "An object has a view that the preset or its class does not have.",
        label_checks.find_unknown_views,
    ),
    ImageCheck(
        "unknown_part",
        Severity.ERROR,
        "An object has a part that the preset or its class does not have.",
        part_checks.find_unknown_parts,
    ),
    ImageCheck(
        "too_many_parts",
        Severity.ERROR,
        "An object has more parts of one name than the preset allows.",
        part_checks.find_too_many_parts,
    ),
    ImageCheck(
        "unknown_action",
        Severity.ERROR,
        "An object has an action that the preset or its class does not have.",
        label_checks.find_unknown_actions,
    ),
    ImageCheck(
        "exclusive_action",
        Severity.ERROR,
        'An action that holds only alone ("other") stands beside another one.',
        label_checks.find_exclusive_actions,
    ),
    ImageCheck(
        "no_objects",
        Severity.WARNING,
        "The image holds no object and was not discarded.",
        label_checks.find_no_objects,
    ),
    ImageCheck(
        "small_box",
        Severity.WARNING,
        "A box has a side shorter than the party's smallest.",
        box_checks.find_small_boxes,
        ("annotate.min_box_px",),
    ),
    ImageCheck(
        "same_class_overlap",
        Severity.WARNING,
        "Two objects of one class lie on one another; most such pairs are one object drawn twice.",
        box_checks.find_same_class_overlaps,
        ("qa.same_class_overlap",),
    ),
    ImageCheck(
        "confusable_overlap",
        Severity.WARNING,
        "Two objects of classes that look alike lie on one another; many are one object with two.",
        box_checks.find_confusable_overlaps,
        ("qa.confusable_overlap", "qa.confusable"),
    ),
    ImageCheck(
        "other_class_overlap",
        Severity.WARNING,
        "Two objects of other classes lie on one another; some are one object with two.",
        box_checks.find_other_class_overlaps,
        ("qa.other_class_overlap",),
    ),
    SetCheck(
        "identical_box",
        Severity.WARNING,
        "An object has the very box of one of its class on another image.",
        set_checks.find_identical_boxes,
        ("qa.border_margin_px",),
    ),
    ImageCheck(
        "far_part",
        Severity.WARNING,
        "A part shares no pixel with the box of its object, or reaches far out of it.",
        part_checks.find_far_parts,
        ("qa.far_part_share",),
    ),
    ImageCheck(
        "large_part",
        Severity.WARNING,
        "A part is larger than its object.",
        part_checks.find_large_parts,
    ),
    ImageCheck(
        "unknown_flag",
        Severity.WARNING,
        "An object has a flag that the preset does not have; a release would not show it.",
        label_checks.find_unknown_flags,
    ),
    ImageCheck(
        "short_time",
        Severity.WARNING,
        "The image was annotated in less active time than anybody needs.",
        label_checks.find_short_time,
        ("qa.min_active_secs", "qa.min_active_secs_per_object"),
    ),
    PersonCheck(
        "box_size_bias",
        Severity.WARNING,
        "A person's boxes are systematically larger or smaller than other people's of the same "
        "objects.",
        person_checks.find_box_size_bias,
        ("qa.box_size_bias", "qa.person_min_objects"),
    ),
    PersonCheck(
        "class_never_marked",
        Severity.WARNING,
        "A person never marks a class, though by what others mark some should have come up.",
        person_checks.find_classes_never_marked,
    ),
    SetCheck(
        "same_hour_labels",
        Severity.HINT,
        "Images of one owner and hour show classes that do not go together.",
        set_checks.find_other_labels_of_an_hour,
        ("qa.confusable",),
    ),
    ImageCheck(
        "border_not_truncated",
        Severity.HINT,
        "An object touches the border of the image but is not truncated.",
        box_checks.find_border_not_truncated,
        ("qa.border_margin_px",),
    ),
    ImageCheck(
        "truncated_inside",
        Severity.HINT,
        "An object is truncated though nothing known cuts it: no border, no other object, "
        "and it is not occluded.",
        box_checks.find_truncated_inside,
        ("qa.border_margin_px",),
    ),
    ImageCheck(
        "view_missing",
        Severity.HINT,
        "An object of a class that has views has none.",
        label_checks.find_missing_views,
    ),
    SetCheck(
        "actions_missing",
        Severity.HINT,
        "An object of a class that has actions has none, though the party marks actions.",
        set_checks.find_missing_actions,
    ),
)
"""The gravest first. Settings and stored findings know a check by its name, so names stay."""


def check_names() -> tuple[str, ...]:
    """The names of all checks."""
    return tuple(check.name for check in CHECKS)


def enabled_checks(settings: Settings) -> tuple[Check, ...]:
    """The checks that are not switched off.

    Raises SettingsError for a name in qa.switched_off that no check has.
    """
    unknown = [name for name in settings.qa.switched_off if name not in check_names()]
    if unknown:
        raise SettingsError(
            f"qa.switched_off names {unknown[0]!r}, which is no check; "
            f"the checks are: {', '.join(check_names())}."
        )
    return tuple(check for check in CHECKS if check.name not in settings.qa.switched_off)


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
    images: Sequence[CheckedImage], preset: Preset, settings: Settings
) -> list[Finding]:
    """What the checks of many images say of them together, the gravest first."""
    frame = Frame(preset, settings)
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
