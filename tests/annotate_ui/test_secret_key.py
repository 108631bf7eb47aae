"""The key that signs sessions."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest

from annotate_ui.errors import ServeError
from annotate_ui.secret_key import FILE_NAME, load_secret_key


def test_the_key_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    key = load_secret_key(tmp_path)
    assert len(bytes.fromhex(key)) == 32
    assert load_secret_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / FILE_NAME).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


def test_of_many_who_make_it_at_once_all_get_the_same(tmp_path: Path) -> None:
    start = threading.Barrier(8)
    keys: list[str] = []

    def load() -> None:
        start.wait()
        keys.append(load_secret_key(tmp_path))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(keys) == 8
    assert len(set(keys)) == 1
    assert [path.name for path in tmp_path.iterdir()] == [FILE_NAME]


@pytest.mark.parametrize("content", ["", "\n", "short"])
def test_a_key_that_is_none_is_refused_with_what_to_do(tmp_path: Path, content: str) -> None:
    (tmp_path / FILE_NAME).write_text(content)
    with pytest.raises(ServeError, match="delete it"):
        load_secret_key(tmp_path)


def test_each_party_has_a_key_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    assert load_secret_key(tmp_path) != load_secret_key(tmp_path / "other")
