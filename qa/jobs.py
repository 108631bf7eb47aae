"""The job of `vocparty qa`: every check over everything that was annotated."""

from __future__ import annotations

from catalog.party import Party

from .checks import enabled_checks, run_checks, run_set_checks, sort_findings
from .load import load_checked_images
from .report import Report


def check_party(party: Party) -> Report:
    """What the checks find in the newest revisions of annotated and checked images; writes nothing.

    Raises SettingsError where qa.switched_off names no check.
    """
    enabled_checks(party.settings)
    with party.catalogue.reading() as session:
        images = load_checked_images(session)
    findings = run_set_checks(images, party.preset, party.settings)
    for image in images:
        findings += run_checks(image, party.preset, party.settings)
    switched_off = party.settings.qa.switched_off
    return Report(tuple(images), tuple(sort_findings(findings)), switched_off)
