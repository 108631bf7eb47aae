"""Notes on what nobody asked of a set, and on the rows that count neither way for it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vockit.format.plural import format_count

from .scores import ClassScore, Submission

MOST_NAMED = 5
"""Classes that a note names."""


def note_unasked(submission: Submission) -> Iterator[str]:
    """A sentence on the rows of each competition that count neither way, and one on the set."""
    for competitions in submission.tasks.values():
        for competition, classes in competitions.items():
            if left_out := _count_left_out(classes):
                rows = sum(left_out.values())
                yield (
                    f"{competition}: {format_count(rows, 'row')} of what was not asked "
                    f"count{'s' if rows == 1 else ''} neither way ({_list_some(left_out)})."
                )
    truth = submission.truth
    images = {name: int(flags.sum()) for name, flags in truth.unasked.items()}
    if images and submission.tasks.keys() & {"classification", "detection"}:
        yield (
            f"Of {format_count(len(truth.images), 'image')} of {truth.image_set}, not all were "
            f"asked about every class; not asked: {_list_some(images)}."
        )


def _count_left_out(classes: Mapping[str, ClassScore]) -> dict[str, int]:
    """The rows of each class that count neither way, where there are any."""
    return {
        name: score.evidence.left_out
        for name, score in classes.items()
        if score.evidence is not None and score.evidence.left_out
    }


def _list_some(counts: Mapping[str, int]) -> str:
    """The first names with their counts, and how many more there are."""
    texts = [f"{name} {count:,}" for name, count in counts.items()]
    more = [f"{len(texts) - MOST_NAMED:,} more"] if len(texts) > MOST_NAMED else []
    return ", ".join([*texts[:MOST_NAMED], *more])
