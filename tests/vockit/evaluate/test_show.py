"""Scores as a table, as JSON and as LaTeX."""

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vockit.evaluate.show import BOLD, ITALIC, ScoreTable

from .small_tree import IDS, run, write_methods, write_result


def check(value: Any, schema: Mapping[str, Any], root: Mapping[str, Any]) -> None:
    """Check a value against the part of JSON Schema that ours uses."""
    if "$ref" in schema:
        check(value, root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
        return
    if "anyOf" in schema or "enum" in schema or "const" in schema:
        options = schema.get("enum", [schema.get("const")])
        assert "anyOf" in schema or value in options
        if "anyOf" in schema and isinstance(value, str):
            assert value in schema["anyOf"][1]["enum"]
        return
    types = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}
    assert isinstance(value, types.get(schema.get("type", ""), object))
    if isinstance(value, dict):
        assert set(schema.get("required", ())) <= set(value)
        for name, item in value.items():
            inner = schema.get("properties", {}).get(name, schema.get("additionalProperties", {}))
            assert inner is not False, name
            check(item, inner, root)
    elif isinstance(value, list):
        for item in value:
            check(item, schema.get("items", {}), root)


def test_the_table_names_rules_classes_and_the_mean(devkit: Path) -> None:
    write_result(devkit, "Main/comp3_det_val_cat.txt", f"{IDS[0]} 0.9 10 10 60 60\n")
    write_result(devkit, "Main/comp3_det_val_person.txt", "")
    printed = run(str(devkit))
    assert "VOC2012, set val, rules of 2012: area AP" in printed
    assert "mean of 2    0.2500" in printed
    assert "11-point" in run(str(devkit), "--rules", "2007", "--class", "cat")
    assert "person" not in run(str(devkit), "--class", "cat")


def test_the_best_score_is_bold_and_the_next_two_are_italic() -> None:
    rows = [("a", [0.5]), ("b_1", [0.7]), ("c", [float("nan")]), ("d", [0.6]), ("e", [0.1])]
    table = ScoreTable("t", "AP", ["method", "cat"], rows, is_ranked=True)
    marks = [row[0] for row in table.cells()]
    assert marks == [("50.0", ITALIC), ("70.0", BOLD), ("–", ""), ("60.0", ITALIC), ("10.0", "")]
    assert r"b\_1 & \textbf{70.0} \\" in table.as_latex()
    assert list(csv.reader(table.as_csv().splitlines()))[3] == ["c", ""]


def test_the_json_document_matches_its_schema(devkit: Path) -> None:
    schema = json.loads((Path(__file__).parents[3] / "docs" / "scores.schema.json").read_text())
    write_methods(devkit)
    document = json.loads(run(str(devkit), "--results", str(devkit / "good"), "--json"))
    assert set(document["tasks"]) == {"classification", "detection", "segmentation"}
    check(document, schema, schema)
