"""The tutorial's commands, one after the other, against the stand-in of Wikimedia Commons."""

import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from annotate_ui.app import create_app
from annotate_ui.serving import serving
from catalog.party import open_party
from simulate.flickr.folder import read_library
from simulate.flickr.server import StandIn
from simulate.flickr.table import write_table
from simulate.party_client import Json, PartyClient
from vocparty import main

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"
CLASSES = (
    "zebra",
    "lion",
    "giraffe",
    "elephant",
    "hippo",
    "rhino",
    "ostrich",
    "monkey",
    "tiger",
    "bear",
)
OF_EACH = 34
QUICK = "[annotate]\nimages_per_minute = 100000\nsaves_per_minute = 100000\n"
NOT_DRAWN = 8  # one image in this many is discarded


@pytest.fixture(scope="module")
def commons(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StandIn]:
    """Photographs of ten classes over fifteen years, each with its own colours."""
    folder = tmp_path_factory.mktemp("commons")
    rows = []
    rng = np.random.default_rng(7)
    for number in range(OF_EACH * len(CLASSES)):
        blocks = rng.integers(0, 255, (12, 16, 3), dtype=np.uint8)
        file = io.BytesIO()
        Image.fromarray(blocks).resize((480, 360), Image.Resampling.BICUBIC).save(file, "JPEG")
        (folder / f"{number}.jpg").write_bytes(file.getvalue())
        day = f"{2006 + number % 19}-{1 + number % 12:02}-{1 + number % 28:02} 10:00"
        name = CLASSES[number % len(CLASSES)]
        row = {"title": f"A {name}", "tags": f"{name}; {name}s", "owner": f"owner {number % 90}"}
        rows.append(row | {"file": f"{number}.jpg", "licence": "4", "uploaded": day})
    write_table(folder, rows)
    with StandIn(read_library(folder)) as running:
        yield running


def list_commands() -> list[str]:
    return re.findall(r"^    ((?:vocparty|cd) .*)$", TUTORIAL.read_text(), re.MULTILINE)


def lead_to(commons: StandIn, file: Path) -> None:
    """Edit the settings as a reader does, and point them to the stand-in."""
    text = file.read_text()
    text = text.replace('contact = ""', 'contact = "ann@example.org"\ntarget_images = 240')
    hosts = f'api_url = "{commons.commons_url}"\nimage_hosts = ["{commons.image_host}"]'
    file.write_text(f"{text}\n[commons]\n{hosts}\ncalls_per_hour = 100000\n{QUICK}")


def work(folder: Path, links: dict[str, str]) -> None:
    """Do the people's work while the party is served."""
    with open_party(folder) as party, serving(create_app(party)) as base_url:
        ann = PartyClient(base_url)
        chris = PartyClient(base_url)
        ann.sign_in(links["ann"])
        chris.sign_in(links["chris"])
        number = 0
        while (task := ann.take("annotate")) is not None:
            number += 1
            draw(ann, task, is_empty=number % NOT_DRAWN == 0)
            if (review := chris.take("check")) is not None:
                chris.review(review, "accept", active_secs=3.0)
        while (review := chris.take("check")) is not None:
            chris.review(review, "accept", active_secs=3.0)
        olga = PartyClient(base_url)
        olga.sign_in(links["olga"])
        judge_difficult(olga)
        for client in (ann, chris, olga):
            client.close()


def judge_difficult(client: PartyClient) -> None:
    """Confirm every object of every class as it is shown."""
    for line in client.send("GET", "/api/v1/difficult")["classes"]:
        path = f"/api/v1/difficult/{line['id']}"
        waiting = client.send("POST", f"{path}/take", {})["objects"]
        names = ("image_id", "annotation_id", "key", "difficult")
        judged = [{name: item[name] for name in names} for item in waiting]
        assert client.send("POST", f"{path}/judgements", {"objects": judged}) == {"late": []}


def draw(client: PartyClient, task: Json, *, is_empty: bool) -> None:
    if is_empty:
        client.save(task, [], discard_reason="no_object", active_secs=3.0)
        return
    left = 20 + task["image_id"] % 90
    top = 30 + task["image_id"] % 70
    name = task["photo"]["title"].split()[1]
    box = [left, top, left + 250, top + 180]
    plain = {"view": "Unspecified", "truncated": False, "occluded": False, "drawn_secs": 5.0}
    drawn = {"key": f"o{task['image_id']}", "class": name, "box": box, **plain}
    client.save(task, [drawn], active_secs=8.0)


def test_the_tutorial_leads_to_a_released_dataset_of_ten_classes(
    tmp_path: Path, commons: StandIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    links: dict[str, str] = {}
    for command in list_commands():
        program, *words = shlex.split(command)
        if program == "cd":
            monkeypatch.chdir(words[0])
            continue
        if words[0] == "serve":
            work(Path.cwd(), links)
            continue
        done = CliRunner().invoke(main, words)
        assert done.exit_code == 0, (command, done.output, done.exception)
        assert "not judged" not in done.output, command
        if words[0] == "init":
            lead_to(commons, Path(words[1]) / "party.toml")
        if words[:2] == ["people", "add"]:
            links[words[2]] = re.findall(r"http://\S+/enter/\S+", done.output)[0]
    released = tmp_path / "zoo-2026" / "VOCdevkit" / "VOC2026"
    assert len(list((released / "Annotations").iterdir())) >= 200
    for name in CLASSES:
        assert (released / "ImageSets" / "Main" / f"{name}_trainval.txt").exists()
