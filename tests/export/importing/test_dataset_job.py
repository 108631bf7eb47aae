"""Labels of other tools come into the party with their pictures, and wait for a check."""

import io
import json
import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image as Picture
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from catalog.decisions import list_wrong_states
from catalog.image_store import digest_of
from catalog.licences import LICENCES
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Source
from catalog.stats import load_party_counts
from catalog.tables import (
    Annotation,
    Decision,
    Image,
    Object,
    Person,
    Photo,
    Query,
    Segment,
    Segmentation,
)
from collect.takedown.job import TakedownOrder, run_order
from export.importing import dataset_job
from export.importing.dataset_image import DatasetOrder, DatasetReport, ImportDatasetError
from export.importing.dataset_job import import_dataset
from export.importing.dataset_reading import HOW_TO_KEEP
from export.importing.dataset_show import show
from export.importing.dataset_words import read_words
from export.importing.job import import_tree
from export.importing.tree_image import ImportTreeError
from qa.counts import load_people_progress
from tests import trees
from tests.export.cut_off import import_until_killed
from tests.party_rows import HEIGHT, WIDTH, jpeg_bytes
from tests.vockit.foreign.datasets.cocos import LABELS, box, make_coco
from tests.warm import Warm
from vockit.foreign.convert import convert_tree
from vockit.foreign.regions import find_regions
from vockit.foreign.tree_images import load_tree
from vockit.format.rings import fill, unpack_rings
from vocparty import main
from work.hours import load_minutes

TASTERS = tuple(f"ImageSets/{name}" for name in ("Layout", "Action", "Segmentation"))
"""Images that only these folders list are in no set of YOLO's otherwise."""
NOW = datetime(2026, 5, 4, 12, 0, 0, tzinfo=UTC)
TABLES = (Image, Photo, Annotation, Object, Person, Query, Segment, Segmentation, Decision)


def run(party: Party, path: Path, **more: Any) -> DatasetReport:
    return import_dataset(party, DatasetOrder(path, **more), at=NOW)


def count_rows(party: Party) -> list[int]:
    with party.catalogue.reading() as session:
        counts = (session.scalar(select(func.count()).select_from(table)) for table in TABLES)
        return [count or 0 for count in counts]


def load_photos(session: Session) -> dict[str, Photo]:
    return {photo.title or "": photo for photo in session.scalars(select(Photo))}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    crowd = {"size": [HEIGHT, WIDTH], "counts": [HEIGHT * 10, 200, HEIGHT * (WIDTH - 10) - 200]}
    annotations = [
        box(1, [9, 4, 20, 10]),
        box(2, [1, 2, 3, 4], 1, 2, segmentation=[[1, 2, 4, 2, 4, 6]]),
        box(3, [10, 0, 5, 40], 2, 2, iscrowd=1, segmentation=crowd),
    ]
    return make_coco(tmp_path / "labels", annotations, images=3)


def test_each_image_waits_for_a_check_with_its_objects(any_party: Party, root: Path) -> None:
    report = run(any_party, root)
    assert (report.form, report.found, report.imported, report.were_there) == ("COCO", 3, 2, 0)
    assert (dict(report.objects), report.outlines) == ({"cat": 1, "dog": 2}, 2)
    assert report.skipped == [(f"{LABELS}, image 3", f"it has no object{HOW_TO_KEEP}")]
    with any_party.catalogue.reading() as session:
        photos = load_photos(session)
        photo = photos["train/1.jpg"]
        assert (photo.source, photo.state) == (Source.DATASET, PhotoState.FETCHED)
        image = photo.image
        assert image is not None
        assert image.state is ImageState.ANNOTATED
        assert any_party.store.get(image.sha256) == jpeg_bytes(1)
        revision = image.annotation
        assert revision is not None
        assert revision.is_finished
        assert revision.comment == f"Imported from COCO: {LABELS}, image 1."
        assert (revision.person.name, revision.person.ended_at) == ("import labels", NOW)
        cat, dog = revision.objects
        assert (cat.class_name, cat.object_key, cat.box.xyxy) == ("cat", "coco-1", (10, 5, 29, 14))
        assert (dog.class_name, dog.object_key, dog.box.xyxy) == ("dog", "coco-2", (2, 3, 4, 6))
        crowd = session.scalars(select(Object).where(Object.object_key == "coco-3")).one()
        assert (crowd.difficult, crowd.group_of) == (True, False)
        segment = session.scalars(select(Segment).where(Segment.object_key == "coco-2")).one()
        assert segment.rings == [[1, 2, 4, 2, 4, 6]]
        assert list(list_wrong_states(session)) == []


