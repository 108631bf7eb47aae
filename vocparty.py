"""The command `vocparty`: each stage's own subcommands under one name.

A subcommand's module is imported when it is asked for, so that `--help` answers at once.
"""

from __future__ import annotations

import copy
import difflib
import functools
import gc
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import click

if __name__ == "__main__":
    # -m puts the current folder first, where a file catalog.py of the user's own may lie.
    sys.path[0] = str(Path(__file__).parent)

from catalog.command import PartyCommandGroup
from vockit.command_line import get_loudness, set_loudness

Subcommands = Mapping[str, tuple[str, str]]

GROUPS: Mapping[str, Subcommands] = {
    "Try": {
        "demo": ("simulate.cli:demo", "Run a whole party on this machine, without a Flickr key."),
        "standin": (
            "simulate.cli:standin",
            "Serve photographs of a folder as both sources do.",
        ),
    },
    "Set up": {
        "init": ("operate.party_cli:init", "Make a new party: settings, catalogue, image store."),
        "preset": ("operate.party_cli:preset", "Write or check a preset of your own classes."),
        "key": ("collect.cli:key", "Try the key, or that the source answers without one."),
        "people": ("work.cli:people", "Add people, list them, renew a personal link."),
        "classes": ("operate.cli:classes", "List, rename, merge or split classes."),
    },
    "Collect": {
        "source": ("collect.source_table.cli:source", "Add a table of photographs as a source."),
        "queries": ("collect.queries.cli:queries", "List, add or suggest queries of classes."),
        "collect": ("collect.cli:collect", "Fetch photographs from Flickr, Commons or a table."),
        "import": ("vocparty:import_", "Import photographs or labels from elsewhere."),
        "dedup": ("dedup.cli:dedup", "Hash the images and remove near-duplicates."),
        "takedown": ("collect.takedown.cli:takedown", "Withdraw photographs for good."),
    },
    "Annotate and check": {
        "serve": ("annotate_ui.cli:serve", "Serve the annotation party to browsers."),
        "suggest": ("work.suggest.cli:suggest", "Show people boxes that a model suggests."),
        "questions": ("work.presence.cli:questions", "Plan questions which images show what."),
        "segment": ("work.segment.cli:segment", "Choose images whose pixels people draw."),
        "images": ("work.cli:images", "Find images by class, state, person and more."),
        "qa": ("qa.cli:qa", "Run the automatic checks."),
        "agreement": ("qa.cli:agreement", "Measure how well people agree, and what they miss."),
    },
    "Look": {
        "progress": ("operate.party_cli:stats", "Show progress: counts by state and class."),
        "collected": ("collect.report.cli:report", "Report how even the collection is."),
        "tables": ("qa.cli:statistics", "Print the tables of the VOC papers."),
    },
    "Release": {
        "export": ("export.cli:export", "Write a release as a PASCAL VOC tree."),
        "release": ("export.release_cli:release", "List, show and compare releases."),
        "devkit": ("vockit.foreign.cli:devkit", "Write the participants' kit of a release."),
        "archive": ("vockit.foreign.cli:archive", "Pack a VOC tree into tar archives."),
        "convert": ("vockit.foreign.cli:convert", "Write a VOC tree in another tool's format."),
    },
    "Keep": {
        "backup": ("operate.cli:backup", "Back up the whole party into one file."),
        "restore": ("operate.cli:restore", "Restore a backup into a new folder."),
        "doctor": ("operate.cli:doctor", "Look for faults, and repair what is safe."),
        "move": ("operate.cli:move", "Copy the party to PostgreSQL and an object store."),
    },
    "Use a VOC tree": {
        "verify": ("export.cli:verify", "Read a VOC tree back and name every violation."),
        "browse": ("vockit.browse.cli:browse", "Show a VOC tree with its annotations drawn."),
        "show": ("vockit.viewers.cli:show", "Write a page that shows an image set."),
        "evaluate": (
            "vockit.evaluate.cli:evaluate",
            "Score results on a VOC tree as the kit does.",
        ),
        "check-results": (
            "vockit.evaluate.check_cli:check_results",
            "Say whether results can be scored.",
        ),
        "show-detections": (
            "vockit.viewers.cli:show_detections",
            "Write a page that shows detections by rank.",
        ),
    },
    "Score others' results": {
        "challenge": ("vocparty:challenge", "Run a challenge: a server that scores submissions."),
    },
    "Compare with other image sets": {
        "hashes": ("dedup.overlap.cli:hashes", "Write the hashes of a folder, for a comparison."),
        "overlap": (
            "dedup.overlap.cli:overlap",
            "Find near-duplicates between our images and others.",
        ),
    },
}
"""The subcommands in the order of the work, under the headings that --help shows."""

