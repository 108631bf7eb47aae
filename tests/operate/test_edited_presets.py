"""An organiser edits the classes of the preset's file: each line is told by its key."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from catalog.party import open_party
from catalog.states import ImageState, Role
from catalog.tables import Annotation, Object
from tests.rows import make_image
from vocparty import main
from work.people import add_person

NOW = datetime(2026, 1, 31, 12, 0, tzinfo=UTC)
PRESET = """
[[classes]]
name = "cat"
[[classes]]
name = "dog"
[[classes]]
name = "cow"
"""

VIEWS_AS_BEFORE = [
    f"{name}: the view as before" for name in ("Unspecified", "Frontal", "Rear", "Left", "Right")
]


def run(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(main, [*words, "--party", str(folder)])


@pytest.fixture
def zoo(tmp_path: Path) -> Path:
    """A party with a preset of its own, and an image that shows a cat and a cow."""
    (tmp_path / "zoo.toml").write_text(PRESET)
    folder = tmp_path / "party"
    made = CliRunner().invoke(main, ["init", str(folder), "--preset", str(tmp_path / "zoo.toml")])
    assert made.exit_code == 0, made.output
    with open_party(folder) as party, party.catalogue.writing() as session:
        person = add_person(session, "ann", Role.ANNOTATOR, token="secret", at=NOW)
        image = make_image("0" * 64, NOW, state=ImageState.CHECKED)
        box = {"xmin": 1, "ymin": 1, "xmax": 90, "ymax": 90}
        drawn = Annotation(image_id=1, person=person, save_key="drawn", is_finished=True)
        drawn.saved_at = NOW
        for number, class_id in enumerate(("cat", "cow"), start=1):
            key = f"o{number}"
            drawn.objects.append(Object(number=number, object_key=key, class_id=class_id, **box))
        session.add(image)
        session.flush()
        session.add(drawn)
        session.flush()
        image.annotation_id = drawn.id
    return folder


def edit(folder: Path, text: str) -> None:
    (folder / "zoo.toml").write_text(text)


def names_of(folder: Path) -> list[str]:
    """The classes of the objects, as they are called today."""
    with open_party(folder) as party, party.catalogue.reading() as session:
        return [row.class_name for row in session.query(Object).order_by(Object.id)]


def test_an_edited_preset_is_told_by_keys_before_anything_changes(zoo: Path) -> None:
    edit(
        zoo,
        """
