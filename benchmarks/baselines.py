"""The baselines on a release of drawn images: scores against chance, seconds and memory.

    python -m benchmarks.baselines --folder DIR --images 1000

Half of the images are to learn from, half to answer for.
"""

from __future__ import annotations

import resource
from pathlib import Path
from time import perf_counter

import click
import numpy as np

from tests.vockit.baselines.made_release import make_release
from vockit.baselines.run import BASELINE, CHANCE, MEAN_BOX, WHOLE_IMAGE, Run, run_baselines
from vockit.evaluate.comparing import compare_methods, format_comparison
from vockit.evaluate.scores import Scores
from vockit.kit import open_release

PAIRS = ((BASELINE, CHANCE), (BASELINE, MEAN_BOX), (BASELINE, WHOLE_IMAGE))


@click.command()
@click.option("--folder", type=click.Path(path_type=Path), required=True)
@click.option("--images", default=1000, show_default=True)
@click.option("--width", default=320, show_default=True, help="Pixels; the height is 3/4 of it.")
def main(folder: Path, images: int, width: int) -> None:
    """Make the release where it is not there, run all baselines, and compare them in pairs."""
    root = folder / "VOCdevkit" / "VOC2012"
    if not root.is_dir():
        make_release(folder, images, (width, width * 3 // 4))
    release = open_release(root)
    start = perf_counter()
    methods = run_baselines(Run(release, "train", "val", folder / "results"))
    seconds = perf_counter() - start
    scores = {name: release.evaluate(folder / "results" / name, "val") for name in methods}
    for first, second in PAIRS:
        pair = {name: scores[name] for name in (first, second)}
        for competition in compare_methods(release.truth("val"), pair).competitions:
            print("\n".join(list(format_comparison(competition))[:5]))
    for name, method_scores in scores.items():
        _print_layout(name, method_scores)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{images:,} images of {width} px: {seconds:,.0f} s, at most {peak:,.0f} MB")


def _print_layout(name: str, scores: Scores) -> None:
    for competition, classes in scores.tasks.get("layout", {}).items():
        mean = np.mean([score.curve.ap for score in classes.values()])
        print(f"{competition} (layout), {name}: mean AP {mean:.4f}")


if __name__ == "__main__":
    main()
