"""The verdict of the report: what is even, what is not, and what to do."""

from __future__ import annotations

from dataclasses import replace

from collect.report.figures import (
    Makeup,
    QueryFigures,
    format_verdicts,
    judge_classes,
    judge_dates,
    judge_owners,
    judge_places,
    judge_queries,
)
from present.recency import Recent

OWNERS = {f"owner {number}": 4 for number in range(25)}
QUERIES = {("cat", "tabby"): 26, ("cat", "mew"): 24, ("dog", "puppy"): 50}
EVEN = Makeup("photographs", OWNERS, QUERIES)
FIGURES = [
    QueryFigures("flickr", name, keyword, name)
    for name, keyword in (*QUERIES, ("dog", "hound"), ("emu", "emu"))
]
RECENT = Recent("photographs", "the last 5 of 15 years", 900, 300, 1 / 3, 0.34, 0.31, 0.37, 0.04)


def test_what_is_even_is_told_in_one_line() -> None:
    makeup = replace(EVEN, queries=QUERIES | {("dog", "puppy"): 26, ("dog", "hound"): 24})
    verdicts = [
        judge_dates(RECENT),
        judge_owners(makeup),
        judge_classes(makeup, ["cat", "dog"]),
        judge_queries(makeup, FIGURES),
    ]
    assert format_verdicts(verdicts) == [
        "Even: dates of photographs, owners of photographs, classes of photographs, queries of "
        "photographs."
    ]


def test_what_is_uneven_has_a_line_of_its_own_that_says_what_to_do() -> None:
    recent = replace(RECENT, share=0.6, low=0.5, high=0.7)
    makeup = replace(EVEN, owners=OWNERS | {"ann": 40})
    verdicts = [
        judge_dates(recent, "none"),
        judge_owners(makeup),
        judge_classes(makeup, ["cat", "dog", "emu"]),
        judge_queries(makeup, FIGURES),
    ]
    dates, owners, classes, queries = format_verdicts(verdicts)
    assert "They are more recent than uniform dates. Draw by date" in dates
    assert judge_dates(recent).advice.startswith("The source has few of some years")
    assert owners.startswith("Not even: owners of photographs. ann has most, 29% of 140. Lower")
    assert "few of emu 0, where 33 would be even. Add queries for them" in classes
    assert "Not even: queries of photographs. 100% of dog by 'puppy'. See" in queries


def test_a_square_of_the_map_with_many_of_the_images_is_named() -> None:
    spread = {f"{10 * number}.5 -5.0": 10 for number in range(5)}
    assert judge_places(replace(EVEN, places=spread)).is_even
    (line,) = format_verdicts([judge_places(replace(EVEN, places={**spread, "-1.3 36.8": 30}))])
    assert line == (
        "Not even: places of photographs. 38% of 80 with a place are from latitude -10 to 0, "
        "longitude 30 to 40. Add queries in other languages (`vocparty queries suggest CLASS`)."
    )


def test_what_is_too_little_to_tell_is_told_so() -> None:
    few = Makeup("released images", {"ann": 3}, {("cat", "tabby"): 3})
    unclear = replace(RECENT, of="released images", detectable=0.4)
    verdicts = [
        judge_dates(unclear),
        judge_owners(few),
        judge_classes(few, ["cat"]),
        judge_queries(few, FIGURES),
    ]
    assert format_verdicts(verdicts) == [
        "Cannot be told yet: dates of released images, owners of released images, classes of "
        "released images, queries of released images."
    ]
    assert format_verdicts([]) == ["No images yet."]
