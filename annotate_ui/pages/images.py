"""The photographs by the digest of their bytes, and crops of objects as a judge sees them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from io import BytesIO

from flask import Blueprint, Response, request
from flask.typing import ResponseReturnValue
from PIL import Image as Picture
from PIL import ImageDraw
from sqlalchemy import ColumnElement, select

from annotate_ui.guard import EVERYBODY, allowed
from catalog.errors import ImageDamagedError, ImageMissingError, ImageStoreError
from catalog.refusals import NotFoundError
from catalog.sentences import say
from catalog.states import ImageState, Role
from catalog.stuck import BadRowError
from catalog.tables import Image
from work.pairs import Keep, get_pair
from work.questions.shown import find_asked, version_of_question
from work.seen import may_see
from work.visit import Visit

images = Blueprint("images", __name__)

Edges = tuple[int, int, int, int]
"""Left, top, right, bottom between pixels, as Pillow counts them."""

LONGEST_SIDE_PX = 320
LEAST_SIDE_PX = 120
MARGIN = 0.15
MARGIN_AROUND_FRAME = 0.6
LEAST_MARGIN_PX = 6
_QUALITY = 85
_NEIGHBOURS = 5  # files that are looked for before a missing one is the image's own fault
_MISSING = say("The image file is missing. Tell the organiser.")
_DAMAGED = say("The image file is damaged. Tell the organiser.")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_CORNERS = re.compile(r"(\d{1,5})-(\d{1,5})-(\d{1,5})-(\d{1,5})")


@images.get("/images/<digest>.jpg")
@allowed(*EVERYBODY)
def send_image(visit: Visit, digest: str) -> ResponseReturnValue:
    """The bytes of an image that the catalogue knows and that was not taken down."""
    _get_id(visit, digest)
    data = b"" if digest in request.if_none_match else _get_file(visit, digest)
    response = _make_jpeg(data)
    response.set_etag(digest)
    return response.make_conditional(request)


@images.get("/crops/<digest>/<corners>.jpg")
@allowed(Role.ORGANISER)
def send_crop(visit: Visit, digest: str, corners: str) -> ResponseReturnValue:
    """One object with a margin, small; `framed` draws its box. The image counts as seen then."""
    visit.shown.add(_get_id(visit, digest, may_see(visit)))
    match = _CORNERS.fullmatch(corners)
    xyxy = [int(word) for word in match.groups()] if match else [0] * 4
    if not (1 <= xyxy[0] <= xyxy[2] and 1 <= xyxy[1] <= xyxy[3]):
        raise NotFoundError(say("This object does not exist."))
    return _send_crop(visit, digest, xyxy, is_framed="framed" in request.args)


@images.get("/crops/pairs/<int:finding_id>/<version>/<which>.jpg")
@allowed(Role.CHECKER)
def send_pair(visit: Visit, finding_id: int, version: str, which: str) -> ResponseReturnValue:
    """Both boxes of a pair with their surroundings, the one framed; as of that version alone."""
    pair = get_pair(visit, finding_id)
    first = pair.first
    second = pair.second
    is_known = pair.version == version and which in (Keep.FIRST, Keep.SECOND)
    if not is_known or first is None or second is None:
        raise NotFoundError(say("This object does not exist."))
    visit.shown.add(pair.image.id)
    framed = second if which == Keep.SECOND else first
    around = (
        *map(min, first.box.xyxy[:2], second.box.xyxy[:2]),
        *map(max, first.box.xyxy[2:], second.box.xyxy[2:]),
    )
    return _send_crop(visit, pair.image.sha256, framed.box.xyxy, is_framed=True, around=around)


@images.get("/crops/questions/<int:question_id>/<version>.jpg")
@allowed(*EVERYBODY)
def send_question(visit: Visit, question_id: int, version: str) -> ResponseReturnValue:
    """The box that the visitor was asked about, with its surroundings; of that version alone."""
    asked = find_asked(visit, question_id)
    if version_of_question(visit, asked) != version:
        raise NotFoundError(say("This object does not exist."))
    return _send_crop(visit, asked.image.sha256, asked.question.box.xyxy, is_framed=True)


def _send_crop(
    visit: Visit,
    digest: str,
    xyxy: Sequence[int],
    *,
    is_framed: bool,
    around: Sequence[int] | None = None,
) -> ResponseReturnValue:
    """The crop; raises NotFoundError where the image's file is gone or ends before the box."""
    try:
        crop = cut_crop(_get_file(visit, digest), xyxy, is_framed=is_framed, around=around)
    except OSError as error:
        raise NotFoundError(_MISSING) from error
    if crop is None:
        raise NotFoundError(say("The box is outside the image."))
    return _make_jpeg(crop)


