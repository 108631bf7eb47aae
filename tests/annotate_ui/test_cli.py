"""`vocparty people`."""

import json
from urllib.parse import urlsplit

import pytest

from .house import House


def test_adding_a_person_prints_a_link_that_signs_them_in(house: House) -> None:
    done = house.run("people", "add", "ann", "--role", "annotator")
    assert done.exit_code == 0, done.output
    link = done.stdout.strip()
    assert link.startswith("http://127.0.0.1:8080/enter/")
    assert len(link.rpartition("/")[2]) >= 43  # 256 bits
    assert house.enter(urlsplit(link).path.rpartition("/")[2])
    assert "ann is now an annotator. Send them the link above" in done.stderr
    assert "It works on this computer alone. For others, give the address" in done.stderr


def test_the_link_begins_with_the_url_of_the_party(house: House) -> None:
    done = house.run("people", "add", "ann", "--role", "checker", "--url", "https://voc.example/")
    assert done.stdout.startswith("https://voc.example/enter/")
    assert "this computer alone" not in done.stderr
    with (house.party.folder / "party.toml").open("a") as settings:
        settings.write('\n[serve]\nurl = "https://zoo.example/"\n')
    done = house.run("people", "link", "ann")
    assert done.output.startswith("https://zoo.example/enter/")


def test_a_renewed_link_replaces_the_old_one_and_an_ended_one_is_invalid(house: House) -> None:
    old = house.run("people", "add", "ann", "--role", "annotator").stdout
    new = house.run("people", "link", "ann").stdout
    assert house.stranger().get(urlsplit(old.strip()).path).status_code == 404
    assert house.stranger().get(urlsplit(new.strip()).path).status_code == 200
    done = house.run("people", "end", "ann")
    assert done.output == "ann can no longer sign in.\n"
    assert house.stranger().get(urlsplit(new.strip()).path).status_code == 404


def test_the_list_shows_names_roles_and_last_visits(house: House) -> None:
    assert "Nobody yet" in house.run("people", "list").output
    house.ann()
    house.add_person("bot", is_simulated=True)
    house.run("people", "end", "bot")
    lines = house.run("people", "list").output.splitlines()
    assert " ".join(lines[0].split()) == "ann annotator seen 2026-01-31 12:00 UTC"
    expected = ["bot", "(simulated)", "annotator", "never", "seen,", "link", "ended"]
    assert lines[1].split() == expected
    rows = json.loads(house.run("people", "list", "--json").output)
    assert [(row["name"], row["is_simulated"]) for row in rows] == [("ann", False), ("bot", True)]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("add", "ann", "--role", "annotator"), 2, "The name ann is taken"),
        (("add", " ", "--role", "annotator"), 2, "expected a name"),
        (("add", "sam"), 2, "--role"),
        (("add", "sam", "--role", "king"), 2, "'king' is not one of"),
        (("link", "sam"), 2, "Unknown person sam"),
        (("end", "sam"), 2, "Unknown person sam"),
    ],
)
def test_a_mistake_is_reported_in_a_sentence(
    house: House, arguments: tuple[str, ...], status: int, words: str
) -> None:
    house.run("people", "add", "ann", "--role", "annotator")
    done = house.run("people", *arguments)
    assert done.exit_code == status
    assert words in done.output
    assert "Traceback" not in done.output
