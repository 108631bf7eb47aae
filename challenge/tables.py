"""The tables of a challenge, in a database of its own; no table of a party is in it.

Until the first release there is one FORMAT, whose tables `database.create_tables` makes at once.
"""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any, ClassVar

from sqlalchemy import DDL, JSON, ForeignKey, MetaData, String, Table, UniqueConstraint, event
from sqlalchemy.orm import DeclarativeBase, Mapped, declared_attr, mapped_column, relationship

from catalog.tables.base import Base as PartyBase

from .values import Deed, MaskSource, Phase, ScoringState, State, Training

FORMAT = 1
"""The form of the tables, which the row of `contest` names."""


class Base(DeclarativeBase):
    """What all tables share: names of constraints and types of columns, as in a catalogue."""

    metadata = MetaData(naming_convention=PartyBase.metadata.naming_convention)
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        **PartyBase.type_annotation_map,
        list[str]: JSON(),
        list[list[str]]: JSON(),
    }

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805
        """The class's name in words: QuotaUse is quota_use."""
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class Row(Base):
    """A table whose rows are numbered; no number is given twice."""

    __abstract__ = True

    def __init_subclass__(cls, **kw: Any) -> None:
        super().__init_subclass__(**kw)
        assert isinstance(cls.__table__, Table)
        cls.__table__.dialect_options["sqlite"]["autoincrement"] = True

    id: Mapped[int] = mapped_column(primary_key=True, sort_order=-1)


class Contest(Base):
    """The one row of what is frozen when the challenge is made. Written by folder and organiser.

    `ended_at` is when the labels were published, after which nothing more is scored.
    """

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    format: Mapped[int]
    release: Mapped[str] = mapped_column(String(100))
    image_set: Mapped[str] = mapped_column(String(20))
    rules: Mapped[str] = mapped_column(String(10))
    release_digest: Mapped[str] = mapped_column(String(64))
    evaluator: Mapped[str] = mapped_column(String(40))
    competitions: Mapped[list[str]]
    images: Mapped[int]
    per_method: Mapped[int]
    per_week: Mapped[int]
    failures_per_day: Mapped[int]
    public_share: Mapped[float]
    step: Mapped[float]
    made_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class PhaseDate(Base):
    """When a phase begins, in UTC. Written by phases."""

    phase: Mapped[Phase] = mapped_column(primary_key=True)
    begins_at: Mapped[datetime]


class Team(Row):
    """A team, which signs in by a personal link. Written by teams.

    `credential_sha256` is the digest of the token in the link. An erased team keeps its number and
    its scores, and no name.
    """

    name: Mapped[str] = mapped_column(String(100), unique=True)
    name_key: Mapped[str] = mapped_column(String(400), unique=True)
    contact: Mapped[str] = mapped_column(String(200))
    credential_sha256: Mapped[str | None] = mapped_column(String(64), unique=True)
    invited_at: Mapped[datetime]
    seen_at: Mapped[datetime | None]
    erased_at: Mapped[datetime | None]

    @property
    def role(self) -> str:
        """What a session says that it is of."""
        return "team"


class Organiser(Row):
    """Who runs the challenge, and signs in by a personal link. Written by organisers."""

    name: Mapped[str] = mapped_column(String(100), unique=True)
    credential_sha256: Mapped[str | None] = mapped_column(String(64), unique=True)
    added_at: Mapped[datetime]
    seen_at: Mapped[datetime | None]

    @property
    def role(self) -> str:
        """What a session says that it is of."""
        return "organiser"


class EndedSession(Row):
    """A session of a browser that was signed out; a copy of its cookie opens nothing."""

    token: Mapped[str] = mapped_column(String(40), unique=True)
    ended_at: Mapped[datetime]


class Method(Row):
    """A method of a team, and what the team says of it. Written by methods and own_images.

    `own_images` are how many its file of hashes has, `overlaps` how many of them look like images
    of the test set, None before they are compared; `overlap_files` are the first of these with the
    test image, and `overlap_fault` is why they could not be compared.
    """

    __table_args__ = (UniqueConstraint("team_id", "name"),)

    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"))
    name: Mapped[str] = mapped_column(String(100))
    description: Mapped[str]
    contributors: Mapped[str]
    institutions: Mapped[str]
    reference: Mapped[str]
    training: Mapped[Training]
    training_data: Mapped[str]
    mask_source: Mapped[MaskSource | None]
    detectors: Mapped[str]
    own_images: Mapped[int | None]
    own_images_sha256: Mapped[str | None] = mapped_column(String(64))
    overlaps: Mapped[int | None]
    overlap_files: Mapped[list[list[str]]] = mapped_column(default=list)
    overlap_fault: Mapped[str | None]
    added_at: Mapped[datetime]
    edited_at: Mapped[datetime | None]

    team: Mapped[Team] = relationship()


