"""Templates and SQL are compiled once for all tests, each of which has an own party."""

from pathlib import Path
from typing import Any

import sqlalchemy
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import Engine, event

import catalog.session


def compile_once(folder: Path) -> None:
    """From here on this process compiles each template and statement once."""
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(str(folder))}
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
