"""What the files of other tools say of released objects that VOC has no field for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from vockit.format.plural import format_count

from .plan import ReleasePlan

ATTRIBUTES = "data/attributes.jsonl"


def iterate_attributes(plan: ReleasePlan) -> Iterator[dict[str, Any]]:
    """Each shown object with such attributes: its image, number in the file, class and source."""
    for image in plan.annotated:
        items = plan.records[image.public_id].objects
        for number, (item, row) in enumerate(zip(items, image.row.objects, strict=True), start=1):
            if attributes := image.row.find_attributes(row):
                origin = image.row.origins[row.key]
                yield {
                    "image_id": image.public_id,
                    "set": image.split.value,
                    "object_number": number,
                    "class": item.name,
                    "attributes": dict(attributes),
                    "source": {"tool": origin.form, "place": origin.place},
                }


def format_attributes(plan: ReleasePlan) -> bytes:
    """A line of JSON for each object with attributes; empty where no object has any."""
    lines = (json.dumps(row, ensure_ascii=False) for row in iterate_attributes(plan))
    return "".join(f"{line}\n" for line in lines).encode()


def describe_attributes(plan: ReleasePlan) -> str:
    """A sentence on how many objects have such attributes; empty where none has."""
    count = sum(1 for _row in iterate_attributes(plan))
    if not count:
        return ""
    has = "has" if count == 1 else "have"
    return (
        f"{format_count(count, 'object')} {has} attributes of an imported dataset that VOC has no "
        f"field for; {ATTRIBUTES} lists them as that dataset had them."
    )
