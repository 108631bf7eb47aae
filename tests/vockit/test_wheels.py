"""The two distributions, as they are installed: read from their wheels."""

import subprocess
import sys
import zipfile
from collections import Counter
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The wheel of each distribution, built from the checkout without a network."""
    folder = tmp_path_factory.mktemp("wheels")
    run_pip("wheel", "--no-build-isolation", "--wheel-dir", folder, CHECKOUT / "vockit", CHECKOUT)
    return {path.name.split("-")[0]: path for path in folder.glob("*.whl")}


def run_pip(command: str, *args: object) -> None:
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            command,
            "--quiet",
            "--no-deps",
            "--no-index",
            *map(str, args),
        ],
        check=True,
        env={"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PATH": "/usr/bin:/bin"},
    )


def list_files(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def read_metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def top_names(wheel: Path) -> set[str]:
    """The top-level names but that of the metadata's folder."""
    names = {name.split("/")[0] for name in list_files(wheel)}
    return {name for name in names if not name.endswith(".dist-info")}


def test_vockit_has_one_top_level_name(wheels: dict[str, Path]) -> None:
    assert top_names(wheels["vockit"]) == {"vockit"}


def test_vockit_has_every_file_of_the_package_and_no_other(wheels: dict[str, Path]) -> None:
    listed = subprocess.run(
        ["git", "ls-files", "vockit"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    not_installed = ("README.md", "pyproject.toml")
    expected = {name for name in listed.stdout.split() if not name.endswith(not_installed)}
    files = {name for name in list_files(wheels["vockit"]) if name.startswith("vockit/")}
    assert {name for name in files if not name.endswith("README.md")} == expected
    for name in (
        "vockit/py.typed",
        "vockit/browse/templates/grid.html",
        "vockit/browse/static/browse.js",
        "vockit/evaluate/report.css",
        "vockit/report/report_page.html",
    ):
        assert name in files


def test_the_application_does_not_contain_vockit_and_needs_its_version(
    wheels: dict[str, Path],
) -> None:
    assert "vockit" not in top_names(wheels["vocparty"])
    needed = read_metadata(wheels["vocparty"]).get_all("Requires-Dist") or []
    version = read_metadata(wheels["vockit"])["Version"]
    assert [text for text in needed if text.startswith("vockit")] == [f"vockit=={version}"]
    assert read_metadata(wheels["vocparty"])["Version"] == version


@pytest.mark.parametrize("name", ["vockit", "vocparty"])
def test_no_wheel_names_a_file_twice(name: str, wheels: dict[str, Path]) -> None:
    counts = Counter(list_files(wheels[name]))
    assert [file for file, count in counts.items() if count > 1] == []


def test_no_wheel_is_uploaded_by_mistake(wheels: dict[str, Path]) -> None:
    for wheel in wheels.values():
        assert "Private :: Do Not Upload" in (read_metadata(wheel).get_all("Classifier") or [])


def test_vockit_and_another_package_called_evaluate_both_stay_whole(
    wheels: dict[str, Path], tmp_path: Path
) -> None:
    """Hugging Face's `evaluate` is among the packages that researchers have most often."""
    target = tmp_path / "site-packages"
    other = target / "evaluate" / "__init__.py"
    other.parent.mkdir(parents=True)
    other.write_text('MAKER = "Hugging Face"\n')
    run_pip("install", "--target", target, wheels["vockit"])
    assert other.read_text() == 'MAKER = "Hugging Face"\n'
    assert sorted(path.name for path in other.parent.iterdir()) == ["__init__.py"]
    code = (
        f"import sys; sys.path.insert(0, {str(target)!r})\n"
        "import evaluate, vockit.evaluate\n"
        "print(evaluate.MAKER, vockit.evaluate.__file__, vockit.evaluate.detection.__name__)"
    )
    shown = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    place = target / "vockit" / "evaluate" / "__init__.py"
    assert shown.stdout.split() == ["Hugging", "Face", str(place), "detection"]
