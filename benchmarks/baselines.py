"""The baselines on a release of drawn images: scores against chance, processor time and memory.

    python -m benchmarks.baselines --folder DIR --images 1000
    python -m benchmarks.baselines --folder DIR --release RELEASE

Half of the images are to learn from, half to answer for. With --release they are those of its train
and val.
"""

from __future__ import annotations

import resource
from pathlib import Path
from time import process_time

import click

from tests.vockit.baselines.made_release import make_release
from vockit.baselines.run import BASELINE, CHANCE, MEAN_BOX, WHOLE_IMAGE, Run, run_baselines
from vockit.evaluate.comparing import compare_methods, format_comparison
from vockit.kit import open_release

PAIRS = ((BASELINE, CHANCE), (BASELINE, MEAN_BOX), (BASELINE, WHOLE_IMAGE))


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), required=True)
@click.option("--images", default=1000, show_default=True)
@click.option("--release", "made", type=click.Path(path_type=Path), help="A release to run on.")
@click.option("--width", default=320, show_default=True, help="Pixels; the height is 3/4 of it.")
def main(folder: Path, images: int, made: Path | None, width: int) -> None:
    """Make the release where it is not there, run all baselines, and compare them in pairs."""
    root = made or folder / "VOCdevkit" / "VOC2012"
    if not root.is_dir():
        make_release(folder, images, (width, width * 3 // 4))
    release = open_release(root)
    images = sum(len(list(release.images(name))) for name in ("train", "val"))
    start = process_time()
    methods = run_baselines(Run(release, "train", "val", folder / "results"))
    seconds = process_time() - start
    scores = {name: release.evaluate(folder / "results" / name, "val") for name in methods}
    for first, second in PAIRS:
        pair = {name: scores[name] for name in (first, second)}
        for competition in compare_methods(release.truth("val"), pair).competitions:
            print("\n".join(list(format_comparison(competition))[:5]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    took = f"{seconds:,.0f} s of the processor, at most {peak:,.0f} MB"
    print(f"{images:,} images: {took}")


if __name__ == "__main__":
    main()
