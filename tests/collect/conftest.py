"""What the collector's tests share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from simulate.flickr.server import StandIn

from .flickrs import make_library
from .loopback import Loopback, running_loopback


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests to this machine go there, whatever the environment says of proxies."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """A server on this machine whose answers the test fills in."""
    with running_loopback() as running:
        yield running


@pytest.fixture
def flickr(tmp_path: Path) -> Iterator[StandIn]:
    """A stand-in with forty photographs."""
    with StandIn(make_library(tmp_path / "pictures")) as running:
        yield running
