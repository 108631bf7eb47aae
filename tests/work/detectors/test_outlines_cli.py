"""`vocparty suggest outlines` as an organiser calls it."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from PIL import Image as Picture
from sqlalchemy import select

from catalog.party import Party
from catalog.states import ImageState, SuggestionKind
from catalog.tables import SuggestionSet
from tests.party_rows import NOW, Drawn, add_people, add_revision
from tests.rows import load_rows, make_image
from vocparty import main
from work.detectors import outlining
from work.detectors.limits import Limits
from work.detectors.outline_files import find_pair

from .pair_models import run_here, write_pair

GREY = (90, 90, 90)
AT_MIDDLE = (200, 150)


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    """A pair, whose models answer in this process."""
    monkeypatch.setattr(outlining, "run_pair", run_here)
    return write_pair(tmp_path)


def _add_checked(party: Party) -> int:
    """The id of a grey image with a large object in its middle and a small one beside."""
    target = io.BytesIO()
    Picture.new("RGB", (400, 300), GREY).save(target, "JPEG", quality=95)
    with party.catalogue.writing() as session:
        add_people(session)
        sha256 = party.store.put(target.getvalue())
        image = make_image(sha256, NOW, width=400, height=300, state=ImageState.CHECKED)
        session.add(image)
        session.flush()
        drawn = [Drawn("cat", (1, 1, 30, 30)), Drawn("dog", (101, 51, 300, 250))]
        add_revision(session, image, drawn, person_id=1)
        return image.id


def _run(party: Party, *words: str | Path) -> Result:
    named = ("--model", "sam", "--version", "1", "--party", party.folder)
    given = ["suggest", "outlines", *map(str, (*words, *named))]
    return CliRunner().invoke(main, given)


def test_a_pair_is_kept_once_its_outlines_were_seen(
    party: Party, files: tuple[Path, Path], tmp_path: Path
) -> None:
    image_id = _add_checked(party)
    look = tmp_path / "look"
    asked = _run(party, *files, "--look", look, "--memory", "2", "--licence", "MIT")
    assert asked.exit_code == 0, asked.output
    assert "Outlined an object in 1 picture:" in asked.output
    assert "Nothing was kept." in asked.output
    assert (look / "index.html").is_file()
    with Picture.open(look / f"{image_id}.jpg") as picture:
        row = np.asarray(picture).astype(int)[AT_MIDDLE[1]]
    assert (row[:, 0] > row[:, 1] + 60).any()  # the disc around the largest object
    assert load_rows(party, select(SuggestionSet)) == []
    kept = _run(party, *files, "--memory", "2", "--licence", "MIT", "--yes")
    assert kept.exit_code == 0, kept.output
    assert "Kept as set 1. On the page Segment, a click now gets an outline of sam 1" in kept.output
    [row_of_set] = load_rows(party, select(SuggestionSet))
    assert row_of_set.kind is SuggestionKind.OUTLINE
    assert (row_of_set.licence, row_of_set.is_shown, row_of_set.suggestions) == ("MIT", True, 0)
    with party.catalogue.reading() as session:
        pair = find_pair(session, party)
    assert pair is not None
    assert pair.read_limits() == Limits(memory_bytes=2 * 2**30, secs=60.0)
    assert [path.read_bytes() for path in pair.files] == [path.read_bytes() for path in files]
    again = _run(party, *files, "--licence", "MIT", "--yes")
    assert "Kept as set 1." in again.output


def test_a_slow_machine_is_told(
    party: Party, files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    from work.detectors import outlines_cli

    monkeypatch.setattr(outlines_cli, "_SLOW_SECS", 0.0)
    _add_checked(party)
    assert "That is slow: who opens an image" in _run(party, *files, "--yes").output


def test_a_party_without_objects_has_nothing_to_show(
    party: Party, files: tuple[Path, Path]
) -> None:
    done = _run(party, *files, "--yes")
    assert done.exit_code == 1
    assert "The party has no image with objects to look at." in done.output
    assert load_rows(party, select(SuggestionSet)) == []


def test_files_that_are_no_pair_are_told_in_one_sentence(
    party: Party, files: tuple[Path, Path], tmp_path: Path
) -> None:
    _add_checked(party)
    encoder, decoder = files
    exchanged = _run(party, decoder, encoder, "--yes")
    assert exchanged.exit_code == 1
    assert "sam.decoder.onnx takes image_embeddings [1, 256, 64, 64]" in exchanged.output
    (tmp_path / "words.onnx").write_text("words\n")
    text = _run(party, tmp_path / "words.onnx", decoder, "--yes")
    assert text.exit_code == 1
    assert "words.onnx is not an ONNX model, or it is cut off." in text.output
    missing = _run(party, encoder, tmp_path / "none.onnx", "--yes")
    assert missing.exit_code == 1
    assert "none.onnx cannot be read: No such file or directory." in missing.output
    assert load_rows(party, select(SuggestionSet)) == []
