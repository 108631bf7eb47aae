"""What a check says and how it ends follow from what it compared."""

import pytest

from vockit.report.comparison import Compared, Outcome, compare

EMPTY = "it is empty"


@pytest.mark.parametrize(
    ("outcomes", "sentence", "status"),
    [
        ({"a": True, "b": True}, "2 of 2 images are as expected.", 0),
        ({"a": True}, "1 of 1 image is as expected.", 0),
        ({"a": True, "b": False}, "1 of 2 images is as expected, 1 not (b).", 1),
        (
            {"a": True, "b": EMPTY},
            "1 of 2 images is as expected; passed over 1 (b): it is empty.",
            0,
        ),
        (
            {"a": EMPTY},
            "0 of 1 image is as expected; passed over 1 (a): it is empty; nothing was compared, "
            "so the check has failed.",
            1,
        ),
        ({}, "there are no images; nothing was compared, so the check has failed.", 1),
    ],
)
def test_the_sentence_and_the_status_say_what_was_compared(
    outcomes: dict[str, Outcome], sentence: str, status: int
) -> None:
    compared = compare("image", outcomes.items())
    assert (compared.sentence, compared.exit_status) == (sentence, status)


def test_the_sentence_names_the_first_and_the_json_names_all() -> None:
    compared = compare("file", [(f"f{number}", False) for number in range(5)])
    assert compared.sentence == "0 of 5 files are as expected, 5 not (f0, f1, f2, ...)."
    assert compared.as_json() == {
        "what": "file",
        "compared": 5,
        "equal": 0,
        "different": ["f0", "f1", "f2", "f3", "f4"],
        "passed_over": {},
    }


def test_a_noun_has_its_own_plural() -> None:
    assert compare("index", [("a", True)], many="indexes").counts == "1 of 1 index is as expected"
    both = compare("index", [("a", True), ("b", True)], many="indexes")
    assert both.counts == "2 of 2 indexes are as expected"
    assert compare("index", [], many="indexes").counts == "there are no indexes"


def test_each_reason_is_told_apart_with_the_words_of_the_check() -> None:
    outcomes: list[tuple[str, Outcome]] = [("a", "x"), ("b", "y"), ("c", "x"), ("d", True)]
    compared = compare("image", outcomes, is_right="of this party")
    assert compared.passed_over == {"x": ("a", "c"), "y": ("b",)}
    assert compared.sentence.startswith("1 of 4 images is of this party; passed over 2 (a, c): x;")


def test_passing_over_alone_is_no_success() -> None:
    assert not Compared("image", passed_over={EMPTY: ("a", "b")}).is_passed
