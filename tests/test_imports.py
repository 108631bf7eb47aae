"""No modules import one another in a circle, within a package or across packages."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = sorted(
    path.parent.name for path in ROOT.glob("*/__init__.py") if path.parent.name != "tests"
)


def test_no_modules_import_one_another_in_a_circle() -> None:
    """Imports inside of functions and for type checkers alone do not count."""
    modules = find_modules(ROOT, PACKAGES)
    assert {"dedup.pairs", "collect.collector", "vockit.format"} <= modules.keys()
    assert find_circle(modules, with_types=False) is None


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_of_a_package_know_one_another_in_a_circle(package: str) -> None:
    """Imports for type checkers count here; those inside of functions do not."""
    assert find_circle(find_modules(ROOT, [package])) is None


@pytest.mark.parametrize(
    ("sources", "circle"),
    [
        ({"one": "from .two import x", "two": "from a.one import y"}, {"a.one", "a.two"}),
        ({"one": "from . import two", "two": "import a.one"}, {"a.one", "a.two"}),
        (
            {"one": "if TYPE_CHECKING:\n from .two import X", "two": "import a.one"},
            {"a.one", "a.two"},
        ),
        ({"one": "def f():\n from .two import x", "two": "from .one import f"}, None),
        ({"one": "from .two import x", "two": ""}, None),
    ],
)
def test_a_circle_is_found(
    tmp_path: Path, sources: Mapping[str, str], circle: set[str] | None
) -> None:
    folder = tmp_path / "a"
    folder.mkdir()
    for name, source in ({"__init__": ""} | dict(sources)).items():
        (folder / f"{name}.py").write_text(source)
    modules = find_circle(find_modules(tmp_path, ["a"]))
    assert (modules and set(modules)) == circle


def find_modules(root: Path, packages: list[str]) -> dict[str, Path]:
    """The files of these packages by the names of their modules."""
    modules = {}
    for path in sorted(path for package in packages for path in (root / package).rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        modules[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return modules


def find_circle(modules: Mapping[str, Path], *, with_types: bool = True) -> list[str] | None:
    """A chain of modules that ends where it began, or None."""
    imports = {
        name: {other for other in list_imports(name, path, modules, with_types) if other != name}
        for name, path in modules.items()
    }
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return None


def list_imports(
    name: str, path: Path, modules: Mapping[str, Path], with_types: bool
) -> Iterator[str]:
    """The modules among these that a module names in its imports when it is loaded."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in iterate_loaded(ast.parse(path.read_bytes()), with_types):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                if inner in modules:
                    yield inner
                elif base in modules:
                    yield base


def iterate_loaded(node: ast.AST, with_types: bool) -> Iterator[ast.AST]:
    """The statements of a module without what is inside of functions."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):  # no import is in an expression
            continue
        is_function = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef)
        is_typing = isinstance(child, ast.If) and ast.unparse(child.test).endswith("TYPE_CHECKING")
        if not is_function and (with_types or not is_typing):
            yield child
            yield from iterate_loaded(child, with_types)
