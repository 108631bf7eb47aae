"""Making a challenge of an open release: its labels sealed in the folder, its lists beside them."""

from __future__ import annotations

import math
import os
import secrets
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from catalog.party import format_toml
from dedup.executors import Watch, unwatched
from vockit.errors import SettingsError
from vockit.evaluate.curves import Rules
from vockit.evaluate.errors import EvaluateError
from vockit.evaluate.held_back import has_any_truth, require_truth
from vockit.evaluate.results import COMPETITIONS as OF_TASKS
from vockit.evaluate.truth import Truth, find_root, open_truth
from vockit.foreign.devkit import list_kit_files
from vockit.foreign.folder import new_folder
from vockit.foreign.given_persons import list_given_files, make_given
from vockit.foreign.identity import RELEASE_FILE, Identity, format_kit
from vockit.foreign.manifest import MANIFEST
from vockit.format import tree
from vockit.format.whole_file import write_whole

from . import phases
from .database import create_tables
from .folder import EVIDENCE, FILE_NAME, LISTS, OWN_IMAGES, TRUTHS, UPLOADS, open_challenge
from .own_images import keep_test_images
from .people import keep_people
from .tables import FORMAT, Contest, Edition
from .values import COMPETITIONS, Phase

PUBLIC_IMAGES = "public-images.txt"
LEAST_STEP = 0.01
STEP_OF_ONE_CLASS = 0.025
_OFFERED = ("classification", "detection", "segmentation", "layout", "action")
_FOLDERS = {
    "classification": tree.MAIN,
    "detection": tree.MAIN,
    "segmentation": tree.SEGMENTATION,
    "layout": tree.LAYOUT,
    "action": tree.ACTION,
}


@dataclass(frozen=True)
class Order:
    """What a challenge is to be; no `competitions` are all that the release can score.

    Without a `step` it is that of `choose_step`.
    """

    name: str
    dates: Mapping[Phase, datetime]
    image_set: str = "test"
    competitions: Sequence[str] = ()
    database: str = ""
    per_method: int = 1
    per_week: int = 2
    failures_per_day: int = 10
    public_share: float = 0.0
    step: float | None = None


def make_challenge(
    folder: Path, release: Path, order: Order, now: datetime, *, watch: Watch = unwatched
) -> tuple[str, ...]:
    """Make the challenge in a new folder; the competitions that it has.

    Nothing is left of one that cannot be made. Raises SettingsError, FolderTakenError,
    EvaluateError and InvalidError.
    """
    phases.refuse_disorder(order.dates)
    truth = open_truth(find_root(release), order.image_set)
    competitions = choose_competitions(truth, order.competitions)
    with new_folder(folder) as made:
        made.chmod(0o700)
        for name in (UPLOADS, EVIDENCE, OWN_IMAGES):
            (made / name).mkdir(mode=0o700)
        seal_truth(truth, made / TRUTHS / "1")
        write_lists(truth, made / LISTS / "1")
        keep_people(truth, made / TRUTHS / "1", name_evaluator())
        keep_test_images(truth, made, watch=watch)
        _draw_public_images(truth, made, order.public_share)
        settings = {"name": order.name} | ({"database": order.database} if order.database else {})
        write_whole(made / FILE_NAME, format_toml(settings).encode(), mode=0o600)
        _fill_database(made, truth, order, competitions, now)
    return competitions


def choose_step(classes: int) -> float:
    """The step where none is named: chance moves a mean over few classes more.

    benchmarks/challenge_attack.py measures what is gained with it over chance in a year.
    """
    return max(LEAST_STEP, round(STEP_OF_ONE_CLASS / math.sqrt(classes), 3))


def choose_competitions(truth: Truth, wanted: Sequence[str]) -> tuple[str, ...]:
    """The competitions that can be scored, of those that are wanted; raises EvaluateError.

    Layout and action are scored where participants are given the persons to look at. By the rules
    of 2007 layouts would have the names of segmentations.
    """
    if not has_any_truth(truth):
        raise EvaluateError(
            f"{truth.root} has no annotation of the set {truth.image_set}: name the open release, "
            "which `vocparty export --open` writes."
        )
    can = dict[str, str]()
    for task in _OFFERED:
        try:
            require_truth(truth, task)
            _require_given(truth, task)
        except EvaluateError as error:
            can |= dict.fromkeys(OF_TASKS[task], str(error))
        else:
            can |= dict.fromkeys(OF_TASKS[task], "")
    for name in wanted:
        if name not in COMPETITIONS:
            raise SettingsError(f"Unknown competition {name!r}; there are {', '.join(can)}.")
        if can[name]:
            raise EvaluateError(can[name])
    chosen = tuple(name for name in can if not can[name] and (not wanted or name in wanted))
    if not chosen:
        raise EvaluateError(f"{truth.name} has the truth of no competition.")
    return chosen


