"""Each number of the lottery is counted again by SQL, in a party with all kinds of images."""

import json
import random
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

import pytest
from click.testing import CliRunner

from catalog.party import Party
from catalog.states import Beside, BlindKind
from tests.export.recount import connect
from tests.party_rows import NOW, add_people
from tests.qa.suggestion_work import HERE, THERE, WITHHELD, add_image, answer_blind, save
from tests.suggesting import find_nothing, suggest
from vocparty import main

from .test_agreement import edges_of, match
from .test_commands import overlap_of

Json = dict[str, Any]
PLACES = (HERE, THERE, (300, 20, 420, 150), (20, 250, 120, 340))
FIRST = """
    SELECT a.id, a.suggestions_withheld,
      (SELECT sum(d.active_secs) FROM annotation AS d WHERE d.image_id = a.image_id
        AND d.id <= a.id AND d.beside IS NULL AND d.set_aside_at IS NULL) AS secs,
      (SELECT sum(d.inputs) FROM annotation AS d WHERE d.image_id = a.image_id
        AND d.id <= a.id AND d.beside IS NULL AND d.set_aside_at IS NULL) AS inputs,
      (SELECT count(*) FROM object AS o WHERE o.annotation_id = a.id) AS objects
    FROM annotation AS a
    WHERE a.suggestions_shown IS NOT NULL AND a.discard_reason IS NULL
      AND a.id = (SELECT min(b.id) FROM annotation AS b WHERE b.image_id = a.image_id
        AND b.is_finished AND b.beside IS NULL AND b.set_aside_at IS NULL)
"""
DOUBLES = """
    SELECT b.reference_id, b.annotation_id FROM blind_task AS b
    JOIN annotation AS a ON a.id = b.annotation_id
    WHERE b.kind = 'double' AND b.finished_at IS NOT NULL AND a.discard_reason IS NULL
"""
OBJECTS = "SELECT o.*, o.class_id AS name FROM object AS o WHERE o.annotation_id = ?"


def draw_boxes(draw: random.Random) -> list[Any]:
    """Some of the places, each moved a little."""
    return [
        (draw.choice(["cat", "dog"]), tuple(edge + draw.randint(0, 9) for edge in place))
        for place in draw.sample(PLACES, draw.randint(1, 4))
    ]


@pytest.fixture
def rows(party: Party) -> sqlite3.Connection:
    """The catalogue of a party whose images show, withhold and lack suggestions."""
    draw = random.Random(50)
    with party.catalogue.writing() as session:
        add_people(session)
        images = [add_image(session) for _ in range(90)]
    for place, image in enumerate(images):
        shown = [{"suggestions_shown": 3}, {"suggestions_shown": 0}, WITHHELD, {}][place % 4]
        if shown.get("suggestions_shown"):
            suggest(party, image.id, PLACES[:3], class_id="cat")
        elif shown:
            find_nothing(party, image.id)
        with party.catalogue.writing() as session:
            fill_image(session, image, place, draw, shown)
    return connect(party.folder / "catalogue.db")


def fill_image(session: Any, image: Any, place: int, draw: random.Random, shown: Json) -> None:
    """Drafts, a stale revision, the first end and a later one, and what others drew blind."""

    def cost() -> Json:
        return {"active_secs": draw.randint(1, 60), "inputs": draw.randint(1, 30)} | shown

    for _ in range(draw.randint(0, 2)):
        save(session, image, draw_boxes(draw), is_finished=False, **cost())
    if draw.random() < 0.2:
        save(session, image, draw_boxes(draw), set_aside_at=NOW, **cost())
    if draw.random() < 0.2:
        save(session, image, draw_boxes(draw), beside=Beside.CONFLICT, **cost())
    is_discard = draw.random() < 0.1
    reason = {"discard_reason": "collage"} if is_discard else {}
    first = save(session, image, [] if is_discard else draw_boxes(draw), **cost(), **reason)
    save(session, image, draw_boxes(draw), **cost())
    if is_discard:
        return
    if place % 3 == 0:
        answer_blind(session, image, draw_boxes(draw), first, BlindKind.DOUBLE, **WITHHELD)
    elif shown.get("suggestions_shown"):
        offered = session.connection().exec_driver_sql(
            f"SELECT id FROM suggestion WHERE image_id = {image.id} ORDER BY id"
        )
        made_of = {1: offered.scalars().first()}
        drawn = [("cat", PLACES[0]), *draw_boxes(draw)]
        kind = BlindKind.GOLD
        answer_blind(session, image, drawn, first, kind, made_of=made_of, **shown)


