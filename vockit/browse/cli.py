"""`browse`: a tree's pages in a browser on this machine."""

from __future__ import annotations

from pathlib import Path

import click

from vockit.command_line import show_corrected, show_skipped, tree_argument
from vockit.errors import UserError
from vockit.extras import require_module
from vockit.format.plural import format_count


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

    Exits with 1 where no image can be shown.

    \b
    Example:
      vocparty browse zoo-2026
    """
    from vockit.foreign.tree_files import get_tree
    from vockit.foreign.tree_images import load_tree

    for name in ("flask", "waitress"):
        require_module(name, extra="browse", purpose="Browsing")

    from .app import create_app
    from .serving import serve_here
    from .shown_tree import show_tree

    content = load_tree(tree)
    show_skipped(content.skipped)
    show_corrected([(image_id, change.message) for image_id, change in content.corrections])
    if not content.images:
        raise UserError(f"{content.name} has no image that can be shown.")
    app = create_app(show_tree(content, get_tree(tree).root.resolve()))

    def announce(url: str) -> None:
        count = format_count(len(content.images), "image")
        click.echo(f"{content.name}, {count}, is at {url}/; Ctrl-C stops.")

    serve_here(app, port, announce)
