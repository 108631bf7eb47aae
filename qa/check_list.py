"""All automatic checks by name, and the settings of checking that organisers change meanwhile."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import select
from sqlalchemy.orm import Session

from catalog.settings import QaSettings, Settings
from catalog.tables import LiveSetting
from catalog.validation import describe_first_error
from vockit.errors import SettingsError

from . import box_checks, label_checks, set_checks
from .findings import Check, ImageCheck, PersonCheck, SetCheck, Severity

LIVE_NAME = "qa"  # of the live setting that holds keys of [qa]: shares, thresholds, switched_off
_ERROR, _WARNING, _HINT = Severity
CHECKS: tuple[Check, ...] = (
    ImageCheck("outside_image", _ERROR, box_checks.find_outside_image),
    ImageCheck("unknown_class", _ERROR, label_checks.find_unknown_classes),
    ImageCheck("unknown_view", _ERROR, label_checks.find_unknown_views),
    ImageCheck("unknown_part", _ERROR, label_checks.find_unknown_parts),
    ImageCheck("too_many_parts", _ERROR, label_checks.find_too_many_parts),
    ImageCheck("unknown_action", _ERROR, label_checks.find_unknown_actions),
    ImageCheck("exclusive_action", _ERROR, label_checks.find_exclusive_actions),
    ImageCheck("no_objects", _WARNING, label_checks.find_no_objects),
    ImageCheck("small_box", _WARNING, box_checks.find_small_boxes, ("annotate.min_box_px",)),
    ImageCheck(
        "same_class_overlap",
        _WARNING,
        box_checks.find_same_class_overlaps,
        ("qa.same_class_overlap", "qa.same_class_px"),
    ),
    ImageCheck(
        "confusable_overlap",
        _WARNING,
        box_checks.find_confusable_overlaps,
        ("qa.confusable_overlap", "qa.confusable"),
    ),
    ImageCheck(
        "other_class_overlap",
        _WARNING,
        box_checks.find_other_class_overlaps,
        ("qa.other_class_overlap",),
    ),
    SetCheck("seen_by_another", _WARNING, set_checks.find_seen_by_another, ("qa.match_overlap",)),
    SetCheck(
        "suggested_otherwise",
        _WARNING,
        set_checks.find_suggested_otherwise,
        ("qa.match_overlap",),
    ),
    SetCheck("identical_box", _WARNING, set_checks.find_identical_boxes, ("qa.border_margin_px",)),
    ImageCheck("far_part", _WARNING, label_checks.find_far_parts, ("qa.far_part_share",)),
    ImageCheck("large_part", _WARNING, label_checks.find_large_parts),
    ImageCheck("unknown_flag", _WARNING, label_checks.find_unknown_flags),
    ImageCheck(
        "short_time",
        _WARNING,
        label_checks.find_short_time,
        ("qa.min_active_secs", "qa.min_active_secs_per_object"),
    ),
    PersonCheck(
        "box_size_bias",
        _WARNING,
        set_checks.find_box_size_bias,
        ("qa.box_size_bias", "qa.person_min_objects"),
    ),
    PersonCheck("class_never_marked", _WARNING, set_checks.find_classes_never_marked),
    SetCheck(
        "same_hour_labels", _HINT, set_checks.find_other_labels_of_an_hour, ("qa.confusable",)
    ),
    ImageCheck(
        "border_not_truncated",
        _HINT,
        box_checks.find_border_not_truncated,
        ("qa.border_margin_px",),
    ),
    ImageCheck(
        "truncated_inside", _HINT, box_checks.find_truncated_inside, ("qa.border_margin_px",)
    ),
    ImageCheck("view_missing", _HINT, label_checks.find_missing_views),
    SetCheck("actions_missing", _HINT, set_checks.find_missing_actions),
)
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


_NEWEST = (
    select(LiveSetting.value)
    .where(LiveSetting.name == LIVE_NAME)
    .order_by(LiveSetting.number.desc())
    .limit(1)
)


def apply_live_settings(session: Session, settings: Settings) -> Settings:
    """The party's settings as they are in force at this moment."""
    live = session.scalar(_NEWEST)
    return settings if live is None else override_settings(settings, live)


def override_settings(settings: Settings, values: Mapping[str, Any]) -> Settings:
    """The settings with these keys of [qa] in place of those of party.toml.

    Raises SettingsError for a key that [qa] does not have, a wrong value or a check that does not
    exist; a page shows it to the organiser and saves nothing.
    """
    try:
        qa = TypeAdapter(QaSettings).validate_python(asdict(settings.qa) | dict(values))
    except ValidationError as error:
        raise SettingsError(f"[qa]: {describe_first_error(error, QaSettings)}") from error
    changed = replace(settings, qa=qa)
    enabled_checks(changed)
    return changed
