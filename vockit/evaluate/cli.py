"""`evaluate`: results scored on a VOC tree."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from .people_comparison import PeopleComparison
    from .scores import Scores
    from .truth import Truth

RESULTS = "results"
"""The name of the only method, where no --method names it."""

EXAMPLE = """\b
Example:
  vocparty evaluate VOCdevkit/VOC2012 --set val
  vocparty evaluate ../zoo-2026/VOCdevkit --results results/VOC2026 --json
  vocparty evaluate VOCdevkit/VOC2012 --method ours=results/ours --method baseline=results/base
  vocparty evaluate VOCdevkit/VOC2012 --report report
"""
_FOLDER = click.Path(path_type=Path, file_okay=False)
_RESULTS = click.Path(path_type=Path)
_FILE = click.Path(path_type=Path, dir_okay=False)
_HELP = {
    "results": "The results: a folder, named as in the kit (default: results/VOC<year> next to the "
    "tree), a tar, tar.gz or zip of one, or detections as COCO's JSON.",
    "coco": "Print COCO's AP too; always for COCO's JSON.",
    "coco_ids": "The instances file whose ids COCO's JSON has; not needed for names.",
    "set": "The image set.",
    "rules": "The kit whose rules apply (default: the tree's year).",
    "competition": "Only this competition, e.g. comp3.",
    "class": "Only this class; may be repeated.",
    "method": "A method and its results; two or more are compared.",
    "paint": "Write this detection entry, e.g. comp3, as masks next to its results.",
    "confidence": "Minimum confidence of detections in painted masks.",
    "report": "Write pages, tables, figures and galleries to this folder.",
    "panel": "In the report, rank images by these methods.",
    "other": "scores.json of a report on another set, or on other labels, to compare with.",
    "url": "Where the party is served: images in the report lead to it.",
    "kit": "Refuse also what only the kit's own reader cannot read.",
    "json": "Print one JSON document and nothing else.",
}


@click.command(epilog=EXAMPLE)
@click.argument("folder", metavar="TREE", type=_FOLDER)
@click.option("--results", metavar="DIR|FILE", type=_RESULTS, help=_HELP["results"])
@click.option("--set", "image_set", default="val", show_default=True, help=_HELP["set"])
@click.option("--rules", type=click.Choice(["2007", "2008", "2012"]), help=_HELP["rules"])
@click.option("--competition", "competitions", multiple=True, help=_HELP["competition"])
@click.option("--class", "classes", multiple=True, help=_HELP["class"])
@click.option("--method", "methods", multiple=True, metavar="NAME=DIR", help=_HELP["method"])
@click.option("--paint", metavar="COMPETITION", help=_HELP["paint"])
@click.option("--confidence", type=float, default=-math.inf, help=_HELP["confidence"])
@click.option("--report", metavar="DIR", type=_FOLDER, help=_HELP["report"])
@click.option("--panel", multiple=True, metavar="NAME", help=_HELP["panel"])
@click.option("--other-scores", metavar="FILE", type=_FILE, help=_HELP["other"])
@click.option("--url", metavar="URL", default="", envvar="VOCPARTY_URL", help=_HELP["url"])
@click.option("--coco", "with_coco", is_flag=True, help=_HELP["coco"])
@click.option("--coco-ids", metavar="FILE", type=_FILE, help=_HELP["coco_ids"])
@click.option("--like-kit", is_flag=True, help=_HELP["kit"])
@click.option("--json", "as_json", is_flag=True, help=_HELP["json"])
def evaluate(
    folder: Path,
    results: Path | None,
    image_set: str,
    rules: str | None,
    competitions: tuple[str, ...],
    classes: tuple[str, ...],
    methods: tuple[str, ...],
    paint: str | None,
    confidence: float,
    report: Path | None,
    panel: tuple[str, ...],
    other_scores: Path | None,
    url: str,
    with_coco: bool,
    coco_ids: Path | None,
    like_kit: bool,
    as_json: bool,
) -> None:
    """Score results on the VOC tree TREE, exactly as the development kit does.

    TREE is a folder such as VOC2012 or the one above it. No images are needed. All results that are
    there are scored: classification, detection, segmentation, layout and action.
    """
    from .coco_results import NO_IDS, read_coco_ids
    from .curves import Rules
    from .entry import Selection
    from .entry_reading import is_coco_file
    from .people import find_people, is_of_people
    from .people_comparison import compare_people
    from .scoring import score
    from .truth import open_truth

    if url and not url.startswith(("http://", "https://")):
        raise click.UsageError(f"--url {url!r} must be an address such as https://HOST.")
    chosen_rules = Rules(rules) if rules else None
    truth = open_truth(folder, image_set, chosen_rules, is_like_kit=like_kit)
    folders = _parse_methods(methods) or {RESULTS: results or _default_results(truth)}
    given = {name: place for name, place in folders.items() if is_of_people(place)}
    folders = {name: place for name, place in folders.items() if name not in given}
    people = find_people(truth, list(given.values()))
    is_default = not methods and results is None
    if is_default and people is not None:
        folders = {name: place for name, place in folders.items() if place.exists()}
    selection = Selection(competitions, classes, confidence)
    ids = NO_IDS if coco_ids is None else read_coco_ids(coco_ids)
    scored = {name: score(truth, place, selection, ids) for name, place in folders.items()}
    if paint:
        _paint(truth, scored, folders, paint, confidence)
    compared = compare_people(truth, people, scored) if people is not None else None
    if report:
        _write_report(truth, scored, report, panel, other_scores, url, compared)
    has_coco = with_coco or any(map(is_coco_file, folders.values()))
    show = _show_json if as_json else _show
    status = show(truth, scored, compared, is_named=bool(methods), with_coco=has_coco)
    click.get_current_context().exit(status)


def _parse_methods(texts: Sequence[str]) -> dict[str, Path]:
    """The folder of each method's results, of texts NAME=DIR."""
    folders: dict[str, Path] = {}
    for text in texts:
        name, _, place = text.partition("=")
        if not name or not place or not Path(place).exists() or name in folders:
            raise click.UsageError(f"--method {text!r} must be NAME=DIR, each name once.")
        folders[name] = Path(place)
    return folders


