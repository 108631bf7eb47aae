"""All automatic checks by name, the gravest first."""

from __future__ import annotations

from catalog.errors import SettingsError
from catalog.settings import Settings

from . import box_checks, label_checks, person_checks, set_checks
from .findings import Check, ImageCheck, PersonCheck, SetCheck, Severity

CHECKS: tuple[Check, ...] = (
    ImageCheck("outside_image", Severity.ERROR, box_checks.find_outside_image,
        "A box, a part or a point reaches outside the image."),
    ImageCheck("unknown_class", Severity.ERROR, label_checks.find_unknown_classes,
        "An object is of a class that the preset does not have."),
    ImageCheck("unknown_view", Severity.ERROR, label_checks.find_unknown_views,
        "An object has a view that the preset or its class does not have."),
    ImageCheck("unknown_part", Severity.ERROR, label_checks.find_unknown_parts,
        "An object has a part that the preset or its class does not have."),
    ImageCheck("too_many_parts", Severity.ERROR, label_checks.find_too_many_parts,
        "An object has more parts of one name than the preset allows."),
    ImageCheck("unknown_action", Severity.ERROR, label_checks.find_unknown_actions,
        "An object has an action that the preset or its class does not have."),
    ImageCheck("exclusive_action", Severity.ERROR, label_checks.find_exclusive_actions,
        'An action that holds only alone ("other") stands beside another one.'),
    ImageCheck("no_objects", Severity.WARNING, label_checks.find_no_objects,
        "The image holds no object and was not discarded."),
    ImageCheck("small_box", Severity.WARNING, box_checks.find_small_boxes,
        "A box has a side shorter than the party's smallest.", ("annotate.min_box_px",)),
    ImageCheck("same_class_overlap", Severity.WARNING, box_checks.find_same_class_overlaps,
        "Two objects of one class lie on one another; most such pairs are one object drawn "
        "twice.", ("qa.same_class_overlap",)),
    ImageCheck("confusable_overlap", Severity.WARNING, box_checks.find_confusable_overlaps,
        "Two objects of classes that look alike lie on one another; many are one object with "
        "two.", ("qa.confusable_overlap", "qa.confusable")),
    ImageCheck("other_class_overlap", Severity.WARNING, box_checks.find_other_class_overlaps,
        "Two objects of other classes lie on one another; some are one object with two.",
        ("qa.other_class_overlap",)),
    SetCheck("identical_box", Severity.WARNING, set_checks.find_identical_boxes,
        "An object has the very box of one on another image.", ("qa.border_margin_px",)),
    ImageCheck("far_part", Severity.WARNING, label_checks.find_far_parts,
        "A part shares no pixel with the box of its object, or reaches far out of it.",
        ("qa.far_part_share",)),
    ImageCheck("large_part", Severity.WARNING, label_checks.find_large_parts,
        "A part is larger than its object."),
    ImageCheck("unknown_flag", Severity.WARNING, label_checks.find_unknown_flags,
        "An object has a flag that the preset does not have; a release would not show it."),
    ImageCheck("short_time", Severity.WARNING, label_checks.find_short_time,
        "The image was annotated in less active time than anybody needs.",
        ("qa.min_active_secs", "qa.min_active_secs_per_object")),
    PersonCheck("box_size_bias", Severity.WARNING, person_checks.find_box_size_bias,
        "A person's boxes are systematically larger or smaller than other people's of the "
        "same objects.", ("qa.box_size_bias", "qa.person_min_objects")),
    PersonCheck("class_never_marked", Severity.WARNING, person_checks.find_classes_never_marked,
        "A person never marks a class, though by what others mark some should have come up."),
    SetCheck("same_hour_labels", Severity.HINT, set_checks.find_other_labels_of_an_hour,
        "Images of one owner and hour show classes that do not go together.", ("qa.confusable",)),
    ImageCheck("border_not_truncated", Severity.HINT, box_checks.find_border_not_truncated,
        "An object touches the border of the image but is not truncated.",
        ("qa.border_margin_px",)),
    ImageCheck("truncated_inside", Severity.HINT, box_checks.find_truncated_inside,
        "An object is truncated though nothing known cuts it: no border, no other object, and "
        "it is not occluded.", ("qa.border_margin_px",)),
    ImageCheck("view_missing", Severity.HINT, label_checks.find_missing_views,
        "An object of a class that has views has none."),
    SetCheck("actions_missing", Severity.HINT, set_checks.find_missing_actions,
        "An object of a class that has actions has none, though the party marks actions."),
)  # fmt: skip
"""The gravest first. Settings and stored findings know a check by its name, so names stay."""


def check_names() -> tuple[str, ...]:
    """The names of all checks."""
    return tuple(check.name for check in CHECKS)


def enabled_checks(settings: Settings) -> tuple[Check, ...]:
    """The checks that are not switched off; SettingsError for a name that no check has."""
    unknown = [name for name in settings.qa.switched_off if name not in check_names()]
    if unknown:
        raise SettingsError(
            f"qa.switched_off names {unknown[0]!r}, which is no check; "
            f"the checks are: {', '.join(check_names())}."
        )
    return tuple(check for check in CHECKS if check.name not in settings.qa.switched_off)
