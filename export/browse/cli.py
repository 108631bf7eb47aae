"""`vocparty browse`."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("tree", metavar="TREE", type=click.Path(path_type=Path))
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
    from export.formats.tree_images import load_tree
    from export.importing.source_tree import get_tree

    from .app import create_app
    from .serving import serve_locally

    content = load_tree(tree)
    for image_id, reason in content.skipped[:10]:
        click.echo(f"Left out image {image_id}: {reason}.", err=True)
    app = create_app(content, get_tree(tree).root.resolve())

    def announce(url: str) -> None:
        click.echo(f"{content.name}, {len(content.images)} images, is at {url}; Ctrl-C stops.")

    serve_locally(app, port, announce)
