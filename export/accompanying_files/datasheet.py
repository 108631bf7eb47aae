"""The datasheet of a release (Gebru et al., Datasheets for Datasets, 2021) and its tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date

from catalog.stored_files import PEOPLE_RESULTS
from export.fields import count_fields
from export.parquet import list_sets
from export.plan import PlannedImage, ReleasePlan, is_labelled, is_taster
from export.rows import PhotoRow
from export.split_report import report_splits
from vockit.format.class_counts import (
    CountTable,
    Table,
    choose_sets,
    count_by_set,
    format_cell,
    format_csv,
    format_latex,
)
from vockit.format.image_sets import Split
from vockit.format.plural import format_count
from vockit.format.records import VocObject
from vockit.report.charts import draw_class_histogram
from vockit.report.intervals import last_third
from vockit.report.localization import MEANS, PlacedObject, place, tabulate_localization
from vockit.report.set_comparison import SetImage, compare_sets, find_year, list_objects

from .pictures import describe_metadata, describe_pixels, list_metadata
from .summaries import (
    count_asked,
    count_labels,
    count_looks,
    count_second_annotations,
    describe_agreement,
    summarize_drawings,
)
from .texts import describe_held_back, iterate_credits, list_hidden, render

UNANSWERED = "*The record does not say; the makers should.*"
_SIZES = ("n<1K", "1K<n<10K", "10K<n<100K", "100K<n<1M", "1M<n<10M")


def format_card(plan: ReleasePlan, table: CountTable) -> str:
    """README.md, a Hugging Face dataset card too: each set with images is a split."""
    return render(
        "README.md",
        plan,
        size=_SIZES[min(max(len(str(len(plan.images))) - 3, 0), 4)],
        splits=list_sets(plan),
        table=format_markdown(table),
        known_credits=count_credits(plan),
        second=PEOPLE_RESULTS if count_second_annotations(plan) else "",
    )


def format_datasheet(plan: ReleasePlan, table: CountTable) -> str:
    """The text of DATASHEET.md; in the template a question begins with `? `."""
    facts = plan.facts
    photos = [photo for image in plan.images for photo in image.row.photos]
    groups = plan.notes.groups
    text = render(
        "DATASHEET.md",
        plan,
        facts=facts,
        looks=count_looks(plan),
        labels=count_labels(plan),
        drawn=summarize_drawings(plan),
        asked=count_asked(plan),
        unanswered=UNANSWERED,
        table=format_markdown(table),
        sets=format_set_table(plan),
        localization=format_localization(plan),
        photos=photos,
        named_photos=sum(bool(photo.owner_name) for photo in photos),
        is_licensed=any(photo.licence_name for photo in photos),
        has_pages=any(credit["page_url"] for credit in iterate_credits(plan)),
        near_duplicates=describe_near_duplicates(plan),
        relations=sorted(
            Counter(relation for group in groups for relation in group.relations).items()
        ),
        splits=report_splits(plan),
        samplings={photo.sampling for photo in photos if photo.query_class},
        imported=sum(not photo.query_class for photo in photos),
        metadata=describe_metadata(plan),
        metadata_lines=list_metadata(plan),
        pixels=describe_pixels(plan),
        found=sorted(photo.found_at for photo in photos if photo.found_at),
        uploaded=sorted(photo.uploaded_at for photo in photos if photo.uploaded_at),
        moments=_list_moments(photos),
        dates=list(describe_dates(plan)),
        agreement=describe_agreement(plan),
        second=count_second_annotations(plan),
    )
    text = re.sub(r"^(\? .*\n)(?=\? |## )", rf"\1{UNANSWERED}\n", text, flags=re.MULTILINE)
    spaced = re.sub("^## ", "\n## ", text, flags=re.MULTILINE)
    return re.sub(r"^\? (.*)$", r"\n**\1**\n", spaced, flags=re.MULTILINE)


def _list_moments(photos: Iterable[PhotoRow]) -> list[str]:
    """What is known of when any of the photographs was uploaded and taken, in words."""
    photos = list(photos)
    known = {
        "uploaded": any(photo.uploaded_at for photo in photos),
        "taken": any(photo.taken_at for photo in photos),
    }
    return list(filter(known.get, known))


def describe_near_duplicates(plan: ReleasePlan) -> str:
    """How many of the groups hold near-duplicates, and how many images dedup compared."""
    groups = (*plan.notes.groups, *plan.notes.parted)
    near = sum(bool(group.near_pairs) for group in groups)
    shown = {image.public_id for image in plan.images}
    left_out = len(shown.intersection(plan.facts.get("not_compared", ())))
    compared = f"{len(shown) - left_out} of {format_count(len(shown), 'image')}"
    if near:
        hold = "holds" if near == 1 else "hold"
        text = f"{near} of the groups above {hold} images that are near-duplicates of one another."
    elif left_out == len(shown):
        return "Whether images are near-duplicates of one another was not looked at."
    else:
        text = "No two of its images are known to be near-duplicates."
    return f"{text} Only {compared} were compared." if left_out else text


def count_credits(plan: ReleasePlan) -> str:
    """Of how many pictures that the credits list owner and licence are known; empty for all."""
    credited = [image for image in plan.images if not plan.hides(image)]
    photos = [image.row.photos for image in credited]
    owners = sum(any(photo.owner_name or photo.owner_id for photo in of_one) for of_one in photos)
    licences = sum(any(photo.licence_name for photo in of_one) for of_one in photos)
    if owners == licences == len(credited):
        return ""
    known = f"who took it is known of {owners}, the licence of {licences}"
    return f" ({known} of {format_count(len(credited), 'photograph')})"


_TARGETS = {
    "upload": "as many photographs uploaded in each year from {} to {}",
    "taken": "as many photographs taken in each year from {} to {}",
    "none": "no dates; which photographs came first was left to the source",
}


@dataclass(frozen=True)
class _DatedPhotos:
    """The first photographs of a release's images with their days in a range of whole years."""

    first: date
    last: date
    photos: Sequence[tuple[date, PhotoRow]]

    @property
    def years(self) -> range:
        """The years of the range."""
        return range(self.first.year, self.last.year + 1)


