"""Plain values of a challenge, as its functions give them to pages and commands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

COMPETITIONS = tuple(f"comp{number}" for number in range(1, 13))
"""VOC's: odd ones are for the given data alone, even ones for any data but the test set."""


class Phase(StrEnum):
    """What a challenge is open for, in the order of its dates; before the first it is announced."""

    ANNOUNCED = "announced"
    TRAINING = "training"
    IMAGES = "images"
    SUBMISSIONS = "submissions"
    CLOSED = "closed"
    ROLLING = "rolling"


class State(StrEnum):
    """Where a submission is on its way.

    An upload is checked by its form, or refused; what its team confirms is queued, and scored or
    failed at last. A rescoring changes no state.
    """

    UPLOADING = "uploading"
    REFUSED = "refused"
    CHECKED = "checked"
    QUEUED = "queued"
    SCORED = "scored"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ScoringState(StrEnum):
    """Where the scoring of a submission in one edition of the board is."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Training(StrEnum):
    """What a method was trained on: the given data alone, or other data too."""

    GIVEN = "given"
    OTHER = "other"


class MaskSource(StrEnum):
    """What a method for segmentation learned from, which comp5 and comp6 have to say."""

    SEGMENTATIONS = "segmentations"
    BOXES = "boxes"


class Part(StrEnum):
    """The images that a number is of: the whole test set, or its public part."""

    WHOLE = "whole"
    PUBLIC = "public"


class Absence(StrEnum):
    """Why a scored submission shows no number: it is not yet shown, or there is none."""

    PHASE = "phase"
    NEXT_EDITION = "next edition"
    PART = "part"
    FAILED = "failed"


class Deed(StrEnum):
    """What an organiser did, in the log."""

    INVITE = "invite"
    ERASE = "erase"
    RENEW = "renew"
    HIDE = "hide"
    SHOW = "show"
    DISQUALIFY = "disqualify"
    EXTEND = "extend"
    QUOTA = "quota"
    RESCORE = "rescore"
    PUBLISH = "publish"


@dataclass(frozen=True)
class Frozen:
    """What is shown before the first submission and does not change: release, rules, quotas.

    `public_share` of the test images are the public part, 0 for none; a shown score moves only by
    more than `step`, 0 for any.
    """

    release: str
    image_set: str
    rules: str
    release_digest: str
    evaluator: str
    competitions: tuple[str, ...]
    images: int
    per_method: int
    per_week: int
    failures_per_day: int
    public_share: float
    step: float


@dataclass(frozen=True)
class MethodFields:
    """What a team says of a method. `detectors` are those that its own suggestions came from."""

    name: str
    description: str = ""
    contributors: str = ""
    institutions: str = ""
    reference: str = ""
    training: Training = Training.GIVEN
    training_data: str = ""
    mask_source: MaskSource | None = None
    detectors: str = ""


@dataclass(frozen=True)
class OwnImages:
    """The own images of a method: how many, and how many look like test images, if it is known.

    `files` are the first of these with the test image that each looks like.
    """

    images: int
    overlaps: int | None
    files: Sequence[tuple[str, str]] = ()
    fault: str = ""
    is_compared: bool = True


@dataclass(frozen=True)
class Problem:
    """One thing that cannot be scored: the file, its line (0 where it has none), the reason."""

    file: str
    line: int
    message: str


@dataclass(frozen=True)
class Verdict:
    """What `vockit check-results` says of an upload; it can be scored where nothing is wrong.

    `reason` is a sentence on the whole, such as of an archive that is cut off. `competitions` are
    those that would be scored, by the task of each.
    """

    reason: str = ""
    problems: tuple[Problem, ...] = ()
    competitions: Mapping[str, str] | None = None
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_good(self) -> bool:
        """Whether the upload can be scored."""
        return not self.reason and not self.problems


@dataclass(frozen=True)
class Quota:
    """What a team may still have scored in one period, and how many failures today."""

    period: str
    used: int
    allowed: int
    failures_today: int
    failures_allowed: int

    @property
    def left(self) -> int:
        """How many more."""
        return max(0, self.allowed - self.used)


@dataclass(frozen=True)
class Progress:
    """How far a submission is: `place` in the queue from 1, 0 while it is scored or later."""

    state: State
    place: int
    is_running: bool
    reason: str = ""


@dataclass(frozen=True)
class Interval:
    """A score in percent with its interval of 95 %, all rounded to 0.1; `low` is None without."""

    score: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class BoardRow:
    """One entry in one competition.

    `ranks` are the ends of its rank's interval of 95 %, None where nothing was compared.
    `is_near_best` marks those that are not separated from the best, all compared at once.
    `moved` is by how much the mean differs from that in the edition before, in percent points.
    """

    submission_id: int
    team: str
    method: str
    method_id: int
    confirmed_at: datetime
    mean: Interval
    classes: Mapping[str, Interval]
    ranks: tuple[float, float] | None
    is_near_best: bool
    moved: float | None
    training: Training
    training_data: str
    mask_source: MaskSource | None
    notes: tuple[str, ...] = ()
    disqualified_for: str = ""
    is_private: bool = False


@dataclass(frozen=True)
class PeopleRow:
    """What people reach on one class, all of them where it has no name, on the images they had."""

    name: str
    precision: Interval
    recall: Interval
    overlap: Interval
    ap: Interval
    iou: Interval


@dataclass(frozen=True)
class People:
    """Second annotators of some test images, read as a method: how many, and what they reach."""

    images: int
    people: int
    rows: Sequence[PeopleRow]


@dataclass(frozen=True)
class Board:
    """The board of one competition in one edition; `ranks` are the sentences on the tests."""

    competition: str
    task: str
    part: Part
    edition: int
    evaluator: str
    classes: Sequence[str]
    rows: Sequence[BoardRow]
    ranks: Sequence[str] = ()
    people: People | None = None


@dataclass(frozen=True)
class EditionLine:
    """One edition of the board: what scored it, why it was made, and whether all is scored."""

    number: int
    evaluator: str
    release_digest: str
    reason: str
    began_at: datetime
    published_at: datetime | None


@dataclass(frozen=True)
class LogLine:
    """One action of an organiser."""

    number: int
    at: datetime
    deed: Deed
    team_id: int | None
    submission_id: int | None
    details: Mapping[str, str]
