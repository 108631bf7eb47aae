"""A challenge of a small release, made once and copied for each test; no child processes."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from challenge import submissions, worker
from challenge.folder import Challenge, open_challenge
from challenge.keeping import move_database
from challenge.limited import RefusedWorkError
from challenge.making import make_challenge
from vockit.errors import UserError

from .contests import ORDER, TRAINING, make_release


@pytest.fixture(scope="session")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The open release, which no test changes."""
    return make_release(tmp_path_factory.mktemp("release"))


@pytest.fixture(scope="session")
def challenge_template(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a challenge, to be copied for each test."""
    folder = tmp_path_factory.mktemp("template") / "challenge"
    make_challenge(folder, release, ORDER, TRAINING)
    return folder


@pytest.fixture
def challenge(challenge_template: Path, tmp_path: Path) -> Iterator[Challenge]:
    """A challenge without teams."""
    folder = Path(shutil.copytree(challenge_template, tmp_path / "challenge"))
    with open_challenge(folder) as opened:
        yield opened


@pytest.fixture
def run_here() -> Callable[..., Any]:
    """Runs a call in this process, which costs no second for a new one."""

    def run(call: Callable[..., Any], *arguments: Any, **_limits: object) -> Any:
        try:
            return call(*arguments)
        except UserError as error:
            raise RefusedWorkError(str(error)) from error

    return run


@pytest.fixture(autouse=True)
def _check_here(run_here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submissions, "run_limited", run_here)


@pytest.fixture
def score_here(run_here: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the worker score in this process."""
    monkeypatch.setattr(worker, "run_limited", run_here)


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def any_challenge(
    request: pytest.FixtureRequest, challenge_template: Path, tmp_path: Path
) -> Iterator[Challenge]:
    """A challenge without teams, once on SQLite and once moved to PostgreSQL."""
    folder = Path(shutil.copytree(challenge_template, tmp_path / "challenge"))
    if request.param == "sqlite":
        with open_challenge(folder) as opened:
            yield opened
        return
    server = request.getfixturevalue("postgres_server")
    name = server.make_database()
    with open_challenge(folder) as opened:
        move_database(opened, server.url(name))
    with open_challenge(folder) as opened:
        yield opened
    server.drop_database(name)
