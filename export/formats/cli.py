"""`vocparty convert`, `vocparty archive` and `vocparty browse`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.plural import format_count
from export.cli import FOLDER, show_some, tree_argument

if TYPE_CHECKING:
    from .tree_images import TreeContent


@click.command()
@tree_argument
@click.argument("out", metavar="OUT", type=FOLDER)
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(["coco", "yolo", "yolo-seg", "parquet"]),
    help="The format to write.",
)
@click.option(
    "--with-difficult",
    is_flag=True,
    help="YOLO: keep difficult objects (YOLO has no flag for them).",
)
def convert(tree: Path, out: Path, form: str, with_difficult: bool) -> None:
    """Write the VOC tree TREE as COCO, YOLO or one Parquet table to the new folder OUT.

    yolo-seg has the images with masks, and outlines instead of boxes.

    \b
    Example:
      vocparty convert zoo-2026 zoo-coco --to coco
    """
    from present.progress import progress

    from .convert import convert_tree, select_outlined
    from .tree_images import load_tree

    content = load_tree(tree)
    if form == "yolo-seg":
        content = select_outlined(content)
    _show_skipped(content)
    images = content.images
    with progress("Writing", len(images), "images") as advance:
        convert_tree(content, out, form, with_difficult=with_difficult, advance=advance)
    objects = sum(len(image.objects) for image in images)
    click.echo(f"Wrote {len(images)} images with {objects} objects as {form} to {out}.")
    if content.skipped:
        skipped = format_count(len(content.skipped), "image")
        click.echo(f"Skipped {skipped}: nothing of them is written, not even as without objects.")


@click.command()
@tree_argument
@click.argument("out", metavar="OUT", type=FOLDER)
def archive(tree: Path, out: Path) -> None:
    """Pack the VOC tree TREE into tar archives of trainval and of test in the new folder OUT.

    The same tree gives the same bytes, on any machine.

    \b
    Example:
      vocparty archive zoo-2026 zoo-archives
    """
    from export.archives import write_archives

    for path in write_archives(tree, out):
        click.echo(f"Wrote {path}.")


@click.command()
@tree_argument
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8100,
    show_default=True,
    help="The port on this machine; 0 takes a free one.",
)
def browse(tree: Path, port: int) -> None:
    """Show the VOC tree TREE with its annotations drawn, in a browser on this machine.

    \b
    Example:
      vocparty browse zoo-2026
    """
    from contextlib import nullcontext

    from export.importing.tree_image import get_tree
    from present.browse.app import create_app
    from present.serving import ServeOptions, run_server

    from .tree_images import load_tree, show_tree

    content = load_tree(tree)
    _show_skipped(content)
    app = create_app(show_tree(content, get_tree(tree).root.resolve()))

    def announce(url: str) -> None:
        click.echo(f"{content.name}, {len(content.images)} images, is at {url}/; Ctrl-C stops.")

    run_server(lambda: nullcontext(app), ServeOptions(port=port, flags="--port"), announce)


def _show_skipped(content: TreeContent) -> None:
    show_some([f"Skipped image {it}: {why}." for it, why in content.skipped], "Skipped {}.")
