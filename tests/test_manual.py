"""The manual names every command and option, and imports keep to the contracts."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from vockit.command import main as kit
from vocparty import NEXT, ON_TERMINAL, SUBCOMMANDS, TOLD_BY_ITSELF, main

ROOT = Path(__file__).parents[1]
MANUAL = ROOT / "docs" / "manual"
PACKAGES = [
    "annotate_ui",
    "catalog",
    "challenge",
    "collect",
    "dedup",
    "export",
    "operate",
    "qa",
    "simulate",
    "tests",
    "vockit",
    "web",
    "work",
]
HEADING = re.compile(r"^#{1,6} (.+?)\s*$", re.MULTILINE)
ANCHOR = re.compile(r"\]\((?!https?:|mailto:)([^)#]*)#([^)]+)\)")
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)#]+)")


def list_commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    context = click.Context(group)
    commands: list[tuple[str, ...]] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        inner = list_commands(command, (*path, name)) if isinstance(command, click.Group) else []
        commands += inner or [(*path, name)]
    return commands


def find_command(path: tuple[str, ...]) -> click.Command:
    command: click.Command = main
    for name in path:
        assert isinstance(command, click.Group)
        subcommand = command.get_command(click.Context(command), name)
        assert subcommand is not None
        command = subcommand
    return command


COMMANDS = list_commands(main)
by_words = pytest.mark.parametrize("path", COMMANDS, ids=" ".join)


def list_groups(group: click.Group, *above: str) -> Iterator[tuple[str, click.Group]]:
    """Every group of commands, with the words that call it."""
    yield " ".join(above), group
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from list_groups(command, *above, name)


GROUPS = dict([*list_groups(main, "vocparty"), *list_groups(kit, "vockit")])


@pytest.mark.parametrize("words", GROUPS)
def test_no_text_in_a_list_of_commands_is_cut_off_or_wrapped_at_80_columns(
    words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    group = GROUPS[words]
    names = group.list_commands(click.Context(group))
    _options, *lists = group.get_help(click.Context(group)).partition("Options:")[2].split("\n\n")
    lines = [line for part in lists for line in part.splitlines() if line.startswith("  ")]
    assert [line.split()[0] for line in lines] == names
    assert [line for line in lines if line.endswith("...")] == []


@by_words
def test_every_command_has_help_with_an_example(path: tuple[str, ...]) -> None:
    done = CliRunner().invoke(main, [*path, "--help"])
    assert done.exit_code == 0
    assert re.search(rf"Example:\n +vocparty {' '.join(path)}\b", done.output)


@by_words
def test_the_manual_page_of_a_command_names_each_option(path: tuple[str, ...]) -> None:
    page = (MANUAL / f"{path[0]}.md").read_text()
    assert page.startswith(f"# vocparty {path[0]}")
    for option in find_command(path).params:
        if isinstance(option, click.Option):
            assert option.opts[-1] in page, option.opts


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_the_list_of_commands_describes_each_command(name: str) -> None:
    _place, text = SUBCOMMANDS[name]
    assert text.endswith(".")
    assert find_command((name,)).help


@pytest.mark.parametrize(
    "page", [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"], ids=lambda page: page.name
)
def test_every_link_in_the_documents_leads_to_a_file(page: Path) -> None:
    broken = [link for link in LINK.findall(page.read_text()) if not (page.parent / link).exists()]
    assert broken == []


@pytest.mark.parametrize(
    "page", [*sorted(ROOT.glob("docs/**/*.md")), ROOT / "README.md"], ids=lambda page: page.name
)
def test_every_link_to_a_section_leads_to_one(page: Path) -> None:
    links = ANCHOR.findall(page.read_text())
    sections = {link: list_anchors(page.parent / link if link else page) for link, _ in links}
    assert [link for link in links if link[1] not in sections[link[0]]] == []


def list_anchors(page: Path) -> set[str]:
    """How a link names each heading of a page, as on GitHub and on the site."""
    headings = (
        re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        for heading in HEADING.findall(page.read_text())
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_lines_to_paste_of_the_readme_are_commands_with_their_options() -> None:
    text = (ROOT / "README.md").read_text()
    doors = text[: text.index("## What others do")]
    lines = re.findall(r"^    (vocparty .*?)(?:  +#.*)?$", doors, re.MULTILINE)
    assert len(lines) == 9
    calls = [call.split() for line in lines for call in line.split(" && ")]
    for _name, *words in (call for call in calls if call[0] == "vocparty"):
        path = next(path for path in COMMANDS if list(path) == words[: len(path)])
        known = {option for param in find_command(path).params for option in param.opts}
        assert {word for word in words if word.startswith("--")} <= known


def test_the_architecture_names_modules_and_functions_that_exist() -> None:
    paths = [path for package in PACKAGES for path in (ROOT / package).rglob("*.[pj][ys]")]
    code = {path: path.read_text() for path in (*paths, ROOT / "vocparty.py")}
    page = (ROOT / "docs" / "architecture.md").read_text()
    modules = {path.name for path in code}
    assert {name for name in re.findall(r"\w+\.(?:py|js)\b", page) if name not in modules} == set()
    words = {word for text in code.values() for word in re.findall(r"\w+", text)}
    for name in re.findall(r"`(?:\w+\.)?(\w+_\w+)`", page):
        assert name in words, name
    way = page.partition("what to read, in order")[2].partition("\n\n")[0]
    for file, names in re.findall(r"(\w+\.(?:py|js)) ((?:`[\w.]+`(?:, )?)+)", way):
        texts = [text for path, text in code.items() if path.name == file]
        for name in re.findall(r"(\w+)`", names):
            assert any(re.search(rf"(?:def|function) {name}\b", text) for text in texts), name


def test_the_index_of_decisions_lists_each_page_once_by_its_title() -> None:
    folder = ROOT / "docs" / "decisions"
    index = (folder / "README.md").read_text("utf-8")
    listed = re.findall(r"^- \[(.+)\]\((\S+\.md)\)$", index, re.MULTILINE)
    pages = {
        path.name: path.read_text("utf-8").partition("\n")[0].removeprefix("# ")
        for path in folder.glob("*.md")
        if path.name != "README.md"
    }
    assert sorted(name for _, name in listed) == sorted(pages)
    assert {name: title for title, name in listed} == pages


def test_every_path_that_a_guide_names_exists() -> None:
    """Paths below a package, such as `work/leases.py`; a word in capitals stands for a name."""
    guides = [ROOT / "CONTRIBUTING.md", ROOT / "docs/how-to.md", ROOT / "docs/architecture.md"]
    roots = "|".join(PACKAGES)
    missing = []
    for guide in guides:
        paths = re.findall(rf"\b((?:{roots})/[\w./-]*\w)", guide.read_text("utf-8"))
        missing += [
            f"{guide.name}: {path}"
            for path in paths
            if not (ROOT / path).exists() and "NAME" not in path and "CODE" not in path
        ]
    assert missing == []


def test_every_test_that_the_threat_model_names_exists() -> None:
    rows = (ROOT / "docs" / "threat-model.md").read_text().partition("|---|")[2].splitlines()[1:]
    for row in rows:
        named = re.findall(r"(tests/\S+\.py)::(test_\w+)", row)
        assert named, f"no test shows: {row}"
        for path, name in named:
            assert f"def {name}(" in (ROOT / path).read_text(), f"{path}::{name}"


def test_help_is_shown_without_importing_a_stage() -> None:
    program = (
        "import sys\n"
        "from click.testing import CliRunner\n"
        "import vocparty\n"
        "assert CliRunner().invoke(vocparty.main, ['--help']).exit_code == 0\n"
        "print(sorted({'flask', 'sqlalchemy', 'numpy', 'requests', 'PIL'} & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_an_unknown_command_is_wrong_usage() -> None:
    done = CliRunner().invoke(main, ["colect"])
    assert done.exit_code == 2
    assert "No such command 'colect'. Did you mean 'collect'?" in done.output
    assert CliRunner().invoke(main, ["party"]).output.endswith("No such command 'party'.\n")


def test_the_party_can_be_set_by_an_environment_variable(tmp_path: Path) -> None:
    party = tmp_path / "zoo"
    assert CliRunner().invoke(main, ["init", str(party)]).exit_code == 0
    done = CliRunner().invoke(main, ["progress", "--json"], env={"VOCPARTY_PARTY": str(party)})
    assert '"photos"' in done.stdout


@pytest.mark.slow
def test_python_files_in_the_working_folder_shadow_no_module(tmp_path: Path) -> None:
    for name in ("export.py", "qa.py", "catalog.py"):
        (tmp_path / name).write_text("raise SystemExit('mine')\n")
    command = [sys.executable, "-m", "vocparty", "verify", "nowhere"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert "mine" not in done.stderr
    assert "nowhere" in done.stderr


def test_outside_a_party_a_command_fails_with_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["progress"])
    assert done.exit_code == 2
    assert done.output.startswith("Error: No party.toml in ")
    assert "Traceback" not in done.output


def test_the_old_name_of_a_command_works_and_names_the_new_one(tmp_path: Path) -> None:
    party = tmp_path / "zoo"
    assert CliRunner().invoke(main, ["init", str(party)]).exit_code == 0
    done = CliRunner().invoke(main, ["stats", "--json", "--party", str(party)])
    assert '"photos"' in done.stdout
    assert done.stderr == "`vocparty stats` is called `vocparty progress` now.\n"


def test_every_command_has_a_next_step() -> None:
    assert set(SUBCOMMANDS) == set(NEXT) | set(ON_TERMINAL) | TOLD_BY_ITSELF


def test_a_command_ends_with_the_next_step_unless_quiet(tmp_path: Path) -> None:
    party = tmp_path / "zoo"
    CliRunner().invoke(main, ["init", str(party)])
    words = ["collected", "--party", str(party)]
    assert CliRunner().invoke(main, words).stderr == "Next: `vocparty queries list`.\n"
    assert CliRunner().invoke(main, ["-q", *words]).stderr == ""


def test_after_a_dry_run_the_next_step_is_to_do_it(tmp_path: Path) -> None:
    party = tmp_path / "zoo"
    CliRunner().invoke(main, ["init", str(party)])
    words = ["takedown", "--owner", "1@N00", "--reason", "x", "--dry-run", "--party", str(party)]
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 0, done.output
    assert done.stderr.endswith("Next: the same command without --dry-run.\n")


@pytest.mark.parametrize(("environment", "is_red"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_errors_are_red_if_colours_are_enabled(
    environment: dict[str, str], is_red: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["progress"], env=environment, color=True)
    assert ("\x1b[31m" in done.output) is is_red


LINTED = tuple(name for name in PACKAGES if name not in ("benchmarks", "tests"))


@pytest.fixture
def copied_packages(tmp_path: Path) -> Path:
    leave_out = shutil.ignore_patterns("__pycache__", "static", "templates")
    for package in LINTED:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=leave_out)
    for name in ("vocparty.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """The result of lint-imports on the packages in a folder."""
    program = (
        "import sys; sys.path.insert(0, '.'); "
        "from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    )
    command = [sys.executable, "-I", "-c", program]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_packages_keep_the_import_contracts(copied_packages: Path) -> None:
    done = lint(copied_packages)
    assert done.returncode == 0, done.stdout


WRONG = [
    ("collect.errors", "import simulate.flickr", "simulate.flickr"),
    ("catalog.box", "import collect.errors", "collect.errors"),
    ("catalog.refusals", "import web.guard", "web.guard"),
    ("qa.findings", "import work.leases", "work.leases"),
    ("work.visit", "import web.guard", "web.guard"),
    ("operate.rows", "import annotate_ui.app", "annotate_ui.app"),
    ("export.errors", "import dedup.pairs", "dedup.pairs"),
    ("qa.findings", "import flask", "flask"),
    ("work.visit", "import dedup.jobs", "dedup.jobs"),
    ("vockit.format.text", "import catalog.box", "catalog.box"),
    ("vockit.evaluate.curves", "import catalog.states", "catalog.states"),
    ("vockit.format.text", "import vockit.foreign.folder", "vockit.foreign.folder"),
    ("vockit.foreign.folder", "import vockit.verify.check", "vockit.verify.check"),
    ("vockit.verify.check", "import vockit.evaluate.curves", "vockit.evaluate.curves"),
    ("vockit.report.charts", "import flask", "flask"),
    ("simulate.habits", "import vocparty", "vocparty"),
    ("collect.draws", "import flickrapi", "flickrapi"),
    ("simulate.habits", "from flickrapi.exceptions import FlickrError", "flickrapi"),
]
"""A module, a forbidden line in it, and the module that the line imports."""


@pytest.mark.slow
def test_an_import_in_a_wrong_direction_breaks_a_contract(copied_packages: Path) -> None:
    """All are planted at once, since a run takes seconds; each is reported separately."""
    expected = set()
    for module, line, imported in WRONG:
        path = copied_packages / f"{module.replace('.', '/')}.py"
        lines = [*path.read_text().splitlines(), line]
        path.write_text("\n".join(lines) + "\n")
        expected.add(f"{module} -> {imported} (l.{len(lines)})")
    done = lint(copied_packages)
    assert done.returncode == 1, done.stdout
    assert "0 kept" in done.stdout
    direct = re.findall(r"^- +(.*)\n(?! )", done.stdout, re.MULTILINE)
    assert set(direct) == expected
