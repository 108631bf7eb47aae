"""The folder of an image store takes images of its party, and nothing that commands write."""

import pytest

from tests.annotate_ui.house import House

from .conftest import dump_files

WRITING = (
    "export {}",
    "backup {}",
    "qa --html {}",
    "tables --out {}",
    "collected --html {}",
    "dedup --report {}",
    "overlap . --html {}",
)


@pytest.mark.parametrize("line", WRITING)
@pytest.mark.parametrize("place", ["images/new", "images/ab/new"])
def test_no_command_writes_into_the_image_store(small: House, line: str, place: str) -> None:
    store = small.party.folder / "images"
    before = dump_files(store)
    name, *words = line.format(small.party.folder / place).split()
    words += ["--year", "2026", "--force"] if name == "export" else []
    done = small.run(name, *words)
    assert done.exit_code == 2, done.output
    assert f"is in the image store {store}, which takes nothing but images" in done.output
    assert dump_files(store) == before
