"""The pages on which organisers steer the party while it runs, and judge what was drawn."""

from __future__ import annotations

from flask import Blueprint, make_response, render_template, request
from flask.typing import ResponseReturnValue
from sqlalchemy import select

from catalog.errors import ImageMissingError
from catalog.states import ImageState, Role
from catalog.tables import Image

from .crops import cut_crop, parse_corners
from .errors import NotFoundError
from .roles import allowed
from .visit import Visit

steering = Blueprint("steering", __name__)


@steering.get("/queue")
@allowed(Role.ORGANISER)
def queue(visit: Visit) -> ResponseReturnValue:
    """What comes first, and which classes are wanted."""
    return render_template("queue.html", person=visit.person)


@steering.get("/difficult")
@allowed(Role.ORGANISER)
def difficult(visit: Visit) -> ResponseReturnValue:
    """The crops of objects, to be judged difficult or not."""
    return render_template("difficult.html", person=visit.person)


@steering.get("/findings")
@allowed(Role.ORGANISER)
def findings(visit: Visit) -> ResponseReturnValue:
    """What the automatic checks found, to be judged right or wrong."""
    return render_template("findings.html", person=visit.person)


@steering.get("/disputes")
@allowed(Role.ORGANISER)
def disputes(visit: Visit) -> ResponseReturnValue:
    """The images on which author and checkers do not agree, to be settled."""
    return render_template("disputes.html", person=visit.person)


@steering.get("/gold")
@allowed(Role.ORGANISER)
def gold(visit: Visit) -> ResponseReturnValue:
    """Gold and training images, and who waits to begin."""
    return render_template("gold.html", person=visit.person)


@steering.get("/crops/<digest>/<corners>.jpg")
@allowed(Role.ORGANISER)
def send_crop(visit: Visit, digest: str, corners: str) -> ResponseReturnValue:
    """One object with a margin, small; `framed` draws its box. Cached for ever by the browser."""
    xyxy = parse_corners(corners)
    known = select(Image.id).where(Image.sha256 == digest, Image.state != ImageState.TAKEN_DOWN)
    if xyxy is None or visit.session.scalar(known) is None:
        raise NotFoundError("There is no such object.")
    try:
        data = visit.party.store.get(digest)
        crop = cut_crop(data, xyxy, is_framed="framed" in request.args)
    except (ImageMissingError, OSError) as error:
        raise NotFoundError("The image's file is missing; tell the organiser.") from error
    if crop is None:
        raise NotFoundError("The box is outside the image.")
    response = make_response(crop)
    response.content_type = "image/jpeg"
    response.cache_control.clear()
    response.headers["Cache-Control"] = "private, max-age=31536000, immutable"
    return response


@steering.get("/guidelines/edit")
@allowed(Role.ORGANISER)
def edit_guidelines(visit: Visit) -> ResponseReturnValue:
    """The guidelines as Markdown, with a preview."""
    return render_template("edit_guidelines.html", person=visit.person)
