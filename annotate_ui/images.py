"""The photographs, by the digest of their bytes."""

from __future__ import annotations

import re

from flask import Blueprint, make_response, request
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from catalog.errors import ImageMissingError
from catalog.states import ImageState
from catalog.tables import Image

from .errors import NotFoundError
from .roles import EVERYBODY, allowed
from .visit import Visit

images = Blueprint("images", __name__)

_DIGEST = re.compile(r"[0-9a-f]{64}")
_FOR_EVER = "private, max-age=31536000, immutable"


@images.get("/images/<digest>.jpg")
@allowed(*EVERYBODY)
def send_image(visit: Visit, digest: str) -> ResponseReturnValue:
    """The bytes of an image that the catalogue knows and that was not taken down."""
    known = select(Image.id).where(Image.sha256 == digest, Image.state != ImageState.TAKEN_DOWN)
    if not _DIGEST.fullmatch(digest) or visit.session.scalar(known) is None:
        raise NotFoundError("There is no such image.")
    try:
        data = b"" if digest in request.if_none_match else visit.party.store.get(digest)
    except ImageMissingError as error:
        raise NotFoundError("The image's file is missing; tell the organiser.") from error
    response = make_response(data)
    response.content_type = "image/jpeg"
    response.cache_control.clear()
    response.headers["Cache-Control"] = _FOR_EVER
    response.set_etag(digest)
    return response.make_conditional(request)
