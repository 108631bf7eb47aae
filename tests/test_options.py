"""Options with values that nobody means end in a sentence, whatever the command."""

import os
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from catalog.party import Party
from vocparty import main

ODD_NUMBERS = ("-1", "0", "99999", "1e400", "nan", str(10**21))
ODD_PATHS = ("", ".", "/dev/null/x", "file/x", "none/x", "x" * 300, "two\nlines", "\udcff")
RUNS_ON = ("demo", "standin", "serve", "browse")
"""Commands that go on once their options are right."""
WORKS_LONG = ("import", "collect", "tables", "evaluate", "export")
"""Commands that have work to do before they come to the place where they write."""


def list_commands(
    command: click.Command, words: tuple[str, ...], context: click.Context
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command without subcommands, with the words that call it."""
    if not isinstance(command, click.Group):
        yield words, command
        return
    for name in command.list_commands(context):
        inner = command.get_command(context, name)
        assert inner is not None
        yield from list_commands(inner, (*words, name), click.Context(inner, parent=context))


COMMANDS = dict(list_commands(main, (), click.Context(main)))


def is_number(parameter: click.Parameter) -> bool:
    ranges = click.IntRange, click.FloatRange
    return isinstance(parameter.type, ranges) or parameter.type in (click.INT, click.FLOAT)


def make_words(
    words: tuple[str, ...], command: click.Command, odd: click.Parameter, value: str, party: Path
) -> list[str]:
    """The command line with one odd value, and ordinary ones where some are required."""
    arguments = []
    options = [] if odd.param_type_name == "argument" else [odd.opts[0], value]
    for parameter in command.params:
        if parameter.param_type_name == "argument" and (parameter.required or parameter is odd):
            arguments.append(value if parameter is odd else "1")
        elif parameter.name == "party_folder" and parameter is not odd:
            options += ["--party", str(party)]
        elif parameter.required and parameter is not odd:
            choices = getattr(parameter.type, "choices", ("2026",))
            options += [parameter.opts[0], str(choices[0])]
    return [*words, *options, "--", *arguments]


def list_odd() -> Iterator[tuple[tuple[str, ...], click.Command, click.Parameter, str]]:
    for words, command in COMMANDS.items():
        for parameter in command.params:
            if words[0] in RUNS_ON or words[0] in WORKS_LONG:
                continue
            values: tuple[str, ...]
            if is_number(parameter):
                values = ODD_NUMBERS
            elif isinstance(parameter.type, click.Path):
                values = ODD_PATHS[:1] if parameter.name == "party_folder" else ODD_PATHS
            else:
                continue
            yield from ((words, command, parameter, value) for value in values)


@pytest.mark.slow
def test_odd_values_of_paths_and_numbers_end_in_a_sentence(
    party: Party, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    Path("file").write_text("")
    tried = 0
    for words, command, parameter, value in list_odd():
        line = make_words(words, command, parameter, value, party.folder)
        done = CliRunner().invoke(main, line)
        assert done.exception is None or isinstance(done.exception, SystemExit), (line, done)
        assert done.exit_code in (0, 1, 2), (line, done.output)
        tried += 1
    assert tried > 100


def test_no_number_is_larger_than_its_command_can_take() -> None:
    unbounded = [
        (*words, parameter.opts[0])
        for words, command in COMMANDS.items()
        for parameter in command.params
        if parameter.type is click.INT and parameter.name != "seed"
    ]
    assert unbounded == []


def test_a_certificate_bundle_that_is_not_there_is_told(
    party: Party, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", os.fspath(party.folder / "none.pem"))
    monkeypatch.setenv("VOCPARTY_FLICKR_KEY", "k")
    for line in (["key", "test"], ["collect", "--target", "1"]):
        done = CliRunner().invoke(main, [*line, "--party", os.fspath(party.folder)])
        assert isinstance(done.exception, SystemExit), (line, done)
        assert done.exit_code in (1, 2)
        assert "certificate bundle" in done.output


UNKNOWN = """
people link|nobody
people end|nobody
people undo|nobody
release show|VOC1999
release diff|VOC1999 VOC2026
takedown|flickr:404 --reason asked
takedown|--owner nobody --reason asked
tables|--release VOC1999
classes rename|unicorn horse
classes merge|unicorn horse
classes split|unicorn --into horse --into dog
source remove|flowers
queries suggest|unicorn
queries add|unicorn horn
images|--class unicorn
images|--person nobody
images|--query unicorn
images|--set VOC1999
export|{folder}/out --year 2026 --extend VOC1999
export|{folder}/out --year 2026 --corrects VOC1999 --name VOC1999.1
export|{folder}/out --year 2026 --test2 flowers
collect|--plan --class unicorn
import folder|{folder} --class unicorn
import folder|{folder}/away
import dataset|{folder}/away
import urls|{folder}/away
overlap|{folder} --against release:VOC1999
evaluate|{folder}/away
"""


@pytest.mark.parametrize("line", UNKNOWN.split("\n")[1:-1])
def test_an_argument_that_names_nothing_there_is_is_wrong_usage(party: Party, line: str) -> None:
    command, _, rest = line.partition("|")
    words = [*command.split(), *rest.format(folder=party.folder).split()]
    ours = () if command == "evaluate" else ("--party", str(party.folder))
    done = CliRunner().invoke(main, [*words, *ours])
    assert done.exit_code == 2, done.output
    assert done.stderr.startswith(("Error: ", "Usage: "))
    assert isinstance(done.exception, SystemExit)


def test_no_port_is_taken_that_there_is_not() -> None:
    with_port = [
        (*words, *(["." for item in command.params if item.param_type_name == "argument"]))
        for words, command in COMMANDS.items()
        if any("--port" in parameter.opts for parameter in command.params)
    ]
    assert len(with_port) >= 5
    for line in with_port:
        done = CliRunner().invoke(main, [*line, "--port", "99999"])
        assert done.exit_code == 2, line
        assert "99999 is not in the range 0<=x<=65535" in done.output
