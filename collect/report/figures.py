"""The figures of a collection as values, and the verdict on them: what is even, and what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vockit.format.plural import format_count
from vockit.report.intervals import ENOUGH_IMAGES, Recent, describe_recent


@dataclass(frozen=True)
class QueryFigures:
    """One query, or the sum of a class's or of a kind's (then `keyword` is empty).

    `kind` says how the query comes from its class; `useful` show the class.
    """

    source: str
    class_name: str
    keyword: str
    display: str
    searches: int = 0
    matches: int = 0
    draws: int = 0
    drawn: int = 0
    fetched: int = 0
    gone: int = 0
    broken: int = 0
    withdrawn: int = 0
    duplicates: int = 0
    kept: int = 0
    judged: int = 0
    useful: int = 0
    kind: str = ""

    @property
    def useful_share(self) -> float | None:
        """The share of judged images that show the class, None where none was judged."""
        return self.useful / self.judged if self.judged else None


def describe_kind(of_kind: QueryFigures) -> str:
    """One line of what a query brought, or those of a kind together."""
    share = "none judged" if of_kind.useful_share is None else f"{of_kind.useful_share:.0%} useful"
    counts = f"{of_kind.searches:,} searches, {of_kind.drawn:,} found, {of_kind.kept:,} kept"
    return f"{of_kind.kind or 'no kind'}: {counts}, {share}"


@dataclass(frozen=True)
class OwnerFigures:
    """One owner and how many of the kept photographs are theirs."""

    owner_id: str
    owner_name: str
    photographs: int


@dataclass(frozen=True)
class Spread:
    """Photographs by the bins of a calendar, and what an even spread would give each."""

    labels: tuple[str, ...]
    counts: tuple[int, ...]
    even: tuple[float, ...]


@dataclass(frozen=True)
class Shortage:
    """Years of which a query has fewer photographs than uniform dates would give."""

    query: str
    years: str
    photographs: int
    uniform: int


@dataclass(frozen=True)
class Verdict:
    """Whether the photographs, annotated or released images are even, by dates or owners, say."""

    sample: str
    subject: str
    is_even: bool | None
    finding: str
    advice: str


@dataclass(frozen=True)
class TableFigures:
    """A table that was read as a source, and how its sample was drawn."""

    name: str
    sha256: str
    passed_at: str
    seed: int
    rows: int
    answers: int
    photos_per_month: int
    dates: str

    @property
    def text(self) -> str:
        """One line for people."""
        dates = "without dates" if self.dates == "none" else f"by date of {_NOUNS[self.dates]}"
        return (
            f"table {self.name}: {describe_rows(self.rows, self.answers)}; sampled "
            f"{dates} with seed {self.seed}, read {self.passed_at}, SHA-256 {self.sha256}"
        )


def describe_rows(rows: int, answers: int) -> str:
    """How many rows a table has, and how many of them the queries ask for."""
    verb = "answers" if answers == 1 else "answer"
    return f"{format_count(rows, 'row')}, {answers:,} {verb} the queries"


_NOUNS = {"upload": "upload", "taken": "taking"}


@dataclass(frozen=True)
class Report:
    """Everything that is told of one party's collection.

    `recent` is by the date that the settings draw by, `undated` have no date taken to be trusted,
    `left_out` counts results of searches that were not taken by the reason.
    """

    party: str
    made_at: str
    dates: str
    photos: Mapping[str, int]
    images: Mapping[str, int]
    lost: Mapping[str, int]
    classes: tuple[QueryFigures, ...]
    queries: tuple[QueryFigures, ...]
    kinds: tuple[QueryFigures, ...]
    kept: int
    undated: int
    recent: tuple[Recent, ...]
    shortages: tuple[Shortage, ...]
    spreads: Mapping[str, Spread]
    owners: int
    top_owners: tuple[OwnerFigures, ...]
    top_owners_share: float
    licences: Mapping[str, int]
    longest_sides: Mapping[str, int]
    shapes: Mapping[str, int]
    sources: Mapping[str, int]
    left_out: Mapping[str, int] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()
    tables: tuple[TableFigures, ...] = ()

    @property
    def top_owners_have(self) -> str:
        """Who has most kept photographs, with a verb: "the first ten of 13 owners have"."""
        if self.owners > len(self.top_owners):
            return f"the first ten of {format_count(self.owners, 'owner')} have"
        return f"{format_count(self.owners, 'owner')} {'has' if self.owners == 1 else 'have'}"


LARGE_OWNER_SHARE = 0.1
LARGE_QUERY_SHARE = 0.6
LARGE_PLACE_SHARE = 0.25  # of one square of the map
SQUARE_DEGREES = 10
SMALL_CLASS_SHARE = 0.5  # of what a class would have, had each its share


@dataclass(frozen=True)
class Makeup:
    """How many images of one kind there are: by owner's name, class and query, and place."""

    sample: str
    owners: Mapping[str, int]
    queries: Mapping[tuple[str, str], int]
    places: Mapping[str, int] = field(default_factory=dict)

    @property
    def images(self) -> int:
        """All images whose query is known."""
        return sum(self.queries.values())

    def tell(self, subject: str, is_even: bool | None, finding: str, advice: str = "") -> Verdict:
        """A verdict on these images; the advice is for those that are not even."""
        return Verdict(self.sample, subject, is_even, finding, advice if is_even is False else "")


