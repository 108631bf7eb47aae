"""torchvision's own VOCDetection and VOCSegmentation read a release, where it is installed.

torchvision is no dependency of the tests, since the package index has only builds for CUDA. With
torch for the processor alone its compiled operators do not load; the reader does not need them,
and the two that the import needs are declared here. `make test-torchvision` installs both.
"""

import importlib
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image as Picture

from catalog.party import Party
from catalog.preset import AnnotationStyle
from export.order import ReleaseOrder
from tests.drawings import FRONT, SHAPE, draw, read_masks
from tests.exporting import export_release
from tests.party_rows import CAT, DOG, NOW, PERSON, fill
from vockit.foreign.tree_images import load_tree

MISSING = "torchvision is not installed, so its reader was not asked: make test-torchvision."
_OPERATORS = ("nms", "qnms")


def _import_datasets() -> Any:
    """torchvision.datasets; skips loudly where it is not installed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch = pytest.importorskip("torch", reason=MISSING)
        try:
            return importlib.import_module("torchvision.datasets")
        except ImportError:
            pytest.skip(MISSING)
        except RuntimeError:  # torch without CUDA
            library = torch.library.Library("torchvision", "DEF")
            for name in _OPERATORS:
                library.define(f"{name}(Tensor dets, Tensor scores, float threshold) -> Tensor")
            return importlib.import_module("torchvision.datasets")


@pytest.fixture(scope="module")
def datasets() -> Any:
    return _import_datasets()


@pytest.mark.parametrize(
    ("year", "style", "set_name"),
    [
        (2007, AnnotationStyle.VOC2007, "test"),
        (2007, AnnotationStyle.VOC2007, "trainval"),
        (2008, AnnotationStyle.VOC2008, "train"),
        (2012, AnnotationStyle.VOC2012, "trainval"),
        (2012, AnnotationStyle.VOC2012, "val"),
    ],
)
def test_torchvision_reads_every_image_and_object(
    datasets: Any, party: Party, tmp_path: Path, year: int, style: AnnotationStyle, set_name: str
) -> None:
    fill(party, (([CAT, DOG], [PERSON], [CAT])[number % 3] for number in range(12)))
    export_release(party, tmp_path / "out", year=year, at=NOW, order=ReleaseOrder(style=style))
    read = datasets.VOCDetection(tmp_path / "out", year=str(year), image_set=set_name)
    content = load_tree(tmp_path / "out")
    wanted = ["train", "val"] if set_name == "trainval" else [set_name]
    images = {image.image_id: image for image in content.images if image.set_name in wanted}
    assert len(read) == len(images) > 0
    for picture, target in read:
        annotation = target["annotation"]
        image = images.pop(Path(annotation["filename"]).stem)
        with Picture.open(image.picture) as expected:
            assert picture.tobytes() == expected.convert("RGB").tobytes()
        assert Counter(map(_cell, annotation["object"])) == Counter(
            (item.name, item.box.xmin, item.box.ymin, item.box.xmax, item.box.ymax)
            for item in image.objects
        )
    assert images == {}


def test_torchvision_reads_every_mask_with_equal_areas(
    datasets: Any, party: Party, tmp_path: Path
) -> None:
    for image_id in fill(party, [[CAT, DOG]] * 8):
        draw(party, image_id, {"key-1": SHAPE, "key-2": FRONT})
    export_release(party, tmp_path / "out", year=2012, at=NOW)
    areas: dict[str, Counter[int]] = {}
    for set_name in ("train", "val"):
        for picture, mask in datasets.VOCSegmentation(tmp_path / "out", image_set=set_name):
            assert (mask.mode, mask.size) == ("P", picture.size)
            areas[set_name] = areas.get(set_name, Counter()) + Counter(mask.tobytes())
    for set_name, counted in areas.items():
        sets = tmp_path / "out/VOCdevkit/VOC2012/ImageSets/Segmentation"
        names = (sets / f"{set_name}.txt").read_text().split()
        masks = [read_masks(tmp_path / "out", name)[0] for name in names]
        assert counted == Counter(np.concatenate([mask.ravel() for mask in masks]).tolist())
    assert set(areas) == {"train", "val"}


def _cell(item: dict[str, Any]) -> tuple[str, int, int, int, int]:
    box = item["bndbox"]
    xmin, ymin, xmax, ymax = (int(box[name]) for name in ("xmin", "ymin", "xmax", "ymax"))
    return item["name"], xmin, ymin, xmax, ymax
