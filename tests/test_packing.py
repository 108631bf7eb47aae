"""Code is not packed: no unpacked literals, no several assignments in one line."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
FOLDERS = (
    "annotate_ui",
    "benchmarks",
    "catalog",
    "challenge",
    "collect",
    "dedup",
    "export",
    "operate",
    "qa",
    "simulate",
    "tests",
    "vockit",
    "web",
    "work",
)


def list_modules() -> list[Path]:
    """All Python files of the project."""
    modules = [ROOT / "vocparty.py"]
    for folder in FOLDERS:
        modules += sorted((ROOT / folder).rglob("*.py"))
    return modules


def find_packed(code: str) -> Iterator[int]:
    """The lines with `*(a, b)`, `*([a] if b else [])` or `a, b = 1, 2`, or not formatted.

    `a, b = b, a + b`, in which a value needs what the other names held, is one assignment.
    """
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Starred) and _is_literal(node.value):
            yield node.lineno
        if isinstance(node, ast.Assign) and _has_several(node):
            yield node.lineno
    for number, line in enumerate(code.splitlines(), start=1):
        if "# fmt: skip" in line or "# fmt: off" in line:
            yield number


def _is_literal(value: ast.expr) -> bool:
    if isinstance(value, ast.IfExp):
        return _is_literal(value.body) or _is_literal(value.orelse)
    return isinstance(value, ast.Tuple | ast.List)


def _has_several(assignment: ast.Assign) -> bool:
    """Whether it could be several statements."""
    target = assignment.targets[0]
    value = assignment.value
    if not (isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)):
        return False
    used = {ast.unparse(node) for node in ast.walk(value) if isinstance(node, ast.expr)}
    has_star = any(isinstance(part, ast.Starred) for part in target.elts)
    return not has_star and used.isdisjoint(ast.unparse(part) for part in target.elts)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("select(*(a, b), c)", [1]),
        ("names = [\n    *('a', 'b'),\n    'c',\n]", [2]),
        ("print(*[a, b])", [1]),
        ("row = (1,   2)  # fmt: skip", [1]),
        ("select(*columns, *(column for column in others))", []),
        ("first, *rest = row", []),
        ("print(a, *([b] if c else []))", [1]),
        ("print(a, *(b if c else []))", [1]),
        ("low, high = 0, [1]", [1]),
        ("a, b = b, a + b", []),
        ("width, height = size", []),
    ],
)
def test_packed_code_is_found(code: str, lines: list[int]) -> None:
    assert list(find_packed(code)) == lines


def test_code_is_not_packed() -> None:
    packed = {
        f"{module.relative_to(ROOT)}:{line}"
        for module in list_modules()
        if module != Path(__file__)  # has examples
        for line in find_packed(module.read_text("utf-8"))
    }
    assert packed == set(), "write these literals out, one value a line"


SCRIPTS = ("annotate_ui/static/app", "tests/annotate_ui/js")
CALL = r"[\w.]+\((?:[^()]|\([^()]*\))*\)"
PACKED_SCRIPT = re.compile(
    # const [a, b] = [1, 2], or with a type before the values
    r"\b(?:const|let) \[[^=;]*\] =\s*(?:/\*\*[^;]*?\*/ \()?\[(?:(?!\]\.)[^;])*\]\)?;"
    r"|(?<!for \()\b(?:const|let) \w+(?: = [^;()\[{`\"]*)?, \w+[ ,;]"  # let a, b, outside of `for`
    rf"|=> \({CALL}, "  # () => (draw(), save())
    r"|\.\.\.\[[^\[\]]*\][,)\]\s]"  # ...[a, b]
    r"|prettier-ignore"
)


@pytest.mark.parametrize(
    ("script", "packed"),
    [
        ("const [low, high] = [0, all];", ["const [low, high] = [0, all];"]),
        (
            "const [[left], [top]] = [range(0), range(1)];",
            ["const [[left], [top]] = [range(0), range(1)];"],
        ),
        (
            "const [a, b] = /** @type {any[]} */ ([1, 2]);",
            ["const [a, b] = /** @type {any[]} */ ([1, 2]);"],
        ),
        ("let first, last;", ["let first, last;"]),
        ("let first = 0, last = 1;", ["let first = 0, last "]),
        ("const end = () => (close(all(1)), save());", ["=> (close(all(1)), "]),
        ('names = [...["a", "b"], c];', ['...["a", "b"],']),
        ("// prettier-ignore", ["prettier-ignore"]),
        ("const [low, high] = range(0);\n[low, high] = [high, low];", []),
        ("const sides = (a, b) => (a ? [b] : []);", []),
        ("call(...(more ? [item] : []), ...[a].map(draw));", []),
        ("const { first, last } = model;", []),
        ("const [low, high] = [0, all].map(Math.log10);", []),
        ("const pair = { first, last };", []),
    ],
)
def test_packed_scripts_are_found(script: str, packed: list[str]) -> None:
    assert [match.group() for match in PACKED_SCRIPT.finditer(script)] == packed


def test_scripts_are_not_packed() -> None:
    packed = {
        f"{path.relative_to(ROOT)}: {match.group()}"
        for name in SCRIPTS
        for path in sorted((ROOT / name).rglob("*.js"))
        for match in PACKED_SCRIPT.finditer(path.read_text("utf-8"))
    }
    assert packed == set(), "write these out, one value a line"
