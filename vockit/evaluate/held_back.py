"""Images of a set of which a tree has no truth: nothing is scored on a set that has any."""

from __future__ import annotations

from collections.abc import Iterable

from vockit.format import tree

from .errors import EvaluateError
from .truth import Truth


def refuse_without_truth(truth: Truth) -> None:
    """Raise EvaluateError where the tree has no truth at all of the images of the set."""
    folders = (tree.MAIN, tree.LAYOUT, tree.ACTION, tree.SEGMENTATION)
    listed = [image_id for folder in folders for image_id in truth.list_images(folder)]
    kinds = (truth.is_annotated, truth.has_mask, truth.has_labels, truth.has_actions)
    if not any(has_truth(image_id) for has_truth in kinds for image_id in listed):
        raise _make_error(truth, listed, "anything")


def require_truth(truth: Truth, task: str) -> None:
    """Raise EvaluateError where the tree lacks the truth to score a task of an image of the set."""
    folder, has_truth = {
        "classification": (tree.MAIN, truth.has_labels),
        "detection": (tree.MAIN, truth.is_annotated),
        "action": (tree.ACTION, truth.has_actions),
        "layout": (tree.LAYOUT, truth.is_annotated),
        "segmentation": (tree.SEGMENTATION, truth.has_mask),
    }[task]
    listed = truth.list_images(folder)
    lacking = [image_id for image_id in listed if not has_truth(image_id)]
    if lacking or not listed:
        raise _make_error(truth, lacking, task, len(listed))


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
