"""What can go wrong while near-duplicates are sought."""

from __future__ import annotations

from vockit.errors import UserError


class DedupError(UserError):
    """Near-duplicates cannot be sought; the message says what to do."""


class BrokenImageError(DedupError):
    """A stored file is not a whole image; the message is the reason that its row keeps."""


class UnknownFormatError(BrokenImageError):
    """No decoder knows the format of a stored file."""


class DecoderError(DedupError):
    """The decoders of this machine fail; no file is to blame."""


class WorkersEndedError(DedupError):
    """The machine ends the processes that do the work; no file is to blame."""


class LabelError(DedupError):
    """A person's word on two images cannot be taken; the message says why."""


class ClusterError(DedupError):
    """A Dask cluster cannot be used; the message says what to do."""
