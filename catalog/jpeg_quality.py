"""How much a photograph has lost by compression, also before it was made smaller for the store."""

from __future__ import annotations

import re

from PIL import Image

LOSSLESS = "PNG", "TIFF", "BMP"
_CAME = re.compile(rb"vocparty: it came with quality (\d{1,3})\b")


def estimate_quality(image: Image.Image) -> float:
    """The quality of libjpeg that the file's luma table stands for, 100 without loss.

    If it was made of another file, no more than that one's. 0 where neither is known: photographs
    are converted to such files.
    """
    tables = getattr(image, "quantization", None)
    if not tables:
        return 100.0 if image.format in LOSSLESS and image.mode != "P" else 0.0
    luma = next(iter(tables.values()))
    scale = sum(luma) / len(luma) / 57.625 * 100  # of annex K's mean; libjpeg's rule (jcparam.c)
    quality: float = max(min(100 - scale / 2 if scale <= 100 else 5000 / scale, 100.0), 0.0)
    comment = _CAME.search(image.info.get("comment") or b"")
    return min(quality, float(comment[1])) if comment else quality


def tell_quality(image: Image.Image) -> bytes:
    """The comment of a JPEG file that is made of this one, for `estimate_quality`."""
    return b"vocparty: it came with quality %d" % round(estimate_quality(image))
