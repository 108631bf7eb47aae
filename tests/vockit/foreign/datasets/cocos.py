"""Small COCO datasets on disk, which tests damage."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.party_rows import HEIGHT, WIDTH, jpeg_bytes

LABELS = "annotations/instances_train.json"


def box(number: int, bbox: object, image_id: object = 1, category: object = 1, **more: Any) -> Any:
    """An annotation as COCO has it."""
    row = {"id": number, "image_id": image_id, "category_id": category, "bbox": bbox}
    return row | {"area": 1, "iscrowd": 0, "segmentation": []} | more


def make_coco(
    root: Path,
    annotations: Sequence[Any] = (),
    *,
    images: int = 2,
    categories: Sequence[Any] = ({"id": 1, "name": "cat"}, {"id": 2, "name": "dog"}),
    rows: Sequence[Mapping[str, Any]] | None = None,
    **more: Any,
) -> Path:
    """A dataset whose images 1, 2 and so on have pictures of noise."""
    numbers = range(1, images + 1)
    (root / "train").mkdir(parents=True, exist_ok=True)
    for number in numbers:
        (root / f"train/{number}.jpg").write_bytes(jpeg_bytes(number))
    size = {"width": WIDTH, "height": HEIGHT}
    listed = [{"id": number, "file_name": f"{number}.jpg", **size} for number in numbers]
    document: dict[str, Any] = {
        "info": {},
        "images": rows if rows is not None else listed,
        "annotations": annotations,
    }
    path = root / LABELS
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document | {"categories": categories} | more))
    return root
