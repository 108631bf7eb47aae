"""What every subcommand shares: the --party option, errors as one sentence, the log."""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import click

from voc.own_files import ForeignFileError
from voc.shortage import describe_shortage

from .errors import VocpartyError

P = ParamSpec("P")
R = TypeVar("R")


class CommandGroup(click.Group):
    """A command that ends in one sentence and a status where no bug is to blame.

    That is a VocpartyError, a file of the user that is in the way, a lost catalogue, a machine
    that is short of memory, and what the system says of its disks and files.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """What the subcommand returns; exits with the error's status where it raises one."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Stopped. Run the same command again to continue.", err=True)
            ctx.exit(130)
        except (click.exceptions.Exit, click.ClickException, click.Abort):
            raise
        except Exception as error:
            told: object = error
            if not isinstance(error, VocpartyError | ForeignFileError):
                from .session import describe_loss

                told = describe_loss(error) or describe_shortage(error) or _describe_os(error)
                if told is None:
                    raise
            click.secho("Error: ", fg="red", bold=True, nl=False, err=True)
            click.echo(told, err=True)
            ctx.exit(getattr(error, "exit_status", 1))


def _describe_os(error: Exception) -> str | None:
    """What the system says, and of which file; None of other errors and of a pipe's end."""
    if not isinstance(error, OSError) or not error.strerror or isinstance(error, BrokenPipeError):
        return None
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror}. Fix that and run the same command again."


_LOUDNESS = "vocparty.loudness"


def set_loudness(context: click.Context, *, quiet: bool, verbose: bool) -> None:
    """Have less or more told; colours are off where NO_COLOR is set (no-color.org)."""
    context.meta[_LOUDNESS] = verbose - quiet
    if os.environ.get("NO_COLOR"):
        context.color = False


def get_loudness() -> int:
    """-1 where only results and errors are to be told, 1 where all of the log is, else 0."""
    context = click.get_current_context(silent=True)
    return 0 if context is None else int(context.meta.get(_LOUDNESS, 0))


party_option = click.option(
    "--party",
    "party_folder",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    envvar="VOCPARTY_PARTY",
    help="The party's folder (default: VOCPARTY_PARTY, or the nearest folder upwards).",
)


def with_party(
    command: Callable[Concatenate[Any, P], R], *, needs_store: bool = True
) -> Callable[..., R]:
    """The command with an option --party, called with the opened Party first.

    A command that only reads the catalogue may run where the image store is not here.
    """

    @party_option
    @functools.wraps(command)
    def opened(*args: Any, party_folder: Path | None, **kwargs: Any) -> R:
        from .party import find_party_folder, open_party

        folder = party_folder or find_party_folder(Path.cwd())
        with open_party(folder, needs_store=needs_store) as party:
            return command(party, *args, **kwargs)

    return opened


def show_log(level: int = logging.INFO) -> None:
    """Send the log to standard error: warnings alone as sentences, more of it with times."""
    loudness = get_loudness()
    level = logging.INFO if loudness > 0 else logging.ERROR if loudness < 0 else level
    handler = logging.StreamHandler()
    if level > logging.INFO:
        handler.setFormatter(_Sentences())
    else:
        handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level, handlers=[handler])


class _Sentences(logging.Formatter):
    """Each message as a sentence on a new line, also where a progress line stands."""

    def format(self, record: logging.LogRecord) -> str:
        text = super().format(record)
        start = "\r\x1b[K" if sys.stderr.isatty() else ""
        end = "" if text.endswith((".", "!", "?")) else "."
        return f"{start}{text[:1].upper()}{text[1:]}{end}"