def describe_dates(plan: ReleasePlan) -> Iterator[str]:
    """Target and distribution of images' dates, and the share of recent ones; by first photos."""
    target = plan.facts["target"]
    first, last = (date.fromisoformat(target[key]) for key in ("first_date", "last_date"))
    photos = [image.row.photos[0] for image in plan.annotated if image.row.photos]
    if any(photo.query_class for photo in photos):
        yield f"Target: {_TARGETS[target['dates']].format(first, last)}."
    is_taken = target["dates"] == "taken"
    dated = _DatedPhotos(first, last, _date_photos(photos, first, last, is_taken=is_taken))
    if not dated.photos:
        return
    if plan.is_blind:
        yield "Of the images whose annotation is shown:"
    yield _describe_years(dated, len(plan.annotated), "taking" if is_taken else "upload")
    yield _describe_recent_photos(dated)


def _date_photos(
    photos: Iterable[PhotoRow], first: date, last: date, *, is_taken: bool
) -> list[tuple[date, PhotoRow]]:
    """The photographs with the day of their taking, else of their upload, in UTC."""
    dated = list[tuple[date, PhotoRow]]()
    for photo in photos:
        uploaded_at = photo.uploaded_at and photo.uploaded_at.astimezone(UTC).isoformat()
        text = (photo.taken_at if is_taken else uploaded_at) or ""
        with suppress(ValueError):  # the source's text, which may be no date
            day = date.fromisoformat(text[:10])
            if first <= day <= last:
                dated.append((day, photo))
    return dated


def _describe_years(dated: _DatedPhotos, images: int, moment: str) -> str:
    """How many of the images each year has."""
    counts = Counter(day.year for day, _ in dated.photos)
    by_year = ", ".join(f"{year} {counts[year]}" for year in dated.years)
    others = images - len(dated.photos)
    beyond = f"; {format_count(others, 'image')} without a date in this range" if others else ""
    return (
        f"By year of {moment}: {by_year}{beyond}. "
        f"Uniform dates would give {len(dated.photos) / len(dated.years):.1f} a year."
    )


def _describe_recent_photos(dated: _DatedPhotos) -> str:
    """The share of images of the last third of the range, which is a count and has no interval."""
    period = last_third(dated.first, dated.last)
    recent = sum(day >= period.first for day, _ in dated.photos)
    return (
        f"{period.name.capitalize()} hold {recent / len(dated.photos):.0%} of these "
        f"{format_count(len(dated.photos), 'image')}; uniform dates would give "
        f"{period.uniform:.0%}."
    )


TOTAL = "total"
_WordsOf = Callable[[PlannedImage, VocObject], Sequence[Sequence[str]]]
"""The words of each thing that a table counts: of an object, or of each of its parts."""
_Counted = tuple[str, str, Sequence[PlannedImage], Sequence[str], _WordsOf]
"""A table: its name and title, the images and the words that it counts, and its own `_WordsOf`."""


def format_files(plan: ReleasePlan, tables: Sequence[CountTable]) -> dict[str, bytes]:
    """The tables as CSV and LaTeX, and the paper's Fig. 4 of the classes, by their paths."""
    plain = [*(table.as_table({}, TOTAL) for table in tables), *_compare_test_sets(plan)]
    plain += [table for table in (_measure_localization(plan),) if table.rows]
    texts = {f"statistics/{table.name}.csv": format_csv(table) for table in plain}
    texts["statistics/tables.tex"] = "".join(f"{format_latex(table)}\n\n" for table in plain)
    classes = tables[0]
    wanted = [place for place, name in enumerate(classes.sets) if name not in ("train", "val")]
    rows = [
        (
            name,
            sum(counts[place].images for place in wanted),
            sum(counts[place].objects for place in wanted),
        )
        for name, counts in classes.rows
    ]
    histogram = draw_class_histogram(rows, "Images and objects of each class")
    files = {path: text.encode() for path, text in texts.items()}
    return files | {"statistics/histogram.svg": histogram}


