"""The rules of verdicts, one by one: what evidence makes of two images."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dedup.pairs import Relation
from dedup.verify.evidence import Evidence
from dedup.verify.pictures import FINE
from dedup.verify.verdicts import (
    LEAST_DETAILS,
    doubt,
    judge,
    margin,
    needed_similarity,
)

COPY = Evidence(
    similarity=0.97,
    agreement=0.95,
    agreeing=1.0,
    worst=0.9,
    tiles=60,
    details=50,
    textured=7,
    residual=3.0,
    unlined=0.9,
    unlined_tiles=40,
    drift=1.0,
    shift=0.1,
    whole_bits=None,
    weakest_half=None,
    shown=1.0,
    is_stretched=False,
    is_cell=False,
    are_drawn=False,
    covered_first=0.9,
    covered_second=1.0,
    first_to_second=(1, 0, 0, 0, 1, 0),
    codes=(0, 1),
)

CASES: dict[str, tuple[dict[str, object], Relation | None]] = {
    "a crop that agrees": ({}, Relation.DUPLICATE),
    "a copy that was saved badly": ({"similarity": 0.65}, Relation.DUPLICATE),
    "the same scene from elsewhere": ({"drift": 1.1}, Relation.SAME_EVENT),
    "a little bent and very alike": ({"drift": 1.045, "similarity": 0.81}, Relation.DUPLICATE),
    "a little bent and less alike": ({"drift": 1.045, "similarity": 0.79}, Relation.SAME_EVENT),
    "nothing alike": ({"similarity": 0.3}, None),
    "nearly alike, of few details": ({"details": 16, "similarity": 0.89}, None),
    "two pieces of one cable": ({"details": 23, "similarity": 0.85, "drift": 1.039}, None),
    "quite alike, of scarce details": ({"details": 15, "similarity": 0.96}, None),
    "wholly alike, of scarce details": (
        {"details": 15, "similarity": 0.98},
        Relation.DUPLICATE,
    ),
    "two discs on black": ({"details": 14, "similarity": 0.99, "textured": 3}, None),
    "two larger discs on black": ({"details": 18, "similarity": 0.99, "textured": 3}, None),
    "two silhouettes before the sky": (
        {"details": 30, "similarity": 0.91, "textured": 0},
        Relation.SAME_EVENT,
    ),
    "a soft picture with empty corners": (
        {"details": 8, "similarity": 0.95, "textured": 20, "agreement": 0.4, "agreeing": 0.3},
        Relation.DUPLICATE,
    ),
    "one disc twice": (
        {"details": 18, "similarity": 0.99, "textured": 3, "residual": 0.5},
        Relation.DUPLICATE,
    ),
    "no details, but faint structure": (
        {"details": 3, "similarity": 0.89, "textured": 15},
        Relation.DUPLICATE,
    ),
    "no details, faint structure, not alike": (
        {"details": 3, "similarity": 0.87, "textured": 15},
        None,
    ),
    "no details, faint structure everywhere": (
        {"details": 3, "similarity": 0.81, "textured": 35},
        Relation.DUPLICATE,
    ),
    "a little faint structure, hardly a difference": (
        {"details": 3, "similarity": 0.9, "textured": 9, "residual": 1.0},
        Relation.DUPLICATE,
    ),
    "a little faint structure, some difference": (
        {"details": 3, "similarity": 0.9, "textured": 9, "residual": 2.0},
        None,
    ),
    "perfectly alike, of no details": ({"details": 3, "similarity": 1.0}, None),
    "no details, one frame, the same grain": (
        {"details": 3, "shift": 0.0, "whole_bits": 20},
        Relation.DUPLICATE,
    ),
    "no details, one frame, other grain": ({"details": 3, "shift": 0.0, "whole_bits": 100}, None),
    "a third of the one and all of the other": ({"covered_first": 0.34}, Relation.DUPLICATE),
    "a quarter of the one and all of the other": ({"covered_first": 0.25}, Relation.SAME_EVENT),
    "a cell of a collage": ({"is_cell": True, "covered_first": 0.2}, Relation.COLLAGE),
    "half a cell of a collage": (
        {"is_cell": True, "covered_first": 0.2, "covered_second": 0.5},
        None,
    ),
    "two pages of other words": ({"are_drawn": True, "worst": 0.1}, None),
    "two pages in the same light": ({"unlined": 0.5, "similarity": 0.93, "shift": 0.0}, None),
    "two views of one scene that have only lines in common": (
        {"unlined": 0.5, "similarity": 0.93},
        Relation.SAME_EVENT,
    ),
    "two forms whose boxes agree": (
        {"similarity": 0.93, "shift": 0.0, "whole_bits": 70, "weakest_half": 0.9},
        None,
    ),
    "one photograph that was cropped a little": (
        {"similarity": 0.93, "shift": 0.03, "whole_bits": 70, "weakest_half": 0.9},
        Relation.DUPLICATE,
    ),
    "one photograph that was turned a little": (
        {"similarity": 0.93, "shift": 0.02, "whole_bits": 70},
        Relation.DUPLICATE,
    ),
    "one photograph, a caption across it": (
        {"unlined": 0.5, "similarity": 0.96},
        Relation.DUPLICATE,
    ),
    "one photograph, little but lines in it": (
        {"unlined": 0.5, "unlined_tiles": 15, "similarity": 0.93},
        Relation.DUPLICATE,
    ),
    "a photograph of walls on a sheet": (
        {"unlined": 0.5, "similarity": 0.93, "is_cell": True},
        Relation.COLLAGE,
    ),
    "one page twice": ({"are_drawn": True, "worst": 0.8}, Relation.DUPLICATE),
    "no contrast, faint structure in one frame": (
        {
            "tiles": 1,
            "agreement": 0,
            "agreeing": 0,
            "details": 0,
            "textured": 9,
            "shift": 0.0,
            "whole_bits": 20,
            "similarity": 0.85,
        },
        Relation.DUPLICATE,
    ),
    "no contrast, no structure": (
        {
            "tiles": 1,
            "agreement": 0,
            "agreeing": 0,
            "details": 0,
            "textured": 7,
            "shift": 0.0,
            "whole_bits": 20,
            "similarity": 0.85,
        },
        None,
    ),
    "two sheets with one photograph in common": (
        {"shift": 0.0, "weakest_half": 0.2, "agreeing": 0.55},
        None,
    ),
    "two sheets that share all but one photograph": (
        {"shift": 0.0, "weakest_half": 0.4, "agreeing": 0.8},
        Relation.SAME_EVENT,
    ),
    "two small photographs on white, one of them in common": (
        {"shift": 0.0, "weakest_half": 0.6, "similarity": 0.92, "agreeing": 0.8},
        Relation.SAME_EVENT,
    ),
    "a soft half that was badly saved": (
        {"shift": 0.0, "weakest_half": 0.4, "similarity": 0.89, "whole_bits": 8},
        Relation.DUPLICATE,
    ),
    "a half that was too bright": (
        {"shift": 0.0, "weakest_half": 0.65, "similarity": 0.92},
        Relation.DUPLICATE,
    ),
    "a caption across one half": ({"shift": 0.0, "weakest_half": 0.53}, Relation.DUPLICATE),
    "a caption across a half that is almost empty": (
        {"shift": 0.0, "weakest_half": 0.33, "textured": 54},
        Relation.DUPLICATE,
    ),
    "two sheets with small photographs, one of them in common": (
        {"shift": 0.0, "weakest_half": 0.33, "textured": 54, "similarity": 0.92},
        Relation.SAME_EVENT,
    ),
    "two sheets of which only what they have in common was compared": (
        {"shift": 0.0, "weakest_half": 0.05, "textured": 61, "shown": 0.5},
        Relation.SAME_EVENT,
    ),
    "the same, where the other half may be another picture's": (
        {"shift": 0.0, "weakest_half": 0.33, "textured": 43},
        Relation.SAME_EVENT,
    ),
    "tiles that disagree": ({"agreement": 0.45, "agreeing": 0.35}, None),
}


def change(**values: object) -> Evidence:
    return replace(COPY, **values)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", CASES)
def test_evidence_is_judged_by_the_rules(name: str) -> None:
    values, expected = CASES[name]
    assert judge(change(**values)) is expected


@given(details=st.integers(0, LEAST_DETAILS - 1), shift=st.floats(0.05, 0.4))
def test_nothing_is_merged_for_lack_of_information(details: int, shift: float) -> None:
    evidence = change(
        details=details, shift=shift, similarity=1.0, agreement=1.0, textured=7, residual=0.0
    )
    assert judge(evidence) is None


@given(
    similarity=st.floats(-1, FINE.min_similarity, exclude_max=True),
    details=st.integers(0, 64),
    textured=st.integers(0, 64),
    shift=st.floats(0, 0.4),
    drift=st.floats(1, 1.2),
    residual=st.floats(0, 10),
    whole_bits=st.none() | st.integers(0, 256),
)
def test_what_is_dropped_at_the_fine_scale_no_verdict_would_accept(**values: object) -> None:
    assert judge(change(**values)) is None


@given(st.integers(0, 63), st.floats(0, 0.4), st.floats(1, 1.2))
def test_more_details_never_ask_for_more_likeness(details: int, shift: float, drift: float) -> None:
    fewer, more = (change(details=one, shift=shift, drift=drift) for one in (details, details + 1))
    assert needed_similarity(more) <= needed_similarity(fewer)


@given(st.floats(-1, 1), st.floats(1, 1.2))
def test_doubt_is_full_on_the_threshold_and_gone_far_beyond(
    similarity: float, drift: float
) -> None:
    evidence = change(similarity=similarity, drift=drift)
    assert 0 <= doubt(evidence) <= 1
    assert (doubt(evidence) == 1) == (margin(evidence) <= 0)
