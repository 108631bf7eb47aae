"""The table of all objects, with every field."""

from pathlib import Path

import pyarrow.parquet as pq

from vockit.foreign.convert import convert_tree
from vockit.foreign.tree_images import TreeContent


def test_the_parquet_table_has_all_fields(content: TreeContent, tmp_path: Path) -> None:
    convert_tree(content, tmp_path / "out", "parquet")
    table = pq.read_table(tmp_path / "out" / "objects.parquet")
    count = sum(len(image.objects) for image in content.images)
    assert len(table.to_pandas()) == table.num_rows == count
    person = next(row for row in table.to_pylist() if row["class"] == "person")
    assert (person["point_x"], person["point_y"]) == (20, 20)
    assert [part["name"] for part in person["parts"]] == ["head", "hand"]
    assert person["actions"] == ["jumping", "running"]
    assert person["image_id"].startswith("2026_0000")
    assert (person["depth"], person["segmented"], person["folder"]) == (3, False, "VOC2026")
    assert person["source_database"] == "The Test party Database"
    assert (person["source_image"], person["owner_name"]) == ("flickr", None)
