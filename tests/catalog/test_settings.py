from dataclasses import fields, is_dataclass
from pathlib import Path

import pytest

from catalog.settings import (
    KEY_VARIABLE,
    PASSWORD_VARIABLE,
    Settings,
    make_settings,
    parse_settings,
    read_settings,
)
from vockit.errors import SettingsError

MANUAL = Path(__file__).parents[2] / "docs" / "manual" / "party-toml.md"


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ["name", "missing"]),
        ('name = "x"\n[colect]\n', ["colect", "Did you mean collect?"]),
        ('name = "x"\n[collect]\ntarget = 3', ["collect.target", "Did you mean target_images?"]),
        ('nmae = "x"', ["no key nmae", "Did you mean name?"]),
        ('name = "x"\n[collect]\ntarget_images = -3', ["collect.target_images = -3", "greater"]),
        ('name = "x"\n[collect]\ntarget_images = "many"', ["'many'", "valid integer"]),
        ('name = "x"\n[collect]\ndates = "when"', ["'when'", "'upload', 'taken' or 'none'"]),
        ('name = "x"\n[export]\ntest_share = 0.9', ["export", "add up to 1, not 1.4"]),
        ('name = "x"\ncollect = 3', ["collect = 3", "a table of keys"]),
        ('name = "x"\n[flickr]\nimage_hosts = "a"', ["flickr.image_hosts = 'a'", "a list"]),
        ('name = "  "', ["name = '  '", "not blank"]),
        ('name = "x"\n[flickr]\napi_url = "flickr"', ["'flickr'", "https://HOST/PATH/"]),
        ('name = "x"\n[collect]\ntotal_timeout_secs = inf', ["inf", "finite"]),
        ('name = "x"\n[collect]\ntarget_images = true', ["True", "valid integer"]),
        ("name =", ["not valid TOML"]),
    ],
)
def test_a_wrong_setting_is_named_with_its_value_and_choices(text: str, named: list[str]) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_settings(text)
    assert str(caught.value).startswith("party.toml")
    for part in named:
        assert part in str(caught.value)


def test_the_flickr_key_comes_from_the_file_or_else_the_environment(tmp_path: Path) -> None:
    path = tmp_path / "party.toml"
    path.write_text('name = "Zoo"')
    assert read_settings(path, {KEY_VARIABLE: "abc"}).flickr.key == "abc"
    settings = read_settings(path, {PASSWORD_VARIABLE: "long"})
    assert settings.serve.organiser_password == "long"
    path.write_text('name = "Zoo"\n[flickr]\nkey = "own"')
    assert read_settings(path, {KEY_VARIABLE: "abc"}).flickr.key == "own"


def test_a_settings_file_that_is_not_text_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "party.toml"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(SettingsError, match="not UTF-8"):
        read_settings(path)


def test_the_manual_documents_every_settings_key() -> None:
    text = MANUAL.read_text()
    settings = make_settings({"name": "x"})
    for item in fields(Settings):
        value = getattr(settings, item.name)
        if not is_dataclass(value):
            assert f"`{item.name}`" in text
            continue
        section = text.split(f"## [{item.name}]")[1].split("\n## ")[0]
        for key in fields(value):
            assert f"| `{key.name}` |" in section, f"{item.name}.{key.name}"
