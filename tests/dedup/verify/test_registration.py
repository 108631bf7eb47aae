"""Laying one picture over another finds the shift, scale and turn that was made."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dedup.signature.maps import IDENTITY, Map, compose, invert, rotation_map
from dedup.verify.pictures import Floats, overlay
from dedup.verify.registration import align, correlate, normalise, similarity_changes

SIDE_PX = 64


def make_scene(seed: int) -> Floats:
    """Soft spots at many places, as (1, 64, 64) levels."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:SIDE_PX, 0:SIDE_PX] / SIDE_PX
    levels = np.full((SIDE_PX, SIDE_PX), 120.0)
    for _ in range(60):
        middle_x, middle_y = random.uniform(-0.1, 1.1, 2)
        distance = np.hypot(x - middle_x, y - middle_y) / random.uniform(0.03, 0.12)
        levels += random.uniform(-60, 60) * np.exp(-(distance**2))
    return levels[None].astype(np.float32)


def look_through(scene: Floats, change: Map) -> Floats:
    return overlay(scene, change[None]).as_pictures()


def register(scene: Floats, changed: Floats) -> tuple[Map, float]:
    """The map from the changed picture to the scene, and how well they then agree."""
    template, other = normalise(changed, 5), normalise(scene, 5)
    start = IDENTITY[None].copy()
    maps = align(template, other, start, similarity_changes(np.ones(1, np.float32)), 12)
    return maps[0], float(correlate(template, other, maps)[0])


CHANGES: dict[str, Map] = {
    "none": IDENTITY,
    "a shift across": np.array([[1, 0, 0.03], [0, 1, 0]], np.float32),
    "a shift down": np.array([[1, 0, 0], [0, 1, -0.025]], np.float32),
    "a crop": np.array([[0.95, 0, 0.02], [0, 0.95, 0.03]], np.float32),
    "a turn of 2 degrees": rotation_map(1.0, 2.0, 1.0),
    "a turn and a crop": rotation_map(0.96, -1.5, 1.0),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_known_change_is_found_to_a_quarter_of_a_pixel(name: str) -> None:
    scene = make_scene(3)
    found, similarity = register(scene, look_through(scene, CHANGES[name]))
    corners = np.array([[0.1, 0.9, 0.1, 0.9], [0.1, 0.1, 0.9, 0.9], [1, 1, 1, 1]])
    assert np.abs((found - CHANGES[name]) @ corners).max() * SIDE_PX < 0.25
    assert similarity > 0.95


@settings(max_examples=20, deadline=None)
@given(st.floats(-0.03, 0.03), st.floats(-0.03, 0.03), st.integers(0, 5))
def test_a_shift_is_found_whatever_the_tones(across: float, down: float, seed: int) -> None:
    scene = make_scene(seed)
    change = np.array([[1, 0, across], [0, 1, down]], np.float32)
    darker = look_through(scene, change) * 0.6 + 10
    found, similarity = register(scene, darker)
    assert np.abs(found[:, 2] + found[:, :2].sum(axis=1) / 2 - 0.5 - change[:, 2]).max() < 0.01
    assert similarity > 0.9


def test_unlike_scenes_do_not_agree_wherever_they_are_laid() -> None:
    similarities = [register(make_scene(seed), make_scene(seed + 50))[1] for seed in range(10)]
    assert max(similarities) < 0.5


def test_going_through_a_map_and_back_leads_nowhere() -> None:
    change = rotation_map(0.9, 5.0, 1.5)
    assert np.allclose(compose(change, invert(change)), IDENTITY, atol=1e-6)
    assert math.isclose(float(np.linalg.det(change[:, :2])), 0.81, rel_tol=1e-5)
