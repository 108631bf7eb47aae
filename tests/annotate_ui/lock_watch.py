"""Looks on while a writing transaction is open: what is called in it that only computes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from types import FrameType
from typing import Any

import pytest
from flask import has_request_context, request
from sqlalchemy.orm import Session

from catalog.session import Catalogue

COMPUTING = (
    "/PIL/",
    "/numpy/",
    "/scipy/",
    "/cv2/",
    "/jinja2/",
    "/markdown_it/",
    "/segno/",
    "/flask/json/",
    "/qa/agreement.py",
    "/qa/box_checks.py",
    "/qa/label_checks.py",
    "/qa/set_checks.py",
    "/qa/matching.py",
    "/qa/statistics.py",
    "/segment/drawings.py",
    "/segment/proposals.py",
    "/vockit/format/rings.py",
)
"""Files of what may take long: pictures, masks, rules of checking, statistics, pages."""
OF_A_SAVE = frozenset({"check_rings", "unpack_rings"})
"""Look at each corner once, as the limits of a save allow."""


@cache  # it is asked at each call of a function
def _computes(file: str) -> bool:
    return any(part in file for part in COMPUTING)


@contextmanager
def watching_writes(monkeypatch: pytest.MonkeyPatch) -> Iterator[set[str]]:
    """A set that gets the endpoint and the function of each computation in a writing session."""
    computed = set[str]()
    write = Catalogue.writing

    def note(frame: FrameType, event: str, _value: object) -> None:
        code = frame.f_code
        if event == "call" and _computes(code.co_filename) and code.co_name not in OF_A_SAVE:
            endpoint = request.endpoint if has_request_context() else None
            computed.add(f"{endpoint}: {code.co_filename.rpartition('site-packages')[2]}")

    @contextmanager
    def writing(catalogue: Catalogue, **more: Any) -> Iterator[Session]:
        with write(catalogue, **more) as session:
            before = sys.getprofile()
            sys.setprofile(note)
            try:
                yield session
            finally:
                sys.setprofile(before)

    with monkeypatch.context() as patch:
        patch.setattr(Catalogue, "writing", writing)
        yield computed
