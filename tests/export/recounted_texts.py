"""The sentences of datasheet and card that have numbers, as an independent reader writes them."""

import json
from collections import Counter
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from statistics import median

from .recount import SETS, Recount, Row, many

KEPT = "state NOT IN ('duplicate', 'broken', 'taken_down')"
GIVEN = (
    "set_aside_at IS NULL AND person_id NOT IN (SELECT id FROM person WHERE name LIKE 'import %')"
)


def describe(release: Recount) -> str:
    """What datasheet, card, citation and Croissant begin with."""
    items = [item for items in release.items.values() for item in items]
    classes = len({item.name for item in items})
    most = len(release.recipe["classes"])
    of_classes = f"{classes} of {most} classes" if classes < most else many(most, "class")
    return (
        f"{release.recipe['database']}, release {release.odd.name}: "
        f"{many(len(release.images), 'photograph')} with {many(len(items), 'annotated object')} of "
        f"{of_classes} in the format of PASCAL VOC. Objects have "
        f"{', '.join(['boxes', *describe_fields(release, len(items))])}; "
        f"{describe_checks(release)}."
    )


def describe_fields(release: Recount, objects: int) -> Iterator[str]:
    for name, count in release.fields.items():
        known = count["decided"] + count["imported"]
        if name == "mask":
            continue
        if known < count["objects"]:
            yield f"{name} (decided for {known} of {count['objects']})"
        elif count["objects"] < objects:
            yield f"{name} ({many(count['objects'], 'object')})"
        else:
            yield name


def describe_checks(release: Recount) -> str:
    checked = sum(map(release.is_checked, release.shown))
    if checked == len(release.shown):
        return "each annotation was checked by a second person"
    others = [image for image in release.shown if not release.is_checked(image)]
    assert all(map(release.tree_of, others))
    return (
        f"{checked} of {len(release.shown)} annotations were checked by a second person, "
        "others imported"
    )


def list_masks(release: Recount) -> Iterator[str]:
    if release.masked:
        has = "has" if len(release.masked) == 1 else "have"
        images = many(len(release.shown), "image")
        yield f"{len(release.masked)} of {images} {has} segmentation masks."


def list_tasters(release: Recount) -> Iterator[str]:
    if number := len(release.tasters):
        yield (
            f"{number} of {many(len(release.shown), 'image')} {'is' if number == 1 else 'are'} in "
            "the lists of Layout or Action alone: only the people chosen for these tasks are "
            "annotated there."
        )


def list_asked(release: Recount) -> Iterator[str]:
    """The rows of the table of what was asked, where it was not all."""
    if release.tasters:
        for name in release.recipe["classes"]:
            shown = sum(
                any(item.name == name for item in release.items[image["public_id"]])
                for image in release.others
            )
            yield f"| {name} | {shown} | {len(release.others) - shown} | 0 |"


def list_table(release: Recount) -> Iterator[str]:
    """The rows of the table of images and objects by class."""
    counts = release.count_words(lambda item: [[item.name]])
    columns = [*SETS[:2], "trainval"]
    if not release.odd.is_blind:
        columns.append("test")
    yield f"| | {' | '.join(columns)} |"
    for name in (*release.recipe["classes"], None):
        cells = (
            f"{images} / {objects}"
            for images, objects in (counts[name, column] for column in columns)
        )
        yield f"| {name or 'total'} | {' | '.join(cells)} |"


def list_fields(release: Recount) -> Iterator[str]:
    for name, count in release.fields.items():
        yield f"| {name} | {count['decided']} | {count['imported']} | {count['objects']} |"


def list_composition(release: Recount) -> Iterator[str]:
    """Of classes, owners, groups, sets and checks."""
    yield f"an annotation of the objects of {len(release.recipe['classes'])} classes: box"
    owners = sum(bool(photo["owner_name"]) for photo in release.all_photos)
    yield f"The owner's name is known of {owners} of {len(release.all_photos)} photographs."
    yield from list_groups(release)
    if not release.odd.is_blind:
        if release.deviations is not None:
            mean, most = release.deviations
            yield (
                f"The share of a class in a set is off the wanted one by {mean:.2f} points on "
                f"average, {most:.2f} at most."
            )
        if small := len(release.small_classes):
            yield (
                "How far a class of fewer than ten images is off is not told; there "
                f"{'is' if small == 1 else 'are'} {small}."
            )
    if near := sum(is_near for _, _, is_near in release.groups):
        hold = "holds" if near == 1 else "hold"
        yield f"{near} of the groups above {hold} images that are near-duplicates of one another."
    hashed = sum(image["phash_64"] is not None for image in release.images)
    if hashed < len(release.images) and (near or hashed):
        yield f"Only {hashed} of {many(len(release.images), 'image')} were compared."


