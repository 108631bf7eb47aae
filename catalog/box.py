"""VOC's box: integer pixels, the top-left pixel is (1, 1), both ends belong to the box."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Box:
    """A rectangle of whole pixels, 1-based and inclusive (VOC2011 devkit, section 3.4.2).

    Raises ValueError unless 1 <= xmin <= xmax and 1 <= ymin <= ymax.
    """

    xmin: int
    ymin: int
    xmax: int
    ymax: int

    def __post_init__(self) -> None:
        if not 1 <= self.xmin <= self.xmax:
            raise ValueError(f"expected 1 <= xmin <= xmax, got {self.xmin} and {self.xmax}")
        if not 1 <= self.ymin <= self.ymax:
            raise ValueError(f"expected 1 <= ymin <= ymax, got {self.ymin} and {self.ymax}")

    @property
    def xyxy(self) -> tuple[int, int, int, int]:
        """(xmin, ymin, xmax, ymax)."""
        return self.xmin, self.ymin, self.xmax, self.ymax

    @property
    def width_px(self) -> int:
        """Pixels from left to right, both ends counted."""
        return self.xmax - self.xmin + 1

    @property
    def height_px(self) -> int:
        """Pixels from top to bottom, both ends counted."""
        return self.ymax - self.ymin + 1

    @property
    def area_px(self) -> int:
        """Pixels inside."""
        return self.width_px * self.height_px

    def is_inside(self, width_px: int, height_px: int) -> bool:
        """Whether an image of this size holds the whole box."""
        return self.xmax <= width_px and self.ymax <= height_px


def intersection_px(first: Box, second: Box) -> int:
    """Pixels that lie in both boxes."""
    width = min(first.xmax, second.xmax) - max(first.xmin, second.xmin) + 1
    height = min(first.ymax, second.ymax) - max(first.ymin, second.ymin) + 1
    return max(width, 0) * max(height, 0)


def overlap(first: Box, second: Box) -> float:
    """Intersection over union, 0 to 1, in whole pixels (the paper, section 4.2.2)."""
    shared = intersection_px(first, second)
    return shared / (first.area_px + second.area_px - shared)


def clamp(xyxy: tuple[int, int, int, int], width_px: int, height_px: int) -> Box:
    """The nearest box that lies inside an image of this size, at least one pixel large."""
    largest = (width_px, height_px) * 2
    xmin, ymin, xmax, ymax = (
        min(max(side, 1), most) for side, most in zip(xyxy, largest, strict=True)
    )
    return Box(min(xmin, xmax), min(ymin, ymax), max(xmin, xmax), max(ymin, ymax))
