"""Near-duplicates of different owners are named, and can be left out to free the owners."""

from __future__ import annotations

import json
from pathlib import Path

from click.testing import CliRunner

from benchmarks.splits import split_bridged
from catalog.party import Party
from catalog.states import Source
from catalog.tables import Duplicate
from export.groups import Link, bind_images, describe_bridges, find_bridges
from export.rows import ImageRow
from vocparty import main

from .rows import CAT, NOW, add_image, add_people
from .test_groups import image


def free(
    images: list[ImageRow], pairs: list[tuple[int, int]], fixed: frozenset[int] = frozenset()
) -> list[tuple[list[int], list[int], int]]:
    """Of each bridge the ids of its images, those to leave out, and how many images it binds."""
    links = [Link(*pair) for pair in pairs]
    found = find_bridges(bind_images(images, links), links, 0.02, fixed)
    return [([it.id for it in one.images], [it.id for it in one.left_out], one.bound)
            for one in found]  # fmt: skip


def test_a_pair_of_two_owners_binds_all_that_they_have() -> None:
    images = [*(image(it, "ann") for it in (1, 2, 3)), *(image(it, "bob") for it in (4, 5))]
    assert free(images, [(2, 4), (1, 3)]) == [([2, 4], [4], 5)]
    assert free(images, [(2, 4)], frozenset({4})) == [([2, 4], [2], 5)]


def test_near_duplicates_over_an_image_that_is_not_there_and_files_of_two_owners_bind_too() -> None:
    images = [image(1, "ann"), image(2, "bob"), image(3, "carl"), image(4, "ann", "dora")]
    assert free(images, [(1, 9), (9, 2), (2, 3)]) == [([1, 2, 3], [2, 3], 4), ([4], [4], 2)]


def test_what_binds_one_owner_or_no_known_owner_or_a_small_group_is_no_bridge() -> None:
    small = [image(number, f"owner {number}") for number in range(1, 201)]
    assert free(small, [(1, 2), (3, 4)]) == []
    assert free([image(1, "ann"), image(2, "ann"), image(3), image(4)], [(1, 2), (3, 4)]) == []
    assert free([image(1, "ann"), image(2, "ann", source=Source.FOLDER)], []) == []


def test_24_images_less_bring_the_test_set_from_62_percent_to_50() -> None:
    assert split_bridged(0, is_unbound=False) == (724, 447, 447 / 724)
    assert split_bridged(0, is_unbound=True) == (700, 28, 0.5)


def test_export_names_the_pairs_warns_of_the_shares_and_records_what_unbind_leaves_out(
    party: Party, tmp_path: Path
) -> None:
    with party.catalogue.writing() as session:
        add_people(session)
        for number in range(12):
            add_image(session, party, number, [CAT], owner_id="ann" if number < 6 else "bob")
        pair = {"image_id": 1, "kept_image_id": 12, "decided_how": "rule", "decided_at": NOW}
        session.add(Duplicate(**pair))

    def run(name: str, *options: str) -> str:
        order = [str(tmp_path / name), "--year", "2026", "--name", name, "--force", *options]
        done = CliRunner().invoke(main, ["export", *order, "--party", str(party.folder)])
        assert done.exit_code == 0, done.output
        return done.stderr

    told = run("bound")
    assert "Warning: test has 12 of 12 images (100%), but 50% are wanted" in told
    assert (
        "Near-duplicates of different owners (1 pair) bind all that these have into one set" in told
    )
    assert "): 12 images\n`--unbind` leaves out 1 image, one of each pair" in told
    told = run("free", "--unbind")
    assert "Left out image 12: --unbind leaves it out, since it binds photographs of" in told
    assert "Near-duplicates" not in told
    document = json.loads((tmp_path / "free" / "release.json").read_text())
    (unbound,) = document["unbound"]
    assert (unbound["image_id"], len(unbound["kept"]), document["part"]) == (
        12,
        1,
        {"unbind": True},
    )
    ids = {it["id"]: it["stored_sha256"] for it in document["images"]}
    assert unbound["kept"][0] in ids
    assert unbound["stored_sha256"] not in ids.values()
    assert "1 image was left out" in (tmp_path / "free" / "DATASHEET.md").read_text()


def test_images_that_an_extended_release_has_are_not_offered_to_be_left_out() -> None:
    images, links = [image(1, "ann"), image(2, "bob")], [Link(1, 2)]
    bridges = find_bridges(bind_images(images, links), links, 0.02, {1, 2})
    *_, last = describe_bridges(bridges, {})
    assert last.startswith("They are all in the release that is extended")
