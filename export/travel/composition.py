"""What a datasheet says of a release's composition, from the release alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from export.plan import ReleasePlan
from export.split_report import report_splits

from .citation import count_second_looks
from .record import UNANSWERED
from .statistics import Table, format_markdown

MOST_GROUPS = 5


def answer_composition(plan: ReleasePlan, table: Table) -> Iterable[tuple[str, str]]:
    """The questions of Datasheets for Datasets, section 3.2, with their answers."""
    yield (
        "What do the instances that comprise the dataset represent?",
        "Photographs with annotated objects.",
    )
    yield (
        "How many instances are there in total?",
        f"Images / objects in each set:\n\n{format_markdown(table).rstrip()}",
    )
    yield (
        "Does the dataset contain all possible instances or is it a sample?",
        (
            "A sample of photographs that somebody published with the words that were searched "
            "for (see Collection process), of configured licences only."
        ),
    )
    yield (
        "What data does each instance consist of?",
        (
            "The JPEG file of a photograph, stripped of metadata that could name people or "
            "places, and its annotation."
        ),
    )
    yield "Is there a label or target associated with each instance?", _labels(plan)
    yield "Is any information missing from individual instances?", _missing(plan)
    yield "Are relationships between individual instances made explicit?", _groups(plan)
    yield "Are there recommended data splits?", _splits(plan)
    yield (
        "Are there any errors, sources of noise, or redundancies in the dataset?",
        (
            f"{_second_looks(plan)} See the findings and the agreement below. Near-duplicates that "
            "dedup found are not in it."
        ),
    )
    yield (
        "Is the dataset self-contained, or does it rely on external resources?",
        (
            "It is self-contained. CREDITS.csv links to the photographs' pages, which may change "
            "or vanish; nothing here depends on them."
        ),
    )
    yield (
        "Does the dataset contain data that might be considered confidential?",
        f"The photographs had been published. {UNANSWERED}",
    )
    yield (
        "Does the dataset contain data that might be offensive or cause anxiety?",
        f"The photographs were not looked through for that. {UNANSWERED}",
    )
    yield "Does the dataset relate to people?", _people(plan)
    yield (
        "Does the dataset identify any subpopulations (e.g., by age, gender)?",
        "Only as far as the names of its classes, parts and actions do.",
    )
    yield (
        "Is it possible to identify individuals, either directly or indirectly?",
        (
            "People may be recognised in the pictures. Photographers are named with their "
            "photographs, as licences ask; times, places and serial numbers were removed."
        ),
    )
    yield (
        "Does the dataset contain data that might be considered sensitive in any way?",
        f"None is annotated. Of what the pictures show: {UNANSWERED}",
    )


def list_names(names: Sequence[str]) -> str:
    """The names in a sentence: a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _labels(plan: ReleasePlan) -> str:
    what = (
        f"every object of {len(plan.recipe.classes)} classes: box, view"
        f"{''.join(f', {flag}' for flag in plan.recipe.flags)}"
        f"{_list(', parts ', plan.recipe.parts)}{_list(', actions ', plan.recipe.actions)}"
    )
    blind = " Those of test are held back." if plan.is_blind else ""
    return f"Yes, an annotation of {what}.{blind}"


def _missing(plan: ReleasePlan) -> str:
    named = sum(1 for image in plan.annotated for photo in image.row.photos if photo.owner_name)
    of = sum(len(image.row.photos) for image in plan.annotated)
    segmented = sum(1 for image in plan.annotated if image.form and image.form.is_segmented)
    masks = f"{segmented} images are segmented" if segmented else "Nothing is segmented"
    return f"The owner's name is known of {named} of {of} photographs. {masks}."


def _groups(plan: ReleasePlan) -> str:
    groups = plan.notes.groups
    if not groups:
        return "No images of one owner, event or near-duplicate group were found."
    relations = Counter(relation for group in groups for relation in group.relations)
    named = ", ".join(f"{relation}: {count}" for relation, count in sorted(relations.items()))
    largest = ", ".join(str(len(group.images)) for group in groups[:MOST_GROUPS])
    return (
        f"{len(groups)} groups of images are bound together ({named}); the largest have {largest} "
        "images. splits.json lists them; no group lies in two of train, val and test."
    )


def _splits(plan: ReleasePlan) -> str:
    if plan.is_blind:
        return "train, val and test; the annotation of test is held back."
    report = report_splits(plan)
    return (
        "train, val (together trainval) and test. The share of a class in a set is off the wanted "
        f"one by {report.mean_deviation:.2f} points on average, {report.max_deviation:.2f} at most."
    )


def _second_looks(plan: ReleasePlan) -> str:
    checked, shown = count_second_looks(plan), len(plan.annotated)
    if checked == shown:
        return "Each annotation was accepted or mended by a second person."
    return (
        f"{checked} of {shown} annotations were accepted or mended by a second person; the others "
        "were imported as an earlier release has them."
    )


def _people(plan: ReleasePlan) -> str:
    if "person" in plan.recipe.classes:
        return "Yes: person is one of the classes. No names of people shown are recorded."
    return "Not by design; people may be in the pictures without being annotated."


def _list(label: str, names: Iterable[str]) -> str:
    joined = " ".join(names)
    return f"{label}({joined})" if joined else ""
