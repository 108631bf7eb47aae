"""Each interval, kappa, alpha and estimate of `vocparty agreement` is computed again.

Formulas are written as their papers have them, in plain Python, from objects that SQL finds.
"""

import json
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtri, stdtrit

from tests.export.recount import FLAGS

from .parties import AwkwardParty
from .test_agreement import edges_of, list_checked, list_doubles, match
from .test_commands import call, overlap_of

Json = dict[str, Any]
Pairs = list[tuple[Any, Any]]
Limits = tuple[float, float]
FIELDS = ("class", "view", *FLAGS, "actions", "parts")
SPARSE = ("actions", "parts")
FEW_IN_COMMON = 7
NONE_SEEN = 3.69
"""With a mean of so many, nothing is seen in 2.5 of 100 cases."""
MEANS = {"all": 2.0, "size": 1.0, "difficult": 0.0}
SPREADS = {"all": 5.0, "size": 1.0, "difficult": 1.0}
CLASS_SPREAD = 1.0


@pytest.fixture(scope="module")
def agreements(awkward_parties: dict[str, AwkwardParty]) -> dict[str, Json]:
    return {party.folder.name: call(party, "agreement") for party in awkward_parties.values()}


@pytest.fixture
def agreement(agreements: dict[str, Json], awkward: AwkwardParty) -> Json:
    return agreements[awkward.folder.name]


def wilson(share: float, count: float, quantile: float) -> Limits:
    """The two shares from which this one is just so many standard errors away."""
    square = quantile**2 / count
    low, high = sorted(np.roots([1 + square, -(2 * share + square), share**2]).real)
    return 0.0 if share == 0 else float(low), 1.0 if share == 1 else float(high)


def spread(share: float, error: float, images: int) -> Limits:
    """The interval of a share whose standard error rests on as many images."""
    if share in (0, 1) or error < 1e-9:
        return wilson(share, images, ndtri(0.975))
    return wilson(share, share * (1 - share) / error**2, stdtrit(images - 1, 0.975))


def limit_share(hits: Sequence[float], counts: Sequence[float]) -> Limits:
    """The interval of a ratio of sums over images."""
    share = sum(hits) / sum(counts)
    rests = [hit - share * count for hit, count in zip(hits, counts, strict=True) if count]
    if len(rests) < 2:
        return 0.0, 1.0
    error = math.sqrt(len(rests) * statistics.variance(rests)) / sum(counts)
    return spread(share, error, len(rests))


def limit_figure(images: Sequence[Pairs], measure: Callable[[Pairs], float]) -> Limits:
    """The interval of a figure between -1 and 1, by leaving out one image at a time."""
    value = measure([pair for pairs in images for pair in pairs])
    others = [
        measure([pair for pairs in images if pairs is not left_out for pair in pairs])
        for left_out in images
    ]
    known = [figure for figure in others if not math.isnan(figure)]
    if math.isnan(value) or len(images) < 2 or not known:
        return math.nan, math.nan
    error = statistics.pstdev(known) * math.sqrt(len(images) - 1)
    low, high = spread((value + 1) / 2, error / 2, len(images))
    return 2 * low - 1, 2 * high - 1


def kappa(pairs: Pairs) -> float:
    """Cohen's kappa: agreement above chance, by what each of the two says how often."""
    first = Counter(a for a, _ in pairs)
    second = Counter(b for _, b in pairs)
    number = len(pairs)
    chance = sum(first[word] * second[word] for word in first) / number**2 if number else 1
    if chance == 1:
        return math.nan
    same = sum(bool(a == b) for a, b in pairs)
    return (same / number - chance) / (1 - chance)


def alpha(pairs: Pairs) -> float:
    """Krippendorff's alpha: observed disagreement by that of all values in any order."""
    words = Counter(word for pair in pairs for word in pair)
    number = words.total()
    unlike = sum(words[a] * words[b] for a in words for b in words if a != b)
    if not unlike:
        return math.nan
    differ = sum(bool(a != b) for a, b in pairs)
    return 1 - (number - 1) * 2 * differ / unlike


def say(awkward: AwkwardParty, row: Any, field: str) -> Any:
    """What a person said of an object, several words in order."""
    if field == "parts":
        words = awkward.rows("SELECT word FROM part WHERE object_id = ?", row["id"])
        return sorted(word for (word,) in words)
    if field == "actions":
        return sorted(json.loads(row["actions"]))
    return row["name" if field == "class" else field]


def list_answers(awkward: AwkwardParty, field: str) -> list[Pairs]:
    """By image what both said of the objects that both have; few classes have parts or actions."""
    doubles = list_doubles(awkward)
    every = chain.from_iterable(side for pair in doubles for side in pair)
    asked = {row["name"] for row in every if field not in SPARSE or say(awkward, row, field)}
    answers = [
        [
            (str(say(awkward, a, field)), str(say(awkward, b, field)))
            for a, b in match(first, second)
            if a["name"] in asked
        ]
        for first, second in doubles
    ]
    return [pairs for pairs in answers if pairs]


