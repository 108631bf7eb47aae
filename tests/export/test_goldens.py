"""Each style byte for byte, exported from a party and again from an imported tree.

The texts in goldens/ were compared by eye with releases of 2007, 2008 and 2012. To rewrite them
after an intended change: `python -m tests.export.test_goldens`.
"""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from catalog.party import Party, make_party, open_party
from catalog.preset import AnnotationStyle
from catalog.states import View
from export.importing.dataset_image import DatasetOrder
from export.importing.job import import_tree
from export.order import ReleaseOrder
from tests.exporting import contents, export_release, verify_tree
from tests.party_rows import CAT, DOG, NOW, Drawn, add_image, add_people
from tests.trees import make_tree

GOLDEN = Path(__file__).parent / "goldens" / "trees.txt"
PICTURE = GOLDEN.with_name("picture.jpg")
STYLES = {
    2007: AnnotationStyle.VOC2007,
    2008: AnnotationStyle.VOC2008,
    2012: AnnotationStyle.VOC2012,
}
YEARS = {
    **STYLES,
    2009: AnnotationStyle.VOC2012,
    2010: AnnotationStyle.VOC2012,
    2011: AnnotationStyle.VOC2012,
}
"""The style of each year's files; those of 2009 and 2010 had no actions yet."""
PERSON = Drawn(
    "person",
    (5, 2, 40, 40),
    truncated=True,
    view=View.FRONTAL,
    actions=("phoning", "walking"),
    point_xy=(20, 20),
    parts=(("head", (10, 2, 20, 10)), ("hand", (5, 15, 9, 19)), ("hand", (30, 15, 34, 19))),
)
SECOND = Drawn("person", (41, 2, 60, 40), occluded=True, actions=("other",), point_xy=(50, 9))
IMAGES = [
    [CAT],
    [DOG, CAT],
    [PERSON, SECOND],
    [replace(PERSON, parts=())],
    [CAT, replace(PERSON, actions=())],
    [replace(SECOND, difficult=True)],
    [DOG],
    [replace(CAT, view=View.REAR), replace(CAT, box=(1, 1, 60, 40), key="2")],
]


def picture(number: int) -> bytes:
    """The golden picture with a given colour profile, so that no encoder decides names."""
    data = PICTURE.read_bytes()
    note = b"ICC_PROFILE\0\1\1" + bytes([number])
    return data[:20] + b"\xff\xe2" + (len(note) + 2).to_bytes(2) + note + data[20:]


def fill(party: Party, *, has_actions: bool = True) -> Party:
    with party.catalogue.writing() as session:
        add_people(session)
        for number, drawn in enumerate(IMAGES, start=1):
            drawn = drawn if has_actions else [replace(item, actions=()) for item in drawn]
            add_image(session, party, number, drawn, data=picture(number))
    return party


def export_style(party: Party, folder: Path, year: int) -> dict[str, str]:
    """The text files of the tree of a release."""
    order = ReleaseOrder(style=YEARS[year])
    filled = fill(party, has_actions=year not in (2009, 2010))
    export_release(filled, folder, year=year, at=NOW, order=order)
    files = contents(folder / "VOCdevkit" / f"VOC{year}")
    return {name: data.decode() for name, data in files.items() if not name.endswith(".jpg")}


def join(trees: dict[int, dict[str, str]]) -> str:
    """All files in one text; equal texts appear once, under all their years and paths.

    An object takes one line, as does all before the first: " | " is a newline, YEAR a tree's year.
    """
    years_of: dict[tuple[str, str], str] = {}
    for year, files in trees.items():
        for file in sorted(files.items()):
            assert " | " not in file[1]
            name, text = (re.sub(rf"\b{year}(?=_)|(?<=VOC){year}", "YEAR", part) for part in file)
            text = re.sub(r"\n(?!\t<object>|\Z)", " | ", text)
            years_of[name, text] = f"{years_of.get((name, text), '')}{year} "
    names: dict[tuple[str, str], list[str]] = {}
    for (name, text), years in years_of.items():
        names.setdefault((years, text), []).append(name)
    return "".join(f"=== {years}{' '.join(some)}\n{text}" for (years, text), some in names.items())


def export_styles(folder: Path) -> dict[int, dict[str, str]]:
    """The text files of a tree of each style, whose release breaks no rule."""
    trees = {}
    for year in STYLES:
        make_party(folder / f"party {year}", name="Test party", preset="voc2012")
        with open_party(folder / f"party {year}") as party:
            trees[year] = export_style(party, folder / f"out {year}", year)
        assert verify_tree(folder / f"out {year}") == []
    return trees


def test_each_style_equals_the_reviewed_golden_file(tmp_path: Path) -> None:
    assert join(export_styles(tmp_path)) == GOLDEN.read_bytes().decode()


def import_and_export(tree: Path, folder: Path, year: int) -> dict[str, bytes]:
    """The tree that a new party exports after importing this one."""
    make_party(folder / "other", name="Other", preset="voc2012")
    with open_party(folder / "other") as other:
        report = import_tree(other, DatasetOrder(tree), at=NOW)
        assert [change.rule for change in report.corrections] == []
        export_release(other, folder / "again", year=year, at=NOW)
    return contents(folder / "again" / "VOCdevkit" / f"VOC{year}")


@pytest.mark.parametrize("year", sorted(YEARS))
def test_import_then_export_gives_the_same_files(party: Party, tmp_path: Path, year: int) -> None:
    files = export_style(party, tmp_path / "out", year)
    assert any("<actions>" in text for text in files.values()) is (year >= 2011)
    tree = tmp_path / "out" / "VOCdevkit" / f"VOC{year}"
    assert import_and_export(tree, tmp_path, year) == contents(tree)


def test_a_tree_with_files_of_several_years_is_exported_unchanged(tmp_path: Path) -> None:
    """Like VOC2012: action images in no set of Main, no test set, files of several years."""
    tree = make_tree(tmp_path)
    for name in contents(tree):
        path = tree / name
        if "test" in name or name.startswith("Segmentation") or "/Segmentation" in name:
            path.unlink()
    (tree / "JPEGImages" / "2012_000004.jpg").unlink()
    (tree / "Annotations" / "2012_000004.xml").unlink()
    first = tree / "Annotations" / "2012_000001.xml"
    first.write_text(first.read_text().replace("<segmented>1", "<segmented>0"))
    second = tree / "Annotations" / "2012_000003.xml"
    second.write_text(second.read_text().replace("VOC2012</folder>", "VOC2011</folder>"))
    for folder in ("ImageSets/Segmentation", "SegmentationClass", "SegmentationObject"):
        (tree / folder).rmdir()
    assert verify_tree(tree) == []
    again = import_and_export(tree, tmp_path, 2012)
    assert again == contents(tree)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        GOLDEN.write_bytes(join(export_styles(Path(scratch))).encode())
