"""The live-wire of the segmentation page: milliseconds a move, and IoU next to straight lines.

The page's own modules run in Chromium. A VOC tree gives photographs with their masks: for each
region, clicks are spread evenly along its true contour, once as the corners of a polygon and once
as those of the live-wire, at four starting places each. Borders of void are divided between their
neighbours, and void pixels are not counted. Moves of the pointer go along the contour, 4 pixels
each; on photographs without masks, around an ellipse.

    python -m benchmarks.page_wire VOC2012 --photographs FOLDER
"""

from __future__ import annotations

import argparse
import base64
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from io import BytesIO
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image as Picture
from playwright.sync_api import Page, Route, sync_playwright

from tests.browser import QUIET, find_chromium
from vockit.format.masks import VOID, read_mask
from vockit.format.rings import fill, trace, unpack_rings

from .photographs import read_photographs

STATIC = Path(__file__).parents[1] / "annotate_ui" / "static"
ADDRESS = "http://page.test"
CLICKS = (6, 8, 12, 16)
PHASES = 4
STEP_PX = 4
LEAST_PX = 1500  # of a region

Labels = NDArray[np.uint8]
Contour = NDArray[np.float64]

DRAWER = """async () => {
  const { findEdges } = await import("/app/segment/edges.js");
  const { createTracer, leadTo, fixPiece, closeAlong } = await import("/app/segment/wire.js");
  const { addCorners, closeOutline } = await import("/app/segment/outline.js");
  const open = (box, size) => {
    const object = { key: "a", box, rings: [], open: null, isVoid: false };
    const history = { past: [], present: [object], future: [] };
    return { history, selection: { key: "a", part: null }, armed: null, size };
  };
  const ringsOf = (editor) => editor.history.present[0].rings;
  let trace = null;
  let size = null;
  window.drawer = {
    async see(bytes) {
      const file = await (await fetch(`data:image/jpeg;base64,${bytes}`)).blob();
      const image = await createImageBitmap(file);
      size = [image.width, image.height];
      const ctx = new OffscreenCanvas(...size).getContext("2d");
      ctx.drawImage(image, 0, 0);
      const slices = findEdges(ctx.getImageData(0, 0, ...size).data, size);
      const times = [];
      for (;;) {
        const before = performance.now();
        const { value } = slices.next();
        times.push(performance.now() - before);
        if (value) return (trace = createTracer(value, size)), times;
      }
    },
    draw(box, clicks, isWire) {
      const add = (editor, at) =>
        isWire ? fixPiece(trace, editor, at) : addCorners(editor, [at]);
      const drawn = clicks.reduce(add, open(box, size));
      return ringsOf(isWire ? closeAlong(trace, drawn) : closeOutline(drawn));
    },
    move(box, pieces) {
      const times = [];
      let editor = open(box, size);
      for (const piece of pieces) {
        editor = fixPiece(trace, editor, piece[0]);
        for (const at of piece.slice(1)) {
          const before = performance.now();
          leadTo(trace, editor, at);
          times.push(performance.now() - before);
        }
      }
      return times;
    },
  };
}"""


