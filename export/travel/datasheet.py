"""The datasheet of a release, answered from the record.

Its sections are those of Gebru et al., Datasheets for Datasets (2021). What only the makers can say
is marked, so that nobody takes silence for an answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from export.plan import ReleasePlan
from export.split_report import report_splits

from .citation import count_second_looks, describe, list_licences
from .escapes import escape_markdown
from .facts import Facts
from .record import (
    UNANSWERED,
    tell_agreement,
    tell_checks,
    tell_counts,
    tell_hours,
    tell_people,
    tell_queries,
    tell_times,
)
from .statistics import Table, format_markdown

MOST_GROUPS = 5


def format_datasheet(plan: ReleasePlan, facts: Facts, table: Table) -> str:
    """The text of DATASHEET.md; the same for the same release."""
    sections = (
        ("Motivation", _motivation(facts)),
        ("Composition", _composition(plan, table)),
        ("Collection", _collection(plan, facts)),
        ("Cleaning and labelling", _labelling(plan, facts)),
        ("Uses", _uses(plan)),
        ("Distribution", _distribution(plan)),
        ("Maintenance", _maintenance(plan)),
    )
    body = "".join(
        f"\n## {title}\n" + "".join(f"\n**{question}**\n\n{answer}\n" for question, answer in pairs)
        for title, pairs in sections
    )
    name, what = escape_markdown(plan.name), escape_markdown(describe(plan))
    return f"# Datasheet of {name}\n\n{what}\n{body}"


_Pairs = Iterable[tuple[str, str]]


def _motivation(facts: Facts) -> _Pairs:
    yield (
        "Why was it made, and who made it?",
        f"By the annotation party “{escape_markdown(facts.party)}”. {UNANSWERED}",
    )
    yield "Who paid for it?", UNANSWERED


def _composition(plan: ReleasePlan, table: Table) -> _Pairs:
    yield (
        "What are the instances, and how many are there?",
        f"Photographs with annotated objects. Images / objects in each set:\n\n"
        f"{format_markdown(table).rstrip()}",
    )
    yield (
        "Is it a sample?",
        (
            "Yes: of photographs that somebody published with the words that were searched for "
            "(see Collection), of configured licences only."
        ),
    )
    yield (
        "What does each instance hold?",
        (
            "The JPEG file, stripped of metadata that could name people or places, and an "
            f"annotation of every object of {len(plan.recipe.classes)} classes: box, view"
            f"{''.join(f', {flag}' for flag in plan.recipe.flags)}"
            f"{_list(', parts ', plan.recipe.parts)}{_list(', actions ', plan.recipe.actions)}."
        ),
    )
    yield "Are relations between instances made explicit?", _groups(plan)
    yield "Are there recommended splits?", _splits(plan)
    yield (
        "Are there errors or redundancies?",
        (
            f"{_second_looks(plan)} See the findings and the agreement below. Near-duplicates that "
            "dedup found are not in it."
        ),
    )
    yield "Does it relate to people?", _people_answer(plan)
    yield "What is missing?", _missing(plan)


def _collection(plan: ReleasePlan, facts: Facts) -> _Pairs:
    yield "How was the data acquired?", tell_queries(facts)
    yield "Over what time?", tell_times(facts)
    yield (
        "Who was involved, and for how long?",
        (
            f"{tell_people('annotated', facts.annotators, 'revision')} "
            f"{tell_people('checked', facts.checkers, 'verdict')} Altogether "
            f"{tell_hours(facts.active_hours)}."
        ),
    )
    yield (
        "Did people whose photographs these are consent?",
        (
            "They published them under the licences in CREDITS.csv; nobody was asked one by one. "
            "A photograph whose owner objects is withdrawn with `vocparty takedown`."
        ),
    )
    yield "What came of the photographs that were found?", tell_counts(facts.photos, "photographs")


def _labelling(plan: ReleasePlan, facts: Facts) -> _Pairs:
    yield (
        "What was done to the raw data?",
        (
            "Files that were broken, placeholders or too small were refused; orientation was "
            f"applied and long sides were reduced as configured. Relations that dedup found: "
            f"{tell_counts(facts.duplicates, 'pairs')}"
        ),
    )
    yield (
        "How was it labelled?",
        (
            "As GUIDELINES.md says: exhaustively, by people in a browser, one image at a time; "
            "then a second person checked the image. Verdicts given: "
            f"{tell_counts(facts.verdicts, 'reviews')}"
        ),
    )
    yield "What was discarded?", tell_counts(facts.discarded, "images, by reason")
    yield "What did the automatic checks find?", tell_checks(facts.checks)
    yield "How well do annotators agree?", tell_agreement(facts)


def _uses(plan: ReleasePlan) -> _Pairs:
    tasks = ["classification", "detection"]
    tasks += ["person layout"] if plan.recipe.parts else []
    tasks += ["action classification"] if plan.recipe.actions else []
    yield "What is it for?", f"Training and testing methods of {', '.join(tasks)}."
    yield (
        "What should it not be used for?",
        (
            "Identifying people, or drawing conclusions on how often things occur in the world: "
            "the searches decide that."
        ),
    )


def _distribution(plan: ReleasePlan) -> _Pairs:
    yield (
        "Under which licences?",
        f"Each photograph has its own, in CREDITS.csv:\n\n{list_licences(plan)}",
    )


def _maintenance(plan: ReleasePlan) -> _Pairs:
    yield (
        "Will it change?",
        (
            f"This release, {escape_markdown(plan.name)}, will not, but for photographs that are "
            "withdrawn: they are in no later copy, and release.json names them. Later releases say "
            "in their CHANGELOG.md what they have otherwise."
        ),
    )
    if plan.withdrawn:
        yield "What was withdrawn since?", f"{len(plan.withdrawn)}: {', '.join(plan.withdrawn)}."
    if plan.notes.forced:
        reasons = "; ".join(plan.notes.forced)
        yield "Was it released in spite of anything?", f"Yes: {reasons}."
    yield "Whom can one ask?", UNANSWERED


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


def _people_answer(plan: ReleasePlan) -> str:
    if "person" in plan.recipe.classes:
        return "Yes: person is one of the classes. No names of people shown are recorded."
    return "Not by design; people may be in the pictures without being annotated."


def _missing(plan: ReleasePlan) -> str:
    named = sum(1 for image in plan.annotated for photo in image.row.photos if photo.owner_name)
    of = sum(len(image.row.photos) for image in plan.annotated)
    segmented = sum(1 for image in plan.annotated if image.form and image.form.is_segmented)
    masks = f"{segmented} images are segmented" if segmented else "Nothing is segmented"
    return f"The owner's name is known of {named} of {of} photographs. {masks}."


def _second_looks(plan: ReleasePlan) -> str:
    checked, shown = count_second_looks(plan), len(plan.annotated)
    if checked == shown:
        return "Each annotation was accepted or mended by a second person."
    return (
        f"{checked} of {shown} annotations were accepted or mended by a second person; the others "
        "were imported as an earlier release has them."
    )


def _list(label: str, names: Iterable[str]) -> str:
    joined = " ".join(names)
    return f"{label}({joined})" if joined else ""
