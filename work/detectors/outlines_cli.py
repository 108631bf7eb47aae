"""`vocparty suggest outlines`: a pair of models that outlines what people click on."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from catalog.command import with_party
from vockit.command_line import FOLDER
from vockit.format.plural import format_count

from .cli import look_option, memory_option, seconds_option, yes_option

if TYPE_CHECKING:
    from catalog.party import Party

    from .outline_look import Seen

_SLOW_SECS = 15.0
"""Of a picture; who draws an image has mostly begun by hand after so long."""


@click.command()
@click.argument("encoder", metavar="ENCODER.onnx", type=FOLDER)
@click.argument("decoder", metavar="DECODER.onnx", type=FOLDER)
@click.option("--model", "model_name", required=True, metavar="NAME", help="As it is released.")
@click.option("--version", required=True, metavar="VERSION", help="Of the model.")
@click.option("--licence", metavar="LICENCE", help="Of the model.")
@memory_option
@seconds_option
@look_option
@yes_option
@with_party
def outlines(
    party: Party,
    /,
    encoder: Path,
    decoder: Path,
    model_name: str,
    version: str,
    licence: str | None,
    memory_gb: float,
    secs: float,
    look_folder: Path | None,
    *,
    is_sure: bool,
) -> None:
    """Let a model outline what people click on, on the page Segment.

    The model is a pair of ONNX files as SAM, MobileSAM and EfficientSAM are exported: ENCODER looks
    at an image when a person reserves it, DECODER answers to each click. Both run on the server's
    processors, each in a process of its own. Before the pair is kept, a page shows twelve pictures
    with an outline in each. The party has one pair at a time.

    \b
    Example:
      vocparty suggest outlines mobile_sam.encoder.onnx mobile_sam.decoder.onnx --model MobileSAM \\
        --version 1 --licence Apache-2.0
    """
    from datetime import UTC, datetime

    from catalog.party import LOOKS_FOLDER
    from catalog.states import SuggestionKind
    from vockit.extras import require_module
    from vockit.report.progress import progress
    from work.suggest.values import SetInfo

    for module in ("onnx", "onnxruntime"):
        require_module(module, extra="suggest", purpose="A model", package="vocparty")

    from .limits import GIGABYTE, Limits
    from .outline_files import digest_pair, keep_pair
    from .outline_look import look_at_some
    from .outlining import run_pair

    digest = digest_pair(encoder, decoder)
    info = SetInfo(
        model=model_name.strip(),
        version=version.strip(),
        sha256=digest,
        kind=SuggestionKind.OUTLINE,
        licence=licence,
    )
    limits = Limits(int(memory_gb * GIGABYTE), secs)
    folder = look_folder or party.folder / LOOKS_FOLDER / digest[:12]
    with run_pair(encoder, decoder, limits) as outliner:
        outliner.try_out()
        seen = look_at_some(party, outliner, folder, f"{info.model} {info.version}", progress)
    if not _is_right(seen, is_sure=is_sure):
        return
    set_id = keep_pair(party, (encoder, decoder), info, limits, datetime.now(UTC))
    click.echo(
        f"Kept as set {set_id}. On the page Segment, a click now gets an outline of {info.model} "
        f"{info.version}; `vocparty suggest off {set_id}` ends that."
    )


def _is_right(seen: Seen, *, is_sure: bool) -> bool:
    """Say what was seen; whether a person wants it, no where nobody can answer."""
    click.echo(
        f"Outlined an object in {format_count(seen.pictures, 'picture')}: {seen.encoding_secs:.1f} "
        f"s for each picture, {seen.outlining_secs:.2f} s for an outline. Look at {seen.page} in a "
        "browser."
    )
    if seen.encoding_secs > _SLOW_SECS:
        click.echo(
            "That is slow: who opens an image will mostly draw by hand before the model has looked "
            "at it. A smaller model would help.",
            err=True,
        )
    if is_sure:
        return True
    if not sys.stdin.isatty():
        click.echo("Nothing was kept. Run the command again with --yes if the outlines are right.")
        return False
    return click.confirm("Are the outlines right? Offer them to people")
