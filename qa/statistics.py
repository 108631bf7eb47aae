"""The statistics of a party or of a release, as the papers print them: values, tables, charts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from catalog.party import Party
from catalog.preset import Preset
from catalog.sentences import Sentence, name_term, say
from vockit.format.class_counts import (
    Cell,
    CountTable,
    Table,
)
from vockit.report.localization import MEANS, tabulate_localization

from . import tables
from .matching import add_drawn
from .tables import ASPECT_EDGES, QUANTILES, SIZE_EDGES, CountedImage, Spread

SIZES = ("sizes", say("Box sizes"), say("square root of the share of the image"), SIZE_EDGES)
ASPECTS = ("aspects", say("Box aspects"), say("width by height"), ASPECT_EDGES)
_OF_HARD = say(
    "Objects that are not difficult. Per image: of the images that show the class. Scale: the mean "
    "share of the image that an object covers. Chance: the share of pairs of boxes of the class "
    "that overlap by half, images at one size. VOC: objects per image of its trainval (kit of "
    "2011, table 1) and the chance of VOC2012 (ImageNet, appendix 2)."
)
MOST_CLASSES = 60
"""So many classes have a name in a picture, and a row on a page."""

_OF_ALL = say("All images and objects, difficult ones too, whatever their set (the paper, Fig. 4).")
TOGETHER = say("Classes together")
CHANCE = say("Chance performance of localisation")
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
            Table("chance", CHANCE, _OF_PAIRS, ("class", "obj", "chance"), chance),
            _spread_table(*SIZES, self.sizes),
            _spread_table(*ASPECTS, self.aspects),
            Table(
                "together", say("Classes together"), _OF_BOTH, ("class", *self.class_names), rows
            ),
            self.localization,
        ]
        return shown if self.sets is None else [*shown, self.sets]


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
