"""The participants' kit: its size, and what installing it takes, against the whole of vocparty.

    python -m benchmarks.kit --release RELEASE --folder DIR [--whole]

Writes the kit to the new folder DIR and installs its wheel, alone and with the extra `baselines`,
each in an empty environment and without pip's cache; with --whole vocparty from this checkout, too.
What is counted is what each brings, without pip itself. Seconds depend on the network.
"""

from __future__ import annotations

import subprocess
import sys
import venv
from pathlib import Path
from time import monotonic

import click

from vockit.foreign.devkit import write_devkit

ROOT = Path(__file__).parents[1]
MB = 1_000_000


@click.command()
@click.option("--release", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--folder", type=click.Path(path_type=Path), required=True)
@click.option("--whole", is_flag=True, help="Install vocparty, too.")
def main(release: Path, folder: Path, whole: bool) -> None:
    """Print the sizes, and a row for each installation."""
    start = monotonic()
    kit = write_devkit(release, folder / "kit")
    seconds = monotonic() - start
    (wheel,) = kit.folder.glob("*.whl")
    pictures = measure(kit.folder / "VOCdevkit")
    print(f"kit of {kit.images:,} images, made in {seconds:,.1f} s:")
    print(f"  archive {kit.archive.stat().st_size / MB:,.1f} MB")
    print(f"  folder {measure(kit.folder) / MB:,.1f} MB, of it VOCdevkit {pictures / MB:,.1f} MB")
    print(f"  wheel {wheel.stat().st_size / MB:,.2f} MB")
    print("| installed | seconds | MB |\n|---|---|---|")
    install("the kit's wheel", folder / "alone", str(wheel))
    install("the kit's wheel with `baselines`", folder / "baselines", f"{wheel}[baselines]")
    if whole:
        install("vocparty", folder / "whole", str(ROOT / "vockit"), str(ROOT))


def install(name: str, folder: Path, *wanted: str) -> None:
    """Install into a new environment and print a row."""
    venv.create(folder, with_pip=True)
    before = measure(folder)
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "-q", "--no-cache-dir"]
    start = monotonic()
    done = subprocess.run([*pip, *wanted], check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    seconds = monotonic() - start
    print(f"| {name} | {seconds:,.0f} | {(measure(folder) - before) / MB:,.0f} |", flush=True)


def measure(folder: Path) -> int:
    """The bytes of all files in the folder."""
    paths = (path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    return sum(path.stat().st_size for path in paths)


if __name__ == "__main__":
    main()
