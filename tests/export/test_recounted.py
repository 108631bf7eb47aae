"""Each number of a release is counted again by other code, from its files or by SQL.

A number that none of the sentences and counts has fails, so that no new one comes in unseen.
"""

import csv
import hashlib
import html
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from tests.exporting import manifest_of
from tests.once import make_once
from vocparty import main

from . import recounted_texts as texts
from .odd_releases import OddRelease, make_releases
from .recount import COLUMNS, SETS, Recount, connect, many, read_moment
from .recounted_localization import count_localization, format_row, list_localization

ODD = (
    "blind",
    "opened",
    "extended",
    "after a takedown",
    "edition after a takedown",
    "edition of an import",
)
CONSTANT = ("8-bit colour", "(version 4 or later)", "SHA-256", "SHA256SUMS", "sha256sum")
PUBLIC_ID = re.compile(r"\b[12]\d{3}_\d{6}\b")


@pytest.fixture(scope="module")
def odd_releases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, OddRelease]:
    return make_once(tmp_path_factory, "odd-releases", make_releases)


@pytest.fixture
def release(odd_releases: dict[str, OddRelease], request: pytest.FixtureRequest) -> Recount:
    return Recount(odd_releases[request.param])


each_release = pytest.mark.parametrize("release", ODD, indirect=True)


def take_out(text: str, sentences: Iterable[str]) -> str:
    """The text without these sentences, each of which must be in it."""
    for sentence in sentences:
        assert sentence in text, f"{sentence}\n\nis not in\n\n{text}"
        text = text.replace(sentence, "")
    return text


def find_numbers(text: str, release: Recount) -> list[str]:
    """The lines in which a number is left that is no name, no address and no constant."""
    about = json.dumps(release.notes["about"], ensure_ascii=False)
    known = [*CONSTANT, release.odd.name, release.odd.earlier or "", *json.loads(about).values()]
    known += [f"VOC{release.year}", release.settings["recipe"]["preset"], "Zoo 5"]
    for word in known:
        for name in word if isinstance(word, list) else [word]:
            text = text.replace(name, "") if name else text
    return [line for line in text.splitlines() if re.search(r"\d", line)]


def read_markdown(path: Path) -> str:
    """The text as it is shown."""
    return re.sub(r"\\([^\w\s])", r"\1", path.read_text())


@each_release
def test_each_number_of_the_datasheet_is_counted_again(release: Recount) -> None:
    text = read_markdown(release.folder / "DATASHEET.md")
    text = take_out(
        text,
        [
            texts.describe(release),
            *texts.list_masks(release),
            *texts.list_tasters(release),
            *texts.list_asked(release),
            *texts.list_table(release),
            *list_localization(release),
            *texts.list_fields(release),
            *texts.list_composition(release),
            *texts.list_looks(release),
            *texts.list_collection(release),
            *texts.list_people(release),
            *texts.list_cleaning(release),
            *texts.list_agreement(release),
            *texts.list_drawings(release),
            *texts.list_licences(release),
            f"As the release of {release.year}.",
        ],
    )
    if release.withdrawn:
        text = take_out(text, [f"{len(release.withdrawn)}: {', '.join(release.withdrawn)}."])
    assert find_numbers(text, release) == []


TABLE_SETS = (*SETS, "unlisted")


def list_table_sets(release: Recount) -> dict[str, str]:
    """The set of each image in the tables: that of Main, by its lists, else unlisted."""
    set_of = {image["public_id"]: "unlisted" for image in release.images}
    for name in SETS:
        for path in release.folder.glob(f"VOCdevkit/*/ImageSets/Main/{name}.txt"):
            set_of |= dict.fromkeys(path.read_text().split(), name)
    return set_of


@each_release
def test_each_number_of_the_card_is_counted_again(release: Recount) -> None:
    text = read_markdown(release.folder / "README.md")
    sentences = [
        texts.describe(release),
        *texts.list_table(release),
        *texts.list_licences(release),
        "n<1K",
        f"its licence{texts.count_known(release, release.shown)}\n",
    ]
    if release.masked:
        sentences += [*texts.list_masks(release), f"masks of {len(release.masked)} of the images"]
    sentences += texts.list_tasters(release)
    assert find_numbers(take_out(text, sentences), release) == []
    held = list_table_sets(release).values()
    assert re.findall(r"split: (\w+)", text) == [name for name in TABLE_SETS if name in held]


