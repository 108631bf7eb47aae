"""What the automatic checks say about a revision that was just saved; it blocks nothing."""

from __future__ import annotations

from sqlalchemy import func, select

from catalog.tables import Annotation, Image
from qa.findings import Finding
from qa.load import make_checked_image
from qa.rules import find_revision_findings

from .visit import Visit

NOT_FOR_DRAFTS = frozenset({"no_objects", "short_time"})
"""Checks that ask whether the work is done, which a draft does not say."""


def find_hints(visit: Visit, image: Image, annotation: Annotation) -> list[Finding]:
    """What the checks say of the revision by itself, the gravest first."""
    if annotation.discard_reason is not None:
        return []
    subject = make_checked_image(image, annotation, active_secs=_sum_active_secs(visit, image))
    found = find_revision_findings(subject, visit.party.preset, visit.party.settings)
    silent = frozenset() if annotation.is_finished else NOT_FOR_DRAFTS
    return [finding for finding in found if finding.check not in silent]


def _sum_active_secs(visit: Visit, image: Image) -> float:
    """Seconds over all revisions that led to the newest one."""
    spent = select(func.sum(Annotation.active_secs)).where(
        Annotation.image_id == image.id, Annotation.is_stale.is_(False)
    )
    return visit.session.scalar(spent) or 0.0
