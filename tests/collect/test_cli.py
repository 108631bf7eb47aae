"""The command, as a user calls it."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from catalog.party import make_party
from simulate.flickr.server import StandIn
from vocparty import main

from .flickrs import make_library

pytestmark = pytest.mark.usefixtures("own_log")


def make(folder: Path, *, key: str = "k3y", flickr: StandIn | None = None) -> Path:
    values: dict[str, dict[str, object]] = {"flickr": {"key": key}}
    if flickr is not None:
        values["flickr"] |= {"api_url": flickr.api_url, "image_hosts": [flickr.image_host]}
    make_party(folder, name="Commanded party", preset="voc2012", values=values)
    return folder


def collect(folder: Path, *arguments: str) -> Result:
    return CliRunner().invoke(main, ["collect", "--party", str(folder), *arguments])


def test_the_command_fetches_and_prints_a_one_line_summary(tmp_path: Path) -> None:
    with StandIn(make_library(tmp_path / "pictures", 10)) as flickr:
        folder = make(tmp_path / "party", flickr=flickr)
        done = collect(folder, "--target", "2", "--class", "cat", "--workers", "2", "--seed", "1")
        assert done.exit_code == 0, done.output
        summary = "Fetched 2; gone 0; broken 0; identical files 0."
        assert done.stdout == f"{summary}\nNext: `vocparty dedup`.\n"
        assert done.stderr.splitlines()[-1] == "Collecting: 2 of 2 images"
        again = collect(folder, "--target", "2", "--class", "cat")
        assert again.stdout.startswith("Fetched 0;")
        assert again.stderr.splitlines()[-1] == "Collecting: 0 of 0 images"


def test_searches_that_find_nothing_new_end_with_status_1_and_a_sentence(tmp_path: Path) -> None:
    with StandIn(make_library(tmp_path / "pictures", 10)) as flickr:
        folder = make(tmp_path / "party", flickr=flickr)
        done = collect(folder, "--target", "3", "--class", "cat")
    assert done.exit_code == 1
    assert done.stdout.startswith("Fetched 2;")
    assert "Error: The searches find nothing new" in done.stderr


def test_without_a_key_the_command_says_how_to_set_one(tmp_path: Path) -> None:
    done = collect(make(tmp_path / "party", key=""))
    assert done.exit_code == 2
    assert "party.toml under [flickr] as key" in done.stderr
    assert "VOCPARTY_FLICKR_KEY" in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--class", "giraffe"], "giraffe has no queries"),
        (["--target", "0"], "--target"),
        (["--workers", "many"], "--workers"),
    ],
)
def test_wrong_options_exit_with_2(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    done = collect(make(tmp_path / "party"), *arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.output


def test_the_plan_sends_no_request_and_estimates_calls_hours_and_bytes(tmp_path: Path) -> None:
    folder = make(tmp_path / "party")
    done = collect(folder, "--plan", "--target", "500000")
    assert done.exit_code == 0, done.output
    assert "Target: 500,000 usable images. Have 0" in done.stdout
    assert "assumed" in done.stdout
    document = json.loads(collect(folder, "--plan", "--target", "500000", "--json").stdout)
    assert 526_316 / 10 < document["calls"] < 526_316 / 5  # ten photos a draw, one call or two
    assert document["most_calls"] is None
    assert document["searches"]["unasked"] == document["searches"]["queries"]
    assert document["hours"] == pytest.approx(document["calls"] / 3600, rel=0.1)
    assert document["bytes"] == 500_000 * 110_000
    assert collect(folder, "--json").exit_code == 2
