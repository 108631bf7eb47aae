"""What all tests share is made once, though each has a party and an application of its own.

That is: compiled templates, SQL and routes, the tables of SQLite, charts, the files that the
pages load, and folders that take seconds to fill.
"""

import fcntl
import functools
import io
import os
import pickle
import shutil
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any, ParamSpec, TypeVar

import alembic.command
import pytest
import sqlalchemy
from alembic.config import Config
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import Connection, Engine, event
from werkzeug.routing import Rule

import catalog.session
from collect.report import page as collect_page
from dedup.report import page as dedup_page
from export.accompanying_files import datasheet
from qa import statistics
from vockit.report import charts
from web import language, static_files

Made = TypeVar("Made")
P = ParamSpec("P")


def compile_once(folder: Path) -> None:
    """From here on this process compiles each template, statement, route and table once."""
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(str(folder))}
    _share_compiled_statements()
    _share_compiled_tables()
    _share_compiled_routes()
    _share_drawings()


STATEMENTS_KEPT = 10_000
"""More than all tests have; the 500 that an engine keeps are those of a few modules."""


def _share_compiled_statements() -> None:
    engines: dict[str, Engine] = {}

    def create_engine(*args: Any, **kwargs: Any) -> Engine:
        engine = sqlalchemy.create_engine(*args, query_cache_size=STATEMENTS_KEPT, **kwargs)
        name = engine.dialect.name
        if name in engines:
            engine.dialect = engines[name].dialect
            engine._compiled_cache = engines[name]._compiled_cache
        else:  # a dialect knows its server once it has connected
            event.listen(engine, "engine_connect", lambda _: engines.setdefault(name, engine))
        return engine

    catalog.session.create_engine = create_engine  # type: ignore[attr-defined]


def _share_compiled_tables() -> None:
    """An empty file of SQLite gets the statements that Alembic made for the first one: 40 ms."""
    upgrade = alembic.command.upgrade
    statements: list[str] = []

    def upgrade_or_repeat(config: Config, revision: str) -> None:
        connection: Connection = config.attributes["connection"]
        if connection.dialect.name != "sqlite" or _list_statements(connection):
            upgrade(config, revision)
            return
        if not statements:
            upgrade(config, revision)
            version = connection.exec_driver_sql("SELECT version_num FROM alembic_version")
            keep = f"INSERT INTO alembic_version VALUES ('{version.scalar_one()}')"
            statements.extend([*_list_statements(connection), keep])
            return
        for statement in statements:
            connection.exec_driver_sql(statement)

    alembic.command.upgrade = upgrade_or_repeat  # type: ignore[assignment]


def _list_statements(connection: Connection) -> Sequence[str]:
    """What made the tables and indexes of a file of SQLite, in that order."""
    query = "SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY rowid"
    return connection.exec_driver_sql(query).scalars().all()


COMPILED = ("_parts", "_trace", "_converters", "arguments")
"""The parts of a rule that depend on nothing but its text and the kinds of its values."""


def _share_compiled_routes() -> None:
    """A new application compiles two functions for each of its hundred routes: 50 ms in all."""
    rules: dict[Hashable, Rule] = {}
    compile_rule = Rule.compile

    def compile_or_reuse(rule: Rule) -> None:
        assert rule.map is not None
        if rule.defaults or rule.map.host_matching:  # their values are part of the functions
            compile_rule(rule)
            return
        kinds = tuple(rule.map.converters.items())
        key = (rule.rule, rule.subdomain, rule.merge_slashes, rule.build_only, kinds)
        known = rules.get(key)
        if known is None:
            compile_rule(rule)
            rules[key] = rule
            return
        for name in COMPILED:
            setattr(rule, name, getattr(known, name))
        rule._build = known._build.__func__.__get__(rule, None)  # type: ignore[attr-defined]
        rule._build_unknown = known._build_unknown.__func__.__get__(rule, None)  # type: ignore[attr-defined]

    Rule.compile = compile_or_reuse  # type: ignore[assignment, method-assign]


def _share_drawings() -> None:
    """Charts of the same figures have the same drawing, which takes a tenth of a second."""
    for name in ("draw_bars", "draw_heatmap", "draw_class_histogram"):
        share = remember(getattr(charts, name))
        for module in (charts, datasheet, statistics, dedup_page, collect_page):
            if hasattr(module, name):
                setattr(module, name, share)


def remember(draw: Callable[P, Made]) -> Callable[P, Made]:
    """The function, which draws once in this process for the same arguments."""
    drawings: dict[bytes, Made] = {}

    def draw_or_reuse(*args: P.args, **kwargs: P.kwargs) -> Made:
        key = _spell_out((args, kwargs))
        if key not in drawings:
            drawings[key] = draw(*args, **kwargs)
        return drawings[key]

    return functools.wraps(draw)(draw_or_reuse)


class _Speller(pickle.Pickler):
    """Bytes that are the same for equal values, and for two ways to write a number alike."""

    def reducer_override(self, value: Any) -> Any:
        if isinstance(value, FunctionType | MethodType):
            return str, (value(-1234.5),)
        return NotImplemented


def _spell_out(value: object) -> bytes:
    target = io.BytesIO()
    speller = _Speller(target)
    speller.fast = True  # else it matters which of the values are one object
    speller.dump(value)
    return target.getvalue()


def read_once() -> None:
    """From here on this process reads, packs and names each static file of the pages once.

    That takes as long as all else that an application does. To be called before one is imported.
    """
    static_files.read_folder = functools.cache(static_files.read_folder)
    static_files._prepare = functools.cache(static_files._prepare)
    language.load_translations = functools.cache(language.load_translations)


def make_once(folders: pytest.TempPathFactory, name: str, make: Callable[[Path], Made]) -> Made:
    """What `make` returned for a new folder, in the first of the run's processes that asked.

    The folder belongs to all of them: tests read it, and change no more than a copy.
    """
    base = folders.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    result = shared / f"{name}.pickle"
    with (shared / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not result.exists():
            shutil.rmtree(shared / name, ignore_errors=True)  # of a process that was killed in it
            part = shared / f"{name}.part"
            part.write_bytes(pickle.dumps(make(shared / name)))
            part.replace(result)
    loaded: Made = pickle.loads(result.read_bytes())
    return loaded
