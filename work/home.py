"""What comes next for the person who signs in, and what needs an organiser now."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC

from sqlalchemy import select

from catalog.sentences import Sentence, name_term, say_number
from catalog.states import ImageState, LeaseKind, Role
from catalog.stuck import is_stuck
from catalog.tables import Annotation, Image, Lease, Person, Review
from qa.findings import Severity

from .board import CountedParty, count_party
from .feedback import Week, load_weeks
from .reviews import count_to_settle, find_return
from .segment.leases import count_segments
from .stuck import list_stuck
from .tasks import count_tasks
from .visit import Visit

MOST_RETURNED = 6
MOST_NAMED = 5
_PAGES = {
    LeaseKind.ANNOTATE: "annotate",
    LeaseKind.BLIND: "annotate",
    LeaseKind.CHECK: "check",
    LeaseKind.SEGMENT: "segment",
    LeaseKind.CHECK_SEGMENT: "segment_check",
}
"""The page on which an image that a person holds goes on."""
_WAITING = (
    ImageState.FETCHED,
    ImageState.HASHED,
    ImageState.POOL,
    ImageState.ANNOTATING,
    ImageState.RETURNED,
)
"""The states of images that may yet be annotated."""
_FIRST = ("annotate", "check", "segment", "segment_check")


@dataclass(frozen=True)
class OpenImage:
    """An image that the person has open, and the name of the page on which it goes on."""

    image_id: int
    page: str


@dataclass(frozen=True)
class ReturnedImage:
    """An image that came back to its author, by whom, and with which words."""

    image_id: int
    sha256: str
    checker: Person
    words: str


@dataclass(frozen=True)
class Need:
    """Something that waits for an organiser: the page on which it is settled, and a sentence."""

    page: str
    sentence: Sentence


@dataclass(frozen=True)
class Home:
    """Where a person stands; `waits` counts images by page, what the person holds among them."""

    open_image: OpenImage | None
    waits: dict[str, int]
    returned: Sequence[ReturnedImage]
    returned_count: int
    week: Week | None
    needs: Sequence[Need]

    @property
    def next_page(self) -> str | None:
        """The page of the work that comes first; None where nothing waits."""
        if self.open_image is not None:
            return self.open_image.page
        return next((page for page in _FIRST if self.waits[page]), None)


def load_home(visit: Visit) -> Home:
    """What the visitor's first page shows."""
    tasks = count_tasks(visit)
    may_check = visit.person.role is not Role.ANNOTATOR
    weeks = [week for week in load_weeks(visit) if week.judged]
    return Home(
        open_image=_find_open(visit),
        waits={
            "annotate": tasks["annotate"],
            "check": tasks["check"],
            "segment": count_segments(visit, LeaseKind.SEGMENT),
            "segment_check": count_segments(visit, LeaseKind.CHECK_SEGMENT) if may_check else 0,
        },
        returned=_list_returned(visit),
        returned_count=tasks["returned"],
        week=weeks[-1] if weeks else None,
        needs=_list_needs(visit) if visit.person.role is Role.ORGANISER else (),
    )


def _find_open(visit: Visit) -> OpenImage | None:
    """The image that the visitor opened last and still holds."""
    chosen = (
        select(Lease.image_id, Lease.kind)
        .join(Lease.image)
        .where(
            Lease.person_id == visit.person.id,
            Lease.opened_at.is_not(None),
            Lease.expires_at > visit.at,
            Image.state != ImageState.TAKEN_DOWN,
            ~is_stuck(),  # its page gives out another one
        )
        .order_by(Lease.opened_at.desc(), Lease.id.desc())
    )
    row = visit.session.execute(chosen.limit(1)).first()
    return OpenImage(row.image_id, _PAGES[row.kind]) if row else None


def _list_returned(visit: Visit) -> list[ReturnedImage]:
    """The visitor's returned images, those first that wait longest, with the last words."""
    chosen = (
        select(Image)
        .join(Annotation, Annotation.id == Image.annotation_id)
        .where(Image.state == ImageState.RETURNED, Annotation.person_id == visit.person.id)
        .order_by(Image.state_at, Image.id)
        .limit(MOST_RETURNED)
    )
    reviews = (
        (image, find_return(visit.session, image.id)) for image in visit.session.scalars(chosen)
    )
    return [
        ReturnedImage(image.id, image.sha256, review.person, _list_words(review))
        for image, review in reviews
        if review is not None
    ]


def _list_words(review: Review) -> str:
    """The comment on the image, else those on its objects."""
    of_objects = (verdict["comment"] for verdict in review.object_verdicts)
    return review.comment or " · ".join(words for words in of_objects if words)


def _list_needs(visit: Visit) -> list[Need]:
    """Disputes, stuck images, findings of the checks, and classes that miss their target."""
    counted = count_party(visit, UTC)
    disputes = count_to_settle(visit)
    stuck = len(list_stuck(visit.session))
    errors = counted.findings[Severity.ERROR]
    warnings = counted.findings[Severity.WARNING]
    classes = _list_short(visit, counted)
    needs = (
        (
            "disputes",
            disputes,
            say_number(disputes, "{count:,} dispute to settle", "{count:,} disputes to settle"),
        ),
        ("board", stuck, say_number(stuck, "{count:,} stuck image", "{count:,} stuck images")),
        (
            "findings",
            errors,
            say_number(errors, "{count:,} error to look at", "{count:,} errors to look at"),
        ),
        (
            "findings",
            warnings,
            say_number(warnings, "{count:,} warning to look at", "{count:,} warnings to look at"),
        ),
        (
            "queue",
            len(classes),
            say_number(
                len(classes),
                "{count:,} class will probably miss its target with the images so far: {names}",
                "{count:,} classes will probably miss their target with the images so far: {names}",
                names=classes[:MOST_NAMED] + ["…"] * (len(classes) > MOST_NAMED),
            ),
        ),
    )
    return [Need(page, sentence) for page, count, sentence in needs if count]


def _list_short(visit: Visit, counted: CountedParty) -> list[str]:
    """Classes that miss their target even if all images that wait are annotated.

    Each class is taken to be as frequent among them as the board's forecast holds possible, so
    that no class is short because few images were finished yet.
    """
    waiting = sum(counted.counts.images[state] for state in _WAITING)
    displays = visit.party.preset.class_displays
    return [
        name_term(displays[line.class_name])
        for line in counted.classes
        if math.isfinite(line.forecast.low_hours)  # else nothing can be foretold yet
        and line.forecast.low_hours * counted.per_hour > waiting
    ]
