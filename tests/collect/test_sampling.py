"""What chance decides, from a seed."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import SettingsError
from catalog.preset import load_preset
from collect.sampling import (
    Keyword,
    choose_classes,
    draw_keyword,
    draw_photos,
    seeded_generator,
)

VOC = load_preset("voc2012")
KEYWORDS = {
    "cat": [Keyword(1, "cat", "tabby")],
    "sheep": [Keyword(2, "sheep", "ewe"), Keyword(3, "sheep", "lamb"), Keyword(4, "sheep", "ram")],
}


def test_the_same_seed_and_number_give_the_same_draw_whatever_was_drawn_before() -> None:
    assert seeded_generator(7, 3).random() == seeded_generator(7, 3).random()
    assert seeded_generator(7, 3).random() != seeded_generator(7, 4).random()
    assert seeded_generator(7, 3).random() != seeded_generator(8, 3).random()


def test_classes_are_equally_likely_however_many_keywords_they_have() -> None:
    rng = random.Random(1)
    drawn = Counter(draw_keyword(rng, KEYWORDS) for _ in range(6000))
    assert drawn[KEYWORDS["cat"][0]] == pytest.approx(3000, abs=150)
    for keyword in KEYWORDS["sheep"]:
        assert drawn[keyword] == pytest.approx(1000, abs=120)


def test_a_draw_does_not_depend_on_the_order_in_which_classes_were_loaded() -> None:
    turned = dict(reversed(KEYWORDS.items()))
    for number in range(20):
        first = draw_keyword(seeded_generator(0, number), KEYWORDS)
        assert first == draw_keyword(seeded_generator(0, number), turned)


@given(st.lists(st.integers(), unique=True, max_size=30), st.integers(min_value=1, max_value=40))
def test_drawn_photos_are_different_ones_of_the_page(photos: list[int], count: int) -> None:
    drawn = draw_photos(random.Random(0), photos, count)
    assert len(set(drawn)) == len(drawn) == min(count, len(photos))
    assert set(drawn) <= set(photos)


def test_without_names_every_class_with_keywords_is_drawn_from() -> None:
    assert tuple(choose_classes(VOC, [])) == VOC.class_names


def test_named_classes_alone_are_drawn_from() -> None:
    chosen = choose_classes(VOC, ["sheep", "cat"])
    assert set(chosen) == {"cat", "sheep"}
    assert "tabby" in chosen["cat"]


def test_a_class_nobody_knows_is_refused_with_the_classes_there_are() -> None:
    with pytest.raises(SettingsError, match=r"giraffe has no queries.*aeroplane, bicycle"):
        choose_classes(VOC, ["cat", "giraffe"])