@each_release
def test_each_line_of_the_credits_is_a_photograph(release: Recount) -> None:
    with (release.folder / "CREDITS.csv").open(newline="") as file:
        lines = list(csv.reader(file))[1:]
    expected = [
        [
            image["public_id"],
            photo["owner_name"] or photo["owner_id"] or "",
            " ".join((photo["title"] or "").split()),
            *(photo[key] or "" for key in ("licence_name", "licence_url", "page_url")),
            photo["source"],
            photo["source_id"],
        ]
        for image in release.shown
        for photo in release.photos[image["public_id"]]
    ]
    assert lines == expected
    page = (release.folder / "CREDITS.html").read_text()
    assert f"<h1>Credits of <bdi>{release.odd.name}</bdi></h1>" in page
    shown = [
        [html.unescape(re.sub("<[^>]+>", "", cell)) for cell in row.split("<td>")[1:]]
        for row in page.split("<tr>")[2:]
    ]
    short = [
        [name, owner or "unknown", title, licence or "unknown", f"{source} {source_id}"]
        for name, owner, title, licence, _, _, source, source_id in expected
    ]
    assert [[cell.split("\n")[0] for cell in row] for row in shown] == short


@each_release
def test_release_json_is_what_the_rows_say(release: Recount) -> None:
    manifest = manifest_of(release.folder)
    images = manifest.pop("images")
    drawings = [image.pop("segmentation") for image in images if "segmentation" in image]
    assert images == json.loads(json.dumps(list(map(release.line, release.images))))
    efforts = [
        (item["active_secs"], item["inputs"]) for drawing in drawings for item in drawing["objects"]
    ]
    assert efforts == [(row["drawn_secs"], row["inputs"]) for row in texts.list_drawn(release)]
    searched = any(photo["class_id"] for photo in release.all_photos)
    expected = {
        "format": 1,
        "release": release.odd.name,
        "year": release.year,
        "settings": release.recipe,
        "about": release.notes["about"],
        "part": {},
        "sampling": release.notes["facts"]["target"] if searched else None,
        "withdrawn": release.withdrawn,
        "fields": release.fields,
        "digest": digest_lists(release),
        "extends": release.notes["extends"],
        "forced": [],
    }
    tables = release.rows("SELECT * FROM table_pass")
    if tables:
        at = read_moment(tables[0]["passed_at"])
        about = json.loads(tables[0]["about"])
        named = {key: tables[0][key] for key in ("name", "sha256", "sample_sha256")}
        months = {"photos_of_all_months": 120 * about["photos_per_month"]}
        expected["tables"] = [named | {"passed_at": at} | about | months]
    if release.odd.is_blind or release.odd.name == "VOC2026":
        expected["blind"] = describe_seal(release)
    if corrections := list_changes(release):
        expected |= {"corrects": release.notes["corrects"], "corrections": corrections}
    assert manifest == expected


def digest_lists(release: Recount) -> str:
    """The SHA-256 of the tree's name and of Main's lists, with images that were withdrawn since.

    An edition never had those that were withdrawn before it.
    """
    gone = defaultdict[str, list[str]](list)
    for image in [] if release.notes["corrects"] else release.all_images:
        if image["state"] == "taken_down":
            gone[image["split"]].append(image["public_id"])
    gone["trainval"] = gone["train"] + gone["val"]
    text = f"VOC{release.year}\n"
    for name in ("train", "val", "trainval", "test"):
        path = release.tree / f"ImageSets/Main/{name}.txt"
        names = path.read_text().split() + gone[name]
        text += " ".join([name, *(sorted(names) if gone[name] else names)]) + "\n"
    return hashlib.sha256(text.encode()).hexdigest()


def describe_seal(release: Recount) -> dict[str, Any]:
    """The seal over the seals of all test images, and the secret where they are shown."""
    seals = {
        image["public_id"]: release.seal(image)
        for image in release.images
        if image["split"] == "test"
    }
    lines = "".join(f"{name} {seal}\n" for name, seal in sorted(seals.items()))
    sealed = {
        "is_open": not release.odd.is_blind,
        "seal": hashlib.sha256(lines.encode()).hexdigest(),
    }
    return sealed if release.odd.is_blind else sealed | {"salt": release.notes["blind_salt"]}


