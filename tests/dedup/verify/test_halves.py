"""Two pictures in one frame are compared half by half, so that none of them may differ."""

from __future__ import annotations

import numpy as np
import pytest

from dedup.signature.maps import IDENTITY, TURNS, Turn, turn_map
from dedup.verify.pictures import Floats, overlay
from dedup.verify.tiles import correlate_halves

from .test_registration import make_scene

HALVES = {
    "left": np.s_[:, :, :32],
    "right": np.s_[:, :, 32:],
    "upper": np.s_[:, :32],
    "lower": np.s_[:, 32:],
}


def share_half(name: str) -> tuple[Floats, Floats]:
    """Two pictures that have only this half in common."""
    one, two = make_scene(1), make_scene(2)
    two[HALVES[name]] = one[HALVES[name]]
    return one, two


def compare(one: Floats, two: Floats) -> float:
    return float(correlate_halves(one, two, IDENTITY[None])[0])


@pytest.mark.parametrize("name", HALVES)
def test_a_half_that_shows_something_else_is_seen_wherever_it_is(name: str) -> None:
    assert compare(*share_half(name)) < 0.3


def test_a_caption_leaves_each_half_alike() -> None:
    scene = make_scene(3)
    captioned = scene.copy()
    captioned[:, 57:63, 8:56] = np.random.default_rng(0).integers(0, 2, (6, 48)) * 255
    assert 0.5 < compare(scene, captioned) < 0.95


@pytest.mark.parametrize("turn", TURNS)
def test_a_turned_copy_agrees_in_each_half(turn: Turn) -> None:
    scene, change = make_scene(4), turn_map(turn)[None]
    turned = overlay(scene, change).as_pictures()
    assert float(correlate_halves(turned, scene, change)[0]) > 0.99


def test_a_half_without_contrast_says_nothing() -> None:
    one, two = share_half("left")
    one[HALVES["right"]], two[HALVES["right"]] = 120, 121
    assert compare(one, two) > 0.9