def test_a_crowd_is_a_group_where_the_party_has_groups(party: Party, root: Path) -> None:
    annotate = replace(party.settings.annotate, groups=True)
    run(replace(party, settings=replace(party.settings, annotate=annotate)), root)
    with party.catalogue.reading() as session:
        rows = session.query(Object).filter(Object.group_of | Object.difficult).all()
        assert [(row.object_key, row.group_of, row.difficult) for row in rows] == [
            ("coco-3", True, True)
        ]


def test_what_came_in_is_counted_as_nobodys_work(any_party: Party, root: Path) -> None:
    run(any_party, root)
    with any_party.catalogue.reading() as session:
        counts = load_party_counts(session)
        assert (counts.people, counts.revisions, counts.imported) == (0, 0, 2)
        assert load_people_progress(session) == []
        assert load_minutes(session) == []


def test_a_converted_tree_comes_back_without_a_difference(party: Party, tmp_path: Path) -> None:
    """Boxes, classes, views, flags, and every pixel of the outlines."""
    tree = trees.make_tree(tmp_path / "in")
    content = load_tree(tree)
    convert_tree(content, tmp_path / "coco", "coco")
    report = run(party, tmp_path / "coco")
    assert (report.imported, report.skipped) == (len(content.images), [])
    # the second file of a set holds the outlines of the first again, for pycocotools
    assert report.counts.keys() == {("file left out", "the same pictures")}
    with party.catalogue.reading() as session:
        photos = load_photos(session)
        for image in content.images:
            photo = photos[f"images/{image.set_name}/{image.picture.name}"]
            assert photo.image is not None
            assert photo.image.annotation is not None
            drawn = [
                (item.class_name, item.box.xyxy, item.view, item.difficult, item.truncated)
                for item in photo.image.annotation.objects
            ]
            assert drawn == [
                (
                    item.name,
                    (item.box.xmin, item.box.ymin, item.box.xmax, item.box.ymax),
                    item.pose or "Unspecified",
                    bool(item.difficult),
                    bool(item.truncated),
                )
                for item in image.objects
            ]
            keys = [item.object_key for item in photo.image.annotation.objects]
            for key, region in zip(keys, find_regions(image), strict=True):
                of_image = Segmentation.annotation_id == photo.image.annotation_id
                segments = select(Segment).join(Segmentation).where(of_image)
                segment = session.scalar(segments.where(Segment.object_key == key))
                assert (segment is None) is (region is None)
                if segment is not None and region is not None:
                    drawing = fill(unpack_rings(segment.rings), WIDTH, HEIGHT)
                    assert (drawing == region).all()


def test_a_tree_converted_to_yolo_comes_back_with_the_same_boxes(
    party: Party, tmp_path: Path
) -> None:
    content = load_tree(trees.make_tree(tmp_path / "in"), also=TASTERS)
    convert_tree(content, tmp_path / "yolo", "yolo", with_difficult=True)
    report = run(party, tmp_path / "yolo")
    assert (report.form, report.counts, report.skipped) == ("YOLO", {}, [])
    with party.catalogue.reading() as session:
        photos = load_photos(session)
        for image in content.images:
            drawn = photos[f"images/{image.set_name}/{image.picture.name}"].image
            assert drawn is not None
            assert drawn.annotation is not None
            assert [item.box.xyxy for item in drawn.annotation.objects] == [
                (item.box.xmin, item.box.ymin, item.box.xmax, item.box.ymax)
                for item in image.objects
            ]


def test_a_dry_run_tells_the_same_and_writes_nothing(any_party: Party, root: Path) -> None:
    shutil.copy(root / "train/1.jpg", root / "train/2.jpg")
    before = count_rows(any_party)
    dry = run(any_party, root, is_dry=True)
    assert count_rows(any_party) == before
    assert list(any_party.store.digests()) == []
    wet = run(any_party, root)
    assert wet.imported == 1
    assert dry.__dict__ | {"is_dry": False} == wet.__dict__


