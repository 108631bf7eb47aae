"""How many changed photographs `vocparty dedup` finds again, change by change.

    python -m benchmarks.dedup_recall FOLDER ... [--limit 400] [--changed 40] [--every 10]
        [--hashes] [--only NAME ...]

Everything runs from files to rows. A party gets the originals, and one run of `vocparty dedup` must
merge none of them. For each change a copy of this party gets the changed files, and another run
must remove each of them for its original. Prints Markdown rows: how many pairs were candidates by
hashes or by words, how many were merged or only linked, and how often the original was kept. With
`--hashes` also how many are found by the text that `vocparty hashes` writes of the changed files.
Sets of lookalikes, of which no pair may be merged, come last.
"""

from __future__ import annotations

import argparse
import io
import shutil
import tempfile
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from unittest.mock import patch

import numpy as np
from sqlalchemy import select

from catalog.party import Party, make_party, open_party
from catalog.tables import Duplicate
from dedup.executors import default_workers, open_processes, use_one_thread
from dedup.jobs import remove_duplicates
from dedup.matching import Matcher, Task
from dedup.overlap.comparison import find_overlaps
from dedup.overlap.hash_file import format_hashes, read_hashes
from dedup.overlap.ours import Scope, load_ours
from dedup.overlap.theirs import TheirImage, describe_image
from dedup.pairs import Pair, Relation
from dedup.signature.picture import read_picture
from dedup.signature.signature import make_signature

from .lookalikes import DRAWN, OF_A_SET, draw_set, make_bursts
from .photographs import add_files, open_rgb, read_photographs, save
from .transformations import BY_NAME, MORE, TRANSFORMATIONS

MISSED_SHOWN = 4
HEAD = "change | goal | met by hashes, words | merged | linked | original kept | by hashes alone"


def main() -> None:
    """Measure what the command line asks for and print Markdown."""
    options = parse_arguments()
    read = list(read_photographs(options.folders, options.limit).items())
    originals = dict([*read[:: options.every], *read])  # those to be changed come first
    changed = dict(list(originals.items())[: options.changed])
    names = [
        name for name in BY_NAME if options.only is None or name.startswith(tuple(options.only))
    ]
    with tempfile.TemporaryDirectory() as scratch, open_processes(default_workers()) as executor:
        template = Path(scratch) / "originals"
        print_false_merges(template, originals)
        print(f"\n| {HEAD} | missed |\n{'|---' * 8}|")
        shares = {}
        for name in names:
            with copy_party(template) as party:
                shares[name] = measure(party, name, changed, executor, options.hashes)
    for title, changes in (("thirty-five", TRANSFORMATIONS), ("others", MORE[:-1])):
        listed = [shares[change.name] for change in changes if change.name in shares]
        if listed:
            print(f"\nmean of the {title}: {np.mean(listed):.2%}, least {min(listed):.1%}")
    print_lookalikes(changed)


def parse_arguments() -> argparse.Namespace:
    """What is to be measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--limit", type=int, default=10**9, help="at most this many originals")
    parser.add_argument("--changed", type=int, default=40, help="this many of them are changed")
    parser.add_argument("--every", type=int, default=1, help="change one original in this many")
    parser.add_argument("--only", nargs="*", help="changes whose names begin so")
    parser.add_argument("--hashes", action="store_true", help="also exchange hashes, slower")
    return parser.parse_args()


@contextmanager
def copy_party(template: Path) -> Iterator[Party]:
    """A copy of the party for a while."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(shutil.copytree(template, Path(scratch) / "party"))
        with open_party(folder) as party:
            yield party


@contextmanager
def record() -> Iterator[tuple[dict[tuple[int, int], bool], list[Pair]]]:
    """All pairs that are verified meanwhile, whether hashes chose them, and those that belong."""
    met: dict[tuple[int, int], bool] = {}
    related: list[Pair] = []
    verify = Matcher.verify

    def verify_and_note(self: Matcher, tasks: Sequence[Task]) -> list[Pair]:
        for task in tasks:
            met.setdefault(task.ids, bool(task.guesses))
        pairs = verify(self, tasks)
        related.extend(pairs)
        return pairs

    with patch.object(Matcher, "verify", verify_and_note):
        yield met, related


def load_rows(party: Party) -> tuple[dict[int, int], set[frozenset[int]]]:
    """The image for which each one was removed, and the pairs that are only linked."""
    with party.catalogue.reading() as session:
        rows = session.scalars(select(Duplicate).where(Duplicate.undone_at.is_(None))).all()
    aside = {row.image_id: row.kept_image_id for row in rows if row.relation == Relation.DUPLICATE}
    links = {frozenset((row.image_id, row.kept_image_id)) for row in rows}
    return aside, links


def print_false_merges(folder: Path, originals: dict[str, bytes]) -> None:
    """Make the party of the originals, and print every two of them that a run merges."""
    make_party(folder, name="recall", preset="voc2012")
    with open_party(folder) as party, record() as (met, related):
        ids = add_files(party, originals.values())
        start = time.perf_counter()
        remove_duplicates(party)
        secs = time.perf_counter() - start
    names = dict(zip(ids, originals, strict=True))
    merged = [pair.ids for pair in related if pair.relation is Relation.DUPLICATE]
    count = len(ids) * (len(ids) - 1) // 2
    print(f"{len(merged)} of {count:,} pairs of {len(ids):,} originals merged in {secs:.0f} s;")
    print(f"{len(met):,} were candidates, {len(related) - len(merged)} are related otherwise")
    for first, second in merged:
        print(f"- {names[first]} | {names[second]}")