def list_groups(release: Recount) -> Iterator[str]:
    """Of images that may not be parted, and of those that an earlier release parted."""
    whole = release.whole_groups
    parted = release.parted_groups
    relations = Counter(relation for _, words, _ in whole for relation in words)
    bound = ", ".join(f"{word}: {count}" for word, count in sorted(relations.items()))
    sizes = ", ".join(f"{len(ids)}" for ids, _, _ in whole[:5])
    if whole:
        lies = "None of these lies" if parted else "No group lies"
        yield (
            f"{many(len(whole), 'group')} of images may not be parted ({bound}); the largest have "
            f"{sizes} images. {lies} in two of train, val and test"
        )
    if parted:
        lies = "lies" if len(parted) == 1 else "lie"
        yield (
            f"{many(len(parted), 'group')} of images of {release.odd.earlier} {lies} in two sets "
            "or more, where that release had put them"
        )


def list_looks(release: Recount) -> Iterator[str]:
    """What second persons said of the shown images and their objects."""
    shown = len(release.shown)
    checked = [image for image in release.shown if release.is_checked(image)]
    imported = [image for image in checked if release.tree_of(image)]
    text = f"{len(checked)} of {shown} annotations were accepted or corrected by a second person"
    if imported:
        text += f", {len(imported)} of them exactly as imported"
    others = (image for image in release.shown if not release.is_checked(image))
    for tree, count in sorted(Counter(map(release.tree_of, others)).items()):
        text += f"; {count} were imported with `vocparty import dataset` from {tree}"
    yield text
    yield f"{len(checked) - len(imported)} of {shown} images were labelled as GUIDELINES.md says"
    looked = [image for image in release.shown if release.last_look(image)]
    objects = sum(len(release.items[image["public_id"]]) for image in looked)
    judged = sum(len(release.judged_numbers(image)) for image in looked)
    drawn = sum(len(release.drawn_numbers(image)) for image in looked)
    by_checker = f", {drawn} were drawn by the checker" if drawn else ""
    asked = [
        look["is_complete"]
        for look in map(release.last_look, looked)
        if look is not None and look["is_complete"] is not None
    ]
    if objects:
        yield (
            f"Of the {objects} objects that the last checker of their image passed, {judged} were "
            f"judged one by one{by_checker} and {objects - judged - drawn} passed with their"
            " image. Of "
            f"{many(len(asked), 'image')} the checker said whether an object is missing: of "
            f"{sum(asked)} none is."
        )


def list_collection(release: Recount) -> Iterator[str]:
    """Of queries, tables, dates and what came of photographs."""
    for row in release.rows("SELECT * FROM query WHERE class_id <> '' AND searches > 0"):
        kept = release.number(
            "SELECT count(DISTINCT image_id) FROM photo JOIN image ON image.id = photo.image_id"
            f" WHERE query_id = ? AND image.{KEPT}",
            row["id"],
        )
        yield (
            f"| {row['class_id']} | {row['keyword']} | {row['source']} | {row['searches']} | "
            f"{row['draws']} | {kept} |"
        )
    for row in release.rows("SELECT * FROM table_pass"):
        about = json.loads(row["about"])
        numbers = f"{about['rows']} | {about['answers']} | {about['photos_per_month']}"
        at = datetime.fromisoformat(row["passed_at"])
        yield (
            f"| {row['name']} | {row['sha256']} | {numbers} | {about['seed']} | "
            f"{at:%Y-%m-%dT%H:%M:%SZ} |"
        )
    yield from list_dates(release)
    days_of_finding = sorted(photo["found_at"][:10] for photo in release.all_photos)
    yield f"Photographs were found or imported {span(days_of_finding)}."
    uploaded = sorted(
        photo["uploaded_at"][:10] for photo in release.all_photos if photo["uploaded_at"]
    )
    if uploaded:
        yield f"They were uploaded {span(uploaded)}."