def list_changes(release: Recount) -> list[dict[str, Any]]:
    """What the annotation files have otherwise than those of the release before."""
    if release.odd.before is None:
        return []
    before = release.odd.before / "VOCdevkit" / f"VOC{release.odd.before_year}" / "Annotations"
    changes = []
    for name, items in release.items.items():
        path = before / f"{name}.xml"
        old = ElementTree.parse(path).findall("object") if path.is_file() else ()
        for number, (element, item) in enumerate(zip(old, items, strict=False), start=1):
            was = type(item)(element)
            pairs = {
                "class_name": (was.name, item.name),
                "box": ([*was.box], [*item.box]),
                "view": (was.pose or "Unspecified", item.pose or "Unspecified"),
                "difficult": (was.flags["difficult"] == "1", item.flags["difficult"] == "1"),
            }
            changes += [
                {
                    "image_id": name,
                    "object_number": number,
                    "what": "changed",
                    "field": field,
                    "was": old_value,
                    "is_now": value,
                }
                for field, (old_value, value) in pairs.items()
                if old_value != value
            ]
    return changes


@each_release
def test_the_changes_are_those_of_the_annotation_files(release: Recount) -> None:
    text = read_markdown(release.folder / "CHANGELOG.md")
    changes = list_changes(release)
    if release.odd.earlier is None:
        assert text.endswith("The first release.\n")
        return
    if release.withdrawn:
        images = many(len(release.withdrawn), "image")
        sentence = f"Withdrawn since this was written: {images}, which release.json names."
        text = take_out(text, [sentence])
        assert release.odd.first is not None
        first = replace(release.odd, folder=release.odd.first, now=release.odd.made)
        release = Recount(first)
        changes = list_changes(release)
    fields = Counter(change["field"] for change in changes)
    corrected = len({change["image_id"] for change in changes})
    before = release.odd.before
    assert before is not None
    old = {image["id"] for image in manifest_of(before)["images"]}
    new = {image["public_id"] for image in release.images}
    gone = sorted(old - new) if release.odd.is_edition else []
    sentences = [f"- {field} changed: {count}\n" for field, count in fields.items()]
    sentences += [
        f"- {change['image_id']}, object {change['object_number']}: {change['field']} was "
        f"{change['was']}, is {change['is_now']}\n"
        for change in changes
    ]
    added = len(new - old)
    sentences += [
        f"- images with a corrected annotation: {corrected}\n",
        f"- images added: {added}\n",
        f"- images withdrawn: {len(gone)}" + (f" ({', '.join(gone)})" if gone else ""),
        "- images left out: 0\n",
    ]
    assert find_numbers(take_out(text, sentences), release) == []


@each_release
def test_splits_json_is_counted_again(release: Recount) -> None:
    if release.odd.is_blind:
        assert not (release.folder / "splits.json").exists()
        return
    splits = json.loads((release.folder / "splits.json").read_text())
    counts = release.count_words(lambda item: [[item.name]])
    mean, most = release.deviations or (None, None)
    small = release.small_classes
    held = [
        name
        for name in release.recipe["classes"]
        if counts[name, "trainval"][0] + counts[name, "test"][0]
    ]
    assert splits == {
        "wanted": {name: release.recipe[f"{name}_share"] for name in SETS},
        "mean_deviation_points": mean and round(mean, 3),
        "max_deviation_points": most and round(most, 3),
        "classes": [
            {
                "class": name,
                "images": {split: counts[name, split][0] for split in SETS},
                "objects": {split: counts[name, split][1] for split in SETS},
            }
            for name in (None, *held)
        ],
        "groups": splits["groups"],
    } | ({"parted": list_parted(release)} if release.parted_groups else {}) | (
        {"classes_of_fewer_than_ten_images": small} if small else {}
    )
    set_of = {image["public_id"]: image["split"] for image in release.images}
    groups = sorted((sorted(ids), words) for ids, words, _ in release.whole_groups)
    assert (
        sorted((sorted(group["images"]), group["bound_by"]) for group in splits["groups"]) == groups
    )
    for group in splits["groups"]:
        assert {set_of[name] for name in group["images"]} == {group["set"]}


