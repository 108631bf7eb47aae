"""Which images take part in the search for near-duplicates."""

from __future__ import annotations

from catalog.states import ImageState

STANDING = (
    ImageState.HASHED,
    ImageState.POOL,
    ImageState.ANNOTATING,
    ImageState.ANNOTATED,
    ImageState.DISCARDED,  # its annotator may think again
    ImageState.CHECKING,
    ImageState.RETURNED,
    ImageState.CHECKED,
    ImageState.RELEASED,
)
"""The states of images that are in a release or may still come to be in one."""

DISPLACEABLE = (ImageState.HASHED, ImageState.POOL)
"""The states in which an image may be put aside, where nobody has worked on it."""
