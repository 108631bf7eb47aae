"""Who waits for whom on a served challenge."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
import requests

from challenge import submissions
from challenge.pages.serving import COMPUTING
from tests.challenge.contests import join, make_results, pack, send
from web.receiving import COMPUTING_THREADS
from web.serving import ServeOptions, serve_in_thread

from .house import API, House

PATIENCE_SECS = 30.0


def test_verdicts_that_take_long_let_others_confirm(
    house: House, run_here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    chris = join(house.challenge, "chris")
    number, _ = send(house.challenge, chris)
    for name in ("ann", "bob"):
        join(house.challenge, name)
    begun = threading.Semaphore(0)
    may_end = threading.Event()

    def check_slowly(*arguments: Any, **limits: Any) -> Any:
        begun.release()
        assert may_end.wait(PATIENCE_SECS)
        return run_here(*arguments, **limits)

    monkeypatch.setattr(submissions, "run_limited", check_slowly)
    archive = pack(make_results())

    def post(name: str, path: str, data: bytes = b"") -> int:
        headers = {"Authorization": f"Bearer token of {name}"}
        url = f"{base_url}{API}/{path}"
        return requests.post(url, data, headers=headers, timeout=PATIENCE_SECS).status_code

    checks = ServeOptions.threads  # as many as there are threads for requests that write
    with serve_in_thread(house.app, COMPUTING) as base_url, ThreadPoolExecutor(checks) as pool:
        names = ["ann", "bob"] * (checks // 2)
        sent = [pool.submit(post, name, "upload?method=prior", archive) for name in names]
        try:
            for _ in range(COMPUTING_THREADS):
                assert begun.acquire(timeout=PATIENCE_SECS)
            assert post("chris", f"submissions/{number}/confirm") == 200
            assert not any(check.done() for check in sent)
        finally:
            may_end.set()
        assert [check.result() for check in sent] == [200] * checks
