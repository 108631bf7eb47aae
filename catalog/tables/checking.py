"""Findings, images that are annotated blind, remarks, difficulty, and what was measured."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, Text, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from catalog.sentences import put_together
from catalog.states import BlindKind, FindingVerdict, Role

from .base import Base, Row


class Finding(Row):
    """The result of an automatic check. Written by qa.

    Its verdict is that of the last FindingJudgement that counts.

    `finding_key` is the same whenever a check says the same of the same object. An open finding has
    no `verdict`; one that no run finds any more becomes "fixed" without a `person_id`. Wrong ones
    stay so as long as `subject_sha256`, the digest of what the check looked at. Findings with
    `about_person_id` are about all work of a person and name no image. `other_key` is the other
    object of a pair.
    """

    __table_args__ = (Index(None, "verdict", "severity", "check_name"),)

    finding_key: Mapped[str] = mapped_column(String(64), unique=True)
    check_name: Mapped[str] = mapped_column(String(60))
    severity: Mapped[str] = mapped_column(String(20))
    image_id: Mapped[int | None] = mapped_column(ForeignKey("image.id"), index=True)
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    object_key: Mapped[str | None] = mapped_column(String(64))
    object_number: Mapped[int | None]
    other_key: Mapped[str | None] = mapped_column(String(64))
    about_person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    subject_sha256: Mapped[str] = mapped_column(String(64))
    message: Mapped[str] = mapped_column(Text)
    message_parts: Mapped[dict[str, Any] | None]
    badness: Mapped[float] = mapped_column(default=0.0)
    found_at: Mapped[datetime]
    verdict: Mapped[FindingVerdict | None]
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    judged_at: Mapped[datetime | None]

    @property
    def sentence(self) -> str:
        """The message as a page translates it."""
        return put_together(self.message, self.message_parts)


class FindingJudgement(Row):
    """What a person said of a finding as it was then, each time anew. Written by qa and work.

    Without a `verdict` the person took the one before back. `role` is that of the person then. work
    sets the judgements aside whose person is undone; then the one before counts again.
    """

    finding_id: Mapped[int] = mapped_column(ForeignKey("finding.id"), index=True)
    verdict: Mapped[FindingVerdict | None]
    subject_sha256: Mapped[str] = mapped_column(String(64))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"), index=True)
    role: Mapped[Role]
    judged_at: Mapped[datetime]
    set_aside_at: Mapped[datetime | None]


class BlindTask(Row):
    """An image given to a person once more, as if it were new. Written by qa and work.

    The image's state stays; the person draws stale revisions, of which `annotation_id` is the
    newest. `reference_id` is the revision to compare it with, once that is finished. Who has
    the image in hand has a Lease. `score` and `is_passed` are for gold and training images.
    """

    __table_args__ = (
        UniqueConstraint("image_id", "person_id"),
        Index(None, "person_id", "finished_at"),
    )

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    kind: Mapped[BlindKind]
    reference_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    taken_at: Mapped[datetime]
    finished_at: Mapped[datetime | None]
    score: Mapped[dict[str, Any] | None]
    is_passed: Mapped[bool | None]


class GoldImage(Base):
    """An image whose annotation an organiser vouches for. Written by qa; work follows its fixes.

    It is mixed into people's work or, if `is_training`, given to new people, who then see `note`.
    """

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    annotation_id: Mapped[int] = mapped_column(ForeignKey("annotation.id"))
    is_training: Mapped[bool] = mapped_column(default=False)
    note: Mapped[str] = mapped_column(Text, default="")
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    chosen_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class Remark(Row):
    """A message to a person, from an organiser or a checker. Written by work.

    `set_aside_at` is when an organiser undid who wrote it; from then on it is not shown.
    """

    __table_args__ = (Index(None, "to_person_id", "seen_at"),)

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), index=True)
    annotation_id: Mapped[int | None] = mapped_column(ForeignKey("annotation.id"))
    object_key: Mapped[str | None] = mapped_column(String(64))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    to_person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    text: Mapped[str] = mapped_column(Text)
    written_at: Mapped[datetime]
    seen_at: Mapped[datetime | None]
    set_aside_at: Mapped[datetime | None]


class Difficulty(Row):
    """One judgement whether an object is difficult; the newest holds. Written by qa.

    `looks_sha256` is the digest of the class and box that were judged; others are judged again.
    """

    __table_args__ = (Index(None, "image_id", "object_key"),)

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"))
    object_key: Mapped[str] = mapped_column(String(64))
    is_difficult: Mapped[bool]
    looks_sha256: Mapped[str] = mapped_column(String(64))
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    judged_at: Mapped[datetime]


class Measurement(Base):
    """The last measurement of a whole party. Written by qa; export tells it with a release."""

    name: Mapped[str] = mapped_column(String(40), primary_key=True)
    value: Mapped[dict[str, Any]]
    measured_at: Mapped[datetime]


class StuckImage(Base):
    """An image that stopped a page, and why; no queue gives it out. Written by catalog.

    work and operate delete it when an organiser put the image right or lets the queues try again.
    """

    image_id: Mapped[int] = mapped_column(ForeignKey("image.id"), primary_key=True)
    reason: Mapped[str] = mapped_column(Text)
    reason_parts: Mapped[dict[str, Any] | None]
    seen_at: Mapped[datetime]

    @property
    def why(self) -> str:
        """The reason as a page translates it."""
        return put_together(self.reason, self.reason_parts)