def _require_given(truth: Truth, task: str) -> None:
    """Raise EvaluateError where participants are not given all persons that a task asks about."""
    if task not in ("layout", "action"):
        return
    if truth.rules is Rules.VOC2007:
        raise EvaluateError(f"By the rules of 2007 no {task} can be entered here.")
    folder = _FOLDERS[task]
    listed = truth.layout_persons if task == "layout" else truth.action_persons
    given = {person.key for person in make_given(truth.root, folder, truth.image_set)}
    unknown = sorted(listed - given)
    if unknown:
        raise EvaluateError(
            f"{truth.root} asks about the {task} of {len(unknown):,} persons in images that Main "
            f"lists too, such as {unknown[0][0]}: their boxes would tell what detection asks for, "
            f"so that no blind release gives them. Have images annotated for {task} alone."
        )


def seal_truth(truth: Truth, target: Path) -> None:
    """Copy what scoring reads into a folder that this account alone may read."""
    listed = {image_id for folder in _FOLDERS.values() for image_id in truth.list_images(folder)}
    names = [tree.annotation_path(image_id) for image_id in sorted(listed)]
    names += [
        tree.mask_path(kind, image_id)
        for kind in (tree.SEGMENTATION_CLASS, tree.SEGMENTATION_OBJECT)
        for image_id in sorted(listed)
    ]
    sets = (truth.root / tree.IMAGE_SETS).glob("*/*.txt")
    names += sorted(path.relative_to(truth.root).as_posix() for path in sets)
    names.append(tree.LABEL_MAP)
    root = target / tree.DEVKIT / truth.root.resolve().name
    _copy_files(truth.root, names, root)
    _copy_files(truth.root.resolve().parent.parent, [MANIFEST], target)


def write_lists(truth: Truth, target: Path) -> None:
    """Write what a verdict reads of a participants' kit: lists, and pictures for sizes of masks.

    An image that was withdrawn is as unknown here as one that never was.
    """
    root = target / tree.DEVKIT / truth.root.resolve().name
    segmented = set(truth.segmented) if truth.has_set(tree.SEGMENTATION) else set()
    names = [
        name
        for name in list_kit_files(truth.root)
        if name.startswith(f"{tree.IMAGE_SETS}/")
        or name == tree.LABEL_MAP
        or (name.startswith(f"{tree.JPEG_IMAGES}/") and Path(name).stem in segmented)
    ]
    _copy_files(truth.root, names, root)
    for name, data in list_given_files(truth.root).items():
        _make_private((root / name).parent)
        write_whole(root / name, data, mode=0o600)
    text = format_kit(root.name, Identity(truth.identity.digest))
    write_whole(target / RELEASE_FILE, text.encode(), mode=0o600)


def _copy_files(source: Path, names: Iterable[str], target: Path) -> None:
    """Copy the files that are there, each readable by this account alone."""
    for name in names:
        if not (source / name).is_file():
            continue
        place = target / name
        _make_private(place.parent)
        private = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with (source / name).open("rb") as file, os.fdopen(private, "wb") as copy:
            shutil.copyfileobj(file, copy)


def _make_private(folder: Path) -> None:
    if not folder.is_dir():
        _make_private(folder.parent)
        folder.mkdir(mode=0o700)


def _draw_public_images(truth: Truth, folder: Path, share: float) -> None:
    """Draw the public part of the set by chance; who could tell it would know what the rest is."""
    listed = sorted({name for kind in _FOLDERS.values() for name in truth.list_images(kind)})
    count = round(share * len(listed))
    if count:
        drawn = sorted(secrets.SystemRandom().sample(listed, count))
        text = "".join(f"{image_id}\n" for image_id in drawn)
        write_whole(folder / TRUTHS / PUBLIC_IMAGES, text.encode(), mode=0o600)


def name_evaluator() -> str:
    """The program that scores, with its version."""
    return f"vockit {version('vockit')}"


def _fill_database(
    folder: Path, truth: Truth, order: Order, competitions: Sequence[str], now: datetime
) -> None:
    with open_challenge(folder, is_new=True) as challenge:
        create_tables(challenge.catalogue)
        with challenge.catalogue.writing() as session:
            session.add(
                Contest(
                    id=1,
                    format=FORMAT,
                    release=truth.root.resolve().name,
                    image_set=truth.image_set,
                    rules=truth.rules.value,
                    release_digest=truth.identity.digest,
                    evaluator=name_evaluator(),
                    competitions=list(competitions),
                    images=len(truth.images),
                    per_method=order.per_method,
                    per_week=order.per_week,
                    failures_per_day=order.failures_per_day,
                    public_share=order.public_share,
                    step=choose_step(len(truth.classes)) if order.step is None else order.step,
                    made_at=now,
                )
            )
            session.add(
                Edition(
                    evaluator=name_evaluator(),
                    release_digest=truth.identity.digest,
                    truth_folder="1",
                    reason="first scoring",
                    began_at=now,
                    published_at=now,
                )
            )
            phases.set_dates(session, order.dates)
