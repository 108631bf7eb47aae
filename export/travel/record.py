"""What the record of a party says, as sentences and tables of a datasheet."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from catalog.plural import format_count

from .escapes import escape_markdown
from .facts import CheckFact, Facts, PeopleFact

UNANSWERED = "*The record does not say; the makers should.*"
DATE_CHARS = 10
MINUTES_BELOW_HOURS = 2


def tell_queries(facts: Facts) -> str:
    """What was searched for, how often, and what came of it."""
    asked = [query for query in facts.queries if query.searches or query.kept]
    if not asked:
        return "Photographs were imported; no search was made."
    rows = "".join(
        f"| {query.class_name} | {escape_markdown(query.keyword)} | {query.source} "
        f"| {query.searches} | {query.draws} | {query.kept} |\n"
        for query in asked
    )
    return (
        "By searches with a keyword and a random window of time, so that no season or year is "
        "preferred:\n\n| class | keyword | source | searches | draws | photographs kept |\n"
        f"|---|---|---|---:|---:|---:|\n{rows.rstrip()}"
    )


def tell_times(facts: Facts) -> str:
    """When the photographs were found, and when they had been uploaded."""
    if facts.found_from is None:
        return UNANSWERED
    uploaded = (
        f" The photographs were uploaded {_span(facts.uploaded_from, facts.uploaded_to)}."
        if facts.uploaded_from
        else ""
    )
    return f"They were found {_span(facts.found_from, facts.found_to)}.{uploaded}"


def _span(start: str, end: str | None) -> str:
    first, last = start[:DATE_CHARS], (end or start)[:DATE_CHARS]
    return f"on {first}" if first == last else f"between {first} and {last}"


def tell_people(verb: str, fact: PeopleFact, noun: str) -> str:
    """How many people did it, how many rows they saved, and in what time."""
    simulated = f", {_number(fact.simulated, fact.people)} of them simulated"
    return (
        f"{fact.people} {verb}{simulated if fact.simulated else ''}: "
        f"{format_count(fact.rows, noun)} in {tell_hours(fact.active_hours)} of measured work."
    )


def _number(number: int, of: int) -> str:
    return "all" if 1 < number == of else str(number)


def tell_hours(hours: float) -> str:
    """People-hours, in minutes where they are fewer than two."""
    if hours >= MINUTES_BELOW_HOURS:
        return f"{hours:,.1f} people-hours"
    return format_count(round(hours * 60), "minute")


def tell_counts(counts: Mapping[str, int], noun: str) -> str:
    """Each word with its number."""
    if not counts:
        return f"No {noun} recorded."
    return ", ".join(f"{word.replace('_', ' ')} {count}" for word, count in counts.items()) + "."


def tell_checks(checks: Iterable[CheckFact]) -> str:
    """A table of the checks and what came of their findings."""
    rows = "".join(
        f"| {check.name} | {check.severity} | {_words(check.verdicts)} |\n" for check in checks
    )
    if not rows:
        return "No findings are recorded; `vocparty qa` records them."
    return f"| check | severity | findings |\n|---|---|---|\n{rows.rstrip()}"


def tell_agreement(facts: Facts) -> str:
    """The last measurement, a line for each of its values."""
    if facts.agreement is None:
        return "Not measured: `vocparty agreement` does it."
    return "\n".join(_flatten(facts.agreement))


def _flatten(values: Mapping[str, object], prefix: str = "") -> Iterator[str]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{key} ")
        else:
            yield f"- {prefix}{key.replace('_', ' ')}: {value}"


def _words(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{word} {count}" for word, count in counts.items())