def span(days: list[str]) -> str:
    first = days[0]
    last = days[-1]
    return f"on {first}" if first == last else f"between {first} and {last}"


def list_dates(release: Recount) -> Iterator[str]:
    """How the dates of upload of the first photographs are spread, and how recent they are."""
    target = release.notes["facts"]["target"]
    first, last = (date.fromisoformat(target[key]) for key in ("first_date", "last_date"))
    firsts = [
        photos[0] for image in release.shown if (photos := release.photos[image["public_id"]])
    ]
    if not any(photo["class_id"] for photo in firsts):
        return
    yield f"Target: as many photographs uploaded in each year from {first} to {last}."
    days = [(date.fromisoformat(photo["uploaded_at"][:10]), photo) for photo in firsts]
    dated = [(day, photo) for day, photo in days if first <= day <= last]
    years = range(first.year, last.year + 1)
    counts = Counter(day.year for day, _ in dated)
    text = "By year of upload: " + ", ".join(f"{year} {counts[year]}" for year in years)
    if others := len(days) - len(dated):
        text += f"; {many(others, 'image')} without a date in this range"
    yield f"{text}. Uniform dates would give {len(dated) / len(years):.1f} a year."
    recent_years = round(len(years) / 3)
    begin = last - timedelta(days=round(recent_years * 365.25) - 1)
    recent = sum(day >= begin for day, _ in dated) / len(dated)
    uniform = ((last - begin).days + 1) / ((last - first).days + 1)
    yield (
        f"The last {recent_years} of {len(years)} years hold {recent:.0%} of these "
        f"{many(len(dated), 'image')}; uniform dates would give {uniform:.0%}."
    )


def list_people(release: Recount) -> Iterator[str]:
    """Who annotated and checked, and for how long."""
    hours = 0.0
    for table, verb, noun in (
        ("annotation", "annotated", "revision"),
        ("review", "checked", "verdict"),
    ):
        rows = release.number(f"SELECT count(*) FROM {table} WHERE {GIVEN}")
        ((secs,),) = release.rows(f"SELECT total(active_secs) FROM {table} WHERE {GIVEN}")
        who = f"SELECT person_id FROM {table} WHERE {GIVEN}"
        people = release.number(f"SELECT count(*) FROM person WHERE id IN ({who})")
        simulated = release.number(
            f"SELECT count(*) FROM person WHERE is_simulated AND id IN ({who})"
        )
        hours += secs / 3600
        if people:
            made = f", {simulated} of them simulated" if simulated else ""
            work = f"{many(rows, noun)} in {format_hours(secs / 3600)} of measured work."
            yield f"{people} {verb}{made}: {work}"
    yield f"In this party altogether {format_hours(hours)}."


def format_hours(hours: float) -> str:
    if hours >= 2:
        return f"{hours:,.1f} people-hours"
    minutes = round(hours * 60, 1)
    return "1 minute" if minutes == 1 else f"{minutes:g} minutes"


def list_cleaning(release: Recount) -> Iterator[str]:
    """Of pictures, pairs, verdicts, discards and findings."""
    remade = sum(image["original_sha256"] is not None for image in release.images)
    yield f"or scaled down): {remade} of {many(len(release.images), 'picture')}."
    yield "from what is no JPEG of 8-bit colour: 0. The others"
    yield "With a colour profile: 0."
    for before, statement in (
        (
            "What came of the photographs that were found until this release was made: ",
            "SELECT state, count(*) FROM photo GROUP BY state",
        ),
        (
            "Relations that dedup found in the party: ",
            "SELECT relation, count(*) FROM duplicate WHERE undone_at IS NULL GROUP BY relation",
        ),
        (
            "Verdicts given in the party until this release was made: ",
            f"SELECT verdict, count(*) FROM review WHERE {GIVEN} GROUP BY verdict",
        ),
        (
            "Discarded: ",
            "SELECT a.discard_reason, count(*) FROM annotation AS a JOIN image AS i"
            " ON i.annotation_id = a.id WHERE i.state = 'discarded' GROUP BY a.discard_reason",
        ),
    ):
        if rows := release.rows(statement):
            counts = (
                f"{word.replace('_', ' ')} {count}" for word, count in sorted(map(tuple, rows))
            )
            yield f"{before}{', '.join(counts)}."
    for name, severity in release.rows("SELECT DISTINCT check_name, severity FROM finding"):
        rows = release.rows(
            "SELECT coalesce(verdict, 'open'), count(*) FROM finding"
            " WHERE check_name = ? AND severity = ? GROUP BY verdict",
            name,
            severity,
        )
        counts = (f"{word} {count}" for word, count in sorted(map(tuple, rows)))
        yield f"| {name} | {severity} | {', '.join(counts)} |"


