"""Lines that class lists lack are right only where the release says what was not asked."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.exporting import verify_tree
from tests.trees import put, write

from .planted import CAT_TRAIN, CAT_VAL, MAIN, TRAIN, list_planted

CAT_TRAINVAL = f"{MAIN}/cat_trainval.txt"


def say_asked(root: Path, **asked: Any) -> None:
    """Write a manifest around the tree that says what was asked of images, by their numbers."""
    images = [
        {"id": f"2012_00000{number}"}
        | ({"asked": asked[f"of_{number}"]} if f"of_{number}" in asked else {})
        for number in range(1, 7)
    ]
    write(root.parent.parent / "release.json", json.dumps({"format": 1, "images": images}))


def leave_out_third(root: Path) -> None:
    """The third image, in validation, has no line for cat."""
    put(CAT_VAL, "")(root)
    put(CAT_TRAINVAL, "2012_000001  1\n2012_000002  0\n")(root)


def test_a_missing_line_is_right_where_the_release_says_that_it_was_not_asked(tree: Path) -> None:
    leave_out_third(tree)
    (first, second) = verify_tree(tree)
    assert first.rule == second.rule == "class-file-images"
    assert "such as 2012_000003, and no release.json says that it was not asked" in first.message
    say_asked(tree, of_3=["person"])
    assert list_planted(tree) == []


def test_a_line_of_what_was_not_asked_is_named(tree: Path) -> None:
    say_asked(tree, of_3=["person"])
    assert list_planted(tree) == [
        (CAT_TRAINVAL, 3, "class-file-images"),
        (CAT_VAL, 1, "class-file-images"),
    ]
    assert "2012_000003, which release.json says was not asked" in verify_tree(tree)[0].message


def test_an_object_of_a_class_that_was_not_asked_is_no_contradiction(tree: Path) -> None:
    put(CAT_TRAIN, "2012_000002  0\n")(tree)
    put(CAT_TRAINVAL, "2012_000002  0\n2012_000003 -1\n")(tree)
    say_asked(tree, of_1=["person"])
    assert list_planted(tree) == []


def test_an_image_that_was_asked_about_nothing_is_in_no_class_list(tree: Path) -> None:
    leave_out_third(tree)
    put(f"{MAIN}/person_val.txt", "")(tree)
    put(f"{MAIN}/person_trainval.txt", "2012_000001 -1\n2012_000002  1\n")(tree)
    assert {rule for _, _, rule in list_planted(tree)} == {"class-file-images"}
    say_asked(tree, of_3=[])
    assert list_planted(tree) == []


@pytest.mark.parametrize("asked", ["person", {"person": 1}, None, 7])
def test_a_manifest_that_says_it_otherwise_says_nothing(tree: Path, asked: Any) -> None:
    leave_out_third(tree)
    say_asked(tree, of_3=asked)
    assert {rule for _, _, rule in list_planted(tree)} == {"class-file-images"}


def test_a_taster_image_in_main_is_named(tree: Path) -> None:
    put(TRAIN, "2012_000001\n2012_000002\n2012_000005\n")(tree)
    put(f"{MAIN}/trainval.txt", "".join(f"2012_00000{number}\n" for number in (1, 2, 3, 5)))(tree)
    violations = verify_tree(tree)
    assert {violation.rule for violation in violations} == {"class-file-images"}
    for violation in violations:
        assert "none of them has it, so that it seems to be of Action alone" in violation.message


def test_a_list_with_several_lines_for_an_image_is_named_line_by_line(tree: Path) -> None:
    put(CAT_TRAIN, "2012_000001  1\n2012_000001  0\n2012_000001 -1\n")(tree)
    assert list_planted(tree) == [
        (CAT_TRAIN, 2, "label-disagrees"),
        (CAT_TRAIN, 2, "listed-twice"),
        (CAT_TRAIN, 3, "class-file-images"),
        (CAT_TRAIN, 3, "label-disagrees"),
        (CAT_TRAIN, 3, "listed-twice"),
    ]
