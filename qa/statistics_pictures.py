"""The pictures of the statistics, as SVG."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from catalog.sentences import say
from vockit.format.class_counts import CountTable
from vockit.report.charts import CLASS_COLOURS, Bars, draw_bars, draw_heatmap

from .statistics import (
    ASPECTS,
    CHANCE,
    SIZES,
    TOGETHER,
    Statistics,
    keep_classes,
    list_largest,
)
from .tables import Spread


def list_pictures(statistics: Statistics) -> tuple[str, ...]:
    """What there is a picture of: everything but tables without a row."""
    return (*PICTURES, *(table.name for table in statistics.counts if table.rows))


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
    title = _name(statistics, CHANCE)
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
    title = _name(statistics, TOGETHER)
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
    "sizes": lambda statistics: _draw_spread(statistics, statistics.sizes, *SIZES[1:]),
    "aspects": lambda statistics: _draw_spread(statistics, statistics.aspects, *ASPECTS[1:]),
    "together": _draw_together,
    "chance": _draw_chance,
}
"""Every picture but those of the tables of counts, by its name."""
