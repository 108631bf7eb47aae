"""Two images are verified once, however often tests bring them together."""

import pickle
from typing import Any

import pytest

from catalog.image_store import digest_of
from dedup.verify.verdicts import verify

VERIFIED: dict[str, Any] = {}


@pytest.fixture(autouse=True)
def _verify_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def verify_once(*given: object) -> Any:
        key = digest_of(pickle.dumps(given))
        if key not in VERIFIED:
            VERIFIED[key] = verify(*given)  # type: ignore[arg-type]
        return VERIFIED[key]

    monkeypatch.setattr("dedup.matching.verify", verify_once)
