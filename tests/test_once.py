"""What is made once for all processes of the tests is whole, though one of them dies over it."""

from pathlib import Path

import pytest

from .once import make_once


def die_in(folder: Path) -> list[str]:
    folder.mkdir()
    (folder / "half").touch()
    raise RuntimeError


def make_in(folder: Path) -> list[str]:
    folder.mkdir()
    (folder / "whole").touch()
    return [path.name for path in folder.iterdir()]


def test_what_a_process_left_half_made_is_made_anew(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    with pytest.raises(RuntimeError):
        make_once(tmp_path_factory, "half-made", die_in)
    assert make_once(tmp_path_factory, "half-made", make_in) == ["whole"]
    assert make_once(tmp_path_factory, "half-made", die_in) == ["whole"]
