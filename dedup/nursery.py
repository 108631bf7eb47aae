"""Importing this makes a process ready to hash: all is loaded, and one picture has been hashed.

The process that workers are forked from imports it, so that they begin at once and share what it
holds. Nothing else does.
"""

import io
import os

for _library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{_library}_NUM_THREADS", "1")  # each worker has a processor

from PIL import Image  # noqa: E402  numpy counts its threads when it is loaded

from .hashes import hash_image  # noqa: E402

_file = io.BytesIO()
Image.radial_gradient("L").save(_file, "JPEG")
hash_image(_file.getvalue())
