"""What an operator sees of a server: health, readiness, metrics and a log of requests.

The log names routes, never addresses, since these may hold a personal link; it has a line for each
page, each change and each failure, and none for what pages ask again and again.
"""

from __future__ import annotations

import json
import logging
import os
import re
import secrets
import time
from datetime import UTC, datetime

import prometheus_client as prometheus
from flask import Blueprint, Flask, Response, g, request, session
from flask.typing import ResponseReturnValue
from prometheus_client.multiprocess import MultiProcessCollector
from sqlalchemy import text

from catalog.refusals import NotFoundError
from catalog.sentences import say

from .guard import open_to_everyone
from .receiving import SAFE_METHODS
from .service import current_service

ACCESS = logging.getLogger("vocparty.access")
ALL_PROCESSES = "PROMETHEUS_MULTIPROC_DIR"  # where processes of one server add up their metrics
_LABELS = ("route", "method")
_ANSWERS = prometheus.Counter("vocparty_answers", "Requests answered.", (*_LABELS, "status"))
_SECONDS = prometheus.Histogram(
    "vocparty_answer_seconds", "Time until an answer was ready.", _LABELS
)
_METHODS = SAFE_METHODS | {"POST", "PUT"}
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}
_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")

operation = Blueprint("operation", __name__)


def watch_requests(app: Flask) -> None:
    """Number, time, count and log every request of the application."""

    @app.before_request
    def begin() -> None:
        number = request.headers.get("X-Request-ID", "")
        g.request_id = number if _ID.fullmatch(number) else secrets.token_hex(8)
        g.began = time.monotonic()
        g.is_tick = False

    @app.after_request
    def end(response: Response) -> Response:
        secs = time.monotonic() - g.get("began", time.monotonic())
        route = request.url_rule.rule if request.url_rule else "none"
        method = request.method if request.method in _METHODS else "other"  # a client may make any
        _ANSWERS.labels(route, method, response.status_code).inc()
        _SECONDS.labels(route, method).observe(secs)
        response.headers["X-Request-ID"] = g.get("request_id", "")
        is_change = request.method not in SAFE_METHODS and not g.get("is_tick")
        is_logged = is_change or response.mimetype == "text/html" or response.status_code >= 400
        if ACCESS.handlers and is_logged:
            ACCESS.info(_format_line(response, route, secs))
        return response


def note_tick() -> None:
    """Leave the request out of the log: a page asked again, and nothing happened."""
    g.is_tick = True


def write_access_log(path: str) -> None:
    """Write the log to this file, or to standard error for `-`; raises OSError."""
    handler = logging.StreamHandler() if path == "-" else logging.FileHandler(path)
    handler.setFormatter(logging.Formatter("%(message)s"))
    ACCESS.addHandler(handler)
    ACCESS.setLevel(logging.INFO)
    ACCESS.propagate = False


@operation.get("/healthz")
@open_to_everyone("it only says that the process answers")
def show_health() -> ResponseReturnValue:
    """That this process answers."""
    return "ok\n", PLAIN


@operation.get("/readyz")
@open_to_everyone("it only says whether the catalogue answers")
def show_readiness() -> ResponseReturnValue:
    """That the catalogue answers too; 503 where it does not."""
    with current_service().catalogue.reading() as catalogue:
        catalogue.execute(text("SELECT 1"))
    return "ready\n", PLAIN


@operation.get("/metrics")
@open_to_everyone("only the addresses of [serve] metrics_from get an answer")
def show_metrics() -> ResponseReturnValue:
    """Counts and times of answers by route, as Prometheus reads them, over all processes."""
    if request.remote_addr not in current_service().metrics_from:
        raise NotFoundError(say("This page does not exist."))
    registry = prometheus.REGISTRY
    if os.environ.get(ALL_PROCESSES):
        registry = prometheus.CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return Response(
        prometheus.generate_latest(registry), content_type=prometheus.CONTENT_TYPE_LATEST
    )


def _format_line(response: Response, route: str, secs: float) -> str:
    arguments = (request.view_args or {}).items()
    numbers = {name: value for name, value in arguments if isinstance(value, int)}
    line = {
        "at": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "id": g.get("request_id", ""),
        "from": request.remote_addr,
        "person": session.get("person_id"),
        "method": request.method,
        "route": route,
        **numbers,
        "status": response.status_code,
        "ms": round(1000 * secs, 1),
        "bytes": response.content_length,
    }
    return json.dumps(line)
