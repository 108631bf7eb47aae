"""The statistics of a party or of a release, as the papers print them: values, tables, charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from catalog.party import Party
from catalog.preset import Preset
from catalog.sentences import Sentence, name_term, say
from vockit.format.class_counts import (
    Cell,
    CountTable,
    Table,
    format_csv,
    format_latex,
    format_text,
)
from vockit.report.charts import CLASS_COLOURS, Bars, draw_bars, draw_heatmap
from vockit.report.localization import MEANS, tabulate_localization

from . import tables
from .matching import add_drawn
from .tables import ASPECT_EDGES, QUANTILES, SIZE_EDGES, CountedImage, Spread

_SIZES = ("sizes", say("Box sizes"), say("square root of the share of the image"), SIZE_EDGES)
_ASPECTS = ("aspects", say("Box aspects"), say("width by height"), ASPECT_EDGES)
_OF_HARD = say(
    "Objects that are not difficult. Per image: of the images that show the class. Scale: the mean "
    "share of the image that an object covers. Chance: the share of pairs of boxes of the class "
    "that overlap by half, images at one size. VOC: objects per image of its trainval (kit of "
    "2011, table 1) and the chance of VOC2012 (ImageNet, appendix 2)."
)
MOST_CLASSES = 60
"""So many classes have a name in a picture, and a row on a page."""

_OF_ALL = say("All images and objects, difficult ones too, whatever their set (the paper, Fig. 4).")
_TOGETHER = say("Classes together")
_CHANCE = say("Chance performance of localisation")
_OF_PAIRS = say("The share of pairs of boxes of a class that overlap by half, images at one size.")
_OF_BOTH = say("Images that show both classes; on the diagonal those that show the one.")


@dataclass(frozen=True)
class Statistics:
    """Tables 1 to 4, the histogram, chance performance, sizes, aspects and co-occurrence.

    `translate` makes the words of pictures those of another language.
    """

    subject: str
    displays: dict[str, str]
    counts: tuple[CountTable, ...]
    histogram: tuple[tuple[str, int, int], ...]
    chance: tuple[tuple[str, int, float | None], ...]
    sizes: tuple[Spread, ...]
    aspects: tuple[Spread, ...]
    together: NDArray[np.int64]
    class_names: tuple[str, ...]
    localization: Table
    sets: Table | None = None  # of a release with two test sets
    mean_chance: float | None = None  # of all classes
    groups: int = 0  # objects that are one box around many
    is_part: bool = False  # whether the rows are of some classes alone
    translate: Callable[[str], str] = str

    def display(self, name: str) -> str:
        """A class or an action as people read it, or a sentence as it is."""
        if isinstance(name, Sentence):
            return self.translate(name)
        return self.translate(name_term(self.displays.get(name, name)))

    def format_number(self, value: float) -> str:
        """A number beside an axis, with at most three decimals."""
        return self.translate(say("{value:,.10g}", value=round(value, 3)))

    def format_cell(self, value: float, decimals: int) -> str:
        """A number in a table, with two or three decimals."""
        if decimals == 2:
            return self.translate(say("{value:.2f}", value=value))
        return self.translate(say("{value:.3f}", value=value))

    def figure_tables(self) -> list[Table]:
        """Everything but the tables of counts, as tables."""
        together = zip(self.class_names, self.together.tolist(), strict=True)
        rows = [(name, *row) for name, row in together]
        heads = ("class", "img", "obj")
        total = sum(count for _, count, _ in self.chance)
        chance = (*self.chance, (say("mean"), total, self.mean_chance))
        of_all = _say_groups(self.groups) if self.groups else _OF_ALL
        shown = [
            Table("histogram", say("Objects by class"), of_all, heads, self.histogram),
            Table("chance", _CHANCE, _OF_PAIRS, ("class", "obj", "chance"), chance),
            _spread_table(*_SIZES, self.sizes),
            _spread_table(*_ASPECTS, self.aspects),
            Table(
                "together", say("Classes together"), _OF_BOTH, ("class", *self.class_names), rows
            ),
            self.localization,
        ]
        return shown if self.sets is None else [*shown, self.sets]

    def picture_names(self) -> tuple[str, ...]:
        """What there is a picture of: everything but tables without a row."""
        return (*PICTURES, *(table.name for table in self.counts if table.rows))


def count_party(
    party: Party, *, release: str | None = None, all_objects: bool = False
) -> Statistics:
    """The statistics of a release, or of all finished work; raises SettingsError."""
    with party.catalogue.reading() as session:
        if release is None:
            images = tables.load_finished(session)
        else:
            images = tables.load_released(session, release)
    subject = party.settings.name if release is None else release
    return take_statistics(images, party.preset, subject=subject, all_objects=all_objects)


def take_statistics(
    images: Sequence[CountedImage], preset: Preset, *, subject: str, all_objects: bool = False
) -> Statistics:
    """The statistics of these images; `subject` says in words what they are."""
    drawn = Counter(item.class_name for image in images for item in image.objects)
    names = add_drawn(preset.class_names, drawn)
    counts = (
        tables.count_main(images, names, all_objects=all_objects),
        tables.count_segmentation(images, names, all_objects=all_objects),
        tables.count_layout(images, preset),
        tables.count_actions(images, preset),
    )
    together = tables.count_together(images, names)
    chance = tuple(tables.measure_chances(images, names))
    return Statistics(
        subject,
        preset.class_displays | {item.name: item.display for item in preset.actions},
        counts,
        tuple((name, int(together[row, row]), drawn[name]) for row, name in enumerate(names)),
        chance,
        tuple(tables.spread_sizes(images, names)),
        tuple(tables.spread_aspects(images, names)),
        together,
        names,
        _measure_localization(images, names),
        tables.compare_test_sets(images, names),
        mean_chance=_find_mean(share for _, _, share in chance),
        groups=sum(item.group_of for image in images for item in image.objects),
    )


def _measure_localization(images: Sequence[CountedImage], names: Sequence[str]) -> Table:
    """The table of how hard objects are to find, in words that a page translates."""
    placed = (tables.place_objects(image) for image in images)
    measured = tabulate_localization(placed, names)
    words = dict(zip(MEANS, (say("mean"), say("VOC2012, published")), strict=True))
    return replace(
        measured,
        title=say("How hard objects are to find"),
        caption=_OF_HARD,
        heads=(*measured.heads[:3], say("per image"), say("scale"), say("chance"), "VOC"),
        rows=[(words.get(str(row[0]), row[0]), *row[1:]) for row in measured.rows],
    )


def list_largest(statistics: Statistics, typed: str = "") -> list[str]:
    """The names of the classes with most objects, so many as fit on a page, in their order.

    With typed letters, of those whose name or display holds them.
    """
    wanted = typed.strip().casefold()
    objects = {
        name: count
        for name, _, count in statistics.histogram
        if wanted in name.casefold() or wanted in statistics.display(name).casefold()
    }
    largest = set(sorted(objects, key=lambda name: -objects[name])[:MOST_CLASSES])
    return [name for name in objects if name in largest]


def keep_classes(statistics: Statistics, names: Collection[str]) -> Statistics:
    """The statistics with the rows of these classes alone; totals and means are still of all."""
    classes = set(statistics.class_names)
    kept = [name for name in statistics.class_names if name in names]
    if len(kept) == len(classes):
        return statistics
    left_out = classes - set(kept)
    places = [statistics.class_names.index(name) for name in kept]
    counts = tuple(
        replace(table, rows=tuple(row for row in table.rows if row[0] not in left_out))
        for table in statistics.counts
    )
    return replace(
        statistics,
        counts=counts,
        histogram=tuple(row for row in statistics.histogram if row[0] in kept),
        chance=tuple(row for row in statistics.chance if row[0] in kept),
        sizes=tuple(spread for spread in statistics.sizes if spread.name in kept),
        aspects=tuple(spread for spread in statistics.aspects if spread.name in kept),
        together=statistics.together[np.ix_(places, places)],
        class_names=tuple(kept),
        localization=replace(
            statistics.localization,
            rows=[row for row in statistics.localization.rows if row[0] not in left_out],
        ),
        is_part=True,
    )


def format_document(statistics: Statistics) -> dict[str, Any]:
    """The statistics as plain values, ready for JSON."""
    return {
        "of": statistics.subject,
        "groups": statistics.groups,
        "tables": {
            table.name: {
                "sets": list(table.sets),
                "rows": {name: [vars(count) for count in row] for name, row in table.rows},
                "total": None if table.total is None else [vars(count) for count in table.total],
                "empty": None if table.rows else table.empty,
            }
            for table in statistics.counts
        },
        **{
            table.name: [dict(zip(table.heads, row, strict=True)) for row in table.rows]
            for table in statistics.figure_tables()
        },
    }


def format_all_text(statistics: Statistics) -> str:
    """All tables as text."""
    tables = [
        format_text(table.as_table(statistics.displays, "Total")) for table in statistics.counts
    ]
    numbered = [f"Table {number}: {text}" for number, text in enumerate(tables, start=1)]
    others = map(format_text, statistics.figure_tables())
    return "\n\n".join([f"Statistics of {statistics.subject}", *numbered, *others]) + "\n"


def format_all_csv(statistics: Statistics) -> dict[str, str]:
    """Every table as CSV, by name."""
    tables = [*(table.as_table({}) for table in statistics.counts), *statistics.figure_tables()]
    return {table.name: format_csv(table) for table in tables}


def format_all_latex(statistics: Statistics) -> dict[str, str]:
    """Every table as LaTeX, by name."""
    tables = [
        *(table.as_table(statistics.displays, "Total") for table in statistics.counts),
        *statistics.figure_tables(),
    ]
    return {table.name: format_latex(table) + "\n" for table in tables}


def make_files(statistics: Statistics) -> dict[str, bytes]:
    """Every file by its name; the same bytes for the same statistics."""
    files = {"statistics.txt": format_all_text(statistics)}
    files |= {f"{name}.csv": text for name, text in format_all_csv(statistics).items()}
    files |= {f"{name}.tex": text for name, text in format_all_latex(statistics).items()}
    names = statistics.picture_names()
    pictures = {f"{name}.svg": draw_picture(statistics, name) for name in names}
    return {name: text.encode() for name, text in files.items()} | pictures


def draw_picture(statistics: Statistics, name: str) -> bytes:
    """One of the pictures as SVG; KeyError where there is none of that name.

    Of more classes than a picture can name, it shows those with most objects, and says so.
    """
    statistics = keep_classes(statistics, list_largest(statistics))
    if name in PICTURES:
        return PICTURES[name](statistics)
    return _draw_counts(
        {table.name: table for table in statistics.counts if table.rows}[name], statistics
    )


def _say_groups(groups: int) -> Sentence:
    return say(
        "All images and objects, difficult ones too, whatever their set (the paper, Fig. 4). Of "
        "the objects, {groups:,} are boxes around a group of more than ten that touch.",
        groups=groups,
    )


def _find_mean(shares: Iterable[float | None]) -> float | None:
    known = [share for share in shares if share is not None]
    return sum(known) / len(known) if known else None


def _spread_table(
    name: str, title: str, measure: Sentence, edges: Sequence[float], spreads: Sequence[Spread]
) -> Table:
    bins = [say("{low:g}-{high:g}", low=low, high=high) for low, high in pairwise(edges)]
    heads = ("class", "obj", *(f"q{round(share * 100)}" for share in QUANTILES), *bins)
    rows: list[list[Cell]] = [
        [spread.name, spread.objects, *spread.quantiles, *spread.counts] for spread in spreads
    ]
    caption = say(
        "Quantiles of the {measure} of boxes, and objects between edges.", measure=measure
    )
    return Table(name, title, caption, heads, rows, decimals=2)


def _draw_counts(table: CountTable, statistics: Statistics) -> bytes:
    sets = {name: at for at, name in enumerate(table.sets) if name != "trainval"}
    objects = {name: [row[at].objects for _, row in table.rows] for name, at in sets.items()}
    images = {name: [row[at].images for _, row in table.rows] for name, at in sets.items()}
    names = [statistics.display(name) for name, _ in table.rows]
    title = _name(statistics, table.title)
    unit = statistics.translate(say("objects, pale; images, dark; log scale"))
    return draw_bars(
        Bars(
            names,
            objects,
            title,
            unit=unit,
            cores=images,
            is_log=True,
            format_number=statistics.format_number,
        )
    )


def _draw_chance(statistics: Statistics) -> bytes:
    mean = statistics.mean_chance
    names = [
        statistics.display(name) + " \N{EN DASH}" * (share is None)
        for name, _, share in statistics.chance
    ]
    say_word = statistics.translate
    shares = {say_word(say("chance")): [share or 0.0 for _, _, share in statistics.chance]}
    title = _name(statistics, _CHANCE)
    unit = say_word(say("share of pairs"))
    mean_word = say_word(say("mean {mean:.3f}", mean=mean or 0.0))
    line = ("", ()) if mean is None else (mean_word, [mean] * len(names))
    number = statistics.format_number
    return draw_bars(Bars(names, shares, title, unit=unit, line=line, format_number=number))


def _draw_spread(
    statistics: Statistics,
    spreads: Sequence[Spread],
    title: str,
    measure: str,
    edges: Sequence[float],
) -> bytes:
    shares = [np.array(spread.counts) / spread.objects for spread in spreads]
    table = np.stack(shares) if shares else np.zeros((1, len(edges) - 1))
    names = [statistics.display(spread.name) for spread in spreads] or [
        statistics.translate(say("nothing"))
    ]
    number = statistics.format_number
    ticks = ["\N{INFINITY}" if edge == float("inf") else number(edge) for edge in edges]
    label = statistics.translate(say("share of the objects"))
    measure = statistics.translate(measure)
    return draw_heatmap(table, names, ticks, _name(statistics, title), measure, label, number)


def _draw_together(statistics: Statistics) -> bytes:
    totals = np.diag(statistics.together).astype(np.float64)
    shares = statistics.together / np.where(totals > 0, totals, np.nan)[:, None]
    np.fill_diagonal(shares, np.nan)
    names = [statistics.display(name) for name in statistics.class_names]
    title = _name(statistics, _TOGETHER)
    label = statistics.translate(say("share of the row's images"))
    number = statistics.format_number
    return draw_heatmap(shares, names, names, title, label=label, format_number=number)


def _draw_histogram(statistics: Statistics) -> bytes:
    """The classes' images and objects, VOC's Fig. 4."""
    names = [statistics.display(name) for name, _, _ in statistics.histogram]
    series = {
        statistics.translate(say("images")): [images for _, images, _ in statistics.histogram],
        statistics.translate(say("objects")): [objects for _, _, objects in statistics.histogram],
    }
    title = _name(statistics, say("Images and objects"))
    unit = statistics.translate(say("count, log scale"))
    return draw_bars(
        Bars(
            names,
            series,
            title,
            unit=unit,
            colours=CLASS_COLOURS,
            is_log=True,
            format_number=statistics.format_number,
        )
    )


def _name(statistics: Statistics, title: str) -> str:
    """The title of a picture: what it shows, of what."""
    sentence = say("{title} of {subject}", title=title, subject=statistics.subject)
    if statistics.is_part:
        sentence = say(
            "{title} of {subject}: {count} of the classes",
            title=title,
            subject=statistics.subject,
            count=len(statistics.class_names),
        )
    return statistics.translate(sentence)


PICTURES: dict[str, Callable[[Statistics], bytes]] = {
    "histogram": _draw_histogram,
    "sizes": lambda statistics: _draw_spread(statistics, statistics.sizes, *_SIZES[1:]),
    "aspects": lambda statistics: _draw_spread(statistics, statistics.aspects, *_ASPECTS[1:]),
    "together": _draw_together,
    "chance": _draw_chance,
}
"""Every picture but those of the tables of counts, by its name."""
