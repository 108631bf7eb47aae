"""Each number of `vocparty agreement` is counted again by SQL and by hand."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from click.testing import CliRunner

from tests.annotate_ui.house import API
from tests.export.recount import many
from vocparty import main

from .parties import CLASS_NAME, NOT_IMPORTED, AwkwardParty
from .test_commands import BOX, call, overlap_of

Json = dict[str, Any]
LEAST_OVERLAP = 0.3
LEAST_OVERLAP_ACROSS_CLASSES = 0.7
DIFFER = ("view", "truncated", "occluded", "difficult")


def list_objects(awkward: AwkwardParty, revision: int) -> list[Any]:
    """The objects of a revision in order."""
    return awkward.rows(
        f"SELECT o.*, {CLASS_NAME} AS name, {BOX} FROM object AS o"
        " WHERE o.annotation_id = ? ORDER BY o.number",
        revision,
    )


def edges_of(row: Any) -> tuple[int, int, int, int]:
    """The edges of the box, of which both ends belong to it."""
    left, top, right, bottom = (row[f"box_{side}"] for side in ("xmin", "ymin", "xmax", "ymax"))
    return left - 1, top - 1, right, bottom


def match(first: Sequence[Any], second: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Objects that both have: the nearest of one class, then the nearest of two."""
    pairs = sorted(
        (
            a["name"] != b["name"],
            -overlap_of(edges_of(a), edges_of(b)),
            a["number"],
            b["number"],
        )
        for a in first
        for b in second
    )
    free = {row["number"]: row for row in first}, {row["number"]: row for row in second}
    matches = []
    for is_across, negative, a, b in pairs:
        least = LEAST_OVERLAP_ACROSS_CLASSES if is_across else LEAST_OVERLAP
        if -negative >= least and a in free[0] and b in free[1]:
            matches.append((free[0].pop(a), free[1].pop(b)))
    return matches


def list_doubles(awkward: AwkwardParty) -> list[tuple[Sequence[Any], Sequence[Any]]]:
    """What two people drew of an image without seeing each other's; gold is no second person."""
    rows = awkward.rows(
        "SELECT reference_id, annotation_id FROM blind_task"
        " WHERE kind = 'double' AND finished_at IS NOT NULL"
    )
    return [(list_objects(awkward, a), list_objects(awkward, b)) for a, b in rows]


def test_images_that_two_annotated_are_counted_again(awkward: AwkwardParty) -> None:
    document = call(awkward, "agreement")
    everybody = document["everybody"]
    doubles = list_doubles(awkward)
    matches = [match(*pair) for pair in doubles]
    both = sum(map(len, matches))
    first = sum(len(a) for a, _ in doubles)
    second = sum(len(b) for _, b in doubles)
    assert everybody["images"] == len(doubles)
    assert (everybody["first_objects"], everybody["second_objects"]) == (first, second)
    assert everybody["both_objects"] == both
    assert everybody["missed"]["found"] == first + second - both
    if not doubles:
        assert document["pairs"] == document["classes"] == document["boxes"] == []
        return
    assert everybody["both"]["value"] == pytest.approx(both / (first + second - both))
    overlaps = [overlap_of(edges_of(a), edges_of(b)) for some in matches for a, b in some]
    assert everybody["mean_overlap"]["value"] == pytest.approx(sum(overlaps) / both)
    for name, least in {"over_50": 0.5, "over_70": 0.7, "over_90": 0.9}.items():
        share = sum(overlap >= least for overlap in overlaps) / both
        assert everybody[name]["value"] == pytest.approx(share)
    every = [pair for some in matches for pair in some]
    for name in DIFFER:
        same = sum(a[name] == b[name] for a, b in every)
        assert everybody["fields"][name]["same"]["value"] == pytest.approx(same / both)
    of_class = {name: line for line in document["classes"] if (name := line["class"])}
    drawn = Counter(row["name"] for a, _ in doubles for row in a)
    assert {name: line["first_objects"] for name, line in of_class.items()} == drawn
    assert sum(line["images"] for line in document["pairs"]) == len(doubles)
    assert sum(line["objects"] for line in document["boxes"]) == both


