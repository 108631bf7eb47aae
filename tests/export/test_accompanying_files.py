"""The files that accompany a release are true, can be loaded, and are reproducible."""

import csv
import io
import json
import re
import subprocess
from dataclasses import asdict, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from PIL import Image as Picture
from ruamel.yaml import YAML
from sqlalchemy import select

from catalog.party import Party, make_party, open_party
from catalog.settings import ReleaseSettings
from catalog.states import ImageState, Verdict
from catalog.stats import load_party_counts
from catalog.tables import Image, LiveSetting, Measurement, Photo, Query, Search
from export.accompanying_files.facts import load_facts
from export.loading import load_images
from export.order import ReleaseOrder
from export.party_check import iterate_warnings
from export.planning import plan_release
from export.release import write_release
from tests.annotate_ui.house import House
from tests.exporting import contents, export_release, read_croissant, take_down
from tests.party_rows import NOW, stock
from vockit.report import report_page
from work.undo import undo_person

TRAVELLERS = {
    "README.md",
    "DATASHEET.md",
    "GUIDELINES.md",
    "CHANGELOG.md",
    "CITATION.cff",
    "CREDITS.csv",
    "CREDITS.html",
    "SHA256SUMS",
    "croissant.json",
    "release.json",
    "splits.json",
    "data/images.parquet",
    "data/objects.parquet",
    "metadata-test.parquet",
    "metadata-train.parquet",
    "metadata-val.parquet",
    "statistics/histogram.svg",
    *(f"statistics/{name}" for name in ("classes.csv", "localization.csv", "tables.tex")),
}


REQUIRED_IN_CFF = {"authors", "cff-version", "message", "title"}
KNOWN_IN_CFF = REQUIRED_IN_CFF | {
    "abstract",
    "commit",
    "contact",
    "date-released",
    "doi",
    "identifiers",
    "keywords",
    "license",
    "license-url",
    "preferred-citation",
    "references",
    "repository",
    "repository-artifact",
    "repository-code",
    "type",
    "url",
    "version",
}
"""Citation File Format 1.2.0, schema; cffconvert 2.0.0 calls such a file valid."""