class Submission(Row):
    """One upload and what became of it. Written by submissions, queue and organiser.

    `file_name` is what the team calls it; the file itself is uploads/<id>. `period` is that of the
    quota it took. An entry of the board is a scored submission with `published_at`; reviewers see a
    private one by its `anonymous_code`.
    """

    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), index=True)
    method_id: Mapped[int] = mapped_column(ForeignKey("method.id"), index=True)
    state: Mapped[State]
    file_name: Mapped[str] = mapped_column(String(200))
    bytes: Mapped[int]
    sha256: Mapped[str | None] = mapped_column(String(64))
    competitions: Mapped[list[str]]
    verdict: Mapped[dict[str, Any] | None]
    reason: Mapped[str | None]
    period: Mapped[str | None] = mapped_column(String(40))
    began_at: Mapped[datetime]
    checked_at: Mapped[datetime | None]
    confirmed_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    published_at: Mapped[datetime | None]
    anonymous_code: Mapped[str | None] = mapped_column(String(40), unique=True)
    hidden_at: Mapped[datetime | None]
    disqualified_for: Mapped[str | None]

    team: Mapped[Team] = relationship()
    method: Mapped[Method] = relationship()


class QuotaUse(Base):
    """One scored result of a team in a period; the key lets one of two requests have it.

    A failure and a cancelled submission give it back. A row stays when its submission is gone.
    Written by quota.
    """

    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), primary_key=True)
    period: Mapped[str] = mapped_column(String(40), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    submission_id: Mapped[int] = mapped_column(unique=True)
    taken_at: Mapped[datetime]


class Failure(Row):
    """A scoring that failed for good; one that is confirmed again may fail again. Written by quota.

    They are counted by the team and the day.
    """

    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), index=True)
    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))
    failed_at: Mapped[datetime]


class QuotaGrant(Row):
    """More results for a team in a period, by an organiser. Written by quota."""

    team_id: Mapped[int] = mapped_column(ForeignKey("team.id"), index=True)
    period: Mapped[str] = mapped_column(String(40))
    more: Mapped[int]
    granted_at: Mapped[datetime]


class Edition(Row):
    """One edition of the board: everything scored by one evaluator on one truth.

    It is shown from `published_at`, when all of it is scored. Written by queue and organiser.
    """

    evaluator: Mapped[str] = mapped_column(String(40))
    release_digest: Mapped[str] = mapped_column(String(64))
    truth_folder: Mapped[str] = mapped_column(String(100))
    reason: Mapped[str]
    began_at: Mapped[datetime]
    published_at: Mapped[datetime | None]


class Scoring(Row):
    """The scoring of a submission in an edition: a lease while it runs, then its results.

    `results` have numbers rounded to 0.1 % alone, by part of the test set, competition and class.
    Written by queue.
    """

    __table_args__ = (UniqueConstraint("submission_id", "edition_id"),)

    submission_id: Mapped[int] = mapped_column(ForeignKey("submission.id"))
    edition_id: Mapped[int] = mapped_column(ForeignKey("edition.id"))
    state: Mapped[ScoringState] = mapped_column(index=True)
    attempts: Mapped[int]
    worker: Mapped[str | None] = mapped_column(String(40))
    queued_at: Mapped[datetime]
    leased_until: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    reason: Mapped[str | None]
    results: Mapped[dict[str, Any] | None]

    submission: Mapped[Submission] = relationship()
    edition: Mapped[Edition] = relationship()


class Action(Row):
    """What an organiser did: the database itself refuses to change or delete a row.

    Teams stand here by number alone, so that an erased name is in no row. Written by log.
    """

    at: Mapped[datetime]
    deed: Mapped[Deed]
    team_id: Mapped[int | None]
    submission_id: Mapped[int | None]
    details: Mapped[dict[str, Any]]


_KEEP_ON_SQLITE = """
CREATE TRIGGER action_{verb} BEFORE {verb} ON action
BEGIN SELECT RAISE(ABORT, 'the log of a challenge is only appended to'); END
"""
_KEEP_ON_POSTGRESQL = """
CREATE RULE action_{verb} AS ON {verb} TO action DO INSTEAD NOTHING
"""
for _dialect, _statement in (("sqlite", _KEEP_ON_SQLITE), ("postgresql", _KEEP_ON_POSTGRESQL)):
    for _verb in ("UPDATE", "DELETE"):
        event.listen(
            Action.__table__,
            "after_create",
            DDL(_statement.format(verb=_verb)).execute_if(dialect=_dialect),  # type: ignore[no-untyped-call]
        )
