"""What an independent reader counts of a release: in its files, and by SQL in the catalogue.

Nothing here calls what writes releases. Sentences are made of what was counted; a text is removed
sentence by sentence, and no number may be left.
"""

import hashlib
import hmac
import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from .odd_releases import OddRelease

Row = sqlite3.Row
SETS = ("train", "val", "test")
COLUMNS = {"train": {"train"}, "val": {"val"}, "trainval": {"train", "val"}, "test": {"test"}}
FLAGS = ("truncated", "occluded", "difficult")
Json = dict[str, Any]


def connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path)
    connection.row_factory = sqlite3.Row
    return connection


def many(number: int, noun: str) -> str:
    """The number and its noun, in the plural where it is not one."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def read_moment(text: str | None) -> str | None:
    """A moment of the catalogue as release.json has it."""
    if text is None:
        return None
    at = datetime.fromisoformat(text)
    return at.isoformat() + "Z"


class Item:
    """An object as its annotation file has it."""

    def __init__(self, element: ElementTree.Element) -> None:
        self.name = element.findtext("name", "")
        corners = ("xmin", "ymin", "xmax", "ymax")
        self.box = tuple(int(element.findtext(f"bndbox/{word}", "")) for word in corners)
        self.pose = element.findtext("pose")
        self.flags = {name: element.findtext(name) for name in FLAGS}
        self.parts = [part.findtext("name", "") for part in element.findall("part")]
        actions = element.find("actions")
        self.has_actions = actions is not None
        self.actions = [word.tag for word in actions or () if word.text == "1"]
        self.has_point = element.find("point") is not None

    def has(self, field: str) -> bool:
        """Whether the file says anything of the field."""
        if field == "view":
            return self.pose is not None
        if field in FLAGS:
            return self.flags[field] is not None
        if field == "actions":
            return self.has_actions
        return bool(self.parts) if field == "parts" else self.has_point

    def is_set(self, field: str) -> bool:
        """Whether the value is another one than an object begins with."""
        if field == "view":
            return self.pose not in (None, "Unspecified")
        if field in FLAGS:
            return self.flags[field] == "1"
        return bool(self.actions) if field == "actions" else self.has(field)


class Recount:
    """The images of a release that are not withdrawn, and what files and catalogue say of them."""

    def __init__(self, odd: OddRelease) -> None:
        self.odd = odd
        self.folder = odd.folder
        self.made = connect(odd.made)
        now = connect(odd.now)
        (self.release,) = now.execute("SELECT * FROM release WHERE name = ?", [odd.name])
        self.settings = json.loads(self.release["settings"])
        self.recipe = self.settings["recipe"]
        self.notes = self.settings["notes"]
        self.year = self.release["year"]
        self.tree = self.folder / "VOCdevkit" / f"VOC{self.year}"
        rows = now.execute(
            "SELECT ri.public_id, ri.split, ri.form, ri.annotation_id AS revision, i.*"
            " FROM release_image AS ri JOIN image AS i ON i.id = ri.image_id"
            " WHERE ri.release_id = ? ORDER BY ri.public_id",
            [self.release["id"]],
        ).fetchall()
        self.withdrawn = [row["public_id"] for row in rows if row["state"] == "taken_down"]
        self.all_images = rows
        self.images = [row for row in rows if row["state"] != "taken_down"]
        self.shown = [row for row in self.images if not (odd.is_blind and row["split"] == "test")]
        self.masked = [row for row in self.shown if self.mask_of(row).is_file()]
        apart = self.list_names("Layout") | self.list_names("Action")
        apart -= self.list_names("Main") | self.list_names("Segmentation")
        self.tasters = [row for row in self.shown if row["public_id"] in apart]
        self.others = [row for row in self.shown if row["public_id"] not in apart]

    def list_names(self, folder: str) -> set[str]:
        """The images that the lists of a folder name."""
        lists = (self.tree / "ImageSets" / folder).glob("*.txt")
        return {line.split()[0] for path in lists for line in path.read_text().splitlines()}

    def mask_of(self, image: Row) -> Path:
        return self.tree / "SegmentationClass" / f"{image['public_id']}.png"

    def rows(self, statement: str, *values: object) -> list[Row]:
        """What the statement finds in the catalogue as it was when the release was made."""
        return self.made.execute(statement, values).fetchall()

    def number(self, statement: str, *values: object) -> int:
        ((count,),) = self.rows(statement, *values)
        return int(count or 0)

    @cached_property
    def items(self) -> dict[str, list[Item]]:
        """The objects of each shown image, read from its annotation file."""
        files = {path.stem: path for path in (self.tree / "Annotations").glob("*.xml")}
        assert sorted(files) == [row["public_id"] for row in self.shown]
        return {
            name: [Item(element) for element in ElementTree.parse(path).iter("object")]
            for name, path in sorted(files.items())
        }

    @cached_property
    def photos(self) -> dict[str, list[Row]]:
        """The photographs of each image that are not withdrawn, by public id."""
        return {
            image["public_id"]: self.rows(
                "SELECT p.*, q.class_id, q.keyword, q.source AS asked, ("
                "  SELECT s.dates FROM search AS s WHERE s.query_id = p.query_id"
                "  AND s.window_start_at = p.window_start_at AND s.page = p.result_page"
                "  ORDER BY s.id DESC LIMIT 1) AS dates"
                " FROM photo AS p LEFT JOIN query AS q ON q.id = p.query_id"
                " WHERE p.image_id = ? AND p.state <> 'withdrawn' ORDER BY p.id",
                image["id"],
            )
            for image in self.images
        }

    @cached_property
    def all_photos(self) -> list[Row]:
        return [photo for photos in self.photos.values() for photo in photos]

    @cached_property
    def importers(self) -> dict[int, str]:
        """The people who stand for imports, and the names of their trees."""
        people = self.rows("SELECT id, name FROM person WHERE name LIKE 'import %'")
        return {row["id"]: row["name"].removeprefix("import ") for row in people}

    def chain(self, image: Row) -> list[Row]:
        """The released revision and those that it grew from."""
        chain = list[Row]()
        key = image["revision"]
        while key is not None:
            (revision,) = self.rows(
                "SELECT a.*, p.name, p.is_simulated FROM annotation AS a"
                " JOIN person AS p ON p.id = a.person_id WHERE a.id = ?",
                key,
            )
            chain.append(revision)
            key = revision["parent_id"]
        return chain

    def reviews(self, image: Row) -> list[Row]:
        """The verdicts on these revisions, the earliest first."""
        ids = [revision["id"] for revision in self.chain(image)]
        marks = ",".join("?" * len(ids))
        return self.rows(
            "SELECT r.*, p.name, p.is_simulated FROM review AS r"
            f" JOIN person AS p ON p.id = r.person_id WHERE r.annotation_id IN ({marks})"
            " ORDER BY r.id",
            *ids,
        )

    def passing(self, image: Row) -> list[Row]:
        """The verdicts that let the released revision pass, and hold."""
        return [
            review
            for review in self.reviews(image)
            if review["set_aside_at"] is None
            and image["revision"]
            == {"accept": review["annotation_id"], "fixed": review["fixed_annotation_id"]}.get(
                review["verdict"]
            )
        ]

    def is_checked(self, image: Row) -> bool:
        """Whether another person than the author of what was judged let it pass."""
        author = {revision["id"]: revision["person_id"] for revision in self.chain(image)}
        return any(
            review["person_id"] != author[review["annotation_id"]] for review in self.passing(image)
        )

    def tree_of(self, image: Row) -> str | None:
        """The imported tree that the released revision itself came with."""
        return self.importers.get(self.chain(image)[0]["person_id"])

    def last_look(self, image: Row) -> Row | None:
        """The last verdict of a person that let the image pass."""
        looks = [look for look in self.passing(image) if look["person_id"] not in self.importers]
        return max(looks, key=lambda look: (look["reviewed_at"], look["id"]), default=None)

    def objects(self, revision: int) -> list[Row]:
        return self.rows("SELECT * FROM object WHERE annotation_id = ? ORDER BY number", revision)

    def judged_numbers(self, image: Row) -> set[int]:
        """The objects that the last checker judged one by one."""
        look = self.last_look(image)
        verdicts = json.loads(look["object_verdicts"]) if look is not None else []
        judged = {verdict["object_key"] for verdict in verdicts if verdict.get("judged")}
        return self.find_numbers(image, judged)

    def drawn_numbers(self, image: Row) -> set[int]:
        """The objects that the last checker drew: what was judged has them not."""
        look = self.last_look(image)
        if look is None or look["verdict"] != "fixed":
            return set()
        before = {row["object_key"] for row in self.objects(look["annotation_id"])}
        every = {row["object_key"] for row in self.objects(image["revision"])}
        return self.find_numbers(image, every - before)

    def find_numbers(self, image: Row, keys: set[str]) -> set[int]:
        """The places of these objects in the released revision, from 1."""
        objects = enumerate(self.objects(image["revision"]), start=1)
        return {place for place, row in objects if row["object_key"] in keys}

    def judged_difficult(self, image: Row) -> set[int]:
        """The objects that an organiser judged, of the same class and box."""
        numbers = set[int]()
        for place, row in enumerate(self.objects(image["revision"]), start=1):
            corners = tuple(row[f"box_{side}"] for side in ("xmin", "ymin", "xmax", "ymax"))
            looks = hashlib.sha256(f"{row['class_id']} {corners}".encode()).hexdigest()
            last = self.rows(
                "SELECT looks_sha256 FROM difficulty WHERE image_id = ? AND object_key = ?"
                " ORDER BY id DESC LIMIT 1",
                image["id"],
                row["object_key"],
            )
            if last and last[0]["looks_sha256"] == looks:
                numbers.add(place)
        return numbers

    @cached_property
    def fields(self) -> dict[str, Json]:
        """Of how many objects each field of the files was decided, imported, and is there."""
        fields = {}
        for field in ("view", *FLAGS, "parts", "actions", "point"):
            of_class = {
                item.name for items in self.items.values() for item in items if item.has(field)
            }
            counts = Counter[str]()
            for image in self.shown:
                counts += self.count_field(image, field, of_class)
            if counts["objects"]:
                fields[field] = {key: counts[key] for key in ("decided", "imported", "objects")}
        if self.masked:
            fields["mask"] = self.count_masks()
        return fields

    def count_field(self, image: Row, field: str, of_class: set[str]) -> Counter[str]:
        """The objects of one image that have the field, or lack it though their class has it."""
        rows = self.objects(image["revision"])
        judged = (
            self.judged_difficult(image) if field == "difficult" else self.judged_numbers(image)
        )
        chain = self.chain(image)
        brought = [row["id"] for row in chain if row["person_id"] in self.importers]
        before = {row["object_key"]: row for row in self.objects(brought[0])} if brought else {}
        counts = Counter[str]()
        for place, (item, row) in enumerate(
            zip(self.items[image["public_id"]], rows, strict=True), start=1
        ):
            lacks = field in ("parts", "point") and item.name in of_class
            if not (item.has(field) or lacks):
                continue
            counts["objects"] += 1
            old = before.get(row["object_key"])
            is_given = item.is_set(field) if old is None else self.differ(row, old, field)
            if place in judged or is_given:
                counts["decided"] += 1
            elif old is not None and (chain[0]["id"] in brought or item.is_set(field)):
                counts["imported"] += 1
        return counts

    def differ(self, row: Row, old: Row, field: str) -> bool:
        """Whether a person gave another value than the tree had."""
        if field == "parts":
            parts = "SELECT word, box_xmin, box_ymin, box_xmax, box_ymax FROM part"
            now, then = (
                [tuple(part) for part in self.rows(f"{parts} WHERE object_id = ?", item["id"])]
                for item in (row, old)
            )
            return now != then
        columns = ("point_x", "point_y") if field == "point" else (field,)
        return any(row[column] != old[column] for column in columns)

    def count_masks(self) -> Json:
        """Objects of images with masks; a drawing decides those that are not difficult."""
        counts = {"decided": 0, "imported": 0, "objects": 0}
        for image in self.masked:
            items = self.items[image["public_id"]]
            brought = [row for row in self.chain(image) if row["person_id"] in self.importers]
            plain = sum(item.flags["difficult"] != "1" for item in items)
            counts["objects"] += len(items)
            if not brought:
                counts["decided"] += plain
            else:
                counts["imported"] += len(items)
        return counts

    def count_words(self, words_of: Any, images: Iterable[Row] | None = None) -> Any:
        """Images and objects with each word in each column, and the totals under None.

        Without `images`, those that are not in the lists of Layout or Action alone.
        """
        counts = defaultdict[Any, list[int]](lambda: [0, 0])
        for image in self.others if images is None else images:
            items = self.items[image["public_id"]]
            words = [some for item in items for some in words_of(item)]
            for column, sets in COLUMNS.items():
                if image["split"] not in sets:
                    continue
                counts[None, column][0] += any(words)
                counts[None, column][1] += sum(map(bool, words))
                for word in {word for some in words for word in some}:
                    counts[word, column][0] += 1
                    counts[word, column][1] += sum(word in some for some in words)
        return counts

    @cached_property
    def groups(self) -> list[tuple[list[str], list[str], bool]]:
        """Images that may not be parted, the largest first, by what, and whether they are near.

        As they were bound when the release was made, without what was withdrawn since.
        """
        members = self.rows(
            "SELECT ri.public_id, ri.image_id, i.sha256 FROM release_image AS ri"
            " JOIN image AS i ON i.id = ri.image_id"
            " WHERE ri.release_id = ? AND i.state <> 'taken_down'",
            self.release["id"],
        )
        name_of = {row["image_id"]: row["public_id"] for row in members}
        present = {image["public_id"] for image in self.images}
        bonds = [
            (*pair[:2], "near-duplicate" if pair[2] == "duplicate" else pair[2].replace("_", " "))
            for pair in self.rows(
                "SELECT image_id, kept_image_id, relation FROM duplicate WHERE undone_at IS NULL"
            )
        ]
        bonds += [
            (*pair, "owner")
            for pair in self.rows(
                "SELECT a.image_id, b.image_id FROM photo AS a JOIN photo AS b"
                " ON a.source = b.source AND a.owner_id = b.owner_id AND a.image_id < b.image_id"
                " WHERE 'withdrawn' NOT IN (a.state, b.state)"
            )
            if all(name_of.get(key) in present for key in pair)
        ]
        group_of = {key: {key} for bond in bonds for key in bond[:2]}
        for first, second, _ in bonds:
            merged = group_of[first] | group_of[second]
            group_of |= dict.fromkeys(merged, merged)
        groups = []
        for keys in {frozenset(keys) for keys in group_of.values()}:
            ids = sorted(name_of[key] for key in keys if key in name_of)
            ids = [name for name in ids if name not in self.withdrawn]
            inside = [
                bond
                for bond in bonds
                if bond[0] in keys and {name_of.get(key) for key in bond[:2]} <= present
            ]
            is_near = any(
                word == "near-duplicate" and {name_of.get(first), name_of.get(second)} <= {*ids}
                for first, second, word in inside
            )
            if len(ids) > 1:
                groups.append((ids, sorted({word for _, _, word in inside}), is_near))
        return sorted(groups, key=lambda group: -len(group[0]))

    @cached_property
    def parted_groups(self) -> list[tuple[list[str], list[str], bool]]:
        """The groups that lie in two sets or more."""
        set_of = {image["public_id"]: image["split"] for image in self.images}
        return [group for group in self.groups if len({set_of[name] for name in group[0]}) > 1]

    @cached_property
    def whole_groups(self) -> list[tuple[list[str], list[str], bool]]:
        """The groups in one set."""
        return [group for group in self.groups if group not in self.parted_groups]

    @cached_property
    def deviations(self) -> tuple[float, float] | None:
        """How far the shares of classes of ten images or more are off the wanted ones, in points.

        None where there is no such class.
        """
        counts = self.count_words(lambda item: [[item.name]])
        points = []
        for name in {key for key, _ in counts} - {None, *self.small_classes}:
            for unit in (0, 1):
                total = sum(counts[name, split][unit] for split in SETS)
                points += [
                    100 * abs(counts[name, split][unit] / total - self.recipe[f"{split}_share"])
                    for split in SETS
                ]
        return (sum(points) / len(points), max(points)) if points else None

    @cached_property
    def small_classes(self) -> list[str]:
        """The classes that one to nine images have, in the recipe's order."""
        counts = self.count_words(lambda item: [[item.name]])
        images = {
            name: sum(counts[name, split][0] for split in SETS) for name in self.recipe["classes"]
        }
        return [name for name, number in images.items() if 0 < number < 10]

    def line(self, image: Row) -> Json:
        """What release.json says of an image."""
        name = image["public_id"]
        named = {"id": name, "set": image["split"]}
        if image not in self.shown:
            return named | {"seal": self.seal(image)}
        picture = (self.tree / "JPEGImages" / f"{name}.jpg").read_bytes()
        chain = self.chain(image)
        return named | {
            "sha256": hashlib.sha256(picture).hexdigest(),
            "stored_sha256": image["sha256"],
            "original_sha256": image["original_sha256"],
            "photos": list(map(describe_photo, self.photos[name])),
            **({"asked": []} if image in self.tasters else {}),
            "revision": image["revision"],
            "objects": [
                {"number": place, "class": item.name, "drawn_in": self.drawn_in(chain, place)}
                for place, item in enumerate(self.items[name], start=1)
            ],
            "revisions": [
                {
                    "id": row["id"],
                    "parent_id": row["parent_id"],
                    "person": describe_person(row),
                    "saved_at": read_moment(row["saved_at"]),
                }
                for row in chain
            ],
            "reviews": [
                {
                    "id": row["id"],
                    "revision": row["annotation_id"],
                    "verdict": row["verdict"],
                    "fixed_in": row["fixed_annotation_id"],
                    "person": describe_person(row),
                    "reviewed_at": read_moment(row["reviewed_at"]),
                }
                for row in self.reviews(image)
            ],
        }

    def drawn_in(self, chain: Sequence[Row], place: int) -> int:
        """The first revision since which the object has its class and box."""
        columns = ("class_id", "box_xmin", "box_ymin", "box_xmax", "box_ymax")
        looks = [
            {row["object_key"]: [row[name] for name in columns] for row in self.objects(step["id"])}
            for step in chain
        ]
        key = self.objects(chain[0]["id"])[place - 1]["object_key"]
        since = chain[0]["id"]
        for step, look in zip(chain, looks, strict=True):
            if look.get(key) != looks[0][key]:
                break
            since = step["id"]
        return int(since)

    def seal(self, image: Row) -> str:
        """The seal of an image's annotation, by the file of the opened release."""
        name = image["public_id"]
        path = self.folder.parent / f"opened/VOCdevkit/VOC{self.year}/Annotations/{name}.xml"
        salt = bytes.fromhex(self.notes["blind_salt"])
        return hmac.new(salt, f"{name}\n".encode() + path.read_bytes(), "sha256").hexdigest()


def describe_person(row: Row) -> Json:
    return {"name": row["name"], "is_simulated": bool(row["is_simulated"])}


def describe_photo(photo: Row) -> Json:
    """A photograph as release.json has it."""
    plain = ("source", "source_id", "owner_id", "owner_name", "title")
    is_searched = photo["asked"] in ("flickr", "commons", "table")
    is_undated = is_searched and photo["window_start_at"] is None
    return {name: photo[name] for name in plain} | {
        "licence": {key: photo[f"licence_{key}"] for key in ("id", "name", "url")},
        "page_url": photo["page_url"],
        "uploaded_at": read_moment(photo["uploaded_at"]),
        "taken_at": None if photo["taken_at_unknown"] else photo["taken_at_text"],
        "sampling": "none" if is_undated else photo["dates"],
        "query": {"class": photo["class_id"], "keyword": photo["keyword"]},
        "window": {
            "start_at": read_moment(photo["window_start_at"]),
            "end_at": read_moment(photo["window_end_at"]),
        },
        "found": {"at": read_moment(photo["found_at"]), "page": photo["result_page"]},
    }
