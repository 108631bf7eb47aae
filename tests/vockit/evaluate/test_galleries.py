"""The galleries of a report."""

from vockit.evaluate.galleries import choose_rows

from .small_tree import FAR, HERE, NEAR, make_truth, score_class


def test_a_gallery_of_examples_shows_each_image_once() -> None:
    truth = make_truth((0, HERE), (1, HERE))
    chosen = choose_rows(score_class(truth, (0, HERE), (0, NEAR), (1, NEAR), (2, FAR), (2, HERE)))
    assert [example.image for example in chosen["true positives"]] == [0]
    without_class = chosen["false positives in images without the class"]
    assert [example.image for example in without_class] == [2]
    assert [example.image for example in chosen["near misses"]] == [0, 1]