def test_importing_again_adds_nothing(any_party: Party, root: Path) -> None:
    run(any_party, root)
    before = count_rows(any_party)
    report = run(any_party, root)
    assert (report.imported, report.were_there) == (0, 2)
    assert count_rows(any_party) == before


def test_the_same_pictures_under_another_name_are_not_imported_twice(
    party: Party, root: Path
) -> None:
    run(party, root)
    report = run(party, root, name="again")
    assert report.imported == 0
    reasons = [reason for _place, reason in report.skipped]
    assert reasons[0] == "its file is that of image 1 of the party, which is annotated"


def test_another_picture_under_the_name_of_one_that_came_is_named(
    party: Party, root: Path, tmp_path: Path
) -> None:
    """Two datasets may lie in folders of one name, and count their pictures from 1."""
    run(party, root)
    other = tmp_path / "elsewhere" / root.name
    shutil.copytree(root, other)
    (other / "train/1.jpg").write_bytes(jpeg_bytes(7))
    for is_dry in (True, False):
        report = run(party, other, is_dry=is_dry)
        assert (report.imported, report.were_there) == (0, 1)
        assert "came before with another picture" in dict(report.skipped)[f"{LABELS}, image 1"]
    assert run(party, other, name="other").imported == 1


def test_a_dataset_has_another_name_than_a_tree_that_was_imported(
    party: Party, root: Path, tmp_path: Path
) -> None:
    """One person stands for each import, and undoing it withdraws all that is theirs."""
    name = import_tree(party, DatasetOrder(trees.make_tree(tmp_path / "in")), at=NOW).name
    for is_dry in (True, False):
        with pytest.raises(ImportTreeError, match=f"An import of another kind is called {name}"):
            run(party, root, name=name, is_dry=is_dry)


def test_the_name_of_an_import_is_that_of_its_whole_folder(party: Party, root: Path) -> None:
    assert run(party, root.rename(root.with_name("hats.v1")), is_dry=True).name == "hats.v1"
    path = root.with_name("hats.v1") / LABELS
    assert run(party, path, is_dry=True).name == "instances_train"


def test_a_name_that_is_too_long_is_refused_before_anything_is_stored(
    any_party: Party, root: Path
) -> None:
    before = count_rows(any_party)
    with pytest.raises(ImportDatasetError, match="has 91 characters; give the import one of at"):
        run(any_party, root, name="a" * 91)
    assert count_rows(any_party) == before
    assert run(any_party, root, name="a" * 90).imported == 2


def test_of_more_outlines_than_people_can_edit_the_boxes_come_in(party: Party, root: Path) -> None:
    outline = [[1, 1, 5, 1, 5, 5]]
    rows = [box(number, [1, 1, 4, 4], segmentation=outline) for number in range(1, 256)]
    make_coco(root, [*rows, box(256, [1, 1, 4, 4], 2, segmentation=outline)], images=2)
    report = run(party, root)
    assert (report.objects.total(), report.outlines) == (256, 1)
    assert report.counts == {("not kept", "outlines"): 1}


