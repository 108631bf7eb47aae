"""The catalogue's tables: what is known of every photo, image, person and box.

A class's docstring names the packages that write its rows; every package may read them. An image's
`state` is changed by catalog/transitions.py alone, for the package that owns the step
(catalog/states.py).
"""

from __future__ import annotations

from .annotations import Annotation, Object, Origin, Part, Review
from .base import Base
from .checking import (
    BlindTask,
    Difficulty,
    Finding,
    FindingJudgement,
    GoldImage,
    Measurement,
    Remark,
    StuckImage,
)
from .decisions import Decision
from .instances import Instance
from .leases import EndedLease, Lease, SeenImage
from .people import EndedSession, Invitation, LiveSetting, Person
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
    TablePass,
)
from .presence import Presence, PresenceState, PresentClass, QuestionPlan
from .questions import Question, QuestionAnswer
from .releases import Campaign, CampaignImage, Release, ReleaseImage
from .segmentations import Segment, Segmentation, SegmentationReview, SegmentChoice
from .store_owner import StoreOwner
from .suggestions import Suggestion, SuggestionBlank, SuggestionRejection, SuggestionSet
from .words import Word, WordChange
