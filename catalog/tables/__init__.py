"""The catalogue's tables: what is known of every photo, image, person and box.

Each column has exactly one stage that writes it, named in the class's docstring; every stage may
read it. An image's `state` is written by the stage that owns the step (catalog/states.py). The
columns of boxes are called box_xmin and so on, since PostgreSQL keeps xmin and xmax for itself.
"""

from __future__ import annotations

from .annotations import Annotation, Object, Part, Review
from .base import Base, as_table
from .checking import BlindTask, Difficulty, Finding, GoldImage, Measurement, Remark
from .images import Duplicate, Image, PairLabel, Signature
from .people import EndedLease, Invitation, Lease, LiveSetting, Person
from .photos import BlockedOwner, CallBudget, HostPause, Photo, Query, Search
from .releases import Release, ReleaseImage

__all__ = [
    "Annotation",
    "Base",
    "BlindTask",
    "BlockedOwner",
    "CallBudget",
    "Difficulty",
    "Duplicate",
    "EndedLease",
    "Finding",
    "GoldImage",
    "HostPause",
    "Image",
    "Invitation",
    "Lease",
    "LiveSetting",
    "Measurement",
    "Object",
    "PairLabel",
    "Part",
    "Person",
    "Photo",
    "Query",
    "Release",
    "ReleaseImage",
    "Remark",
    "Review",
    "Search",
    "Signature",
    "as_table",
]
