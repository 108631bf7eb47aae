"""Findings of saved images, looked for once the save is committed, so that no one waits for it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from datetime import datetime

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from catalog.errors import BusyError
from catalog.locks import lock_images
from catalog.party import Party
from catalog.session import in_parts
from catalog.stuck import BadRowError, about_image
from qa.check_list import apply_live_settings
from qa.checks import Submission, find_in_submission, keep_submission

IMAGES_AT_ONCE = 50  # whose findings are kept in one short transaction
_LEFT = "findings are left to the next `vocparty qa`: %s"
_log = logging.getLogger(__name__)


def renew_findings(party: Party, image_ids: Collection[int], *, at: datetime) -> None:
    """Bring the findings of these images in the queue to what their newest revisions are now.

    Where the catalogue is busy, or the checks fail on an image, they stay as they are until the
    next save or `vocparty qa`: what was saved is answered all the same.
    """
    for some in in_parts(sorted(image_ids), IMAGES_AT_ONCE):
        try:
            _renew(party, some, at)
        except (BusyError, SQLAlchemyError) as error:
            _log.warning(_LEFT, error)


def _renew(party: Party, image_ids: Collection[int], at: datetime) -> None:
    with party.catalogue.reading() as session:
        changed = [
            submission
            for submission in _look_at(session, party, image_ids)
            if submission.is_changed
        ]
    if changed:
        with party.catalogue.writing() as session:
            lock_images(session, [submission.image_id for submission in changed])
            for submission in changed:
                keep_submission(session, submission, at=at)


def _look_at(session: Session, party: Party, image_ids: Collection[int]) -> Iterator[Submission]:
    """What the checks say of each image, but for those on which they fail.

    A row of another image may be the cause, with which an image is compared; so none is left out
    of the queues for it.
    """
    settings = apply_live_settings(session, party.settings)
    for image_id in image_ids:
        try:
            with about_image(image_id):
                known = party.preset, settings, party.words
                submission = find_in_submission(session, image_id, *known)
        except BadRowError as error:
            _log.error(_LEFT, error, exc_info=error)
            continue
        yield submission
