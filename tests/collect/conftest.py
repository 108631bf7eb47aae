"""What the collector's tests share."""

from collections.abc import Iterator

import pytest

from simulate.flickr.search import Library
from simulate.flickr.server import StandIn

from .flickrs import make_library
from .loopback import Loopback, running_loopback
from .rows import TestClock


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests to this machine ignore the proxies of the environment."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def time() -> TestClock:
    """A clock that moves only when the test moves it."""
    return TestClock()


@pytest.fixture
def loopback() -> Iterator[Loopback]:
    """A server on this machine whose answers the test fills in."""
    with running_loopback() as running:
        yield running


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Forty photographs, which no test changes."""
    return make_library(tmp_path_factory.mktemp("flickr") / "pictures")


@pytest.fixture(scope="session")
def large_library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Three times as many, so that a run is not finished before it is killed."""
    return make_library(tmp_path_factory.mktemp("flickr") / "pictures", 120)


@pytest.fixture
def flickr(library: Library) -> Iterator[StandIn]:
    """A stand-in with forty photographs."""
    with StandIn(library) as running:
        yield running


@pytest.fixture
def large_flickr(large_library: Library) -> Iterator[StandIn]:
    """A stand-in with 120 photographs."""
    with StandIn(large_library) as running:
        yield running
