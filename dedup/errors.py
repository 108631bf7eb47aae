"""What can go wrong while near-duplicates are sought."""

from __future__ import annotations

from catalog.errors import VocpartyError


class DedupError(VocpartyError):
    """Near-duplicates cannot be sought; the message says what to do."""


class BrokenImageError(DedupError):
    """A stored file is not a whole image; the message is the reason that its row keeps."""


class LabelError(DedupError):
    """A person's word on two images cannot be taken; the message says why."""


class ClusterError(DedupError):
    """A Dask cluster cannot be used; the message says what to do."""