QUESTIONS = {
    "Motivation": 3,
    "Composition": 16,
    "Collection process": 11,
    "Preprocessing, cleaning and labelling": 3,
    "Uses": 5,
    "Distribution": 6,
    "Maintenance": 7,
}
"""In Gebru et al., Datasheets for Datasets, sections 3.1 to 3.7."""


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release of the stocked party, which no test changes."""
    folder = tmp_path_factory.mktemp("release")
    make_party(folder / "party", name="Test party", preset="voc2012")
    with open_party(folder / "party") as party:
        export_release(stock(party), folder / "out", year=2026, at=NOW)
    return folder / "out"


def test_exactly_the_documented_files_accompany_the_tree(out: Path) -> None:
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {name for name in files if not name.startswith("VOCdevkit/")} == TRAVELLERS


def test_sha256sum_accepts_the_checksums(out: Path) -> None:
    check = ["sha256sum", "--check", "--strict", "--quiet", "SHA256SUMS"]
    assert subprocess.run(check, cwd=out, check=False).returncode == 0
    named = {line.split("  ", 1)[1] for line in (out / "SHA256SUMS").read_text().splitlines()}
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert named == files - {"SHA256SUMS"}


def test_mlcroissant_loads_images_objects_and_sets_without_errors(out: Path) -> None:
    images, objects, pictures = read_croissant(out, "images", "objects", "pictures")
    ids = [_text(row["images/image_id"]) for row in images]
    assert ids == [f"2026_{number:06d}" for number in range(1, 9)]
    assert len(objects) == 10
    assert {_text(row["objects/class"]) for row in objects} == {"cat", "dog"}
    assert {row["objects/xmin"] for row in objects} == {1, 2}
    rows = pq.read_table(out / "data" / "images.parquet").to_pylist()
    assert [
        (_text(picture["pictures/image_id"]), _text(picture["pictures/set"]))
        for picture in pictures
    ] == [(row["image_id"], row["set"]) for row in rows]
    for row, record in zip(rows, pictures, strict=True):
        with Picture.open(out / row["file_name"]) as expected:
            assert record["pictures/picture"].tobytes() == expected.tobytes()


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def test_the_tables_list_every_image_and_all_fields_of_objects(out: Path) -> None:
    images = pq.read_table(out / "data" / "images.parquet").to_pylist()
    objects = pq.read_table(out / "data" / "objects.parquet").to_pylist()
    assert [row["image_id"] for row in images] == [f"2026_{number:06d}" for number in range(1, 9)]
    assert all((out / row["file_name"]).is_file() for row in images)
    dogs = [row for row in objects if row["class"] == "dog"]
    assert {row["difficult"] for row in dogs} == {True}
    assert {(row["xmin"], row["ymin"], row["xmax"], row["ymax"]) for row in dogs} == {
        (1, 1, 60, 40)
    }
    assert {row["label"] for row in dogs} == {12}


WORDS = ("cat", "total", "bus")


def test_statistics_count_images_and_objects_of_each_set(out: Path) -> None:
    rows = csv.DictReader(io.StringIO((out / "statistics" / "classes.csv").read_text()))
    held = {row["name"]: row for row in rows}
    numbers = [(row["trainval_img"], row["trainval_obj"]) for row in map(held.get, WORDS) if row]
    assert numbers == [("3", "3"), ("4", "5"), ("0", "0")]
    assert (held["cat"]["test_obj"], held["dog"]["test_img"]) == ("3", "2")
    assert r"\begin{tabular}" in (out / "statistics" / "tables.tex").read_text()


def test_citation_and_card_have_the_required_yaml_keys(out: Path) -> None:
    yaml = YAML(typ="safe")
    citation = yaml.load((out / "CITATION.cff").read_text())
    assert REQUIRED_IN_CFF <= citation.keys() <= KNOWN_IN_CFF
    assert (citation["cff-version"], citation["type"]) == ("1.2.0", "dataset")
    assert citation["authors"] == [{"name": "Test party"}]
    expected = {"title": "The Test party Database", "authors": [{"name": "Test party"}]}
    expected |= {"type": "data", "version": "VOC2026"}
    assert citation["preferred-citation"] == expected | {"year": 2026}
    _, front, _ = (out / "README.md").read_text().split("---\n", 2)
    card = yaml.load(front)
    assert card["task_categories"] == ["object-detection"]


ABOUT = ReleaseSettings(
    authors=("Ada Byron", "Zoo Lab"),
    affiliation="Example University",
    contact="zoo@example.org",
    homepage="https://example.org/zoo",
    doi="10.1234/zoo",
    funding="Example Fund",
    annotation_licence="https://creativecommons.org/licenses/by/4.0/",
    intended_use="Finding animals.",
    known_limits="Few night scenes.",
)


def test_the_authors_of_the_settings_are_in_every_file(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        for photo in session.scalars(select(Photo).limit(2)):
            photo.licence_name = "CC BY-ND 2.0"
    silent = plan_release(stocked, year=2026, order=ReleaseOrder(is_forced=True))
    warnings = "\n".join(iterate_warnings(stocked, silent))
    assert "does not say: authors, affiliation, contact" in warnings
    party = replace(stocked, settings=replace(stocked.settings, release=ABOUT))
    spoken = plan_release(party, year=2026)
    assert "does not say" not in "\n".join(iterate_warnings(party, spoken))
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    texts = {path: (tmp_path / "out" / path).read_text() for path in (*SAYING, "CREDITS.html")}
    [policy] = re.findall(
        r'<meta http-equiv="Content-Security-Policy"[^>]+>', texts["CREDITS.html"]
    )
    reports = Path(report_page.__file__).with_name("report_page.html").read_text("utf-8")
    assert policy in reports
    for name, value in asdict(ABOUT).items():
        for word in value if isinstance(value, tuple) else (value,):
            holders = {path for path, text in texts.items() if word in text.replace("\\", "")}
            assert {"DATASHEET.md", "README.md", "release.json"} <= holders, name
    citation = YAML(typ="safe").load(texts["CITATION.cff"])
    assert [author["name"] for author in citation["authors"]] == ["Ada Byron", "Zoo Lab"]
    assert (citation["doi"], citation["url"]) == (ABOUT.doi, ABOUT.homepage)
    assert citation["contact"] == [{"name": "Ada Byron", "email": ABOUT.contact}]
    assert citation["license-url"] == ABOUT.annotation_licence
    assert citation.keys() <= KNOWN_IN_CFF
    metadata = json.loads(texts["croissant.json"])
    assert [author["name"] for author in metadata["creator"]] == ["Ada Byron", "Zoo Lab"]
    assert metadata["publisher"]["name"] == "Example University"
    assert (metadata["url"], metadata["identifier"]) == (ABOUT.homepage, ABOUT.doi)
    for path in ("README.md", "DATASHEET.md", "CREDITS.html", "croissant.json"):
        text = texts[path].replace("\\", "")
        assert "uses the Flickr API but is not endorsed or certified by SmugMug" in text
        assert "2 photographs of this release are under licences that forbid" in text


def test_facts_that_changed_since_a_release_was_recorded_are_said(
    stocked: Party, tmp_path: Path
) -> None:
    party = replace(stocked, settings=replace(stocked.settings, release=ABOUT))
    export_release(party, tmp_path / "out", year=2026, at=NOW)
    assert list(iterate_warnings(party, plan_release(party, year=2026))) == []
    changed = replace(ABOUT, authors=("Ada Byron",), doi="")
    today = replace(stocked, settings=replace(stocked.settings, release=changed))
    (warning,) = iterate_warnings(today, plan_release(today, year=2026))
    assert "VOC2026 is recorded and is written as it was" in warning
    assert "party.toml says otherwise today: authors, doi." in warning
    assert "`--corrects VOC2026` makes an edition with today's facts." in warning


SAYING = ("DATASHEET.md", "README.md", "release.json", "CITATION.cff", "croissant.json")


def test_the_card_points_hugging_face_to_the_pictures_of_each_set(out: Path) -> None:
    """`datasets` 4 and 5 read a folder of pictures by metadata files that name each picture."""
    _, front, _ = (out / "README.md").read_text().split("---\n", 2)
    (config,) = YAML(typ="safe").load(front)["configs"]
    sets = {entry["split"]: entry["path"] for entry in config["data_files"]}
    assert list(sets) == ["train", "val", "test"]
    assert [first for first, _ in sets.values()] == config["metadata_filenames"]
    for name, (metadata, pictures) in sets.items():
        rows = pq.read_table(out / metadata).to_pylist()
        listed = out / "VOCdevkit/VOC2026/ImageSets/Main" / f"{name}.txt"
        assert [row["image_id"] for row in rows] == listed.read_text().split()
        assert {out / row["file_name"] for row in rows} <= set(out.glob(pictures))
        cats = [row["objects"] for row in rows if "cat" in row["objects"]["category"]]
        assert all(cat["bbox"][0] == [1, 2, 49, 28] for cat in cats)


def test_the_datasheet_lists_queries_people_and_gaps(stocked: Party, tmp_path: Path) -> None:
    with stocked.catalogue.writing() as session:
        query = session.scalars(select(Query)).one()
        query.searches = 7
        query.draws = 30
        query.kept = 8
    export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    text = (tmp_path / "out" / "DATASHEET.md").read_text()
    assert "| cat | kitten & co | flickr | 7 | 30 | 8 |" in text
    assert "1 annotated: " in text
    assert "the makers should" in text


def test_the_datasheet_answers_every_question_of_datasheets_for_datasets(out: Path) -> None:
    sections = (out / "DATASHEET.md").read_text().split("\n## ")[1:]
    assert [section.partition("\n")[0] for section in sections] == list(QUESTIONS)
    for section, questions in zip(sections, QUESTIONS.values(), strict=True):
        answers = [part.partition("**\n\n") for part in section.split("\n**")[1:]]
        assert sum(asked.endswith("?") for asked, _, _ in answers) >= questions
        assert all(answer.strip() for _, _, answer in answers)


def test_the_guidelines_file_has_the_newest_version(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    assert (tmp_path / "first" / "GUIDELINES.md").read_text() == stocked.preset.guidelines
    with stocked.catalogue.writing() as session:
        setting = {"name": "guidelines", "number": 1, "value": {"markdown": "# Ours\n"}}
        session.add(LiveSetting(**setting, person_id=1, set_at=NOW))
    export_release(stocked, tmp_path / "second", year=2026, name="second", at=NOW)
    assert (tmp_path / "second" / "GUIDELINES.md").read_text() == "# Ours\n"
    export_release(stocked, tmp_path / "again", year=2026, at=NOW)
    assert contents(tmp_path / "again") == contents(tmp_path / "first")


def test_the_changelog_compares_with_the_previous_release(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    assert "The first release." in (tmp_path / "first" / "CHANGELOG.md").read_text()
    take_down(stocked, 1)
    export_release(stocked, tmp_path / "second", year=2026, name="second", at=NOW)
    text = (tmp_path / "second" / "CHANGELOG.md").read_text()
    assert "Against VOC2026:" in text
    assert "images withdrawn: 1 (2026_" in text


def test_a_blind_release_names_no_source_of_a_test_image(stocked: Party, tmp_path: Path) -> None:
    order = ReleaseOrder(is_blind=True)
    plan = export_release(stocked, tmp_path / "blind", year=2026, at=NOW, order=order)
    hidden = {image.public_id for image in plan.images} - {
        image.public_id for image in plan.annotated
    }
    credited = (tmp_path / "blind" / "CREDITS.csv").read_text()
    assert not [public_id for public_id in hidden if public_id in credited]
    images = pq.read_table(tmp_path / "blind" / "data" / "images.parquet").to_pylist()
    columns = {
        row["image_id"]: {key for key, value in row.items() if value is not None} for row in images
    }
    bare = {"image_id", "set", "file_name", "width", "height"}
    assert hidden
    assert {image_id: columns[image_id] for image_id in hidden} == dict.fromkeys(hidden, bare)
    opened = replace(plan_release(stocked, year=2026), is_blind=False)
    write_release(stocked, opened, tmp_path / "open", at=NOW)
    objects = pq.read_table(tmp_path / "open" / "data" / "objects.parquet").to_pylist()
    assert hidden <= {row["image_id"] for row in objects}


def test_a_blind_release_lists_changes_once_opened(stocked: Party, tmp_path: Path) -> None:
    export_release(stocked, tmp_path / "first", year=2026, at=NOW)
    order = ReleaseOrder(is_blind=True)
    export_release(stocked, tmp_path / "blind", year=2026, name="blind", at=NOW, order=order)
    said = (tmp_path / "blind" / "CHANGELOG.md").read_text()
    assert said.endswith("otherwise than VOC2026 is told with its test set.\n")
    opened = replace(plan_release(stocked, year=2026, name="blind"), is_blind=False)
    write_release(stocked, opened, tmp_path / "open", at=NOW)
    assert "Against VOC2026:" in (tmp_path / "open" / "CHANGELOG.md").read_text()


def test_the_card_names_every_file_and_each_licence_once(out: Path) -> None:
    text = (out / "README.md").read_text()
    for name in TRAVELLERS - {"README.md"}:
        assert f"`{name}`" in text or f"`{name.partition('/')[0]}/`" in text, name
    licences = [line for line in text.split("They are:")[1].splitlines() if line.startswith("- ")]
    assert len(licences) == len(set(licences)) == 1


def test_the_histogram_is_an_svg_without_a_date(out: Path) -> None:
    text = (out / "statistics" / "histogram.svg").read_text()
    assert "<svg" in text
    assert "dc:date" not in text
    assert "aeroplane" in text


def test_the_metadata_name_both_tables_with_their_digests(out: Path) -> None:
    document = json.loads((out / "croissant.json").read_text())
    lines = [line.split("  ", 1) for line in (out / "SHA256SUMS").read_text().splitlines()]
    sums = {path: digest for digest, path in lines}
    tables = [
        resource for resource in document["distribution"] if resource["@type"] == "cr:FileObject"
    ]
    assert len(tables) == 2
    for file in tables:
        assert file["sha256"] == sums[file["contentUrl"]]


def test_the_datasheet_shows_the_last_agreement(stocked: Party, tmp_path: Path) -> None:
    measured = {
        "images annotated twice, blind": 12,
        "objects found by both": "91 % (80 to 97)",
        "labels missing in an image": {"before checking": [0.5, 0.25, None]},
    }
    with stocked.catalogue.writing() as session:
        session.add(Measurement(name="agreement", value=measured, measured_at=NOW))
    export_release(stocked, tmp_path / "out", year=2026, at=NOW)
    text = (tmp_path / "out" / "DATASHEET.md").read_text()
    assert "- measured at: 2026-05-04T12:00:00Z\n- images annotated twice, blind: 12" in text
    assert "- objects found by both: 91 % (80 to 97)" in text
    expected = "are expected to lack, before checking: 4 (2 to any number, with 95 %)"
    assert f"- labels that these 8 images {expected}" in text
    assert "Whether images are near-duplicates of one another was not looked at." in text
    assert "Of the 10 objects that the last checker of their image passed, 0 were judged" in text


WINDOW = {"window_start_at": NOW - timedelta(days=30), "window_end_at": NOW}


def test_the_datasheet_shows_dates_and_sampling(any_stocked: Party, tmp_path: Path) -> None:
    """Seven were drawn by upload date, the fourth without dates; the eighth was imported."""
    with any_stocked.catalogue.writing() as session:
        for photo in session.query(Photo):
            photo.result_page = 1
            photo.uploaded_at = datetime(2004 + photo.id, 3, 1, tzinfo=UTC)
            photo.taken_at_text = f"{2000 + photo.id}-02-03 04:05:06"
            photo.taken_at_unknown = photo.id == 2
        undated = session.get_one(Photo, 4)
        imported = session.get_one(Photo, 8)
        undated.window_start_at = undated.window_end_at = None
        imported.query_id = imported.uploaded_at = None
        values = {"licence_ids": "4", "page": 1, "matches": 9, "returned": 9, "fresh": 9}
        session.add(Search(query_id=1, dates="upload", searched_at=NOW, **values, **WINDOW))
    export_release(any_stocked, tmp_path / "out", year=2026, at=NOW)
    document = json.loads((tmp_path / "out" / "release.json").read_text())
    photos = {image["photos"][0]["source_id"]: image["photos"][0] for image in document["images"]}
    assert photos["5001"]["uploaded_at"] == "2005-03-01T00:00:00Z"
    assert photos["5001"]["taken_at"] == "2001-02-03 04:05:06"
    assert photos["5002"]["taken_at"] is None
    samplings = {source_id: photo["sampling"] for source_id, photo in photos.items()}
    expected = {f"500{n}": "upload" for n in range(1, 8)} | {"5004": "none", "5008": None}
    assert samplings == expected
    table = pq.read_table(tmp_path / "out" / "data" / "images.parquet").to_pylist()
    for row in table:
        photo = photos[row["source_id"]]
        at = photo["uploaded_at"] and datetime.fromisoformat(photo["uploaded_at"])
        assert (row["uploaded_at"], row["taken_at"], row["sampling"]) == (
            at,
            photo["taken_at"],
            photo["sampling"],
        )
    text = (tmp_path / "out" / "DATASHEET.md").read_text()
    assert "1 of 8 photographs were imported" in text
    assert "By year of upload: 2005 1, 2006 1, 2007 1, 2008 1," in text
    assert "uploaded in each year from 2005-01-01 to 2026-05-04." in text
    assert document["sampling"] == {
        "dates": "upload",
        "first_date": "2005-01-01",
        "last_date": "2026-05-04",
    }


AT = datetime(2026, 2, 1, tzinfo=UTC)


def undo(party: Party, house: House, name: str) -> None:
    person = house.person(name)
    with party.catalogue.writing() as session:
        undo_person(session, person, None, at=AT)


def test_work_of_undone_people_is_not_counted_in_the_datasheet(any_party: Party) -> None:
    house = House(any_party)
    ann = house.ann()
    chris = house.chris()
    vandal = house.enter(house.add_person("vandal", is_simulated=True))
    bad_checker = house.enter(house.add_person("bad", house.person("chris").role))
    images = [house.add_image() for _ in range(4)]
    for _ in images:
        ann.save(ann.take())
    for image_id in images:
        verdict = "accept" if image_id > 1 else "fixed"
        bad_checker.review(bad_checker.take("check", image_id=image_id), verdict)
    house.add_image()
    vandal.save(vandal.take(), [], discard_reason="poor_quality")
    undo(any_party, house, "bad")
    undo(any_party, house, "vandal")
    chris.review(chris.take("check", image_id=2))
    with any_party.catalogue.reading() as session:
        heads = {
            image.id: image.annotation_id for image in session.query(Image) if image.annotation_id
        }
        facts = load_facts(session, any_party)
        counts = load_party_counts(session)
        seen_twice = [row.id for row in load_images(session, heads) if row.has_second_look]
    assert facts["verdicts"] == {Verdict.ACCEPT: 1}
    assert facts["checkers"].pop("active_hours") == pytest.approx(0.0, abs=0.01)
    assert facts["checkers"] == {"people": 1, "simulated": 0, "rows": 1}
    assert facts["annotators"].pop("active_hours") == pytest.approx(0.03, abs=0.01)
    assert facts["annotators"] == {"people": 1, "simulated": 0, "rows": 4}
    assert facts["discarded"] == {}
    assert (counts.revisions, counts.reviews, counts.discarded) == (4, 1, {})
    assert counts.images[ImageState.CHECKED] == 1
    assert seen_twice == [2]
