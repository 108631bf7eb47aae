"""A limit on the memory of a process that reads files from strangers."""

from __future__ import annotations

import resource

_SPARE_BYTES = 2**31
_BYTES_A_PIXEL = 24


def limit_memory(max_pixels: int) -> None:
    """More than any accepted picture needs; one that lies about itself ends this process only."""
    most = _SPARE_BYTES + max_pixels * _BYTES_A_PIXEL
    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
