"""The key that signs sessions."""

import stat
from functools import partial
from pathlib import Path

import pytest

from tests.rows import at_once
from vockit.errors import ServeError
from web.sessions import KEY_FILE, load_secret_key


def test_the_session_key_is_made_once_and_private(tmp_path: Path) -> None:
    key = load_secret_key(tmp_path)
    assert len(bytes.fromhex(key)) == 32
    assert load_secret_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / KEY_FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]
    (tmp_path / "other").mkdir()
    assert key != load_secret_key(tmp_path / "other")


def test_concurrent_processes_get_the_same_session_key(tmp_path: Path) -> None:
    keys = at_once(*[partial(load_secret_key, tmp_path)] * 8)
    assert len(keys) == 8
    assert len(set(keys)) == 1
    assert [path.name for path in tmp_path.iterdir()] == [KEY_FILE]


@pytest.mark.parametrize("content", ["", "\n", "short"])
def test_an_invalid_session_key_is_refused_with_what_to_do(tmp_path: Path, content: str) -> None:
    (tmp_path / KEY_FILE).write_text(content)
    with pytest.raises(ServeError, match="Delete it"):
        load_secret_key(tmp_path)
