"""Product code is not packed: no unpacked literal tuples, no lines that the formatter skips."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCT = (
    "annotate_ui",
    "catalog",
    "collect",
    "dedup",
    "export",
    "operate",
    "qa",
    "simulate",
    "vockit",
    "web",
    "work",
)


def find_packed(code: str) -> Iterator[int]:
    """The lines with `*(a, b)` or `*[a, b]` of a literal, or with `fmt: skip` or `fmt: off`."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Starred) and isinstance(node.value, ast.Tuple | ast.List):
            yield node.lineno
    for number, line in enumerate(code.splitlines(), start=1):
        if "# fmt: skip" in line or "# fmt: off" in line:
            yield number


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("select(*(a, b), c)", [1]),
        ("names = [\n    *('a', 'b'),\n    'c',\n]", [2]),
        ("print(*[a, b])", [1]),
        ("row = (1,   2)  # fmt: skip", [1]),
        ("select(*columns, *(column for column in others))", []),
        ("first, *rest = row", []),
    ],
)
def test_packed_code_is_found(code: str, lines: list[int]) -> None:
    assert list(find_packed(code)) == lines


def test_product_code_is_not_packed() -> None:
    modules = [ROOT / "vocparty.py"]
    modules += [path for name in PRODUCT for path in sorted((ROOT / name).rglob("*.py"))]
    packed = {
        f"{module.relative_to(ROOT)}:{line}"
        for module in modules
        for line in find_packed(module.read_text("utf-8"))
    }
    assert packed == set(), "write these literals out, one value a line"