def assert_interval(document: Json, limits: Limits) -> None:
    """The document has these limits, nothing instead of a number that nobody knows."""
    known = [None if math.isnan(limit) else pytest.approx(limit) for limit in limits]
    assert [document["low"], document["high"]] == known


def test_what_two_people_share_has_the_interval_of_a_ratio(
    awkward: AwkwardParty, agreement: Json
) -> None:
    everybody = agreement["everybody"]
    doubles = list_doubles(awkward)
    if not doubles:
        assert (
            everybody["both"] == everybody["over_50"] == {"value": None, "low": None, "high": None}
        )
        return
    matches = [match(*pair) for pair in doubles]
    both = [len(some) for some in matches]
    either = [
        len(first) + len(second) - count
        for (first, second), count in zip(doubles, both, strict=True)
    ]
    assert_interval(everybody["both"], limit_share(both, either))
    overlaps = [[overlap_of(edges_of(a), edges_of(b)) for a, b in some] for some in matches]
    assert_interval(everybody["mean_overlap"], limit_share([*map(sum, overlaps)], both))
    for name, least in {"over_50": 0.5, "over_70": 0.7, "over_90": 0.9}.items():
        hits = [sum(overlap >= least for overlap in some) for some in overlaps]
        assert_interval(everybody[name], limit_share(hits, both))


def test_kappa_and_alpha_are_computed_again(awkward: AwkwardParty, agreement: Json) -> None:
    for field in FIELDS:
        assert_field(awkward, agreement, field)


def assert_field(awkward: AwkwardParty, document: Json, field: str) -> None:
    """The agreement on the field, with its intervals, is that of the objects."""
    answers = list_answers(awkward, field)
    groups = [document["everybody"], *document["pairs"]]
    assert len(groups) == (2 if answers else 1)
    for group in groups if answers else ():
        shown = group["fields"][field]
        same = [sum(a == b for a, b in pairs) for pairs in answers]
        assert_interval(shown["same"], limit_share(same, [*map(len, answers)]))
        measures = {"alpha": alpha} if group is groups[0] else {"alpha": alpha, "kappa": kappa}
        for name, measure in measures.items():
            value = measure([pair for pairs in answers for pair in pairs])
            expected = None if math.isnan(value) else pytest.approx(value)
            assert shown[name]["value"] == expected
            assert_interval(shown[name], limit_figure(answers, measure))
    assert document["everybody"]["fields"][field]["kappa"] is None


def limit_missed(first: int, second: int, both: int) -> tuple[int, float]:
    """From how many to how many missed objects make as many in common not too unlikely."""

    def chance(missed: int, hits: Iterable[int]) -> float:
        every = first + second - both + missed
        ways = sum(math.comb(first, hit) * math.comb(every - first, second - hit) for hit in hits)
        return ways / math.comb(every, second)

    least = next(n for n in range(1000) if chance(n, range(both + 1)) > 0.025)
    most = range(both, min(first, second) + 1)
    return least, next(n for n in range(1000) if chance(n, most) <= 0.025) - 1


def test_objects_that_both_missed_are_estimated_again(
    awkward: AwkwardParty, agreement: Json
) -> None:
    missed = agreement["everybody"]["missed"]
    doubles = list_doubles(awkward)
    first = sum(len(a) for a, _ in doubles)
    second = sum(len(b) for _, b in doubles)
    both = sum(len(match(*pair)) for pair in doubles)
    assert both < FEW_IN_COMMON, "so few are one stratum, whatever their sizes and classes"
    assert missed["found"] == first + second - both
    assert missed["missed"] == pytest.approx((first - both) * (second - both) / (both + 1))
    if not doubles:
        assert (missed["low"], missed["high"]) == (0, None)
        return
    assert (missed["low"], missed["high"]) == limit_missed(first, second, both)


def estimate_lacking(awkward: AwkwardParty) -> tuple[float, float, float]:
    """The labels of an image that one person misses, by R. M. Huggins, with their interval."""
    doubles = list_doubles(awkward)
    items = [
        (place, row, any(row["number"] == a["number"] for a, _ in match(first, second)))
        for place, (first, second) in enumerate(doubles)
        for row in first
    ]
    for place, (first, second) in enumerate(doubles):
        known = {b["number"] for _, b in match(first, second)}
        items += [(place, row, False) for row in second if row["number"] not in known]
    is_both = np.array([both for _, _, both in items])
    names = sorted({row["name"] for _, row, _ in items})
    design = np.array([describe(row, names) for _, row, _ in items])
    every = np.ones(len(items))
    objects = count_objects(design, is_both, every)
    step = 1e-4
    lacking = []
    for place, (first, second) in enumerate(doubles):
        is_here = np.array([where == place for where, _, _ in items])
        changed = [
            count_objects(design, is_both, every + sign * step * is_here).sum() for sign in (1, -1)
        ]
        drawn = (len(first) + len(second)) / 2
        pull = (changed[0] - changed[1]) / (2 * step)
        lacking.append((objects[is_here].sum() - drawn, pull))
    number = len(doubles)
    value = statistics.mean(labels for labels, _ in lacking)
    error = statistics.stdev(labels + pull for labels, pull in lacking) / math.sqrt(number)
    times = math.exp(stdtrit(number - 1, 0.975) * error / value)
    return value, value / times, max(value * times, value + NONE_SEEN / number)


