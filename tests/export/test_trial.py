"""A preset is tried out by a release of made images, and what is complete can be released."""

from dataclasses import replace
from pathlib import Path

import pytest

from catalog.party import make_party, open_party
from catalog.preset import PRESET_NAMES, load_preset, parse_preset
from export.trial import make_picture, try_preset
from tests.exporting import export_release, verify_tree
from tests.party_rows import NOW, Drawn, fill

ODD = """\
name = "odd"
title = "Odd words"
style = "voc2012"
flags = []
views = ["Unspecified", "Top"]
parts = [{ name = "torso", display = "torso", max_count = 3 }]
actions = [{ name = "other", display = "other" }, { name = "running", display = "running" }]

[[classes]]
name = "person"
has_parts = true
has_actions = true
"""
BUSY = Drawn(
    "person",
    actions=("other", "running"),
    point_xy=(20, 20),
    parts=(("torso", (5, 5, 20, 20)),) * 3,
)


@pytest.mark.parametrize("name", PRESET_NAMES)
def test_every_shipped_preset_passes(name: str) -> None:
    preset = load_preset(name)
    assert try_preset(preset) == len(preset.classes)


def test_each_made_image_is_a_file_of_its_own() -> None:
    """A catalogue holds no file twice, and a plan tells groups apart by their files."""
    assert len({make_picture(number) for number in range(1, 401)}) == 400


def test_own_parts_and_an_action_other_among_others_are_released(tmp_path: Path) -> None:
    """The words of the preset are the rule, also where VOC has others."""
    (tmp_path / "odd.toml").write_text(ODD)
    assert try_preset(parse_preset(ODD, origin="odd.toml")) == 1
    make_party(tmp_path / "odd", name="Odd", preset=str(tmp_path / "odd.toml"))
    with open_party(tmp_path / "odd") as party:
        fill(party, [[BUSY]] * 4)
        plan = export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert len(plan.images) == 4
    assert verify_tree(tmp_path / "out") == []


def test_an_action_other_that_is_not_alone_needs_a_label_map() -> None:
    """All other words are VOC's; without a label map the rule of the kit holds."""
    preset = load_preset("voc2012")
    loose = replace(
        preset, actions=tuple(replace(action, is_exclusive=False) for action in preset.actions)
    )
    assert try_preset(loose) == 20
