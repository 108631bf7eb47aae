"""Segmentation masks of a tree, kept byte for byte with their image."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from export.verify.masks import check_image_masks
from export.verify.trees import read_bytes
from export.verify.violations import Violations

from .findings import Mend


def put_masks(
    paths: Mapping[str, str],
    most: tuple[int, int],
    size_wh: tuple[int, int],
    put: Callable[[bytes], str],
) -> tuple[dict[str, str], list[Mend]]:
    """The digests of the masks, by folder, and which stay behind because no release may have them.

    `most` are the largest numbers of a class and of an object.
    """
    violations = Violations()
    check_image_masks(paths, most, size_wh, violations)
    faults = {it.file: it for it in reversed(violations.sorted())}
    masks = {}
    for folder, path in paths.items():
        data = read_bytes(path)
        if path not in faults and isinstance(data, bytes):
            masks[folder] = put(data)
    mends = [
        Mend(it.file, 1, it.rule, f"the mask is left behind: {it.message}")
        for it in faults.values()
    ]
    return masks, mends
