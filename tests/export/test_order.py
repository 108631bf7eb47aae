"""What a release is ordered with, and which names it cannot have."""

import pytest

from export.errors import ReleaseNameError
from export.order import ReleaseOrder, check_name


@pytest.mark.parametrize("name", ["V", "VOC2026", "VOC2026.1", "Zoo, the second", "猫", "a" * 100])
def test_a_name_on_one_line_is_taken_as_it_is(name: str) -> None:
    assert check_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        " ",
        ".",
        "..",
        ".hidden",
        "a" * 101,
        " a",
        "a ",
        "a/b",
        "a\\b",
        "../a",
        "a\nb",
        "a\n",
        "\0",
    ],
)
def test_a_name_that_cannot_be_that_of_a_folder_is_refused(name: str) -> None:
    with pytest.raises(ReleaseNameError, match="expected 1 to 100 characters on one line"):
        check_name(name)


@pytest.mark.parametrize(
    ("order", "part"),
    [
        (ReleaseOrder(), {}),
        (ReleaseOrder(is_blind=True, is_forced=True, extends="VOC2025"), {}),
        (ReleaseOrder(classes=("cat", "dog")), {"classes": ["cat", "dog"]}),
        (ReleaseOrder(limit=30, is_unbound=True), {"limit": 30, "unbind": True}),
    ],
)
def test_a_release_records_only_what_chose_some_of_the_images(
    order: ReleaseOrder, part: dict[str, object]
) -> None:
    assert order.part == part
