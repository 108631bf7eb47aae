"""The datasheet of a release, answered from the record.

Its sections and questions are those of Gebru et al., Datasheets for Datasets (2021), section 3, in
their order. What only the makers can say is marked, so that nobody takes silence for an answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from export.plan import ReleasePlan

from .citation import describe, list_licences
from .composition import answer_composition, list_names
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
from .statistics import Table

Answers = Iterable[tuple[str, str]]


def format_datasheet(plan: ReleasePlan, facts: Facts, table: Table) -> str:
    """The text of DATASHEET.md; the same for the same release."""
    sections: tuple[tuple[str, Answers], ...] = (
        ("Motivation", _motivation(plan, facts)),
        ("Composition", answer_composition(plan, table)),
        ("Collection process", _collection(facts)),
        ("Preprocessing, cleaning and labelling", _labelling(facts)),
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


def _motivation(plan: ReleasePlan, facts: Facts) -> Answers:
    yield (
        "For what purpose was the dataset created?",
        f"For training and testing methods of {_list_tasks(plan)}. {UNANSWERED}",
    )
    yield (
        "Who created the dataset, and on behalf of which entity?",
        f"The annotation party “{escape_markdown(facts.party)}”. {UNANSWERED}",
    )
    yield "Who funded the creation of the dataset?", UNANSWERED


def _collection(facts: Facts) -> Answers:
    yield "How was the data associated with each instance acquired?", tell_queries(facts)
    yield (
        "What mechanisms or procedures were used to collect the data?",
        (
            "vocparty asked the public interfaces of the sources in the table, or read the folders "
            "and trees that were imported. People annotated in a browser."
        ),
    )
    yield (
        "If the dataset is a sample from a larger set, what was the sampling strategy?",
        (
            f"{_tell_sampling(facts)} What came of the photographs that were found: "
            f"{tell_counts(facts.photos, 'photographs')}"
        ),
    )
    yield (
        "Who was involved in the data collection process, and how were they compensated?",
        (
            f"{tell_people('annotated', facts.annotators, 'revision')} "
            f"{tell_people('checked', facts.checkers, 'verdict')} Altogether "
            f"{tell_hours(facts.active_hours)}. How they were compensated: {UNANSWERED}"
        ),
    )
    yield "Over what timeframe was the data collected?", tell_times(facts)
    yield "Were any ethical review processes conducted?", UNANSWERED
    yield (
        "Was the data collected from the individuals in question directly, or via third parties?",
        "Through the sources above, where the photographers had published it.",
    )
    yield (
        "Were the individuals in question notified about the data collection?",
        f"Not by vocparty. {UNANSWERED}",
    )
    yield (
        "Did the individuals in question consent to the collection and use of their data?",
        (
            "Photographers published under the licences in CREDITS.csv; nobody was asked one by "
            f"one. Of people who are shown: {UNANSWERED}"
        ),
    )
    yield (
        "Were they provided with a mechanism to revoke their consent?",
        (
            "A photograph is withdrawn with `vocparty takedown` where its owner, or somebody "
            "whom it shows, objects; it is in no later copy. Whom to ask: see Maintenance."
        ),
    )
    yield (
        "Has an analysis of the potential impact of the dataset on its subjects been conducted?",
        UNANSWERED,
    )


def _tell_sampling(facts: Facts) -> str:
    if any(query.searches for query in facts.queries):
        return "The windows of time above are random, and so is what is drawn from each."
    return "Nothing was sampled here."


def _labelling(facts: Facts) -> Answers:
    yield (
        "Was any preprocessing, cleaning or labelling of the data done?",
        (
            "Files that were broken, placeholders or too small were refused; orientation was "
            "applied and long sides were reduced as configured. Relations that dedup found: "
            f"{tell_counts(facts.duplicates, 'pairs')}\n\n"
            "Images were labelled as GUIDELINES.md says: exhaustively, by people in a browser, "
            "one image at a time; then a second person checked the image. Verdicts given: "
            f"{tell_counts(facts.verdicts, 'reviews')}\n\n"
            f"Discarded: {tell_counts(facts.discarded, 'images, by reason')}"
        ),
    )
    yield "What did the automatic checks find?", tell_checks(facts.checks)
    yield "How well do annotators agree?", tell_agreement(facts)
    yield (
        "Was the raw data saved in addition?",
        (
            "The makers' image store keeps the files that these were made of; release.json names "
            "them by their digests. They are no part of the release."
        ),
    )
    yield (
        "Is the software that was used available?",
        f"vocparty did all of it, and wrote this file. {UNANSWERED}",
    )


def _uses(plan: ReleasePlan) -> Answers:
    yield "Has the dataset been used for any tasks already?", UNANSWERED
    yield (
        "Is there a repository that links to papers or systems that use the dataset?",
        UNANSWERED,
    )
    yield "What tasks could the dataset be used for?", f"{_list_tasks(plan).capitalize()}."
    yield (
        "Is there anything about its composition or collection that might impact future uses?",
        (
            "The searches and the licences decided which photographs are in it, and photographers "
            "who publish much are in it more often. How often things occur here says nothing of "
            "how often they occur in the world."
        ),
    )
    yield (
        "Are there tasks for which the dataset should not be used?",
        "Identifying people, and conclusions on how often things occur in the world.",
    )


def _distribution(plan: ReleasePlan) -> Answers:
    yield "Will the dataset be distributed to third parties?", UNANSWERED
    yield (
        "How will the dataset be distributed, and does it have a DOI?",
        (
            "As this folder, or as tar archives of its tree (`vocparty archive`); README.md is a "
            f"dataset card, croissant.json its metadata. {UNANSWERED}"
        ),
    )
    yield "When will the dataset be distributed?", UNANSWERED
    yield (
        "Will it be distributed under a copyright or other licence, or under terms of use?",
        (
            f"Each photograph has its own licence, in CREDITS.csv:\n\n{list_licences(plan)}\n\n"
            f"Of the annotations: {UNANSWERED}"
        ),
    )
    yield (
        "Have any third parties imposed restrictions on the data?",
        "Those of the licences of the photographs; no others are recorded.",
    )
    yield "Do any export controls or other regulatory restrictions apply?", UNANSWERED


def _maintenance(plan: ReleasePlan) -> Answers:
    yield "Who will be supporting, hosting and maintaining the dataset?", UNANSWERED
    yield "How can the manager of the dataset be contacted?", UNANSWERED
    yield (
        "Is there an erratum?",
        "A later release says in its CHANGELOG.md what it has otherwise, image by image.",
    )
    yield (
        "Will the dataset be updated?",
        (
            f"This release, {escape_markdown(plan.name)}, will not, but for photographs that are "
            "withdrawn: they are in no later copy, and release.json names them."
        ),
    )
    if plan.withdrawn:
        yield "What was withdrawn since?", f"{len(plan.withdrawn)}: {', '.join(plan.withdrawn)}."
    if plan.notes.forced:
        reasons = "; ".join(plan.notes.forced)
        yield "Was it released in spite of anything?", f"Yes: {reasons}."
    yield (
        "If it relates to people, are there limits on the retention of the data?",
        f"None are recorded, but that photographs are withdrawn on request. {UNANSWERED}",
    )
    yield (
        "Will older versions of the dataset continue to be supported?",
        (
            "The makers can write each release again byte for byte, without what was withdrawn. "
            f"For how long: {UNANSWERED}"
        ),
    )
    yield (
        "If others want to extend or contribute to the dataset, is there a mechanism?",
        (
            "`vocparty import voc` takes it into a party of one's own, and `vocparty export "
            f"--extend` keeps its images and sets in a release of more. {UNANSWERED}"
        ),
    )


def _list_tasks(plan: ReleasePlan) -> str:
    tasks = ["classification", "detection"]
    tasks += ["person layout"] if plan.recipe.parts else []
    tasks += ["action classification"] if plan.recipe.actions else []
    return list_names(tasks)
