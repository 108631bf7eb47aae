"""`vocparty dedup FOLDER` and `overlap FOLDER --against FOLDER` as typed."""

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result
from PIL import Image

from tests.dedup.overlap.folders import border, crop, write_files
from tests.dedup.photographs import jpeg, originals, save
from vocparty import main


def invoke(*arguments: str | Path) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def invoke_json(*arguments: str | Path) -> Any:
    return json.loads(invoke(*arguments, "--json").stdout)


def make_folder(folder: Path) -> Path:
    """Three photographs, each with a copy that is worse in another way, one file twice."""
    photographs = originals()
    coffee, rocket, china = (photographs[name] for name in ("coffee", "rocket", "china"))
    return write_files(
        folder,
        {
            "coffee.jpg": jpeg(coffee),
            "old/coffee.png": save(_shrink(coffee), "PNG"),
            "rocket.jpg": jpeg(rocket),
            "rocket again.jpg": jpeg(rocket),
            "old/rocket.webp": save(crop(rocket, 0.12), "WEBP", quality=90),
            "china.jpg": jpeg(china),
            "old/china.tif": save(border(china), "TIFF"),
            "chelsea.jpg": jpeg(photographs["chelsea"]),
        },
    )


def _shrink(image: Image.Image) -> Image.Image:
    return image.resize((image.width // 2, image.height // 2))