def count_arm(rows: sqlite3.Connection, *, is_withheld: bool) -> dict[str, Any]:
    """The figures of one arm, from its rows."""
    firsts = [
        row for row in rows.execute(FIRST) if bool(row["suggestions_withheld"]) is is_withheld
    ]
    objects = sum(row["objects"] for row in firsts)
    drawn_of = dict(tuple(row) for row in rows.execute(DOUBLES))
    compared = [
        (list_objects(rows, row["id"]), list_objects(rows, drawn_of[row["id"]]))
        for row in firsts
        if row["id"] in drawn_of
    ]
    matches = [match(*pair) for pair in compared]
    both = [pair for some in matches for pair in some]
    others = sum(len(second) for _, second in compared)
    drawn = sum(len(first) for first, _ in compared)
    overlaps = [overlap_of(edges_of(a), edges_of(b)) for a, b in both]
    return {
        "images": len(firsts),
        "objects": objects,
        "compared": len(compared),
        "secs": sum(row["secs"] for row in firsts) / objects,
        "inputs": sum(row["inputs"] for row in firsts) / objects,
        "missed": (others - len(both)) / others,
        "extra": (drawn - len(both)) / drawn,
        "wrong_class": sum(a["name"] != b["name"] for a, b in both) / len(both),
        "overlap": sum(overlaps) / len(both),
    }


def list_objects(rows: sqlite3.Connection, revision: int) -> Sequence[Any]:
    return rows.execute(OBJECTS, (revision,)).fetchall()


def test_both_arms_are_counted_again(party: Party, rows: sqlite3.Connection) -> None:
    effect = ask(party)
    with closing(rows):
        arms = {
            name: count_arm(rows, is_withheld=name == "withheld") for name in ("shown", "withheld")
        }
    for name, counted in arms.items():
        figures = {key: read_value(value) for key, value in effect[name].items()}
        assert figures == pytest.approx(counted)
        assert counted["images"] > 15
        assert counted["compared"] > 5
    assert arms["shown"]["images"] > 1.5 * arms["withheld"]["images"]  # blank images, too
    saved = 1 - arms["shown"]["secs"] / arms["withheld"]["secs"]
    assert effect["saved"]["value"] == pytest.approx(saved)
    more = arms["shown"]["missed"] - arms["withheld"]["missed"]
    assert effect["missed_more"]["value"] == pytest.approx(more)
    more = arms["shown"]["extra"] - arms["withheld"]["extra"]
    assert effect["extra_more"]["value"] == pytest.approx(more)


def test_wrong_suggestions_that_were_accepted_are_counted_again(
    party: Party, rows: sqlite3.Connection
) -> None:
    effect = ask(party)
    with closing(rows):
        gold = rows.execute(
            "SELECT b.image_id, b.reference_id, b.annotation_id FROM blind_task AS b"
            " WHERE b.kind = 'gold'"
        ).fetchall()
        wrong = accepted = 0
        for row in gold:
            there = list_objects(rows, row["reference_id"])
            for offered in rows.execute(
                "SELECT *, class_id AS name FROM suggestion WHERE image_id = ?", (row["image_id"],)
            ).fetchall():
                if any(is_same(offered, item) for item in there):
                    continue
                wrong += 1
                made = rows.execute(
                    "SELECT count(*) FROM object WHERE annotation_id = ? AND suggestion_id = ?"
                    " AND suggested = 'accepted'",
                    (row["annotation_id"], offered["id"]),
                )
                accepted += made.fetchone()[0]
    [line] = effect["anchoring"]
    assert (line["person"], line["images"], line["wrong"]) == ("chris", len(gold), wrong)
    assert line["accepted"]["value"] == pytest.approx(accepted / wrong)
    assert 0 < accepted < wrong


def is_same(offered: Mapping[str, Any], item: Mapping[str, Any]) -> bool:
    """Whether an object has the suggestion's class and at least half of its box."""
    overlap = overlap_of(edges_of(offered), edges_of(item))
    return bool(offered["name"] == item["name"] and overlap >= 0.5)


def ask(party: Party) -> Json:
    """What `vocparty agreement` says of suggestions."""
    result = CliRunner().invoke(main, ["agreement", "--json", "--party", str(party.folder)])
    assert result.exit_code == 0, result.output
    effect: Json = json.loads(result.stdout)["suggestions"]
    return effect


def read_value(figure: Any) -> Any:
    return figure["value"] if isinstance(figure, dict) else figure
