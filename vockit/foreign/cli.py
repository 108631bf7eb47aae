"""`convert` and `archive`: a VOC tree in other forms."""

from __future__ import annotations

from pathlib import Path

import click

from vockit.command_line import FOLDER, show_corrected, show_skipped, tree_argument
from vockit.format.plural import format_count
from vockit.format.tree import ACTION, IMAGE_SETS, LAYOUT, SEGMENTATION


@click.command()
@tree_argument
@click.argument("out", metavar="OUT", type=FOLDER)
@click.option(
    "--to",
    "form",
    required=True,
    type=click.Choice(["coco", "yolo", "yolo-seg", "open-images", "parquet"]),
    help="The format to write.",
)
@click.option(
    "--with-difficult",
    is_flag=True,
    help="YOLO, Open Images: keep difficult objects (they have no flag for them).",
)
@click.option(
    "--with-unasked",
    is_flag=True,
    help="YOLO: keep images not asked about every class (YOLO takes what is not drawn for absent).",
)
@click.option(
    "--also",
    type=click.Choice([Path(folder).name for folder in (SEGMENTATION, LAYOUT, ACTION)]),
    multiple=True,
    help="Images that Main does not list get their set from this folder; repeatable.",
)
def convert(
    tree: Path,
    out: Path,
    form: str,
    with_difficult: bool,
    with_unasked: bool,
    also: tuple[str, ...],
) -> None:
    """Write the VOC tree TREE as COCO, YOLO, Open Images or a table to the new folder OUT.

    yolo-seg has the images with masks, and outlines instead of boxes. Exits with 1, and writes no
    folder, where no object could be written.

    \b
    Example:
      vocparty convert zoo-2026 zoo-coco --to coco
    """
    from vockit.report.progress import progress

    from .convert import check_form, convert_tree
    from .regions import select_outlined
    from .tree_images import load_tree, select_asked

    check_form(form)
    content = load_tree(tree, [f"{IMAGE_SETS}/{name}" for name in also])
    if form == "yolo-seg":
        content = select_outlined(content)
    if form in ("yolo", "yolo-seg") and not with_unasked:
        content = select_asked(content)
    show_skipped(content.skipped)
    show_corrected([(image_id, change.message) for image_id, change in content.corrections])
    with progress("Writing", len(content.images), "images") as advance:
        written = convert_tree(content, out, form, with_difficult=with_difficult, advance=advance)
    images = written.images
    objects = written.objects
    image_count = format_count(images.equal, "image")
    object_count = format_count(objects.equal, "object")
    click.echo(f"Wrote {image_count} with {object_count} as {form} to {out}.")
    for reason, names in objects.passed_over.items():
        click.echo(f"Left out {format_count(len(names), 'object')}: {reason}.")
    if form in ("yolo", "yolo-seg") and "val" not in content.set_names:
        click.echo(
            "data.yaml names no val set, because the tree has none, and Ultralytics refuses to "
            "train without: split train, or write into it which set is to be val."
        )
    if written.boxes_alone:
        object_count = format_count(written.boxes_alone, "object")
        click.echo(
            f"Wrote {object_count} of images with masks as boxes alone: no mask that can be read "
            "shows an outline. They are not in the files for masks."
        )
    if skipped := images.total - images.equal:
        skipped_images = format_count(skipped, "image")
        click.echo(
            f"Skipped {skipped_images}: nothing of them is written, not even as without objects."
        )


@click.command()
@tree_argument
@click.argument("out", metavar="OUT", type=FOLDER)
def archive(tree: Path, out: Path) -> None:
    """Pack the VOC tree TREE into tar archives of trainval and of each test set.

    OUT is a new folder.

    The same tree gives the same bytes, on any machine.

    \b
    Example:
      vocparty archive zoo-2026 zoo-archives
    """
    from .archives import write_archives

    for path in write_archives(tree, out):
        click.echo(f"Wrote {path}.")


@click.command()
@click.argument("out", metavar="OUT", type=FOLDER)
@click.option("--release", metavar="TREE", type=FOLDER, required=True, help="The release.")
def devkit(out: Path, release: Path) -> None:
    """Write the participants' kit of a release to the new folder OUT, and as OUT.tar.gz.

    It has the pictures and lists of the release, the labels of all sets but test, vockit's wheel
    with the evaluator and baselines, and a manual. The same release gives the same bytes.

    \b
    Example:
      vocparty devkit zoo-kit --release zoo-2026
    """
    from vockit.report.progress import progress

    from .devkit import write_devkit

    kit = write_devkit(release, out, lambda label, files: progress(label, files, "files"))
    size = kit.archive.stat().st_size / 1e6
    click.echo(
        f"Wrote {kit.folder} and {kit.archive.name} ({size:,.1f} MB): "
        f"{format_count(kit.images, 'image')}, {kit.hidden:,} of them without labels."
    )