def test_no_outlines_come_in_where_a_palette_has_no_room_for_the_classes(
    party: Party, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("catalog.group_limits.MOST_SEGMENTED", 19)
    make_coco(root, [box(1, [1, 1, 4, 4], segmentation=[[1, 1, 5, 1, 5, 5]])])
    report = run(party, root)
    assert (report.objects.total(), report.outlines) == (1, 0)
    assert report.counts == {("not kept", "outlines"): 1}


def test_names_and_ids_that_no_database_takes_come_in_as_escapes(
    any_party: Party, root: Path
) -> None:
    strange = {"a\0b": 1, "\ud800": 2}
    row = box(1, [1, 1, 5, 5], attributes=strange) | {"id": "\0\ud800"}
    make_coco(root, [row], images=1)
    assert run(any_party, root).imported == 1
    with any_party.catalogue.reading() as session:
        (item,) = session.scalars(select(Object))
        assert item.object_key == "coco-\\x00\\ud800"


def test_a_file_name_that_is_no_utf_8_stops_no_import(party: Party, tmp_path: Path) -> None:
    """Old archives unpack so."""
    root = tmp_path / "yolo"
    for folder, ending in (("images", b".jpg"), ("labels", b".txt")):
        (root / folder).mkdir(parents=True)
        for number, stem in enumerate((b"caf\xe9", b"caf\xe8", b"plain"), start=1):
            path = Path(os.fsdecode(os.fsencode(root / folder) + b"/" + stem + ending))
            is_picture = folder == "images"
            path.write_bytes(jpeg_bytes(number) if is_picture else b"0 0.5 0.5 0.5 0.5\n")
    (root / "data.yaml").write_text("train: images\nnames: [cat]\n")
    assert run(party, root).imported == 3
    assert run(party, root).were_there == 3
    with party.catalogue.reading() as session:
        assert "images/caf\\udce9.jpg" in load_photos(session)


def test_an_import_that_was_cut_goes_on_where_it_stopped(
    party: Party, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dataset_job, "IMAGES_AT_ONCE", 1)
    iterate = dataset_job._import_fresh
    calls: list[int] = []

    def stop(*given: Any) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise KeyboardInterrupt
        iterate(*given)

    with monkeypatch.context() as patched:
        patched.setattr(dataset_job, "_import_fresh", stop)
        with pytest.raises(KeyboardInterrupt):
            run(party, root)
    report = run(party, root)
    assert (report.imported, report.were_there) == (1, 1)


def test_an_import_that_was_killed_goes_on_where_it_stopped(party: Party, root: Path) -> None:
    """The second picture is stored and has no row yet."""
    words = [str(root), "--party", str(party.folder)]
    killed = Warm(["import", "dataset", *words], main=import_until_killed)
    assert killed.wait() == -signal.SIGKILL
    report = run(party, root)
    assert (report.imported, report.were_there) == (1, 1)
    with party.catalogue.reading() as session:
        stored = set(session.scalars(select(Image.sha256)))
        assert list(list_wrong_states(session)) == []
    assert set(party.store.digests()) == stored


def test_a_whole_import_can_be_withdrawn(party: Party, root: Path) -> None:
    run(party, root)
    words = ["people", "undo", "import labels", "--party", str(party.folder)]
    done = CliRunner().invoke(main, words)
    assert "Undone: 2 revisions and 2 drawings of pixels of import labels" in done.output
    with party.catalogue.reading() as session:
        assert set(session.scalars(select(Image.state))) == {ImageState.POOL}
        assert list(list_wrong_states(session)) == []


def test_unknown_classes_are_all_named_with_the_line_to_paste_and_nothing_is_written(
    party: Party, root: Path
) -> None:
    names = [{"id": 1, "name": "Cat"}, {"id": 2, "name": "traffic light"}]
    root = make_coco(root, [box(1, [1, 1, 5, 5]), box(2, [1, 1, 5, 5], 1, 2)], categories=names)
    before = count_rows(party)
    with pytest.raises(ImportDatasetError) as raised:
        run(party, root)
    assert raised.value.exit_status == 2
    assert "Cat (1), traffic light (1)" in str(raised.value)
    assert str(raised.value).endswith("--map Cat=cat --map 'traffic light='")
    assert count_rows(party) == before
    report = run(party, root, words={"Cat": "cat", "traffic light": ""})
    assert report.words == {"Cat": "cat", "traffic light": None}
    assert dict(report.objects) == {"cat": 1}
    assert report.counts["object left out", "class left out"] == 1


def test_of_what_is_left_out_no_change_is_counted(party: Party, root: Path) -> None:
    rows = [box(1, [9.5, 4, 20, 10]), box(2, [9.5, 4, 20, 10], 1, 2), box(3, [9.5, 4, 9, 9], 2, 1)]
    make_coco(root, rows)
    (root / "train/2.jpg").write_bytes(jpeg_bytes(1))  # skipped, as that of image 1
    report = run(party, root, words={"dog": ""})
    assert (report.imported, dict(report.objects)) == (1, {"cat": 1})
    assert report.counts == {
        ("changed", "rounded"): 1,
        ("object left out", "class left out"): 1,
    }


def test_a_word_is_mapped_to_a_class_of_the_party_alone(party: Party, root: Path) -> None:
    with pytest.raises(ImportDatasetError, match="has no class tiger, to which --map leads"):
        run(party, root, words={"cat": "tiger"})


def test_words_come_from_the_command_before_the_file(tmp_path: Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("# ours\n\nCat = cat\na=b=dog\nDog=cow\n")
    assert read_words(["Dog=dog"], file) == {"Cat": "cat", "a=b": "dog", "Dog": "dog"}
    for text in ("no sign", "=dog"):
        file.write_text(text)
        with pytest.raises(ImportDatasetError, match="line 1: expected THEIRS=OURS"):
            read_words([], file)
        with pytest.raises(ImportDatasetError, match="--map: expected THEIRS=OURS"):
            read_words([text], None)
    with pytest.raises(ImportDatasetError, match="cannot be read"):
        read_words([], tmp_path / "none.txt")


def encode(form: str, mode: str = "RGB", **more: Any) -> bytes:
    noise = np.random.default_rng(5).integers(0, 255, (HEIGHT, WIDTH, 4), dtype=np.uint8)
    target = io.BytesIO()
    Picture.fromarray(noise, "RGBA").convert(mode).save(target, form, **more)
    return target.getvalue()


@pytest.mark.parametrize("form", ["PNG", "WEBP", "BMP", "TIFF", "GIF"])
def test_pictures_of_other_formats_become_jpeg_of_the_same_size(
    party: Party, root: Path, form: str
) -> None:
    (root / "train/1.jpg").write_bytes(encode(form))
    report = run(party, root)
    assert report.imported == 2
    assert sum(report.converted.values()) == 1
    with party.catalogue.reading() as session:
        image = load_photos(session)["train/1.jpg"].image
        assert image is not None
        assert (image.width, image.height) == (WIDTH, HEIGHT)
        assert image.original_sha256 is not None
        assert party.store.get(image.sha256).startswith(b"\xff\xd8")


def cut(root: Path) -> None:
    path = root / "train/1.jpg"
    path.write_bytes(path.read_bytes()[:400])


def be_a_page(root: Path) -> None:
    (root / "train/1.jpg").write_text("<html>")


def be_too_wide(root: Path) -> None:
    Picture.new("L", (70_000, 2)).save(root / "train/1.jpg", "PNG")


def be_of_another_size(root: Path) -> None:
    picture = Picture.new("RGB", (50, 50))
    picture.save(root / "train/1.jpg")


def move(root: Path) -> None:
    frames = [Picture.new("RGB", (WIDTH, HEIGHT), color) for color in ("red", "blue")]
    frames[0].save(root / "train/1.jpg", "GIF", save_all=True, append_images=frames[1:])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (cut, "its picture is no whole JPEG"),
        (be_a_page, "its picture is an unknown format of 6 bytes"),
        (be_of_another_size, "its annotation says 60 x 40 pixels, but its picture has 50 x 50"),
        (move, "its picture is a moving GIF"),
        (be_too_wide, "its picture is a PNG of 70000 x 2 pixels"),
    ],
)
def test_a_bad_picture_costs_only_its_image(
    party: Party, root: Path, change: Callable[[Path], None], reason: str
) -> None:
    change(root)
    report = run(party, root)
    assert report.imported == 1
    assert reason in report.skipped[0][1]


