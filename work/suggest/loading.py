"""Storing a set of suggestions, whole or not at all, in short transactions.

A set is seen by nobody before its last row is stored: `loaded_at` is written at the end, and is
empty in a set whose loading was killed. So the pages of a served party never wait for a load.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain

from sqlalchemy import ColumnElement, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import InstrumentedAttribute, Session

from catalog.party import Party
from catalog.session import Catalogue, in_parts
from catalog.states import SuggestionKind
from catalog.tables import Suggestion, SuggestionBlank, SuggestionSet
from vockit.format.plural import format_count
from work.suggestions import MOST_SHOWN

from .judging import COLUMNS, OTHER_CLASS, Judge, Row
from .photographs import Photographs
from .values import AT_ONCE, Detections, LoadReport, SetInfo, SuggestionError

MOST_CLASSES_NAMED = 20
SURPLUS = f"more than the best {MOST_SHOWN} of a photograph"


def add_set(
    party: Party,
    info: SetInfo,
    batches: Iterable[Detections],
    *,
    words: Mapping[str, str] | None = None,
    looked_at: Collection[int | str] = (),
    at: datetime,
    check: Callable[[LoadReport], None] = lambda _report: None,
) -> LoadReport:
    """Store what a detector suggests, and report it; SuggestionError where nothing is stored.

    `words` are the party's classes of the detector's, where those differ. `looked_at` are images
    that the detector saw, by number or name, besides those of the batches; those without a
    suggestion are stored as such. `check` is called before the set is shown, and may raise.
    """
    refuse_repeated(party, info)
    loader = _Loader(party, info, words or {})
    try:
        loader.begin()
        for batch in batches:
            loader.add(batch)
        loader.drop_surplus()
        loader.add_blanks(looked_at)
        check(loader.report)
        loader.finish(at)
    except BaseException:
        drop_unfinished(party.catalogue, loader.report.set_id)
        raise
    return loader.report


def refuse_repeated(party: Party, info: SetInfo) -> None:
    """Raise SuggestionError where the file is in a set already; a killed load of it is dropped."""
    if info.kind is not SuggestionKind.FILE:
        return
    same = select(SuggestionSet).where(
        SuggestionSet.sha256 == info.sha256,
        SuggestionSet.kind == info.kind,
        SuggestionSet.withdrawn_at.is_(None),
    )
    with party.catalogue.reading() as session:
        earlier = session.scalar(same)
    if earlier is None:
        return
    if earlier.loaded_at is None:
        drop_unfinished(party.catalogue, earlier.id)
        return
    raise SuggestionError(
        f"This was loaded on {earlier.loaded_at:%Y-%m-%d}, as set {earlier.id} ({earlier.model} "
        f"{earlier.version}); to load it otherwise, withdraw that with "
        f"`vocparty suggest withdraw {earlier.id}` first."
    )


def drop_unfinished(catalogue: Catalogue, set_id: int) -> bool:
    """Whether there was such a set that was never loaded whole; it is deleted."""
    of_set = select(SuggestionSet.id).where(
        SuggestionSet.id == set_id, SuggestionSet.loaded_at.is_(None)
    )
    with catalogue.reading() as session:
        if session.scalar(of_set) is None:
            return False
    _delete_rows(catalogue, Suggestion.id, Suggestion.set_id == set_id)
    _delete_rows(catalogue, SuggestionBlank.image_id, SuggestionBlank.set_id == set_id)
    with catalogue.writing() as session:
        session.execute(delete(SuggestionSet).where(SuggestionSet.id.in_(of_set)))
    return True


def _delete_rows(
    catalogue: Catalogue, number: InstrumentedAttribute[int], is_of_set: ColumnElement[bool]
) -> None:
    """Delete the rows of a set some at a time, by their numbers in this column."""
    with catalogue.reading() as session:
        first, last = session.execute(
            select(func.min(number), func.max(number)).where(is_of_set)
        ).one()
    for begin in range(first or 0, (last or -1) + 1, AT_ONCE):
        part = number.between(begin, begin + AT_ONCE - 1) & is_of_set
        with catalogue.writing() as session:
            session.execute(delete(number.class_).where(part))


@dataclass
class _Loader:
    """One set while it is loaded."""

    party: Party
    info: SetInfo
    words: Mapping[str, str]
    report: LoadReport = field(default_factory=LoadReport)

    def __post_init__(self) -> None:
        self._photographs = Photographs(self.party.catalogue)
        self._judge = Judge(self.party, self.info, self.words, self._photographs, self.report)
        self._of_image = Counter[int]()

    def begin(self) -> None:
        """Make the set, which nobody sees yet."""
        info = self.info
        row = SuggestionSet(
            model=info.model,
            version=info.version,
            sha256=info.sha256,
            kind=info.kind,
            licence=info.licence,
            person_id=info.person_id,
            min_confidence=info.min_confidence,
        )
        try:
            with self.party.catalogue.writing() as session:
                session.add(row)
                session.flush()
                self.report.set_id = row.id
        except IntegrityError:
            message = "Another command loads the same file now; wait until it has ended."
            raise SuggestionError(message) from None

    def add(self, batch: Detections) -> None:
        """Judge some detections and store those that are right."""
        self.report.left_out.update(batch.faults)
        self.report.read += len(batch.images) + sum(batch.faults.values())
        if len(batch.images):
            self._store(self._judge.make_rows(batch))

    def _store(self, rows: Sequence[Row]) -> None:
        report = self.report
        report.suggestions += len(rows)
        self._of_image.update(row[COLUMNS.index("image_id")] for row in rows)
        mine = update(SuggestionSet).where(SuggestionSet.id == report.set_id)
        with self.party.catalogue.writing() as session:
            if not session.execute(mine.values(suggestions=report.suggestions)).rowcount:  # type: ignore[attr-defined]
                raise SuggestionError("Another command began to load the same file; this one ends.")
            if rows:
                _insert(session, rows)

    def drop_surplus(self) -> None:
        """Keep the best suggestions of photographs that have too many."""
        crowded = sorted(number for number, count in self._of_image.items() if count > MOST_SHOWN)
        for some in in_parts(crowded, 100):
            place = func.row_number().over(
                partition_by=Suggestion.image_id,
                order_by=(Suggestion.confidence.desc(), Suggestion.id),
            )
            ranked = (
                select(Suggestion.id, place.label("place"))
                .where(Suggestion.set_id == self.report.set_id, Suggestion.image_id.in_(some))
                .subquery()
            )
            worst = select(ranked.c.id).where(ranked.c.place > MOST_SHOWN)
            with self.party.catalogue.writing() as session:
                session.execute(
                    delete(Suggestion)
                    .where(Suggestion.id.in_(worst))
                    .execution_options(synchronize_session=False)
                )
        for number in crowded:
            surplus = self._of_image[number] - MOST_SHOWN
            self.report.left_out[SURPLUS] += surplus
            self.report.suggestions -= surplus
        self.report.images = len(self._of_image)

    def add_blanks(self, looked_at: Collection[int | str]) -> None:
        """Store the images in which the detector found nothing that is kept."""
        self._photographs.find_all([*looked_at])
        blank = sorted(self._photographs.list_found() - self._of_image.keys())
        self.report.blanks = len(blank)
        for some in in_parts(blank, AT_ONCE):
            rows = [{"set_id": self.report.set_id, "image_id": number} for number in some]
            with self.party.catalogue.writing() as session:
                session.execute(insert(SuggestionBlank), rows)

    def finish(self, at: datetime) -> None:
        """Let people see the set; SuggestionError where nothing is left of it."""
        report = self.report
        if not report.suggestions:
            raise SuggestionError(_describe_nothing(report))
        values = {
            name: getattr(report, name) for name in ("suggestions", "images", "blanks", "left_out")
        }
        values["loaded_at"] = at
        mine = update(SuggestionSet).where(SuggestionSet.id == report.set_id)
        with self.party.catalogue.writing() as session:
            if not session.execute(mine.values(values)).rowcount:  # type: ignore[attr-defined]
                raise SuggestionError("Another command removed the set while it was loaded.")
            if self.info.replaces_earlier:
                self._switch_off_earlier(session, at)

    def _switch_off_earlier(self, session: Session, at: datetime) -> None:
        """Hide the sets of the model before; the same weights only looked at what came since."""
        earlier = update(SuggestionSet).where(
            SuggestionSet.model == self.info.model,
            SuggestionSet.kind == self.info.kind,
            SuggestionSet.id != self.report.set_id,
            SuggestionSet.sha256 != self.info.sha256,
            SuggestionSet.switched_off_at.is_(None),
        )
        session.execute(earlier.values(switched_off_at=at))


def _insert(session: Session, rows: Sequence[Row]) -> None:
    """Store rows of plain values, many with each statement: one by one they take twice as long."""
    connection = session.connection()
    mark = "?" if connection.dialect.paramstyle == "qmark" else "%s"
    columns = ", ".join(COLUMNS)
    marks = f"({', '.join([mark] * len(COLUMNS))})"
    for some in in_parts(rows, 100):
        values = ", ".join([marks] * len(some))
        connection.exec_driver_sql(
            f"INSERT INTO suggestion ({columns}) VALUES {values}",  # noqa: S608 - of constants
            tuple(chain.from_iterable(some)),
        )


def _describe_nothing(report: LoadReport) -> str:
    """Why no suggestion is left of what was read, the commonest reason first."""
    if not report.read:
        return "It holds no detection, so nothing was stored."
    reason, count = report.left_out.most_common(1)[0]
    return (
        f"No suggestion is left of {format_count(report.read, 'detection')}, so nothing was "
        f"stored; {count:,} have {reason}{describe_first(report, reason)}."
    )


def describe_first(report: LoadReport, reason: str) -> str:
    """What a reason was first true of, in brackets; the classes of those that are unknown."""
    if reason == OTHER_CLASS:
        named = report.unknown_classes.most_common(MOST_CLASSES_NAMED)
        counts = ", ".join(f"{word or 'without a name'} {count:,}" for word, count in named)
        more = ", ..." if len(report.unknown_classes) > MOST_CLASSES_NAMED else ""
        return f" ({counts}{more})"
    return f" (the first: {report.first[reason]})" if reason in report.first else ""