classes = [
    { key = "cat", name = "kitten" },
    { key = "dog", name = "cat" },
    { name = "zebra" },
]
""",
    )
    refused = run(zoo, "progress")
    assert refused.exit_code == 2
    sentence = "zoo.toml was edited: cat is called kitten; dog is called cat; zebra is"
    assert sentence in refused.output
    said = run(zoo, "classes", "apply")
    assert (said.exit_code, said.output.splitlines()) == (
        0,
        [
            "kitten: the class cat (key cat) under a new name, 1 object",
            "cat: the class dog (key dog) under a new name, 0 objects",
            "zebra: a new class; if it is a class that is gone, give its line key = cow",
            "cow: the class is gone from the file (key cow); 1 object stays, no new ones come",
            *VIEWS_AS_BEFORE,
            "Nothing was changed. To change the words so: vocparty classes apply --yes",
        ],
    )
    assert run(zoo, "progress").exit_code == 2
    done = run(zoo, "classes", "apply", "--yes")
    assert (done.exit_code, "4 words changed" in done.output) == (0, True)
    assert names_of(zoo) == ["kitten", "cow"]
    assert run(zoo, "progress").exit_code == 0
    listed = run(zoo, "classes", "list").output
    assert "rename class cat to kitten" in listed
    assert "retire class cow to cow" in listed
    with open_party(zoo) as party:
        assert party.preset.class_names == ("kitten", "cat", "zebra")
        assert party.classes.retired == {"cow": "cow"}


def test_a_class_that_comes_back_to_the_file_is_the_same_one(zoo: Path) -> None:
    edit(zoo, PRESET.replace('[[classes]]\nname = "cow"\n', ""))
    assert run(zoo, "classes", "apply", "--yes").exit_code == 0
    edit(zoo, PRESET)
    assert (
        "cow: the retired class cow, in use again, 1 object" in run(zoo, "classes", "apply").output
    )
    assert run(zoo, "classes", "apply", "--yes").exit_code == 0
    with open_party(zoo) as party:
        assert (party.preset.class_names, party.classes.retired) == (("cat", "dog", "cow"), {})


def test_a_file_that_follows_a_renamed_class_needs_no_word(zoo: Path) -> None:
    assert run(zoo, "classes", "rename", "cat", "kitten").exit_code == 0
    assert names_of(zoo) == ["kitten", "cow"]
    edit(zoo, PRESET.replace('name = "cat"', 'key = "cat"\nname = "kitten"'))
    assert run(zoo, "progress").exit_code == 0
    assert run(zoo, "classes", "rename", "kitten", "lion").exit_code == 0
    assert names_of(zoo) == ["lion", "cow"]


EDITS = {
    "another class": PRESET.replace('"cow"', '"zebra"'),
    "a name that another class was given": PRESET + '[[classes]]\nname = "hound"\n',
    "a class of party.toml is gone": PRESET.replace('"dog"', '"zebra"'),
    "no TOML": PRESET + "[[classes]\n",
}


@pytest.mark.parametrize("text", EDITS.values(), ids=EDITS)
def test_what_needs_no_class_does_not_wait_for_an_edited_preset(
    zoo: Path, tmp_path: Path, text: str
) -> None:
    assert run(zoo, "classes", "rename", "dog", "hound").exit_code == 0
    settings = (zoo / "party.toml").read_text()
    of_mine = 'source = "commons"\nqueries = { dog = ["puppy"] }\n'
    (zoo / "party.toml").write_text(settings.replace('source = "flickr"\n', of_mine))
    edit(zoo, text)
    assert run(zoo, "progress").exit_code == 2
    kept = run(zoo, "backup", str(tmp_path / "zoo.tar"))
    assert kept.exit_code == 1, kept.output
    assert "1 damaged or missing files are not in the backup" in kept.output  # the made image
    restored = tmp_path / "again"
    again = CliRunner().invoke(main, ["restore", str(tmp_path / "zoo.tar"), str(restored)])
    assert again.exit_code == 1, again.output
    assert "1 damaged or missing files were not in the backup" in again.output
    assert (restored / "zoo.toml").read_text() == (zoo / "zoo.toml").read_text()
    gone = run(zoo, "takedown", "12345", "--reason", "asked by the owner")
    assert "Unknown photo 12345" in gone.output
    for words in (
        ("people", "add", "ben", "--role", "annotator"),
        ("people", "list"),
        ("people", "link", "ben"),
        ("people", "end", "ben"),
        ("collect", "--recheck"),
    ):
        done = run(zoo, *words)
        assert done.exit_code == 0, done.output
    assert run(zoo, "collect", "--plan").exit_code == 2


def test_an_edit_that_gives_two_classes_one_name_is_refused_in_a_sentence(zoo: Path) -> None:
    assert run(zoo, "classes", "rename", "dog", "hound").exit_code == 0
    edit(zoo, EDITS["a name that another class was given"])
    assert "hound: a new class" in run(zoo, "classes", "apply").output
    refused = run(zoo, "classes", "apply", "--yes")
    assert refused.exit_code == 2
    assert "Error: The preset cannot be changed so: classes.3.name = 'hound'" in refused.output


def test_the_parts_of_a_split_are_told_to_be_gone_with_the_line_of_their_class(zoo: Path) -> None:
    assert run(zoo, "classes", "split", "cow", "--into", "cow,ox").exit_code == 0
    assert run(zoo, "progress").exit_code == 0
    edit(zoo, PRESET.replace('"cow"', '"ox"'))
    assert "zoo.toml was edited: cow is gone. Nothing" in run(zoo, "progress").output
    edit(zoo, PRESET.replace('[[classes]]\nname = "cow"\n', ""))
    assert "zoo.toml was edited: cow is gone; ox is gone. Nothing" in run(zoo, "progress").output
    said = run(zoo, "classes", "apply", "--yes")
    assert (
        "cow: the class is gone from the file (key cow-2); 1 object stays, no new ones come"
        in said.output
    )
    assert run(zoo, "progress").exit_code == 0
    assert names_of(zoo) == ["cat", "cow"]


def test_the_parts_of_a_split_come_back_with_the_line_of_their_class(zoo: Path) -> None:
    assert run(zoo, "classes", "split", "cow", "--into", "calf,ox").exit_code == 0
    edit(zoo, PRESET.replace('[[classes]]\nname = "cow"\n', ""))
    assert run(zoo, "classes", "apply", "--yes").exit_code == 0
    edit(zoo, PRESET)
    assert "zoo.toml was edited: calf is back; ox is back. Nothing" in run(zoo, "progress").output
    said = run(zoo, "classes", "apply", "--yes").output.splitlines()
    assert said[2:5] == [
        "cow: the class was merged or split, and counts as calf, which left the preset",
        "calf: the retired class calf, in use again, 1 object",
        "ox: the retired class ox, in use again, 0 objects",
    ]
    assert run(zoo, "progress").exit_code == 0
    with open_party(zoo) as party:
        assert party.preset.class_names == ("cat", "dog", "calf", "ox")
    edit(zoo, PRESET.replace('[[classes]]\nname = "cow"\n', ""))
    assert "calf is gone; ox is gone" in run(zoo, "progress").output


def test_what_was_merged_goes_with_the_line_of_what_it_counts_as(zoo: Path) -> None:
    assert run(zoo, "classes", "merge", "cow", "dog").exit_code == 0
    edit(zoo, PRESET.replace('name = "cow"', 'key = "cow"\nname = "ox"'))
    assert "ox: the class was merged or split, and counts as dog\n" in apply(zoo)
    assert run(zoo, "progress").exit_code == 0
    edit(zoo, PRESET.replace('[[classes]]\nname = "dog"\n', ""))
    assert "dog: the class is gone from the file (key dog); 1 object stays" in apply(zoo)
    with open_party(zoo) as party:
        assert party.preset.class_names == ("cat",)
        assert party.find_class("cow") is None
    assert "cow: the class was merged or split, and counts as dog, which left the" in apply(zoo)
    edit(zoo, PRESET)
    assert "dog: the retired class dog, in use again, 1 object" in apply(zoo)
    with open_party(zoo) as party:
        assert party.preset.class_names == ("cat", "dog")


def apply(folder: Path) -> str:
    """What the command says of each line of the edited preset, which it takes so."""
    done = run(folder, "classes", "apply", "--yes")
    assert done.exit_code == 0, done.output
    return done.output
