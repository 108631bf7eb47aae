"""`vocparty suggest run` and `vocparty suggest train`."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from catalog.command import ROW_ID, with_party, word_options
from vockit.command_line import FOLDER
from vockit.format.plural import format_count

if TYPE_CHECKING:
    from catalog.party import Party

    from .finder import Finder
    from .job import Looked
    from .limits import Limits

PEOPLE = "people"
PARTY_MODEL = "the party's own detector"
KIND_NAMES = (
    "yolov5",
    "yolov8",
    "end-to-end",
    "yolox",
    "detr",
    "rt-detr",
    "torchvision",
    "centerface",
    PEOPLE,
)

memory_option = click.option(
    "--memory",
    "memory_gb",
    type=click.FloatRange(0.1, 1024),
    default=4.0,
    show_default=True,
    help="Gigabytes that the model may use.",
)
seconds_option = click.option(
    "--seconds",
    "secs",
    type=click.FloatRange(1, 86400),
    default=60.0,
    show_default=True,
    help="Seconds that opening it, and each picture, may take.",
)
look_option = click.option(
    "--look",
    "look_folder",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where the page of twelve pictures is written; else a folder in the party's.",
)
yes_option = click.option(
    "--yes", "is_sure", is_flag=True, help="Store what was found without asking."
)


@click.command(short_help="Let a model suggest boxes of the waiting images")
@click.argument("model_path", metavar="[MODEL.onnx]", required=False, type=FOLDER)
@click.option(
    "--kind",
    "kind_name",
    type=click.Choice(KIND_NAMES),
    help="What the model takes and gives; people is OpenCV's own detector, without a file.",
)
@click.option(
    "--classes",
    "class_file",
    type=FOLDER,
    metavar="FILE",
    help="The model's classes, one on each line in its order.",
)
@click.option("--model", "model_name", help="Its name; else that of the file.")
@click.option("--version", "version", help="Its version; else the beginning of its digest.")
@click.option("--licence", help="Of the model, as its release says.")
@word_options
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    help="Leave out what the model is less sure of; else 0.25, of OpenCV's people 0.5.",
)
@click.option(
    "--size",
    "size_px",
    type=click.IntRange(32, 4096),
    help="The side of the input in pixels, where the model takes any; else 640.",
)
@memory_option
@seconds_option
@look_option
@yes_option
@with_party
def run(
    party: Party,
    /,
    model_path: Path | None,
    kind_name: str | None,
    class_file: Path | None,
    size_px: int | None,
    memory_gb: float,
    secs: float,
    min_confidence: float | None,
    **options: Any,
) -> None:
    """Let a model look at the waiting images, and store what it finds as suggestions.

    The model is one ONNX file and runs on this machine's processors, in a process of its own.
    Before anything is stored, a page shows twelve pictures with what was found there. Running it
    again looks at the images that came since.

    \b
    Example:
      vocparty suggest run yolov8n.onnx --kind yolov8 --classes coco.txt --licence AGPL-3.0
      vocparty suggest run --kind people
    """
    from vockit.errors import SettingsError

    from .limits import GIGABYTE, Limits

    least = min_confidence
    if least is None:
        least = 0.5 if kind_name == PEOPLE else 0.25
    options["min_confidence"] = least
    if kind_name == PEOPLE and model_path is None:
        from .people import DIGEST, PeopleFinder

        _look(party, PeopleFinder(), DIGEST, "OpenCV people detector", **options)
        return
    if model_path is None or kind_name == PEOPLE:
        raise SettingsError("Name a model, or OpenCV's people detector alone with --kind people.")
    if class_file is None:
        raise SettingsError("--classes is missing: a file with the model's classes, one a line.")
    limits = Limits(int(memory_gb * GIGABYTE), secs)
    with _open_model(model_path, kind_name, class_file, limits, size_px) as (finder, digest):
        _look(party, finder, digest, model_path.stem, **options)


@contextmanager
def _open_model(
    path: Path, kind_name: str | None, class_file: Path, limits: Limits, size_px: int | None
) -> Iterator[tuple[Finder, str]]:
    """The model in its process, and the digest of its file."""
    from vockit.extras import require_module

    for module in ("onnx", "onnxruntime"):
        require_module(module, extra="suggest", purpose="A model", package="vocparty")

    from .child import Child
    from .kinds import KINDS
    from .opening import find_digest, open_finder, read_class_names

    names = read_class_names(class_file)
    digest = find_digest(path)
    frees_size = kind_name is not None and KINDS[kind_name].takes_any_size
    with Child(path, limits, size_px, frees_size=frees_size) as child:
        yield open_finder(child, path, names, kind_name, _choose_kind), digest


def _choose_kind(names: Sequence[str]) -> str:
    """Ask which of the kinds that fit it is; raises SettingsError where nobody can answer."""
    from vockit.errors import SettingsError

    either = " or ".join(names)
    if not sys.stdin.isatty():
        raise SettingsError(f"The model's outputs fit {either}; say which with --kind.")
    answer: str = click.prompt(
        f"The model's outputs fit {either}; which is it", type=click.Choice(names)
    )
    return answer


@click.command(short_help="Train a detector on checked images; store what it suggests")
@click.option(
    "--class", "classes", multiple=True, metavar="NAME", help="Learn this class alone. Repeatable."
)
@click.option(
    "--most",
    type=ROW_ID,
    default=1000,
    show_default=True,
    help="Learn from so many checked images, the newest.",
)
@click.option(
    "--min-confidence",
    type=click.FloatRange(0, 1),
    default=0.5,
    show_default=True,
    help="Leave out what the detector is less sure of.",
)
@click.option(
    "--keep-up",
    is_flag=True,
    help="Go on, and train again whenever another tenth of images is checked, until Ctrl-C.",
)
@look_option
@yes_option
@with_party
def train(
    party: Party,
    /,
    classes: tuple[str, ...],
    most: int,
    *,
    keep_up: bool,
    **options: Any,
) -> None:
    """Train the party's own detector on its checked images, and store what it suggests.

    A window of gradients for each class, as simple as those of 2005; it runs on any machine. Each
    new one takes the place of the one before, whose suggestions are switched off.

    \b
    Example:
      vocparty suggest train --class horse
    """
    from vockit.extras import require_module

    require_module("sklearn", extra="demo", purpose="Training", package="vocparty")

    from vockit.errors import UserError

    from .learning import count_checked, wait_for_more

    checked = count_checked(party)
    is_right = _train_once(party, classes, most, **options)
    while keep_up and is_right:
        click.echo("Waiting until another tenth is checked; Ctrl-C ends it.")
        wait_for_more(party, checked)
        checked = count_checked(party)
        try:
            _train_once(party, classes, most, **{**options, "is_sure": True})
        except UserError as error:  # such as that no image waits now
            click.echo(str(error), err=True)


def _train_once(party: Party, classes: Sequence[str], most: int, **options: Any) -> bool:
    """Whether the boxes of a new detector were stored; no where a person said no to them."""
    from .learning import find_weights_digest, load_pictures
    from .trained import train as train_on

    pictures, named = load_pictures(party, classes, most)
    finder = train_on(pictures, named, lambda name: click.echo(f"Learning {name} ..."))
    version = f"of {format_count(len(pictures), 'checked image')}"
    digest = find_weights_digest(finder)
    return _look(party, finder, digest, PARTY_MODEL, version=version, kind="party", **options)


@click.command(short_help="Carry boxes over to waiting images of the same event")
@with_party
def carry(party: Party) -> None:
    """Carry boxes from annotated images to waiting ones of the same event, as suggestions.

    Of near-duplicates that are linked, both stay. The features that dedup found in both tell where
    each object went. Running it again takes what was annotated since.

    \b
    Example:
      vocparty suggest carry
    """
    from datetime import UTC, datetime

    from vockit.report.progress import progress
    from work.suggest.show import show_report

    from .storing import carry_and_store

    report = carry_and_store(party, progress, datetime.now(UTC))
    show_report(report)


def _look(
    party: Party,
    finder: Finder,
    digest: str,
    default_name: str,
    *,
    min_confidence: float,
    look_folder: Path | None,
    is_sure: bool,
    kind: str = "model",
    model_name: str | None = None,
    version: str | None = None,
    licence: str | None = None,
    pairs: tuple[str, ...] = (),
    map_file: Path | None = None,
) -> bool:
    """Look through the waiting images, ask, store, and say what came of it.

    Whether it was stored; no where a person said no.
    """
    from datetime import UTC, datetime

    from catalog.party import LOOKS_FOLDER
    from catalog.states import SuggestionKind
    from export.importing.dataset_words import read_words, refuse_unknown_targets
    from vockit.report.progress import progress
    from work.suggest.show import show_report
    from work.suggest.values import SetInfo

    from .storing import LookOrder, look_and_store

    words = read_words(pairs, map_file)
    refuse_unknown_targets(party, words)
    info = SetInfo(
        model=model_name or default_name,
        version=version or digest[:12],
        sha256=digest,
        kind=SuggestionKind(kind),
        licence=licence,
        min_confidence=min_confidence,
        replaces_earlier=kind == SuggestionKind.PARTY,
    )
    order = LookOrder(
        info=info,
        words=words,
        folder=look_folder or party.folder / LOOKS_FOLDER / digest[:12],
        watch=progress,
        confirm=lambda page, looked: is_sure or _ask(page, looked),
    )
    done = look_and_store(party, finder, order, datetime.now(UTC))
    if done is None:
        return False
    looked, report = done
    for reason, count in looked.unread.items():
        click.echo(f"Not looked at: {format_count(count, 'image')}; {reason}.", err=True)
    click.echo(f"Looked at {format_count(len(looked.image_ids), 'image')}.")
    show_report(report)
    return True


def _ask(page: Path, looked: Looked) -> bool:
    """Whether a person who saw the page wants the rest; no where nobody can answer."""
    click.echo(
        f"Found {format_count(len(looked.rows), 'box', 'boxes')} in the first "
        f"{format_count(len(looked.image_ids), 'image')}. Look at {page} in a browser."
    )
    if not sys.stdin.isatty():
        click.echo("Nothing was stored. Run the command again with --yes if the boxes are right.")
        return False
    return click.confirm("Are the boxes right? Look at the other images and store all")
