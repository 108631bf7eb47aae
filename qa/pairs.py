"""Which classes are taken for one another: by boxes that overlap, and by two people."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from sqlalchemy import and_, func, select
from sqlalchemy.orm import Session, aliased

from catalog.states import FindingVerdict
from catalog.tables import Finding, Object
from vockit.report.intervals import Interval, estimate_share

from .agreement import Confusion, count_confusions
from .work import load_blind_pairs

_REMOVED = (FindingVerdict.RIGHT, FindingVerdict.FIXED)


@dataclass(frozen=True)
class PairRecord:
    """Two classes, or one twice, by their names, and what became of pairs of their boxes.

    Of `removed` pairs one box was wrong; of `both` none was. `confused` counts objects that one
    person gave the one class and another, blind, the other.
    """

    first: str
    second: str
    waiting: int = 0
    removed: int = 0
    both: int = 0
    confused: int = 0
    confused_share: float = 0.0

    @property
    def wrong(self) -> Interval:
        """The share of the decided pairs in which one box was wrong."""
        return estimate_share(self.removed, self.removed + self.both)


def load_pair_records(session: Session, match_overlap: float) -> list[PairRecord]:
    """Every two classes of which boxes lay on one another, or that people confused.

    The most often wrong first: removed boxes and objects of two classes together.
    """
    counts = _count_by_classes(session)
    blind = count_confusions(load_blind_pairs(session), match_overlap)
    confusions = {_sort(pair.first_class, pair.second_class): pair for pair in blind}
    records = [
        _make_record(names, counts.get(names, {}), confusions.get(names))
        for names in {*counts, *confusions}
    ]
    return sorted(
        records, key=lambda record: (-record.removed - record.confused, record.first, record.second)
    )


def _count_by_classes(
    session: Session,
) -> dict[tuple[str, str], dict[FindingVerdict | None, int]]:
    """The findings about pairs by the names of their classes and by verdict."""
    first = aliased(Object)
    second = aliased(Object)
    of_first = and_(
        first.annotation_id == Finding.annotation_id, first.object_key == Finding.other_key
    )
    of_second = and_(
        second.annotation_id == Finding.annotation_id, second.object_key == Finding.object_key
    )
    columns = (first.class_name, second.class_name, Finding.verdict)
    rows = session.execute(
        select(*columns, func.count())
        .select_from(Finding)
        .join(first, of_first)
        .join(second, of_second)
        .group_by(*columns)
    )
    counts = defaultdict[tuple[str, str], dict[FindingVerdict | None, int]](dict)
    for first_name, second_name, verdict, count in rows.tuples():
        of_names = counts[_sort(first_name, second_name)]
        of_names[verdict] = of_names.get(verdict, 0) + count
    return counts


def _make_record(
    names: tuple[str, str],
    counts: dict[FindingVerdict | None, int],
    confusion: Confusion | None,
) -> PairRecord:
    return PairRecord(
        first=names[0],
        second=names[1],
        waiting=counts.get(None, 0),
        removed=sum(counts.get(verdict, 0) for verdict in _REMOVED),
        both=counts.get(FindingVerdict.WRONG, 0),
        confused=confusion.objects if confusion else 0,
        confused_share=confusion.share if confusion else 0.0,
    )


def _sort(first: str, second: str) -> tuple[str, str]:
    return (first, second) if first <= second else (second, first)
