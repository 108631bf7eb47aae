"""A valid tree for each test of `verify`."""

from pathlib import Path

import pytest

from tests.trees import make_tree


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A valid VOC2012 tree of six images."""
    return make_tree(tmp_path)
