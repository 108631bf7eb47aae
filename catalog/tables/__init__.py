"""The catalogue's tables: what is known of every photo, image, person and box.

Each column is written by one stage, named in the class's docstring, and may be read by every stage.
An image's `state` is written by the stage that owns the step (catalog/states.py).
"""

from __future__ import annotations

from .annotations import (
    Annotation,
    Object,
    Part,
    Review,
    Segment,
    Segmentation,
    SegmentationReview,
    SegmentChoice,
)
from .base import Base
from .checking import (
    BlindTask,
    Difficulty,
    Finding,
    GoldImage,
    Measurement,
    Presence,
    Remark,
    StuckImage,
)
from .instances import Instance
from .people import EndedLease, EndedSession, Invitation, Lease, LiveSetting, Person
from .photos import (
    BlockedOwner,
    CallBudget,
    Duplicate,
    HostPause,
    Image,
    PairLabel,
    Photo,
    Query,
    Search,
    Signature,
)
from .releases import Campaign, CampaignImage, ClassChange, Release, ReleaseImage
from .store_owner import StoreOwner
