"""The verdict on a folder of results that its evaluation gives, without any label of the set."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from vockit.format.plural import format_count

from .coco_results import NO_IDS, CocoIds
from .entry import ALL, Entry, Selection
from .entry_reading import read_entry
from .held_back import require_listed
from .masks import check_masks
from .members import Caps
from .packed import open_results
from .truth import Truth


def check_results(
    truth: Truth,
    results: Path,
    selection: Selection = ALL,
    coco_ids: CocoIds = NO_IDS,
    caps: Caps | None = None,
) -> Entry:
    """All that `score` would score, which reads and refuses the same files in the same words.

    The tree needs its lists, and sizes of pictures or masks for segmentation; labels are not
    looked at. Raises SubmissionError with all problems of the files, and EvaluateError.
    """
    with open_results(results, caps) as folder:
        entry = read_entry(truth, folder, selection, coco_ids, require=require_listed)
        check_masks(entry)
        entry.refuse_faults()
    return replace(entry, results=results)


def format_entry(entry: Entry) -> Iterator[str]:
    """A line for each competition with what would be scored, then the notes."""
    truth = entry.truth
    yield f"{entry.results} can be scored on {truth.name} by the rules of {truth.rules}."
    for task, competition in entry.competitions:
        yield f"  {competition} ({task}): {_count(entry, task, competition)}"
    for note in entry.notes:
        yield f"Note: {note}"


def _count(entry: Entry, task: str, competition: str) -> str:
    """What a competition has, and which classes it lacks."""
    if task == "segmentation":
        return format_count(len(entry.truth.segmented), "mask")
    if task == "layout":
        return format_count(len(entry.layout[competition]), "layout")
    classes = getattr(entry, task)[competition]
    missing = entry.missing.get(competition, ())
    total = format_count(len(classes) + len(missing), "class", "classes")
    lacking = f"; missing: {', '.join(missing)}" if missing else ""
    return f"{len(classes)} of {total}{lacking}"


def make_document(entry: Entry) -> Any:
    """The same as JSON values, by task and competition: by some rules two tasks have comp6."""
    tasks: dict[str, dict[str, Any]] = {}
    for task, competition in entry.competitions:
        has_classes = task in ("classification", "detection", "action")
        tasks.setdefault(task, {})[competition] = {
            "classes": sorted(getattr(entry, task)[competition]) if has_classes else [],
            "missing": list(entry.missing.get(competition, ())),
        }
    return {
        "results": str(entry.results),
        "tree": entry.truth.root.resolve().name,
        "set": entry.truth.image_set,
        "rules": entry.truth.rules.value,
        "tasks": tasks,
        "notes": list(entry.notes),
    }
