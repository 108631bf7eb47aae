"""The demo's photographs: their known objects, and where these are in a cropped copy."""

import hashlib
import shutil
from collections import Counter
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageOps

from catalog.box import Box
from catalog.preset import Preset, load_preset
from simulate.flickr.folder import read_library
from simulate.flickr.photos import Availability
from simulate.flickr.search import parse_criteria, search
from simulate.flickr.table import parse_time_secs
from simulate.photographs.known import Frame, KnownPhoto, load_known_photographs
from simulate.photographs.make import make_demo_photographs, read_scenes
from simulate.photographs.originals import find_package_folder
from vockit.errors import SettingsError

Known = Mapping[str, KnownPhoto]


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("demo")
    make_demo_photographs(folder)
    return folder


@pytest.fixture(scope="session")
def known(demo_folder: Path) -> Known:
    return load_known_photographs(demo_folder)


@pytest.fixture(scope="module")
def preset() -> Preset:
    return load_preset("voc2012")


def open_upright(folder: Path, photo: KnownPhoto) -> Image.Image:
    with Image.open(folder / photo.file) as image:
        return ImageOps.exif_transpose(image).convert("RGB")


def digest_all(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.iterdir())
    }


def test_every_demo_photograph_has_its_recorded_size(known: Known, demo_folder: Path) -> None:
    for photo in known.values():
        assert open_upright(demo_folder, photo).size == (photo.width_px, photo.height_px)


@pytest.fixture
def made(demo_folder: Path, tmp_path: Path) -> Path:
    """A folder with the photographs, for what changes them."""
    return Path(shutil.copytree(demo_folder, tmp_path / "made"))


def test_existing_demo_photographs_are_not_made_again(made: Path) -> None:
    first = make_demo_photographs(made)
    (made / first[0].file).write_bytes(b"touched")
    assert make_demo_photographs(made) == first
    assert (made / first[0].file).read_bytes() == b"touched"


def test_an_interrupted_run_starts_again(made: Path, demo_folder: Path) -> None:
    (made / "known.json").unlink()
    (made / "photos.csv").write_text("file\n", encoding="utf-8")
    make_demo_photographs(made)
    assert digest_all(made) == digest_all(demo_folder)


def test_a_folder_without_demo_photographs_is_reported(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="holds no demo photographs"):
        load_known_photographs(tmp_path)


def test_a_missing_package_is_named() -> None:
    with pytest.raises(
        SettingsError, match=r"scikit-image, which is not installed.*vocparty\[demo\]"
    ):
        find_package_folder("skimage", find=lambda name: None)


def test_demo_objects_use_names_of_the_preset(known: Known, preset: Preset) -> None:
    classes = {item.name: item for item in preset.classes}
    actions = {item.name for item in preset.actions}
    reasons = {item.key for item in preset.discard_reasons}
    for photo in known.values():
        assert (photo.discard_reason in reasons) != bool(photo.objects), photo.name
        for item in photo.objects:
            assert item.box.is_inside(photo.width_px, photo.height_px)
            assert bool(item.actions) == classes[item.name].has_actions
            assert set(item.actions) <= actions
            assert classes[item.name].has_views or item.view == "Unspecified"
            assert classes[item.name].has_parts or not item.parts
            assert Counter(part.name for part in item.parts) <= Counter(head=1, hand=2, foot=2)
            assert all(part.box.is_inside(photo.width_px, photo.height_px) for part in item.parts)


def test_boxes_of_a_cropped_copy_move_with_its_pixels(known: Known, demo_folder: Path) -> None:
    by_name = {photo.name: photo for photo in known.values()}
    scene = by_name["cameraman"]
    copy = by_name["cameraman-cropped"]
    head, copied_head = (photo.objects[0].parts[0].box for photo in (scene, copy))
    first, second = (
        np.asarray(open_upright(demo_folder, photo), dtype=int)[box.ymin - 1 : box.ymax]
        for photo, box in ((scene, head), (copy, copied_head))
    )
    first = first[:, head.xmin - 1 : head.xmax]
    second = second[:, copied_head.xmin - 1 : copied_head.xmax]
    assert first.shape == second.shape
    assert np.abs(first - second).mean() < 4


def test_a_file_stored_sideways_shows_the_same_scene(known: Known, demo_folder: Path) -> None:
    by_name = {photo.name: photo for photo in known.values()}
    turned = by_name["chelsea-sideways"]
    with Image.open(demo_folder / turned.file) as stored:
        assert stored.size == (turned.height_px, turned.width_px)
    upright = open_upright(demo_folder, turned)
    scene = open_upright(demo_folder, by_name["chelsea"])
    difference = np.abs(np.asarray(upright).astype(int) - np.asarray(scene).astype(int))
    assert difference.mean() < 3


