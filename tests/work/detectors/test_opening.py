"""Which kind a model is: the one that was named, if its outputs fit, or the only one that fits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from vockit.errors import SettingsError
from work.detectors.errors import ModelError
from work.detectors.kinds import Layout, Shape
from work.detectors.network import Outline
from work.detectors.opening import choose_kind, read_class_names

SIZE_WH = (64, 64)
YOLOX = (1, 8 * 8 + 4 * 4 + 2 * 2, 7)


def _choose(
    shapes: Sequence[Shape], classes: int, name: str | None = None, answer: str | None = None
) -> str:
    def ask(names: Sequence[str]) -> str:
        if answer is None:
            raise SettingsError(f"which of {', '.join(names)}")
        return answer

    outline = Outline(SIZE_WH, shapes, [f"out{number}" for number in range(len(shapes))])
    return choose_kind("m.onnx", outline, Layout(shapes, classes, SIZE_WH), name, ask).name


def test_the_only_kind_that_fits_needs_no_name() -> None:
    assert _choose([(1, 6, 100)], 2) == "yolov8"


def test_where_several_kinds_fit_a_person_is_asked() -> None:
    assert _choose([YOLOX], 2, answer="yolox") == "yolox"
    with pytest.raises(SettingsError, match="which of yolov5, yolox"):
        _choose([YOLOX], 2)
    assert _choose([YOLOX], 2, name="yolov5") == "yolov5"


def test_a_kind_that_the_outputs_do_not_fit_is_refused_with_their_shape() -> None:
    with pytest.raises(ModelError) as caught:
        _choose([YOLOX], 2, name="yolov8")
    assert str(caught.value) == (
        "m.onnx gives out0 [1, 84, 7], of 2 classes, which is not [1, 4 + classes, N] of yolov8; "
        "it could be yolov5 or yolox."
    )


def test_outputs_of_no_kind_are_printed() -> None:
    with pytest.raises(
        ModelError, match=r"gives out0 \[1, 1000\], of 1 class, which is of no kind"
    ):
        _choose([(1, 1000)], 1)


def test_classes_are_the_lines_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "classes.txt"
    path.write_bytes("\ufeffcat\r\n\r\ntraffic light \n\n".encode())
    assert read_class_names(path) == ["cat", "", "traffic light"]
    path.write_text("\n\n")
    with pytest.raises(SettingsError, match="names no class"):
        read_class_names(path)
    path.write_bytes(b"caf\xe9\n")
    with pytest.raises(SettingsError, match="it is not UTF-8"):
        read_class_names(path)
    with pytest.raises(SettingsError, match="No such file"):
        read_class_names(tmp_path / "nothing.txt")
