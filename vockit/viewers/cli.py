"""`show` and `show-detections`: pages over a release's pictures."""

from __future__ import annotations

from pathlib import Path

import click

from vockit.command_line import FOLDER, tree_argument
from vockit.format.plural import format_count

LISTS = ("Main", "Segmentation", "Layout", "Action")
_out = click.option(
    "--out",
    metavar="DIR",
    type=FOLDER,
    required=True,
    help="The folder to write index.html to.",
)


@click.command()
@tree_argument
@click.argument("image_set", metavar="SET")
@_out
@click.option(
    "--lists",
    type=click.Choice(LISTS),
    default="Main",
    show_default=True,
    help="The folder of ImageSets whose list is shown.",
)
@click.option("--class", "class_name", default="", help="Only images with an object of this class.")
def show(tree: Path, image_set: str, out: Path, lists: str, class_name: str) -> None:
    """Write a page that shows the set SET of TREE: boxes, masks, parts, actions.

    A browser opens the page from the disk, without a server or a network. Pictures are not copied:
    the page links them where they are, so move both together. Exits with 1 where the set is empty.

    \b
    Example:
      vocparty show VOCdevkit/VOC2012 val --out shown
    """
    from vockit.errors import UserError
    from vockit.kit import open_release

    from .page import write_viewer
    from .sets import make_slides

    release = open_release(tree)
    slides = make_slides(release, image_set, lists, class_name)
    if not slides:
        raise UserError(f"{release.name} has no such image in {lists}/{image_set}.txt.")
    page = write_viewer(out, f"{release.name} {image_set}", slides)
    click.echo(f"Wrote {page}, {format_count(len(slides), 'image')}. Open it in a browser.")


@click.command("show-detections")
@click.argument("results", metavar="RESULTS", type=FOLDER)
@click.argument("class_name", metavar="CLASS")
@_out
@click.option(
    "--release",
    metavar="TREE",
    type=FOLDER,
    help="The release's tree (default: for results/VOC2012 the folder VOC2012 next to results).",
)
@click.option("--set", "image_set", default="val", show_default=True, help="The image set.")
@click.option("--competition", default="comp3", show_default=True, help="comp3 or comp4.")
@click.option("--only-true", is_flag=True, help="Only true detections.")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Show at most so many detections, the first by rank, and images with missed objects.",
)
def show_detections(
    results: Path,
    class_name: str,
    out: Path,
    release: Path | None,
    image_set: str,
    competition: str,
    only_true: bool,
    most: int,
) -> None:
    """Write a page that shows detections of CLASS by rank: true, false, difficult; and missed ones.

    RESULTS is a folder of results as `evaluate` reads it. The labels of the set are needed.

    \b
    Example:
      vocparty show-detections results/VOC2012 person --out shown
    """
    from vockit.errors import UserError
    from vockit.evaluate.check_cli import find_release
    from vockit.evaluate.entry import Selection
    from vockit.evaluate.scoring import score
    from vockit.kit import open_release

    from .detections import LEGEND, make_slides
    from .page import write_viewer

    opened = open_release(release or find_release(results))
    selection = Selection([competition], [class_name])
    scores = score(opened.truth(image_set), results, selection)
    scored = scores.tasks.get("detection", {}).get(competition, {}).get(class_name)
    if scored is None:
        raise UserError(f"{results} has no detections of {class_name} in {competition}.")
    slides, left_out = make_slides(opened, image_set, scored, only_true=only_true, most=most)
    if not slides:
        raise UserError(f"There is no {'true ' if only_true else ''}detection to show.")
    title = f"{class_name}, {competition}, {opened.name} {image_set}"
    page = write_viewer(out, title, slides, LEGEND)
    click.echo(
        f"Wrote {page}, {format_count(len(slides), 'picture')}, AP {scored.curve.ap:.4f}. Open it "
        "in a browser."
    )
    if left_out:
        click.echo(f"Left out {format_count(left_out, 'picture')}; show more with --most.")
    for note in scores.notes:
        click.echo(f"Note: {note}")
