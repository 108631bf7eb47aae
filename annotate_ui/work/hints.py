"""What the automatic checks say about a revision that was just saved; it blocks nothing."""

from __future__ import annotations

from sqlalchemy import func, select

from annotate_ui.visit import Visit
from catalog.tables import Annotation, Image
from qa.checks import find_revision_findings
from qa.findings import CheckedImage, Finding
from qa.load import make_checked_image
from qa.submission import asks_for_actions, check_submission, marks_actions
from qa.switches import apply_live_settings

NOT_FOR_DRAFTS = frozenset({"no_objects", "short_time"})
"""Checks that ask whether the work is done, which a draft does not say."""

MAX_HINTS = 50
MAX_OBJECTS = 250


def find_hints(visit: Visit, image: Image, annotation: Annotation) -> list[Finding]:
    """What the checks say of the revision by itself, the gravest first, at most MAX_HINTS.

    Nothing where there are more objects than MAX_OBJECTS: the checks compare every pair, and a save
    must not wait for them.
    """
    if annotation.discard_reason is not None or len(annotation.objects) > MAX_OBJECTS:
        return []
    subject = make_checked_image(image, annotation, active_secs=_sum_active_secs(visit, annotation))
    settings = apply_live_settings(visit.session, visit.party.settings)
    found = find_revision_findings(
        subject, visit.party.preset, settings, marks_actions=_is_marking(visit, subject)
    )
    silent = frozenset() if annotation.is_finished else NOT_FOR_DRAFTS
    return [finding for finding in found if finding.check not in silent][:MAX_HINTS]


def keep_submitted(visit: Visit, image: Image, annotation: Annotation) -> None:
    """Bring the image's findings in the queue up to a revision that goes on to checking."""
    if annotation.is_finished and not annotation.is_stale and annotation.discard_reason is None:
        party = visit.party
        check_submission(visit.session, image.id, party.preset, party.settings, at=visit.at)


def _is_marking(visit: Visit, subject: CheckedImage) -> bool:
    """Whether the party marks actions, looked up only where the answer matters."""
    return asks_for_actions(subject, visit.party.preset) and marks_actions(visit.session)


def _sum_active_secs(visit: Visit, annotation: Annotation) -> float:
    """Seconds over all revisions that led to this one; of a blind answer, the person's own."""
    spent = select(func.sum(Annotation.active_secs)).where(
        Annotation.image_id == annotation.image_id, Annotation.is_stale.is_(annotation.is_stale)
    )
    if annotation.is_stale:
        spent = spent.where(Annotation.person_id == annotation.person_id)
    return visit.session.scalar(spent) or 0.0
