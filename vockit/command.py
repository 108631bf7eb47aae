"""The command `vockit`: what works on a release, for people who have no party."""

from __future__ import annotations

import re
from copy import copy
from pkgutil import resolve_name

import click

from .command_line import CommandGroup, set_loudness

SUBCOMMANDS = {
    "verify": ("vockit.verify.cli:verify", "Read a VOC tree back and name every violation."),
    "evaluate": ("vockit.evaluate.cli:evaluate", "Score results on a VOC tree as the kit does."),
    "check-results": (
        "vockit.evaluate.check_cli:check_results",
        "Say whether results can be scored.",
    ),
    "convert": (
        "vockit.foreign.cli:convert",
        "Write a VOC tree in another tool's format.",
    ),
    "archive": ("vockit.foreign.cli:archive", "Pack a VOC tree into tar archives."),
    "show": ("vockit.viewers.cli:show", "Write a page that shows an image set."),
    "show-detections": (
        "vockit.viewers.cli:show_detections",
        "Write a page that shows detections by rank.",
    ),
    "baselines": (
        "vockit.baselines.cli:baselines",
        "Run a simple method for each task.",
    ),
    "browse": ("vockit.browse.cli:browse", "Show a VOC tree with its annotations drawn."),
}
"""Each subcommand's place and its line of help; it is imported when it is first used."""


class LazyGroup(CommandGroup):
    """The subcommands by name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the help."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand, or None where there is none of that name."""
        if cmd_name not in SUBCOMMANDS:
            return None
        command = resolve_name(SUBCOMMANDS[cmd_name][0])
        assert isinstance(command, click.Command)
        named = copy(command)  # vocparty has the same commands under its own name
        named.help = _name_vockit(command.help)
        named.epilog = _name_vockit(command.epilog)
        return named

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands with one line each, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in SUBCOMMANDS.items()])


def _name_vockit(text: str | None) -> str | None:
    """The help with examples that call `vockit`."""
    return text and re.sub(r"^( *)vocparty\b", r"\1vockit", text, flags=re.MULTILINE)


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-q", "--quiet", is_flag=True, help="Tell results and errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Tell what is done, step by step.")
@click.version_option(package_name="vockit")
@click.pass_context
def main(context: click.Context, quiet: bool, verbose: bool) -> None:
    r"""Read, check, show, convert and score image datasets in the format of PASCAL VOC.

    \b
    Example:
      vockit evaluate VOCdevkit/VOC2012 --results results/VOC2012
    """
    set_loudness(context, quiet=quiet, verbose=verbose)
