"""Small pictures inside a page, so that it needs nothing else."""

from __future__ import annotations

import base64
import io

from PIL import Image

from catalog.errors import ImageStoreError
from catalog.image_store import ImageStore
from dedup.signature.brightness import FORMATS

SIDE_PX = 240
QUALITY = 72


def embed_stored(store: ImageStore, sha256: str) -> str | None:
    """A stored image as a small data address, or None where it cannot be shown."""
    try:
        return embed(store.get(sha256))
    except ImageStoreError:
        return None


def embed(data: bytes) -> str | None:
    """An image file as a small data address, or None where it cannot be decoded."""
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            image.draft("RGB", (SIDE_PX, SIDE_PX))
            small = image.convert("RGB")
    except Exception:  # Pillow's decoders raise what they like on a hostile file
        return None
    small.thumbnail((SIDE_PX, SIDE_PX))
    file = io.BytesIO()
    small.save(file, "JPEG", quality=QUALITY)
    return "data:image/jpeg;base64," + base64.b64encode(file.getvalue()).decode()
