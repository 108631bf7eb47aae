"""Each number that commands print as JSON is counted again by SQL."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from tests.export.recount import COLUMNS
from vocparty import main

from .parties import CLASS_NAME, IS_FINISHED_WORK, NOT_IMPORTED, AwkwardParty

Json = dict[str, Any]
IS_KEPT = "i.state NOT IN ('duplicate', 'broken', 'taken_down')"
MARGIN_PX = 1
BOX = "o.box_xmin, o.box_ymin, o.box_xmax, o.box_ymax"


def call(awkward: AwkwardParty, *words: str, statuses: Sequence[int] = (0,)) -> Any:
    """The document that the command prints."""
    command = [*words, "--json", "--party", str(awkward.folder)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code in statuses, result.output
    return json.loads(result.stdout)


def only_some(counts: dict[str, int]) -> dict[str, int]:
    """What was counted at least once."""
    return {name: count for name, count in counts.items() if count}


def test_progress_is_counted_again(awkward: AwkwardParty) -> None:
    progress = call(awkward, "progress")
    for table in ("photo", "image"):
        states = awkward.pairs(f"SELECT state, count(*) FROM {table} GROUP BY state")
        assert only_some(progress[f"{table}s"]) == states
    assert progress["discarded"] == awkward.pairs(
        "SELECT coalesce(reason, ''), count(*) FROM image WHERE state = 'discarded' GROUP BY reason"
    )
    assert progress["classes"] == awkward.pairs(
        f"SELECT {CLASS_NAME}, count(*) FROM object AS o"
        " JOIN image AS i ON i.annotation_id = o.annotation_id"
        " WHERE i.state NOT IN ('discarded', 'taken_down') GROUP BY 1"
    )
    saved = {
        imported: awkward.number(
            "SELECT count(*) FROM annotation AS a JOIN person AS p ON p.id = a.person_id"
            f" WHERE a.set_aside_at IS NULL AND ({NOT_IMPORTED}) = ?",
            not imported,
        )
        for imported in (False, True)
    }
    assert (progress["revisions"], progress["imported"]) == (saved[False], saved[True])
    assert progress["reviews"] == awkward.number(
        "SELECT count(*) FROM review AS r JOIN person AS p ON p.id = r.person_id"
        f" WHERE r.set_aside_at IS NULL AND {NOT_IMPORTED}"
    )
    people = f"SELECT count(*) FROM person AS p WHERE {NOT_IMPORTED}"
    assert progress["people"] == awkward.number(people)
    releases = awkward.rows("SELECT name FROM release ORDER BY id")
    assert progress["releases"] == [row["name"] for row in releases]


def test_classes_queries_and_tables_of_photographs_are_counted_again(
    awkward: AwkwardParty,
) -> None:
    progress = call(awkward, "progress")
    classes = call(awkward, "classes", "list")["classes"]
    assert only_some(classes) == progress["classes"]
    queries = call(awkward, "queries", "list")
    assert len(queries) == awkward.number("SELECT count(*) FROM query")
    for query in queries:
        assert_query(awkward, query)
    for table in call(awkward, "source", "list")["tables"]:
        (row,) = awkward.rows("SELECT * FROM table_pass WHERE name = ?", table["name"])
        about = json.loads(row["about"])
        assert {name: table[name] for name in ("seed", "rows", "answers", "dates")} == {
            name: about[name] for name in ("seed", "rows", "answers", "dates")
        }


def assert_query(awkward: AwkwardParty, query: Json) -> None:
    """The counters of a query are those of its row, its photographs and its images."""
    (row,) = awkward.rows(
        "SELECT * FROM query WHERE source = ? AND keyword = ?", query["source"], query["keyword"]
    )
    assert [query[name] for name in ("searches", "matches", "draws")] == [
        row[name] for name in ("searches", "matches", "draws")
    ]
    photos = awkward.pairs(
        "SELECT state, count(*) FROM photo WHERE query_id = ? GROUP BY state", row["id"]
    )
    assert query["drawn"] == sum(photos.values())
    for state in ("fetched", "gone", "broken", "withdrawn"):
        assert query[state] == photos.get(state, 0)
    of_query = "SELECT DISTINCT i.id, i.state, i.annotation_id FROM image AS i"
    of_query += f" JOIN photo AS p ON p.image_id = i.id WHERE p.query_id = {row['id']}"
    assert query["duplicates"] == awkward.number(
        f"SELECT count(*) FROM ({of_query}) WHERE state = 'duplicate'"
    )
    assert query["kept"] == awkward.number(
        f"SELECT count(*) FROM ({of_query}) AS i WHERE {IS_KEPT}"
    )
    judged = f"SELECT count(*) FROM ({of_query}) AS i WHERE ({IS_FINISHED_WORK}"
    assert query["judged"] == awkward.number(f"{judged} OR i.state = 'discarded')")
    assert query["useful"] == awkward.number(
        f"{judged}) AND EXISTS (SELECT 1 FROM object AS o"
        f" WHERE o.annotation_id = i.annotation_id AND {CLASS_NAME} = ?)",
        query["class_name"],
    )


def test_what_was_collected_is_counted_again(awkward: AwkwardParty) -> None:
    (report,) = call(awkward, "collected")["parties"]
    for name in ("photo", "image"):
        states = awkward.pairs(f"SELECT state, count(*) FROM {name} GROUP BY state")
        assert report[f"{name}s"] == states
    of_kept = f"photo AS p JOIN image AS i ON i.id = p.image_id WHERE {IS_KEPT}"
    assert report["kept"] == awkward.number(f"SELECT count(*) FROM {of_kept}")
    for name, column in {
        "licences": "coalesce(p.licence_name, 'none recorded')",
        "sources": "p.source",
    }.items():
        assert report[name] == awkward.pairs(f"SELECT {column}, count(*) FROM {of_kept} GROUP BY 1")
    days = [
        row["day"]
        for row in awkward.rows(
            f"SELECT substr(p.taken_at_text, 1, 10) AS day FROM {of_kept}"
            " AND p.taken_at_text IS NOT NULL AND NOT coalesce(p.taken_at_unknown, 0)"
        )
    ]
    assert report["undated"] == report["kept"] - len(days)
    uploads = awkward.rows(f"SELECT p.uploaded_at FROM {of_kept} AND p.uploaded_at IS NOT NULL")
    for title, years in {
        "year taken": [day[:4] for day in days],
        "year uploaded": [row[0][:4] for row in uploads],
    }.items():
        spread = report["spreads"][title]
        counts = Counter(year for year in years if year in spread["labels"])
        assert spread["counts"] == [counts[label] for label in spread["labels"]]
        assert sum(spread["even"]) == pytest.approx(sum(spread["counts"]))
    owners = awkward.pairs(
        f"SELECT p.source || p.owner_id, count(*) FROM {of_kept}"
        " AND p.owner_id IS NOT NULL GROUP BY 1"
    )
    assert report["owners"] == len(owners)
    top = sorted(owners.values(), reverse=True)[:10]
    assert [owner["photographs"] for owner in report["top_owners"]] == top
    assert report["top_owners_share"] == pytest.approx(sum(top) / report["kept"])
    images = awkward.rows(f"SELECT i.width, i.height FROM image AS i WHERE {IS_KEPT}")
    sides = Counter((max(row) - 1) // 100 for row in map(tuple, images))
    expected = {f"{n * 100 + 1}-{n * 100 + 100}": count for n, count in sides.items()}
    assert report["longest_sides"] == expected
    assert sum(report["shapes"].values()) == len(images)
    for query in report["queries"]:
        assert_query(awkward, query)
    for line in report["classes"]:
        of_class = [
            query for query in report["queries"] if query["class_name"] == line["class_name"]
        ]
        for name in ("searches", "drawn", "fetched", "kept", "judged", "useful"):
            assert line[name] == sum(query[name] for query in of_class)


def list_objects(awkward: AwkwardParty) -> dict[int, list[Any]]:
    """The objects of finished work by image, difficult as they were judged last."""
    objects: dict[int, list[Any]] = {
        row["id"]: [] for row in awkward.rows(f"SELECT id FROM image AS i WHERE {IS_FINISHED_WORK}")
    }
    for row in awkward.rows(
        f"SELECT i.id AS image_id, i.width, i.height, o.id, o.number, o.actions, {BOX},"
        f" {CLASS_NAME} AS name, coalesce((SELECT d.is_difficult FROM difficulty AS d"
        "  WHERE d.image_id = i.id AND d.object_key = o.object_key ORDER BY d.id DESC LIMIT 1),"
        "  o.difficult) AS difficult,"
        " (SELECT count(*) FROM part WHERE object_id = o.id) AS parts"
        " FROM object AS o JOIN image AS i ON i.annotation_id = o.annotation_id"
        f" WHERE {IS_FINISHED_WORK} ORDER BY i.id, o.number"
    ):
        objects[row["image_id"]].append(row)
    return objects


def count_words(images: Iterable[Sequence[Sequence[str]]]) -> dict[str, tuple[int, int]]:
    """Of each word the images that show it and the objects that have it."""
    shown = Counter[str]()
    objects = Counter[str]()
    for words in images:
        shown.update({word for some in words for word in some})
        objects.update(word for some in words for word in some)
    return {word: (shown[word], objects[word]) for word in objects}


def list_pairs(table: Json) -> dict[str, tuple[int, int]]:
    """The rows of a table of one set that count anything."""
    rows = {name: (row[0]["images"], row[0]["objects"]) for name, row in table["rows"].items()}
    return {name: row for name, row in rows.items() if any(row)}


def test_the_tables_of_the_papers_are_counted_again(awkward: AwkwardParty) -> None:
    document = call(awkward, "tables")
    tables = document["tables"]
    objects = list_objects(awkward)
    plain = [[[row["name"]] for row in rows if not row["difficult"]] for rows in objects.values()]
    assert tables["table1"]["sets"] == ["all"]
    assert list_pairs(tables["table1"]) == count_words(plain)
    (total,) = tables["table1"]["total"]
    assert total == {"images": len(objects), "objects": sum(map(len, plain))}
    masked = {
        row["image_id"]
        for row in awkward.rows(
            "SELECT image_id FROM release_image WHERE json_extract(form, '$.masks') IS NOT NULL"
            " OR json_extract(form, '$.is_segmented')"
            " OR json_extract(form, '$.sets.\"ImageSets/Segmentation\"') IS NOT NULL"
        )
    } & {*objects}
    plain = [
        [[row["name"]] for row in objects[image_id] if not row["difficult"]] for image_id in masked
    ]
    assert list_pairs(tables["table2"]) == count_words(plain)
    with_parts = [[[row["name"]] * (row["parts"] > 0) for row in rows] for rows in objects.values()]
    assert list_pairs(tables["table3"]) == count_words(with_parts)
    actions = [[json.loads(row["actions"]) for row in rows] for rows in objects.values()]
    assert list_pairs(tables["table4"]) == count_words(actions)
    assert_figures(document, objects)


def test_the_tables_of_a_release_are_those_of_its_images_today(awkward: AwkwardParty) -> None:
    releases = awkward.rows("SELECT id, name FROM release")
    for release in releases:
        document = call(awkward, "tables", "--all-objects", "--release", release["name"])
        splits = awkward.rows(
            f"SELECT ri.split, {CLASS_NAME} AS name, i.id AS image_id, o.id AS object_id"
            " FROM release_image AS ri JOIN image AS i ON i.id = ri.image_id"
            " LEFT JOIN object AS o ON o.annotation_id = ri.annotation_id"
            " WHERE ri.release_id = ? AND i.state <> 'taken_down'",
            release["id"],
        )
        table = document["tables"]["table1"]
        for place, name in enumerate(table["sets"]):
            rows = [row for row in splits if row["split"] in COLUMNS[name]]
            assert table["total"][place] == {
                "images": len({row["image_id"] for row in rows}),
                "objects": sum(row["object_id"] is not None for row in rows),
            }
            for class_name, counts in table["rows"].items():
                images = [row["image_id"] for row in rows if row["name"] == class_name]
                assert counts[place] == {"images": len({*images}), "objects": len(images)}


def assert_figures(document: Json, objects: dict[int, list[Any]]) -> None:
    """The histogram, what comes together, spreads and chance are those of the objects."""
    every = count_words([[row["name"]] for row in rows] for rows in objects.values())
    histogram = {row["class"]: (row["img"], row["obj"]) for row in document["histogram"]}
    assert {name: pair for name, pair in histogram.items() if any(pair)} == every
    names = [{row["name"] for row in rows} for rows in objects.values()]
    for row in document["together"]:
        for name in every:
            assert row[name] == sum({row["class"], name} <= some for some in names)
    boxes = defaultdict[str, list[Any]](list)
    for rows in objects.values():
        for row in rows:
            boxes[row["name"]].append(row)
    for title, measure in {
        "sizes": lambda row: math.sqrt(
            width_of(row) * height_of(row) / (row["width"] * row["height"])
        ),
        "aspects": lambda row: width_of(row) / height_of(row),
    }.items():
        assert [line["class"] for line in document[title]] == [
            line["class"] for line in document["histogram"] if line["obj"]
        ]
        for line in document[title]:
            assert_spread(line, sorted(map(measure, boxes[line["class"]])))
    for line in document["chance"][:-1]:
        assert line["obj"] == len(boxes[line["class"]])
        share = chance_of(boxes[line["class"]])
        assert line["chance"] == (None if share is None else pytest.approx(share))
    shares = [line["chance"] for line in document["chance"][:-1] if line["chance"] is not None]
    assert document["chance"][-1]["chance"] == pytest.approx(sum(shares) / len(shares))
    assert document["chance"][-1]["obj"] == sum(map(len, objects.values()))


def width_of(row: Any) -> int:
    """Of an object, in pixels."""
    return int(row["box_xmax"] - row["box_xmin"] + 1)


def height_of(row: Any) -> int:
    """Of an object, in pixels."""
    return int(row["box_ymax"] - row["box_ymin"] + 1)


def assert_spread(line: Json, values: Sequence[float]) -> None:
    """The quantiles of a line, and its counts between edges, of which the last has no end."""
    assert line["obj"] == len(values)
    for name in ("q5", "q25", "q50", "q75", "q95"):
        expected = np.percentile(values, int(name.removeprefix("q")))
        assert line[name] == pytest.approx(expected)
    bins = {name: name.split("-") for name in line if "-" in name}
    edges = [float(low) for low, _ in bins.values()] + [math.inf]
    counts = [sum(low <= value < high for value in values) for low, high in pairwise(edges)]
    assert [line[name] for name in bins] == counts


def chance_of(rows: Sequence[Any]) -> float | None:
    """The share of pairs of boxes that overlap by half, each image as a square of side one."""
    if len(rows) < 2:
        return None
    squares = [
        (
            (row["box_xmin"] - 1) / row["width"],
            (row["box_ymin"] - 1) / row["height"],
            row["box_xmax"] / row["width"],
            row["box_ymax"] / row["height"],
        )
        for row in rows
    ]
    pairs = [(a, b) for at, a in enumerate(squares) for b in squares[at + 1 :]]
    return sum(overlap_of(a, b) >= 0.5 - 1e-9 for a, b in pairs) / len(pairs)


def overlap_of(a: Sequence[float], b: Sequence[float]) -> float:
    """The intersection of two rectangles over their union."""
    width = max(min(a[2], b[2]) - max(a[0], b[0]), 0)
    height = max(min(a[3], b[3]) - max(a[1], b[1]), 0)
    areas = [(box[2] - box[0]) * (box[3] - box[1]) for box in (a, b)]
    return width * height / (sum(areas) - width * height)


def test_what_the_checks_say_is_counted_again(awkward: AwkwardParty) -> None:
    document = call(awkward, "qa", statuses=(0, 1))
    objects = list_objects(awkward)
    assert (document["images"], document["objects"]) == (
        len(objects),
        sum(map(len, objects.values())),
    )
    findings = document["findings"]
    severities = Counter(finding["severity"] for finding in findings)
    assert only_some(document["counts"]) == severities
    stored = awkward.pairs(
        "SELECT f.check_name, count(*) FROM finding AS f LEFT JOIN image AS i ON i.id = f.image_id"
        f" WHERE f.verdict IS NULL AND (f.image_id IS NULL OR {IS_FINISHED_WORK})"
        " GROUP BY f.check_name"
    )
    assert stored == Counter(finding["check"] for finding in findings)
    assert {line["check"]: line["open"] for line in document["checks"] if line["open"]} == stored
    truncated = awkward.pairs("SELECT id, truncated FROM object")
    at_border = [
        (row["image_id"], row["number"])
        for rows in objects.values()
        for row in rows
        if not truncated[row["id"]]
        and (
            row["box_xmin"] <= 1 + MARGIN_PX
            or row["box_ymin"] <= 1 + MARGIN_PX
            or row["box_xmax"] >= row["width"] - MARGIN_PX
            or row["box_ymax"] >= row["height"] - MARGIN_PX
        )
    ]
    assert sorted(at_border) == sorted(
        (finding["image_id"], finding["object_number"])
        for finding in findings
        if finding["check"] == "border_not_truncated"
    )


@pytest.mark.parametrize(
    ("filters", "condition"),
    [
        ((), "1"),
        (("--state", "checked,released"), "i.state IN ('checked', 'released')"),
        (("--reason", "no_object"), "i.reason LIKE '%no_object%'"),
        (
            ("--annotator", "ann"),
            "i.id IN (SELECT a.image_id FROM annotation AS a JOIN person AS p"
            " ON p.id = a.person_id WHERE p.name = 'ann' AND a.is_finished"
            " AND a.set_aside_at IS NULL)",
        ),
        (
            ("--checker", "chris"),
            "i.id IN (SELECT a.image_id FROM review AS r JOIN person AS p ON p.id = r.person_id"
            " JOIN annotation AS a ON a.id = r.annotation_id WHERE p.name = 'chris'"
            " AND r.set_aside_at IS NULL)",
        ),
        (
            ("--class", "person"),
            "EXISTS (SELECT 1 FROM object AS o WHERE o.annotation_id = i.annotation_id"
            f" AND {CLASS_NAME} = 'person')",
        ),
        (
            ("--class", "person", "--view", "left"),
            "EXISTS (SELECT 1 FROM object AS o WHERE o.annotation_id = i.annotation_id"
            f" AND {CLASS_NAME} = 'person' AND o.view = 'Left')",
        ),
        (
            ("--flag", "difficult"),
            "EXISTS (SELECT 1 FROM object AS o WHERE o.annotation_id = i.annotation_id"
            " AND o.difficult)",
        ),
    ],
)
def test_the_images_that_filters_find_are_counted_again(
    awkward: AwkwardParty, filters: tuple[str, ...], condition: str
) -> None:
    rows = call(awkward, "images", *filters)
    expected = awkward.rows(
        f"SELECT i.id, i.state FROM image AS i WHERE {condition} ORDER BY i.id DESC"
    )
    assert [(row["id"], row["state"]) for row in rows] == [*map(tuple, expected)]


def test_what_dedup_decided_is_counted_again(awkward: AwkwardParty) -> None:
    document = call(awkward, "dedup")
    states = awkward.pairs("SELECT state, count(*) FROM image GROUP BY state")
    assert document["images"] == states
    holds = awkward.pairs(
        "SELECT relation, count(*) FROM duplicate WHERE undone_at IS NULL GROUP BY relation"
    )
    assert document["decisions"] == holds
    assert sum(line["decisions"] for line in document["by_how"]) == sum(holds.values())
    assert document["undone"] == awkward.number(
        "SELECT count(*) FROM duplicate WHERE undone_at IS NOT NULL"
    )
    assert document["taken_down"] == awkward.number(
        "SELECT count(*) FROM duplicate AS d WHERE undone_at IS NULL AND EXISTS (SELECT 1"
        " FROM image AS i WHERE i.id IN (d.image_id, d.kept_image_id) AND i.state = 'taken_down')"
    )


def test_what_doctor_compared_is_counted_again(awkward: AwkwardParty) -> None:
    document = call(awkward, "doctor", "--port", "0", statuses=(0, 1))
    compared = {
        check["name"]: check["compared"]["compared"]
        for check in document["checks"]
        if "compared" in check
    }
    tables = [
        row["name"] for row in awkward.rows("SELECT name FROM sqlite_schema WHERE type = 'table'")
    ]
    counts = {name: awkward.number(f'SELECT count(*) FROM "{name}"') for name in tables}
    assert compared["work"] == counts["image"]
    assert compared["people"] == counts["person"]
    discards = "SELECT count(*) FROM annotation WHERE discard_reason IS NOT NULL"
    checks = counts["review"] + counts["segmentation_review"]
    assert compared["verdicts"] == checks + awkward.number(discards)
    assert compared["photos"] == counts["photo"] + counts["image"]
    for check in document["checks"]:
        if "compared" in check:
            numbers = check["compared"]
            passed_over = sum(map(len, numbers["passed_over"].values()))
            assert numbers["compared"] == numbers["equal"] + len(numbers["different"])
            assert check["text"].startswith(
                f"{numbers['equal']} of {numbers['compared'] + passed_over} "
            )
