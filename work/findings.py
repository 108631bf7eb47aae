"""Findings of saved images, looked for once the save is committed, so that no one waits for it."""

from __future__ import annotations

import logging
from collections.abc import Collection
from datetime import datetime

from sqlalchemy.exc import OperationalError

from catalog.errors import BusyError
from catalog.locks import lock_images
from catalog.party import Party
from catalog.session import in_parts
from catalog.stuck import BadRowError, keep_stuck
from qa.check_list import apply_live_settings
from qa.checks import find_in_submission, keep_submission

IMAGES_AT_ONCE = 50  # whose findings are kept in one short transaction
_log = logging.getLogger(__name__)


def renew_findings(party: Party, image_ids: Collection[int], *, at: datetime) -> None:
    """Bring the findings of these images in the queue to what their newest revisions are now.

    Where the catalogue is busy they stay as they are until the next save or `vocparty qa`.
    """
    try:
        for some in in_parts(sorted(image_ids), IMAGES_AT_ONCE):
            _renew(party, some, at)
    except (BusyError, OperationalError) as error:
        _log.warning("findings are left to the next `vocparty qa`: %s", error)
    except BadRowError as error:
        with party.catalogue.writing() as session:
            keep_stuck(session, error, at=at)


def _renew(party: Party, image_ids: Collection[int], at: datetime) -> None:
    with party.catalogue.reading() as session:
        settings = apply_live_settings(session, party.settings)
        looked_at = (find_in_submission(session, key, party.preset, settings) for key in image_ids)
        changed = [submission for submission in looked_at if submission.is_changed]
    if changed:
        with party.catalogue.writing() as session:
            lock_images(session, [submission.image_id for submission in changed])
            for submission in changed:
                keep_submission(session, submission, at=at)
