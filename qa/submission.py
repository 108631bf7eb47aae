"""The checks of single images at the moment when an image goes on to checking, or comes from it."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.orm import Session

from catalog.preset import Preset
from catalog.settings import Settings

from .checks import enabled_checks, run_image_checks
from .finding_rows import keep_findings
from .findings import Finding, ImageCheck
from .load import load_checked_images
from .switches import apply_live_settings


def check_submission(
    session: Session, image_id: int, preset: Preset, settings: Settings, *, at: datetime
) -> list[Finding]:
    """What the checks say of the image's newest revision; its findings in the queue follow.

    Writes within the caller's transaction. What is said of many images together, or of people,
    stays as the last `vocparty qa` left it.
    """
    settings = apply_live_settings(session, settings)
    images = load_checked_images(session, [image_id])
    findings = run_image_checks(images, preset, settings)
    ran = [check.name for check in enabled_checks(settings) if isinstance(check, ImageCheck)]
    keep_findings(session, findings, ran=ran, at=at, image_ids=[image_id])
    return findings
