"""Megabytes that an installation takes: the application alone, and what each extra adds.

    python -m benchmarks.install_size

Adds up the sizes in the RECORD of each distribution that pyproject.toml asks for, directly or not,
as they are installed beside this Python, and the files of our own packages. Compiled .pyc files,
which Python writes at the first start, are not counted. Prints Markdown.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
OWN = frozenset({"vocparty", "vockit"})
MB = 1_000_000
LARGEST = 8


def main() -> None:
    """Print a row for the application alone, for each extra, and for the largest packages."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    kit = tomllib.loads((ROOT / "vockit/pyproject.toml").read_text())
    needs = [*project["project"]["dependencies"], *kit["project"]["dependencies"]]
    alone = find_all(needs)
    sizes = {name: measure(name) for name in alone}
    own_bytes = sum(path.stat().st_size for path in list_own(project))
    print("| what | packages | MB |\n|---|---|---|")
    total = own_bytes + sum(sizes.values())
    print(f"| the application alone | {len(sizes)} | {total / MB:.0f} |")
    for extra, wanted in sorted(project["project"]["optional-dependencies"].items()):
        more = find_all(wanted) - alone
        added = sum(map(measure, more))
        print(f"| the extra `{extra}` adds | {len(more)} | {added / MB:.0f} |")
    print("\n| of the application alone | MB |\n|---|---|")
    for name in sorted(sizes, key=lambda name: -sizes[name])[:LARGEST]:
        print(f"| {name} | {sizes[name] / MB:.0f} |")
    print(f"| our own packages | {own_bytes / MB:.0f} |")


def find_all(needs: Iterable[str]) -> set[str]:
    """The names of all distributions that these requirements bring, without our own."""
    names: set[str] = set()
    waiting = [Requirement(need) for need in needs]
    while waiting:
        need = waiting.pop()
        name = canonicalize_name(need.name)
        if name in OWN or (need.marker and not need.marker.evaluate({"extra": ""})):
            continue
        if name not in names:
            names.add(name)
            waiting += _list_needs(name, {"", *need.extras})
    return names


def _list_needs(name: str, extras: set[str]) -> Iterator[Requirement]:
    """What a distribution asks for, with these extras; each without its marker."""
    try:
        texts = distribution(name).requires or []
    except PackageNotFoundError as error:
        raise SystemExit(f"{name} is not installed beside this Python.") from error
    for text in texts:
        need = Requirement(text)
        if need.marker is None or any(need.marker.evaluate({"extra": extra}) for extra in extras):
            need.marker = None
            yield need


def measure(name: str) -> int:
    """The bytes of a distribution's files, as its RECORD has them."""
    return sum(file.size or 0 for file in distribution(name).files or () if file.suffix != ".pyc")


def list_own(project: Mapping[str, Any]) -> Iterator[Path]:
    """The files of our own packages, as a wheel holds them."""
    included = project["tool"]["hatch"]["build"]["targets"]["wheel"]["only-include"]
    for name in (*included, "vockit"):
        path = ROOT / name
        files = [path] if path.is_file() else sorted(path.rglob("*"))
        yield from (file for file in files if file.is_file() and file.suffix != ".pyc")


if __name__ == "__main__":
    main()