def cut_crop(
    data: bytes, xyxy: Sequence[int], *, is_framed: bool, around: Sequence[int] | None = None
) -> bytes | None:
    """A JPEG of the box with a margin, at most LONGEST_SIDE_PX long, or None outside the image.

    What is shown is the box, or a larger one `around` it.

    A tiny object is enlarged, so that it can be judged at all. Raises OSError where the bytes are
    no image.
    """
    with Picture.open(BytesIO(data)) as opened:
        if xyxy[0] > opened.width or xyxy[1] > opened.height:
            return None
        margin = MARGIN_AROUND_FRAME if is_framed else MARGIN
        area = _add_margin(around or xyxy, opened.size, margin)
        picture = opened.convert("RGB").crop(area)
    longest_px = max(picture.size)
    scale = min(max(LEAST_SIDE_PX / longest_px, 1.0), LONGEST_SIDE_PX / longest_px)
    size = [max(round(side * scale), 1) for side in picture.size]
    picture = picture.resize(size, Picture.Resampling.LANCZOS)
    if is_framed:
        _draw_frame(picture, _find_edges(xyxy, area, scale))
    buffer = BytesIO()
    picture.save(buffer, "JPEG", quality=_QUALITY)
    return buffer.getvalue()


def _add_margin(xyxy: Sequence[int], size: tuple[int, int], share: float) -> Edges:
    """The area around the box that is shown, cut off at the edges of the image."""
    xmin, ymin, xmax, ymax = xyxy
    longest_px = max(xmax - xmin + 1, ymax - ymin + 1)
    margin = max(LEAST_MARGIN_PX, round(share * longest_px))
    left = max(xmin - 1 - margin, 0)
    top = max(ymin - 1 - margin, 0)
    return left, top, min(xmax + margin, size[0]), min(ymax + margin, size[1])


def _find_edges(xyxy: Sequence[int], area: Edges, scale: float) -> Edges:
    """Where the box is in the enlarged or reduced area."""
    xmin, ymin, xmax, ymax = xyxy
    left, top = area[:2]
    edges = (xmin - 1 - left, ymin - 1 - top, xmax - left, ymax - top)
    left, top, right, bottom = (round(edge * scale) for edge in edges)
    return left, top, right, bottom


def _draw_frame(picture: Picture.Image, edges: Edges) -> None:
    """Draw the box in yellow on black, which is seen on every ground."""
    left, top, right, bottom = edges
    draw = ImageDraw.Draw(picture)
    draw.rectangle((left - 1, top - 1, right, bottom), outline=(16, 18, 22), width=4)
    draw.rectangle((left, top, right - 1, bottom - 1), outline=(255, 255, 0), width=2)


def _get_id(visit: Visit, digest: str, *conditions: ColumnElement[bool]) -> int:
    """The id of an image that can be shown; raises NotFoundError where there is none."""
    known = select(Image.id).where(Image.sha256 == digest, Image.state != ImageState.TAKEN_DOWN)
    image_id = visit.session.scalar(known.where(*conditions)) if _DIGEST.fullmatch(digest) else None
    if image_id is None:
        raise NotFoundError(say("This image does not exist."))
    return image_id


def _get_file(visit: Visit, digest: str) -> bytes:
    """The bytes of an image of the catalogue.

    Raises NotFoundError where they are missing or damaged; where files of other images are there,
    it is a BadRowError, and the image is given out no more.
    """
    try:
        return visit.party.store.get(digest)
    except ImageMissingError as error:
        reason = say("its file is missing")
        refusal = NotFoundError(_MISSING)
        refusal.__cause__ = error
    except ImageDamagedError as error:
        reason = say("its file is damaged")
        refusal = NotFoundError(_DAMAGED)
        refusal.__cause__ = error
    image_id = visit.session.scalar(select(Image.id).where(Image.sha256 == digest))
    if image_id is None or image_id in visit.stuck or not _has_others(visit, digest):
        raise refusal
    raise BadRowError(image_id, reason)


def _has_others(visit: Visit, digest: str) -> bool:
    """Whether the file of an image next to this one is there; else the whole store may be away."""
    others = select(Image.sha256).where(Image.sha256 > digest, Image.erased_at.is_(None))
    first = select(Image.sha256).where(Image.sha256 != digest, Image.erased_at.is_(None))
    for chosen in (others, first):
        for other in visit.session.scalars(chosen.order_by(Image.sha256).limit(_NEIGHBOURS)):
            with suppress(ImageStoreError):
                visit.party.store.get(other)
                return True
    return False


def _make_jpeg(data: bytes) -> Response:
    """The bytes under an address whose content never changes."""
    headers = {"Cache-Control": "private, max-age=31536000, immutable"}
    return Response(data, content_type="image/jpeg", headers=headers)
