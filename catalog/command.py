"""What every subcommand shares: the --party option, errors as one sentence, the log."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import click

from vockit.command_line import CommandGroup

P = ParamSpec("P")
R = TypeVar("R")


class PartyCommandGroup(CommandGroup):
    """A command of a party: a lost catalogue ends in one sentence too."""

    def describe(self, error: Exception) -> str | None:
        """The sentence for the user; None where the error is a bug."""
        from .session import describe_loss

        return super().describe(error) or describe_loss(error)


ROW_ID = click.IntRange(1, 2**63 - 1)
"""The number of a row, or a count of rows, that every database takes."""

party_option = click.option(
    "--party",
    "party_folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    envvar="VOCPARTY_PARTY",
    help="The party's folder (default: VOCPARTY_PARTY, or the nearest folder upwards).",
)


def with_party(
    command: Callable[Concatenate[Any, P], R],
    *,
    needs_store: bool = True,
    takes_edits: bool = False,
) -> Callable[..., R]:
    """The command with an option --party, called with the opened Party first.

    A command that only reads the catalogue may run where the image store is not here. One that
    `takes_edits` runs although the classes of the preset's file were edited.
    """

    @party_option
    @functools.wraps(command)
    def opened(*args: Any, party_folder: Path | None, **kwargs: Any) -> R:
        from .party import find_party_folder, open_party

        folder = party_folder or find_party_folder(Path.cwd())
        with open_party(folder, needs_store=needs_store, takes_edits=takes_edits) as party:
            return command(party, *args, **kwargs)

    return opened