def _default_results(truth: Truth) -> Path:
    """Where the kit keeps results: next to the tree."""
    root = truth.root.resolve()
    return root.parent / "results" / root.name


def _paint(
    truth: Truth,
    scored: Mapping[str, Scores],
    folders: Mapping[str, Path],
    competition: str,
    confidence: float,
) -> None:
    from .masks import write_painted
    from .packed import name_folder

    for name, place in folders.items():
        folder = name_folder(place) if place.is_file() else place
        count, painted = write_painted(truth, scored[name], competition, confidence, folder)
        click.echo(f"Painted {count:,} images in {painted}", err=True)


def _write_report(
    truth: Truth,
    scored: Mapping[str, Scores],
    folder: Path,
    panel: Sequence[str],
    other_scores: Path | None,
    url: str,
    people: PeopleComparison | None,
) -> None:
    from .report import ReportOptions, write_report

    options = ReportOptions(
        folder, panel, other_scores=other_scores, url=url.rstrip("/"), people=people
    )
    write_report(truth, scored, options)
    click.echo(f"Wrote {folder / 'index.html'}", err=True)


def _show(
    truth: Truth,
    methods: Mapping[str, Scores],
    people: PeopleComparison | None,
    *,
    is_named: bool,
    with_coco: bool,
) -> int:
    """Print the scores of one method, or the comparison of several; the exit status."""
    from .comparing import compare_methods, format_comparison
    from .people_show import format_people
    from .show import format_coco_means, format_scores

    status = 0
    if len(methods) == 1:
        click.echo("\n".join(format_scores(truth, *methods.values(), with_coco=with_coco)))
        status = _judge_one(truth, methods)
    elif methods:
        comparison = compare_methods(truth, methods)
        for competition in comparison.competitions:
            click.echo("\n".join(format_comparison(competition)))
        if with_coco:
            click.echo("\n".join(format_coco_means(methods)))
        if comparison.compared.passed_over:
            click.echo(comparison.compared.sentence)
        for name, scores in methods.items():
            for note in scores.notes:
                click.echo(f"Note on {name}: {note}")
        status = comparison.compared.exit_status
    if people is not None:
        click.echo("\n".join(format_people(people)))
    return status


def _show_json(
    truth: Truth,
    methods: Mapping[str, Scores],
    people: PeopleComparison | None,
    *,
    is_named: bool,
    with_coco: bool,
) -> int:
    """Print the same as one JSON document; the exit status."""
    from .comparing import compare_methods, make_comparison
    from .people_show import make_people
    from .show import make_document

    comparison = compare_methods(truth, methods)
    documents = {
        name: make_document(truth, scores, with_ours=True) for name, scores in methods.items()
    }
    document = documents.get(RESULTS, {})
    if is_named or not methods:
        document = {
            "methods": documents,
            "comparison": make_comparison(comparison.competitions),
            "compared": comparison.compared.as_json(),
        }
    if people is not None:
        document["people"] = make_people(people)
    click.echo(json.dumps(document))
    if len(methods) == 1:
        return _judge_one(truth, methods)
    return comparison.compared.exit_status if methods else 0


def _judge_one(truth: Truth, methods: Mapping[str, Scores]) -> int:
    """The exit status of the scores of one method: 1, and said, where nothing was scored."""
    from .scores import has_number

    if any(map(has_number, methods.values())):
        return 0
    click.echo(
        f"Error: No class has a number, as the set {truth.image_set} holds nothing of what was "
        "entered.",
        err=True,
    )
    return 1
