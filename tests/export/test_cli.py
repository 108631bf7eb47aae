"""The two commands: what they print and how they end."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from catalog.command import CommandGroup
from catalog.party import Party
from catalog.tables import Photo
from export.cli import export, verify
from export.manifest import iterate_lines
from export.planning import plan_release

from .rows import Drawn, add_image, add_people
from .trees import make_tree


@pytest.fixture
def stocked(party: Party) -> Party:
    with party.catalogue.writing() as session:
        add_people(session)
        for number in range(4):
            add_image(session, party, number, [Drawn("cat")])
    return party


def run(*args: object) -> Result:
    group = CommandGroup("vocparty", commands={"export": export, "verify": verify})
    return CliRunner().invoke(group, [str(it) for it in args])


def test_export_writes_a_release_and_says_where(stocked: Party, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("export", out, "--year", 2026, "--party", stocked.folder)
    assert result.exit_code == 0
    assert result.stdout == (
        "Wrote the release VOC2026: 4 images (1 train, 1 val, 2 test), 4 objects. "
        f"It is in {out}/VOCdevkit/VOC2026.\n"
    )
    assert (out / "release.json").is_file()


def test_export_again_says_so_and_counts_what_came_since(stocked: Party, tmp_path: Path) -> None:
    run("export", tmp_path / "out", "--year", 2026, "--party", stocked.folder)
    with stocked.catalogue.writing() as session:
        add_image(session, stocked, 9, [Drawn("cat")])
    result = run("export", tmp_path / "two", "--year", 2026, "--party", stocked.folder)
    assert "Wrote the release VOC2026 as it was recorded: 4 images" in result.stdout
    assert "1 image passed checking since and is not in it" in result.stdout
    other = ("--name", "Zoo 2", "--party", stocked.folder)
    assert (
        "the release Zoo 2: 5 images"
        in run("export", tmp_path / "three", "--year", 2026, *other).stdout
    )


def test_export_names_what_it_leaves_out(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        image_ids = [add_image(session, stocked, 20 + number, []).id for number in range(12)]
    result = run("export", tmp_path / "out", "--year", 2026, "--party", stocked.folder)
    assert result.exit_code == 0
    assert f"Left out image {image_ids[0]}: it has no object" in result.stderr
    assert "Left out 2 more images." in result.stderr


def test_an_export_that_cannot_be_is_one_sentence(party: Party, tmp_path: Path) -> None:
    result = run("export", tmp_path / "out", "--year", 2026, "--party", party.folder)
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: There are no images yet. Next: `vocparty collect`")
    assert "Traceback" not in result.output


def test_wrong_usage_ends_with_2(stocked: Party, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("precious")
    result = run("export", tmp_path / "out", "--year", 2026, "--party", stocked.folder)
    assert result.exit_code == 2
    assert run("export", tmp_path / "new", "--party", stocked.folder).exit_code == 2
    assert run("verify", tmp_path / "out").exit_code == 2


def test_an_owner_who_has_too_much_for_one_set_is_named(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        for photo in session.scalars(select(Photo).limit(2)):
            photo.owner_id, photo.owner_name = "one", "Jo Snap"
    lines = list(iterate_lines(plan_release(stocked, year=2026)))
    assert lines[-1].startswith("Jo Snap took 2 of 4 images (50%). They must stay in one set")


def test_verify_says_that_every_rule_holds(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    result = run("verify", root)
    assert result.exit_code == 0
    assert result.stdout == f"{root}: 6 images, 10 objects, every rule of the format holds.\n"


def test_verify_names_each_violation_and_ends_with_1(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    (root / "JPEGImages" / "2012_000001.jpg").unlink()
    result = run("verify", tmp_path)
    assert result.exit_code == 1
    assert result.stdout == (
        f"{root}/ImageSets/Main/train.txt:1: picture-missing: expected JPEGImages/2012_000001.jpg\n"
    )
    assert result.stderr == f"{root}: 6 images, 10 objects, 1 violation, 0 warnings.\n"


def test_verify_gives_one_json_document(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    (root / "JPEGImages" / "2012_000001.jpg").unlink()
    result = run("verify", root, "--json")
    assert result.exit_code == 1
    (tree,) = json.loads(result.stdout)["trees"]
    assert (tree["tree"], tree["images"], tree["objects"]) == (str(root), 6, 10)
    assert tree["violations"] == [
        {
            "file": f"{root}/ImageSets/Main/train.txt",
            "line": 1,
            "rule": "picture-missing",
            "message": "expected JPEGImages/2012_000001.jpg",
            "is_warning": False,
        }
    ]


def test_verify_needs_no_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(make_tree(tmp_path))
    assert run("verify", ".").exit_code == 0
