"""Loading results of detectors: whole or not at all, with what was left out counted and named."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from pycocotools import mask as coco_mask
from sqlalchemy import func, select

from catalog.image_store import digest_of
from catalog.party import Party
from catalog.states import ImageState, PhotoState, Source, SuggestionKind
from catalog.tables import Image, Photo, Suggestion, SuggestionBlank, SuggestionSet
from tests.rows import make_image
from tests.suggesting import NOON
from vocparty import main
from work.suggest import loading
from work.suggest.photographs import name_file
from work.suggest.values import LoadReport, SetInfo, SuggestionError, gather

Row = tuple[int, str, tuple[int, int, int, int], float]


def add_image(party: Party, number: int = 1, state: ImageState = ImageState.POOL) -> Image:
    """A new image of 500 x 375 pixels without a file."""
    with party.catalogue.writing() as session:
        image = make_image(digest_of(f"picture {number}".encode()), NOON, state=state)
        session.add(image)
    return image


def name_of(image: Image) -> str:
    return f"{name_file(image.id, image.sha256)}.jpg"


def run(party: Party, *words: str) -> Result:
    return CliRunner().invoke(main, ["suggest", *words, "--party", str(party.folder)])


def load(party: Party, path: Path, *words: str) -> Result:
    return run(party, "load", str(path), "--model", "net", "--version", "1", *words)


def write_coco(path: Path, entries: Sequence[Any]) -> Path:
    path.write_text(json.dumps(entries))
    return path


def entry(image: Image, box: Sequence[float] = (47, 239, 148, 132), **more: Any) -> dict[str, Any]:
    of_image = {"image_id": name_of(image), "category_id": "person", "bbox": list(box)}
    return of_image | {"score": 0.9} | more


def read_rows(party: Party) -> list[Row]:
    with party.catalogue.reading() as session:
        rows = session.scalars(select(Suggestion).order_by(Suggestion.id))
        return [(row.image_id, row.class_name, row.box.xyxy, row.confidence) for row in rows]


def read_sets(party: Party) -> list[SuggestionSet]:
    with party.catalogue.reading() as session:
        return list(session.scalars(select(SuggestionSet).order_by(SuggestionSet.id)))


def test_results_of_coco_are_loaded_with_their_model(any_party: Party, tmp_path: Path) -> None:
    image = add_image(any_party)
    path = write_coco(tmp_path / "r.json", [entry(image), entry(image, category_id="cat")])
    result = load(any_party, path, "--licence", "MIT", "--min-confidence", "0.25")
    assert result.exit_code == 0, result.output
    assert "Loaded set 1: 2 suggestions for 1 photograph." in result.output
    box = (48, 240, 195, 371)
    assert read_rows(any_party) == [
        (image.id, "person", box, 0.9),
        (image.id, "cat", box, 0.9),
    ]
    [group] = read_sets(any_party)
    assert (group.model, group.version, group.licence) == ("net", "1", "MIT")
    assert (group.kind, group.min_confidence) == (SuggestionKind.FILE, 0.25)
    assert (group.suggestions, group.images, group.left_out) == (2, 1, {})
    assert group.sha256 == digest_of(path.read_bytes())
    assert group.is_shown


def test_what_is_left_out_is_counted_and_named(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    gone = add_image(party, 2, ImageState.TAKEN_DOWN)
    entries: list[Any] = [
        entry(image),
        entry(image, image_id="nowhere.jpg"),
        entry(image, image_id=f"image-{image.id:06}-00000000.jpg"),  # another party's
        entry(gone),
        entry(image, category_id="zebra"),
        entry(image, category_id="zebra"),
        entry(image, category_id="okapi"),
        entry(image, (600, 10, 50, 50)),
        entry(image, (10, 10, -5, 5)),
        entry(image, (1e308, 0, 1e308, 9)),
        entry(image, (math.nan, 0, 10, 10)),
        entry(image, (1, 2, 3)),
        entry(image, score=None),
        entry(image, score=0.1),
        {"image_id": 1},
        "nonsense",
    ]
    result = load(party, write_coco(tmp_path / "r.json", entries), "--min-confidence", "0.3")
    assert result.exit_code == 0, result.output
    assert len(read_rows(party)) == 1
    [group] = read_sets(party)
    assert group.left_out == {
        "a photograph that the party does not have": 2,
        "a photograph that was taken down": 1,
        "a class that the party does not have": 3,
        "a box mostly outside its photograph": 1,
        "a box that is inverted or empty": 1,
        "a value that is no number": 4,
        "a confidence below 0.3": 1,
        "a line or an entry that cannot be read": 2,
    }
    assert "Left out 3: a class that the party does not have (zebra 2, okapi 1)." in result.output
    assert "(the first: nowhere.jpg, person 0.9, edges 47, 239, 195, 371)" in result.output


def test_a_map_leads_other_class_names_to_the_partys(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    entries = [entry(image, category_id="human"), entry(image, category_id="cat")]
    path = write_coco(tmp_path / "r.json", entries)
    assert load(party, path, "--map", "human=person", "--map", "cat=").exit_code == 0
    assert [row[1] for row in read_rows(party)] == ["person"]
    refused = load(party, path, "--map", "human=yeti")
    assert refused.exit_code == 2
    assert "has no class yeti" in refused.output


def test_numbers_of_coco_need_the_file_that_has_them(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    path = write_coco(tmp_path / "r.json", [entry(image, image_id=7, category_id=3)])
    asked = load(party, path)
    assert asked.exit_code == 2
    assert "--coco-ids" in asked.output
    assert read_sets(party) == []
    ids = tmp_path / "ids.json"
    images = [{"id": 7, "file_name": name_of(image)}]
    ids.write_text(json.dumps({"images": images, "categories": [{"id": 3, "name": "dog"}]}))
    assert load(party, path, "--coco-ids", str(ids)).exit_code == 0
    assert [row[:2] for row in read_rows(party)] == [(image.id, "dog")]


@pytest.mark.parametrize("is_compressed", [True, False])
def test_masks_of_coco_are_kept_and_give_the_box(
    party: Party, tmp_path: Path, is_compressed: bool
) -> None:
    image = add_image(party)
    mask = np.zeros((375, 500), np.uint8, order="F")
    mask[10:40, 20:70] = 1
    mask[15, 30:35] = 0
    packed = coco_mask.encode(mask)
    counts = packed["counts"].decode()
    runs = np.diff(np.flatnonzero(np.diff(mask.ravel(order="F"), prepend=2, append=2)))
    given = {"size": [375, 500], "counts": counts if is_compressed else runs.tolist()}
    small = {"size": [10, 10], "counts": [50, 50]}
    entries = [
        entry(image, segmentation=given, bbox=None),
        entry(image, segmentation=small),
        entry(image, segmentation={"size": [375, 500], "counts": [1]}),
    ]
    result = load(party, write_coco(tmp_path / "r.json", entries))
    assert result.exit_code == 0, result.output
    assert read_rows(party) == [(image.id, "person", (21, 11, 70, 40), 0.9)]
    with party.catalogue.reading() as session:
        assert session.scalar(select(Suggestion.mask)) == counts
    assert read_sets(party)[0].left_out == {
        "a mask of another size than its photograph": 1,
        "a mask that cannot be read": 1,
    }


def test_polygons_of_coco_become_masks_and_give_the_box(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    left = [20, 10, 45.2, 10, 45.2, 40, 20, 40]
    right = [40, 10, 69.8, 9.9, 70.1, 40.2, 40, 40]  # over part of the left one
    entries = [
        entry(image, segmentation=[left, right], bbox=None),
        entry(image, segmentation=[[480, 360, 520, 360, 520, 390, 480, 390]]),
        entry(image, segmentation=[]),
        entry(image, segmentation=[[1, 2, 3, 4]]),
        entry(image, segmentation=[[1, 2, 3, 4, 5, "6"]]),
        entry(image, segmentation=[[1, 2, 3, 4, 5, 1e300]]),
        entry(image, segmentation=7),
    ]
    result = load(party, write_coco(tmp_path / "r.json", entries))
    assert result.exit_code == 0, result.output
    assert read_rows(party)[0] == (image.id, "person", (21, 11, 70, 40), 0.9)
    assert read_sets(party)[0].left_out == {"a mask that cannot be read": 4}
    with party.catalogue.reading() as session:
        stored = list(session.scalars(select(Suggestion.mask).order_by(Suggestion.id)))
    assert stored[2] is None
    for counts, (top, bottom, first, last) in zip(
        stored[:2], [(10, 40, 20, 70), (360, 375, 480, 500)], strict=True
    ):
        whole = np.zeros((375, 500), np.uint8, order="F")
        whole[top:bottom, first:last] = 1
        assert counts == coco_mask.encode(whole)["counts"].decode()


def test_voc_results_are_loaded_by_class(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    folder = tmp_path / "results"
    folder.mkdir()
    stem = name_of(image).removesuffix(".jpg")
    for name, row in (("cat", "0.8 48 240 195 371"), ("dog", "0.7 1 1 500 375.2")):
        (folder / f"comp3_det_test_{name}.txt").write_text(f"{stem} {row}\n")
    (folder / "comp3_det_test_cow.txt").write_text("")
    assert load(party, folder).exit_code == 0
    assert read_rows(party) == [
        (image.id, "cat", (48, 240, 195, 371), 0.8),
        (image.id, "dog", (1, 1, 500, 375), 0.7),
    ]


def test_corners_that_may_be_counted_from_0_are_asked(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    stem = name_of(image).removesuffix(".jpg")
    path = tmp_path / "comp3_det_val_cat.txt"
    path.write_text(f"{stem} 0.8 0 0 99 99\n{stem} 0.7 0 5 99 99\n{stem} 0.6 1 5 99 99\n")
    asked = load(party, path)
    assert asked.exit_code == 2
    assert "2 boxes begin at pixel 0 and 1 at pixel 1" in asked.output
    assert (read_sets(party), read_rows(party)) == ([], [])
    warned = load(party, path, "--first-pixel", "1")
    assert "were taken as VOC's" in warned.output
    assert read_rows(party)[0][2] == (1, 1, 99, 99)
    assert run(party, "withdraw", "2").exit_code == 0
    quiet = load(party, path, "--first-pixel", "0")
    assert "begin at pixel" not in quiet.output
    assert [row[2] for row in read_rows(party)][3:] == [
        (1, 1, 100, 100),
        (1, 6, 100, 100),
        (2, 6, 100, 100),
    ]


def test_yolo_text_is_loaded_with_the_list_of_its_classes(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    stem = name_of(image).removesuffix(".jpg")
    folder = tmp_path / "labels"
    folder.mkdir()
    (folder / f"{stem}.txt").write_text(
        "1 0.5 0.5 0.2 0.4 0.83\n0 0.5 0.5 0.2 0.4\n7 .5 .5 .1 .1 .9\n1 .1 .2 .3\n\n"
    )
    asked = load(party, folder)
    assert asked.exit_code == 2
    assert "--classes" in asked.output
    (folder / "classes.txt").write_text("cat\ndog\n")
    result = load(party, folder)
    assert result.exit_code == 0, result.output
    box = (201, 114, 300, 263)
    assert read_rows(party) == [(image.id, "dog", box, 0.83), (image.id, "cat", box, 1.0)]
    assert read_sets(party)[0].left_out == {
        "a number of a class that the list does not have": 1,
        "a line that is no box": 1,
    }


def test_annotations_of_voc_are_loaded_as_sure(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    folder = tmp_path / "results"
    folder.mkdir()
    stem = name_of(image).removesuffix(".jpg")
    box = "<xmin>48</xmin><ymin>240</ymin><xmax>195</xmax><ymax>371</ymax>"
    thing = f"<object><name>cat</name><bndbox>{box}</bndbox></object>"
    (folder / f"{stem}.xml").write_text(
        f"<annotation><filename>{stem}.jpg</filename>{thing}<object><name>dog</name></object>"
        "</annotation>"
    )
    assert load(party, folder).exit_code == 0
    assert read_rows(party) == [(image.id, "cat", (48, 240, 195, 371), 1.0)]
    assert read_sets(party)[0].left_out == {"a line or an entry that cannot be read": 1}


def write_voc(folder: Path, image: Image, objects: Sequence[str]) -> Path:
    folder.mkdir()
    stem = name_of(image).removesuffix(".jpg")
    text = f"<annotation><filename>{stem}.jpg</filename>{''.join(objects)}</annotation>"
    (folder / f"{stem}.xml").write_text(text)
    return folder


def boxed(tag: str, name: str, corners: Sequence[int], inner: str = "") -> str:
    names = ("xmin", "ymin", "xmax", "ymax")
    sides = "".join(f"<{key}>{side}</{key}>" for key, side in zip(names, corners, strict=True))
    return f"<{tag}><name>{name}</name><bndbox>{sides}</bndbox>{inner}</{tag}>"


def test_parts_of_voc_come_with_their_object(any_party: Party, tmp_path: Path) -> None:
    image = add_image(any_party)
    parts = [
        boxed("part", "head", (60, 240, 99, 280)),
        boxed("part", "head", (60, 240, 90, 280)),  # a person has one
        boxed("part", "hand", (48, 300, 60, 310)),
        boxed("part", "tail", (48, 300, 60, 310)),
        boxed("part", "foot", (900, 300, 960, 310)),
    ]
    cat = boxed("object", "cat", (1, 1, 50, 60), boxed("part", "head", (1, 1, 20, 20)))
    person = boxed("object", "person", (48, 240, 195, 371), "".join(parts))
    plain = boxed("object", "person", (1, 1, 50, 60))
    done = load(any_party, write_voc(tmp_path / "tree", image, [person, cat, plain]))
    assert done.exit_code == 0, done.output
    assert "Changed 3: without a part that the party's class does not have." in done.output
    assert "Changed 1: without a part that has no box in the photograph." in done.output
    with any_party.catalogue.reading() as session:
        stored = list(session.scalars(select(Suggestion.parts).order_by(Suggestion.id)))
    head = {"part": "head", "box": [60, 240, 99, 280]}
    assert stored == [[head, {"part": "hand", "box": [48, 300, 60, 310]}], None, None]


def test_parts_are_counted_from_0_as_their_objects_are(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    head = boxed("part", "head", (0, 0, 19, 19))
    person = boxed("object", "person", (0, 0, 49, 59), head)
    folder = write_voc(tmp_path / "tree", image, [person])
    assert load(party, folder, "--first-pixel", "0").exit_code == 0
    assert read_rows(party) == [(image.id, "person", (1, 1, 50, 60), 1.0)]
    with party.catalogue.reading() as session:
        stored = session.scalars(select(Suggestion.parts)).one()
    assert stored == [{"part": "head", "box": [1, 1, 20, 20]}]


def test_a_file_is_loaded_once_until_it_is_withdrawn(any_party: Party, tmp_path: Path) -> None:
    image = add_image(any_party)
    path = write_coco(tmp_path / "r.json", [entry(image)])
    assert load(any_party, path).exit_code == 0
    again = load(any_party, path)
    assert again.exit_code == 2
    assert "as set 1 (net 1)" in again.output
    assert run(any_party, "withdraw", "1").exit_code == 0
    assert load(any_party, path).exit_code == 0
    assert [group.is_shown for group in read_sets(any_party)] == [False, True]


def test_a_set_that_fails_leaves_nothing(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    path = tmp_path / "r.json"
    path.write_text(json.dumps([entry(image)])[:-1] + ", ")
    broken = load(party, path)
    assert broken.exit_code == 2
    assert "cut off" in broken.output
    assert (read_sets(party), read_rows(party)) == ([], [])


def test_a_set_whose_loading_was_killed_is_seen_by_nobody_and_made_anew(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = add_image(party)
    path = write_coco(tmp_path / "r.json", [entry(image), entry(image)])

    def be_killed(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(loading._Loader, "finish", be_killed)
        patched.setattr(loading, "drop_unfinished", lambda *_: False)
        assert load(party, path).exit_code != 0
    [group] = read_sets(party)
    assert (group.loaded_at, group.is_shown, len(read_rows(party))) == (None, False, 2)
    assert "not loaded whole" in run(party, "list").output
    assert load(party, path).exit_code == 0
    assert [group.is_shown for group in read_sets(party)] == [True]
    assert len(read_rows(party)) == 2


def test_the_best_of_too_many_boxes_of_a_photograph_stay(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    other = add_image(party, 2)
    entries = [entry(image, score=number / 1000) for number in range(500)] + [entry(other)]
    result = load(party, write_coco(tmp_path / "r.json", entries))
    assert "Left out 300: more than the best 200 of a photograph." in result.output
    rows = read_rows(party)
    assert len(rows) == 201
    assert min(row[3] for row in rows if row[0] == image.id) == 0.3
    assert read_sets(party)[0].suggestions == 201


def test_names_of_imports_are_found_with_and_without_folder_and_extension(
    party: Party, tmp_path: Path
) -> None:
    images = [add_image(party, number) for number in range(3)]
    names = ["zoo/a/cat.1.jpg", "zoo/b/dog.jpg", "zoo/c/dog.jpg"]
    with party.catalogue.writing() as session:
        for image, name in zip(images, names, strict=True):
            state = {"state": PhotoState.FETCHED, "found_at": NOON, "image_id": image.id}
            session.add(Photo(source=Source.FOLDER, source_id=name, **state))
    given = ["cat.1.jpg", "cat.1", "zoo/a/cat.1.jpg", "dog.jpg", "zoo\\b\\dog.jpg", "cat"]
    entries = [entry(images[0], image_id=name) for name in given]
    assert load(party, write_coco(tmp_path / "r.json", entries)).exit_code == 0
    assert [row[0] for row in read_rows(party)] == [images[0].id] * 3 + [images[1].id]
    assert read_sets(party)[0].left_out == {
        "a name that several photographs have": 1,
        "a photograph that the party does not have": 1,
    }


def read_blanks(party: Party) -> list[int]:
    with party.catalogue.reading() as session:
        return list(session.scalars(select(SuggestionBlank.image_id).order_by("image_id")))


def test_images_in_which_nothing_was_found_are_told_from_those_never_looked_at(
    any_party: Party, tmp_path: Path
) -> None:
    images = [add_image(any_party, number) for number in range(5)]
    gone = add_image(any_party, 6, ImageState.TAKEN_DOWN)
    listed = [{"id": image.id, "file_name": name_of(image)} for image in [*images[:4], gone]]
    document = {"images": [*listed, {"id": 77, "file_name": "of-another.jpg"}], "categories": []}
    (tmp_path / "images.json").write_text(json.dumps(document))
    entries = [entry(images[0]), entry(images[1], score=0.1), entry(images[2], image_id="none.jpg")]
    path = write_coco(tmp_path / "r.json", entries)
    by_names = load(any_party, path, "--min-confidence", "0.5")
    assert "Found nothing in 1 more photograph." in by_names.output
    assert read_blanks(any_party) == [images[1].id]  # it is named, though with nothing that is kept
    assert run(any_party, "withdraw", "1").exit_code == 0
    ids = ["--coco-ids", str(tmp_path / "images.json")]
    by_list = load(any_party, path, "--min-confidence", "0.5", *ids)
    assert "Found nothing in 3 more photographs." in by_list.output
    assert read_blanks(any_party) == sorted([images[1].id] + [item.id for item in images[1:4]])
    assert [(group.images, group.blanks) for group in read_sets(any_party)] == [(1, 1), (1, 3)]


def test_an_empty_file_of_yolo_says_that_nothing_was_found(party: Party, tmp_path: Path) -> None:
    images = [add_image(party, number) for number in range(2)]
    folder = tmp_path / "labels"
    folder.mkdir()
    (folder / "classes.txt").write_text("person\n")
    for image, text in zip(images, ("0 0.5 0.5 0.2 0.2 0.9\n", ""), strict=True):
        (folder / name_of(image)).with_suffix(".txt").write_text(text)
    (folder / "notes.txt").write_text("")
    result = load(party, folder)
    assert result.exit_code == 0, result.output
    assert read_blanks(party) == [images[1].id]


def test_a_load_that_ends_leaves_no_blank(party: Party, tmp_path: Path) -> None:
    images = [add_image(party, number) for number in range(3)]
    ids = [image.id for image in images]
    info = SetInfo(model="own", version="2", sha256="ab" * 32, kind=SuggestionKind.MODEL)
    rows = [(ids[0], "cat", (47.0, 239.0, 195.0, 371.0), 0.5, None)]

    def end(report: LoadReport) -> None:
        assert (report.images, report.blanks) == (1, 2)
        raise SuggestionError("not now")

    with pytest.raises(SuggestionError, match="not now"):
        loading.add_set(party, info, gather(rows), looked_at=ids, at=NOON, check=end)
    assert read_blanks(party) == []
    assert read_sets(party) == []


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("model.onnx", "no model", "vocparty suggest run"),
        ("r.json", "{}", "is no results file of COCO"),
        ("r.json", "[]", "holds no detection"),
        ("notes.md", "# Notes", "no detections in a form that is known"),
        ("comp3_det_val_cat.txt", "one two\n", "cannot be read"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_sentence(
    party: Party, tmp_path: Path, name: str, text: str, sentence: str
) -> None:
    (tmp_path / name).write_text(text)
    result = load(party, tmp_path / name)
    assert result.exit_code == 2
    assert sentence in result.output
    assert "Traceback" not in result.output
    assert read_sets(party) == []


def test_a_set_of_which_nothing_is_left_says_why(party: Party, tmp_path: Path) -> None:
    image = add_image(party)
    path = write_coco(tmp_path / "r.json", [entry(image, category_id="zebra")] * 3)
    result = load(party, path)
    assert result.exit_code == 2
    assert "3 have a class that the party does not have (zebra 3)" in result.output
    assert read_sets(party) == []


def test_detections_of_a_program_are_stored_as_plain_values(party: Party) -> None:
    image = add_image(party)
    info = SetInfo(model="own", version="2", sha256="ab" * 32, kind=SuggestionKind.MODEL)
    rows = [(image.id, "cat", (47.0, 239.0, 195.0, 371.0), 0.5, None)]
    for _ in range(2):  # a model may be run again
        report = loading.add_set(party, info, gather(rows), at=NOON)
    assert (report.suggestions, report.images) == (1, 1)
    assert read_rows(party) == [(image.id, "cat", (48, 240, 195, 371), 0.5)] * 2
    with pytest.raises(SuggestionError, match="holds no detection"):
        loading.add_set(party, info, gather([]), at=NOON)
    with party.catalogue.reading() as session:
        assert session.scalar(select(func.count(SuggestionSet.id))) == 2