SUBCOMMANDS: Subcommands = {name: spec for group in GROUPS.values() for name, spec in group.items()}

ALIASES: Mapping[str, str] = {"stats": "progress", "report": "collected", "statistics": "tables"}
"""Names that commands had; they go with the release after the next."""

IMPORTS: Subcommands = {
    "folder": ("collect.imports.cli:import_folder", "Import the photographs in a folder."),
    "urls": ("collect.imports.cli:import_urls", "Import the photographs at addresses."),
    "dataset": (
        "export.importing.cli:import_dataset",
        "Import labels of VOC, COCO, YOLO and other forms.",
    ),
}

CHALLENGE: Subcommands = {
    "init": ("challenge.cli:init", "Make a challenge of an open release."),
    "serve": ("challenge.pages.cli:serve", "Serve it to browsers and score what is sent."),
    "organiser": ("challenge.pages.cli:organiser", "Print an organiser's personal link."),
    "team": ("challenge.team_cli:team", "Add, list or erase teams."),
    "phases": ("challenge.cli:phases", "Show or set the dates of the phases."),
    "list": ("challenge.entries_cli:list_submissions", "List all submissions."),
    "quota": ("challenge.team_cli:quota", "Give a team more results."),
    "hide": ("challenge.entries_cli:hide", "Take an entry from the board."),
    "show": ("challenge.entries_cli:show", "Take back hide and disqualify."),
    "disqualify": ("challenge.entries_cli:disqualify", "Show a reason in place of numbers."),
    "rescore": ("challenge.entries_cli:rescore", "Score everything again."),
    "publish": ("challenge.cli:publish", "End it: open the labels and the board."),
    "log": ("challenge.cli:show_log", "Show what organisers did."),
    "backup": ("challenge.keeping_cli:backup", "Back up the whole challenge into one file."),
    "restore": ("challenge.keeping_cli:restore", "Restore a backup into a new folder."),
    "move": ("challenge.keeping_cli:move", "Copy its database to another server."),
    "doctor": ("challenge.keeping_cli:doctor", "Look for faults."),
}

NEXT: Mapping[str, str] = {
    "import": "`vocparty dedup`",
    "takedown": "`vocparty export` again for each release that it names",
    "serve": "`vocparty progress`, then `vocparty qa`",
    "qa": "`vocparty export OUT --year YEAR`",
    "agreement": "`vocparty export OUT --year YEAR`",
    "collected": "`vocparty queries list`",
    "export": "`vocparty verify OUT`",
    "verify": "`vocparty browse TREE`, or `vocparty convert TREE OUT --to coco`",
    "restore": "`vocparty doctor`",
}
"""What people do after a command."""

ON_TERMINAL: Mapping[str, str] = {
    "people": "`vocparty serve`",
    "classes": "`vocparty serve`",
    "segment": "`vocparty serve`",
    "suggest": "`vocparty serve`",
    "questions": "`vocparty serve`",
    "images": "the page Images of `vocparty serve`",
    "tables": "`vocparty export OUT --year YEAR`",
    "release": "`vocparty browse TREE`",
    "devkit": "publish its archive; `vocparty evaluate TREE` scores what participants send",
    "archive": "`vocparty evaluate TREE`, once there are results",
    "convert": "`vocparty evaluate TREE`, once there are results",
    "browse": "`vocparty evaluate TREE`, once there are results",
    "evaluate": "`vocparty browse TREE`",
    "show": "`vocparty evaluate TREE`, once there are results",
    "show-detections": "`vocparty evaluate TREE --report report`",
    "check-results": "`vocparty evaluate TREE`, where the labels are",
    "backup": "`vocparty restore FILE DIR` on another machine, to try it",
    "doctor": "`vocparty progress`",
    "move": "`vocparty doctor`",
    "hashes": "`vocparty overlap HASHFILE`, by those who have the other images",
    "overlap": "`vocparty takedown` for what must not be released",
}
"""The same, told on a terminal only, where no program reads the lines."""

