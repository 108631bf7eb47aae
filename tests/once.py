"""Templates, SQL and routes are compiled once for all tests, each of which has its own party."""

from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any

import sqlalchemy
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import Engine, event
from werkzeug.routing import Rule

import catalog.session


def compile_once(folder: Path) -> None:
    """From here on this process compiles each template, statement and route once."""
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(str(folder))}
    _share_compiled_statements()
    _share_compiled_routes()


def _share_compiled_statements() -> None:
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


def _share_compiled_routes() -> None:
    """A new application compiles two functions for each of its hundred routes: 50 ms in all."""
    builders: dict[Hashable, Callable[..., tuple[str, str]]] = {}
    compile_builder = Rule._compile_builder

    def compile_or_reuse(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        if rule.defaults:  # their values are part of the function
            return compile_builder(rule, append_unknown)
        key = (append_unknown, rule.rule, *rule._trace)
        if key not in builders:
            builders[key] = compile_builder(rule, append_unknown)
        return builders[key]

    Rule._compile_builder = compile_or_reuse  # type: ignore[assignment, method-assign]
