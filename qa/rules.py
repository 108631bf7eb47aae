"""What the annotation page may say of a revision when it is saved; pure, and blocks nothing."""

from __future__ import annotations

from catalog.preset import Preset
from catalog.settings import Settings

from .check_list import enabled_checks
from .checks import run_checks, run_set_checks, sort_findings
from .findings import Finding
from .subjects import CheckedImage

__all__ = ["ANSWERED_ALONE", "find_revision_findings", "require_known_checks"]

ANSWERED_ALONE = ("actions_missing",)
"""Checks of many images that can speak of a revision though no other image is at hand."""


def find_revision_findings(
    image: CheckedImage, preset: Preset, settings: Settings, *, marks_actions: bool = False
) -> list[Finding]:
    """All that the checks say of one revision by itself, the gravest first.

    `marks_actions` says that the party has an object with an action on some other image.
    """
    alone = run_set_checks((image,), preset, settings, marks_actions=marks_actions)
    answered = [found for found in alone if found.check in ANSWERED_ALONE]
    return sort_findings(run_checks(image, preset, settings) + answered)


def require_known_checks(settings: Settings) -> None:
    """Raise SettingsError where qa.switched_off names no check; for the start of a server."""
    enabled_checks(settings)
