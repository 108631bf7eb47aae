"""Images of a set of which a tree has no truth: nothing is scored on a set that has any."""

from __future__ import annotations

from collections.abc import Iterable

from vockit.format import tree

from .errors import EvaluateError
from .truth import Truth

_FOLDERS = {
    "classification": tree.MAIN,
    "detection": tree.MAIN,
    "action": tree.ACTION,
    "layout": tree.LAYOUT,
    "segmentation": tree.SEGMENTATION,
}
"""The folder whose lists name what a task is scored on."""


def has_any_truth(truth: Truth) -> bool:
    """Whether the tree has any truth of an image of the set: a kit has none of a test set."""
    kinds = (truth.is_annotated, truth.has_mask, truth.has_labels, truth.has_actions)
    return any(has_truth(image_id) for has_truth in kinds for image_id in _list_images(truth))


def refuse_without_truth(truth: Truth) -> None:
    """Raise EvaluateError where the tree has no truth at all of the images of the set."""
    if not has_any_truth(truth):
        raise _make_error(truth, _list_images(truth), "anything")


def _list_images(truth: Truth) -> list[str]:
    """The images that the lists of any task name."""
    folders = (tree.MAIN, tree.LAYOUT, tree.ACTION, tree.SEGMENTATION)
    return [image_id for folder in folders for image_id in truth.list_images(folder)]


def require_truth(truth: Truth, task: str) -> None:
    """Raise EvaluateError where the tree lacks the truth to score a task of an image of the set."""
    has_truth = {
        "classification": truth.has_labels,
        "detection": truth.is_annotated,
        "action": truth.has_actions,
        "layout": truth.is_annotated,
        "segmentation": truth.has_mask,
    }[task]
    listed = truth.list_images(_FOLDERS[task])
    lacking = [image_id for image_id in listed if not has_truth(image_id)]
    if lacking or not listed:
        raise _make_error(truth, lacking, task, len(listed))


def require_listed(truth: Truth, task: str) -> None:
    """Raise EvaluateError where the list for a task names no image, so that nothing is checked.

    Without a list there is none to check against: a blind release holds back those of persons.
    """
    folder = _FOLDERS[task]
    if truth.has_set(folder) and not truth.list_images(folder):
        raise EvaluateError(
            f"{truth.root / tree.set_path(folder, truth.image_set)} names no image, so that no "
            f"{task} can be checked. Choose another set with --set."
        )


def _make_error(
    truth: Truth, lacking: Iterable[str], task: str, images: int | None = None
) -> EvaluateError:
    """The sentence on the images that lack their truth; `images` is how many the set has."""
    ids = sorted(set(lacking))
    which = (
        f"{len(ids):,} of {images or len(ids):,} images (such as {ids[0]})" if ids else "any image"
    )
    return EvaluateError(
        f"{truth.root} has no truth to score {task} of {which} in the set {truth.image_set}: the "
        "annotation is held back or lost, and nothing was scored. Choose another set with --set, "
        "or the tree that was published with this annotation."
    )
