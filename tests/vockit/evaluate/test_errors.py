"""All problems of a submission are shown at once."""

from pathlib import Path

from .small_tree import IDS, run, write_result


def test_all_problems_are_shown_at_once_with_file_and_line(devkit: Path) -> None:
    rows = [
        f"{IDS[0]} 0.9 10 10 60",
        f"{IDS[0]} 0,9 10 10 60 60",
        "2012_999999 0.9 10 10 60 60",
        f"{IDS[0]}\u202e 0.9 10 10 60 60",
    ]
    write_result(devkit, "Main/comp3_det_val_cat.txt", "\n".join(rows) + "\n")
    printed = run(str(devkit), status=1)
    assert "4 problems; nothing was scored" in printed
    for expected in (
        "cat.txt:1: expected <id> <confidence> <left> <top> <right> <bottom>, got 5 columns",
        "cat.txt:2: expected numbers after the id, got '0,9 10 10 60 60'",
        "cat.txt:3: expected an image of the set val, got '2012_999999'",
        "cat.txt:4: expected plain text",
    ):
        assert expected in printed
    assert "Traceback" not in printed


def test_only_the_first_twenty_problems_are_shown_in_full(devkit: Path) -> None:
    write_result(devkit, "Main/comp1_cls_val_cat.txt", "nowhere 1\n" * 50)
    printed = run(str(devkit), status=1)
    assert printed.count("expected an image") == 20
    assert "... and 30 more" in printed
