"""A small tree for each test."""

from pathlib import Path

import pytest

from tests.once import remember
from vockit.evaluate import figures
from vockit.format.write import format_annotation

from .small_tree import CAT, IDS, PERSON, make_image, write, write_mask

EMBEDDING = "test_a_report_compares_with_another_and_is_reproducible"


DRAWN_ONCE = {
    name: remember(getattr(figures, name))
    for name in (
        "draw_curves",
        "draw_panels",
        "draw_bars",
        "draw_critical_difference",
        "draw_matrix",
    )
}


@pytest.fixture(autouse=True)
def _draw_once(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw the same figures once, without fonts in the PDF, of which half the time would be."""
    if request.node.name != EMBEDDING and request.path.stem != "test_figures":
        monkeypatch.setitem(figures._SETTINGS, "pdf.use14corefonts", True)
        for name, draw in DRAWN_ONCE.items():
            monkeypatch.setattr(figures, name, draw)


@pytest.fixture
def devkit(tmp_path: Path) -> Path:
    """Three images: a cat, a person, and both; of the first two there are masks."""
    root = tmp_path / "VOC2012"
    objects = {IDS[0]: (CAT,), IDS[1]: (PERSON,), IDS[2]: (CAT, PERSON)}
    for image_id, some in objects.items():
        text = format_annotation(make_image(image_id, *some))
        write(root / "Annotations" / f"{image_id}.xml", text)
    sets = root / "ImageSets"
    write(root / "labelmap.txt", "# label:color_rgb\nbackground:0,0,0\ncat:1,1,1\nperson:2,2,2\n")
    write(sets / "Main" / "val.txt", "".join(f"{image_id}\n" for image_id in IDS))
    write(sets / "Main" / "cat_val.txt", f"{IDS[0]}  1\n{IDS[1]} -1\n{IDS[2]}  1\n")
    write(sets / "Main" / "person_val.txt", f"{IDS[0]} -1\n{IDS[1]}  1\n{IDS[2]}  1\n")
    write(sets / "Layout" / "val.txt", f"{IDS[1]}  1\n{IDS[2]}  2\n")
    write(sets / "Action" / "running_val.txt", f"{IDS[1]}  1  1\n{IDS[2]}  2 -1\n")
    write(sets / "Segmentation" / "val.txt", f"{IDS[0]}\n{IDS[1]}\n")
    for image_id, label in ((IDS[0], 1), (IDS[1], 2)):
        write_mask(root / "SegmentationClass" / f"{image_id}.png", label)
    return tmp_path
