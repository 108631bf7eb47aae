"""What every command shares: errors as one sentence, the log, how much is told."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from .errors import UserError
from .format.plural import format_count
from .format.shortage import describe_shortage

FOLDER = click.Path(path_type=Path)


tree_argument = click.argument("tree", metavar="TREE", type=FOLDER)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="One JSON document on standard output."
)
MOST_REASONS = 10


def show_some(lines: list[str], rest: str) -> None:
    """Show the first of these lines on standard error, and how many images more there are."""
    for line in lines[:MOST_REASONS]:
        click.echo(line, err=True)
    if len(lines) > MOST_REASONS:
        more = format_count(len(lines) - MOST_REASONS, "more image")
        click.echo(rest.format(more), err=True)


def name_some(names: Sequence[str], most: int = 3) -> str:
    """How many images these are, and the first of them."""
    shown = ", ".join(names[:most]) + (", ..." if len(names) > most else "")
    return f"{format_count(len(names), 'image')} ({shown})"


class CommandGroup(click.Group):
    """A command that ends in one sentence and a status where no bug is to blame.

    That is a UserError, a machine that is short of memory, and what the system says of its disks
    and files.
    """

    def invoke(self, ctx: click.Context) -> Any:
        """What the subcommand returns; exits with the error's status where it raises one."""
        if isinstance(sys.stdout, io.TextIOWrapper):  # file names may be no text in any encoding
            sys.stdout.reconfigure(errors="backslashreplace")
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("Stopped. Run the same command again to continue.", err=True)
            ctx.exit(130)
        except (click.exceptions.Exit, click.ClickException, click.Abort):
            raise
        except Exception as error:
            sentence = self.describe(error)
            if sentence is None:
                raise
            click.secho("Error: ", fg="red", bold=True, nl=False, err=True)
            click.echo(sentence, err=True)
            ctx.exit(getattr(error, "exit_status", 1))

    def describe(self, error: Exception) -> str | None:
        """The sentence for the user; None where the error is a bug and its traceback is shown."""
        if isinstance(error, UserError):
            return str(error)
        return describe_shortage(error) or _describe_os(error) or _describe_import(error)


def _describe_import(error: Exception) -> str | None:
    """Which package is not installed; None of other errors."""
    name = error.name if isinstance(error, ModuleNotFoundError) else None
    package = (name or "").partition(".")[0]
    if not package or find_spec(package) is not None:
        return None
    return (
        f"The package {package} is not installed, and this needs it; install vockit again with "
        f"what it needs, or {package} alone."
    )


def _describe_os(error: Exception) -> str | None:
    """What the system or a library says of a file; None of other errors and of a pipe's end."""
    if not isinstance(error, OSError) or isinstance(error, BrokenPipeError) or not str(error):
        return None
    place = f"{error.filename}: " if error.filename else ""
    reason = error.strerror or str(error).rstrip(".")  # of a library, as of a certificate bundle
    return f"{place}{reason}. Fix that and run the same command again."


_LOUDNESS = "vockit.loudness"


def set_loudness(context: click.Context, *, quiet: bool, verbose: bool) -> None:
    """Have less or more told; colours are off where NO_COLOR is set (no-color.org)."""
    context.meta[_LOUDNESS] = verbose - quiet
    if os.environ.get("NO_COLOR"):
        context.color = False


def get_loudness() -> int:
    """-1 where only results and errors are to be told, 1 where all of the log is, else 0."""
    context = click.get_current_context(silent=True)
    return 0 if context is None else int(context.meta.get(_LOUDNESS, 0))


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


def show_skipped(skipped: Sequence[tuple[str, str]]) -> None:
    """Name the first images that were skipped, each with its reason, on standard error."""
    lines = [f"Skipped image {image_id}: {reason}." for image_id, reason in skipped]
    show_some(lines, "Skipped {}.")


def show_corrected(corrected: Sequence[tuple[str, str]]) -> None:
    """Name the first values that are taken otherwise than a file has them, by their images."""
    lines = [f"Corrected image {image_id}: {message}." for image_id, message in corrected]
    for line in lines[:MOST_REASONS]:
        click.echo(line, err=True)
    if len(lines) > MOST_REASONS:
        more = format_count(len(lines) - MOST_REASONS, "more value")
        click.echo(f"Corrected {more}.", err=True)
