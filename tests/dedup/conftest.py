from functools import cache

import pytest

from dedup import hashing
from dedup.signature.signature import hash_image

hash_once = cache(hash_image)


@pytest.fixture(autouse=True)
def hash_a_file_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hashing, "hash_image", hash_once)
