"""Competitions of the small tree, as the sections of a page get them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from vockit.evaluate.competition import Competition, Section
from vockit.evaluate.galleries import Pictures
from vockit.evaluate.scoring import score
from vockit.evaluate.show import ScoreTable
from vockit.evaluate.truth import open_truth

from .small_tree import write


def compete(devkit: Path, task: str, name: str, **files: Mapping[str, str]) -> Competition:
    """The competition with the results of each method: texts by paths such as Main/FILE."""
    truth = open_truth(devkit, "val")
    methods = {}
    for method, texts in files.items():
        for path, text in texts.items():
            write(devkit / method / path, text)
        methods[method] = score(truth, devkit / method).tasks[task][name]
    return Competition(truth, task, name, methods, Pictures(truth, devkit / "galleries"))


def rows_of(table: ScoreTable) -> dict[str, dict[str, object]]:
    """The cells of a table by row and head, rounded to three decimals."""
    return {
        row: {
            head: round(cell, 3) if isinstance(cell, float) else cell
            for head, cell in zip(table.heads[1:], cells, strict=True)
        }
        for row, cells in table.rows
    }


def titles_of(sections: list[Section]) -> list[str]:
    return [section.title for section in sections]
