"""How many images and objects of each class a release holds in each set, as VOC printed it.

Tables 1 and 2 of the development kit of 2012 (section 4): for each class and set the images with at
least one object of it, and its objects; then totals. Parts and actions follow where there are any.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from catalog.states import Split
from export.plan import PlannedImage, ReleasePlan
from export.rows import ObjectRow

SETS = ("train", "val", "trainval", "test")
_SPLITS_OF = {
    "train": (Split.TRAIN,),
    "val": (Split.VAL,),
    "trainval": (Split.TRAIN, Split.VAL),
    "test": (Split.TEST,),
}
TOTAL = "total"
_WordsOf = Callable[[ObjectRow], tuple[str, ...]]


@dataclass(frozen=True)
class Line:
    """Images and objects of one class, part or action, in each set in the order of `sets`."""

    name: str
    images: tuple[int, ...]
    objects: tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """One printed table; the last line holds the totals."""

    title: str
    sets: tuple[str, ...]
    lines: tuple[Line, ...]


def make_tables(plan: ReleasePlan) -> tuple[Table, ...]:
    """The tables of everything whose annotation the release shows."""
    sets = SETS[:3] if plan.is_blind else SETS
    images = plan.annotated
    tables = [_table("Objects of each class", plan.recipe.classes, images, sets, _class_of)]
    if plan.recipe.parts:
        tables.append(_table("Parts", plan.recipe.parts, images, sets, _parts_of))
    if plan.recipe.actions:
        tables.append(_table("Actions", plan.recipe.actions, images, sets, _actions_of))
    return tuple(tables)


def format_text(tables: Sequence[Table]) -> str:
    """The tables in columns for reading."""
    return "\n".join("\n".join(_text_lines(table)) + "\n" for table in tables)


def format_csv(tables: Sequence[Table]) -> str:
    """One line for each table, name and set."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(("table", "name", "set", "images", "objects"))
    for table in tables:
        for line in table.lines:
            for name, images, objects in zip(table.sets, line.images, line.objects, strict=True):
                writer.writerow((table.title, line.name, name, images, objects))
    return target.getvalue()


def format_latex(tables: Sequence[Table]) -> str:
    """A tabular environment for each table."""
    return "\n".join("\n".join(_latex_lines(table)) + "\n" for table in tables)


def format_markdown(table: Table) -> str:
    """One table for a page: images / objects in each set."""
    head = f"| | {' | '.join(table.sets)} |\n|---|{'---:|' * len(table.sets)}\n"
    rows = (
        f"| {line.name} | "
        + " | ".join(f"{it} / {of}" for it, of in zip(line.images, line.objects, strict=True))
        + " |\n"
        for line in table.lines
    )
    return head + "".join(rows)


def _table(
    title: str,
    names: Iterable[str],
    images: Iterable[PlannedImage],
    sets: tuple[str, ...],
    words_of: _WordsOf,
) -> Table:
    shown: dict[Split, list[str]] = {split: [] for split in Split}
    drawn: dict[Split, list[str]] = {split: [] for split in Split}
    bearers: Counter[Split] = Counter()
    for image in images:
        words = [word for item in image.row.objects for word in words_of(item)]
        shown[image.split] += set(words)
        drawn[image.split] += words
        bearers[image.split] += bool(words)
    images_of = {split: Counter(words) for split, words in shown.items()}
    objects_of = {split: Counter(words) for split, words in drawn.items()}
    for split, words in drawn.items():
        images_of[split][TOTAL], objects_of[split][TOTAL] = bearers[split], len(words)
    lines = tuple(
        Line(name, _sums(images_of, name, sets), _sums(objects_of, name, sets))
        for name in (*names, TOTAL)
    )
    return Table(title, sets, lines)


def _sums(held: Mapping[Split, Counter[str]], name: str, sets: Iterable[str]) -> tuple[int, ...]:
    return tuple(sum(held[split][name] for split in _SPLITS_OF[it]) for it in sets)


def _class_of(item: ObjectRow) -> tuple[str, ...]:
    return (item.class_name,)


def _parts_of(item: ObjectRow) -> tuple[str, ...]:
    return tuple(part.name for part in item.parts)


def _actions_of(item: ObjectRow) -> tuple[str, ...]:
    return item.actions


def _text_lines(table: Table) -> Iterator[str]:
    width = max(len(line.name) for line in table.lines)
    yield f"{table.title}: images, objects"
    yield " " * width + "".join(f"{name:>16}" for name in table.sets)
    for line in table.lines:
        cells = zip(line.images, line.objects, strict=True)
        yield f"{line.name:{width}}" + "".join(f"{images:8}{count:8}" for images, count in cells)


def _latex_lines(table: Table) -> Iterator[str]:
    yield rf"% {table.title}"
    yield rf"\begin{{tabular}}{{l{'rr' * len(table.sets)}}}"
    yield "".join(rf" & \multicolumn{{2}}{{c}}{{{name}}}" for name in table.sets) + r" \\"
    yield " & img & obj" * len(table.sets) + r" \\ \hline"
    for line in table.lines:
        if line.name == TOTAL:
            yield r"\hline"
        cells = zip(line.images, line.objects, strict=True)
        name = line.name.replace("_", r"\_")
        yield name + "".join(f" & {images} & {count}" for images, count in cells) + r" \\"
    yield r"\end{tabular}"
