"""vockit needs few packages: neither a party's, nor those that its extras install."""

import importlib.metadata
import pkgutil
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import vockit
from tests.trees import make_tree

ROOT = Path(vockit.__file__).parent
EXTRAS = {
    "pyarrow": "pyarrow",
    "flask": "flask",
    "waitress": "waitress",
    "pyyaml": "yaml",
    "opencv-python-headless": "cv2",
    "scikit-learn": "sklearn",
}
"""The packages of the extras, and the modules that they bring."""
PARTY = (
    "alembic",
    "annotate_ui",
    "catalog",
    "challenge",
    "collect",
    "dedup",
    "defusedxml",
    "export",
    "fsspec",
    "operate",
    "pydantic",
    "qa",
    "requests",
    "simulate",
    "sqlalchemy",
    "web",
    "werkzeug",
    "work",
)
BLOCK = f"import sys; sys.modules.update(dict.fromkeys({[*EXTRAS.values(), *PARTY]!r}))"
"""A module that is None in sys.modules cannot be imported."""


def run_blocked(code: str) -> subprocess.CompletedProcess[str]:
    """What a new Python does that has none of these packages."""
    return subprocess.run(
        [sys.executable, "-c", f"{BLOCK}\n{code}"], capture_output=True, text=True, check=False
    )


def call(*args: object) -> str:
    """The code that calls the command with these arguments."""
    texts = [str(argument) for argument in args]
    return f"from vockit.command import main; main({texts!r})"


def test_every_module_but_those_of_an_extra_imports_without_the_extras() -> None:
    names = [module.name for module in pkgutil.walk_packages([str(ROOT)], "vockit.")]
    parquet = {"vockit.foreign.parquet_tables", "vockit.foreign.objects_table"}
    needed = [
        name
        for name in names
        if not name.startswith(("vockit.browse.", "vockit.baselines.")) and name not in parquet
    ]
    assert len(needed) > 60
    result = run_blocked("\n".join(f"import {name}" for name in needed))
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize("form", ["coco", "yolo", "yolo-seg"])
def test_a_tree_is_converted_without_pyarrow(form: str, tmp_path: Path) -> None:
    result = run_blocked(call("convert", make_tree(tmp_path), tmp_path / "out", "--to", form))
    assert result.returncode == 0, result.stderr
    assert any((tmp_path / "out").iterdir())


def test_a_tree_is_packed_and_verified_without_the_extras(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    assert run_blocked(call("archive", tree, tmp_path / "out")).returncode == 0
    result = run_blocked(call("verify", tree))
    assert "every rule of the format holds" in result.stdout, result.stderr


@pytest.mark.parametrize(
    ("args", "module", "extra"),
    [
        (("convert", "--to", "parquet"), "pyarrow", "fast"),
        (("browse",), "flask", "browse"),
        (("baselines",), "cv2", "baselines"),
    ],
)
def test_what_an_extra_is_needed_for_names_it_in_a_sentence(
    args: tuple[str, ...], module: str, extra: str, tmp_path: Path
) -> None:
    name, *options = args
    places = [make_tree(tmp_path)]
    if name != "browse":
        places.append(tmp_path / "out")
    result = run_blocked(call(name, *places, *options))
    assert result.returncode == 2
    assert result.stderr.startswith("Error: ")
    assert module in result.stderr
    assert f"vockit[{extra}]" in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "out").exists()


def test_a_list_of_classes_in_yaml_names_the_missing_extra(tmp_path: Path) -> None:
    (tmp_path / "data.yaml").write_text("names: [cat]\n")
    code = "from pathlib import Path\nfrom vockit.foreign.datasets.opening import open_dataset\n"
    code += "from vockit.errors import MissingExtraError\n"
    code += f"try:\n    open_dataset(Path({str(tmp_path)!r}))\n"
    code += "except MissingExtraError as error:\n    print(error)"
    assert "vockit[formats]" in run_blocked(code).stdout


def test_the_declared_dependencies_are_the_imported_ones() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {re.split("[<>=]", text)[0] for text in project["dependencies"]}
    assert declared == {"click", "jinja2", "matplotlib", "numpy", "pillow", "scipy"}
    extras = {
        re.split("[<>=]", text)[0]
        for texts in project["optional-dependencies"].values()
        for text in texts
    }
    assert extras == set(EXTRAS)
    modules = {
        match[1]
        for path in ROOT.rglob("*.py")
        for match in re.finditer(r"^ *(?:import|from) ([A-Za-z_]\w*)", path.read_text(), re.M)
    }
    outside = modules - sys.stdlib_module_names - {"vockit", "_typeshed"}
    distributions = importlib.metadata.packages_distributions()
    names = {distributions[name][0].lower() for name in outside if name in distributions}
    assert names <= declared | extras | {"markupsafe"}  # which comes with jinja2


def test_the_baselines_ask_for_an_opencv_that_has_what_they_use() -> None:
    """OpenCV 5 has no HOGDescriptor among its main modules."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    (need,) = (n for n in project["optional-dependencies"]["baselines"] if "opencv" in n)
    requirement = Requirement(need)
    assert "4.12.0.88" in requirement.specifier
    assert "5.0.0.93" not in requirement.specifier


def test_scoring_one_method_loads_nothing_of_scipy(tmp_path: Path) -> None:
    """It takes longer than reading and scoring 200,000 detections."""
    tree = make_tree(tmp_path)
    results = tmp_path / "results/Main"
    results.mkdir(parents=True)
    (results / "comp3_det_train_cat.txt").write_text("2012_000001 0.9 1 1 20 20\n")
    arguments = ["evaluate", tree, "--results", results.parent, "--set", "train"]
    code = f"import sys\ntry:\n    {call(*arguments)}\nexcept SystemExit as done:\n"
    code += "    assert not done.code, done.code\n"
    code += "assert not [name for name in sys.modules if name.startswith('scipy')]"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "comp3 (detection)" in done.stdout


def test_a_python_without_scipy_is_told_what_it_lacks(tmp_path: Path) -> None:
    tree = make_tree(tmp_path)
    for name in ("first", "second"):
        folder = tmp_path / name / "Main"
        folder.mkdir(parents=True)
        (folder / "comp3_det_train_cat.txt").write_text("2012_000001 0.9 1 1 20 20\n")
    methods = [f"--method={name}={tmp_path / name}" for name in ("first", "second")]
    command = call("evaluate", tree, "--set", "train", *methods)
    result = run_blocked(f"sys.modules['scipy'] = None\n{command}")
    assert result.returncode == 1
    assert "The package scipy is not installed" in result.stderr
    assert "Traceback" not in result.stderr
