import re
import signal
import tomllib
from pathlib import Path

import pytest
import requests
from click.testing import CliRunner

import vocparty
from catalog.settings import make_settings
from simulate.cli import standin
from simulate.flickr.faults import FaultKind
from simulate.flickr.table import COLUMNS
from tests.warm import Warm

from .flickr.making import write_picture

MANUAL = Path(__file__).parents[2] / "docs" / "manual" / "standin.md"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_stopped(tmp_path: Path, number: signal.Signals) -> None:
    write_picture(tmp_path / "cat.jpg")
    process = Warm(["standin", "--photos", str(tmp_path), "--seed", "3"])
    try:
        printed = process.read_output(r"(.*\n){14}").splitlines(keepends=True)
        settings = make_settings({"name": "x", **tomllib.loads("".join(printed[2:]))})
        flickr = settings.flickr
        assert settings.table.pictures_url == f"http://{flickr.image_hosts[0]}/"
        args = {"method": "flickr.photos.search", "text": "cat", "extras": "url_m"}
        asked = {**args, "api_key": flickr.key, "format": "json", "nojsoncallback": "1"}
        reply = requests.post(flickr.api_url, data=asked, timeout=60).json()
        url = reply["photos"]["photo"][0]["url_m"]
        assert url.split("/")[2] in flickr.image_hosts
        assert requests.get(url, timeout=60).status_code == 200
        process.send_signal(number)
        out, _err = process.communicate(timeout=120)
        assert out.removeprefix("".join(printed)) == "Stopped.\n"
        assert process.returncode == 0
    finally:
        process.kill()


@pytest.mark.parametrize(
    ("args", "sentence"),
    [
        (["--photos", "nowhere"], "There is no folder nowhere"),
        (["--photos", "."], "holds no photograph"),
        (["--photos", ".", "--fault", "fire=1"], "no fault 'fire'"),
        (["--photos", ".", "--port", "99999"], "99999"),
        ([], "--photos"),
    ],
)
def test_wrong_arguments_exit_with_2_and_a_sentence(
    args: list[str], sentence: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(vocparty.main, ["standin", *args])
    assert result.exit_code == 2
    assert sentence in result.output
    assert "Traceback" not in result.output


def test_the_manual_names_every_option_column_and_fault() -> None:
    manual = MANUAL.read_text(encoding="utf-8")
    options = [option for parameter in standin.params for option in parameter.opts]
    faults = [kind.value for kind in FaultKind if kind is not FaultKind.STATUS]
    for word in (*options, *COLUMNS, *faults):
        assert f"`{word}" in manual, word
    table = manual.split("## Faults")[1].split("\n\n## ")[0]
    assert set(re.findall(r"^\| `([a-z-]+)", table, re.MULTILINE)) == set(faults)
