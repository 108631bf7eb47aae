"""Segmentation masks of a tree, kept byte for byte with their image."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from export.verify.png import PngError, read_png_header
from export.verify.trees import read_bytes

from .findings import Mend


def put_masks(
    paths: Mapping[str, str], size_wh: tuple[int, int], put: Callable[[bytes], str]
) -> tuple[dict[str, str], list[Mend]]:
    """The digests of the masks, by folder, and which stay behind because they fit no picture."""
    masks: dict[str, str] = {}
    mends: list[Mend] = []
    for folder, path in paths.items():
        data = read_bytes(path)
        fault = data if isinstance(data, str) else _find_fault(data, size_wh)
        if fault or isinstance(data, str):
            mends.append(Mend(path, 1, "mask", f"the mask is left behind: {fault}"))
        else:
            masks[folder] = put(data)
    return masks, mends


def _find_fault(data: bytes, size_wh: tuple[int, int]) -> str | None:
    try:
        header = read_png_header(data)
    except PngError as error:
        return str(error)
    if header.size_wh != size_wh:
        width, height = header.size_wh
        return f"it has {width} x {height} pixels, its picture {size_wh[0]} x {size_wh[1]}"
    return None