def judge_dates(recent: Recent, dates: str = "upload") -> Verdict:
    """Whether dates are as uniform ones would be, as far as the sample can tell."""
    if recent.share is None or recent.detectable > 1:
        return Verdict(recent.subject, "dates", None, "too few draws to tell", "Collect more.")
    if recent.is_even is not False:
        return Verdict(recent.subject, "dates", recent.is_even, describe_recent(recent), "")
    advice = "Give annotators the years that are behind, or release images of them."
    if recent.subject == "photographs":
        advice = "The source has few of some years: add queries, or narrow first_date to last_date."
    if recent.subject == "photographs" and dates == "none":
        advice = 'Draw by date: `dates = "upload"` in party.toml.'
    return Verdict(recent.subject, "dates", False, describe_recent(recent), advice)


def judge_owners(makeup: Makeup) -> Verdict:
    """Whether one owner has a large share of the images."""
    owner, count = max(makeup.owners.items(), key=lambda entry: entry[1], default=("", 0))
    known = sum(makeup.owners.values())
    if known < ENOUGH_IMAGES:
        return makeup.tell("owners", None, f"{format_count(known, 'image')} have an owner")
    finding = f"{owner} has most, {count / known:.0%} of {known}"
    advice = "Lower photos_per_owner in party.toml, and collect more."
    return makeup.tell("owners", count / known <= LARGE_OWNER_SHARE, finding, advice)


def judge_places(makeup: Makeup) -> Verdict:
    """Whether one square of the map has a large share of the images whose place is known."""
    squares = Counter[tuple[int, ...]]()
    known = sum(makeup.places.values())
    for place, count in makeup.places.items():
        squares[tuple(int(float(degrees) // SQUARE_DEGREES) for degrees in place.split())] += count
    if known < ENOUGH_IMAGES:
        return makeup.tell("places", None, f"{format_count(known, 'image')} have a place")
    (square, count), *_ = squares.most_common(1)
    south, west = (number * SQUARE_DEGREES for number in square)
    finding = (
        f"{count / known:.0%} of {known} with a place are from latitude {south} to "
        f"{south + SQUARE_DEGREES}, longitude {west} to {west + SQUARE_DEGREES}"
    )
    advice = "Add queries in other languages (`vocparty queries suggest CLASS`)."
    return makeup.tell("places", count / known <= LARGE_PLACE_SHARE, finding, advice)


def judge_queries(makeup: Makeup, queries: Sequence[QueryFigures]) -> Verdict:
    """Whether each class comes from several of its queries; queries without photographs."""
    if makeup.images < ENOUGH_IMAGES:
        return makeup.tell("queries", None, f"{format_count(makeup.images, 'image')} only")
    asked = Counter(query.class_name for query in queries)
    large = [
        f"{count / total:.0%} of {name} by {keyword!r}"
        for (name, keyword), count in makeup.queries.items()
        if asked[name] > 1
        and (total := _sum_class(makeup, name)) >= ENOUGH_IMAGES
        and count / total > LARGE_QUERY_SHARE
    ]
    finding = "; ".join(sorted(large)) or "no query has most of a class"
    advice = "See `vocparty queries list`, and add queries for these classes."
    return makeup.tell("queries", not large, finding, advice)


def judge_classes(sample: str, counts: Mapping[str, int], even: Mapping[str, float]) -> Verdict:
    """Whether the classes have about as many images each as they would if all had their shares.

    `even` has the classes that are wanted, and adds up to all images.
    """
    images = round(sum(even.values()))
    if images < ENOUGH_IMAGES or len(even) < 2:
        return Verdict(sample, "classes", None, f"{format_count(images, 'image')} only", "")
    small = [
        f"{name} {counts.get(name, 0)} (even: {_format_share(expected)})"
        for name, expected in sorted(even.items())
        if counts.get(name, 0) < SMALL_CLASS_SHARE * expected
    ]
    if not small:
        return Verdict(sample, "classes", True, "each has half of an even share or more", "")
    advice = "Give annotators images of them, or collect more with --class."
    if sample == "photographs":
        advice = "Add queries for them (`vocparty queries suggest`), or collect with --class."
    return Verdict(sample, "classes", False, f"few of {', '.join(small)}", advice)


def _format_share(images: float) -> str:
    """Whole images, of fewer than ten also the tenths, which decide there."""
    return f"{images:.1f}" if images < 10 else f"{images:.0f}"


def format_verdicts(verdicts: Sequence[Verdict]) -> list[str]:
    """Lines of what is even, what is not and what to do, and what cannot be told."""
    lines = []
    for title, is_even in (("Even", True), ("Not even", False), ("Cannot be told yet", None)):
        chosen = [verdict for verdict in verdicts if verdict.is_even is is_even]
        if is_even is False:
            lines += [
                f"{title}: {verdict.subject} of {verdict.sample}. "
                f"{verdict.finding.rstrip('.')}. {verdict.advice}"
                for verdict in chosen
            ]
        elif chosen:
            subjects = ", ".join(f"{verdict.subject} of {verdict.sample}" for verdict in chosen)
            lines.append(f"{title}: {subjects}.")
    return lines or ["No images yet."]


def _sum_class(makeup: Makeup, name: str) -> int:
    return sum(
        count for (class_name, _keyword), count in makeup.queries.items() if class_name == name
    )
