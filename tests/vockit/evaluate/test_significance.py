"""Bootstrap, ranks and the comparison of methods."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vockit.evaluate import Rules
from vockit.evaluate.curves import Judged, draw_curve
from vockit.evaluate.metrics import judge_items
from vockit.evaluate.significance import (
    bootstrap_ap,
    bootstrap_iou,
    compare,
    draw_weights,
    friedman,
)

# AP of 17 methods on 20 classes in tenths of a percent: IJCV 2010, Table 5
VOC2007_CLASSIFICATION = """
INRIA_Flat 748 625 512 694 292 604 763 576 531 411 540 428 765 623 845 353 413 501 776 493
INRIA_Genetic 775 636 561 719 331 606 780 588 535 426 549 458 775 640 859 363 447 506 792 532
INRIA_Larlus 626 540 328 475 178 464 696 442 446 260 381 340 660 551 772 131 291 367 627 433
MPI_BOW 589 460 313 590 169 405 672 402 443 283 319 344 636 535 757 223 266 354 606 406
PRIPUVA 486 209 213 172 64 142 450 314 274 123 143 237 301 133 620 100 124 133 267 262
QMUL_HSLS 706 548 357 645 278 511 714 540 466 366 344 399 715 554 806 158 358 415 731 455
QMUL_LSPCH 716 550 411 655 272 511 722 551 474 359 374 415 715 579 808 156 333 419 765 459
TKK 714 517 485 634 273 499 701 512 517 323 463 415 726 602 822 317 301 392 711 410
ToshCam_rdf 599 368 299 400 236 333 602 330 410 178 332 337 639 531 779 290 273 312 501 376
ToshCam_svm 540 271 303 356 170 223 580 346 380 190 275 324 480 407 781 234 218 280 455 318
Tsinghua 629 424 339 497 237 407 620 352 427 210 389 347 650 481 769 169 308 328 589 331
UVA_Bigrams 612 332 294 450 165 376 546 313 399 172 314 306 616 424 746 145 209 235 499 300
UVA_FuseAll 671 481 433 581 199 463 618 419 484 278 419 385 698 514 794 325 319 360 662 403
UVA_MCIP 665 479 410 580 168 440 612 405 485 278 417 371 664 501 786 312 323 319 666 403
UVA_SFS 663 497 435 607 188 449 648 419 468 249 423 339 715 534 804 297 312 318 674 435
UVA_WGT 597 337 349 445 222 329 559 363 368 206 252 347 651 401 742 264 269 251 507 297
XRCE 723 575 532 689 285 575 754 503 522 390 468 453 757 585 840 326 397 509 751 495
"""


rows = st.lists(st.tuples(st.integers(0, 4), st.sampled_from(["right", "wrong", "neither"])))


@given(rows=rows, missed=st.lists(st.integers(0, 4), max_size=3), seed=st.integers(0, 99))
@pytest.mark.parametrize("rules", list(Rules))
def test_a_weighted_replicate_equals_repeated_rows_and_objects(
    rules: Rules, rows: list[tuple[int, str]], missed: list[int], seed: int
) -> None:
    images = np.array([image for image, _ in rows], np.int64)
    is_right = np.array([mark == "right" for _, mark in rows], np.bool_)
    is_wrong = np.array([mark == "wrong" for _, mark in rows], np.bool_)
    positives = np.array([*images[is_right], *missed], np.int64)
    judged = Judged(images, is_right, is_wrong, positives)
    weights = draw_weights(5, 4, seed)
    drawn = bootstrap_ap(judged, weights, rules)
    for number in range(4):
        times = weights[:, number].astype(int)
        repeated = Judged(
            np.repeat(images, times[images]),
            np.repeat(is_right, times[images]),
            np.repeat(is_wrong, times[images]),
            np.repeat(positives, times[positives]),
        )
        curve = draw_curve(repeated, rules)
        expected = curve.ap if curve.npos and repeated.is_right.any() else 0.0
        expected = expected if curve.npos else math.nan
        assert drawn[number] == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_replicates_of_iou_add_up_pixels() -> None:
    pixels = np.array([[[5, 0], [10, 0], [10, 10]], [[2, 8], [2, 10], [4, 8]]])
    weights = np.array([[1.0, 2.0], [1.0, 0.0]])
    drawn = bootstrap_iou(pixels, weights)
    assert drawn[0].tolist() == pytest.approx([100 * 7 / 19, 100 * 10 / 30])
    assert drawn[1].tolist() == pytest.approx([100 * 8 / 20, 0])


def test_a_method_ahead_in_every_replicate_is_separated() -> None:
    steps = np.linspace(0, 0.1, 100)
    comparison = compare(
        {"a": 0.6, "b": 0.5, "c": 0.59}, {"a": 0.6 + steps, "b": 0.5 + steps, "c": 0.7 - steps}
    )
    assert comparison.best == ("a", "c")
    assert comparison.behind["b"] == pytest.approx((0.1, 0.1))
    assert comparison.ranks["b"][1] == 3


def test_sums_that_differ_by_their_order_alone_share_a_rank() -> None:
    here = np.array([0.1 + 0.2 + 0.3])
    there = np.array([0.3 + 0.2 + 0.1])
    assert here != there
    comparison = compare({"a": 0.6, "b": 0.6}, {"a": here, "b": there})
    assert comparison.ranks == {"a": (1.5, 1.5), "b": (1.5, 1.5)}


def test_of_ten_equal_methods_hardly_ever_one_is_called_worse() -> None:
    """In 200 worlds, where the paper's way, two at a time, calls one worse in most of them."""
    rng = np.random.default_rng(1)
    worse = {"all at once": 0, "as pairs": 0}
    for _ in range(200):
        scores = {f"m{number}": float(score) for number, score in enumerate(rng.normal(0, 1, 10))}
        drawn = {name: score + rng.normal(0, 1, 1000) for name, score in scores.items()}
        comparison = compare(scores, drawn)
        worse["all at once"] += len(comparison.best) < 10
        worse["as pairs"] += any(low > 0 for low, _ in comparison.behind.values())
    assert worse["all at once"] / 200 <= 0.07
    assert worse["as pairs"] / 200 >= 0.5


