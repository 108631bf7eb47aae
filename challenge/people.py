"""People as a method: what second annotators gave of the test set, where the release has it.

They had some of the images. Their figures are of these and never change; no entry is scored on
them beside, since that would be a further number of each submission on few images.
"""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

from vockit.evaluate.curves import Rules
from vockit.evaluate.people import PEOPLE, find_people
from vockit.evaluate.people_comparison import EVERY, Figures, compare_people
from vockit.evaluate.results import COMPETITIONS
from vockit.evaluate.truth import Truth, open_truth
from vockit.format import tree
from vockit.format.whole_file import write_whole
from vockit.report.intervals import Interval as Estimate

from .values import Interval, Part, People, PeopleRow

_DECIMALS = 1
_MEASURES = ("precision", "recall", "overlap", "ap", "iou")


def keep_people(truth: Truth, target: Path, evaluator: str) -> None:
    """Copy what people gave next to the sealed labels in `target`, and keep their figures."""
    source = truth.root.resolve().parent / "results" / PEOPLE
    if find_people(truth) is None:
        return
    place = target / tree.DEVKIT / "results" / PEOPLE
    shutil.copytree(source, place, copy_function=shutil.copyfile)
    for path in (place.parent, place, *place.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
    keep_figures(target, truth.image_set, truth.rules, evaluator)


def keep_figures(target: Path, image_set: str, rules: Rules, evaluator: str) -> None:
    """Keep what people reach by an evaluator, where the sealed labels in `target` have people."""
    place = _figures_path(target, evaluator)
    if place.is_file():
        return
    truth = open_truth(target, image_set, rules)
    people = find_people(truth)
    if people is None:
        return
    compared = compare_people(truth, people, {})
    tasks = {
        task: {name: _round(figures) for name, figures in by_method[PEOPLE].items()}
        for task, by_method in compared.tasks.items()
    }
    document = {
        "images": compared.images,
        "people": compared.people,
        "masks": compared.masks,
        "mask_people": compared.mask_people,
        "tasks": tasks,
    }
    write_whole(place, json.dumps(document).encode(), mode=0o600)


def _figures_path(truth_folder: Path, evaluator: str) -> Path:
    """The figures of an evaluator; those of the one before stay for the editions that have them."""
    return truth_folder / f"people-{evaluator.replace(' ', '-')}.json"


def _round(figures: Figures) -> dict[str, list[float | None]]:
    """Each measure as [value, low, high] in percent."""
    return {name: _round_estimate(getattr(figures, name)) for name in _MEASURES}


def _round_estimate(estimate: Estimate) -> list[float | None]:
    ends = (estimate.value, estimate.low, estimate.high)
    return [None if math.isnan(end) else round(100 * end, _DECIMALS) for end in ends]


def load_people(
    truth_folder: Path, evaluator: str, competition: str, part: Part | None
) -> People | None:
    """What people reach in the task of a competition; None where nobody may see it or none did.

    With a public part it waits for the end, as all that is of the whole set.
    """
    path = _figures_path(truth_folder, evaluator)
    if part is not Part.WHOLE or not path.is_file():
        return None
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    task = next(task for task, names in COMPETITIONS.items() if competition in names)
    rows = document["tasks"].get(task)
    if not rows:
        return None
    is_masks = task == "segmentation"
    return People(
        images=document["masks" if is_masks else "images"],
        people=document["mask_people" if is_masks else "people"],
        rows=tuple(
            PeopleRow(
                "" if name == EVERY else name,
                **{key: Interval(*row) for key, row in measures.items()},
            )
            for name, measures in sorted(rows.items(), key=lambda item: item[0] != EVERY)
        ),
    )
