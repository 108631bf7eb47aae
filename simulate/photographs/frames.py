"""Where things go when a picture is cropped and resized: boxes in, boxes out."""

from __future__ import annotations

from dataclasses import dataclass

from catalog.box import Box


@dataclass(frozen=True)
class Frame:
    """The part of a picture between edges (left, top, right, bottom), shown at a size in pixels."""

    edges: tuple[int, int, int, int]
    size_wh: tuple[int, int]

    def show(self, box: Box) -> Box | None:
        """The box in the shown picture, at least a pixel large; None where it lies outside."""
        left, top, right, bottom = self._edges_shown(box)
        width, height = self.size_wh
        if right <= 0 or bottom <= 0 or left >= width or top >= height:
            return None
        xmin, xmax = _to_pixels(left, right, width)
        ymin, ymax = _to_pixels(top, bottom, height)
        return Box(xmin, ymin, xmax, ymax)

    def share_shown(self, box: Box) -> float:
        """How much of the box's area lies inside the frame, 0 to 1."""
        left, top, right, bottom = self.edges
        width = min(box.xmax, right) - max(box.xmin - 1, left)
        height = min(box.ymax, bottom) - max(box.ymin - 1, top)
        return max(width, 0) * max(height, 0) / box.area_px

    def _edges_shown(self, box: Box) -> tuple[float, float, float, float]:
        left, top, right, bottom = self.edges
        scale_x = self.size_wh[0] / (right - left)
        scale_y = self.size_wh[1] / (bottom - top)
        return (
            (box.xmin - 1 - left) * scale_x,
            (box.ymin - 1 - top) * scale_y,
            (box.xmax - left) * scale_x,
            (box.ymax - top) * scale_y,
        )


def _to_pixels(low_edge: float, high_edge: float, length: int) -> tuple[int, int]:
    """First and last pixel between two edges, inside 1 to length."""
    first = min(max(round(low_edge), 0), length - 1) + 1
    return first, max(first, min(round(high_edge), length))
