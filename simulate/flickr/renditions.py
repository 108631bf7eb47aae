"""The bytes of a photo at a size: made from the file when first asked for, then kept in memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageOps

from .photos import Photo, PictureFile
from .sizes import ORIGINAL, Size, measure

JPEG_QUALITY = 90
MAX_CACHE_BYTES = 128 * 2**20
CONTENT_TYPES = {"jpg": "image/jpeg", "png": "image/png", "gif": "image/gif"}
KEPT_AS_THEY_ARE = frozenset({".jpg", ".jpeg", ".png", ".gif"})

_SOI = b"\xff\xd8"
_COMMENT = b"\xff\xfe"


class Renditions:
    """A cache of rendered sizes; the same file and size always give the same bytes.

    With a folder, what is rendered is kept there too and found again by the next run.
    """

    def __init__(self, folder: Path | None = None, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[str, str], bytes] = OrderedDict()
        self._kept_bytes = 0
        self._lock = threading.Lock()

    def get(self, photo: Photo, size: Size) -> bytes:
        """The bytes of a photo at a size; a copy's bytes carry its id and so differ."""
        key = (photo.file.sha256, size.extra)
        with self._lock:
            content = self._kept.get(key)
            if content is not None:
                self._kept.move_to_end(key)
        if content is None:
            content = self._find_or_render(photo.file, size)
            self._keep(key, content)
        return _with_comment(content, str(photo.id)) if photo.is_copy else content

    def _find_or_render(self, file: PictureFile, size: Size) -> bytes:
        if self._folder is None:
            return render(file, size)
        path = self._folder / f"{file.sha256}_{size.extra}"
        if path.is_file():
            return path.read_bytes()
        content = render(file, size)
        self._folder.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{threading.get_ident()}.part")
        beside.write_bytes(content)
        beside.replace(path)
        return content

    def _keep(self, key: tuple[str, str], content: bytes) -> None:
        with self._lock:
            if key in self._kept:
                return
            self._kept[key] = content
            self._kept_bytes += len(content)
            while self._kept_bytes > self._max_bytes:
                _, dropped = self._kept.popitem(last=False)
                self._kept_bytes -= len(dropped)


def render(file: PictureFile, size: Size) -> bytes:
    """The picture at a size as JPEG, upright and without metadata; an original as it is."""
    if size is ORIGINAL and file.path.suffix.lower() in KEPT_AS_THEY_ARE:
        return file.path.read_bytes()
    with Image.open(file.path) as opened:
        opened.draft("RGB", (2 * max(size.side_px, 1),) * 2)
        image = ImageOps.exif_transpose(opened)
    image = _on_white(image)
    wanted = measure(file, size)
    if size.is_square:
        image = ImageOps.fit(image, wanted, Image.Resampling.LANCZOS)
    elif image.size != wanted:
        image = image.resize(wanted, Image.Resampling.LANCZOS)
    return encode_jpeg(image)


def encode_jpeg(image: Image.Image, quality: int = JPEG_QUALITY) -> bytes:
    """The image as a JPEG file without metadata."""
    out = BytesIO()
    image.save(out, "JPEG", quality=quality)
    return out.getvalue()


def _on_white(image: Image.Image) -> Image.Image:
    """An RGB or grey image; what was transparent is white."""
    if image.mode in ("RGB", "L"):
        return image
    if image.mode in ("1", "I", "I;16", "F"):
        return image.convert("L")
    layer = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", layer.size, "white"), layer).convert("RGB")


def _with_comment(content: bytes, text: str) -> bytes:
    """The JPEG with a comment segment; other bytes as they are."""
    if not content.startswith(_SOI):
        return content
    payload = text.encode()
    segment = _COMMENT + (len(payload) + 2).to_bytes(2, "big") + payload
    return _SOI + segment + content[len(_SOI) :]
