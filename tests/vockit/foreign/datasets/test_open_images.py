"""Open Images' tables of boxes are read line by line, with the tables beside them."""

import resource
from contextlib import closing
from pathlib import Path

import pytest

from tests.party_rows import jpeg_bytes
from vockit.foreign.datasets.fitting import fit_image
from vockit.foreign.datasets.forms import FORM_NAMES
from vockit.foreign.datasets.opening import FORMS, open_dataset
from vockit.format.records import VocBox
from vockit.format.shortage import ShortageError

from .reading import SIZE, fit, list_rules, read

FORM = "Open Images"
HEAD = "ImageID,Source,LabelName,Confidence,XMin,XMax,YMin,YMax,IsOccluded,IsTruncated,IsGroupOf"
HEAD += ",IsDepiction,IsInside\n"
CAT = "0a1,xclick,/m/01yrx,1,0.15,0.5,0.1,0.35,1,0,0,0,0\n"
DOG = "0a2,xclick,/m/0bt9lr,1,0.1,0.2,0.1,0.2,0,1,0,0,0\n"
NAMES = "/m/01yrx,Cat\n/m/0bt9lr,Dog\n"


def make_open_images(root: Path, rows: str = CAT + DOG, names: str = NAMES) -> Path:
    """The layout of datumaro and CVAT: tables in annotations, pictures in images/train."""
    (root / "annotations").mkdir(parents=True, exist_ok=True)
    (root / "images/train").mkdir(parents=True, exist_ok=True)
    for number in (1, 2):
        (root / f"images/train/0a{number}.jpg").write_bytes(jpeg_bytes(number))
    (root / "annotations/train-annotations-bbox.csv").write_text(HEAD + rows)
    if names:
        (root / "annotations/class-descriptions.csv").write_text(names)
    return root


def test_every_form_has_a_name_on_the_command_line() -> None:
    assert [*FORMS, "voc-tree"] == list(FORM_NAMES)


def test_boxes_flags_and_names_are_those_of_the_tables(tmp_path: Path) -> None:
    objects, notes = fit(make_open_images(tmp_path), FORM)
    assert [item.box for item in objects] == [VocBox(10, 5, 30, 14), VocBox(7, 5, 12, 8)]
    assert [item.source.class_name for item in objects] == ["Cat", "Dog"]
    assert [item.source.occluded for item in objects] == [True, False]
    assert [item.source.truncated for item in objects] == [False, True]
    assert objects[1].source.place == "annotations/train-annotations-bbox.csv, line 3"
    assert objects[0].source.attributes == {"Source": "xclick"}
    assert "changed: flag not said" not in list_rules(notes)


def test_boxes_of_a_picture_may_stand_apart_and_a_group_is_difficult(tmp_path: Path) -> None:
    group = "0a1,activemil,/m/01yrx,0.5,0,1,0,1,-1,-1,1,1,0\n"
    images, _notes = read(make_open_images(tmp_path, CAT + DOG + group), FORM)
    assert [len(image.objects) for image in images] == [2, 1]
    item = images[0].objects[1]
    assert (item.difficult, item.group_of) == (True, True)
    assert item.attributes == {
        "IsGroupOf": "1",
        "IsDepiction": "1",
        "Source": "activemil",
        "Confidence": "0.5",
    }
    (note,) = images[0].notes
    assert note.message == "IsOccluded, IsTruncated is -1, not known, and became 0"


def test_blanks_behind_commas_and_words_as_flags_are_read(tmp_path: Path) -> None:
    """As spreadsheets and scripts write tables again."""
    root = make_open_images(tmp_path, CAT.replace(",1,0,0,0,0", ",True,False,1.0,0.0,0"))
    table = root / "annotations/train-annotations-bbox.csv"
    table.write_text(table.read_text().replace(",", ", "))
    (item,), notes = fit(root, FORM)
    assert (item.source.class_name, item.box) == ("Cat", VocBox(10, 5, 30, 14))
    flags = item.source.occluded, item.source.truncated, item.source.difficult
    assert flags == (True, False, True)
    assert item.source.stated == {"occluded", "truncated"}
    assert "changed: flag not said" not in list_rules(notes)


def test_names_with_a_header_licences_and_other_tables_are_told_apart(tmp_path: Path) -> None:
    root = make_open_images(tmp_path, names="LabelName,DisplayName\n" + NAMES)
    url = "https://creativecommons.org/licenses/by/2.0/"
    listed = f"ImageID,Subset,License,Rotation\n0a1,train,{url},0\n0a9,train,{url},0\n"
    (root / "annotations/image_ids_and_rotation.csv").write_text(listed)
    labels = "ImageID,Source,LabelName,Confidence\n0a1,verification,/m/01yrx,1\n"
    (root / "annotations/train-annotations-human-imagelabels.csv").write_text(labels)
    masks = "MaskPath,ImageID,LabelName,BoxID\na.png,0a1,/m/01yrx,b\n"
    (root / "annotations/train-annotations-object-segmentation.csv").write_text(masks)
    (root / "prices.csv").write_text("what,price\ncat,3\n")
    images, notes = read(root, FORM)
    assert [image.licence for image in images] == [url, None]
    assert sorted(note.message.split(" are")[0] for note in notes) == [
        "labels of whole images",
        "masks",
    ]


