"""What one image's files say: annotation and picture agree, and each fault is named."""

import io
from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image as Picture

from tests.exporting import verify_tree
from tests.party_rows import jpeg_bytes
from tests.trees import CAT, PERSON, WALKER, Damage, annotation, draw, drop, edit, put, write

from .planted import (
    CATS,
    CLASS_MASK,
    DANCES,
    DOGS,
    LAYOUT_TRAINVAL,
    MAIN,
    MASK,
    NEW,
    ONE,
    PICTURE,
    POINTED,
    SIX,
    THIRD_PICTURE,
    THREE,
    TRAIN,
    WALKS,
    Planted,
    check_damage,
    in_each,
    in_file,
    list_planted,
)


def turned_by_xmp(data: bytes) -> bytes:
    """The picture with an orientation in XMP alone, which Pillow obeys."""
    xmp = (
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-'
        b'syntax-ns#"><rdf:Description rdf:about="" xmlns:tiff="http://ns.adobe.com/tiff/1.0/" '
        b'tiff:Orientation="6"/></rdf:RDF></x:xmpmeta>'
    )
    file = io.BytesIO()
    with Picture.open(io.BytesIO(data)) as image:
        image.save(file, "JPEG", xmp=xmp)
    return file.getvalue()


def turned(data: bytes, orientation: int) -> bytes:
    """The picture with an EXIF orientation."""
    exif_tags = Picture.Exif()
    exif_tags[0x0112] = orientation
    exif = exif_tags.tobytes()
    return data[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2) + exif + data[2:]


PLANTED: list[tuple[Damage, list[Planted]]] = [
    # an annotation file
    (edit(ONE, "<folder>VOC2012", "<folder>VOC2013"), [(ONE, 2, "folder")]),
    (edit(ONE, "<folder>VOC2012", "<folder>cats"), [(ONE, 2, "folder")]),
    (edit(ONE, "<folder>VOC2012", "<folder>VOC2011"), []),
    (edit(ONE, "<folder>VOC2012", "<folder>VOC1999"), [(ONE, 2, "folder")]),
    (put(ONE, ""), [(ONE, 1, "xml")]),
    (edit(ONE, "2012_000001.jpg", "2012_000002.jpg"), [(ONE, 3, "filename")]),
    (edit(ONE, "<width>60", "<width>61"), [(ONE, 9, "size")]),
    (edit(ONE, "<depth>3", "<depth>1"), [(ONE, 9, "size")]),
    (edit(ONE, "<segmented>1", "<segmented>0"), [(ONE, 14, "segmented")]),
    (edit(ONE, "<xmax>50", "<xmax>61"), [(ONE, 20, "box-inside")]),
    (edit(ONE, "<difficult>0", "<difficult>1"), in_each("label-disagrees", *CATS)),
    (
        edit(ONE, "<name>cat", "<name>dog"),
        in_each("label-disagrees", *CATS)
        + in_each("class-file-missing", *DOGS)
        + in_each("mask-class", CLASS_MASK),
    ),
    (put(ONE, "no annotation"), in_file(ONE, "final-newline", "text-between-tags", "xml")),
    (put(NEW, "<annotation>\n</annotation>\n"), in_file(NEW, "no-object", "required", "stray")),
    (draw(THREE, PERSON, PERSON), [(THREE, 37, "object-twice")]),
    (draw(SIX, replace(WALKER, actions=None)), [(SIX, 1, "actions-missing")]),
    (draw(SIX, replace(WALKER, point=None)), [(SIX, 1, "point-missing")]),
    (draw(SIX, replace(WALKER, actions=(WALKS, DANCES))), [(SIX, 1, "action-name")]),
    (draw(THREE, *POINTED), [(LAYOUT_TRAINVAL, 2, "layout-points")]),
    # a picture
    (put(PICTURE, b"no picture"), [(PICTURE, 1, "jpeg")]),
    (put(PICTURE, jpeg_bytes(1)[:-2]), [(PICTURE, 1, "jpeg")]),
    (put(PICTURE, turned(jpeg_bytes(1), 6)), [(PICTURE, 1, "orientation")]),
    (put(PICTURE, turned_by_xmp(jpeg_bytes(1))), [(PICTURE, 1, "orientation")]),
    (put(PICTURE, turned(jpeg_bytes(1), 1)), []),
    (put(PICTURE, jpeg_bytes(1, "L")), [(PICTURE, 1, "jpeg-colour")]),
    (put(PICTURE, jpeg_bytes(2)), [(THIRD_PICTURE, 1, "image-twice")]),
    (put(PICTURE, jpeg_bytes(1, "RGB", "PNG")), [(PICTURE, 1, "jpeg")]),
    (drop(PICTURE), [(TRAIN, 1, "picture-missing")]),
]


@pytest.mark.parametrize(("damage", "planted"), PLANTED)
def test_each_fault_alone_is_found(tree: Path, damage: Damage, planted: list[Planted]) -> None:
    check_damage(tree, damage, planted)


@pytest.mark.parametrize("path", [ONE, f"{MAIN}/val.txt", f"{MAIN}/cat_val.txt", MASK])
def test_a_link_out_of_the_tree_is_not_read(tree: Path, tmp_path: Path, path: str) -> None:
    write(tmp_path / "secret", "hunter2 hunter3\n<annotation>hunter4</annotation>")
    (tree / path).unlink()
    (tree / path).symlink_to(tmp_path / "secret")
    violations = verify_tree(tree)
    assert (str(tree / path), "unreadable") in {
        (violation.file, violation.rule) for violation in violations
    }
    assert "hunter" not in "".join(map(str, violations))


def test_an_unreadable_file_is_named(tree: Path) -> None:
    (tree / ONE).unlink()
    (tree / ONE).mkdir()
    (tree / THREE).unlink()
    (tree / THREE).symlink_to("2012_000003.xml")  # to itself
    assert {(ONE, 1, "unreadable"), (THREE, 1, "unreadable")} <= set(list_planted(tree))


def test_the_rules_of_2007_accept_any_id(tree: Path, tmp_path: Path) -> None:
    root = tmp_path / "VOC2007"
    for name in ("train", "trainval"):
        write(root / MAIN / f"{name}.txt", "000012\n")
        write(root / MAIN / f"cat_{name}.txt", "000012  1\n")
        write(root / "ImageSets" / "Layout" / f"{name}.txt", "000012\n")
    for name in ("Main/val.txt", "Main/cat_val.txt", "Layout/val.txt"):
        write(root / "ImageSets" / name, "")
    text = annotation("000012", (CAT,)).replace("VOC2012", "VOC2007")
    text = text.replace(
        "\t\t<annotation>Example team</annotation>\n\t\t<image>flickr</image>\n", ""
    )
    write(root / "Annotations/000012.xml", text)
    write(root / "JPEGImages/000012.jpg", jpeg_bytes(1))
    assert list_planted(root) == []
