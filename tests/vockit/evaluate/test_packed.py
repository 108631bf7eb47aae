"""Archives of results that hold more or other than results: each is refused in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from .archives import EXPECTED, PACKERS, Files, list_taken, name_archive, refuse


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("above", ["", "./", "VOC2012/", "results/VOC2012/", "mine/"])
def test_results_may_lie_in_folders_of_their_own(
    tmp_path: Path, packer: Callable[..., Path], above: str
) -> None:
    files = {
        f"{above}{EXPECTED}": b"x",
        f"{above}model.txt": b"mine",
        f"{above}Main/notes.txt": b"passed over",
        f"{above}run.sh": b"passed over",
        "elsewhere/release.txt": b"passed over",
    }
    taken = list_taken(packer(name_archive(tmp_path, packer), files))
    assert taken == {EXPECTED: b"x", "model.txt": b"mine"}


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize(
    ("files", "words"),
    [
        ({"../Main/comp3_det_val_cat.txt": b""}, "names a file outside of itself"),
        ({f"a/../../{EXPECTED}": b""}, "names a file outside of itself"),
        ({"/etc/passwd": b""}, "names a file outside of itself"),
        ({"Main/comp3_cat.txt": b""}, "expected files such as Main/comp1_cls_SET_CLASS.txt"),
        ({"main/COMP3_DET_val_cat.TXT": b""}, f"expected '{EXPECTED}', small and capital"),
        ({EXPECTED: b"", "comp3_det_val_dog.txt": b""}, "expected 'Main/comp3_det_val_dog.txt'"),
        ({EXPECTED: b"", "Main/comp1_cls_val_cat.TXT": b""}, "expected 'Main/comp1_cls_val_cat"),
        ({"entry.tar.gz": b""}, "holds another archive, 'entry.tar.gz'; send that one itself"),
        ({f"a/{EXPECTED}": b"", f"b/{EXPECTED}": b""}, "in several folders (a and b)"),
        ({EXPECTED: b"", f"./{EXPECTED}": b""}, "twice; pack one of them"),
        ({}, "got no file"),
    ],
)
def test_what_is_not_a_folder_of_results_is_refused_with_what_was_expected(
    tmp_path: Path, packer: Callable[..., Path], files: Files, words: str
) -> None:
    assert words in refuse(packer(name_archive(tmp_path, packer), files))
