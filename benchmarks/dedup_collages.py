"""How often a photograph is reported that a collage holds whole, and that none is merged with it.

    python -m benchmarks.dedup_collages FOLDER [--sheets 60]

Photographs of the folder, drawn at random, stand in two cells side by side or in four, with gaps of
0, 4 or 12 pixels between them on a sheet of 640 by 480: fitted into their cell whole and in their
shape, on white, or stretched to fill it. For each layout prints a Markdown row: of all photographs
on the sheets how many are reported as held by their sheet, how many are merged with it, which must
be none, and how many are reported for a sheet that does not hold them; at last how many pairs of
sheets were merged. Those mostly have one photograph in common, in the same place.
"""

from __future__ import annotations

import argparse
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

import numpy as np
from PIL import Image

from catalog.settings import DedupSettings
from dedup.among import find_pairs_among
from dedup.signature.brightness import read_brightness
from dedup.signature.signature import Signature, make_signature

SUFFIXES = {".jpg", ".jpeg", ".png"}
LONGEST_SIDE_PX = 500
SHEET_WH = (640, 480)
QUALITY = 85

Picture = Image.Image


@dataclass(frozen=True)
class Layout:
    """So many cells across and down, the gap around each, and whether pictures keep their shape."""

    columns: int
    rows: int
    gap_px: int
    is_fitted: bool

    @property
    def cells(self) -> int:
        """How many photographs a sheet holds."""
        return self.columns * self.rows

    @property
    def name(self) -> str:
        """In words."""
        how = "fitted" if self.is_fitted else "stretched"
        return f"{self.columns} x {self.rows}, gap {self.gap_px} px, {how}"


LAYOUTS = [
    Layout(columns, rows, gap_px, is_fitted)
    for columns, rows in ((2, 1), (2, 2))
    for is_fitted in (True, False)
    for gap_px in (0, 4, 12)
]


def main() -> None:
    """Measure each layout over the folder that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sheets", type=int, default=60)
    options = parser.parse_args()
    photographs = read_photographs(options.folder)
    described = [sign(photograph) for photograph in photographs]
    print(f"{len(photographs)} photographs, {options.sheets} sheets of each layout.\n")
    print("| layout | held | reported | merged with it | reported elsewhere | sheets merged |")
    print("|---" * 6 + "|")
    for layout in LAYOUTS:
        measure(layout, photographs, described, options.sheets)


def measure(
    layout: Layout, photographs: Sequence[Picture], described: Sequence[Signature], sheets: int
) -> None:
    """Print the row of one layout."""
    random = Random(layout.name)
    held = [random.sample(range(len(photographs)), layout.cells) for _ in range(sheets)]
    made = [sign(compose(layout, [photographs[one] for one in some])) for some in held]
    count = len(described)
    is_new = np.arange(count + sheets) >= count
    pairs = find_pairs_among([*described, *made], DedupSettings(), is_new=is_new)
    copies = [pair for pair in pairs if pair.relation.value == "duplicate"]
    of_sheets = [pair for pair in copies if pair.first_id >= count]
    merged = len(copies) - len(of_sheets)
    sheets_merged = sum(
        held[pair.first_id - count] != held[pair.second_id - count] for pair in of_sheets
    )
    collages = [pair for pair in pairs if pair.relation.value == "collage"]
    right = sum(
        pair.first_id < count <= pair.second_id and pair.first_id in held[pair.second_id - count]
        for pair in collages
    )
    total = sheets * layout.cells
    wrong = len(collages) - right
    counts = f"{right / total:.1%} | {merged} | {wrong} | {sheets_merged}"
    print(f"| {layout.name} | {total} | {counts} |", flush=True)


def compose(layout: Layout, pictures: Sequence[Picture]) -> Picture:
    """The sheet that holds these pictures, row by row."""
    width, height = SHEET_WH[0] // layout.columns, SHEET_WH[1] // layout.rows
    sheet = Image.new("RGB", SHEET_WH, "white")
    for number, picture in enumerate(pictures):
        row, column = divmod(number, layout.columns)
        room = width - layout.gap_px, height - layout.gap_px
        share = min(room[0] / picture.width, room[1] / picture.height)
        fitted = round(picture.width * share), round(picture.height * share)
        shown = picture.resize(fitted if layout.is_fitted else room)
        left = column * width + (width - shown.width) // 2
        sheet.paste(shown, (left, row * height + (height - shown.height) // 2))
    return sheet


def sign(picture: Picture) -> Signature:
    """The signature of the picture as a JPEG file."""
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=QUALITY)
    return make_signature(read_brightness(file.getvalue()))


def read_photographs(folder: Path) -> list[Picture]:
    """All photographs of the folder, brought to Flickr's medium size."""
    found = []
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in SUFFIXES:
            with Image.open(path) as file:
                picture = file.convert("RGB")
            picture.thumbnail((LONGEST_SIDE_PX, LONGEST_SIDE_PX))
            found.append(picture)
    if len(found) < 4:
        raise SystemExit(f"{folder} holds no four photographs.")
    return found


if __name__ == "__main__":
    main()