def test_a_picture_turned_by_exif_keeps_its_boxes_where_they_were_drawn(
    party: Party, root: Path
) -> None:
    exif = Picture.Exif()
    exif[0x0112] = 6
    picture = Picture.open(io.BytesIO(jpeg_bytes(1))).transpose(Picture.Transpose.ROTATE_90)
    picture.save(root / "train/1.jpg", exif=exif)
    run(party, root)
    with party.catalogue.reading() as session:
        image = load_photos(session)["train/1.jpg"].image
        assert image is not None
        assert (image.width, image.height) == (WIDTH, HEIGHT)


@pytest.mark.parametrize("is_lying", [True, False])
def test_a_turned_picture_of_another_format_has_the_pixels_that_its_labels_speak_of(
    party: Party, root: Path, is_lying: bool
) -> None:
    exif = Picture.Exif()
    exif[0x0112] = 6
    with Picture.open(io.BytesIO(jpeg_bytes(1))) as opened:
        picture = opened.copy() if is_lying else opened.transpose(Picture.Transpose.ROTATE_90)
    picture.save(root / "train/1.jpg", "PNG", exif=exif)
    assert run(party, root).imported == 2
    with party.catalogue.reading() as session:
        image = load_photos(session)["train/1.jpg"].image
        assert image is not None
        assert (image.width, image.height) == (WIDTH, HEIGHT)
        assert image.original_sha256 == digest_of((root / "train/1.jpg").read_bytes())


