"""`baselines`: simple methods that learn, answer and are scored."""

from __future__ import annotations

import time
from pathlib import Path

import click

from vockit.command_line import FOLDER, tree_argument
from vockit.extras import require_module


@click.command()
@tree_argument
@click.argument("out", metavar="OUT", type=FOLDER)
@click.option(
    "--train", "train_set", default="train", show_default=True, help="Learn from this set."
)
@click.option("--set", "image_set", default="val", show_default=True, help="Answer for this set.")
def baselines(tree: Path, out: Path, train_set: str, image_set: str) -> None:
    """Run a simple method for each task of TREE and write its results to OUT.

    Each folder in OUT is a valid submission: baseline (all tasks), whole-image and mean-box (the
    two of VOC2005 for detection) and chance. Where the labels of the set are there, all are scored
    and compared.

    \b
    Example:
      vockit baselines VOCdevkit/VOC2012 results/baselines
    """
    for name in ("cv2", "sklearn"):
        require_module(name, extra="baselines", purpose="Running the baselines")

    from vockit.evaluate.comparing import compare_methods, format_comparison
    from vockit.evaluate.errors import EvaluateError
    from vockit.evaluate.held_back import has_any_truth
    from vockit.format.image_sets import TESTS
    from vockit.kit import open_release

    from .run import Run, run_baselines

    start = time.monotonic()
    release = open_release(tree)
    run = Run(release, train_set, image_set, out, lambda text: click.echo(text, err=True))
    methods = run_baselines(run)
    for name in methods:
        release.check(out / name, image_set)
        click.echo(f"{out / name}: a valid submission")
    click.echo(f"Took {time.monotonic() - start:,.0f} s.", err=True)
    truth = release.truth(image_set)
    if image_set in TESTS and not has_any_truth(truth):
        click.echo(
            f"Not scored: {release.root} holds no labels of {image_set}, which stay with the "
            "organisers. Send them one of these folders, and they score it."
        )
        return
    try:
        scores = {name: release.evaluate(out / name, image_set) for name in methods}
    except EvaluateError as error:
        click.echo(f"Not scored: {error}")
        return
    comparison = compare_methods(truth, scores)
    for competition in comparison.competitions:
        click.echo("\n".join(["", *format_comparison(competition)]))
