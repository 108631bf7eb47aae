"""The texts that accompany a release: card, citation, credits and changes."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

from catalog.image_store import digest_of
from export.attributes import ATTRIBUTES, describe_attributes
from export.difference import PICTURE_FIELD, Difference, count_corrected
from export.fields import FieldCount, count_fields
from export.forms import SOURCES_OF_FLICKR
from export.parquet import MASK_COLUMNS, has_unlisted, list_columns
from export.plan import ReleasePlan, is_taster
from export.recipe import list_retired
from export.suggestions import describe_suggestions, describe_test_detectors
from export.tree_files import tree_path
from vockit.foreign.tree_images import UNLISTED
from vockit.format.image_sets import Split
from vockit.format.plural import format_count

from .pictures import find_kinds
from .summaries import count_labels, count_looks

UNKNOWN = "unknown"
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_OVERRIDES = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_MARKDOWN = re.compile(r"[\\`*_\[\]<>|~$#]|&(?=#?\w+;)|^[-+=:]|(?<=^\d)[.)]")
_HIDDEN = re.compile(r"[\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")
_NO_DERIVATIVES = re.compile(r"\bnd\b|no ?deriv", re.IGNORECASE)
_FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")  # also in full width


def render(template: str, plan: ReleasePlan, **values: Any) -> str:
    """The template of that name; HTML is escaped, the rest by the filters `md` and `yaml`."""
    about = plan.notes.about
    photos = [photo for image in plan.images for photo in image.row.photos]
    named = {(fit_line(photo.licence_url or ""), photo.licence_name or "") for photo in photos}
    notices = []
    if any(photo.source in SOURCES_OF_FLICKR for photo in photos):
        notices.append(  # as the Flickr APIs' terms of use ask for, section 1
            "This product uses the Flickr API but is not endorsed or certified by SmugMug, Inc. "
            "The photographs are from Flickr; using them must respect Flickr's terms "
            "(https://www.flickr.com/help/terms)."
        )
    of_all = (f"{photo.licence_name} {photo.licence_url}" for photo in photos)
    if fixed := sum(bool(_NO_DERIVATIVES.search(text)) for text in of_all):
        notices.append(
            f"{format_count(fixed, 'photograph')} of this release are under licences that forbid "
            f"changed copies (ND). They may be scaled or turned here; {_compare_metadata(plan)}."
        )
    safe = (url if is_safe(url) else fit_line(name) or UNKNOWN for url, name in named)
    return _TEMPLATES.get_template(template).render(
        plan=plan,
        about=defaultdict(str, about),
        authors=list(about.get("authors", ())) or [plan.recipe.annotation],
        licences=sorted(set(safe)) or [UNKNOWN],
        notices=notices,
        tree=tree_path(plan),
        fields=count_fields(plan),
        is_safe=is_safe,
        **values,
    )


def _compare_metadata(plan: ReleasePlan) -> str:
    """Whether the pictures have lost what metadata they had."""
    kinds_of = find_kinds(plan)
    if kinds_of is None:
        return "their metadata may have been stripped"
    if not kinds_of:
        return "they have no metadata"
    return f"{format_count(len(kinds_of), 'picture')} of the release have metadata still"


def is_safe(url: str) -> bool:
    """Whether a page may link to the address."""
    return url.startswith(("http://", "https://"))


def describe(plan: ReleasePlan) -> str:
    """What the release is, in a few sentences."""
    recipe = plan.recipe
    images = format_count(len(plan.images), "photograph")
    shown = [item for image in plan.annotated for item in plan.records[image.public_id].objects]
    held = len({item.name for item in shown})
    most = len(recipe.classes)
    classes = f"{held} of {most} classes" if held < most else format_count(held, "class", "classes")
    fields = [count for count in count_fields(plan) if count.name != "mask"]
    extras = ["boxes", *(describe_field(count, len(shown)) for count in fields)]
    sentences = [
        f"{recipe.database}, release {plan.name}: {images} with "
        f"{format_count(len(shown), 'annotated object')} of {classes} in the format of "
        "PASCAL VOC.",
        f"Objects have {', '.join(extras)}; {_describe_checking(plan)}.",
        describe_masks(plan),
        describe_test2(plan),
        describe_negatives(plan),
        describe_attributes(plan),
        describe_asked(plan),
        describe_held_back(plan),
    ]
    return " ".join(filter(None, sentences))


def _describe_checking(plan: ReleasePlan) -> str:
    """How many annotations a second person checked, and how many of the others were imported."""
    shown = len(plan.annotated)
    checked = plan.second_looks
    if checked == shown:
        return "each annotation was checked by a second person"
    imported = sum(count_looks(plan).trees.values()) + count_labels(plan).unseen
    others = "others" if imported == shown - checked else f"{imported}"
    text = f"{checked} of {shown} annotations were checked by a second person"
    return f"{text}, {others} imported" if imported else text


def describe_masks(plan: ReleasePlan) -> str:
    """How many images have masks; empty without any."""
    if not (masked := len(plan.masked)):
        return ""
    has = "has" if masked == 1 else "have"
    return f"{masked} of {format_count(len(plan.annotated), 'image')} {has} segmentation masks."


def describe_asked(plan: ReleasePlan) -> str:
    """Sentences on the images that were not asked about every class; empty without any."""
    tasters = len([image for image in plan.asked_in_part if is_taster(image)])
    asked = len(plan.asked_in_part) - tasters
    images = format_count(len(plan.annotated), "image")
    sentences = list[str]()
    if asked:
        sentences.append(
            f"{asked} of {images} {'was' if asked == 1 else 'were'} not asked about every class: "
            "class lists have no line of what was not asked."
        )
    if tasters:
        sentences.append(
            f"{tasters} of {images} {'is' if tasters == 1 else 'are'} in the lists of Layout or "
            "Action alone: only the people chosen for these tasks are annotated there."
        )
    return " ".join(sentences)


def describe_negatives(plan: ReleasePlan) -> str:
    """How many images show no object of the classes; empty without any."""
    negatives = [image for image in plan.annotated if not image.row.objects]
    if not negatives:
        return ""
    shows = "shows" if len(negatives) == 1 else "show"
    is_in_part = any(plan.asked(image) is not None for image in negatives)
    classes = "classes that were asked about" if is_in_part else "classes"
    return (
        f"{len(negatives)} of {format_count(len(plan.annotated), 'image')} {shows} no object of "
        f"the {classes}; their annotation files have no object, which PASCAL's own kit cannot read."
    )


def describe_retired(plan: ReleasePlan) -> str:
    """A sentence on the words that left the preset while objects had them; empty without any."""
    if not (words := list_retired(plan.recipe)):
        return ""
    return (
        f"Left the preset before the release was made: {', '.join(words)}. Objects that had "
        "such a word keep it, and later ones could not get it."
    )


def describe_field(count: FieldCount, shown: int) -> str:
    """A field, how many of the shown objects have it, and of how many it was decided."""
    known = count.decided + count.imported
    if count.undecided:
        return f"{count.name} (decided for {known} of {count.objects})"
    return (
        count.name
        if count.objects == shown
        else f"{count.name} ({format_count(count.objects, 'object')})"
    )


def describe_held_back(plan: ReleasePlan) -> str:
    """A sentence on the images whose annotation the release does not show; empty without any."""
    tests = [split for split in plan.splits if split.is_test]
    hidden = list_hidden(plan)
    if hidden == tests:
        sets = "set" if len(tests) == 1 else "sets"
        return f"The annotation of its test {sets} is held back."
    if not (held_back := len(plan.held_back)):
        return ""
    images = format_count(sum(image.split.is_test for image in plan.images), "test image")
    return f"The annotation of {held_back} of {images} is held back."


def describe_hidden(plan: ReleasePlan) -> str:
    """Which annotations are held back, where the text speaks of annotations; empty for none."""
    if hidden := list_hidden(plan):
        return f"Those of {' and '.join(hidden)} are held back."
    return describe_held_back(plan)


def list_hidden(plan: ReleasePlan) -> list[Split]:
    """The test sets of which the release shows no annotation."""
    shown = {image.split for image in plan.annotated}
    held_back = {image.split for image in plan.held_back}
    return [
        split
        for split in plan.splits
        if split.is_test and (plan.is_blind or split in held_back - shown)
    ]


def name_tests(plan: ReleasePlan) -> str:
    """The test sets of the release: test, or test and test2."""
    return " and ".join(split for split in plan.splits if split.is_test)


def name_sets(plan: ReleasePlan) -> str:
    """The sets that the tables may name, such as train, val or test."""
    names = list(map(str, plan.splits))
    if has_unlisted(plan):
        names.append(UNLISTED)
    return f"{', '.join(names[:-1])} or {names[-1]}"


def describe_test2(plan: ReleasePlan) -> str:
    """What test2 is, in a sentence; empty where there is none."""
    images = sum(image.split is Split.TEST2 for image in plan.images)
    if not plan.recipe.test2:
        return "test2 is a second test set." if images else ""
    return (
        f"test2 is a second test set, of another origin: {format_count(images, 'image')} that "
        f"come from {plan.recipe.test2} alone. No other set has images of that source, unless an "
        "extended release had put them there."
    )


_LIST_COLUMNS = {
    "positive": "The classes that it was asked about and shows.",
    "negative": "The classes that it was asked about and does not show.",
    "not_asked": "The classes that it was not asked about.",
    "lists": "The folders of image sets that list it.",
}


def format_croissant(plan: ReleasePlan, files: Mapping[str, bytes]) -> str:
    """Croissant metadata (MLCommons' format 1.0, JSON-LD) over these Parquet files."""
    mask_columns = MASK_COLUMNS if plan.masked else {}
    number = plan.name.rpartition(".")[2]
    is_numbered = plan.notes.corrects is not None and number.isdecimal()
    text = render(
        "croissant.json",
        plan,
        files=files,
        digest_of=digest_of,
        mask_columns=mask_columns,
        list_columns=[(name, "sc:Text", _LIST_COLUMNS[name]) for name, _ in list_columns(plan)],
        edition=int(number) if is_numbered else 0,
    )
    return json.dumps(json.loads(text), indent=2, ensure_ascii=False) + "\n"


CREDIT = ("id", "owner", "title", "licence", "licence_url", "page_url", "source", "source_id")


def iterate_credits(plan: ReleasePlan) -> Iterator[dict[str, str]]:
    """The photographs in order of the ids, without those of a hidden test set.

    What the source did not say is empty.
    """
    for image in plan.images:
        for photo in () if plan.hides(image) else image.row.photos:
            owner = photo.owner_name or photo.owner_id
            credit = owner, photo.title, photo.licence_name, photo.licence_url, photo.page_url
            texts = image.public_id, *credit, photo.source.value, photo.source_id
            yield {name: text or "" for name, text in zip(CREDIT, texts, strict=True)}


def format_credits_csv(plan: ReleasePlan) -> str:
    """One line for each photograph; a cell that a spreadsheet would run gets an apostrophe."""
    target = io.StringIO()
    writer = csv.writer(target, lineterminator="\n")
    writer.writerow(CREDIT)
    writer.writerows(map(defuse_formula, credit.values()) for credit in iterate_credits(plan))
    return target.getvalue()


def format_changes(plan: ReleasePlan, before: str | None, difference: Difference | None) -> str:
    """CHANGELOG.md; no `difference` where it would tell of a test set that is held back."""
    changes = difference.changes if difference else ()
    return render(
        "CHANGELOG.md",
        plan,
        before=before,
        found=difference,
        changed_fields=sorted(Counter(change.field for change in changes).items()),
        corrected=count_corrected(plan.notes.corrections),
        stripped=sum(change["field"] == PICTURE_FIELD for change in plan.notes.corrections),
        most=1000,
    )


def format_withdrawn(plan: ReleasePlan) -> str:
    """What CHANGELOG.md of a copy says at its end of what the release had when it was made."""
    images = format_count(len(plan.withdrawn), "image")
    return f"\nWithdrawn since this was written: {images}, which release.json names.\n"


def fit_line(text: str, most_chars: int | None = None) -> str:
    """The text on one line without control characters, cut where it is longer than that."""
    line = _CONTROLS.sub(" ", text).strip()
    if most_chars is not None and len(line) > most_chars:
        return f"{line[: most_chars - 1]}…"
    return line


def escape_markdown(text: str, most_chars: int | None = None) -> str:
    """The text as Markdown shows it: no HTML, no link, no table cell; directions stay in it."""
    line = _OVERRIDES.sub("", fit_line(text, most_chars))
    return _MARKDOWN.sub(r"\\\g<0>", line)


def quote_yaml(text: str) -> str:
    """A YAML scalar: JSON's strings are YAML's, once what YAML forbids or hides is escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _HIDDEN.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def defuse_formula(text: str) -> str:
    """The text on one line, with an apostrophe in front of a formula (OWASP, CSV Injection)."""
    line = fit_line(text)
    return f"'{line}" if line.startswith(_FORMULA) else line


_TEMPLATES = Environment(
    loader=PackageLoader(__package__ or ""),
    autoescape=select_autoescape(),
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    keep_trailing_newline=True,
)
_TEMPLATES.filters |= {"line": fit_line, "md": escape_markdown, "yaml": quote_yaml}
_TEMPLATES.globals |= {
    "describe": describe,
    "describe_masks": describe_masks,
    "describe_attributes": describe_attributes,
    "attributes_path": ATTRIBUTES,
    "describe_asked": describe_asked,
    "describe_held_back": describe_held_back,
    "describe_retired": describe_retired,
    "describe_hidden": describe_hidden,
    "describe_test2": describe_test2,
    "describe_suggestions": describe_suggestions,
    "describe_test_detectors": describe_test_detectors,
    "name_sets": name_sets,
    "name_tests": name_tests,
    "count": format_count,
}
_TEMPLATES.policies["json.dumps_kwargs"] = {"sort_keys": False}