def list_parted(release: Recount) -> list[dict[str, Any]]:
    """The groups in two sets or more, as splits.json has them."""
    set_of = {image["public_id"]: image["split"] for image in release.images}
    return [
        {"sets": {name: set_of[name] for name in sorted(ids)}, "bound_by": words}
        for ids, words, _ in release.parted_groups
    ]


@each_release
def test_the_statistics_are_counted_again(release: Recount) -> None:
    words = {
        "classes": (release.recipe["classes"], lambda item: [[item.name]], release.others),
        "parts": (
            release.recipe["parts"],
            lambda item: [[part] for part in item.parts],
            release.shown,
        ),
        "actions": (release.recipe["actions"], lambda item: [item.actions], release.shown),
        "segmentation": (
            release.recipe["classes"],
            lambda item: [[item.name]] if item.flags["difficult"] != "1" else [],
            release.masked,
        ),
    }
    columns = [*COLUMNS][: 3 if release.odd.is_blind else 4]
    numbers = []
    for path in sorted((release.folder / "statistics").glob("*.csv")):
        if path.stem == "localization":
            continue
        names, words_of, images = words[path.stem]
        counts = release.count_words(words_of, images)
        expected = [
            [name or "total", *(str(count) for column in columns for count in counts[name, column])]
            for name in (*names, None)
        ]
        with path.open(newline="") as file:
            heads, *rows = csv.reader(file)
        assert heads == [
            "name",
            *(f"{column}_{unit}" for column in columns for unit in ("img", "obj")),
        ]
        assert rows == expected
        numbers += [" & ".join(row) for row in expected]
    numbers += [" & ".join(format_row(row, 3)) for row in count_localization(release)]
    latex = (release.folder / "statistics" / "tables.tex").read_text()
    lines = [line.removesuffix(r" \\") for line in latex.splitlines() if line.endswith(r"\\")]
    assert sorted(line for line in lines if "img" not in line) == sorted(numbers)


@each_release
def test_how_hard_objects_are_to_find_is_counted_again(release: Recount) -> None:
    with (release.folder / "statistics" / "localization.csv").open(newline="") as file:
        heads, *rows = csv.reader(file)
    assert heads == ["class", "img", "obj", "per image", "scale", "chance", "VOC"]
    expected = count_localization(release)
    assert [row[0] for row in rows] == [row[0] for row in expected]
    for row, values in zip(rows, expected, strict=True):
        assert [float(cell) if cell else None for cell in row[1:]] == pytest.approx(values[1:])


@each_release
def test_the_parquet_tables_are_those_of_files_and_rows(release: Recount) -> None:
    objects = pq.read_table(release.folder / "data/objects.parquet").to_pylist()
    labels = {name: place for place, name in enumerate(release.recipe["classes"], start=1)}
    assert [
        (
            row["image_id"],
            row["object_number"],
            row["class"],
            row["label"],
            tuple(row[side] for side in ("xmin", "ymin", "xmax", "ymax")),
            row["pose"],
        )
        for row in objects
    ] == [
        (name, place, item.name, labels[item.name], item.box, item.pose)
        for name, items in release.items.items()
        for place, item in enumerate(items, start=1)
    ]
    images = pq.read_table(release.folder / "data/images.parquet").to_pylist()
    set_of = list_table_sets(release)
    assert [(row["image_id"], row["set"], row["width"], row["height"]) for row in images] == [
        (image["public_id"], set_of[image["public_id"]], image["width"], image["height"])
        for image in release.images
    ]
    shown = {image["public_id"] for image in release.shown}
    for row in images:
        items = release.items.get(row["image_id"])
        assert row["objects"] == (None if items is None else len(items))
        photos = release.photos[row["image_id"]][:1] if row["image_id"] in shown else []
        owner, moment = (
            (photos[0]["owner_name"], read_moment(photos[0]["uploaded_at"]))
            if photos
            else (None, None)
        )
        at = row["uploaded_at"]
        assert (row["owner_name"], at and f"{at:%Y-%m-%dT%H:%M:%SZ}") == (owner, moment)
    for name in set(set_of.values()):
        rows = pq.read_table(release.folder / f"metadata-{name}.parquet").to_pylist()
        assert [row["image_id"] for row in rows] == [
            image["public_id"] for image in release.images if set_of[image["public_id"]] == name
        ]
        for row in rows:
            items = release.items.get(row["image_id"])
            boxes = [
                [xmin - 1, ymin - 1, xmax - xmin + 1, ymax - ymin + 1]
                for xmin, ymin, xmax, ymax in (item.box for item in items or ())
            ]
            assert (row["objects"] and row["objects"]["bbox"]) == (boxes if items else None)


