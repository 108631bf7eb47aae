"""What each application and each catalogue compiles anew, compiled once for all tests.

Each test has a party of its own. Its routes, templates and SQL are those of all others, and take
longer to compile than most tests take to run.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import Engine, event
from werkzeug.routing import Rule

import catalog.session


def compile_once(folder: Path) -> None:
    """From here on this process compiles each route, template and statement once."""
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(str(folder))}
    Rule._compile_builder = _remember_routes(Rule._compile_builder)  # type: ignore[method-assign]
    engines: dict[str, Engine] = {}

    def create_engine(*args: Any, **kwargs: Any) -> Engine:
        engine = sqlalchemy.create_engine(*args, **kwargs)
        name = engine.dialect.name
        if name in engines:
            engine.dialect = engines[name].dialect
            engine._compiled_cache = engines[name]._compiled_cache
        else:  # a dialect knows its server once it has connected
            event.listen(engine, "engine_connect", lambda _: engines.setdefault(name, engine))
        return engine

    catalog.session.create_engine = create_engine  # type: ignore[attr-defined]


def _remember_routes(compile_builder: Callable[..., Any]) -> Callable[..., Any]:
    """The function that builds a route's address depends on what is written in the route alone."""
    known: dict[object, Any] = {}

    def remember(rule: Rule, append_unknown: bool = True) -> Any:
        key = rule.rule, str(rule.defaults), tuple(rule._trace), append_unknown
        if key not in known:
            known[key] = compile_builder(rule, append_unknown)
        return known[key]

    return remember