def test_without_descriptions_classes_are_called_as_in_the_boxes(tmp_path: Path) -> None:
    objects, notes = fit(make_open_images(tmp_path, CAT, names=""), FORM)
    assert objects[0].source.class_name == "/m/01yrx"
    assert list_rules(notes)[:1] == ["file left out: names of classes"]


def test_pictures_are_found_in_the_folder_of_fiftyone(tmp_path: Path) -> None:
    root = make_open_images(tmp_path)
    (root / "train").mkdir()
    (root / "images/train").rename(root / "train/data")
    (root / "train/metadata").mkdir()
    (root / "annotations/class-descriptions.csv").rename(root / "train/metadata/classes.csv")
    (root / "train/labels").mkdir()
    table = root / "annotations/train-annotations-bbox.csv"
    table.rename(root / "train/labels/detections.csv")
    images, _notes = read(root, FORM)
    assert [image.name for image in images] == ["train/data/0a1.jpg", "train/data/0a2.jpg"]


@pytest.mark.parametrize(
    ("row", "rule"),
    [
        ("0a1,xclick,/m/01yrx,1,0.15,,0.1,0.35,1,0,0,0,0\n", "object left out: line"),
        ("0a1,xclick,/m/01yrx,1,nan,0.5,0.1,0.35,1,0,0,0,0\n", "object left out: line"),
        ("0a1,xclick,,1,0.1,0.5,0.1,0.35,1,0,0,0,0\n", "object left out: line"),
        ("0a1,xclick,/m/01yrx\n", "object left out: line"),
        ('0a1,xclick,"/m/01yrx,1,0.15,0.5,0.1,0.35,1,0,0,0,0\n', "object left out: line"),
        ("0a1,xclick,/m/01yrx,1,0.15,0.5,0.1,0.35,2,0,0,0,0\n", "changed: flag not said"),
        ("0a1,xclick,/m/01yrx,1,0.5,1.5,0.1,0.35,1,0,0,0,0\n", "changed: border"),
        ("0a1,xclick,/m/01yrx,1,0.5,0.1,0.1,0.35,1,0,0,0,0\n", "changed: negative size"),
        ("0a1,xclick,/m/01yrx,1,1.5,1.9,0.1,0.35,1,0,0,0,0\n", "object left out: box"),
    ],
)
def test_a_wrong_line_costs_itself(tmp_path: Path, row: str, rule: str) -> None:
    with closing(open_dataset(make_open_images(tmp_path, row + DOG))) as dataset:
        fitted = [fit_image(image, SIZE) for image in dataset.iterate_images()]
        assert dataset.words.keys() <= {"Cat", "Dog"}
    rules = list_rules([note for image in fitted for note in image.notes])
    assert rule in rules
    assert [item.source.class_name for item in fitted[1].objects] == ["Dog"]


@pytest.mark.parametrize(
    ("end", "message"),
    [
        (b"0a1," + b"x" * 200_000, "a line has more than 100,000 characters"),
        (b"0a1,\xff\xfe\n", "it is no text in UTF-8"),
    ],
)
def test_of_a_damaged_table_the_boxes_before_the_damage_come_in(
    tmp_path: Path, end: bytes, message: str
) -> None:
    root = make_open_images(tmp_path, "")
    table = root / "annotations/train-annotations-bbox.csv"
    pad = DOG * 2_000  # the damage lies in a later block of the file
    table.write_bytes((HEAD + CAT + pad).encode() + end)
    images, notes = read(root, FORM)
    assert [image.name for image in images] == ["images/train/0a1.jpg", "images/train/0a2.jpg"]
    assert notes[0].message == f"{message}; boxes after it are missing"


def test_an_image_without_a_picture_or_an_id_is_named(tmp_path: Path) -> None:
    rows = CAT.replace("0a1", "0a7") + CAT.replace("0a1", "") + DOG
    with closing(open_dataset(make_open_images(tmp_path, rows))) as dataset:
        images = list(dataset.iterate_images())
    assert [bool(image.reason) for image in images] == [False, True]
    assert [note.rule for note in dataset.notes] == ["without an image"]


def test_a_full_folder_for_temporary_files_is_told_in_one_sentence(tmp_path: Path) -> None:
    root = make_open_images(tmp_path, CAT * 20_000)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, limits[1]))
    try:
        with pytest.raises(ShortageError, match="The folder for temporary files takes no more"):
            open_dataset(root)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_tables_that_datumaro_writes_are_read(tmp_path: Path) -> None:
    import numpy as np
    from datumaro.components.annotation import AnnotationType, Bbox, LabelCategories
    from datumaro.components.dataset import Dataset
    from datumaro.components.dataset_base import DatasetItem
    from datumaro.components.media import Image

    pixels = np.zeros((40, 60, 3), np.uint8)
    flags = {"occluded": True, "truncated": False, "is_group_of": True}
    item = DatasetItem(
        id="a",
        subset="train",
        media=Image.from_numpy(data=pixels),
        annotations=[Bbox(9, 4, 20, 10, label=0, attributes=flags)],
    )
    categories = {AnnotationType.label: LabelCategories.from_iterable(["cat"])}
    dataset = Dataset.from_iterable([item], categories=categories)
    dataset.export(str(tmp_path), "open_images", save_media=True)
    (read_item,), _notes = fit(tmp_path, FORM)
    assert read_item.box == VocBox(10, 5, 29, 14)
    assert (read_item.source.occluded, read_item.source.difficult) == (True, True)
    assert read_item.source.class_name == "cat"
