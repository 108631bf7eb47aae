from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import Party
from dedup.cli import dedup
from vockit.command_line import CommandGroup

from .images import add_file, add_row, load_states
from .photographs import jpeg, originals, resize


def invoke(folder: Path, *arguments: str) -> tuple[int, str, str]:
    group = CommandGroup(commands={"dedup": dedup})
    result = CliRunner().invoke(group, ["dedup", "--party", str(folder), *arguments])
    return result.exit_code, result.stdout, result.stderr


def test_the_last_line_counts_the_images(party: Party, caplog: pytest.LogCaptureFixture) -> None:
    add_file(party, jpeg(originals()["rocket"]))
    add_file(party, jpeg(resize(originals()["rocket"], 0.5)), size_wh=(250, 188))
    add_file(party, b"no image")
    status, output, errors = invoke(party.folder, "--workers", "2")
    assert status == 0
    assert output == (
        "2 hashed, 1 broken, 1 near-duplicate removed, 0 pairs linked, 1 ready to annotate.\n"
        "Next: check the uncertain pairs on the page Near-duplicates of `vocparty serve`, or with "
        "`vocparty dedup --report OUT.html`.\n"
    )
    assert "Hashing: 3 of 3 images" in errors
    assert "Deciding: 2 of 2 images" in errors
    assert "image 3 cannot be hashed: expected an image (JPEG, " in caplog.text
    assert "got b'no image'" in caplog.text


def test_a_second_run_without_new_images_changes_nothing(party: Party) -> None:
    add_file(party, jpeg(originals()["rocket"]))
    invoke(party.folder)
    status, output, _errors = invoke(party.folder)
    assert (status, output) == (0, "Nothing new: all images are hashed and compared.\n")


def test_a_party_without_images_is_told_the_next_step(party: Party) -> None:
    assert invoke(party.folder) == (
        0,
        "No images yet. "
        "Next: `vocparty collect`, or `vocparty import folder` for photographs of your own.\n",
        "",
    )


def test_an_unmounted_image_store_is_reported_in_one_sentence(party: Party) -> None:
    add_row(party, "0" * 64)
    status, output, errors = invoke(party.folder)
    assert (status, output) == (1, "")
    assert errors.splitlines()[-1].startswith("Error: The image store images is empty although")
    assert load_states(party) == {1: "fetched"}