@each_release
def test_each_number_of_the_croissant_file_is_counted_again(release: Recount) -> None:
    text = (release.folder / "croissant.json").read_text()
    croissant = json.loads(text)
    edition = release.odd.name.rpartition(".")[2] if release.odd.is_edition else "0"
    assert croissant["version"] == f"{release.year}.{edition}.0"
    masks = " ".join(texts.list_masks(release))
    held_back = "The annotation of its test set is held back." if release.odd.is_blind else ""
    tasters = " ".join(texts.list_tasters(release))
    described = " ".join(filter(None, (texts.describe(release), masks, tasters, held_back)))
    assert croissant["description"] == described
    urls = {photo["licence_url"] for photo in release.all_photos}
    assert croissant["license"] == sorted(url or "unknown" for url in urls)
    for entry in croissant["distribution"]:
        if entry["@type"] == "cr:FileObject":
            data = (release.folder / entry["contentUrl"]).read_bytes()
            assert entry.pop("contentSize") == f"{len(data)} B"
            assert entry.pop("sha256") == hashlib.sha256(data).hexdigest()
    for key in ("@context", "version", "description", "license", "citeAs", "usageInfo"):
        croissant.pop(key, None)
    constant = ("from 1.", "255 is void", "sha256", "croissant/1.0")
    rest = [
        leaf for leaf in iterate_leaves(croissant) if not any(text in leaf for text in constant)
    ]
    assert find_numbers("\n".join(rest), release) == []


@each_release
def test_what_commands_say_in_json_is_counted_again(release: Recount) -> None:
    objects = sum(map(len, release.items.values()))
    (tree,) = json.loads(call("verify", release.folder, "--json"))["trees"]
    assert (tree["images"], tree["objects"]) == (len(release.images), objects)
    assert (tree["violations"], tree["compared"]["different"]) == ([], [])
    hidden = [image["public_id"] for image in release.images if image not in release.shown]
    assert [name for names in tree["passed_over"].values() for name in names] == hidden
    party = release.folder.parent / "party"
    listed = json.loads(call("release", "list", "--json", "--party", party))["releases"]
    catalogue = connect(party / "catalogue.db")
    counted = catalogue.execute(
        "SELECT r.name, r.year, count(*), sum(i.state = 'taken_down') FROM release AS r"
        " JOIN release_image AS ri ON ri.release_id = r.id JOIN image AS i ON i.id = ri.image_id"
        " GROUP BY r.id ORDER BY r.id"
    )
    numbers = [(row["name"], row["year"], row["images"], row["withdrawn"]) for row in listed]
    assert numbers == [tuple(row) for row in counted]
    if not release.odd.is_current:
        return
    shown = json.loads(call("release", "show", release.odd.name, "--json", "--party", party))
    splits = json.loads((release.folder / "splits.json").read_text())
    assert shown == {
        "name": release.odd.name,
        "year": release.year,
        "settings": release.recipe,
        "extends": release.notes["extends"],
        "corrects": release.notes["corrects"],
        "forced": [],
        "is_blind": False,
        "images": len(release.images),
        "objects": objects,
        "withdrawn": release.withdrawn,
        "splits": splits,
    }


def call(*words: object) -> str:
    """What a command says on standard output; it must succeed."""
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exit_code == 0, result.output
    return result.stdout


def iterate_leaves(value: Any) -> Iterator[str]:
    """Every word and number in the document."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for inner in value:
            yield from iterate_leaves(inner)
    else:
        yield str(value)
