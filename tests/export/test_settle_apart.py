"""Another process settles groups as this one does."""

from __future__ import annotations

from subprocess import CalledProcessError

import numpy as np
import pytest

from export.group_table import Groups
from export.settle_apart import settle_apart
from export.settle_groups import settle_groups

GROUPS, KINDS = 60, 4


def make_groups() -> Groups:
    rng = np.random.default_rng(0)
    starts = np.arange(0, 2 * GROUPS + 1, 2, dtype=np.int64)
    kinds = np.array([rng.choice(KINDS, 2, replace=False) for _ in range(GROUPS)], np.int64)
    return Groups(starts, kinds.ravel(), rng.integers(1, 5_000, 2 * GROUPS), KINDS)


def test_another_process_places_groups_in_the_same_sets() -> None:
    fixed = np.full(GROUPS, -1, np.int64)
    fixed[:3] = (0, 1, 2)
    wanted = np.array([250_000, 250_000, 500_000], np.int64)
    here = settle_groups(make_groups(), fixed, wanted, 20_000, 3)
    apart = settle_apart(make_groups(), fixed, wanted, 20_000, 3)
    assert here.tolist() == apart.tolist()
    assert set(apart.tolist()) == {0, 1, 2}


def test_a_process_that_fails_is_no_answer(capfd: pytest.CaptureFixture[str]) -> None:
    wanted = np.array([[500_000, 500_000]], np.int64)
    with pytest.raises(CalledProcessError):
        settle_apart(make_groups(), np.zeros(1, np.int64), wanted, 20_000, 0)
    assert "Error" in capfd.readouterr().err
