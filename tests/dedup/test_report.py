"""`vocparty dedup --report` and `--json`: the decisions, and people's verdicts on them."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from catalog.party import Party
from catalog.states import ImageState
from dedup.jobs import remove_duplicates
from dedup.labels import Verdict
from dedup.report.figures import load_dedup_report
from dedup.report.page import format_page
from tests.rows import reading
from vocparty import main

from .images import NOON, add_file, clock, load_states, set_state
from .photographs import change, jpeg, originals
from .test_labels import say


@pytest.fixture
def decided(party: Party) -> Party:
    """A party with one cluster of two renditions, one pair, and a photograph alone."""
    for name, ways in (("rocket", ("grey", "caption")), ("coffee", ("warm filter",)), ("moon", ())):
        add_file(party, jpeg(originals()[name]))
        for way in ways:
            add_file(party, change(originals()[name], way))
    remove_duplicates(party, clock=clock)
    return party


def invoke(*arguments: str | Path) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["dedup", *(str(argument) for argument in arguments)])
    return result.exit_code, result.stdout, result.stderr


def test_the_json_counts_the_decisions(decided: Party) -> None:
    status, output, _errors = invoke("--json", "--party", decided.folder)
    document = json.loads(output)
    assert status == 0
    assert document["images"] == {"duplicate": 3, "pool": 3}
    assert document["decisions"] == {"duplicate": 3}
    assert document["by_how"] == [
        {"relation": "duplicate", "how": "features, hashes and tiles", "decisions": 3}
    ]
    for counts in document["distances"]["duplicate"].values():
        assert sum(counts.values()) == 3
    assert (document["labels"], document["precision"], document["undone"]) == ([], [], 0)


def test_the_precision_comes_from_peoples_labels(decided: Party) -> None:
    say(decided, 1, 2, Verdict.DUPLICATE)
    say(decided, 1, 3, Verdict.DIFFERENT)
    say(decided, 4, 6, Verdict.SAME_EVENT)
    document = json.loads(invoke("--json", "--party", decided.folder)[1])
    (precision,) = document["precision"]
    counted = [precision[name] for name in ("relation", "confirmed", "looked_at")]
    assert counted == ["duplicate", 1, 2]
    assert precision["low"] < precision["precision"] == 0.5 < precision["high"]
    assert document["labels"] == [
        {"rules": "duplicate", "people": "different", "pairs": 1},
        {"rules": "duplicate", "people": "duplicate", "pairs": 1},
        {"rules": "nothing", "people": "same_event", "pairs": 1},
    ]
    assert document["undone"] == 1


def test_the_page_embeds_all_pictures_and_changes_no_state(decided: Party, tmp_path: Path) -> None:
    say(decided, 1, 2, Verdict.DUPLICATE)
    before = load_states(decided)
    page = tmp_path / "report.html"
    status, output, _errors = invoke("--report", page, "--party", decided.folder)
    html = page.read_text()
    assert (status, output) == (0, f"Wrote {page}.\n")
    assert html.count("data:image/jpeg;base64,") == 2 * 3
    assert html.count("data:image/svg+xml;base64,") == 3
    assert "people say duplicate" in html
    assert re.search(r"(Certain|Likely|Uncertain): [a-z ]+ the limit at which the rules", html)
    assert re.search(r"\d+ % similar once laid over one another", html)
    assert re.search(r"\d\.\d % of the picture was taken for writing", html)  # the caption
    assert not re.search(r"doubt \d|of 64|of 256", html)
    assert "95 % interval (Wilson)" in html
    assert not re.search(r'<script|(?:src|href)="(?!data:)', html)
    assert load_states(decided) == before
    with (decided.folder / "party.toml").open("a") as settings:
        settings.write('\n[serve]\nurl = "https://zoo.example"\n')
    invoke("--report", page, "--party", decided.folder)
    assert '<a href="https://zoo.example/images?id=1">1</a>' in page.read_text()


def test_a_party_without_decisions_also_gets_a_page(party: Party, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    assert invoke("--report", page, "--party", party.folder)[0] == 0
    assert "Nobody has looked yet" in page.read_text()


def test_the_page_leaves_out_a_picture_whose_file_is_missing(decided: Party) -> None:
    report = reading(decided, load_dedup_report, "<b>Zoo</b>", NOON)
    digest = next(decided.store.digests())
    path = decided.store.local_path(digest)
    assert path is not None
    path.unlink()
    html = format_page(report, decided.store, decided.settings.serve)
    assert html.count("data:image/jpeg;base64,") < 2 * 3
    assert "<b>Zoo</b>" not in html


def test_a_photograph_that_was_taken_down_is_counted_and_not_shown(
    decided: Party, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    set_state(decided, 5, ImageState.TAKEN_DOWN)
    assert invoke("--report", page, "--party", decided.folder)[0] == 0
    html = page.read_text()
    assert html.count("data:image/jpeg;base64,") < 2 * 3
    assert "about photographs that were taken down" in html
    assert "<b>4 and 5</b>" not in html
    document = json.loads(invoke("--json", "--party", decided.folder)[1])
    assert document["taken_down"] >= 1
    assert sum(document["decisions"].values()) == 3


def test_an_unwritable_page_is_reported(decided: Party, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    status, _output, errors = invoke(
        "--report", tmp_path / "file" / "x.html", "--party", decided.folder
    )
    assert status == 2
    assert errors.startswith("Error: ")
