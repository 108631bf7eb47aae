"""The image host: from an address to the bytes of a photo at a size, or why not."""

from __future__ import annotations

import logging
import re
from functools import cache, lru_cache
from io import BytesIO

from PIL import Image, ImageDraw, ImageFont, ImageOps

from .messages import Request, Response, redirect
from .photos import BY_SUFFIX, Availability, Photo, PictureFile, Size, exists, measure
from .search import Library

log = logging.getLogger(__name__)

THUMB = re.compile(r"/wikipedia/commons/thumb/\d/(\d+)\.jpg/(\d+)px-\d+\.jpg")
"""An address of a picture at Wikimedia Commons."""
ADDRESS = re.compile(r"/\d+/(\d+)_([0-9a-f]+)(?:_([0-9a-z]+))?\.jpg")
JPEG_QUALITY = 90

PLACEHOLDERS = "/pw/images/en-us/"
SIDES_PX = {
    f"{PLACEHOLDERS}photo_unavailable.png": 375,
    f"{PLACEHOLDERS}photo_unavailable_l.png": 1024,
}
"""The paths of the two placeholders and their longest sides; Flickr redirects to them."""


def is_image_path(path: str) -> bool:
    """Whether a path belongs to the image host."""
    return path in SIDES_PX or bool(ADDRESS.fullmatch(path) or THUMB.fullmatch(path))


def answer_image(library: Library, request: Request) -> Response:
    """The picture; 302 to the placeholder when deleted, 403 when private, 404 when never there."""
    if request.path in SIDES_PX:
        return Response(content_type="image/png", body=draw_placeholder(request.path))
    addressed = find_addressed(library, request.path)
    if addressed is None:
        return Response(status=404)
    photo, size = addressed
    if photo.availability is not Availability.PUBLIC and THUMB.fullmatch(request.path):
        return Response(status=404)
    if photo.availability is Availability.DELETED:
        return redirect(request.images_url + choose_placeholder(max(measure(photo.file, size))))
    if photo.availability is Availability.PRIVATE:
        return Response(status=403)
    try:
        content = render(photo.file, size)
    except (OSError, Image.DecompressionBombError) as error:
        log.warning("%s cannot be shown: %s", photo.file.path, error)
        return Response(status=500)
    return Response(content_type="image/jpeg", body=content)


def find_addressed(library: Library, path: str) -> tuple[Photo, Size] | None:
    """The photo and size that an address names; None for an address that was never given."""
    if thumb := THUMB.fullmatch(path):
        photo = library.find(int(thumb[1]))
        return None if photo is None else (photo, size_of_width(photo.file, int(thumb[2])))
    if (match := ADDRESS.fullmatch(path)) is None:
        return None
    photo = library.find(int(match[1]))
    size = BY_SUFFIX.get(match[3] or "")
    if photo is None or size is None or match[2] != photo.secret or not exists(photo, size):
        return None
    return photo, size


def size_of_width(file: PictureFile, width_px: int) -> Size:
    """The size in which a picture is so wide, or its own where it is narrower."""
    scale = min(1.0, width_px / file.width_px)
    return Size("", "", max(1, round(file.longest_side_px * scale)))


def choose_placeholder(longest_side_px: int) -> str:
    """The placeholder for a picture of this size."""
    small, large = SIDES_PX
    return large if longest_side_px > 500 else small


@cache
def draw_placeholder(path: str) -> bytes:
    """The placeholder as a PNG file: a whole, valid picture, which is the trap."""
    side = SIDES_PX[path]
    image = Image.new("RGB", (side, side * 2 // 3), (243, 245, 246))
    ImageDraw.Draw(image).text(
        (image.width / 2, image.height / 2),
        "This photo is no longer available",
        fill=(120, 125, 130),
        font=ImageFont.load_default(side / 20),
        anchor="mm",
    )
    out = BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


@lru_cache(maxsize=2000)
def render(file: PictureFile, size: Size) -> bytes:
    """The picture at a size as JPEG, upright and without metadata."""
    with Image.open(file.path) as opened:
        opened.draft("RGB", (2 * size.side_px,) * 2)
        image = ImageOps.exif_transpose(opened)
    image = put_on_white(image)
    wanted = measure(file, size)
    if image.size != wanted:
        image = image.resize(wanted, Image.Resampling.LANCZOS)
    return encode_jpeg(image)


def encode_jpeg(image: Image.Image) -> bytes:
    """The image as a JPEG file without metadata."""
    out = BytesIO()
    image.save(out, "JPEG", quality=JPEG_QUALITY)
    return out.getvalue()


def put_on_white(image: Image.Image) -> Image.Image:
    """The image as RGB; transparent pixels become white."""
    if image.mode in ("RGB", "L"):
        return image
    layer = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")
