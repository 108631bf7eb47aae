"""The code names its variables by nouns, not by words such as `it` that fit every value."""

import ast
import symtable
from collections.abc import Iterator

import pytest

from .test_packing import ROOT, list_modules

WORDS = {"it", "one", "told", "found", "of", "by", "own"}
BINDING = (
    ast.arg,
    ast.Name,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
    ast.MatchMapping,
    ast.alias,
    ast.FunctionDef,
    ast.AsyncFunctionDef,
)


def find_nameless(code: str) -> Iterator[tuple[int, str]]:
    """Lines that bind one of the words: variables, parameters, targets of loops, `with`, `except`.

    The fields of a class are none of these: they name a part of a value, as `score.found` does.
    """
    if not _uses_words(symtable.symtable(code, "code", "exec")):
        return
    fields: set[ast.expr] = set()
    for node in ast.walk(ast.parse(code)):  # which yields a class before its fields
        if isinstance(node, ast.ClassDef):
            fields.update(part.target for part in node.body if isinstance(part, ast.AnnAssign))
        if not isinstance(node, BINDING) or node in fields:
            continue
        for name in _list_bound(node):
            if name in WORDS:
                yield node.lineno, name


def _uses_words(scope: symtable.SymbolTable) -> bool:
    """Whether the scope or one inside has a variable of these names; most code has none.

    That takes a third of the time that the nodes of the code take.
    """
    is_used = not WORDS.isdisjoint(scope.get_identifiers())
    return is_used or any(map(_uses_words, scope.get_children()))


def _list_bound(node: ast.AST) -> list[str]:
    """The names that this node binds, without those of its parts."""
    match node:
        case ast.Name(id=name, ctx=context):
            return [name] if isinstance(context, ast.Store) else []
        case ast.arg(arg=name):
            return [name]
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            return [name]
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            return [name]
        case ast.alias(asname=str(name)):
            return [name]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            return [name]
    return []


@pytest.mark.parametrize(
    ("code", "bound"),
    [
        ("found = load()", [(1, "found")]),
        ("found: int = 0", [(1, "found")]),
        ("one, *own = rows", [(1, "one"), (1, "own")]),
        ("if (it := load()):\n    pass", [(1, "it")]),
        ("[it.id for it in rows]", [(1, "it")]),
        ("for one in rows:\n    pass", [(1, "one")]),
        ("with opened() as it:\n    pass", [(1, "it")]),
        ("try:\n    pass\nexcept OSError as it:\n    pass", [(3, "it")]),
        (
            "def ask(by, *of, own=1, **told):\n    pass",
            [(1, name) for name in ("by", "of", "own", "told")],
        ),
        ("match row:\n    case [one, *found]:\n        pass", [(2, "one"), (2, "found")]),
        ("import numpy as one", [(1, "one")]),
        ("lambda it: it.id", [(1, "it")]),
        ("score.found = row['by']\nask(own=1)", []),
        ("class Score:\n    found: int\n", []),
    ],
)
def test_a_name_without_a_noun_is_found(code: str, bound: list[tuple[int, str]]) -> None:
    assert sorted(find_nameless(code)) == sorted(bound)


def test_the_code_names_its_variables_by_nouns() -> None:
    nameless = {
        f"{module.relative_to(ROOT)}:{line} {name}"
        for module in list_modules()
        for line, name in find_nameless(module.read_text("utf-8"))
    }
    assert nameless == set(), "name these by what they hold"
