"""Names of images as other systems and tools spell them, in files and in lists."""

import io
import unicodedata
from pathlib import Path

import pytest
from PIL import Image

from tests.trees import make_tree
from vockit.foreign.listed_images import Spelling, read_tree_splits
from vockit.foreign.tree_images import load_tree
from vockit.format.image_sets import Split

ONE = "2012_000001"
COMPOSED, DECOMPOSED = (unicodedata.normalize(form, "café") for form in ("NFC", "NFD"))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return make_tree(tmp_path / "in")


def rename(tree: Path, annotation: str, picture: str, listed: str) -> None:
    """The first image with other names in its files and in the lists."""
    (tree / f"Annotations/{ONE}.xml").rename(tree / f"Annotations/{annotation}.xml")
    (tree / f"JPEGImages/{ONE}.jpg").rename(tree / f"JPEGImages/{picture}")
    for path in (tree / "ImageSets").rglob("*.txt"):
        path.write_text(path.read_text().replace(ONE, listed))


@pytest.mark.parametrize(
    ("name", "image_id"),
    [
        ("a", "a"),
        ("a.jpg", "a"),
        ("a.PNG", "a"),
        ("b.jpg", "b.jpg"),
        (COMPOSED, DECOMPOSED),
        (f"{COMPOSED}.jpg", DECOMPOSED),
        ("c", "c"),
    ],
)
def test_a_name_means_the_image_that_the_tree_has(name: str, image_id: str) -> None:
    ids = ["a", "b", "b.jpg", DECOMPOSED]
    spelling = Spelling(
        frozenset(ids), {unicodedata.normalize("NFC", known): known for known in ids}
    )
    assert spelling.find(name) == image_id


@pytest.mark.parametrize(
    ("annotation", "picture", "listed"),
    [
        (ONE, f"{ONE}.jpg", f"{ONE}.jpg"),
        (COMPOSED, f"{DECOMPOSED}.jpg", COMPOSED),
        (DECOMPOSED, f"{COMPOSED}.jpg", COMPOSED),
        ("photo-(1)_png.rf.0123456789abcdef0123456789abcdef",) * 2 + ("none",),
        ("ali (1)", "ali (1).JPG", "none"),
    ],
)
def test_an_image_is_one_however_its_files_and_lists_spell_it(
    tree: Path, annotation: str, picture: str, listed: str
) -> None:
    rename(tree, annotation, picture if "." in picture[-5:] else f"{picture}.jpg", listed)
    content = load_tree(tree)
    images = {image.image_id: image.set_name for image in content.images}
    assert images[annotation] == ("unlisted" if listed == "none" else "train")
    assert [image_id for image_id, _ in content.skipped if image_id != "none"] == []


def test_lists_with_file_names_give_the_sets(tree: Path) -> None:
    path = tree / "ImageSets/Main/val.txt"
    path.write_text("".join(f"{line}.jpg\r\n" for line in path.read_text().split()))
    assert read_tree_splits(tree).main["2012_000003"] is Split.VAL


def test_files_that_macos_keeps_beside_others_are_left_alone(tree: Path) -> None:
    for name in (f"Annotations/._{ONE}.xml", f"JPEGImages/._{ONE}.jpg"):
        (tree / name).write_bytes(b"\0\5\x16\7")
    content = load_tree(tree)
    assert (len(content.images), content.skipped) == (6, ())


@pytest.mark.parametrize("kind", ["PNG", "BMP", "WEBP", "TIFF"])
def test_pictures_of_other_formats_are_taken(tree: Path, kind: str) -> None:
    path = tree / f"JPEGImages/{ONE}.jpg"
    data = io.BytesIO()
    with Image.open(path) as image:
        image.save(data, kind)
    path.unlink()
    path.with_suffix(f".{kind.lower()}").write_bytes(data.getvalue())
    assert load_tree(tree).images[0].picture.suffix == f".{kind.lower()}"
