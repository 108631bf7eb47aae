"""The tutorial for tables: its commands, one after the other, against the stand-in."""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import open_party
from simulate.flickr.folder import read_library
from simulate.flickr.server import StandIn
from simulate.flickr.yfcc import write_yfcc
from simulate.party_client import PartyClient
from simulate.photographs.make import make_demo_photographs
from vocparty import main

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial-table.md"
STOPPED = ("demo", "standin")
"""What has a test of its own, and goes on until it is stopped."""
QUICK = "\n[annotate]\nimages_per_minute = 100000\nsaves_per_minute = 100000\n"


@pytest.fixture(scope="module")
def standin(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    """The demo's photographs, as the tutorial serves them."""
    folder = tmp_path_factory.mktemp("demo") / "flickr"
    make_demo_photographs(folder)
    with StandIn(read_library(folder)) as running:
        yield running


def work(folder: Path, links: dict[str, str]) -> None:
    """Do the people's work while the party is served: a box in each image."""
    with open_party(folder) as party, serving(create_app(party)) as base_url:
        ann = PartyClient(base_url)
        chris = PartyClient(base_url)
        ann.sign_in(links["ann"])
        chris.sign_in(links["chris"])
        while (task := ann.take("annotate")) is not None:
            left = 10 + task["image_id"] % 40
            plain = {"view": "Left", "truncated": False, "occluded": False, "drawn_secs": 5.0}
            box = [left, 15, left + 80, 90]
            drawn = {"key": f"o{task['image_id']}", "class": "sofa", "box": box, **plain}
            ann.save(task, [drawn], active_secs=8.0)
        while (review := chris.take("check")) is not None:
            chris.review(review, "accept", active_secs=3.0)
        ann.close()
        chris.close()


def test_the_tutorial_for_tables_leads_from_a_made_table_to_a_release(
    standin: StandIn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    monkeypatch.chdir(tmp_path)
    write_yfcc(standin.library, Path("made.db"), 20_000)
    links: dict[str, str] = {}
    for line in re.findall(r"^    ((?:vocparty|cd) .*)$", TUTORIAL.read_text(), re.MULTILINE):
        program, *words = shlex.split(line)
        if program == "cd":
            monkeypatch.chdir(words[0])
        elif words[0] == "serve":
            work(Path.cwd(), links)
        elif words[0] not in STOPPED:
            done = CliRunner().invoke(main, words)
            assert done.exit_code == 0, (line, done.output, done.exception)
            if words[0] == "init":
                with Path("zoo/party.toml").open("a") as file:
                    file.write(f'\n[table]\npictures_url = "http://{standin.image_host}/"\n')
                    file.write(QUICK)
            if words[:2] == ["people", "add"]:
                links[words[2]] = re.findall(r"http://\S+/enter/\S+", done.output)[0]
    release = json.loads((tmp_path / "zoo-2026" / "release.json").read_text())
    (table,) = release["tables"]
    assert (table["name"], table["rows"], table["seed"]) == ("yfcc100m", 20_000, 0)
    assert {photo["source"] for image in release["images"] for photo in image["photos"]} == {
        "table"
    }
    sheet = (tmp_path / "zoo-2026" / "DATASHEET.md").read_text()
    assert table["sha256"] in sheet