def test_a_method_that_varies_much_hides_no_difference_of_others() -> None:
    rng = np.random.default_rng(1)
    noise = rng.normal(0, 0.01, (2, 500))
    drawn = {"a": 0.6 + noise[0], "b": 0.5 + noise[1], "wild": 0.5 + rng.normal(0, 0.3, 500)}
    assert compare({"a": 0.6, "b": 0.5, "wild": 0.5}, drawn).best == ("a", "wild")


def test_a_method_without_scores_of_a_class_is_not_ranked() -> None:
    whole = {f"m{number}": {"a": 0.1 * number, "b": 0.2 * number} for number in range(3)}
    ranking = friedman(whole | {"partial": {"a": 0.5}})
    assert ranking is not None
    assert ranking.left_out == ("partial",)
    assert sum(ranking.mean_ranks.values()) == pytest.approx(6)


def test_the_methods_of_voc2007_are_ranked_as_the_paper_ranks_them() -> None:
    lines = [line.split() for line in VOC2007_CLASSIFICATION.strip().splitlines()]
    scores = {
        name: {f"c{number}": float(ap) for number, ap in enumerate(aps)} for name, *aps in lines
    }
    ranking = friedman(scores)
    assert ranking is not None
    assert ranking.statistic == pytest.approx(274.51, abs=0.005)
    assert ranking.critical_difference == pytest.approx(5.52, abs=0.005)
    ranks = sorted((rank, name) for name, rank in ranking.mean_ranks.items())
    assert [name for _, name in ranks[:3]] == ["INRIA_Genetic", "INRIA_Flat", "XRCE"]
    assert [rank for rank, _ in ranks[:3]] == pytest.approx([1.05, 2.2, 3.0])


def test_two_methods_are_too_few_for_the_friedman_test() -> None:
    assert friedman({"a": {"x": 1.0, "y": 2.0}, "b": {"x": 1.0, "y": 2.0}}) is None


def test_methods_that_are_equal_in_every_class_do_not_differ() -> None:
    ranking = friedman({name: {"x": 0.5, "y": 0.0} for name in "abc"})
    assert ranking is not None
    assert (ranking.statistic, ranking.p, set(ranking.mean_ranks.values())) == (0.0, 1.0, {2.0})


@pytest.mark.slow
def test_the_interval_of_equal_methods_holds_zero_in_95_percent() -> None:
    held = 0
    for number in range(500):
        rng = np.random.default_rng(number)
        labels = np.where(rng.random(500) < 0.2, 1, -1)
        confidences = rng.normal(size=(2, 500)) + 1.2 * (labels > 0)
        judged = [judge_items(labels, row, np.arange(500)) for row in confidences]
        if number % 10 == 0:  # to draw takes longer than all else
            weights = draw_weights(500, 400, 5000 + number)  # not the labels' random numbers
        first, second = (bootstrap_ap(items, weights) for items in judged)
        low, high = np.nanpercentile(first - second, [2.5, 97.5])
        held += bool(low <= 0 <= high)
    assert 0.93 <= held / 500 <= 0.97