def measure(
    party: Party, name: str, originals: dict[str, bytes], executor: Executor, with_hashes: bool
) -> float:
    """Print the row of one change; the share that was merged."""
    change = BY_NAME[name]
    count = len(originals)
    files = list(originals.values())
    renditions = list(executor.map(partial(render, name), files, range(count)))
    exchanged = exchange_hashes(party, renditions, executor) if with_hashes else ""
    with record() as (met, _found):
        copies = add_files(party, renditions)
        remove_duplicates(party)
    matches = Matches(party, dict(enumerate(copies, 1)))
    by_hashes = [met[pair] for pair in matches.pairs if pair in met]
    share = matches.merged / count
    cells = [
        name,
        f"{change.goal:.0%}",
        f"{sum(by_hashes)}, {len(by_hashes) - sum(by_hashes)}",
        f"{share:.1%}" + (" **below**" if share < change.goal else ""),
        str(matches.linked),
        f"{matches.kept} of {matches.merged}",
        exchanged,
        matches.describe_missed(list(originals), met),
    ]
    print(f"| {' | '.join(cells)} |", flush=True)
    return share


class Matches:
    """What became of the copies, each of which belongs to an original."""

    def __init__(self, party: Party, copies: dict[int, int]) -> None:
        self.aside, self.links = load_rows(party)
        self.pairs = list(copies.items())

    def find_kept(self, image_id: int) -> int:
        """The image that is kept for this one."""
        return self.aside.get(image_id, image_id)

    def is_merged(self, pair: tuple[int, int]) -> bool:
        """Whether one image is kept for both of a pair."""
        original, copy = pair
        return self.find_kept(original) == self.find_kept(copy)

    @property
    def merged(self) -> int:
        """How many copies were merged with their originals."""
        return sum(map(self.is_merged, self.pairs))

    @property
    def kept(self) -> int:
        """How many copies were put aside for their originals."""
        return sum(self.aside.get(copy) == original for original, copy in self.pairs)

    @property
    def linked(self) -> int:
        """How many copies are related to their originals otherwise."""
        return sum(set(pair) in self.links and not self.is_merged(pair) for pair in self.pairs)

    def describe_missed(self, titles: Sequence[str], met: Collection[tuple[int, int]]) -> str:
        """The first originals whose copies were not merged, and how many met another image."""
        missed = [
            f"{title} ({self._describe_miss(pair, met)})"
            for title, pair in zip(titles, self.pairs, strict=True)
            if not self.is_merged(pair)
        ]
        wrong = sum(self.find_kept(pair[1]) not in pair for pair in self.pairs)
        return "; ".join(missed[:MISSED_SHOWN]) + (
            f"; {wrong} merged with another" if wrong else ""
        )

    def _describe_miss(self, pair: tuple[int, int], met: Collection[tuple[int, int]]) -> str:
        if set(pair) in self.links:
            return "linked"
        return "seen" if pair in met else "not met"


def render(name: str, original: bytes, seed: int) -> bytes:
    """The file of the changed photograph; runs in a worker process."""
    return BY_NAME[name].render(open_rgb(original), Random(f"{name} {seed}"))


def exchange_hashes(party: Party, renditions: Sequence[bytes], executor: Executor) -> str:
    """The share found by a text of hashes, its bytes for each image, and the false matches."""
    described = executor.map(describe, map(str, range(1, len(renditions) + 1)), renditions)
    text = "".join(format_hashes(described)).encode()
    theirs = read_hashes(io.BytesIO(text), "their hashes").images
    with party.catalogue.reading() as session:
        ours = load_ours(session, Scope("all"))
    overlaps = find_overlaps(party, theirs, ours)
    named = [
        (overlap.name, str(overlap.image.image_id))
        for overlap in overlaps
        if overlap.relation == "duplicate"
    ]
    matched = len({name for name, other in named if name == other})
    false = sum(name != other for name, other in named)
    share = matched / len(renditions)
    bytes_each = len(text) / len(renditions)
    return f"{share:.1%}, {bytes_each:,.0f} B" + (f", {false} false" if false else "")


def describe(name: str, data: bytes) -> TheirImage:
    """What another's file becomes; runs in a worker process."""
    use_one_thread()
    return describe_image(name, data, make_signature(read_picture(data)))


def print_lookalikes(originals: dict[str, bytes]) -> None:
    """How many pairs of each set are merged; each set has its own party."""
    print("\n| what must not be merged | pairs | merged | linked |\n|---|---|---|---|")
    sets = {name: (draw_set(name), OF_A_SET * (OF_A_SET - 1) // 2) for name in DRAWN}
    for name, pairs in make_bursts([open_rgb(original) for original in originals.values()]).items():
        sets[name] = [picture for pair in pairs for picture in pair], len(pairs)
    for name, (pictures, count) in sets.items():
        with tempfile.TemporaryDirectory() as scratch:
            make_party(Path(scratch) / "party", name="lookalikes", preset="voc2012")
            with open_party(Path(scratch) / "party") as party, record() as (_met, related):
                add_files(party, dict.fromkeys(map(save, pictures)))
                remove_duplicates(party)
        merged = sum(pair.relation is Relation.DUPLICATE for pair in related)
        print(f"| {name} | {count} | {merged} | {len(related) - merged} |", flush=True)


if __name__ == "__main__":
    main()
