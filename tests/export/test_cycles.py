"""The search for cycles rests in the block, and goes on behind it."""

from __future__ import annotations

import gc

import pytest

from export.cycles import no_cycles


def test_the_search_rests_and_goes_on() -> None:
    with no_cycles():
        assert not gc.isenabled()
        with no_cycles():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()


def test_the_search_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="wrong"), no_cycles():
        raise ValueError("wrong")
    assert gc.isenabled()
