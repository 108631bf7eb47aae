"""Who agrees with whom on what both drew blind, as an answer of the board."""

from __future__ import annotations

from qa.agreement import make_matrix, summarise_classes, summarise_people
from qa.suggestion_rows import load_suggestion_effect
from qa.work import load_blind_pairs
from vockit.report.intervals import Interval
from work.people import list_people
from work.visit import Visit

from .answers import format_interval
from .board_suggestions import (
    SuggestionsAnswer,
    VerificationAnswer,
    make_suggestions,
    make_verification,
)
from .names import PersonName, Term, show_name
from .schemas import Answer


class PersonBoth(PersonName):
    """How much of what either drew a person and others both drew."""

    both: Interval | None


class ClassBoth(Answer):
    """How much of what either of two people drew of a class both drew."""

    id: str
    display: Term
    both: Interval


class Cell(Answer):
    """Two people's agreement on images that both drew blind."""

    first_id: int
    second_id: int
    first: str
    second: str
    both: Interval
    mean_overlap: float | None
    images: int


class AgreementAnswer(Answer):
    """Who agrees with whom, and what suggestions do; null where no image has any."""

    people: list[PersonBoth]
    classes: list[ClassBoth]
    cells: list[Cell]
    suggestions: SuggestionsAnswer | None = None
    verification: VerificationAnswer | None = None


def load_agreement(visit: Visit) -> AgreementAnswer:
    """The agreement of everybody, of each class and of each two people, and of suggestions."""
    names = {person.id: show_name(person) for person in list_people(visit.session)}
    preset = visit.party.preset
    overlap = visit.settings.qa.match_overlap
    cells = make_matrix(load_blind_pairs(visit.session), overlap)
    effect = load_suggestion_effect(visit.session, overlap)
    return AgreementAnswer(
        people=[
            PersonBoth(id=person_id, name=names[person_id], both=format_interval(interval))
            for person_id, interval in summarise_people(cells).items()
        ],
        classes=[
            ClassBoth(id=preset.class_ids[name], display=preset.class_displays[name], both=interval)
            for name, interval in summarise_classes(cells, preset.class_names).items()
        ],
        cells=[
            Cell(
                first_id=cell.first_id,
                second_id=cell.second_id,
                first=names[cell.first_id],
                second=names[cell.second_id],
                both=cell.both,
                mean_overlap=cell.mean_overlap,
                images=cell.images,
            )
            for cell in cells
            if cell.both.count
        ],
        suggestions=make_suggestions(effect, names) if effect else None,
        verification=make_verification(visit.session, names),
    )