def format_markdown(table: CountTable) -> str:
    """One table for a page: images / objects in each set."""
    rows = [f"| | {' | '.join(table.sets)} |", f"|---|{'---:|' * len(table.sets)}"]
    for name, counts in (*table.rows, (TOTAL, table.total or ())):
        rows.append(
            f"| {name} | {' | '.join(f'{count.images} / {count.objects}' for count in counts)} |"
        )
    return "\n".join(rows)


def format_set_table(plan: ReleasePlan) -> str:
    """What differs between two test sets, for a page; empty where there is one, or none shown."""
    for table in _compare_test_sets(plan):
        rows = [f"| | {' | '.join(table.heads[1:])} |", f"|---|{'---:|' * len(table.heads[1:])}"]
        cells = ([format_cell(cell, table.decimals) for cell in row] for row in table.rows)
        rows += [f"| {' | '.join(row)} |" for row in cells]
        return "\n".join([table.caption, "", *rows])
    return ""


def format_localization(plan: ReleasePlan) -> str:
    """How hard objects are to find, for a page: the means, and the rest in a file."""
    table = _measure_localization(plan)
    cells = {row[0]: [format_cell(cell, 2) for cell in row] for row in table.rows}
    heads = f"| | {' | '.join(table.heads[1:])} |\n|---|{'---:|' * len(table.heads[1:])}"
    rows = [f"| {' | '.join(cells[name])} |" for name in MEANS if name in cells]
    return "\n".join([table.caption, "", heads, *rows]) if rows else ""


def _measure_localization(plan: ReleasePlan) -> Table:
    """How hard the objects of all images are to find whose annotation the release shows."""
    placed = [
        [
            PlacedObject(item.name, bool(item.difficult), place(item.box, size_wh))
            for item in plan.records[image.public_id].objects
        ]
        for image in plan.annotated
        for size_wh in [(image.row.width, image.row.height)]
        if not is_taster(image)
    ]
    return tabulate_localization(placed, plan.recipe.classes)


def _compare_test_sets(plan: ReleasePlan) -> list[Table]:
    """The table of what differs between trainval and two test sets, where the release has two."""
    if Split.TEST2 not in plan.splits or list_hidden(plan):
        return []
    images = [_describe_image(plan, image) for image in plan.annotated]
    return [compare_sets(images, ("trainval", "test", "test2"), plan.recipe.classes)]


def _describe_image(plan: ReleasePlan, image: PlannedImage) -> SetImage:
    photo = image.row.photos[0] if image.row.photos else None
    asked = plan.asked(image)
    return SetImage(
        set_name=image.split,
        size_wh=(image.row.width, image.row.height),
        objects=list_objects(plan.records[image.public_id].objects),
        owner=(photo and (photo.owner_id or photo.owner_name)) or None,
        year=find_year(photo and photo.uploaded_at, photo and photo.taken_at),
        unasked=frozenset() if asked is None else frozenset(plan.recipe.classes).difference(asked),
    )


def iterate_tables(plan: ReleasePlan) -> Iterator[CountTable]:
    """Tables 1 and 2 of the kit of 2012 (section 4) over all that the release shows.

    Images for one task alone count in its table, and not among objects of classes. A set of which
    the release shows nothing is no column, since zeros would be a claim.
    """
    caption = "Images and objects in each set."
    hidden = list_hidden(plan)
    sets = tuple(name for name in choose_sets(plan.splits) if name not in hidden)
    if held_back := describe_held_back(plan):
        caption += f" {held_back}"
    for name, title, images, names, words_of in _list_tables(plan):
        if name == "classes" or (images and names):
            rows, total = count_by_set(_iterate_words(plan, images, words_of), names, sets)
            counted = caption.replace("objects", "parts", 1) if name == "parts" else caption
            yield CountTable(name, title, counted, sets, rows, total)


def _list_tables(plan: ReleasePlan) -> list[_Counted]:
    """What each table counts: the images, the words of its lines, and those of an object."""
    recipe = plan.recipe
    shown = plan.annotated
    whole = [image for image in shown if not is_taster(image)]
    fields = {count.name for count in count_fields(plan)}
    parts = recipe.parts if "parts" in fields else ()
    actions = recipe.actions if "actions" in fields else ()
    return [
        ("classes", "Objects of each class", whole, recipe.classes, lambda _, item: [[item.name]]),
        (
            "segmentation",
            "Segmented objects of each class",
            plan.masked,
            recipe.classes,
            lambda image, item: [[item.name]] if is_labelled(image, item) else [],
        ),
        ("parts", "Parts", shown, parts, lambda _, item: [[part.name] for part in item.parts]),
        ("actions", "Actions", shown, actions, _list_performed),
    ]


def _iterate_words(
    plan: ReleasePlan, images: Iterable[PlannedImage], words_of: _WordsOf
) -> Iterator[tuple[Split, list[Sequence[str]]]]:
    """The set of each image, and the words of the things in it that are counted."""
    for image in images:
        objects = plan.records[image.public_id].objects
        yield image.split, [words for item in objects for words in words_of(image, item)]


def _list_performed(_: PlannedImage, item: VocObject) -> list[list[str]]:
    """The actions that the file says the object performs."""
    return [[action.name for action in item.actions or () if action.is_performed]]