def list_checked(awkward: AwkwardParty) -> list[tuple[str, list[Any], list[Any]]]:
    """Of each image that a person let pass: its author, what was judged first and what stayed."""
    images: dict[int, list[Any]] = {}
    for row in awkward.rows(
        "SELECT r.verdict, r.annotation_id, r.fixed_annotation_id, a.image_id, w.name AS author"
        " FROM review AS r JOIN annotation AS a ON a.id = r.annotation_id"
        " JOIN person AS p ON p.id = r.person_id JOIN person AS w ON w.id = a.person_id"
        " WHERE r.set_aside_at IS NULL AND a.set_aside_at IS NULL AND a.discard_reason IS NULL"
        f" AND {NOT_IMPORTED} ORDER BY r.id"
    ):
        images.setdefault(row["image_id"], []).append(row)
    checked = []
    for rows in images.values():
        passing = [row for row in rows if row["verdict"] != "returned"]
        if passing:
            stayed = passing[-1]["fixed_annotation_id"] or passing[-1]["annotation_id"]
            drawn = list_objects(awkward, rows[0]["annotation_id"])
            checked.append((rows[0]["author"], drawn, list_objects(awkward, stayed)))
    return checked


def test_what_checkers_fixed_is_counted_again(awkward: AwkwardParty) -> None:
    document = call(awkward, "agreement")
    errors = document["errors"]
    checked = list_checked(awkward)
    objects = sum(len(stayed) for _, _, stayed in checked)
    assert (errors["all"]["images"], errors["all"]["objects"]) == (len(checked), objects)
    keys = [
        ({row["object_key"] for row in drawn}, {row["object_key"] for row in stayed})
        for _, drawn, stayed in checked
    ]
    missed = sum(len(after - before) for before, after in keys)
    extra = sum(len(before - after) for before, after in keys)
    counts = errors["all"]["counts"]
    assert (counts["missed"], counts["extra"]) == (missed, extra)
    assert errors["all"]["rates"]["missed"]["value"] == pytest.approx(missed / objects)
    authors = Counter(author for author, _, _ in checked)
    assert {line["label"]: line["images"] for line in errors["by_person"]} == authors
    classes = Counter(row["name"] for _, _, stayed in checked for row in stayed)
    assert {line["label"]: line["objects"] for line in errors["by_class"]} == classes
    assert sum(line["images"] for line in errors["by_day"]) == len(checked)


def test_gold_images_are_counted_again(awkward: AwkwardParty) -> None:
    gold = awkward.pairs(
        "SELECT p.name, count(*) FROM blind_task AS b JOIN person AS p ON p.id = b.person_id"
        " WHERE b.kind = 'gold' AND b.score IS NOT NULL GROUP BY p.name"
    )
    document = call(awkward, "agreement")
    assert {line["person"]: line["images"] for line in document["gold"]} == gold
    discards = awkward.number(
        "SELECT count(*) FROM blind_task AS b JOIN annotation AS a ON a.id = b.annotation_id"
        " WHERE b.kind = 'double' AND a.discard_reason IS NOT NULL"
    )
    assert discards == len(document["discards"]) == 0


def test_the_text_has_the_numbers_of_the_document(awkward: AwkwardParty) -> None:
    document = call(awkward, "agreement")
    text = CliRunner().invoke(main, ["agreement", "--party", str(awkward.folder)]).stdout
    images = document["everybody"]["images"]
    twice = f"Annotated twice, blind: {many(images, 'image')}."
    assert (twice if images else "No image was annotated twice") in text
    errors = document["errors"]["all"]
    counted = f"{many(errors['images'], 'image')} with {many(errors['objects'], 'object')}"
    assert f"What checkers fixed, in {counted}, as shares of the objects" in text


def test_the_agreement_on_the_board_is_counted_again(awkward: AwkwardParty) -> None:
    with awkward.open() as house:
        board = house.enter(awkward.token).get(f"{API}/board/agreement").get_json()
    doubles = list_doubles(awkward)
    matches = [match(*pair) for pair in doubles]
    drawn = sum(len(a) + len(b) for a, b in doubles)
    both = sum(map(len, matches))
    assert sum(cell["images"] for cell in board["cells"]) == len(doubles)
    if not doubles:
        assert board == {
            "people": [],
            "classes": [],
            "cells": [],
            "suggestions": None,
            "verification": None,
        }
        return
    (cell,) = board["cells"]
    assert (cell["first"], cell["second"]) == ("ann", "dora")
    for shares in (cell, *board["people"]):
        assert shares["both"]["value"] == pytest.approx(both / (drawn - both))
        assert shares["both"]["count"] == drawn - both
    for line in board["classes"]:
        of_class = [row for pair in doubles for rows in pair for row in rows]
        named = sum(row["name"] == line["id"] for row in of_class)
        alike = [a for some in matches for a, b in some if a["name"] == b["name"] == line["id"]]
        assert line["both"]["value"] == pytest.approx(len(alike) / (named - len(alike)))
