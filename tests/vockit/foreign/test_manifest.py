"""release.json, read from the folder of a release."""

from __future__ import annotations

from pathlib import Path

import pytest

from vockit.errors import TreeNotFoundError
from vockit.foreign.manifest import MANIFEST, read_manifest


def test_the_manifest_of_a_release_lists_its_images(release: Path) -> None:
    assert len(read_manifest(release)["images"]) == 9


def test_a_folder_without_a_manifest_is_refused_with_what_to_name(tmp_path: Path) -> None:
    with pytest.raises(TreeNotFoundError, match=r"has no release\.json that can be read; name a"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("text", ["", "{", "\ufeff"])
def test_a_manifest_that_is_no_json_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(TreeNotFoundError, match="that can be read"):
        read_manifest(tmp_path)


@pytest.mark.parametrize("text", ["[]", "{}", '{"images": 3}', "null"])
def test_json_of_another_program_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(TreeNotFoundError, match="is not what `vocparty export` writes"):
        read_manifest(tmp_path)