def list_agreement(release: Recount) -> Iterator[str]:
    """The lines of the last measurement, with labels that the shown images may lack."""
    rows = release.rows("SELECT * FROM measurement WHERE name = 'agreement'")
    for row in rows:
        measured = json.loads(row["value"])
        at = datetime.fromisoformat(row["measured_at"])
        yield f"- measured at: {at:%Y-%m-%dT%H:%M:%SZ}"
        lacking = measured.pop("labels missing in an image", {})
        lacking.pop("assumption", None)
        for when, (value, low, high) in lacking.items():
            images = len(release.shown)
            yield (
                f"- labels that these {images} images are expected to lack, {when}: "
                f"{images * value:,.0f} ({images * low:,.0f} to {images * high:,.0f}, with 95 %)"
            )
        yield from (f"- {figure}: {value}" for figure, value in measured.items())


def list_drawn(release: Recount) -> list[Row]:
    """The outlines that people drew of objects whose masks the release shows."""
    return [
        row
        for image in release.masked
        for row in release.rows(
            "SELECT s.drawn_secs, s.inputs FROM segment AS s"
            " JOIN release_image AS ri ON ri.segmentation_id = s.segmentation_id"
            " JOIN release AS r ON r.id = ri.release_id"
            " JOIN segmentation AS d ON d.id = s.segmentation_id"
            " WHERE r.name = ? AND ri.image_id = ? AND s.object_key IS NOT NULL AND d.person_id"
            " NOT IN (SELECT id FROM person WHERE name LIKE 'import %')",
            release.odd.name,
            image["id"],
        )
    ]


def list_drawings(release: Recount) -> Iterator[str]:
    """How masks were drawn, and how well two drawings agree."""
    drawn = list_drawn(release)
    if drawn:
        secs = median(row["drawn_secs"] for row in drawn)
        inputs = median(row["inputs"] for row in drawn)
        yield (
            f"People drew outlines of {many(len(drawn), 'object')}, in {secs:.1f} active seconds "
            f"and {inputs:g} inputs each (medians); another person checked them with 2 inputs an "
            "image."
        )
        yield "IoU of cat in two blind drawings: 0.800 (one image, no interval; 1 object)"
        yield "IoU of all classes in two blind drawings: 0.800 (one image, no interval; 1 object)"
    if release.masked:
        has_earlier = release.notes["extends"] or release.notes["corrects"]
        void = "In new masks, void" if has_earlier else "Void"
        yield f"{void} is derived: 5 pixels wide along each border"


def list_licences(release: Recount) -> Iterator[str]:
    """The addresses of licences, and how many photographs may not be changed."""
    for url in sorted({photo["licence_url"] for photo in release.all_photos} - {None}):
        yield f"- {url}"
    fixed = sum("ND" in (photo["licence_name"] or "") for photo in release.all_photos)
    if fixed:
        yield f"{many(fixed, 'photograph')} of this release are under licences that forbid"


def count_known(release: Recount, images: list[Row]) -> str:
    """Of how many of these images owner and licence are known; nothing where of all."""
    known = [
        sum(
            any(photo[key] for key in keys for photo in release.photos[image["public_id"]])
            for image in images
        )
        for keys in (("owner_name", "owner_id"), ("licence_name",))
    ]
    if known == [len(images)] * 2:
        return ""
    return (
        f" (who took it is known of {known[0]}, the licence of {known[1]} of "
        f"{many(len(images), 'photograph')})"
    )
