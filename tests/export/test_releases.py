"""`vocparty release list`, `show` and `diff`: what they print, and how they end."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from click.testing import Result

from catalog.party import Party
from catalog.states import Verdict
from catalog.tables import Image
from export.corrections import compare_releases
from export.planning import ReleaseOrder
from tests.export import outcome
from tests.export.exporting import export_release
from tests.export.rows import CAT, NOW, add_image, add_review, add_revision


def run(party: Party, *args: str) -> Result:
    return outcome.run("release", *args, "--party", party.folder)


def two_releases(party: Party, folder: Path) -> str:
    """VOC2026 and what extends it: one image more, one object moved and one drawn, one gone."""
    first = export_release(party, folder / "one", year=2026, at=NOW)
    outcome.take_down(party, first.images[1].row.id)
    with party.catalogue.writing() as session:
        add_image(session, party, 20, [CAT])
    order = ReleaseOrder(extends="VOC2026")
    export_release(party, folder / "two", year=2027, at=NOW, order=order)
    return first.images[1].public_id


def test_the_list_names_every_release(any_stocked: Party, tmp_path: Path) -> None:
    assert "No release yet" in run(any_stocked, "list").stdout
    two_releases(any_stocked, tmp_path)
    assert run(any_stocked, "list").stdout == (
        "VOC2026: 2026-05-04, 8 images, 1 withdrawn since\n"
        "VOC2027: 2026-05-04, 8 images, extends VOC2026\n"
    )
    (first, second) = json.loads(run(any_stocked, "list", "--json").stdout)["releases"]
    assert (first["name"], first["images"], first["withdrawn"]) == ("VOC2026", 8, 1)
    assert (second["extends"], second["is_blind"], second["forced"]) == ("VOC2026", False, [])


def test_a_release_is_shown_with_its_sets_and_tombstones(stocked: Party, tmp_path: Path) -> None:
    gone = two_releases(stocked, tmp_path)
    shown = run(stocked, "show", "VOC2026").stdout
    assert shown.startswith("VOC2026: 7 images, ")
    assert f"Withdrawn since: 1 image ({gone}).\n" in shown
    assert "Class balance across splits: off by" in shown
    assert "Extends VOC2026." in run(stocked, "show", "VOC2027").stdout
    document = json.loads(run(stocked, "show", "VOC2026", "--json").stdout)
    assert document["withdrawn"] == [gone]
    assert document["splits"]["wanted"] == {"train": 0.25, "val": 0.25, "test": 0.5}


def test_the_difference_names_images_added_and_withdrawn(stocked: Party, tmp_path: Path) -> None:
    gone = two_releases(stocked, tmp_path)
    told = run(stocked, "diff", "VOC2026", "VOC2027")
    assert told.stdout == f"Added: 1 image (2027_000001).\nWithdrawn: 1 image ({gone}).\n"
    assert told.stderr.startswith("To open an image: `vocparty images --id IMAGE`")
    assert run(stocked, "diff", "VOC2027", "VOC2027").stdout == "No difference.\n"
    document = json.loads(run(stocked, "diff", "VOC2027", "VOC2026", "--json").stdout)
    nothing: dict[str, list[str]] = {"added": [], "withdrawn": [], "changes": []}
    assert document == nothing | {"left_out": ["2027_000001"]}


def test_objects_and_fields_that_changed_are_told_one_by_one(
    stocked: Party, tmp_path: Path
) -> None:
    with stocked.catalogue.writing() as session:
        image = add_image(session, stocked, 20, [replace(CAT, key="a"), replace(CAT, key="b")])
        image_id, first = image.id, image.annotation_id
    before = export_release(stocked, tmp_path / "one", year=2026, name="before", at=NOW)
    with stocked.catalogue.writing() as session:
        image = session.get_one(Image, image_id)
        drawn = [replace(CAT, key="b", box=(2, 3, 51, 30), difficult=True), replace(CAT, key="c")]
        revision = add_revision(session, image, drawn, person_id=1, parent_id=first)
        add_review(session, revision, Verdict.ACCEPT)
    after = export_release(stocked, tmp_path / "two", year=2026, name="after", at=NOW)
    name = next(it.public_id for it in after.images if it.row.id == image_id)
    changes = compare_releases(before, after).changes
    told = [(it.image_id, it.object_number, it.what, it.field, it.was, it.is_now) for it in changes]
    expected = [
        (name, 1, "changed", "box", [2, 3, 50, 30], [2, 3, 51, 30]),
        (name, 1, "changed", "difficult", False, True),
        (name, 2, "added", "object", None, "cat"),
        (name, 1, "removed", "object", "cat", None),
    ]
    assert [it for it in told if it[0] == name and it[3] != "set"] == expected
    printed = run(stocked, "diff", "before", "after").stdout
    assert f"{name}, object 1: difficult was False, is True\n" in printed
    assert f"{name}, object 2: cat added\n" in printed


def test_a_release_that_is_not_there_is_one_sentence(stocked: Party) -> None:
    for args in (("show", "VOC1"), ("diff", "VOC1", "VOC2")):
        result = run(stocked, *args)
        assert result.exit_code == 2
        assert "There is no release VOC1" in result.stderr
