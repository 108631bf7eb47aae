"""A blind release and the opened one of a stocked party, and what they hold."""

from pathlib import Path

from click.testing import Result

from tests import exporting

Folders = tuple[Path, Path]
"""The blind release and, from its record, the open one."""


def run(*args: object) -> Result:
    """What a command did that ended well."""
    result = exporting.run(*args)
    assert result.exit_code == 0, result.output
    return result


def tree(folder: Path) -> Path:
    """The tree of a release."""
    return folder / "VOCdevkit" / "VOC2026"


def hidden_ids(folder: Path) -> list[str]:
    """The images of a release's test set."""
    return (tree(folder) / "ImageSets" / "Main" / "test.txt").read_text().split()
