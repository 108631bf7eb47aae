"""The demo's photographs: real ones from installed packages, with what is known about each."""

from .known import (
    KnownObject,
    KnownPart,
    KnownPhoto,
    find_near_duplicates,
    load_known_photographs,
)
from .make import make_demo_photographs

__all__ = [
    "KnownObject",
    "KnownPart",
    "KnownPhoto",
    "find_near_duplicates",
    "load_known_photographs",
    "make_demo_photographs",
]
