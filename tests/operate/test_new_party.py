"""A new party: its folder, its settings, and the output of `vocparty init` and `progress`."""

import sys
import tomllib
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given
from hypothesis import strategies as st

from catalog.errors import PartyNotFoundError
from catalog.party import (
    Party,
    catalogue_url,
    find_party_folder,
    format_toml,
    make_party,
    open_party,
)
from catalog.settings import make_settings
from catalog.states import ImageState
from catalog.stats import load_party_counts
from operate.party_cli import stats
from tests.rows import make_image, make_person
from vockit.errors import MissingExtraError, SettingsError
from vocparty import main

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
plain = st.text(st.characters(codec="utf-8")) | st.integers() | st.booleans()
keys = st.text("abcdefgh_", min_size=1)


def test_a_new_party_is_empty_and_found_from_its_subfolders(tmp_path: Path) -> None:
    assert make_party(tmp_path / "zoo", name="Zoo", preset="voc2012")
    with open_party(tmp_path / "zoo") as party, party.catalogue.reading() as session:
        assert party.settings.name == "Zoo"
        assert len(party.preset.classes) == 20
        assert (party.folder / "party.toml").stat().st_mode & 0o777 == 0o600
        assert load_party_counts(session).people == 0
    before = (tmp_path / "zoo" / "party.toml").read_text()
    assert not make_party(tmp_path / "zoo", name="Other", preset="voc2007")
    assert (tmp_path / "zoo" / "party.toml").read_text() == before
    inside = tmp_path / "zoo" / "images"
    inside.mkdir(exist_ok=True)
    assert find_party_folder(inside) == tmp_path / "zoo"


def test_a_party_that_cannot_be_made_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")
    with pytest.raises(SettingsError, match="not empty"):
        make_party(tmp_path, name="Zoo", preset="voc2012")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]
    with pytest.raises(SettingsError):
        make_party(tmp_path / "zoo", name="Zoo", preset="voc2012", values={"collect": {"x": 1}})
    assert not (tmp_path / "zoo").exists()
    with pytest.raises(SettingsError, match="No party can be made in"):
        make_party(tmp_path / "thesis.tex" / "zoo", name="Zoo", preset="voc2012")


def test_outside_a_party_the_error_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(PartyNotFoundError, match="vocparty init"):
        find_party_folder(tmp_path)
    with pytest.raises(PartyNotFoundError, match="vocparty init"), open_party(tmp_path):
        pass


@pytest.mark.parametrize(
    "url", ["mysql://ann:secret@host/zoo", "nonsense", "sqlite://", "sqlite:///:memory:"]
)
def test_other_databases_are_refused_without_showing_a_password(url: str, tmp_path: Path) -> None:
    settings = make_settings({"name": "Zoo", "catalogue": url})
    with pytest.raises(SettingsError, match="expected sqlite:///FILE or postgresql") as caught:
        catalogue_url(settings, tmp_path)
    assert "secret" not in str(caught.value)


def test_a_plain_postgresql_url_gets_the_driver_we_use(tmp_path: Path) -> None:
    settings = make_settings({"name": "Zoo", "catalogue": "postgresql://ann:x%40y@host/zoo"})
    assert catalogue_url(settings, tmp_path) == "postgresql+psycopg://ann:x%40y@host/zoo"


def test_postgresql_without_its_driver_is_refused_with_the_extra_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    settings = make_settings({"name": "Zoo", "catalogue": "postgresql://ann@host/zoo"})
    with pytest.raises(MissingExtraError, match=r"needs the package psycopg.*'\.\[scale\]'"):
        catalogue_url(settings, tmp_path)


@given(st.dictionaries(keys, plain | st.lists(plain)), st.dictionaries(keys, plain))
def test_toml_is_read_back_the_same(values: dict[str, object], table: dict[str, object]) -> None:
    values["table"] = table
    assert tomllib.loads(format_toml(values)) == values


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


def test_init_with_own_classes_makes_a_party_in_one_step(tmp_path: Path) -> None:
    folder = tmp_path / "zoo"
    done = run("init", str(folder), "--classes", "zebra, lion")
    assert done.exit_code == 0, done.output
    assert "vocparty collect" in done.output
    assert "vocparty import folder" in done.output
    with open_party(folder) as party:
        assert party.preset.class_names == ("zebra", "lion")
        assert [spec.queries for spec in party.preset.classes] == [("zebra",), ("lion",)]
        assert party.preset.features == {"truncated", "occluded", "difficult"}
        assert not any(item.has_views for item in party.preset.classes)  # VOC's views fit few
    wrong = {"zebra,Zebra": "classes.1.name", "a b": "classes.0.name", ",": "classes"}
    for classes, words in wrong.items():
        done = run("init", str(tmp_path / "none"), "--classes", classes)
        assert done.exit_code != 0
        assert words in done.output
    assert not (tmp_path / "none").exists()


def test_a_preset_can_be_written_checked_and_copied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("preset", "new", "zoo.toml", "--classes", "okapi,gnu").exit_code == 0
    assert "Name another file" in run("preset", "new", "zoo.toml").output
    output = run("preset", "check", "zoo.toml").output
    assert "2 classes, flags: truncated, occluded, difficult" in output
    assert "A release of 2 made images with all of its words keeps every rule" in output
    assert run("init", "party", "--preset", "zoo.toml").exit_code == 0
    with open_party(tmp_path / "party") as party:
        assert party.preset.class_names == ("okapi", "gnu")
        assert (party.folder / "zoo.toml").read_text() == Path("zoo.toml").read_text()
    wrong = tmp_path / "wrong.toml"
    wrong.write_text(Path("zoo.toml").read_text().replace("gnu", "okapi"))
    assert "wrong.toml: classes.1.name" in run("preset", "check", "wrong.toml").output
    assert run("init", "other", "--preset", "wrong.toml").exit_code != 0
    assert not Path("other").exists()


def last_line(party: Party) -> str:
    """What `vocparty stats` ends with."""
    done = CliRunner().invoke(stats, ["--party", str(party.folder)])
    assert done.exit_code == 0, done.output
    return done.output.splitlines()[-1]


def test_progress_uses_display_names_of_reasons_and_classes(party: Party) -> None:
    with party.catalogue.writing() as session:
        for number, reason in enumerate(("not_confident", "no_wanted_class", "unknown_here")):
            discarded = {"state": ImageState.DISCARDED, "reason": reason}
            session.add(make_image(f"{number:064}", NOW, **discarded))
    done = CliRunner().invoke(stats, ["--party", str(party.folder)])
    lines = done.output.splitlines()
    first = lines.index("discarded: reasons") + 1
    names = ("no wanted class", "cannot be annotated with confidence", "unknown here")
    counts = [line.rsplit(maxsplit=1) for line in lines[first : first + 3]]
    assert counts == [[f"  {name}", "1"] for name in names]


def test_progress_of_a_new_party_says_what_to_do_next(party: Party) -> None:
    assert "vocparty collect" in last_line(party)
    with party.catalogue.writing() as session:
        session.add(make_image("0" * 64, NOW, state=ImageState.POOL))
    assert "vocparty people add" in last_line(party)
    with party.catalogue.writing() as session:
        session.add(make_person("ann", NOW))
    assert "vocparty collected" in last_line(party)