TOLD_BY_ITSELF = frozenset(
    {
        "demo",
        "standin",
        "init",
        "challenge",
        "preset",
        "key",
        "source",
        "queries",
        "collect",
        "dedup",
        "progress",
    }
)
"""Commands that end with their own next step, or go on until they are stopped."""

_IS_JSON = "vocparty.is_json"
_IS_DRY = "vocparty.is_dry"


class LazyGroup(PartyCommandGroup):
    """The subcommands by name; each is imported when it is first used."""

    def __init__(self, *args: Any, groups: Mapping[str, Subcommands], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._groups = groups
        self._subcommands = {
            name: spec for group in groups.values() for name, spec in group.items()
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The subcommands in the order of the work."""
        return list(self._subcommands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The subcommand, or None where there is none of that name."""
        if cmd_name not in self._subcommands:
            return None
        command = resolve_name(self._subcommands[cmd_name][0])
        assert isinstance(command, click.Command)
        return _run_checks_before(command) if cmd_name == "export" else command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the subcommands with one line each, without importing them."""
        widest = max(map(len, self._subcommands))
        for heading, group in self._groups.items():
            with formatter.section(heading):
                lines = [(name.ljust(widest), text) for name, (_, text) in group.items()]
                formatter.write_dl(lines)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The subcommand; where there is none of that name, the error names one that is alike."""
        ctx.meta[_IS_JSON] = "--json" in args
        ctx.meta[_IS_DRY] = "--dry-run" in args
        if args[0] in ALIASES:
            new = ALIASES[args[0]]
            if not ctx.resilient_parsing:  # a shell that completes
                click.echo(f"`vocparty {args[0]}` is called `vocparty {new}` now.", err=True)
            args = [new, *args[1:]]
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            alike = difflib.get_close_matches(args[0], self._subcommands, n=1)
            hint = f" Did you mean {alike[0]!r}?" if alike else ""
            raise click.UsageError(f"{error.message}{hint}", ctx) from None


def _run_checks_before(export: click.Command) -> click.Command:
    """The command with the automatic checks before it, unless its release is recorded already.

    It is put together here, since stages do not know one another.
    """
    inner = export.callback
    assert inner is not None

    @functools.wraps(inner)
    def both(*args: Any, party_folder: Path | None, **kwargs: Any) -> Any:
        if not resolve_name("export.releases:is_recorded")(party_folder, **kwargs):
            resolve_name("qa.cli:check_first")(party_folder)
        return inner(*args, party_folder=party_folder, **kwargs)

    command = copy.copy(export)
    command.callback = both
    return command


@click.group(cls=LazyGroup, groups=GROUPS, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("-q", "--quiet", is_flag=True, help="Tell results and errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Tell what is done, step by step.")
@click.version_option(package_name="vocparty")
@click.pass_context
def main(context: click.Context, quiet: bool, verbose: bool) -> None:
    """Make an image dataset the way PASCAL VOC made its own.

    Collect photographs, remove near-duplicates, annotate and check them in browsers, release them
    as a VOC dataset. Start with `vocparty demo DIR`.
    """
    set_loudness(context, quiet=quiet, verbose=verbose)
    # Processes that are forked for pictures come from a Python that would look there first, too.
    os.environ["PYTHONSAFEPATH"] = "1"
    # A release is a million objects that stay; searching them for cycles took a fifth of an export.
    gc.set_threshold(100_000)


@main.result_callback()
@click.pass_context
def tell_next(context: click.Context, /, _result: object, **_options: object) -> None:
    """Say on standard error what to do after the command, unless it is to be quiet."""
    name = context.invoked_subcommand or ""
    step = NEXT.get(name) or (ON_TERMINAL.get(name) if sys.stderr.isatty() else None)
    if context.meta.get(_IS_DRY):  # nothing was done yet
        step = "the same command without --dry-run"
    if step and get_loudness() >= 0 and not context.meta.get(_IS_JSON):
        click.secho(f"Next: {step}.", fg="cyan", err=True)


@click.group(cls=LazyGroup, groups={"Commands": CHALLENGE})
def challenge() -> None:
    """Run a challenge: teams send results, a server scores them on labels that nobody else has."""


@click.group(cls=LazyGroup, groups={"Commands": IMPORTS})
def import_() -> None:
    """Import photographs, labels of other tools, or an existing VOC dataset."""


if __name__ == "__main__":
    main()
