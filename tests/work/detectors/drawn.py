"""Pictures that detectors of the tests look at."""

from __future__ import annotations

import cv2
import numpy as np

from work.detectors.preparation import Pixels

SIDE_PX = 66
"""Of a wheel."""


def draw_wheel(seed: int) -> tuple[Pixels, tuple[int, int]]:
    """A picture of soft noise with a wheel of spokes, and the wheel's left and top edge."""
    rng = np.random.default_rng(seed)
    noise = rng.integers(90, 160, (15, 20, 3), dtype=np.uint8)
    pixels = np.asarray(cv2.resize(noise, (200, 150)), np.uint8).copy()
    left = int(rng.integers(10, 190 - SIDE_PX))
    top = int(rng.integers(10, 140 - SIDE_PX))
    centre = (left + SIDE_PX // 2, top + SIDE_PX // 2)
    cv2.circle(pixels, centre, SIDE_PX // 2 - 2, (20, 20, 20), 4)
    for angle in np.arange(0, np.pi, np.pi / 4):
        reach = np.array([np.cos(angle), np.sin(angle)]) * (SIDE_PX // 2 - 2)
        ends = [
            tuple((np.array(centre) + sign * reach).round().astype(int).tolist())
            for sign in (-1, 1)
        ]
        cv2.line(pixels, ends[0], ends[1], (240, 240, 240), 2)
    return pixels, (left, top)


def draw_figure() -> Pixels:
    """The dark shape of a person who stands on a pale ground."""
    pixels = np.full((300, 200, 3), 200, np.uint8)
    cv2.circle(pixels, (100, 80), 14, (40, 40, 40), -1)
    cv2.ellipse(pixels, (100, 140), (24, 46), 0, 0, 360, (40, 40, 40), -1)
    for foot in (86, 114):
        cv2.line(pixels, (100, 170), (foot, 240), (40, 40, 40), 14)
    return np.asarray(cv2.GaussianBlur(pixels, (0, 0), 1.5), np.uint8)
