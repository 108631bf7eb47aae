"""What dedup decided, in numbers: relations, distances, the doubtful and the certain ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.states import ImageState
from catalog.tables import Duplicate, Image, PairLabel
from dedup.review import Cluster, is_taken_down, list_clusters
from vockit.report.intervals import estimate_share

SIMILARITY_STEPS = 50
_NOTHING = "nothing"

Counts = Mapping[int, int]


@dataclass(frozen=True)
class Distances:
    """How many decisions of one relation have each distance; similarities in fiftieths."""

    of_64_bits: Counts
    of_256_bits: Counts
    similarity_in_fiftieths: Counts


@dataclass(frozen=True)
class Agreement:
    """Of the decisions of one relation that people looked at, how many they confirmed.

    `low` and `high` bound the share, with 95 percent confidence (Wilson), as far as those looked at
    stand for all; people look at the doubtful ones first, so that it is more likely higher.
    """

    relation: str
    confirmed: int
    looked_at: int
    precision: float
    low: float
    high: float


@dataclass(frozen=True)
class DedupReport:
    """A party's near-duplicates at one moment.

    `decisions` counts those that hold by relation, `taken_down` those of them that no page shows,
    `by_how` by relation and what decided; `labels` people's words that hold, by what the rules had
    said and what they say.
    """

    party: str
    made_at: datetime
    images: Mapping[str, int]
    decisions: Mapping[str, int]
    by_how: Sequence[tuple[str, str, int]]
    undone: int
    taken_down: int
    distances: Mapping[str, Distances]
    labels: Sequence[tuple[str, str, int]]
    agreement: Sequence[Agreement]
    clusters: Sequence[Cluster] = field(repr=False)

    def as_json(self) -> dict[str, Any]:
        """The same as one JSON document, without the clusters."""
        named = {"by_how": ("relation", "how", "decisions"), "labels": ("rules", "people", "pairs")}
        values = {name: value for name, value in asdict(self).items() if name != "clusters"}
        for name, keys in named.items():
            values[name] = [dict(zip(keys, row, strict=True)) for row in values[name]]
        values["made_at"] = self.made_at.isoformat(timespec="seconds")
        return values | {"precision": values.pop("agreement")}


def load_dedup_report(session: Session, party_name: str, made_at: datetime) -> DedupReport:
    """The report as the catalogue has it now."""
    holds = Duplicate.undone_at.is_(None)
    decisions = _count_pairs(
        session, select(Duplicate.relation, func.count()).where(holds).group_by(Duplicate.relation)
    )
    by_how = session.execute(
        select(Duplicate.relation, Duplicate.decided_how, func.count())
        .where(holds)
        .group_by(Duplicate.relation, Duplicate.decided_how)
        .order_by(Duplicate.relation, Duplicate.decided_how)
    )
    images = _count_pairs(session, select(Image.state, func.count()).group_by(Image.state))
    return DedupReport(
        party=party_name,
        made_at=made_at,
        images={str(state): images.get(state, 0) for state in ImageState if state in images},
        decisions=decisions,
        by_how=[(relation, how, count) for relation, how, count in by_how],
        undone=session.scalar(select(func.count()).select_from(Duplicate).where(~holds)) or 0,
        taken_down=session.scalar(
            select(func.count()).select_from(Duplicate).where(holds, is_taken_down())
        )
        or 0,
        distances={
            name: Distances(
                _load_counts(session, name, Duplicate.distance_64_bits),
                _load_counts(session, name, Duplicate.distance_256_bits),
                _load_counts(session, name, func.round(Duplicate.similarity * SIMILARITY_STEPS)),
            )
            for name in sorted(decisions)
        },
        labels=_load_labels(session),
        agreement=load_agreement(session),
        clusters=list_clusters(session, limit=60),
    )


def load_agreement(session: Session) -> list[Agreement]:
    """A row for each relation that people looked at."""
    labels = [label for label in _load_labels(session) if label[0] != _NOTHING]
    rows = []
    for relation in sorted({said for said, _, _ in labels}):
        looked_at = sum(count for said, _, count in labels if said == relation)
        confirmed = sum(count for said, verdict, count in labels if said == verdict == relation)
        share = estimate_share(confirmed, looked_at)
        rows.append(
            Agreement(
                relation=relation,
                confirmed=confirmed,
                looked_at=looked_at,
                precision=share.value,
                low=share.low,
                high=share.high,
            )
        )
    return rows


def _load_counts(session: Session, relation: str, value: Any) -> dict[int, int]:
    rows = session.execute(
        select(value, func.count())
        .where(Duplicate.undone_at.is_(None), Duplicate.relation == relation)
        .where(value.is_not(None))
        .group_by(value)
        .order_by(value)
    )
    return {int(number): count for number, count in rows}


def _load_labels(session: Session) -> list[tuple[str, str, int]]:
    rules = func.coalesce(PairLabel.relation, _NOTHING)
    rows = session.execute(
        select(rules, PairLabel.verdict, func.count())
        .where(PairLabel.undone_at.is_(None))
        .group_by(rules, PairLabel.verdict)
        .order_by(rules, PairLabel.verdict)
    )
    return [(said, verdict, count) for said, verdict, count in rows]


def _count_pairs(session: Session, statement: Any) -> dict[str, int]:
    return {key: count for key, count in sorted(session.execute(statement).all())}  # noqa: C416