def test_each_scene_groups_its_renditions_and_its_stereo_pair(known: Known) -> None:
    by_group: dict[str, set[str]] = {}
    for photo in known.values():
        by_group.setdefault(photo.group, set()).add(photo.id)
    groups = [ids for _, ids in sorted(by_group.items()) if len(ids) > 1]
    names = [{known[photo_id].name for photo_id in group} for group in groups]
    assert {"motorcycle", "motorcycle-right", "motorcycle-tinted"} <= next(
        group for group in names if "motorcycle" in group
    )
    assert all(len(group) > 1 for group in groups)
    assert not any(first & second for first, second in combinations(groups, 2))
    kinds = {photo.kind for photo in known.values()}
    assert {"recompressed", "resized", "cropped", "tinted", "captioned", "stereo"} <= kinds


def test_the_stand_in_lists_every_photograph_by_id(known: Known, demo_folder: Path) -> None:
    library = read_library(demo_folder)
    assert {str(photo.id): photo.file.name for photo in library.photos} == {
        photo_id: photo.file for photo_id, photo in known.items()
    }
    for photo in library.photos:
        assert parse_time_secs("2010-01-01") <= photo.uploaded_secs < parse_time_secs("2025-01-01")
    states = Counter(photo.availability for photo in library.photos)
    assert states[Availability.DELETED] == 2
    assert states[Availability.PRIVATE] == 1
    owners = Counter(photo.owner.nsid for photo in library.photos)
    assert 8 <= len(owners) < len(library.photos) / 3


def test_six_queries_find_every_scene(known: Known, demo_folder: Path, preset: Preset) -> None:
    library = read_library(demo_folder)
    queries: Counter[str] = Counter()
    classes: dict[str, set[str]] = {}
    for item in preset.classes:
        for query in item.queries:
            page = search(library, parse_criteria({"text": query}), 1, 500)
            for listed in page.photos:
                photo = known[str(listed.id)]
                queries[photo.name] += 1
                classes.setdefault(photo.name, set()).add(item.name)
    for scene in read_scenes():
        assert queries[scene.name] >= 6, scene.name
        assert len(classes[scene.name]) >= 3, scene.name


def test_most_queries_of_the_paper_find_something(demo_folder: Path, preset: Preset) -> None:
    library = read_library(demo_folder)
    queries = [query for item in preset.classes for query in item.queries]
    successes = [
        search(library, parse_criteria({"text": query}), 1, 100).total > 0 for query in queries
    ]
    assert sum(successes) / len(successes) > 0.6


WHOLE = Frame((0, 0, 100, 80), (100, 80))


@st.composite
def boxes(draw: st.DrawFn, width_px: int = 100, height_px: int = 80) -> Box:
    xmin, xmax = sorted(draw(st.tuples(*[st.integers(1, width_px)] * 2)))
    ymin, ymax = sorted(draw(st.tuples(*[st.integers(1, height_px)] * 2)))
    return Box(xmin, ymin, xmax, ymax)


@pytest.mark.parametrize(
    ("frame", "box", "expected"),
    [
        (Frame((10, 20, 60, 70), (50, 50)), Box(11, 21, 60, 70), Box(1, 1, 50, 50)),
        (Frame((10, 20, 60, 70), (50, 50)), Box(1, 1, 100, 80), Box(1, 1, 50, 50)),
        (Frame((10, 20, 60, 70), (50, 50)), Box(1, 1, 10, 80), None),
        (Frame((10, 20, 60, 70), (50, 50)), Box(61, 1, 100, 80), None),
        (Frame((10, 20, 60, 70), (50, 50)), Box(60, 70, 90, 90), Box(50, 50, 50, 50)),
        (Frame((0, 0, 100, 80), (50, 40)), Box(1, 1, 100, 80), Box(1, 1, 50, 40)),
        (Frame((0, 0, 100, 80), (50, 40)), Box(3, 5, 10, 12), Box(2, 3, 5, 6)),
        (Frame((0, 0, 100, 80), (200, 160)), Box(1, 1, 1, 1), Box(1, 1, 2, 2)),
        (Frame((0, 0, 100, 80), (10, 8)), Box(100, 80, 100, 80), Box(10, 8, 10, 8)),
    ],
)
def test_a_frame_moves_a_box_with_its_pixels(frame: Frame, box: Box, expected: Box | None) -> None:
    assert frame.show(box) == expected


@given(
    box=boxes(),
    left=st.integers(0, 49),
    top=st.integers(0, 39),
    size_wh=st.tuples(st.integers(1, 300), st.integers(1, 300)),
)
def test_a_shown_box_is_inside_it(box: Box, left: int, top: int, size_wh: tuple[int, int]) -> None:
    frame = Frame((left, top, left + 50, top + 40), size_wh)
    shown = frame.show(box)
    assert (shown is None) == (frame.share_shown(box) == 0)
    assert shown is None or shown.is_inside(*size_wh)