@dataclass(frozen=True)
class Region:
    """What is to be outlined: its pixels, those that are not void, and the contour of all."""

    image_id: str
    truth: NDArray[np.bool_]
    is_counted: NDArray[np.bool_]
    contour: Contour

    @property
    def box(self) -> list[int]:
        """The box of the pixels that are counted, as VOC writes it."""
        rows, columns = np.nonzero(self.truth & self.is_counted)
        corners = (columns.min(), rows.min(), columns.max(), rows.max())
        return [int(value) + 1 for value in corners]

    def measure(self, rings: list[list[int]]) -> float:
        """The IoU of rings with the pixels."""
        height_px, width_px = self.truth.shape
        drawn = fill(unpack_rings(rings), width_px, height_px) & self.is_counted
        truth = self.truth & self.is_counted
        return float((drawn & truth).sum() / (drawn | truth).sum())


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path, help="with JPEGImages and masks")
    parser.add_argument("--photographs", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        page = browser.new_page()
        page.route(f"{ADDRESS}/**", answer)
        page.goto(f"{ADDRESS}/empty")
        page.evaluate(DRAWER)
        moves = print_masks(page, given.tree)
        if given.photographs:
            moves += move_over(page, read_photographs(given.photographs, 40))
        print_times("a move of the pointer", moves)
        browser.close()


def answer(route: Route) -> None:
    """The page's modules as files; any other address is an empty page."""
    path = STATIC / route.request.url.removeprefix(f"{ADDRESS}/")
    if path.is_file():
        route.fulfill(path=path, content_type="text/javascript")
    else:
        route.fulfill(body="<!doctype html>", content_type="text/html")


def print_masks(page: Page, tree: Path) -> list[float]:
    """A line for each image and number of clicks; returns the milliseconds of all moves."""
    moves = list[float]()
    for image_id in list_masked(tree):
        regions = list(find_regions(tree, image_id))
        data = (tree / "JPEGImages" / f"{image_id}.jpg").read_bytes()
        print_times(f"{image_id}: a slice of its edges", see(page, data))
        for clicks in CLICKS:
            draw = partial(draw_all, page, regions, clicks)
            straight = draw(is_wire=False)
            wire = draw(is_wire=True)
            print(
                f"  {image_id}, {len(regions)} regions, {clicks:2} clicks: polygon "
                f"{straight[0]:.2f}, live-wire {wire[0]:.2f} with {wire[1]:.0f} corners"
            )
        for region in regions:
            pieces = [walk(region.contour, at / 8, (at + 1) / 8) for at in range(8)]
            moves += move(page, region.box, pieces)
    return moves


def see(page: Page, data: bytes) -> list[float]:
    """Show a photograph to the page; the milliseconds of each slice of its edges."""
    times: list[float] = page.evaluate(
        "bytes => drawer.see(bytes)", base64.b64encode(data).decode()
    )
    return times


def draw_all(
    page: Page, regions: list[Region], clicks: int, *, is_wire: bool
) -> tuple[float, float]:
    """The mean IoU over regions and starting places, and the mean number of corners."""
    overlaps = list[float]()
    corners = list[int]()
    for region in regions:
        for phase in range(PHASES):
            starts = [(at + phase / PHASES) / clicks for at in range(clicks)]
            points = [place(region.contour, start) for start in starts]
            rings = page.evaluate(
                "([box, points, isWire]) => drawer.draw(box, points, isWire)",
                [region.box, points, is_wire],
            )
            overlaps.append(region.measure(rings))
            corners.append(sum(len(ring) // 2 for ring in rings))
    return float(np.mean(overlaps)), float(np.mean(corners))


def move_over(page: Page, photographs: dict[str, bytes]) -> list[float]:
    """The milliseconds of moves around an ellipse in photographs, four clicks on each."""
    moves = list[float]()
    for data in photographs.values():
        see(page, data)
        with Picture.open(BytesIO(data)) as picture:
            width_px, height_px = picture.size
        box = [width_px // 10, height_px // 10, width_px * 9 // 10, height_px * 9 // 10]
        turns = np.linspace(0, 2 * np.pi, 200)
        across = width_px * (0.5 + 0.4 * np.cos(turns))
        down = height_px * (0.5 + 0.4 * np.sin(turns))
        rim = np.column_stack([across, down])
        pieces = [walk(rim, at / 4, (at + 1) / 4) for at in range(4)]
        moves += move(page, box, pieces)
    return moves


def move(page: Page, box: list[int], pieces: list[list[list[float]]]) -> list[float]:
    """The milliseconds of each move; each piece begins with a click."""
    times: list[float] = page.evaluate("([box, pieces]) => drawer.move(box, pieces)", [box, pieces])
    return times


def list_masked(tree: Path) -> list[str]:
    """The images whose regions a mask shows."""
    masks = [*tree.glob("SegmentationObject/*.png"), *tree.glob("SegmentationClass/*.png")]
    return sorted({path.stem for path in masks})


def find_regions(tree: Path, image_id: str) -> Iterator[Region]:
    """The regions of one label that hang together, of the mask of objects or else of classes."""
    path = tree / "SegmentationObject" / f"{image_id}.png"
    if not path.exists():
        path = tree / "SegmentationClass" / f"{image_id}.png"
    labels = read_mask(path.read_bytes()).astype(np.uint8)
    is_counted = labels != VOID
    grown = divide_void(labels)
    for label in np.unique(labels[is_counted & (labels > 0)]):
        count, parts = cv2.connectedComponents((grown == label).astype(np.uint8), connectivity=4)
        for part in range(1, count):
            truth = parts == part
            if (truth & is_counted).sum() >= LEAST_PX:
                yield Region(image_id, truth, is_counted, find_contour(truth))


def divide_void(labels: Labels) -> Labels:
    """Each void pixel with the label of the nearest other one."""
    is_void = (labels == VOID).astype(np.uint8)
    kind = cv2.DIST_LABEL_PIXEL
    _, places = cv2.distanceTransformWithLabels(is_void, cv2.DIST_L2, 5, labelType=kind)
    label_at = np.zeros(places.max() + 1, np.uint8)
    label_at[places[is_void == 0]] = labels[is_void == 0]
    nearest: Labels = label_at[places]
    return nearest


def find_contour(truth: NDArray[np.bool_]) -> Contour:
    """The longest ring, closed by its first corner."""
    ring = max(trace(truth), key=lambda corners: length_of(np.array(corners, float))[-1])
    return np.array([*ring, ring[0]], float)


def length_of(contour: Contour) -> NDArray[np.float64]:
    """How far each corner lies from the first one, along the contour."""
    steps = np.hypot(*np.diff(contour, axis=0).T)
    return np.concatenate([[0.0], np.cumsum(steps)])


def place(contour: Contour, share: float) -> list[float]:
    """The point at this share of the contour's length."""
    lengths = length_of(contour)
    at = (share % 1) * lengths[-1]
    return [float(np.interp(at, lengths, contour[:, axis])) for axis in (0, 1)]


def walk(contour: Contour, start: float, end: float) -> list[list[float]]:
    """Points along the contour from share to share."""
    length_px = length_of(contour)[-1] * (end - start)
    steps = max(int(length_px / STEP_PX), 1)
    return [place(contour, start + (end - start) * step / steps) for step in range(steps + 1)]


def print_times(name: str, times_ms: list[float]) -> None:
    """The distribution of some milliseconds."""
    p50, p95 = np.quantile(times_ms, (0.5, 0.95))
    print(f"  {name}: p50 {p50:.1f}, p95 {p95:.1f}, max {max(times_ms):.1f} ms of {len(times_ms)}")


if __name__ == "__main__":
    main()
