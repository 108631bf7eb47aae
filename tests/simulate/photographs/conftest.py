from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from simulate.photographs.known import KnownPhoto, load_known_photographs
from simulate.photographs.make import make_demo_photographs


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    make_demo_photographs(folder)
    return folder


@pytest.fixture(scope="session")
def known(demo_folder: Path) -> Mapping[str, KnownPhoto]:
    return load_known_photographs(demo_folder)
