"""What all tests share is made once, though each has a party and an application of its own.

That is: compiled templates, SQL and routes, the files that the pages load, and folders that take
seconds to fill.
"""

import fcntl
import functools
import os
import pickle
import shutil
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
import sqlalchemy
from flask import Flask
from jinja2 import FileSystemBytecodeCache
from sqlalchemy import Engine, event
from werkzeug.routing import Rule

import catalog.session
from export.accompanying_files import datasheet
from vockit.report.charts import draw_class_histogram
from web import language, static_files


def compile_once(folder: Path) -> None:
    """From here on this process compiles each template, statement and route once."""
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(str(folder))}
    _share_compiled_statements()
    _share_compiled_routes()
    _share_histograms()


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


def _share_histograms() -> None:
    """Releases of the same classes have the same drawing, which takes half a second."""
    draw = functools.cache(draw_class_histogram)

    def draw_or_reuse(rows: Sequence[tuple[str, int, int]], title: str) -> bytes:
        return draw(tuple(rows), title)

    datasheet.draw_class_histogram = draw_or_reuse  # type: ignore[attr-defined]


def read_once() -> None:
    """From here on this process reads, packs and names each static file of the pages once.

    That takes as long as all else that an application does. To be called before one is imported.
    """
    static_files.read_folder = functools.cache(static_files.read_folder)
    static_files._prepare = functools.cache(static_files._prepare)
    language.load_translations = functools.cache(language.load_translations)


Made = TypeVar("Made")


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
