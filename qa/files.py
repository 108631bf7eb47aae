"""Files of images by the image's id."""

from __future__ import annotations

import logging
from collections.abc import Callable

from catalog.errors import ImageStoreError
from catalog.party import Party
from catalog.tables import Image

_log = logging.getLogger(__name__)


def make_fetch(party: Party) -> Callable[[int], bytes | None]:
    """A function that gives an image's file, or None where it cannot be had; that is logged."""

    def fetch(image_id: int) -> bytes | None:
        with party.catalogue.reading() as session:
            image = session.get(Image, image_id)
        if image is None:
            return None
        try:
            return party.store.get(image.sha256)
        except ImageStoreError as error:
            _log.warning("No picture of image %d: %s", image_id, error)
            return None

    return fetch
