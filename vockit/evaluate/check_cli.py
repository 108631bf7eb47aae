"""`check-results`: whether results can be scored, without any label of their set."""

from __future__ import annotations

import json
from pathlib import Path

import click

EXAMPLE = """\b
Example:
  vocparty check-results results/VOC2012 --set test
  vocparty check-results mine --release VOCdevkit/VOC2012 --set test
"""


@click.command("check-results", epilog=EXAMPLE)
@click.argument("results", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option(
    "--release",
    metavar="TREE",
    type=click.Path(path_type=Path, file_okay=False),
    help="The release's tree (default: for results/VOC2012 the folder VOC2012 next to results).",
)
@click.option("--set", "image_set", default="val", show_default=True, help="The image set.")
@click.option(
    "--rules",
    type=click.Choice(["2007", "2008", "2012"]),
    help="The kit whose rules apply (default: the tree's year).",
)
@click.option(
    "--coco-ids",
    metavar="FILE",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The instances file whose ids COCO's JSON has.",
)
@click.option(
    "--like-kit", is_flag=True, help="Refuse also what only the kit's own reader cannot read."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document and nothing else.")
def check_results(
    results: Path,
    release: Path | None,
    image_set: str,
    rules: str | None,
    coco_ids: Path | None,
    like_kit: bool,
    as_json: bool,
) -> None:
    """Say whether RESULTS can be scored, in the words of `evaluate`; no labels are needed.

    RESULTS is a folder with Main, Segmentation, Layout and Action, a tar, tar.gz or zip of one, or
    detections as COCO's JSON.
    Exits with 1 where the evaluation would refuse them.
    """
    from .checking import check_results as check
    from .checking import format_entry, make_document
    from .coco_results import NO_IDS, read_coco_ids
    from .curves import Rules
    from .truth import open_truth

    tree = release or find_release(results)
    truth = open_truth(tree, image_set, Rules(rules) if rules else None, is_like_kit=like_kit)
    ids = NO_IDS if coco_ids is None else read_coco_ids(coco_ids)
    entry = check(truth, results, coco_ids=ids)
    click.echo(json.dumps(make_document(entry)) if as_json else "\n".join(format_entry(entry)))


def find_release(results: Path) -> Path:
    """The tree that results in the kit's layout belong to; raises UsageError without one."""
    place = results.resolve()
    tree = place.parent.parent / place.name
    if place.parent.name != "results" or not tree.is_dir():
        raise click.UsageError(
            f"{results} does not lie in a folder results next to its release; name the release's "
            "tree with --release."
        )
    return tree