@pytest.mark.parametrize("form", ["JPEG", "PNG", "TIFF"])
def test_a_picture_turned_by_half_is_stored_as_it_is_seen(
    party: Party, root: Path, form: str
) -> None:
    """Its size is the same both ways, and tools show pictures as EXIF asks."""
    exif = Picture.Exif()
    exif[0x0112] = 3
    seen = Picture.new("RGB", (WIDTH, HEIGHT), "black")
    seen.paste("white", (0, 0, WIDTH // 2, HEIGHT))
    lying = seen.transpose(Picture.Transpose.ROTATE_180)
    lying.save(root / "train/1.jpg", form, exif=exif)
    assert run(party, root).imported == 2
    with party.catalogue.reading() as session:
        image = load_photos(session)["train/1.jpg"].image
        assert image is not None
        with Picture.open(io.BytesIO(party.store.get(image.sha256))) as stored:
            assert np.asarray(stored.convert("L"))[2:20, 2:20].min() > 200
            assert stored.getexif().get(0x0112, 1) == 1


def license_images(root: Path, name: str, url: str) -> Path:
    document = json.loads((root / LABELS).read_text())
    for row in document["images"]:
        row["license"] = 3
    document["licenses"] = [{"id": 3, "name": name, "url": url}]
    (root / LABELS).write_text(json.dumps(document))
    return root


def test_the_licence_of_the_file_is_kept_or_keeps_the_image_out(party: Party, root: Path) -> None:
    kept = LICENCES[party.settings.collect.licences[0]]
    report = run(party, license_images(root, "", kept.url))
    assert report.unlicensed == 0
    with party.catalogue.reading() as session:
        assert {photo.licence_id for photo in session.scalars(select(Photo))} == {kept.id}


def test_a_licence_that_is_not_accepted_skips_the_image(party: Party, root: Path) -> None:
    report = run(party, license_images(root, "All Rights Reserved", ""))
    assert report.imported == 0
    assert "All Rights Reserved is not among collect.licences" in report.skipped[0][1]


def test_a_licence_that_no_one_knows_is_none(party: Party, root: Path) -> None:
    license_images(root, "Private", "")
    report = run(party, root, require_licence=True)
    assert report.imported == 0
    assert report.counts["not kept", "licence"] == 2
    kept = LICENCES[party.settings.collect.licences[0]]
    report = run(party, root, require_licence=True, licence=kept.name)
    assert (report.imported, report.unlicensed) == (2, 0)
    with pytest.raises(ImportDatasetError, match="--licence: vocparty does not know"):
        run(party, root, licence="mine")


def test_an_image_that_was_taken_down_stays_away(any_party: Party, root: Path) -> None:
    run(any_party, root)
    order = TakedownOrder(("dataset:labels/train/1.jpg",), (), "the owner asked")
    run_order(any_party, order, now=lambda: NOW)
    report = run(any_party, root)
    assert (report.imported, report.were_there) == (0, 1)
    assert (f"{LABELS}, image 1", "it was taken down") in report.skipped
    report = run(any_party, root, name="again")
    assert "which is taken_down" in report.skipped[0][1]


@pytest.fixture
def call(party: Party) -> Callable[..., Result]:
    def invoke(*words: str) -> Result:
        return CliRunner().invoke(main, ["import", "dataset", *words, "--party", str(party.folder)])

    return invoke


def test_the_command_counts_what_came_and_names_what_did_not(
    call: Callable[..., Result], root: Path
) -> None:
    make_coco(root, [box(1, [9, 4, 20, 10]), box(2, [-3, 4, 20, 10], 2)], images=3)
    dry = call(str(root), "--dry-run")
    assert dry.exit_code == 0
    assert dry.stdout == (
        "Read as COCO: 3 images.\n"
        "Would import 2 images with 2 objects; skipped 1. Nothing was written.\n"
    )
    done = call(str(root))
    assert done.exit_code == 0
    assert done.stdout == (
        "Read as COCO: 3 images.\n"
        "Imported 2 images with 2 objects; skipped 1. They wait for a check.\n"
    )
    assert f"Skipped 1 image: it has no object{HOW_TO_KEEP} ({LABELS}, image 3)." in done.stderr
    assert (
        f"Changed, border: 1; the first: {LABELS}, annotation 2: bbox [-3, 4, 20, 10] reached over "
        "the border and became 1, 5, 17, 14." in done.stderr
    )
    assert "2 images have no licence." in done.stderr


def test_the_command_says_what_waits_and_which_words_of_the_map_are_none(
    call: Callable[..., Result], root: Path
) -> None:
    make_coco(root, [box(1, [9, 4, 20, 10])], images=1)
    done = call(str(root), "--map", "Cat=", "--map", "cat=cat")
    assert "The map names classes that no object of the dataset has: Cat." in done.stderr
    assert done.stdout.endswith("skipped 0. It waits for a check.\n")
    again = call(str(root))
    assert "The map names" not in again.stderr
    assert again.stdout.endswith(
        "Imported 0 images with 0 objects; 1 was there already; skipped 0.\n"
    )


def test_the_command_tells_once_that_the_pictures_are_there_already(
    call: Callable[..., Result], root: Path
) -> None:
    make_coco(root, [box(1, [9, 4, 20, 10]), box(2, [9, 4, 20, 10], 2)])
    call(str(root))
    again = call(str(root), "--name", "again")
    reason = "its file is that of image 1 of the party, which is annotated"
    assert f"Skipped 2 images; the first is {LABELS}, image 1: {reason}.\n" in again.stderr
    assert again.stderr.count("Skipped") == 1


def test_the_json_has_every_change_with_its_place(call: Callable[..., Result], root: Path) -> None:
    make_coco(root, [box(1, [9, 4, 20, 10]), box(2, [-3, 4, 20, 10], 2)])
    done = call(str(root), "--json")
    report = json.loads(done.stdout)
    assert (report["imported"], report["objects"]) == (2, {"cat": 2})
    assert report["counts"] == [{"kind": "changed", "rule": "border", "count": 1}]
    assert report["notes"][0]["place"] == f"{LABELS}, annotation 2"


def test_the_command_maps_words(call: Callable[..., Result], root: Path) -> None:
    make_coco(root, [box(1, [9, 4, 20, 10])], categories=[{"id": 1, "name": "Cat"}])
    refused = call(str(root))
    assert refused.exit_code == 2
    assert "--map Cat=cat" in refused.stderr
    assert call(str(root), "--map", "Cat=cat").exit_code == 0


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.zip", "PK", "is an archive; unpack it and name the folder"),
        ("a.txt", "hello", "holds no labels in a form that is known"),
        ("a.json", "[]", "holds no labels in a form that is known"),
    ],
)
def test_what_holds_no_labels_is_refused_in_one_sentence(
    call: Callable[..., Result], tmp_path: Path, name: str, text: str, says: str
) -> None:
    path = tmp_path / name
    path.write_text(text)
    refused = call(str(path))
    assert refused.exit_code == 2
    assert says in refused.stderr
    assert call(str(tmp_path / "none")).exit_code == 2


