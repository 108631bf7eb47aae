"""The docstring of each table names the packages that write its rows."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from catalog.tables import Base

ROOT = Path(__file__).parents[2]
PACKAGES = ("catalog", "collect", "dedup", "qa", "export", "work", "operate", "web", "annotate_ui")
TABLES = {mapper.class_.__name__: mapper.class_ for mapper in Base.registry.mappers}
STATEMENTS = ("insert", "update", "delete", "insert_new", "_insert", "merge")


def name_table(node: ast.expr) -> str:
    """The last name of `Image` or `tables.Image`; empty for another expression."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id="tables"), attr=name):
            return name
    return ""


def find_written(code: str) -> Iterator[str]:
    """The tables that a module writes: as `Table(column=...)` or in a statement."""
    if "tables" not in code:
        return
    module = ast.parse(code)
    imported = {
        alias.asname or alias.name
        for node in ast.walk(module)
        if isinstance(node, ast.ImportFrom) and "tables" in (node.module or "")
        for alias in node.names
    }
    for call in (node for node in ast.walk(module) if isinstance(node, ast.Call)):
        is_statement = isinstance(call.func, ast.Name) and call.func.id in STATEMENTS
        places = call.args if is_statement else [call.func]
        for place in places:
            name = name_table(place)
            is_of_table = isinstance(place, ast.Attribute) or name in imported
            if name in TABLES and is_of_table:
                yield name


@cache
def list_writers() -> dict[str, set[str]]:
    writers = defaultdict[str, set[str]](set)
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            for table in find_written(path.read_text("utf-8")):
                writers[table].add(package)
    return writers


@pytest.mark.parametrize("table", sorted(TABLES))
def test_the_docstring_of_a_table_names_the_packages_that_write_it(table: str) -> None:
    words = re.findall(r"\w+", (TABLES[table].__doc__ or "").lower())
    assert list_writers()[table] - set(words) == set()


def test_nearly_every_table_has_a_writer_that_is_found() -> None:
    assert len([table for table in TABLES if list_writers()[table]]) > len(TABLES) * 3 / 4