def describe(row: Any, names: Sequence[str]) -> list[float]:
    """One, the logarithm of the side of the box by that of 55 pixels, difficult, and the class."""
    left, top, right, bottom = edges_of(row)
    side = math.log((right - left) * (bottom - top)) / 2 - 4
    return [1, side, row["difficult"], *(float(row["name"] == name) for name in names)]


def count_objects(design: Any, is_both: Any, weights: Any) -> Any:
    """For how many objects each stands that a person found, by the most probable model."""
    from scipy.optimize import minimize  # here, since it takes half a second to load

    classes = design.shape[1] - len(MEANS)
    means = np.array([*MEANS.values(), *[0.0] * classes])
    spreads = np.array([*SPREADS.values(), *[CLASS_SPREAD] * classes])

    def improbable(coefficients: Any) -> float:
        chance = 1 / (1 + np.exp(-design @ coefficients))
        both = chance / (2 - chance)
        likelihood = weights * np.log(np.where(is_both, both, 1 - both))
        return float((((coefficients - means) / spreads) ** 2).sum() / 2 - likelihood.sum())

    fitted = minimize(improbable, means, method="BFGS", options={"gtol": 1e-7}).x
    chance = 1 / (1 + np.exp(-design @ fitted))
    return 1 / (1 - (1 - chance) ** 2)


def test_labels_that_one_person_lacks_are_estimated_again(
    awkward: AwkwardParty, agreement: Json
) -> None:
    if not list_doubles(awkward):
        assert agreement["everybody"]["lacking"]["value"] is None
        assert "before checking" not in agreement["missing_in_an_image"]
        return
    expected = estimate_lacking(awkward)
    lacking = agreement["everybody"]["lacking"]
    names = ("value", "low", "high")
    assert [lacking[name] for name in names] == pytest.approx(expected, rel=1e-3)
    missing = agreement["missing_in_an_image"]
    assert missing["before checking"] == [round(lacking[name], 4) for name in names]
    checked = list_checked(awkward)
    missed, objects = count_missed(checked)
    added = sum(missed) / len(checked)
    low, high = (limit * sum(objects) / len(checked) for limit in limit_share(missed, objects))
    value = lacking["value"] - added
    assert missing["after checking"] == pytest.approx(
        [
            max(value, 0),
            max(value - math.hypot(lacking["value"] - lacking["low"], high - added), 0),
            value + math.hypot(lacking["high"] - lacking["value"], added - low),
        ],
        abs=1e-4,
    )


def count_missed(
    checked: Sequence[tuple[str, list[Any], list[Any]]],
) -> tuple[list[int], list[int]]:
    """By checked image the objects that checking added, and all that stayed."""
    missed = [
        len({row["object_key"] for row in stayed} - {row["object_key"] for row in drawn})
        for _, drawn, stayed in checked
    ]
    return missed, [len(stayed) for _, _, stayed in checked]


def test_what_checkers_added_has_the_interval_of_a_ratio(
    awkward: AwkwardParty, agreement: Json
) -> None:
    errors = agreement["errors"]
    checked = list_checked(awkward)
    groups = {line["label"]: line for line in errors["by_person"]}
    for name, line in [(None, errors["all"]), *groups.items()]:
        theirs = [work for work in checked if name in (None, work[0])]
        assert_interval(line["rates"]["missed"], limit_share(*count_missed(theirs)))


def test_the_overlaps_of_boxes_of_one_size_are_measured_again(
    awkward: AwkwardParty, agreement: Json
) -> None:
    boxes = {line["size"]: line for line in agreement["boxes"]}
    sizes: dict[str, list[list[float]]] = {}
    for first, second in list_doubles(awkward):
        of_image: dict[str, list[float]] = {}
        for a, b in match(first, second):
            left, top, right, bottom = edges_of(a)
            side = math.sqrt((right - left) * (bottom - top))
            size = "small" if side < 32 else "medium" if side < 96 else "large"
            of_image.setdefault(size, []).append(overlap_of(edges_of(a), edges_of(b)))
        for size, overlaps in of_image.items():
            sizes.setdefault(size, []).append(overlaps)
    assert boxes.keys() == sizes.keys()
    for size, images in sizes.items():
        every = [overlap for overlaps in images for overlap in overlaps]
        assert boxes[size]["objects"] == len(every)
        assert boxes[size]["quantiles"] == pytest.approx(np.percentile(every, [5, 25, 50]))
        hits = [sum(overlap >= 0.9 for overlap in overlaps) for overlaps in images]
        assert_interval(boxes[size]["over_90"], limit_share(hits, [*map(len, images)]))
