"""What every subcommand shares: the --party option, errors as one sentence, the log."""

from __future__ import annotations

import functools
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

import click

from vockit.command_line import FOLDER, CommandGroup

if TYPE_CHECKING:
    from .party import Party, PartyData

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


def word_options(command: Callable[P, R]) -> Callable[P, R]:
    """The options --map and --map-file, which give the party's classes of others'."""
    pairs = click.option(
        "--map",
        "pairs",
        multiple=True,
        metavar="THEIRS=OURS",
        help="The party's class of one of theirs; nothing behind = leaves it out. Repeatable.",
    )
    file = click.option(
        "--map-file", type=FOLDER, help="A text file with one THEIRS=OURS on each line."
    )
    return pairs(file(command))


def with_party(
    command: Callable[Concatenate[Any, P], R], *, takes_edits: bool = False
) -> Callable[..., R]:
    """The command with an option --party, called with the opened Party first.

    A command that `takes_edits` runs although the classes of the preset's file were edited.
    """

    def open_folder(folder: Path) -> AbstractContextManager[Party]:
        from .party import open_party

        return open_party(folder, takes_edits=takes_edits)

    return _with_opened(command, open_folder)


def with_data(
    command: Callable[Concatenate[Any, P], R], *, needs_store: bool = True
) -> Callable[..., R]:
    """The command with an option --party, called with the PartyData first.

    It runs whatever is in the preset's file. A command that only reads the catalogue may run where
    the image store is not here.
    """

    def open_folder(folder: Path) -> AbstractContextManager[PartyData]:
        from .party import open_data

        return open_data(folder, needs_store=needs_store)

    return _with_opened(command, open_folder)


def _with_opened(
    command: Callable[Concatenate[Any, P], R],
    open_folder: Callable[[Path], AbstractContextManager[PartyData]],
) -> Callable[..., R]:
    @party_option
    @functools.wraps(command)
    def opened(*args: Any, party_folder: Path | None, **kwargs: Any) -> R:
        from .party import find_party_folder

        with open_folder(party_folder or find_party_folder(Path.cwd())) as party:
            return command(party, *args, **kwargs)

    return opened
