"""What `segment list` shows."""

import json
from typing import Any

from .conftest import SegmentHouse, run, save, segments


def test_the_list_shows_time_per_object_and_agreement(house: SegmentHouse) -> None:
    image_id = house.add_checked()
    house.choose(twice_share=1.0)
    ann = house.ann()
    olga = house.olga()
    save(ann, ann.take("segment"), segments()[:1], finish=False, active_secs=30, inputs=20)
    save(ann, ann.take("segment"), active_secs=4, inputs=2)
    save(olga, olga.take("segment"))
    listed: dict[str, Any] = json.loads(run(house, "list", "--json").stdout)
    assert listed["images"] == [
        {
            "image_id": image_id,
            "state": "drawn",
            "waits": None,
            "blind": True,
            "person": "ann",
            "active_secs": 34.0,
            "inputs": 22,
            "objects": [
                {"object_key": "a", "class": "dog", "drawn_secs": 12.0, "inputs": 9},
                {"object_key": "b", "class": "cat", "drawn_secs": 13.0, "inputs": 9},
            ],
        }
    ]
    assert (listed["median_secs"], listed["median_inputs"]) == (12.5, 9)
    assert listed["agreement"] == {"cat": 1.0, "dog": 1.0}
    text = run(house, "list").stdout
    assert "An object takes 12 s and 9 inputs (medians)." in text
    assert "Two people agree on dog with an IoU of 1.00." in text
