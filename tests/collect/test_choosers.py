"""Which chooser the settings give a run."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from typing import Literal

import pytest

from catalog.party import Party
from collect.job import _make_chooser
from collect.sampling import Keyword

KEYWORDS = {
    "cat": (Keyword(1, "cat", "tabby"),),
    "dog": (Keyword(2, "dog", "puppy"),),
}


@pytest.mark.parametrize(("choice", "share_of_cats"), [("uniform", 0.5), ("balanced", 0.9)])
def test_the_setting_says_whether_classes_are_drawn_alike_or_by_what_they_miss(
    party: Party, choice: Literal["uniform", "balanced"], share_of_cats: float
) -> None:
    targets = dict.fromkeys(party.preset.class_names, 0) | {"cat": 900, "dog": 100}
    collect = replace(party.settings.collect, choice=choice, class_targets=targets)
    party = replace(party, settings=replace(party.settings, collect=collect))
    chooser, rng = _make_chooser(party, 1000), random.Random(1)
    drawn = Counter(chooser.choose(rng, KEYWORDS).class_name for _ in range(1000))
    assert drawn["cat"] / 1000 == pytest.approx(share_of_cats, abs=0.05)
