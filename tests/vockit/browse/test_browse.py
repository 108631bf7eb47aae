"""Any tree can be browsed: filtered, drawn to the pixel, and from this machine only."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from flask.testing import FlaskClient
from PIL import Image as Picture
from playwright.sync_api import Browser, Page, expect

from annotate_ui.serving import serving
from catalog.party import make_party, open_party
from tests.browser import browsing, take_picture
from tests.exporting import export_release
from tests.party_rows import CAT, DOG, NOW, PERSON, fill
from tests.trees import make_tree
from vockit.browse.app import PER_PAGE, ShownTree, Wish, create_app, find_colour, parse_wish
from vockit.browse.shown_tree import show_tree
from vockit.command import main as vockit
from vockit.foreign.tree_images import load_tree
from vockit.format.tree import VOC_CLASSES

IMAGES = 60


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("browse")
    make_party(folder / "party", name="Test party", preset="voc2012")
    with open_party(folder / "party") as party:
        kinds = [DOG], [CAT, DOG], [PERSON], [CAT]
        fill(party, (kinds[number % 4] for number in range(IMAGES)))
        export_release(party, folder / "out", year=2026, at=NOW)
    return folder / "out" / "VOCdevkit" / "VOC2026"


@pytest.fixture(scope="module")
def content(tree: Path) -> ShownTree:
    return show_tree(load_tree(tree), tree)


@pytest.fixture
def client(content: ShownTree) -> FlaskClient:
    return create_app(content).test_client()


def test_the_first_page_shows_all_images_a_page_at_a_time(client: FlaskClient) -> None:
    first = client.get("/").text
    assert f"{IMAGES} of {IMAGES} images" in first
    assert first.count('class="tile"') == PER_PAGE
    assert client.get("/?page=2").text.count('class="tile"') == IMAGES - PER_PAGE
    assert client.get("/?page=99").text.count('class="tile"') == IMAGES - PER_PAGE


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("class=dog", 30),
        ("class=dog&flag=difficult", 30),
        ("class=cat&flag=difficult", 0),
        ("flag=parts", 15),
        ("flag=actions", 15),
        ("flag=point", 15),
        ("flag=truncated", 15),
        ("flag=none-such", IMAGES),
        ("id=00001", 11),
        ("set=test", 30),
        ("set=trainval", 30),
        ("set=Layout%2Ftest&class=person", 7),
        ("set=Action%2Ftrainval&class=cat", 0),
        ("set=none-such", 0),
    ],
)
def test_a_filter_shows_the_matching_images(client: FlaskClient, query: str, count: int) -> None:
    page = client.get(f"/?{query}").text
    assert f"{count} of {IMAGES} images" in page
    assert ("No image fits." in page) is (count == 0)


def test_a_filter_is_read_back_from_its_address() -> None:
    wish = Wish("test", "dog", "difficult", "2026_0")
    from urllib.parse import parse_qsl

    assert parse_wish(dict(parse_qsl(wish.query))) == wish


def test_neighbours_of_an_image_follow_the_filter(client: FlaskClient, content: ShownTree) -> None:
    wish = Wish(class_name="dog")
    ids = [image.image_id for image in content.images if wish.fits(image, {})]

    def neighbours(image_id: str) -> list[str]:
        page = client.get(f"/image/{image_id}?class=dog").text
        return re.findall(r'rel="(?:prev|next)" href="/image/(\w+)', page)

    assert neighbours(ids[1]) == [ids[0], ids[2]]
    assert (neighbours(ids[0]), neighbours(ids[-1])) == ([ids[1]], [ids[-2]])
    cat = next(image.image_id for image in content.images if image.image_id not in ids)
    assert neighbours(cat) == [ids[0]]


def test_an_image_page_shows_every_field(client: FlaskClient, content: ShownTree) -> None:
    image = next(image for image in content.images if image.objects[0].name == "person")
    page = client.get(f"/image/{image.image_id}").text
    for word in ("person", "Left", "truncated", "occluded", "running", "head", "point 20 20"):
        assert word in page
    assert '<td class="number">5<td class="number">4<td class="number">40' in page
    assert "&lt;annotation&gt;" in page
    assert '<rect x="4" y="3" width="36" height="36"/>' in page


def test_the_link_back_leads_to_the_grid_position(client: FlaskClient, content: ShownTree) -> None:
    last = content.images[-1].image_id
    assert f"&amp;page=2#i-{last}" in client.get(f"/image/{last}").text
    assert f'id="i-{last}"' in client.get("/?page=2").text


def test_masks_are_shown_where_the_tree_has_them(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "VOC2026"
    shutil.copytree(tree, copy)
    (copy / "SegmentationClass").mkdir()
    mask = copy / "SegmentationClass" / "2026_000001.png"
    Picture.new("P", (60, 40)).save(mask)
    client = create_app(show_tree(load_tree(copy), copy)).test_client()
    with client.get("/mask/class/2026_000001") as answer:
        assert answer.data == mask.read_bytes()
    assert 'class="mask class"' in client.get("/image/2026_000001").text
    assert client.get("/mask/object/2026_000001").status_code == 404
    assert client.get("/mask/class/2026_000002").status_code == 404
    assert "mask" not in client.get("/image/2026_000002").text


def test_images_in_no_image_set_form_a_separate_set(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "VOC2026"
    shutil.copytree(tree, copy)
    for path in (copy / "ImageSets" / "Main").glob("test.txt"):
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    shutil.rmtree(copy / "ImageSets" / "Layout")
    shutil.rmtree(copy / "ImageSets" / "Action")
    sets = show_tree(load_tree(copy), copy).sets
    assert list(sets) == ["train", "val", "trainval", "test", "unlisted"]
    assert [len(members) for members in sets.values()] == [15, 15, 30, 2, 28]


def test_a_missing_image_is_explained_with_a_link_back(client: FlaskClient) -> None:
    answer = client.get("/image/2026_999999")
    assert answer.status_code == 404
    assert "There is no such image" in answer.text
    assert client.get("/picture/..%2F..%2Fpasswd").status_code == 404


def test_only_requests_to_local_host_names_are_answered(client: FlaskClient) -> None:
    assert client.get("/", headers={"Host": "evil.example:8100"}).status_code == 403
    assert client.get("/", headers={"Host": "localhost:8100"}).status_code == 200


def test_a_tree_of_which_no_image_can_be_shown_is_refused(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    shutil.rmtree(root / "JPEGImages")
    result = CliRunner().invoke(vockit, ["browse", str(root), "--port", "0"])
    assert result.exit_code == 1
    assert "VOC2012 has no image that can be shown." in result.output


def test_hostile_text_in_a_tree_is_escaped(tree: Path, tmp_path: Path) -> None:
    copy = tmp_path / "VOC2026"
    shutil.copytree(tree, copy)
    path = next((copy / "Annotations").iterdir())
    text = path.read_text().replace("<pose>Unspecified", "<pose>&lt;script&gt;alert(1)")
    path.write_text(text)
    client = create_app(show_tree(load_tree(copy), copy)).test_client()
    assert "<script>alert" not in client.get(f"/image/{path.stem}").text


def test_no_two_classes_of_voc_share_a_colour() -> None:
    colours = [find_colour(number) for number in range(len(VOC_CLASSES))]
    assert len(set(colours)) == 20


def test_each_box_is_labelled_with_its_class(client: FlaskClient, content: ShownTree) -> None:
    image = next(image for image in content.images if image.objects[0].name == "person")
    page = client.get(f"/image/{image.image_id}").text
    assert f'y="{image.objects[0].box.ymin}">1 person Left T O</text>' in page


@pytest.fixture
def page(chromium: Browser, content: ShownTree) -> Iterator[Page]:
    with serving(create_app(content)) as base_url, browsing(chromium) as page:
        page.goto(base_url)
        wait_for_grid(page, f"{IMAGES} of {IMAGES}")
        yield page


def wait_for_grid(page: Page, count: str) -> None:
    """Wait until the grid shows this many images and hears the keys."""
    there = page.locator("body[data-ready=true]:has(.grid) .count")
    expect(there).to_have_text(f"{count} images")


def wait_for_image(page: Page, place: str) -> None:
    """Wait until the page of the image at this place is shown and hears the keys."""
    there = page.locator("body[data-ready=true]:has([data-testid=picture]) .count")
    expect(there).to_have_text(re.compile(f"^{place} · "))


@pytest.mark.browser
def test_images_of_a_class_can_be_paged_by_keyboard(page: Page) -> None:
    page.get_by_label("Class").select_option("dog")
    wait_for_grid(page, "30 of 60")
    page.locator(".tile").first.click()
    wait_for_image(page, "1 of 30")
    page.keyboard.press("ArrowRight")
    wait_for_image(page, "2 of 30")
    page.keyboard.press("ArrowLeft")
    wait_for_image(page, "1 of 30")
    drawing = page.get_by_test_id("picture").locator("svg")
    expect(drawing).to_be_visible()
    page.keyboard.press("b")
    expect(drawing).to_be_hidden()
    page.keyboard.press("b")
    expect(drawing).to_be_visible()
    take_picture(page, "browse-image")
    page.keyboard.press("Escape")
    wait_for_grid(page, "30 of 60")
    take_picture(page, "browse-grid")


@pytest.mark.browser
def test_a_key_shows_masks_over_the_picture(page: Page, tree: Path) -> None:
    (tree / "SegmentationClass").mkdir(exist_ok=True)
    Picture.new("P", (60, 40)).save(tree / "SegmentationClass" / "2026_000003.png")
    page.goto(f"{page.url}image/2026_000003")
    wait_for_image(page, "3 of 60")
    mask = page.locator(".mask.class")
    expect(mask).to_be_hidden()
    page.keyboard.press("m")
    expect(mask).to_be_visible()
    page.keyboard.press("m")
    expect(mask).to_be_hidden()


@pytest.mark.browser
def test_the_grid_has_pages_and_the_link_back_returns_to_one(page: Page) -> None:
    page.get_by_role("link", name="Later →").click()
    tiles = page.locator(".tile")
    expect(tiles).to_have_count(IMAGES - PER_PAGE)
    expect(page.locator('a[rel="next"]')).to_have_count(0)
    tiles.last.click()
    wait_for_image(page, f"{IMAGES} of {IMAGES}")
    page.keyboard.press("Escape")
    page.wait_for_url("**page=2#i-*")
    expect(page.locator(".tile:target")).to_be_visible()


def test_lists_with_file_names_show_the_images_of_their_sets(tmp_path: Path) -> None:
    root = make_tree(tmp_path)
    path = root / "ImageSets/Main/val.txt"
    path.write_text("".join(f"{line}.jpg\n" for line in path.read_text().split()))
    shown = show_tree(load_tree(root), root)
    assert shown.sets["val"] == {"2012_000003"}