def test_sets_that_the_paths_of_a_dataset_name_are_counted_and_not_kept(
    party: Party, tmp_path: Path
) -> None:
    content = load_tree(trees.make_tree(tmp_path / "in"))
    convert_tree(content, tmp_path / "yolo", "yolo", with_difficult=True)
    command = ["import", "dataset", str(tmp_path / "yolo"), "--party", str(party.folder)]
    done = CliRunner().invoke(main, command)
    assert "Its sets are not kept (train 2, val 1, test 1): a release" in done.stderr


@pytest.mark.parametrize(("word", "is_told"), [("accept", True), ("check", False)])
def test_classes_that_labels_lack_are_named_where_nobody_will_look_for_them(
    party: Party, tmp_path: Path, capsys: pytest.CaptureFixture[str], word: Any, is_told: bool
) -> None:
    qa = replace(party.settings.qa, imported=word)
    party = replace(party, settings=replace(party.settings, qa=qa))
    labels = make_coco(tmp_path / "labels", [box(1, [9, 4, 20, 10])], images=1)
    report = import_dataset(party, DatasetOrder(labels), at=NOW)
    others = [name for name in party.preset.class_names if name not in ("cat", "dog")]
    assert list(report.lacking) == others
    show(report)
    says = "that its images were searched for 18 classes of the party (aeroplane, bicycle,"
    assert (says in capsys.readouterr().err) is is_told
