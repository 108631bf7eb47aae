"""`vocparty key test` goes the whole way of one photograph, for both sources."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from catalog.party import make_party, open_party
from catalog.tables import Photo
from simulate.flickr.faults import Faults, parse_rule
from simulate.flickr.server import StandIn
from tests.rows import load_rows
from vocparty import main

pytestmark = pytest.mark.usefixtures("own_log")
SOURCES = pytest.mark.parametrize("source", ["flickr", "commons"])


def make(folder: Path, standin: StandIn, source: str, *hosts: str) -> Path:
    asked = {
        "flickr": {"key": "k3y", "api_url": standin.api_url},
        "commons": {"api_url": standin.commons_url},
    }[source]
    settings = {"source": source, "contact": "ann@example.org"}  # else Commons is asked rarely
    values = {source: {**asked, "image_hosts": list(hosts)}, "collect": settings}
    make_party(folder, name="Tested party", preset="voc2012", values=values)
    return folder


def call_test(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, ["key", "test", "--party", str(folder), *words])


def count_photos(folder: Path) -> int:
    with open_party(folder) as party:
        return len(load_rows(party, select(Photo.id)))


@SOURCES
def test_one_search_and_one_picture_come(tmp_path: Path, flickr: StandIn, source: str) -> None:
    folder = make(tmp_path / "party", flickr, source, flickr.image_host)
    done = call_test(folder)
    assert done.exit_code == 0, done.output
    assert f"a picture of 320 x 240 pixels came from {flickr.image_host}" in done.stdout
    assert flickr.requests["image"] == 1
    document = json.loads(call_test(folder, "--json").stdout)
    assert (document["host"], document["width"]) == (flickr.image_host, 320)
    assert count_photos(folder) == 0


@SOURCES
def test_pictures_on_a_host_that_is_not_allowed_are_told(
    tmp_path: Path, flickr: StandIn, source: str
) -> None:
    done = call_test(make(tmp_path / "party", flickr, source, "127.0.0.1:1"))
    assert done.exit_code == 1
    assert f"Add {flickr.image_host} to image_hosts in party.toml" in done.stderr
    assert flickr.requests["image"] == 0


@SOURCES
@pytest.mark.parametrize(
    ("rule", "cause"),
    [("image:403=1", "HTTP 403"), ("image:html=1", "a web page"), ("image:png=1", "not jpeg")],
)
def test_pictures_that_do_not_come_are_told(
    tmp_path: Path, flickr: StandIn, source: str, rule: str, cause: str
) -> None:
    flickr.faults = Faults((parse_rule(rule),))
    done = call_test(make(tmp_path / "party", flickr, source, flickr.image_host))
    assert done.exit_code == 1
    assert "no picture comes from" in done.stderr
    assert cause in done.stderr


def test_one_photograph_that_was_withdrawn_is_no_fault(tmp_path: Path, flickr: StandIn) -> None:
    flickr.faults = Faults((parse_rule("image:gone=0.5"),), seed=2)
    folder = make(tmp_path / "party", flickr, "flickr", flickr.image_host)
    assert call_test(folder).exit_code == 0
