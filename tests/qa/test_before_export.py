from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState
from catalog.tables import Finding
from vocparty import main

from .rows import CAR, add_image, add_person, add_revision

OUTSIDE = {**CAR, "xmax": 501}


def test_every_check_runs_before_an_export_which_errors_refuse(
    any_party: Party, tmp_path: Path
) -> None:
    ann = add_person(any_party)
    for _ in range(2):
        add_revision(any_party, add_image(any_party, ImageState.CHECKED), ann, OUTSIDE)
    words = ["export", str(tmp_path / "out"), "--year", "2026", "--party", str(any_party.folder)]
    result = CliRunner().invoke(main, words)
    assert result.exit_code == 1
    assert "Checks: 2 images, 2 objects: 2 errors, 1 warning" in result.stderr
    assert "findings of severity error" in result.stderr
    with any_party.catalogue.reading() as session:
        found = set(session.scalars(select(Finding.check_name)))
    assert {"outside_image", "identical_box"} <= found
