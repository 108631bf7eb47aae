"""What `vocparty init` and `vocparty stats` tell of a party at its beginning."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from click.testing import CliRunner

from catalog.cli import init, stats
from catalog.party import Party
from catalog.states import ImageState, Role
from catalog.tables import Image, Person
from tests.rows import make_image

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)


def last_line(party: Party) -> str:
    """What `vocparty stats` ends with."""
    done = CliRunner().invoke(stats, ["--party", str(party.folder)])
    assert done.exit_code == 0, done.output
    return done.output.splitlines()[-1]


def test_a_new_party_is_told_both_ways_to_photographs(tmp_path: Path) -> None:
    done = CliRunner().invoke(init, [str(tmp_path / "zoo")])
    assert done.exit_code == 0, done.output
    assert "vocparty collect" in done.output
    assert "vocparty import folder" in done.output


def test_stats_call_reasons_and_classes_what_people_call_them(party: Party) -> None:
    with party.catalogue.writing() as session:
        for number, reason in enumerate(("not_confident", "no_wanted_class", "unknown_here")):
            image = make_image(f"{number:064}", NOW, state=ImageState.DISCARDED)
            image.reason = reason
            session.add(image)
    done = CliRunner().invoke(stats, ["--party", str(party.folder)])
    lines = done.output.splitlines()
    first = lines.index("discarded: reasons") + 1
    assert [line.rsplit(maxsplit=1) for line in lines[first : first + 3]] == [
        ["  no wanted class", "1"],
        ["  cannot be annotated with confidence", "1"],
        ["  unknown here", "1"],
    ]


def test_stats_of_a_party_without_images_or_people_tell_what_to_do_next(party: Party) -> None:
    assert "vocparty collect" in last_line(party)
    with party.catalogue.writing() as session:
        image = Image(sha256="0" * 64, width=9, height=9, bytes=1, stored_at=NOW, state_at=NOW)
        image.state = ImageState.POOL
        session.add(image)
    assert "vocparty people add" in last_line(party)
    with party.catalogue.writing() as session:
        session.add(
            Person(name="ann", role=Role.ANNOTATOR, created_at=NOW, credential_sha256="1" * 64)
        )
    assert "vocparty collected" in last_line(party)
