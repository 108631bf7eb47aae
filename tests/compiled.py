"""Compile the loops of dedup once, before tests run beside one another: `python -m tests.compiled`.

numba keeps what it compiles, but processes that begin together would each compile all of it.
"""

from __future__ import annotations

import io

import numpy as np
from PIL import Image, ImageOps

from catalog.settings import DedupSettings
from dedup.signature.picture import read_picture
from dedup.signature.signature import Signature, make_signature
from tests.dedup.finder import find_pairs_among


def compile_loops() -> int:
    """How many pairs a picture, a smaller copy and its mirror image make, by all that hashes."""
    noise = np.random.default_rng(5).integers(0, 255, (9, 12, 3), dtype=np.uint8)
    picture = Image.fromarray(noise).resize((400, 300), Image.Resampling.BICUBIC)
    copies = (picture, picture.resize((300, 225)), ImageOps.mirror(picture))
    return len(find_pairs_among([_sign(one) for one in copies], DedupSettings()))


def _sign(picture: Image.Image) -> Signature:
    data = io.BytesIO()
    picture.save(data, "JPEG", quality=95)
    return make_signature(read_picture(data.getvalue()))


if __name__ == "__main__":
    assert compile_loops() == 3
